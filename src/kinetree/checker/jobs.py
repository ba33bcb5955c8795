"""Which files are checked, and how: paths, settings and what the command line says instead."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kinetree.checker.checked import Job
from kinetree.checker.settings import Model, Settings, find_settings
from kinetree.confine import Confinement, RealPaths, workspace_of
from kinetree.conventions.profiles import DEFAULT, check_codes
from kinetree.errors import fail
from kinetree.load import FORMATS

OF_SOME_FORMATS = {"xacro_args": ("xacro",), "model": ("sdf", "xacro")}
"""Arguments to the formats that they mean something to; of several files they are for those alone."""
FLAGS = {"xacro_args": "--arg", "model": "--model"}


@dataclass(frozen=True)
class Overrides:
    """What is said for one run and goes before the settings; None is not said. arguments: of `kinetree.load`; xacro
    arguments and packages go before those of the settings name by name."""

    profile: str | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    vendor: str | None = None
    baseline: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)


def jobs(
    paths: Sequence[str] | None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    found: Collection[str] = (),
    within: Sequence[str] = (),
) -> list[Job]:
    """The jobs of a run, in the order of the paths.

    paths: files, or bare names of robots that come with the package; None for the models of the settings. One that is
        such a model becomes a job for each of its rows, with the arguments that they give.
    settings: for all of them; by default each path's own, see `find_settings`.
    found: those paths that nobody has named, but a folder that they are in; of these the settings may exclude some.
    within: folders that were named, which belong to the workspace of all.

    Every job is confined to the workspace of its file; see `kinetree.confine`.

    Raises KinetreeError for faults in the settings, for a profile, a vendor or codes that do not exist, and where
    nothing is to be checked.
    """
    said = overrides or Overrides()
    bounds = _Bounds(within, found)
    if paths is None:
        held = settings or find_settings()
        if not held.models:
            where = f"{held.file} has no [[models]]" if held.file else "there are no settings with [[models]]"
            raise fail("models", f"no file is said, and {where}; legal is either")
        return [_job(_seen_from_here(model.file), held, model, said, bounds) for model in held.models]
    seen: dict[str, tuple[Settings, dict[str, list[Model | None]]]] = {}
    made: list[Job] = []
    _check_arguments(paths, said.arguments)
    for path in paths:
        folder = "" if settings else os.path.dirname(os.path.abspath(path))
        if folder not in seen:
            held = settings or find_settings(path)
            seen[folder] = held, _rows(held)
        held, rows = seen[folder]
        if path in found and any(pattern.fits(path) for pattern in held.exclude):
            continue
        made += [_job(path, held, model, said, bounds) for model in rows.get(os.path.realpath(path), [None])]
    return made


def _rows(settings: Settings) -> dict[str, list[Model | None]]:
    """The rows of each model, by its file."""
    rows: dict[str, list[Model | None]] = {}
    for model in settings.models:
        rows.setdefault(os.path.realpath(model.file), []).append(model)
    return rows


class _Bounds:
    """What the files of a run may read; those of a folder share it."""

    def __init__(self, within: Sequence[str], found: Collection[str]) -> None:
        self.within, self.found = within, frozenset(found)
        self.real_of = RealPaths()
        self.known: dict[tuple[object, ...], Confinement] = {}

    def of(self, path: str, settings: Settings) -> Confinement:
        """Return the workspace of a file with the folders that were named, and what the settings allow besides."""
        named = (
            path not in self.found
        )  # a link that was found may lead out of the workspace, one that is named is meant
        places = os.path.dirname(os.path.abspath(path)), os.path.dirname(self.real_of(path)) if named else ""
        key = (*places, settings.folders, settings.environment)
        if key not in self.known:
            folders = (*self.within, *workspace_of(path, follow=named), *settings.folders)
            seen = {name: os.environ[name] for name in settings.environment if name in os.environ}
            self.known[key] = Confinement(folders, seen)
        return self.known[key]


def _job(path: str, settings: Settings, model: Model | None, said: Overrides, bounds: _Bounds) -> Job:
    profile = said.profile or (model and model.profile) or settings.profile or DEFAULT
    check_codes(profile, said.select or (), said.ignore or ())
    arguments = _meant_for(path, said.arguments)
    for key, given in {"xacro_args": model.args, "packages": model.packages}.items() if model else ():
        if together := {**given, **arguments.get(key, {})}:
            arguments[key] = together
    if model and model.model and not said.arguments.get("model"):
        arguments["model"] = model.model
    return Job(
        path,
        profile,
        settings.select if said.select is None else said.select,
        settings.ignore if said.ignore is None else said.ignore,
        _vendor(said.vendor) if said.vendor else settings.vendor,
        arguments,
        model.name if model else "",
        settings.per_file,
        said.baseline or settings.baseline,
        bounds.of(path, settings),
    )


def _check_arguments(paths: Sequence[str], arguments: Mapping[str, Any]) -> None:
    """Refuse what means nothing to any of the files, which are then all of another format."""
    meant = [_meant_for(path, arguments) for path in paths]
    for option, formats in OF_SOME_FORMATS.items():
        if arguments.get(option) and not any(option in one for one in meant):
            legal = " and ".join(formats)
            raise fail(
                "option", f"{FLAGS[option]} means something to {legal} alone, and none of these is of that format"
            )


def _meant_for(path: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that mean something to the format of a file."""
    by_ending = (name for name, row in FORMATS.items() if path.lower().endswith(row.suffixes))
    format = arguments.get("format") or next(by_ending, None)
    return {key: value for key, value in arguments.items() if value and format in OF_SOME_FORMATS.get(key, (format,))}


def _vendor(said: str) -> str:
    """The key of a maker of controllers."""
    from kinetree.controllers import controllers  # takes longer than all else here

    return controllers[said].key


def _seen_from_here(file: str) -> str:
    """The path of a file as short as it gets: from the working folder, if it is below."""
    here = os.path.join(os.getcwd(), "")
    return os.path.normpath(file).removeprefix(here)
