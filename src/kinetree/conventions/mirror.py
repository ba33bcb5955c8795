"""Left and right parts of a robot, and the rule that they are mirror images of each other."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from kinetree.conventions.facts import fact
from kinetree.conventions.rule import Rule
from kinetree.errors import Finding
from kinetree.model.robot import Joint, Link, Robot
from kinetree.spatial.se3 import Array

SIDE = r"{0}|(?<![a-z0-9]){1}(?![a-z0-9])|(?<![a-z0-9])[fhrbm]{1}(?![a-z0-9])"
LEFT, RIGHT = (re.compile(SIDE.format(*words), re.IGNORECASE) for words in (("left", "l"), ("right", "r")))
"""Words and letters that stand for a side."""
CAPITAL = re.compile(r"(?:(?<=[a-z_])|^)L(?=[A-Z])")
"""A letter for left in front of a word, such as in LHipYaw."""
OTHER = {"left": "right", "Left": "Right", "LEFT": "RIGHT"}
NOT_OURS = re.compile(
    r"finger|thumb|knuckle|palm|jaw|gripper|hand|camera|stereo|wheel|caster|index|middle|ring|pinky"
    r"|sensor|imu|fsr|(?<![a-z])ft(?![a-z])",
    re.IGNORECASE,
)
"""Parts that are left or right of something else, or are the same part on both sides."""
SAME = 1e-3
"""Largest difference of mirror images, as part of their size."""
DIFFERENT = 0.03
"""Smallest difference that is not due to rounding."""
MOST = 4
"""Most quantities in a message."""
AGREEING = 4
"""Number of pairs that must be mirror images for one that is not."""


_PARTS = ("pelvis", "hip", "thigh", "shin", "ankle", "foot")


def _leg(side: str, y: float) -> str:
    """Return the text of a leg that hangs on the pelvis."""
    text = ""
    for i, part in enumerate(_PARTS[1:]):
        above = f"{side}_{_PARTS[i]}" if i else "pelvis"
        inertial = '<mass value="2"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>'
        text += f'<link name="{side}_{part}"><inertial>{inertial}</inertial></link>'
        text += f'<joint name="{side}_{part}_joint" type="fixed"><parent link="{above}"/><child link="{side}_{part}"/>'
        text += f'<origin xyz="0 {0 if i else y} -0.1"/></joint>\n'
    return text


LEGS = f'<robot name="walker"><link name="pelvis"/>\n{_leg("left", 0.1)}{_leg("right", -0.1)}</robot>'
"""A robot with two equal legs."""


class Quantity(NamedTuple):
    """A quantity of a right thing, that of the mirror image of the left one, and that of its copy. size: to which
    differences are compared."""

    name: str
    found: Array
    mirrored: Array
    copied: Array
    size: float

    def off(self, expected: Array) -> float:
        """Return the largest difference from what is expected, as part of the size."""
        return float(np.max(np.abs(self.found - expected))) / self.size


class Pair(NamedTuple):
    """A left and a right thing, with quantities that are compared with those of other pairs together."""

    left: Link | Joint
    right: Link | Joint
    group: str
    quantities: list[Quantity]

    @property
    def off(self) -> float:
        """Largest difference from a mirror image."""
        return max(quantity.off(quantity.mirrored) for quantity in self.quantities)

    @property
    def copied(self) -> bool:
        """Whether the two are the same, such as an arm that is used on both sides."""
        return max(quantity.off(quantity.copied) for quantity in self.quantities) <= SAME


class MirrorImages(Rule):
    """Left and right are mirror images of each other.

    A number that was changed on one side only, or a sign that was not, makes a robot that leans and limps. Where nearly
    all pairs are mirror images to a thousandth, the one that is not is likely to be wrong.
    """

    code = "NAM-010"
    evidence = "heuristic"
    clause = "what is called left and right is the same but for its side"
    url = "https://www.ros.org/reps/rep-0120.html"
    base = LEGS
    good = '<link name="right_shin"><inertial><mass value="2"/>'
    bad = '<link name="right_shin"><inertial><mass value="2.4"/>'

    def check(self, mirrored: tuple[Pair, ...]) -> Iterator[Finding]:
        """A pair that differs by three hundredths or more where nearly all others are equal."""
        wrong: dict[str, list[Quantity]] = {}
        about: dict[str, Pair] = {}
        for group in dict.fromkeys(pair.group for pair in mirrored):
            for pair in outliers([pair for pair in mirrored if pair.group == group]):
                about[pair.right.name] = pair
                wrong.setdefault(pair.right.name, []).extend(q for q in pair.quantities if q.off(q.mirrored) > SAME)
        for name, quantities in wrong.items():
            said = "; ".join(
                f"{q.name} {_shown(q.found, q)}, expected {_shown(q.mirrored, q)}" for q in quantities[:MOST]
            )
            yield self.finding(f"is not the mirror image of {about[name].left.name!r}: {said}", about[name].right)


def outliers(pairs: list[Pair]) -> list[Pair]:
    """Return the pairs that are no mirror images, if nearly all others are. A copy is one only among enough pairs that
    are mirror images and no copies."""
    images = [pair for pair in pairs if pair.off <= SAME]
    strict = [pair for pair in images if not pair.copied]
    copies = [pair for pair in pairs if pair.off > SAME and pair.copied]
    others = [pair for pair in pairs if pair.off > SAME and not pair.copied]
    found = copies if len(strict) >= AGREEING * len(copies) else []
    found = found + (others if len(images) >= AGREEING * len(others) else [])
    return [pair for pair in found if pair.off > DIFFERENT]


def _shown(values: Array, quantity: Quantity) -> str:
    """Return values as text; those that only rounding makes differ from zero are zero."""
    return " ".join(f"{value if abs(value) > 1e-6 * quantity.size else 0.0:.3g}" for value in np.atleast_1d(values))


def right_of(name: str) -> str | None:
    """Return the name of the right thing for that of a left one; None for others, and with two words for left."""
    found = [*LEFT.finditer(name)] or [*CAPITAL.finditer(name)]
    if len(found) != 1 or RIGHT.search(name) or NOT_OURS.search(name):
        return None
    left = found[0][0]
    right = OTHER.get(left) or left[:-1] + ("r" if left[-1] == "l" else "R")
    return name[: found[0].start()] + right + name[found[0].end() :]


@fact
def mirrored(robot: Robot, poses: Mapping[str, Array]) -> tuple[Pair, ...]:
    """Return the quantities of left and right things, in the axes of the root, if there are enough of them."""
    links = _pairs(robot.links)
    steps = _pairs(robot.joints)
    planes = Counter(k for a, b in steps if (k := _plane(poses[a.child][:3, 3], poses[b.child][:3, 3])) is not None)
    if not planes or planes.most_common(1)[0][1] < AGREEING:
        return ()
    mirror = np.eye(3)
    mirror[(k := planes.most_common(1)[0][0]), k] = -1.0
    found: list[Pair] = []
    for a, b in links:
        found += _of_links(a, b, poses, mirror)
    moving = {joint.child: joint for joint in robot.joints.values()}
    for one, other in steps:
        found += _of_joints(one, other, poses, moving, mirror)
    return tuple(found)


def _pairs(things: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    named = ((thing, right_of(name)) for name, thing in things.items())
    return [(thing, things[name]) for thing, name in named if name and name in things]


def _plane(left: Array, right: Array) -> int | None:
    """Return the axis along which two places are mirror images, None if they are not apart along one alone."""
    apart = np.abs(left - right)
    k = int(np.argmax(apart))
    return k if apart[k] > 1e-3 and np.delete(apart, k).max() < SAME * apart[k] else None


def _of_links(left: Link, right: Link, poses: Mapping[str, Array], mirror: Array) -> Iterator[Pair]:
    one, other = left.inertial, right.inertial
    if one is None or other is None:
        return
    R, Q = (poses[x.name][:3, :3] for x in (left, right))
    found = [_number("mass", one.mass, other.mass)]
    com, there = one.origin[:3, 3], other.origin[:3, 3]
    found.append(Quantity("center of mass", there, Q.T @ mirror @ R @ com, com, max(float(np.linalg.norm(com)), 1e-2)))
    turn = (Q @ other.origin[:3, :3]).T @ mirror @ R @ one.origin[:3, :3]
    image, size = turn @ one.inertia @ turn.T, max(float(np.trace(one.inertia)) / 3, 1e-12)
    for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        values = (np.array(tensor[i, j]) for tensor in (other.inertia, image, one.inertia))
        found.append(Quantity(f"i{'xyz'[i]}{'xyz'[j]}", *values, size))
    yield Pair(left, right, "inertia", found)


def _free(left: Joint, right: Joint, Q: Array, moving: Mapping[str, Joint], mirror: Array) -> Iterator[Array]:
    """Yield directions in the right parent's axes along which the joint may stand anywhere: its own axis, that of the
    joint before it, and across the mirror if both hang on one link, which need not lie in the mirror."""
    if right.axis is not None and right.type != "prismatic":
        yield right.origin[:3, :3] @ right.axis
    before = moving.get(right.parent)
    if before is not None and before.axis is not None and before.type != "prismatic":
        yield before.child_origin[:3, :3].T @ before.axis
    if left.parent == right.parent:
        yield Q.T @ np.diag(np.eye(3) - mirror) / 2


def _of_joints(
    left: Joint, right: Joint, poses: Mapping[str, Array], moving: Mapping[str, Joint], mirror: Array
) -> Iterator[Pair]:
    R, Q = poses[left.parent][:3, :3], poses[right.parent][:3, :3]
    here, there = left.origin[:3, 3], right.origin[:3, 3]
    image = Q.T @ mirror @ R @ here
    for along in _free(left, right, Q, moving, mirror):
        image = image + along * (along @ (there - image))
    origin = Quantity("origin", there, image, here, max(float(np.linalg.norm(here)), 1e-2))
    yield Pair(left, right, "origin", [origin])
    if left.type != right.type or not left.kind.single or left.axis is None or right.axis is None:
        return
    turn = 1.0 if left.type == "prismatic" else -1.0
    a, b = turn * mirror @ R @ left.origin[:3, :3] @ left.axis, Q @ right.origin[:3, :3] @ right.axis
    if abs(a @ b) < 1 - SAME:
        return
    one, other = left.limit, right.limit
    for word, x, y in (("velocity limit", one.velocity, other.velocity), ("effort limit", one.effort, other.effort)):
        if np.isfinite((x, y)).all():
            yield Pair(left, right, word, [_number(word, x, y)])
    if np.isfinite((one.lower, one.upper, other.lower, other.upper)).all():
        lower, upper = (one.lower, one.upper) if a @ b > 0 else (-one.upper, -one.lower)
        size = max(upper - lower, other.upper - other.lower, 1e-9)
        rows = (("lower limit", other.lower, lower, one.lower), ("upper limit", other.upper, upper, one.upper))
        yield Pair(left, right, "limits", [Quantity(n, *map(np.array, values), size) for n, *values in rows])


def _number(name: str, left: float, right: float) -> Quantity:
    return Quantity(name, np.array(right), np.array(left), np.array(left), max(left, right, 1e-9))
