"""Edits of what xacro made, as edits of the files that it was made of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from pathlib import Path

from kinetree.conventions.edit import Edit, attribute_spans
from kinetree.errors import KinetreeError, Source, fail
from kinetree.formats.opener import read_file
from kinetree.formats.xml import Element, Report, parse

Place = tuple[str, int | None, int | None]


def relocated(edits: Iterable[Edit], document: Element, contents: Mapping[Path, bytes]) -> list[Edit]:
    """The edits that make the same of the files from which the elements of an expanded text come.

    document: the root of that text. contents: what files hold that are not as on the disk, by resolved path.
    Only the value of an attribute that stands in the file as it does in the text is changed, and only if all elements
    that come from there want the same. Raises KinetreeError otherwise.
    """
    elements = list(document.walk())
    starts = [element.start for element in elements]
    made_of: dict[Place, list[Element]] = {}
    for element in elements:
        made_of.setdefault(_place(element.source), []).append(element)
    wanted: dict[tuple[Place, str], dict[int, Edit]] = {}
    for edit in edits:
        element = elements[bisect_right(starts, edit.start) - 1]
        spans = attribute_spans(element)
        name = next((name for name, (_, *value, _) in spans.items() if value == [edit.start, edit.stop]), None)
        if name is None or element.source.made is None:
            raise fail("fix", "adding and removing elements and attributes in xacro files is left to people")
        wanted.setdefault((_place(element.source), name), {})[element.start] = edit
    roots: dict[str, Element] = {}
    found = []
    for (place, name), of_place in wanted.items():
        texts = {edit.text for edit in of_place.values()}
        if len(of_place) < len(made_of[place]) or len(texts) > 1:
            raise _refused(place, f"not all {len(made_of[place])} elements that are made of it want the same change")
        element = elements[bisect_right(starts, next(iter(of_place))) - 1]
        root = roots.setdefault(place[0], _root(place[0], contents))
        found.append(_in_file(root, element, name, texts.pop(), place))
    return found


def _in_file(root: Element, made: Element, name: str, text: str, place: Place) -> Edit:
    """The edit of the attribute from which that of an expanded element comes."""
    byte = root.document.byte(Source(*place))
    element = next((element for element in root.walk() if element.start == byte), None)
    if element is None or element.tag != made.tag:
        raise _refused(place, "the element there is another")
    if name not in element.attributes or element.attributes[name] != made.attributes[name]:
        raise _refused(place, f"{name}={element.get(name)!r} is worked out there, not written")
    _, start, stop, _ = attribute_spans(element)[name]
    return Edit(root.document.file, start, stop, text)


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
