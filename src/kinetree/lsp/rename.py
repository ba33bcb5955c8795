"""Definitions, references and new names of what a document names, over all files of its models."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kinetree.checker.files import is_part
from kinetree.errors import fail
from kinetree.files.opener import Files, snapshot
from kinetree.fixer.invariants import difference
from kinetree.lsp.answers import Change, Changes, Place
from kinetree.lsp.model import Model, read_model
from kinetree.lsp.names import Name, fits, name_at
from kinetree.lsp.text import Position, Span, encoded
from kinetree.model.robot import Frame, Joint, Link, Robot

RENAMED = frozenset(("frames", "joints", "macro", "property", "arg", "group", "body", "joint", "site", "geom", "link"))
"""Kinds of names that can be changed."""
CODE = frozenset(("macro", "property", "arg"))
"""Those that name no part of a robot."""
_LEGAL = re.compile(r"[^<>&\"'\s]+")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def named(model: Model, file: str, position: Position) -> Name | None:
    """Return the name at a position of a file."""
    text = model.text(file)
    return None if text is None else name_at(model.names(file), text.offset(position))


def occurrences(models: Sequence[Model], name: Name) -> Iterator[tuple[Model, str, Name]]:
    """Yield the places of a name in the files of models, each once."""
    seen: set[Path] = set()
    for model in models:
        for path in sorted(model.read - seen):
            found = [other for other in model.names(path) if other.matches(name)]
            yield from ((model, str(path), other) for other in found)
        seen |= model.read


def definition(models: Sequence[Model], file: str, position: Position) -> tuple[Place, ...]:
    """Return where the thing at a position is made: a part, a macro, a property, a package or another file."""
    name = named(models[0], file, position)
    if name is None:
        return ()
    if not name.kinds.isdisjoint(("file", "package")):
        return tuple(_on_disk(models, name, file))
    found = [_place(model, path, other) for model, path, other in occurrences(models, name) if other.defines]
    return tuple(found) or tuple(_made(models, name))


def references(models: Sequence[Model], file: str, position: Position, declared: bool) -> tuple[Place, ...]:
    """Return all places of the thing at a position. declared: also where it is made."""
    name = named(models[0], file, position)
    found = occurrences(models, name) if name else ()
    return tuple(_place(model, path, other) for model, path, other in found if declared or not other.defines)


def renamable(models: Sequence[Model], file: str, position: Position) -> Place:
    """Return the name at a position that can be changed. Raises KinetreeError if there is none."""
    name = named(models[0], file, position)
    if name is None or name.kinds.isdisjoint(RENAMED):
        raise fail(
            "rename", "there is no name here that can be changed; expected names of parts, macros and properties"
        )
    if not any(other.defines for _, _, other in occurrences(models, name)):
        raise fail("rename", f"no file that is read here makes {name.text!r}")
    return _place(models[0], file, name)


def rename(models: Sequence[Model], file: str, position: Position, new: str) -> Changes:
    """Return the changes that give the thing at a position another name, in all files of its models; none for the same
    name.

    Raises KinetreeError for an illegal name, one that exists, for a model with errors, and if a model would not be the
    same robot afterwards, with the same names otherwise.
    """
    renamable(models, file, position)
    name = named(models[0], file, position)
    assert name is not None
    code = not name.kinds.isdisjoint(CODE)
    if not (_IDENTIFIER if code else _LEGAL).fullmatch(new):
        legal = "letters, digits and _" if code else "a name without spaces, quotes and < > &"
        raise fail("rename", f"{new!r} is not a legal name; expected {legal}")
    if new == name.text:
        return {}
    taken = name._replace(text=new)
    if any(other.defines for _, _, other in occurrences(models, taken)):
        raise fail("rename", f"{new!r} exists already")
    places: dict[str, list[Name]] = {}
    for _, path, other in occurrences(models, name):
        places.setdefault(path, []).append(other)
    _check(models, places, name, new)
    return {
        path: tuple(Change(_span(models, path, other), new) for other in sorted(found, key=lambda n: n.start))
        for path, found in places.items()
    }


def _check(models: Sequence[Model], places: dict[str, list[Name]], name: Name, new: str) -> None:
    """Raise KinetreeError if a model is not the same robot with the new name, or if there is no robot to compare."""
    compared = False
    for model in models:
        if not (changed := [p for p in places if Path(p) in model.read]):
            continue
        if model.failed or model.robot is None:
            if not all(is_part(one.checked) for one in model.examined):
                raise fail("rename", f"{Path(model.file).name} has errors; correct them first")
            continue  # a part of other files
        files = _files(model, model.file)
        contents = dict(model.held)
        for path in changed:
            text = model.text(path)
            assert text is not None
            files.packages.find_around(Path(path), Path(model.file).parent)
            files.check(Path(path))
            content = text.content
            for other in sorted(places[path], key=lambda n: -n.start):
                content = content[: other.start] + new + content[other.stop :]
            contents[Path(path)] = encoded(content)
        after = read_model(model.jobs, contents, model.encoding)
        if after.failed or after.robot is None:
            errors = [f for one in after.examined for f in one.checked.findings if f.severity == "error"]
            raise fail("rename", f"{Path(model.file).name} could not be read with it: {errors[0].message}")
        if changed_by := _difference(model.robot, after.robot, name, new):
            raise fail("rename", f"{Path(model.file).name} would be another robot: {changed_by}")
        compared = True
    if not compared:
        raise fail("rename", "no robot is made of this file alone; open one that includes it, to see what changes")


def _difference(before: Robot, after: Robot, name: Name, new: str) -> str | None:
    """Return what has changed in a robot besides a name, or None."""
    pairs: dict[tuple[str, str], str] = {}
    kinds: tuple[tuple[str, Mapping[str, object], Mapping[str, object]], ...] = (
        ("link", before.frames, after.frames),
        ("joint", before.joints, after.joints),
    )
    for kind, old_names, new_names in kinds:
        if len(old_names) != len(new_names):
            return f"it would have {len(new_names)} {kind}s or frames instead of {len(old_names)}"
        pairs |= {(kind, a): b for a, b in zip(old_names, new_names, strict=True) if a != b}
    code = not name.kinds.isdisjoint(CODE)
    for (kind, a), b in pairs.items():
        if code or not _follows(a, b, name.text, new):
            return f"{kind} {a!r} would be {b!r}"
    return None if name.kinds == {"geom"} else difference(before, after, pairs)  # shapes are compared with their names


def _follows(before: str, after: str, old: str, new: str) -> bool:
    """Return whether a part's name changes with another: it is that name, or that name with an ending."""
    models, _, before = before.rpartition("::")
    others, _, after = after.rpartition("::")
    rest = before.removeprefix(old)
    derived = before.startswith(old) and after == new + rest and rest.startswith("_")
    return models == others and (derived or (fits(before, old) and fits(after, new)))


