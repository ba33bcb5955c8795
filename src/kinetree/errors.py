"""Errors and findings: what is wrong with a robot description, and where."""

import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from heapq import nlargest
from typing import Literal

from kinetree.display import Displayable, counted, listed, shortened as shortened, visible as visible

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""All severities, the gravest first."""
MAX_MESSAGE = 2000
"""Longest message of a finding, in characters; an element may have a tenth. Names in a file can be very long."""
ALIKE = 0.1
"""Largest difference of similarity, from 0 to 1, between names that are suggested together."""
MAX_COMPARED = 200
"""Longest name, in characters, that is compared with others, or shown in a list."""
SITE = "https://kinetree.github.io/kinetree/latest"
"""Address of the documentation."""


@dataclass(frozen=True, slots=True)
class Source:
    """A place in a file; `line` and `column` count from 1 and are None if unknown.

    made: for a place in an xacro file, the matching place in the expanded text.
    inherited: places of the attributes that an element of MJCF has from its class of `<default>`.

    Examples:
        >>> import kinetree as kt
        >>> robot = kt.load('<robot name="arm"><link name="base"/></robot>', format="urdf")
        >>> print(robot.links["base"].source)
        <text>:1:19
    """

    file: str
    line: int | None = None
    column: int | None = None
    made: "Source | None" = None
    inherited: "Mapping[str, Source] | None" = field(default=None, compare=False, repr=False)

    def of(self, attribute: str) -> "Source":
        """Return the place where an attribute of the element is written, if that is a class, or the element's."""
        return (self.inherited or {}).get(attribute, self)

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)

    @property
    def place(self) -> tuple[str, int, int]:
        """File, line and column, without the origin; the line and the column are 0 if unknown."""
        return self.file, self.line or 0, self.column or 0


def address(code: str) -> str:
    """Return the address of the page that explains a code, of a reader or of a rule."""
    from kinetree.codes import page_of  # takes 1 ms and is rarely needed

    return f"{SITE}/e/{page_of(code)}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault, found by a reader or a rule.

    code: kind of fault, stable across releases: a reader's in lower case, such as "zero-axis", or a rule's.
    severity: "error" (refused), "warning" (loads, but look at it), "info".
    message: what is wrong and what is legal.
    source: the place, or None if nothing was read from a file.
    element: the element concerned, for example `joint 'elbow'`.
    fix: how to correct it, if known.
    excerpt: the offending line with its bad part underlined.

    Examples:
        >>> import kinetree as kt
        >>> finding = kt.check(kt.load("icub"), select=["LIM-003"])[0]
        >>> finding.code, finding.severity, finding.element
        ('LIM-003', 'info', "joint 'l_elbow'")
        >>> finding.message
        'zero is outside the limits 0.096 to 1.85 rad; many programs start at zero'
    """

    code: str
    severity: Severity
    message: str
    source: Source | None = None
    element: str | None = None
    fix: str | None = None
    excerpt: str | None = None

    def __post_init__(self) -> None:
        if len(self.message) > MAX_MESSAGE:
            object.__setattr__(self, "message", shortened(self.message, MAX_MESSAGE))
        if self.element and len(self.element) > MAX_MESSAGE // 10:
            object.__setattr__(self, "element", shortened(self.element, MAX_MESSAGE // 10))

    @property
    def url(self) -> str:
        """Address of the page that explains the code."""
        return address(self.code)

    @property
    def place(self) -> tuple[str, int, int]:
        """File, line and column, which sort findings by place; the line and the column are 0 if unknown."""
        return (self.source or Source("")).place

    def __str__(self) -> str:
        place = f"{self.source}: " if self.source else ""
        element = f"{self.element}: " if self.element else ""
        lines = [visible(f"{place}{self.severity}: {element}{self.message} [{self.code}]")]
        if self.excerpt:
            lines += [f"    {visible(line, one_for_one=True)}" for line in self.excerpt.split("\n")]
        if self.fix:
            lines.append(f"    fix: {visible(self.fix)}")
        return "\n".join(lines)


def equal(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Return findings with the same words but other names and numbers together, in the order of their first ones."""
    found: dict[object, list[Finding]] = {}
    for finding in findings:
        found.setdefault(cause(finding), []).append(finding)
    return list(found.values())


def cause(finding: Finding) -> object:
    """Return a key that is the same for findings with the same words but other names and numbers."""
    quoted, word = _patterns()
    return finding.code, finding.severity, frozenset(word.findall(quoted.sub("", finding.message)))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a quoted name and of a word."""
    return re.compile(r"'[^']*'|\"[^\"]*\""), re.compile(r"(?<![\w'])[a-z]{3,}(?![\w])")


def others_like(group: Sequence[Finding]) -> str:
    """Return how many findings are equal to the first of a group, and their elements and lines."""
    first, *others = group
    places = listed(_place_beside(one, first) for one in others)
    return visible(f"{counted(len(others), 'finding')} like it: {places}")


def _place_beside(finding: Finding, first: Finding) -> str:
    """Return the element of a finding and its line, with the file if it is another; without them, the name in it."""
    source = finding.source
    if source is None:
        return finding.element or "robot"
    file = "" if first.source and first.source.file == source.file else source.file
    where = file if source.line is None else f"{file}:{source.line}" if file else f"line {source.line}"
    named = _patterns()[0].search(finding.message)
    place = f"{finding.element} ({where})" if finding.element and where else finding.element or where
    return place or (named[0] if named else source.file)


def is_of_memory(error: BaseException) -> bool:
    """Return whether an exception means that there is not enough memory: threads and modules fail by other classes."""
    text = str(error)
    words = ("can't start new thread", "failed to map segment", "Cannot allocate memory", "cannot allocate memory")
    return isinstance(error, MemoryError) or any(word in text for word in words)


class Findings(list[Finding], Displayable):
    """List of findings, which `kinetree.check` returns."""

    def __repr__(self) -> str:
        counts = [(sum(f.severity == severity for f in self), severity) for severity in SEVERITIES]
        counted = ", ".join(f"{n} {severity}{'s' * (n > 1 and severity != 'info')}" for n, severity in counts if n)
        lines = [f"{len(self)} finding{'s' * (len(self) != 1)}{': ' * bool(self)}{counted}"]
        shown = len(self) if len(self) < 10 else 8
        lines += [f"  {shortened(str(f).partition(chr(10))[0], 200)}" for f in self[:shown]]
        return "\n".join([*lines, f"  and {len(self) - shown} more"] if shown < len(self) else lines)


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that an error leaves unknown of a robot.

    kind, name: the element, such as "joint" and "elbow". part: "" for all of it but its name, "inside" for a joint of
    which the type and the place are known, "place" for a link of which only the neighbours are unknown, "missing" for
    one that the file does not have. Of kind "robot", "names" says that elements without a known name exist, "name" that
    its own is unknown, "poses", "bodies" and "groups" that all of these are, "version" that the version of its format
    is, and "" that nothing is known.
    """

    kind: str
    name: str
    part: str = ""

    @property
    def element(self) -> str:
        """Name in messages, as that of a finding."""
        return f"{self.kind} {self.name!r}"


