"""Repairs of what xacro made, as repairs of the files that it was made of."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kinetree.conventions.edit import Edit, Mend, attribute_spans
from kinetree.errors import KinetreeError, Source, fail
from kinetree.formats.opener import read_file
from kinetree.formats.xml import Element, Report, parse

Place = tuple[str, int | None, int | None]


class Change(NamedTuple):
    """An attribute of an expanded element gets another text."""

    element: Element
    name: str
    text: str

    @property
    def where(self) -> tuple[Place, str]:
        """The attribute of a file from which it comes."""
        return _place(self.element.source), self.name


def relocated(
    mends: Iterable[Mend], document: Element, contents: Mapping[Path, bytes], only: Path | None
) -> tuple[list[Mend], dict[str, str]]:
    """The repairs with the edits that make the same of the files from which the elements of an expanded text come; and
    by element why others have none.

    document: the root of that text. contents: what files hold that are not as on the disk, by resolved path. only: the
    one file that may be edited, None for all.
    Only the value of an attribute that stands in the file as it does in the text is changed, and only if all elements
    that come from there want the same.
    """
    elements = list(document.walk())
    made = Counter(_place(element.source) for element in elements)
    kept = list(mends)
    changes = _changes({edit for mend in kept for edit in mend.edits}, elements)
    roots: dict[str, Element] = {}
    refused: dict[str, str] = {}
    while True:  # without those that are refused, not all may want the same any more
        wanted: dict[tuple[Place, str], dict[int, str]] = {}
        for change in {changes[edit] for mend in kept for edit in mend.edits if edit in changes}:
            wanted.setdefault(change.where, {})[change.element.start] = change.text
        found = []
        for mend in kept:
            try:
                for edit in mend.edits:
                    _check(changes.get(edit), wanted, made)
                edits = tuple(_in_file(changes[edit], roots, contents) for edit in mend.edits)
                _check_shared(edits, only)
                found.append(replace(mend, edits=edits))
            except KinetreeError as error:
                refused[mend.element] = error.findings[0].message
        if len(found) == len(kept):
            return found, refused
        kept = [mend for mend in kept if mend.element not in refused]


def _changes(edits: Iterable[Edit], elements: Sequence[Element]) -> dict[Edit, Change]:
    """What edits change, of those that change the value of an attribute."""
    starts = [element.start for element in elements]
    found = {}
    for edit in edits:
        element = elements[bisect_right(starts, edit.start) - 1]
        spans = attribute_spans(element)
        name = next((name for name, (_, *value, _) in spans.items() if value == [edit.start, edit.stop]), None)
        if name is not None and element.source.made is not None:
            found[edit] = Change(element, name, edit.text)
    return found


def _check(
    change: Change | None, wanted: Mapping[tuple[Place, str], Mapping[int, str]], made: Mapping[Place, int]
) -> None:
    """Raises KinetreeError for a change that is not to be made."""
    if change is None:
        raise fail("fix", "adding and removing elements and attributes in xacro files is left to people")
    place, _ = change.where
    if len(wanted[change.where]) < made[place] or len(set(wanted[change.where].values())) > 1:
        raise _refused(place, f"not all {made[place]} elements that are made of it want the same change")


def _check_shared(edits: Iterable[Edit], only: Path | None) -> None:
    """Refuse to mend what other models may include: only this one is looked at, and the others may want it as it is."""
    others = sorted({edit.file for edit in edits if only and Path(edit.file).resolve() != only.resolve()})
    if others:
        raise fail("fix", f"it stands in {others[0]}, which other models may include; --unsafe mends it there")


def _in_file(change: Change, roots: dict[str, Element], contents: Mapping[Path, bytes]) -> Edit:
    """The edit of the attribute of a file. roots: of files that have been read, by name."""
    place, name = change.where
    if place[0] not in roots:
        roots[place[0]] = _root(place[0], contents)
    root = roots[place[0]]
    byte = root.document.byte(Source(*place))
    element = next((element for element in root.walk() if element.start == byte), None)
    if element is None or element.tag != change.element.tag:
        raise _refused(place, "the element there is another")
    if name not in element.attributes or element.attributes[name] != change.element.attributes[name]:
        raise _refused(place, f"{name}={element.get(name)!r} is worked out there, not written")
    _, start, stop, _ = attribute_spans(element)[name]
    return Edit(root.document.file, start, stop, change.text)


def _root(file: str, contents: Mapping[Path, bytes]) -> Element:
    path = Path(file)
    report = Report()
    root = parse(contents.get(path.resolve()) or read_file(path), file, report)
    if root is None:
        raise KinetreeError(report.findings)
    return root


def _place(source: Source) -> Place:
    return source.file, source.line, source.column


def _refused(place: Place, why: str) -> KinetreeError:
    return fail("fix", f"{Source(*place)} is not mended: {why}")
