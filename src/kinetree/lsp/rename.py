"""Definitions, references and new names of what a document names, over all files of its models."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kinetree.errors import fail
from kinetree.fixer.invariants import difference
from kinetree.formats.opener import Files, snapshot
from kinetree.lsp.answers import Change, Changes, Place
from kinetree.lsp.model import Model, read_model
from kinetree.lsp.names import Name, name_at
from kinetree.lsp.text import Position, Span, encoded
from kinetree.model.robot import Frame, Joint, Link

RENAMED = frozenset(("frames", "joints", "macro", "property", "arg", "group", "body", "joint", "site", "geom", "link"))
"""Kinds of names that can be changed."""
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
            "rename", "there is no name here that can be changed; legal are names of parts, macros and properties"
        )
    if not any(other.defines for _, _, other in occurrences(models, name)):
        raise fail("rename", f"no file that is read here makes {name.text!r}")
    return _place(models[0], file, name)


def rename(models: Sequence[Model], file: str, position: Position, new: str) -> Changes:
    """Return the changes that give the thing at a position another name, in all files of its models.

    Raises KinetreeError for an illegal name, one that exists, and if a model would not be the same robot afterwards.
    """
    renamable(models, file, position)
    name = named(models[0], file, position)
    assert name is not None
    code = not name.kinds.isdisjoint(("macro", "property", "arg"))
    if not (_IDENTIFIER if code else _LEGAL).fullmatch(new):
        legal = "letters, digits and _" if code else "a name without spaces, quotes and < > &"
        raise fail("rename", f"{new!r} is not a legal name; legal is {legal}")
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
    """Raise KinetreeError if a model is not the same robot with the new name."""
    for model in models:
        if model.failed or model.robot is None or not (changed := [p for p in places if Path(p) in model.read]):
            continue
        contents = dict(model.held)
        for path in changed:
            text = model.text(path)
            assert text is not None
            content = text.content
            for other in sorted(places[path], key=lambda n: -n.start):
                content = content[: other.start] + new + content[other.stop :]
            contents[Path(path)] = encoded(content)
        after = read_model(model.jobs, contents, model.encoding)
        if after.failed or after.robot is None:
            errors = [f for one in after.examined for f in one.checked.findings if f.severity == "error"]
            raise fail("rename", f"{Path(model.file).name} could not be read with it: {errors[0].message}")
        before = model.robot
        pairs = {
            **{("link", a): b for a, b in zip(before.frames, after.robot.frames, strict=False) if a != b},
            **{("joint", a): b for a, b in zip(before.joints, after.robot.joints, strict=False) if a != b},
        }
        unnamed = name.kinds == {"geom"}  # shapes are compared with their names
        if changed_by := None if unnamed else difference(before, after.robot, pairs):
            raise fail("rename", f"{Path(model.file).name} would be another robot: {changed_by}")


def _made(models: Sequence[Model], name: Name) -> Iterator[Place]:
    """Yield where parts are made whose names are worked out, by their names in the robot, and the other way about."""
    pattern = re.compile(".*".join(map(re.escape, re.split(r"\$\{[^{}]*\}|\$\([^()]*\)", name.text))))
    for model in models:
        robot = model.robot
        things: list[Link | Frame | Joint] = []
        if robot:
            things = [*robot.links.values(), *robot.frames.values(), *robot.joints.values()]
        for thing in things:
            kind = "joints" if isinstance(thing, Joint) else "frames"
            text = model.text(thing.source.file) if thing.source else None
            if kind in name.kinds and pattern.fullmatch(thing.name) and text and thing.source and thing.source.line:
                start = text.place(thing.source.line, thing.source.column or 1)
                yield Place(thing.source.file, text.span(start, start + 1))


def _on_disk(models: Sequence[Model], name: Name, file: str) -> Iterator[Place]:
    """Yield the file that a reference means, or the package.xml of a package; none outside of what may be read."""
    model = models[0]
    robot, read = model.robot, model.jobs[0].options.read
    given = {key: Path(folder) for key, folder in (read.packages or {}).items()}
    confined = read.confined_to(file).confined
    files = Files(
        {**(robot.places.packages if robot else {}), **given}, None if isinstance(confined, bool) else confined
    )
    wanted = name.text if "file" in name.kinds else f"package://{name.text}/package.xml"
    with snapshot(model.held):
        found = files(wanted.replace("$(dirname)", str(Path(file).parent)), file) if "${" not in wanted else None
    if found:
        yield Place(found[1], ((0, 0), (0, 0)))


def _place(model: Model, file: str, name: Name) -> Place:
    return Place(file, _span([model], file, name))


def _span(models: Sequence[Model], file: str, name: Name) -> Span:
    text = next(text for model in models if (text := model.text(file)) is not None)
    return text.span(name.start, name.stop)
