"""Rules about suppressions. Every profile runs them, after all others."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from kinetree.errors import Source
from kinetree.rules.examples import ARM
from kinetree.rules.rule import Found, Rule

Place = tuple[int, int]
"""Line and column."""

_FLANGE, _STRAIGHT = '<link name="flange"/>', '<origin xyz="0.09 0 0" rpy="0 0 0"/>'
EXCUSED = f"<!-- kinetree: ignore R199-403 because the maker mounts it so -->\n  {_FLANGE}"
ASKEW = ARM.replace(_FLANGE, EXCUSED).replace(_STRAIGHT, '<origin xyz="0.09 0 0" rpy="0 -1.5707963267948966 0"/>')
"""The arm of the examples, with an excused flange that points the wrong way."""


@dataclass(frozen=True)
class Suppression:
    """A comment that excuses findings on the element after it and inside.

    codes: of rules and readers. reason: may be "". source: of the comment. element: its name in messages. start, stop:
    place of the element. whole: whether it is about the whole file. faults: what is wrong with the comment. idle: codes
    that were checked but excused nothing.
    """

    codes: tuple[str, ...]
    reason: str
    source: Source
    element: str
    start: Place
    stop: Place
    whole: bool
    faults: tuple[str, ...] = ()
    unjustified: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()


class Suppresses(Rule):
    """A rule about a suppression; its examples are about a flange that points the wrong way."""

    url: ClassVar[str] = "https://gavanderhoorn.github.io/rep/rep-0199.html"
    base: ClassVar[str | None] = ASKEW
    good: ClassVar[str] = EXCUSED

    def check(self, suppressions: Iterable[Suppression]) -> Found:
        """A comment that does not meet this."""
        for suppression in suppressions:
            for message in self.faults(suppression):
                yield self.finding(message, suppression.element, source=suppression.source)

    def faults(self, suppression: Suppression) -> Iterable[str]:
        """Return what is wrong with a suppression."""
        raise NotImplementedError


class Understood(Suppresses):
    """A suppression names the codes that it excuses.

    A comment that is not understood, an unknown code and a whole family of codes excuse nothing.
    """

    code = "SUP-001"
    level = "MUST"
    clause = "kinetree: ignore CODE, … because …, before an element"
    bad = EXCUSED.replace("R199-403", "R199")

    def faults(self, suppression: Suppression) -> Iterable[str]:
        """Return the codes and words without a meaning."""
        return suppression.faults


class JustifiedSuppression(Suppresses):
    """A suppression of a MUST of a convention has a reason.

    REP-199 allows deviations that are well justified and documented. Without a reason nothing is excused.
    """

    code = "SUP-002"
    level = "MUST"
    clause = "any deviation must be well justified and documented"
    bad = EXCUSED.replace(" because the maker mounts it so", "")

    def faults(self, suppression: Suppression) -> Iterable[str]:
        """Yield the codes of mandatory rules without a reason."""
        for code in suppression.unjustified:
            yield f"{code} is mandatory, but no reason is given; write 'ignore {code} because …'"


class ExplainedSuppression(Suppresses):
    """A suppression of another code has a reason too.

    The finding is excused without a reason as well, but later readers of the model need to know why.
    """

    code = "SUP-003"
    evidence = "advice"
    clause = "a reason behind because"
    bad = EXCUSED.replace("-->", "--><!-- kinetree: ignore no-texture -->")

    def faults(self, suppression: Suppression) -> Iterable[str]:
        """Yield the codes without a reason that do not need one."""
        lax = [code for code in suppression.codes if code not in suppression.unjustified]
        if lax and not suppression.reason:
            yield f"no reason is given for {', '.join(lax)}; write 'ignore {', '.join(lax)} because …'"


class NeededSuppression(Suppresses):
    """A suppression excuses a finding.

    A suppression that is left after a repair hides the next fault of that kind.
    """

    code = "SUP-004"
    clause = "remove suppressions that excuse nothing"
    bad = EXCUSED.replace("R199-403", "R199-403, no-texture")

    def faults(self, suppression: Suppression) -> Iterable[str]:
        """Yield the codes that were checked and not found."""
        macro = suppression.element.lstrip("<").startswith("xacro:")
        for code in suppression.idle:
            why = "; errors of readers cannot be excused" if code.islower() else ""
            why += "; for the parts that a macro makes, write it in the macro or before the root" if macro else ""
            yield f"{code} is not found there, so the suppression has no effect{why}; remove it"
