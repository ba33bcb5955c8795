"""Conversion of edits of an expanded text to edits of the xacro files from which it was made."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kinetree.conventions.edit import Edit, Insertion, Mend, New, insert_after, set_attribute
from kinetree.conventions.xacro import parts
from kinetree.errors import KinetreeError, Source, fail
from kinetree.formats.xml import Element, Report, attribute_spans, parse
from kinetree.model.references import REFERENCES

Place = tuple[str, int | None, int | None]
URDF = REFERENCES["urdf"]
CONSTANTS = {"pi", "radians"}
"""Names in expressions whose value is the same everywhere."""
BRANCHES = ("xacro:if", "xacro:unless", "xacro:macro")
"""Elements of xacro whose content may not be expanded."""


@dataclass(frozen=True, eq=False)
class Change:
    """A new text of an attribute of an expanded element; without a name, elements that are added after the element."""

    element: Element
    name: str
    text: str = ""
    new: tuple[New, ...] = ()

    @property
    def where(self) -> tuple[Place, str]:
        """The attribute of a file from which it comes."""
        return _place(self.element.source), self.name


@dataclass(frozen=True, eq=False)
class Files:
    """The source files of an expanded text, and how they may be edited.

    contents: by resolved path. only: the one file that may be edited, None for all. renames: whether elements are
    renamed. links: expanded element of each link by name; for a new link the element that it follows. roots: roots of
    the files that have been read.
    """

    contents: Mapping[Path, bytes]
    only: Path | None
    renames: bool
    links: Mapping[str, Element]
    roots: dict[str, Element] = field(default_factory=dict)


def in_source_files(
    mends: Iterable[Mend], document: Element, contents: Mapping[Path, bytes], only: Path | None
) -> tuple[list[Mend], dict[str, str]]:
    """Return the repairs as edits of the source files of an expanded text, and by element why others are impossible.

    document: root of the expanded text. contents, only: see `Files`.
    The value of an attribute is changed if the file has the same text, a name with a prefix, or a constant; elements
    are added after one whose name is written so. All elements that are made from the same place must need the same
    edit.
    """
    mends, elements = list(mends), list(document.walk())
    changes = _changes({edit for mend in mends for edit in mend.edits}, elements)
    links = {element.attributes["name"]: element for element in document.find_all("link")}
    links |= {new.attributes["name"]: change.element for change in changes.values() for new in change.new}
    files = Files(contents, only, any(mend.renamed for mend in mends), links)
    in_files: dict[Edit, Edit] = {}
    kept: list[Mend] = []
    refused: dict[str, str] = {}
    for mend in mends:
        try:
            in_files |= {edit: _in_file(changes.get(edit), files) for edit in mend.edits}
            kept.append(mend)
        except KinetreeError as error:
            refused[mend.element] = error.findings[0].message
    made = Counter(_place(element.source) for element in elements)
    while conflicts := _conflicts([(changes[edit], in_files[edit]) for mend in kept for edit in mend.edits], made):
        for mend in kept:
            if why := next(filter(None, (conflicts.get(changes[edit].where) for edit in mend.edits)), None):
                refused[mend.element] = why
        kept = [mend for mend in kept if mend.element not in refused]  # without these repairs, others may conflict
    return [replace(mend, edits=tuple(in_files[edit] for edit in mend.edits)) for mend in kept], refused


def _conflicts(changes: Iterable[tuple[Change, Edit]], made: Mapping[Place, int]) -> dict[tuple[Place, str], str]:
    """Return the places whose expanded elements need different edits, with the reason. made: number of elements made
    from each place of a file."""
    by_place: dict[tuple[Place, str], dict[int, Edit]] = {}
    for change, edit in changes:
        by_place.setdefault(change.where, {})[change.element.start] = edit
    why = "is not mended: not all {} elements that are made of it want the same change"
    return {
        (place, name): f"{Source(*place)} {why.format(made[place])}"
        for (place, name), edits in by_place.items()
        if len(edits) != made[place] or len(set(edits.values())) > 1
    }


def _changes(edits: Iterable[Edit], elements: Sequence[Element]) -> dict[Edit, Change]:
    """Return the changes of those edits that set an attribute's value or add whole elements after one."""
    starts = [element.start for element in elements]
    found: dict[Edit, Change] = {}
    for edit in edits:
        if isinstance(edit, Insertion):
            new = tuple(item for item in edit.new if isinstance(item, New))
            if len(new) == len(edit.new) and edit.near.source.made is not None:
                found[edit] = Change(edit.near, "", new=new)
            continue
        element = elements[bisect_right(starts, edit.start) - 1]
        spans = attribute_spans(element)
        name = next((name for name, (_, *value, _) in spans.items() if value == [edit.start, edit.stop]), None)
        if name is not None and element.source.made is not None:
            found[edit] = Change(element, name, edit.text)
    return found