def _made(models: Sequence[Model], name: Name) -> Iterator[Place]:
    """Yield where parts are made whose names are worked out, by their names in the robot, and the other way about."""
    for model in models:
        robot = model.robot
        things: list[Link | Frame | Joint] = []
        if robot:
            things = [*robot.links.values(), *robot.frames.values(), *robot.joints.values()]
        for thing in things:
            kind = "joints" if isinstance(thing, Joint) else "frames"
            text = model.text(thing.source.file) if thing.source else None
            if kind in name.kinds and fits(thing.name, name.text) and text and thing.source and thing.source.line:
                start = text.place(thing.source.line, thing.source.column or 1)
                yield Place(thing.source.file, text.span(start, start + 1))


def _on_disk(models: Sequence[Model], name: Name, file: str) -> Iterator[Place]:
    """Yield the file that a reference means, or the package.xml of a package; none outside of what may be read."""
    files = _files(models[0], file)
    wanted = name.text if "file" in name.kinds else f"package://{name.text}/package.xml"
    with snapshot(models[0].held):
        found = files(wanted.replace("$(dirname)", str(Path(file).parent)), file) if "${" not in wanted else None
    if found:
        yield Place(found[1], ((0, 0), (0, 0)))


def _files(model: Model, file: str) -> Files:
    """Return the opener of a model, which reads none outside of what may be read."""
    robot, read = model.robot, model.jobs[0].options.read
    given = {key: Path(folder) for key, folder in (read.packages or {}).items()}
    confined = read.confined_to(file).confined
    return Files(
        {**(robot.places.packages if robot else {}), **given}, None if isinstance(confined, bool) else confined
    )


def _place(model: Model, file: str, name: Name) -> Place:
    return Place(file, _span([model], file, name))


def _span(models: Sequence[Model], file: str, name: Name) -> Span:
    text = next(text for model in models if (text := model.text(file)) is not None)
    return text.span(name.start, name.stop)
