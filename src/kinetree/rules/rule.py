"""Base of all rules: each rule is a class that explains itself and yields findings.

The names that most rules need are imported from here, so that a file of rules begins with what is its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from kinetree.display import listed, number as number, numbers as numbers
from kinetree.errors import SEVERITIES, Finding as Finding, Severity, Source
from kinetree.model.robot import Frame, Joint as Joint, Link as Link, Robot as Robot, Sensor
from kinetree.rules.facts import Bodies as Bodies, Poses as Poses, fact as fact
from kinetree.rules.options import CheckOptions
from kinetree.rules.threshold import Threshold as Threshold
from kinetree.spatial.se3 import Array as Array
from kinetree.syntax.xml.reader import Element as Element

Found = Iterator[Finding]
"""What the `check` of a rule returns."""
Level = Literal["MUST", "SHOULD", "MAY"]
Evidence = Literal["certain", "heuristic", "advice"]

_BY_LEVEL: dict[Level, Severity] = {"MUST": "error", "SHOULD": "warning", "MAY": "info"}
About = Link | Joint | Frame | Sensor | Robot | Element | str
_AT_MOST: dict[Evidence, Severity] = {"certain": "error", "heuristic": "warning", "advice": "info"}


class Rule:
    """Base of all rules. The first line of a rule's docstring is its title, the rest is the reason.

    code: letters and three digits; never changes its meaning.
    level: how strongly the convention requires it, SHOULD by default. evidence: how certain the rule is. The severity
    of findings is that of the level, but at most that of the evidence.
    clause: the convention in a few of its own words. url: where it is written.
    good, bad: a correct text and a wrong one. With `base` they are pieces of a text, in which the bad one replaces
    every occurrence of the good one: `base` itself, or the text of a robot of the package, loaded with `base_options`
    and written in `base_format`.
    context: the options with which the examples are checked.
    requires: codes of rules; this rule does not run if one of them has failed.
    thresholds: the numbers on which its findings depend.
    of_text: whether it needs only the texts of the files, and is run on files that make no robot, too.
    of_robot: whether a finding depends on more of the robot than the elements that it names and the links that are
    fixed to them; after errors of the reader such a rule does not run.
    """

    code: ClassVar[str]
    level: ClassVar[Level] = "SHOULD"
    evidence: ClassVar[Evidence] = "certain"
    clause: ClassVar[str]
    url: ClassVar[str]
    good: ClassVar[str]
    bad: ClassVar[str]
    base: ClassVar[str | None] = None
    base_format: ClassVar[str] = "urdf"
    base_options: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    context: ClassVar[CheckOptions] = CheckOptions()
    requires: ClassVar[tuple[str, ...]] = ()
    thresholds: ClassVar[tuple[Threshold, ...]] = ()
    of_text: ClassVar[bool] = False
    of_robot: ClassVar[bool] = False

    check: ClassVar[Any]
    """Method that yields findings. Its parameters are names of facts; see `kinetree.rules.facts`. Its docstring says
    what it finds, and which exemptions there are, without the numbers of `thresholds`."""
    repair: ClassVar[Any] = None
    """None, or a method like `check` that yields a `kinetree.repairs.edit.Repair` for each faulty element, whose
    edits remove the finding."""
    safe: ClassVar[bool] = True
    """Whether the repairs keep all names that other files may use."""
    by_name: ClassVar[bool] = False
    """Whether the repairs are made only if the selected codes name the rule, since programs may not notice them."""
    turns: ClassVar[float] = 0.0
    """Largest change by `repair` of an angle of an origin, rad; links behind it move. If it is zero, no frame may
    move."""

    uncovers: ClassVar[tuple[str, ...]] = ()
    """Beginnings of codes whose findings about renamed elements may be new: rules that judge a part by its name could
    not see it before."""

    @classmethod
    def title(cls) -> str:
        """Return the requirement of the convention in one line."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    @classmethod
    def severity(cls) -> Severity:
        """Return the severity of the rule's findings that are not remarks."""
        return max(_BY_LEVEL[cls.level], _AT_MOST[cls.evidence], key=SEVERITIES.index)

    def finding(
        self,
        message: str,
        about: About,
        *,
        source: Source | None = None,
        severity: Severity | None = None,
        fix: str | None = None,
        attribute: str = "",
    ) -> Finding:
        """Return one finding. about: its element, and its place if there is no `source`; the own frame of a link is
        that link. fix: how to correct it. attribute: the one that is wrong in MJCF, of which a class may be the place.
        """
        severity = severity or self.severity()
        assert SEVERITIES.index(severity) >= SEVERITIES.index(self.severity()), "graver than the rule"
        if isinstance(about, str):
            return Finding(self.code, severity, message, source, about, fix)
        if isinstance(about, Element):
            return Finding(self.code, severity, message, source or about.source, about.label, fix)
        is_link = isinstance(about, Frame) and about.name == about.link
        element = f"{'link' if is_link else type(about).__name__.lower()} {about.name!r}"
        source = source or (about.source and about.source.of(attribute))
        return Finding(self.code, severity, message, source, element, fix)

    def remark(self, message: str, about: About) -> Finding:
        """Return a remark: a finding of severity "info"."""
        return self.finding(message, about, severity="info")

    def shared(self, message: str, about: Sequence[Link | Joint], **more: Any) -> Found:
        """Yield one finding about the first of several elements, which names up to eight others of which the same is
        true; none for no elements."""
        if about:
            yield self.finding(message + others([one.name for one in about[1:]]), about[0], **more)


SAME = " (also "
"""Beginning of the names of other elements of which a finding says the same."""


def others(names: Sequence[str]) -> str:
    """Return a clause with up to eight more things of which the same is true."""
    return f"{SAME}{listed(map(repr, names), 8)})" if names else ""