def _in_file(change: Change | None, files: Files) -> Edit:
    """Return the edit of a source file that makes a change. Raises KinetreeError if there is none."""
    if change is None:
        raise fail("fix", "this kind of change in xacro files is left to people")
    way = _way(change.element, files)
    edit = _added(change, way) if change.new else _changed(change, way[-1], files)
    if files.only and Path(edit.file).resolve() != files.only.resolve():
        raise fail("fix", f"it stands in {edit.file}, which other models may include; --unsafe mends it there")
    return edit


def _way(expanded: Element, files: Files) -> list[Element]:
    """Return the elements of a file from its root to the source of an expanded element."""
    place = _place(expanded.source)
    if place[0] not in files.roots:
        files.roots[place[0]] = root_of(files.contents[Path(place[0]).resolve()], place[0])
    way = [files.roots[place[0]]]
    byte = way[0].document.byte(Source(*place))
    while way[-1].start < byte and (before := [child for child in way[-1].children if child.start <= byte]):
        way.append(before[-1])
    if way[-1].start != byte or way[-1].tag != expanded.tag:
        raise _refused(place, "the element there is another")
    return way


def _branches(way: Sequence[Element]) -> set[Element]:
    return {element for element in way[:-1] if element.tag in BRANCHES}


def _check_made(change: Change, files: Files) -> None:
    """Raise KinetreeError if the element may be expanded without the link that it is attached to."""
    old, new = (files.links[name] for name in (change.element.attributes["link"], change.text))
    own, others, needed = (_branches(_way(element, files)) for element in (change.element, old, new))
    if missing := sorted(needed - own - others, key=lambda branch: branch.start):
        branch = missing[0]
        why = f"{change.text!r} is made in the <{branch.tag}> at {branch.source} alone, and may not be there"
        raise _refused(change.where[0], why)


def _changed(change: Change, element: Element, files: Files) -> Edit:
    name, old = change.name, change.element.attributes[change.name]
    written = element.get(name)
    place, _ = change.where
    is_end = URDF.get((element.tag, name)) == "link" and name != "name" and not files.renames
    if is_end:
        _check_made(change, files)
    if written == old:
        _, start, stop, _ = attribute_spans(element)[name]
        return Edit(element.document.file, start, stop, change.text)
    if written is None:
        raise _refused(place, f"there is no {name}")
    if element.tag == "origin" and _is_constant(written):
        return set_attribute(element, name, change.text)
    if is_end and (text := _as_written(change.text, old, written)):
        return set_attribute(element, name, text)
    raise _refused(place, f"{name}={written!r} is worked out there, not written")


def _added(change: Change, way: Sequence[Element]) -> Edit:
    """Return the edit that adds elements after the last of `way`, with names written as its own."""
    element = way[-1]
    old, written = (one.attributes["name"] for one in (change.element, element))
    macro = next((one for one in reversed(way[:-1]) if one.tag == "xacro:macro"), way[0])
    for other in parts(macro):
        if other is not element and other.tag == element.tag and other.get("name") == written:
            raise _refused(change.where[0], f"it stands at {other.source} once more, of which one is made")

    def like(new: New) -> New:
        names = {key: value for key, value in new.attributes.items() if (new.tag, key) in URDF}
        said = {key: text for key, name in names.items() if (text := _as_written(name, old, written)) is not None}
        if len(said) < len(names):
            place, _ = change.where
            raise _refused(place, f"name={written!r} is worked out there, which does not tell how to write other names")
        return New(new.tag, {**new.attributes, **said}, tuple(map(like, new.children)))

    return insert_after(element, *map(like, change.new))


def _is_constant(written: str) -> bool:
    """Return whether expressions contain only numbers and π, and so are the same in every use of a macro."""
    inside = " ".join(re.findall(r"\$\{([^{}]*)\}", written))
    return "$(" not in written and set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", inside)) <= CONSTANTS


def _as_written(name: str, old: str, written: str) -> str | None:
    """Return a name as a file writes it if it writes `old` as `written`, with the same prefix; None if the prefix is
    unknown.

    >>> _as_written("left_flange", "left_link_6", "${prefix}link_6")
    '${prefix}flange'
    """
    if written == old:
        return name
    literal = re.split(r"[${}()]", written)[-1]
    prefix = old.removesuffix(literal)
    if not literal or not old.endswith(literal) or not name.startswith(prefix):
        return None
    return written.removesuffix(literal) + name.removeprefix(prefix)


def root_of(content: bytes, file: str) -> Element:
    """Return the root of an XML text. Raises KinetreeError if it is not well-formed."""
    report = Report()
    root = parse(content, file, report)
    if root is None:
        raise KinetreeError(report.findings)
    return root


def _place(source: Source) -> Place:
    return source.file, source.line, source.column


def _refused(place: Place, why: str) -> KinetreeError:
    return fail("fix", f"{Source(*place)} is not mended: {why}")