def underlined(line: str, start: int, stop: int) -> str:
    """Return about a hundred characters of a line, with those from start to stop, from 0, underlined below."""
    line = line.replace("\t", " ")
    cut = min(start, max(len(line) - len(line.lstrip()), start - 60))
    marks = "~" * (min(stop - start, 100) - 1) + "^"
    return f"{line.rstrip()[cut : cut + 100]}\n{' ' * (start - cut)}{marks}"


class KinetreeError(Exception):
    """Error in the user's input. `findings` contains every fault; the message has the first, and where equal ones
    are.

    Examples:
        >>> import kinetree as kt
        >>> try:
        ...     kt.fk(kt.load("icub"), "l_hnd")
        ... except kt.KinetreeError as error:
        ...     print(error.findings[0].code, error.findings[0].message)
        unknown-name no frame 'l_hnd'; did you mean 'l_hand'?
    """

    def __init__(self, findings: Finding | Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = (findings,) if isinstance(findings, Finding) else tuple(findings)
        lines = [str(self.findings[0])]
        if len(self.findings) > 1:
            groups = equal(self.findings)
            lines += [f"    {others_like(groups[0])}"] if groups[0][1:] else []
            others = len(self.findings) - len(groups[0])
            lines.append(f"({others} more in .findings)" if others else "(all in .findings)")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> "tuple[type[KinetreeError], tuple[tuple[Finding, ...]]]":
        return type(self), (self.findings,)  # keeps the findings when pickled


class UnverifiedWarning(UserWarning):
    """Warning that a result depends on a source that was never verified."""


def warn(text: str, category: type[Warning]) -> None:
    """Warn at the line that called into the package, at any depth of calls."""
    package = __name__.partition(".")[0]
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


class UnknownNameError(KinetreeError, KeyError):
    """Error for a name that does not exist; the message lists the nearest ones."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0])


class WrongTypeError(KinetreeError, TypeError):
    """Error for an argument of the wrong type, or a wrong number of arguments; the message lists what is legal."""


def fail(code: str, message: str, *, element: str | None = None, fix: str | None = None) -> KinetreeError:
    """Return the error for a single fault without a place in a file."""
    return KinetreeError(Finding(code, "error", message, element=element, fix=fix))


def wrong_type(code: str, message: str) -> WrongTypeError:
    """Return the error for an argument of the wrong type, or for a wrong number of arguments."""
    return WrongTypeError(Finding(code, "error", message))


def unknown_name(kind: str, name: object, known: Sequence[str]) -> UnknownNameError:
    """Return the error for a `kind` (link, joint, frame …) whose name is not among `known`."""
    return UnknownNameError(Finding("unknown-name", "error", f"no {kind} {name!r}; {nearest_names(name, known)}"))


def nearest_names(name: object, known: Sequence[str]) -> str:
    """Return a clause that names those of `known` that resemble `name`, or all if there are few."""
    import difflib  # takes 6 ms and is rarely needed

    text, known = str(name), list(dict.fromkeys(known))
    near: list[str] = []
    if len(text) <= MAX_COMPARED:  # difflib takes 0.1 s for 500 names, so it gets the likeliest only
        parts = _parts(text)
        short = [other for other in known[:500] if len(other) <= MAX_COMPARED]
        likely = nlargest(
            8, short, key=lambda other: len(parts & _parts(other)) / (len(parts) + len(_parts(other)) + 1)
        )
        near = difflib.get_close_matches(text, likely, n=5, cutoff=0.5)
        alike = {name: difflib.SequenceMatcher(None, name, text).ratio() for name in near}
        near = [name for name in near if alike[name] > alike[near[0]] - ALIKE]
    if near:
        return "did you mean " + ", ".join(repr(n) for n in near) + "?"
    if not known:
        return "there are none"
    shown = ", ".join(repr(shortened(n, MAX_COMPARED)) for n in known[:12])
    if len(known) == 1:
        return f"there is only {shown}"
    return f"there are {shown}" + (f" and {len(known) - 12} more" if len(known) > 12 else "")


@lru_cache(maxsize=1000)
def _parts(name: str) -> frozenset[str]:
    """Return the letters of a name, and its pairs of letters."""
    return frozenset(name) | {name[i : i + 2] for i in range(len(name) - 1)}
