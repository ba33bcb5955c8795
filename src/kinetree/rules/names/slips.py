"""Slips in the spelling of names, which other names show."""

import re
from collections import Counter
from itertools import chain

from kinetree.robot_kinds.kinds import WORD, words_in
from kinetree.rules.blocks.spelling import LETTERS, NEARLY, nearly
from kinetree.rules.names.sides import other_side, side_of
from kinetree.rules.quality import Quality
from kinetree.rules.rule import Found, Joint, Link, Robot, Threshold

OFTEN = Threshold(3, "names", "smallest number of names with the right form of a word that one name has misspelt")
SHORTEST = Threshold(5, "letters", "smallest length of a misspelt word")
NUMBER = re.compile(r"\d+")


class OneSpelling(Quality):
    """A word is spelled the same in all names.

    Who writes the name as it is meant, as in a file of controllers, names a part that does not exist.
    """

    code = "NAM-014"
    thresholds = (OFTEN, SHORTEST, NEARLY, LETTERS)
    evidence = "heuristic"
    clause = "names are referred to by others"
    url = "http://wiki.ros.org/urdf/XML"
    good = 'joint name="joint_4"'
    bad = 'joint name="jiont_4"'

    def check(self, robot: Robot, named: tuple[Link | Joint, ...]) -> Found:
        """A word of one name alone that lacks a letter within, has one too many or two exchanged, if several names have
        the right one; and a name of one side whose counterpart has other letters, that whose words the file has less
        often, or else that of the right."""
        counts = Counter(chain.from_iterable(words_in(thing.name) for thing in named))
        often = [word for word, count in counts.items() if count >= OFTEN]
        rare = [word for word, count in counts.items() if count == 1 and len(word) >= SHORTEST]
        slips = {word: meant for word in rare for meant in often if _is_slip(word, meant)}
        known = {*robot.links, *robot.joints}
        for thing in named if slips else ():
            if slip := next((word for word in words_in(thing.name) if word in slips), None):
                yield self.finding(f"the word {slip!r} is {slips[slip]!r} in {counts[slips[slip]]} other names", thing)
        alone = [one for one in named if side_of(one.name) and other_side(one.name) not in known]
        for kind in (Link, Joint):
            left = {one.name: one for one in alone if isinstance(one, kind) and side_of(one.name) == "l"}
            right = [one for one in alone if isinstance(one, kind) and side_of(one.name) == "r"] if left else []
            pairs = [(one, left[near]) for one in right if (near := nearly(other_side(one.name), [*left]))]
            pairs = [pair for pair in pairs if NUMBER.findall(pair[0].name) == NUMBER.findall(pair[1].name)]
            for one, other in pairs[:1]:
                mine, theirs = ({*WORD.findall(name.lower())} for name in (one.name, other_side(other.name)))
                text = robot.text.text.lower() if robot.text else ""
                is_usual = sum(map(text.count, mine - theirs)) > sum(map(text.count, theirs - mine))
                message = f"the name is spelled otherwise than {(one if is_usual else other).name!r}; use one form"
                yield from self.shared(message, [pair[is_usual] for pair in pairs])


def _is_slip(word: str, meant: str) -> bool:
    """Return whether two words with the same ends differ by one letter more, or by two exchanged."""
    if (word[0], word[-1]) != (meant[0], meant[-1]) or abs(len(word) - len(meant)) > 1:
        return False
    short, long = sorted((word, meant), key=len)
    swapped = (word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(1, len(word) - 2))
    shorter = (long[:i] + long[i + 1 :] for i in range(1, len(short)))
    return meant in swapped if len(long) == len(short) else short in shorter
