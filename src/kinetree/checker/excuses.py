"""Comments in XML files that excuse findings: `<!-- kinetree: ignore R199-505 because … -->` before an element."""

import os
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from kinetree.checker.check import is_error_of_reader
from kinetree.errors import Finding, KinetreeError
from kinetree.files.opener import read_file
from kinetree.robot_kinds import KINDS
from kinetree.rules.profiles import ALWAYS, FAMILIES, codes_of, family, nearest_codes, remarks, rule_of
from kinetree.rules.suppressions import Place, Suppression
from kinetree.syntax.xml.reader import Document, Element, Report, parse

MAX_LENGTH = 2000
"""Largest number of characters of such a comment."""

OURS = re.compile(r"\s*kinetree\s*:\s*(.*?)\s*", re.DOTALL | re.IGNORECASE)
MISSPELT = re.compile(r"\s*kinetree\W+ignore\W+([\w-]+)", re.IGNORECASE)
"""A comment that is meant for Kinetree if a code follows: the colon is missing or replaced."""
IGNORE = re.compile(r"ignore\s+(?P<codes>.*?)(?:\s+because\b[\s:,]*(?P<reason>.*))?", re.DOTALL)
KIND = re.compile(r"kind\s+(.*)", re.DOTALL)
"""A comment with the kind of the robot; see `kinetree.robot_kinds.kinds`."""
FORM = "write 'kinetree: ignore CODE because …', several codes with commas between them"


NOTHING_READ: Mapping[str, str] = MappingProxyType({})


class ExcuseResult(NamedTuple):
    """Findings that remain, excused ones with their suppressions, and faults of suppressions."""

    findings: list[Finding]
    excused: list[tuple[Finding, Suppression]]
    faults: list[Finding]


def excuse(
    findings: Sequence[Finding],
    file: str,
    is_asked: Callable[[str, str], bool],
    texts: Mapping[str, str] = NOTHING_READ,
) -> ExcuseResult:
    """Remove the findings that are excused by comments in their own file or in the checked one.

    file: the checked file; a comment before its root applies to all that is made from it. is_asked: whether a finding
    of a code about an element could have been found; other suppressions are never idle. texts: texts of files that
    have been read, by name. Errors of a reader and findings without a place are never excused.
    """
    files = dict.fromkeys([file, *(finding.source.file for finding in findings if finding.source)])
    likely = [name for name in files if name not in texts or "kinetree" in texts[name].lower()]
    said = [suppression for name in likely for suppression in suppressions(name)]
    if not said:
        return ExcuseResult(list(findings), [], [])
    spots = _spots(findings)
    why: dict[int, Suppression] = {}  # an inner element's suppression comes behind that of an outer, and wins
    used: set[tuple[str, str, Place, bool]] = set()
    judged = []
    for suppression in said:
        idle = []
        for code in suppression.codes:
            key = suppression.source.file, code, suppression.start, suppression.whole
            covered = [] if key in used or code in suppression.unjustified else _covered(suppression, code, file, spots)
            why.update(dict.fromkeys(covered, suppression))
            used.update([key] if covered else [])
            elsewhere = suppression.source.file != file  # included; another model may need it
            excuses = bool(covered) or code in suppression.unjustified
            if not excuses and is_asked(code, suppression.element) and not elsewhere:
                idle.append(code)
        judged.append(replace(suppression, idle=tuple(idle)))
    return ExcuseResult(
        [finding for i, finding in enumerate(findings) if i not in why],
        [(findings[i], why[i]) for i in sorted(why)],
        [fault for rule in family("SUP") for fault in rule().check(suppressions=judged)],
    )


_Spots = dict[tuple[str, str], list[tuple[Place, int]]]
"""Places of findings by file and code, in order, with their numbers."""


def _spots(findings: Sequence[Finding]) -> _Spots:
    spots: _Spots = {}
    for i, finding in enumerate(findings):
        if finding.source and not is_error_of_reader(finding):
            place = finding.source.line or 0, finding.source.column or 0
            spots.setdefault((finding.source.file, finding.code), []).append((place, i))
    for places in spots.values():
        places.sort()
    return spots


