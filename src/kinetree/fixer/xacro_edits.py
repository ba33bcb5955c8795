"""Conversion of edits of an expanded text to edits of the xacro files from which it was made."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import pi
from pathlib import Path

from kinetree.errors import KinetreeError, Source, fail
from kinetree.model.references import REFERENCES
from kinetree.repairs.edit import (
    Edit,
    Insertion,
    New,
    Repair,
    Setting,
    insert_after,
    insert_inside,
    set_attribute,
    set_text,
)
from kinetree.repairs.fixes import angle_text
from kinetree.rules.xacro.prefixes import parts
from kinetree.syntax.xml.reader import Element, Report, parse

Place = tuple[str, int | None, int | None]
URDF = REFERENCES["urdf"]
CONSTANTS = {"pi", "radians"}
"""Names in expressions whose value is the same everywhere."""
WITH_PI = re.compile(rb"\$\{[^{}]*\b(?:pi|radians)\b")
FRACTIONS = {
    angle_text(sign * k * pi / 4): f"${{{'-' * (sign < 0)}{text}}}"
    for k, text in ((1, "pi/4"), (2, "pi/2"), (3, "3*pi/4"), (4, "pi"))
    for sign in (1, -1)
}
"""Expressions of angles by their numbers."""
BRANCHES = ("xacro:if", "xacro:unless", "xacro:macro")
"""Elements of xacro whose content may not be expanded."""
SOLE = re.compile(r"(?:\$\{\s*(\w+)\s*\}|\$\(arg\s+(\w+)\))\Z")
"""A value that ends with a parameter or an argument."""
UNSAFE = "; --unsafe repairs it there"
MOST_CALLS = 8
"""Largest depth of calls through which a parameter is followed."""


@dataclass(frozen=True, eq=False)
class Files:
    """The source files of an expanded text, and how they may be edited.

    contents: by resolved path. only: the one file that may be edited, None for all. renames: whether elements are
    renamed. links: expanded element of each link by name; for a new link the element that it follows. names: names of
    all files. roots: roots of the files that have been read.
    """

    contents: Mapping[Path, bytes]
    only: Path | None
    renames: bool
    links: Mapping[str, Element]
    names: Collection[str]
    roots: dict[str, Element] = field(default_factory=dict)


def in_source_files(
    repairs: Iterable[Repair],
    document: Element,
    contents: Mapping[Path, bytes],
    only: Path | None,
    names: Collection[str],
) -> tuple[list[Repair], dict[str, str]]:
    """Return the repairs as edits of the source files of an expanded text, and by element why others are impossible.

    document: root of the expanded text. contents, only, names: see `Files`.
    The value of an attribute is changed if the file has the same text, a name with a prefix, or a constant; a name that
    is the parameter of a macro is changed in the macro's calls. Elements are added after one whose name is written so.
    All elements that are made from the same place must need the same edit.
    """
    repairs, elements = list(repairs), list(document.walk())
    links = {element.attributes["name"]: element for element in document.find_all("link")}
    added = {edit for repair in repairs for edit in repair.edits if isinstance(edit, Insertion)}
    new = [(item, edit.near) for edit in added for item in edit.new if isinstance(item, New)]
    links |= {item.attributes["name"]: near for item, near in new if "name" in item.attributes}
    files = Files(contents, only, any(repair.renamed for repair in repairs), links, names)
    made = Counter(_place(element.source) for element in elements)
    in_files: dict[Edit, tuple[Edit, ...]] = {}
    kept: list[Repair] = []
    refused: dict[str, str] = {}
    for repair in repairs:
        try:
            in_files |= {edit: _in_file(edit, files) for edit in repair.edits if edit not in in_files}
            kept.append(repair)
        except KinetreeError as error:
            refused[repair.element] = error.findings[0].message
    while conflicts := _conflicts({edit: in_files[edit] for repair in kept for edit in repair.edits}, made):
        for repair in kept:
            if why := next(filter(None, (conflicts.get(_where(edit)) for edit in repair.edits)), None):
                refused[repair.element] = why
        kept = [repair for repair in kept if repair.element not in refused]  # which ends other conflicts
    unmade = _unmade(in_files, made, files) if files.renames else ()
    return [
        replace(repair, edits=(*(one for edit in repair.edits for one in in_files[edit]), *unmade)) for repair in kept
    ], refused


def _unmade(in_files: Mapping[Edit, tuple[Edit, ...]], made: Mapping[Place, int], files: Files) -> tuple[Edit, ...]:
    """Return the edits where xacro makes nothing with these arguments: where the text is that of a renamed place."""
    news: dict[tuple[str, str], set[str]] = {}
    for edit, (one, *_) in in_files.items():
        if isinstance(edit, Setting) and isinstance(one, Setting) and edit.name == one.name:
            written = _written(_source(edit.element, files)[-1], edit.name)
            kind = URDF.get((edit.element.tag, edit.name), "")
            news.setdefault((kind, written or ""), set()).add(one.value)
    found = []
    for file in files.names:
        for element in _root(file, files).walk():
            for name, value in element.attributes.items() if _place(element.source) not in made else ():
                new = news.get((URDF.get((element.tag, name), "-"), value), set())
                found += [set_attribute(element, name, *new)] if len(new) == 1 else []
    return tuple(found)


def _where(edit: Edit) -> tuple[Place, str] | None:
    """Return the attribute of a source file from which an edited value comes; with an empty name, the element."""
    if isinstance(edit, Setting):
        return _place(edit.element.source), edit.name
    return (_place(edit.near.source), "") if isinstance(edit, Insertion) else None


def _conflicts(
    changes: Mapping[Edit, tuple[Edit, ...]], made: Mapping[Place, int]
) -> dict[tuple[Place, str] | None, str]:
    """Return the places whose expanded elements need different edits, with the reason. made: number of elements made
    from each place of a file."""
    by_place: dict[tuple[Place, str], list[tuple[Edit, ...]]] = {}
    for edit, edits in changes.items():
        if where := _where(edit):
            by_place.setdefault(where, []).append(edits)
    why = "is not changed: not all {} elements that are made of it need the same change"
    return {
        (place, name): f"{Source(*place)} {why.format(made[place])}"
        for (place, name), edits in by_place.items()
        if not _at_calls(edits, place) and (len(edits) != made[place] or len(set(edits)) > 1)
    }


def _at_calls(edits: Sequence[tuple[Edit, ...]], place: Place) -> bool:
    """Return whether edits are made at the calls of the macro, and not at the place itself."""
    return all((where := _where(one)) is not None and where[0] != place for of_it in edits for one in of_it)


def _in_file(edit: Edit, files: Files) -> tuple[Edit, ...]:
    """Return the edits of source files that make a change. Raises KinetreeError if there are none."""
    if isinstance(edit, Setting) and edit.element.source.made is not None:
        found = _changed(edit, _source(edit.element, files), files)
    elif isinstance(edit, Insertion) and edit.near.source.made is not None and _is_new(edit):
        found = (_added(edit, _source(edit.near, files), files),)
    else:
        raise fail("fix", "a change of this kind is not made in xacro files; edit them by hand")
    for one in found:
        if files.only and Path(one.file).resolve() != files.only.resolve():
            raise fail("fix", f"it is written in {one.file}, which other models may include{UNSAFE}")
    return found


def _is_new(edit: Insertion) -> bool:
    return all(isinstance(item, New) for item in edit.new)


def _root(file: str, files: Files) -> Element:
    if file not in files.roots:
        files.roots[file] = root_of(files.contents[Path(file).resolve()], file)
    return files.roots[file]


def _source(expanded: Element, files: Files) -> list[Element]:
    """Return the elements of a file from its root to the source of an expanded element."""
    place = _place(expanded.source)
    found = path_to(_root(place[0], files), place)
    if found[-1].tag != expanded.tag or _place(found[-1].source) != place:
        raise _refused(place, "the element there is another")
    return found


def path_to(root: Element, place: Place) -> list[Element]:
    """Return the elements from the root of a file to that at a place."""
    path = [root]
    byte = root.document.byte(Source(*place))
    while path[-1].start < byte and (before := [child for child in path[-1].children if child.start <= byte]):
        path.append(before[-1])
    return path


def _branches(way: Sequence[Element]) -> set[Element]:
    return {element for element in way[:-1] if element.tag in BRANCHES}


def _check_made(change: Setting, files: Files) -> None:
    """Raise KinetreeError if the element may be expanded without the link that it is attached to."""
    old, new = (files.links[name] for name in (change.element.attributes["link"], change.value))
    own, others, needed = (_branches(_source(element, files)) for element in (change.element, old, new))
    if missing := sorted(needed - own - others, key=lambda branch: branch.start):
        branch = missing[0]
        why = f"{change.value!r} is made in the <{branch.tag}> at {branch.source} alone, and may not be there"
        raise _refused(_place(change.element.source), why)


def _written(element: Element, name: str) -> str | None:
    return element.get(name) if name else element.text.strip()


def _changed(change: Setting, path: list[Element], files: Files) -> tuple[Edit, ...]:
    """Return the edits that set an attribute, or a text, of an expanded element in its source at the end of `path`."""
    name, old, element = change.name, _written(change.element, change.name), path[-1]
    written, place = _written(element, name), _place(change.element.source)
    is_end = URDF.get((element.tag, name)) == "link" and name != "name" and not files.renames
    if old is None and written is None:
        return (set_attribute(element, name, change.value),)
    if written is None or old is None:
        raise _refused(place, f"there is no {name}")
    at_call = written != old and SOLE.search(written)
    if is_end and not at_call:
        _check_made(change, files)
    if written == old:
        value = _in_style(change.value, element, files) if (element.tag, name) == ("origin", "rpy") else change.value
        return (_set(element, name, value),)
    if element.tag == "origin" and _is_constant(written):
        return (set_attribute(element, name, _in_style(change.value, element, files)),)
    if is_end or files.renames:
        if not at_call and (text := _as_written(change.value, old, written)):
            return (_set(element, name, text),)
        if found := _passed(path, old, change.value, written, files, 0):
            return found
    raise _refused(
        place,
        f"{name or 'the text'}={written!r} is computed there, and no single value can be changed; edit it by hand",
    )


def _set(element: Element, name: str, value: str) -> Setting:
    return set_attribute(element, name, value) if name else set_text(element, value)


def _passed(path: list[Element], old: str, new: str, written: str, files: Files, depth: int) -> tuple[Edit, ...]:
    """Return the edits that change a value `${parameter}` where the parameter gets its value: in the calls of the
    macro, in its default, or in a property or an argument of this name; none if that is not found."""
    found: list[Edit] = []
    for element, attribute, value in _given(path, old, written, files):
        if attribute == "params":
            changed = re.sub(
                rf"(?<!\S)({re.escape(value)}:=){re.escape(old)}(?!\S)", rf"\g<1>{new}", element.attributes["params"]
            )
            found.append(set_attribute(element, attribute, changed))
        elif SOLE.search(value) and value != old:
            above = path_to(_root(element.source.file, files), _place(element.source))
            found += _passed(above, old, new, value, files, depth + 1) if depth < MOST_CALLS else ()
        elif text := _as_written(new, old, value):
            found.append(set_attribute(element, attribute, text))
    return tuple(dict.fromkeys(found))


def _given(path: Sequence[Element], old: str, written: str, files: Files) -> list[tuple[Element, str, str]]:
    """Return the elements and attributes that give a parameter a value that can make `old`, and the value. A default
    is the attribute "params" of the macro, with the name of the parameter."""
    match = SOLE.search(written)
    if match is None:
        return []
    name = match[1] or match[2]
    macro = next((one for one in reversed(path) if one.tag == "xacro:macro" and _parameter(one, name)), None)
    everything = [element for file in files.names for element in _root(file, files).walk()]
    if macro is None or match[2]:
        tag, key = ("xacro:arg", "default") if match[2] else ("xacro:property", "value")
        places = [(element, key) for element in everything if element.tag == tag and element.get("name") == name]
        defaults = []
    else:
        calls = [element for element in everything if element.tag == f"xacro:{macro.get('name')}"]
        places = [(call, name) for call in calls if name in call.attributes]
        is_default = len(places) < len(calls) and f"{name}:={old}" in macro.attributes.get("params", "").split()
        defaults = [(macro, "params", name)] if is_default else []
    values = [(element, key, element.attributes.get(key, "")) for element, key in places]
    whole = not match.start()  # then nothing stands before the parameter
    return defaults + [(e, key, value) for e, key, value in values if value == old or "$" in value or not whole]


def _parameter(macro: Element, name: str) -> bool:
    return any(re.split(":?=", one)[0] == name for one in macro.attributes.get("params", "").split())


def _added(change: Insertion, path: Sequence[Element], files: Files) -> Edit:
    """Return the edit that adds elements after the last of `path`, or inside it, with names written as its own."""
    element = path[-1]
    new = [item for item in change.new if isinstance(item, New)]
    if change.inside:
        return insert_inside(element, *new, first=True)
    old, written = (one.attributes["name"] for one in (change.near, element))
    calls = [(call, value) for call, key, value in _given(path, old, written, files) if key not in ("params", "value")]
    if written != old and len(calls) == 1 and not SOLE.search(calls[0][1]):
        element, written = calls[0]  # a macro of one link, which is called with its name
    macro = next((one for one in reversed(path[:-1]) if one.tag == "xacro:macro"), path[0])
    for other in parts(macro):
        if other is not element and other.tag == element.tag and other.get("name") == written:
            why = f"it is written at {other.source}, too, and one of the two is made"
            raise _refused(_place(change.near.source), why)

    def like(new: New) -> New:
        names = {key: value for key, value in new.attributes.items() if (new.tag, key) in URDF}
        known = {key: text for key, name in names.items() if (text := _as_written(name, old, written)) is not None}
        if len(known) < len(names):
            why = f"name={written!r} is computed there, so the names of new elements are unknown"
            raise _refused(_place(change.near.source), why)
        if new.tag == "origin":
            known["rpy"] = _in_style(new.attributes["rpy"], element, files)
        return New(new.tag, {**new.attributes, **known}, tuple(map(like, new.children)))

    return insert_after(element, *map(like, new))


def _in_style(numbers: str, element: Element, files: Files) -> str:
    """Return numbers with fractions of π as expressions, such as `${-pi/2}`, if the file has such and no own pi."""
    roots = [_root(file, files) for file in files.names]
    own = any(one.tag == "xacro:property" and one.get("name") == "pi" for root in roots for one in root.walk())
    if own or not WITH_PI.search(element.document.data):
        return numbers
    return " ".join(FRACTIONS.get(number, number) for number in numbers.split())


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
    """Return the root of a file. Raises KinetreeError if it cannot be read."""
    report = Report()
    root = parse(content, file, report)
    if root is None:
        raise KinetreeError(report.findings)
    return root


def _place(source: Source) -> Place:
    return source.file, source.line, source.column


def _refused(place: Place, why: str) -> KinetreeError:
    return fail("fix", f"{Source(*place)} is not changed: {why}")