def _covered(suppression: Suppression, code: str, checked: str, spots: _Spots) -> list[int]:
    """Return the numbers of the findings of a code that a suppression covers."""
    file = suppression.source.file
    if suppression.whole:
        keys = [key for key in spots if key[1] == code and file in (key[0], checked)]
        return [i for key in keys for _, i in spots[key]]
    places = spots.get((file, code), [])
    first, last = (bisect_left(places, (place, -inf)) for place in (suppression.start, suppression.stop))
    return [i for _, i in places[first:last]]


def suppressions(file: str) -> list[Suppression]:
    """Return the suppressions in a file, in order; none if it is not XML or not a regular file."""
    if not os.path.isfile(file):  # a pipe has been read already
        return []
    try:
        data = read_file(Path(file))
    except KinetreeError:
        return []
    if not any("kinetree".encode(encoding) in data.lower() for encoding in ("utf-8", "utf-16-le", "utf-16-be")):
        return []
    root = parse(data, file, Report(), comments=True)
    if root is None:
        return []
    found = (_suppression(text, byte, root) for byte, text in root.document.comments.items())
    return [suppression for suppression in found if suppression]


def _suppression(text: str, byte: int, root: Element) -> Suppression | None:
    """Return the suppression in a comment, or None if the comment is not meant for Kinetree."""
    ours = OURS.fullmatch(text) if len(text) <= MAX_LENGTH else OURS.match(text)
    if not ours and not ((near := MISSPELT.match(text)) and _is_like_code(near[1])):
        return None
    document, element = root.document, _behind(root, byte)
    source = document.source(byte)
    start, stop = _extent(document, element or root)
    about = Suppression((), "", source, (element or root).label, start, stop, byte < root.start)
    said = IGNORE.fullmatch(ours[1]) if ours else None
    if ours and (kind := KIND.fullmatch(ours[1])):
        known = kind[1] in KINDS
        wrong = f"no kind of robot {kind[1]!r}; expected one of {', '.join(KINDS)}"
        return None if known else replace(about, faults=(wrong,))
    if element is None:
        return replace(about, faults=("no element follows this comment; write it before the element that it is about",))
    if not said or len(text) > MAX_LENGTH:
        return replace(about, faults=(f"the comment is not understood; {FORM}, in at most {MAX_LENGTH} characters",))
    names = list(dict.fromkeys(name.strip() for name in said["codes"].split(",")))
    faults = {name: fault for name in names if (fault := _fault(name))}
    codes = tuple(name for name in names if name not in faults)
    reason = " ".join((said["reason"] or "").split())
    reason = reason if any(c.isalnum() for c in reason) else ""
    strict = () if reason else tuple(c for c in codes if (rule := rule_of(c)) and rule.level == "MUST")
    return replace(about, codes=codes, reason=reason, faults=tuple(faults.values()), unjustified=strict)


def _is_like_code(word: str) -> bool:
    letters, hyphen, _ = word.partition("-")
    return word in remarks() or bool(hyphen and letters in FAMILIES)


def _fault(code: str) -> str | None:
    """Return why a code cannot be suppressed, or None."""
    letters = code.partition("-")[0]
    if letters in ALWAYS:
        return f"{code} is about suppressions, so it cannot be suppressed"
    if code in remarks() or rule_of(code) is not None:
        return None
    known = codes_of([letters] if letters in FAMILIES else FAMILIES)
    if code and any(other.startswith(code) for other in known):
        return f"several codes begin with {code}; write each code in full"
    return f"the code {code!r} does not exist; {nearest_codes(code, known)}; {FORM}"


def _behind(root: Element, byte: int) -> Element | None:
    """Return the element that follows a comment within the same parent."""
    if byte < root.start:
        return root
    around = root
    while True:
        i = bisect_left(around.children, byte, key=lambda child: child.start)
        before, behind = around.children[i - 1 : i], around.children[i : i + 1]
        if not before or byte >= before[0].end:
            return behind[0] if behind else None
        around = before[0]


def _extent(document: Document, element: Element) -> tuple[Place, Place]:
    """Return the places of an element's first byte and of its end."""
    start, stop = (document.source(byte) for byte in (element.start, max(element.end, element.start + 1)))
    return (start.line or 0, start.column or 0), (stop.line or 0, stop.column or 0)
