"""Jobs of a check, from paths, settings and options of the command line; models to which SRDF files belong."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kinetree.checker.files import SRDFS, files_of, folders_of, is_srdf, models_in
from kinetree.checker.job import Job
from kinetree.checker.parameters import ENDINGS
from kinetree.checker.settings import Model, Settings, find_settings, read_settings
from kinetree.confine import Confinement, RealPaths, is_in, workspace_of
from kinetree.errors import KinetreeError, fail
from kinetree.files.opener import joined, read_file
from kinetree.files.packages import Packages
from kinetree.formats.registry import FORMATS, NO_EFFECT, Format, ReadOptions, format_by_ending, without_effect
from kinetree.robots.packaged import is_packaged
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import DEFAULT, check_codes

FLAGS = {"packages": "--package", "args": "--arg", "model": "--model", "expand": "--expand"}


def jobs_of(
    paths: Sequence[str],
    config: str | None,
    options: CheckOptions,
    baseline: str | None = None,
    choose: Callable[[Mapping[str, bool]], Sequence[str]] = list,
    srdf: bool = True,
) -> tuple[list[Job], Mapping[str, bool]]:
    """Return the jobs of a command, and all files of its paths with whether they were named.

    paths: files, folders and bare names of robots. Without any, the models of the settings, or all of the working
    folder if the settings have no [[models]]. config: the file of the settings, None for the nearest. choose: returns
    the files that the command works on, or raises. srdf: whether SRDF files are looked for too. For the rest see
    `jobs`.
    """
    settings = read_settings(config) if config else None
    if not paths:
        if (settings or find_settings()).models:
            return jobs(None, settings, options, baseline, srdf=srdf), {}
        paths = ["."]
    files = files_of(paths, srdf)
    found = {file for file, named in files.items() if not named}
    made = jobs(choose(files), settings, options, baseline, found, folders_of(paths), srdf)
    by_found = {job.file: False for job in made if job.options.read.srdf in found}
    return made, {**by_found, **files}


def jobs(
    paths: Sequence[str] | None,
    settings: Settings | None = None,
    options: CheckOptions = CheckOptions(),
    baseline: str | None = None,
    found: Collection[str] = (),
    within: Sequence[str] = (),
    srdf: bool = True,
) -> list[Job]:
    """Return the jobs of a run, in the order of the paths.

    paths: files, or bare names of robots of the package; None for the models of the settings. A path that is such a
    model gives a job for each of its rows, with their arguments.
    settings: those of all paths; by default each path's own, see `find_settings`.
    options, baseline: those of this run, which go before the settings. Options without effect on a file's format are
    dropped for it.
    found: paths that were found in a folder; the settings may exclude them.
    within: named folders, which belong to the workspace of every file.
    srdf: whether models are read with the SRDF files that belong to them, also those among the paths.

    Every job is confined to the workspace of its file; see `kinetree.confine`. Raises KinetreeError for faults in the
    settings, for an unknown profile, controller or code, and if there is nothing to check.
    """
    bounds = _Bounds(within, found, srdf)
    if paths is None:
        held = settings or find_settings()
        if not held.models:
            where = f"{held.file} has no [[models]]" if held.file else "there are no settings with [[models]]"
            raise fail("models", f"no file is named, and {where}; expected one of the two")
        here = os.path.join(os.getcwd(), "")
        named = [(os.path.normpath(model.file).removeprefix(here), model) for model in held.models]
        return [_job(file, held, model, options, baseline, bounds) for file, model in named]
    seen: dict[str, tuple[Settings, dict[str, list[Model | None]]]] = {}
    made: list[Job] = []
    paths, semantics = _with_models(paths, settings, options, found) if srdf else (paths, {})
    _check_meant([path for path in paths if not path.lower().endswith(ENDINGS)], options.read)
    parameters = [path for path in paths if path in found and path.lower().endswith(ENDINGS)]
    for path in paths:
        folder = "" if settings else os.path.dirname(os.path.abspath(path))
        if folder not in seen:
            held = settings or find_settings(path)
            seen[folder] = held, _rows(held)
        held, rows = seen[folder]
        if path in found and any(pattern.fits(path) for pattern in held.exclude):
            continue
        models = rows.get(os.path.realpath(path), [None])
        for model in models:
            job = replace(_job(path, held, model, options, baseline, bounds), nearby=_near(path, parameters))
            of_its_own = semantics.get(path, []) if job.options.read.srdf is None else []
            made += [_with_srdf(job, srdf, len(of_its_own) > 1) for srdf in of_its_own] or [job]
    return made


def _near(model: str, files: Iterable[str]) -> tuple[str, ...]:
    """Return the files in the package of a model, or in its folder if it is in none, and those in folders beside it."""
    above = Path(os.path.abspath(model)).parents
    folder = next((place for place in above if (place / "package.xml").is_file()), above[0])
    return tuple(file for file in files if is_in(os.path.abspath(file), [folder.parent]))


def _with_models(
    paths: Sequence[str], settings: Settings | None, options: CheckOptions, found: Collection[str]
) -> tuple[list[str], Mapping[str, list[str]]]:
    """Return the paths, in which SRDF files are replaced by the models that they belong to, and the SRDF files of each
    of these. An SRDF without a model stays."""
    models = [path for path in paths if not path.lower().endswith((*SRDFS, *ENDINGS))]
    semantics: dict[str, list[str]] = {}
    rest = []
    for srdf in filter(is_srdf, paths):
        held = settings or find_settings(srdf)
        if srdf in found and any(pattern.fits(srdf) for pattern in held.exclude):
            continue
        owners = models_of(srdf, models, held, options.read.packages)
        owners = [owner for owner in owners if owner in models or not any(one.fits(owner) for one in held.exclude)]
        rest += [srdf] if not owners else []
        for owner in owners:
            semantics.setdefault(owner, []).append(srdf)
    others = [path for path in paths if path.lower().endswith(ENDINGS)]
    return [*models, *(model for model in semantics if model not in models), *rest, *others], semantics


def _with_srdf(job: Job, srdf: str, several: bool) -> Job:
    """Return a job with an SRDF; its name tells it from others, if there are several."""
    options = replace(job.options, read=replace(job.options.read, srdf=srdf))
    name = ", ".join(filter(None, (job.name, os.path.basename(srdf) if several else "")))
    return replace(job, options=options, name=name)


def _rows(settings: Settings) -> dict[str, list[Model | None]]:
    rows: dict[str, list[Model | None]] = {}
    for model in settings.models:
        rows.setdefault(os.path.realpath(model.file), []).append(model)
    return rows


class _Bounds:
    """Confinements of the files of a run; the files of a folder share one. srdf: whether SRDF files may be read."""

    def __init__(self, within: Sequence[str], found: Collection[str], srdf: bool) -> None:
        self.within, self.found, self.srdf = within, frozenset(found), srdf
        self.real_of = RealPaths()
        self.known: dict[tuple[object, ...], Confinement] = {}

    def of(self, path: str, settings: Settings) -> Confinement:
        """Return the workspace of a file, with the named folders and those that the settings allow."""
        named = path not in self.found  # a link that was found may lead out of the workspace; a named one is meant
        places = os.path.dirname(os.path.abspath(path)), os.path.dirname(self.real_of(path)) if named else ""
        key = (*places, settings.folders, settings.environment)
        if key not in self.known:
            folders = (*self.within, *workspace_of(path, follow=named), *settings.folders)
            seen = {name: os.environ[name] for name in settings.environment if name in os.environ}
            self.known[key] = Confinement(folders, seen)
        return self.known[key]


def _job(
    path: str, settings: Settings, model: Model | None, given: CheckOptions, baseline: str | None, bounds: _Bounds
) -> Job:
    format = _format(path, given.read)
    read = format.meant(given.read) if format else given.read.with_defaults(NO_EFFECT.keys() - {"packages"})
    options = replace(given, read=read)
    for other in (*([model.options] if model else []), settings.options, CheckOptions(DEFAULT)):
        options = options.over(other)
    check_codes(options.profile, given.select, given.ignore)
    if bounds.srdf and options.read.srdf is None and (srdf := next(filter(is_srdf, options.also), None)):
        options = replace(options, read=replace(options.read, srdf=srdf))
    if given.controller:
        from kinetree.controllers import controllers  # takes longer than all else here

        options = replace(options, controller=controllers[given.controller].key)
    return Job(
        path,
        replace(options, read=replace(options.read, confined=bounds.of(path, settings))),
        model.name if model else "",
        settings.per_file,
        baseline or settings.baseline,
        model.source if model else None,
    )


def _check_meant(paths: Sequence[str], options: ReadOptions) -> None:
    """Raise KinetreeError for an option without effect on the format of any file."""
    rows = [_format(path, options) for path in paths]
    for name in without_effect(options, rows):
        legal = " and ".join(sorted(row.name for row in FORMATS.values() if name in row.options))
        raise fail("option", f"{FLAGS[name]} means something to {legal} alone, and none of these is of that format")


def _format(path: str, options: ReadOptions) -> Format | None:
    """Return the format of a file by its ending, without reading it."""
    if is_packaged(path, options.format):
        return FORMATS["dh"]
    return FORMATS[options.format] if options.format else format_by_ending(path)


ASSISTANT = ".setup_assistant"
"""File of MoveIt's setup assistant, which names the URDF and the SRDF of its package."""
LEVELS_UP = 4
MAX_ASSISTANT = 100_000
_NAME = rb"""<robot\b[^>]*?\sname\s*=\s*(?:"([^"]*)"|'([^']*)')"""
_SEMANTIC = rb"<(?:disable_collisions|group_state|end_effector|virtual_joint|group)\s"


def models_of(
    srdf: str, run: Sequence[str], settings: Settings, packages: Mapping[str, str | os.PathLike[str]] | None
) -> list[str]:
    """Return the model that an SRDF belongs to, none if that is not clear.

    It is the model of the settings that names it with `also`, else the one that MoveIt's setup assistant has noted in
    its package, else the only model of the run, else one of the run, or of its package: the only one whose file has the
    same name, or the only one whose robot has.
    """
    real = os.path.realpath(srdf)
    named = [model.file for model in settings.models if real in map(os.path.realpath, model.options.also)]
    if named:
        return [_as_in(named[0], run)]
    if noted := _noted(Path(srdf), {name: Path(folder) for name, folder in (packages or {}).items()}):
        return [_as_in(noted, run)]
    if len(run) == 1:
        return list(run)
    name, stem = _robot_name(srdf, semantic=True), os.path.basename(srdf).removesuffix(".xacro").removesuffix(".srdf")
    urdfs = [stem + ending for ending in (".urdf", ".urdf.xacro", ".xacro")]
    for models in (run, _of_package(srdf)):
        names = {model: known for model in models if (known := _robot_name(model)) is not None}
        for alike in (
            [one for one in names if os.path.basename(one) in urdfs],  # a copied file often keeps the robot's name
            [model for model in names if name and names[model] == name],
        ):
            if len(alike) == 1:
                return [_as_in(alike[0], run)]
    return []


def _as_in(file: str, run: Iterable[str]) -> str:
    """Return the name that a file has in the run, if it is in it."""
    real = os.path.realpath(file)
    return next((model for model in run if os.path.realpath(model) == real), file)


def _noted(srdf: Path, packages: Mapping[str, Path]) -> str | None:
    """Return the URDF that MoveIt's setup assistant has noted for an SRDF of its package, if it exists."""
    for folder in list(Path(os.path.abspath(srdf)).parents)[:LEVELS_UP]:
        data = _lowered(_yaml(folder / ASSISTANT)).get("moveit_setup_assistant_config", {})
        urdf, own = (_lowered(_lowered(data).get(key)) for key in ("urdf", "srdf"))
        if not urdf:
            continue
        try:
            noted, relative = str(own.get("relative_path")), str(urdf.get("relative_path"))
            if os.path.realpath(joined(folder, noted, noted)) != os.path.realpath(srdf):
                return None
            package = str(urdf.get("package") or "")
            found = Packages(packages).package(package, folder) if package else folder
            file = joined(found, relative, relative)
        except KinetreeError:
            return None
        return str(file) if file.is_file() else None
    return None


def _yaml(file: Path) -> Any:
    import yaml

    try:
        text = read_file(file) if file.is_file() else b""
        return yaml.safe_load(text) if len(text) <= MAX_ASSISTANT else None
    except (KinetreeError, yaml.YAMLError):
        return None


def _lowered(data: Any) -> dict[str, Any]:
    """Return a mapping with its keys in lower case, as MoveIt 2 writes them; {} for anything else."""
    return {str(key).lower(): value for key, value in data.items()} if isinstance(data, dict) else {}


def _of_package(srdf: str) -> Iterator[str]:
    """Yield the models of the package that contains a file."""
    from kinetree.xacro_text.package import package_of  # takes 3 ms and is rarely needed

    if package := package_of(srdf):
        yield from map(str, models_in(package.folder))


def _robot_name(file: str, semantic: bool = False) -> bytes | None:
    """Return the name of the robot in a file, b"" if it is not written there, or None for a file without a robot.

    semantic: whether the file may be an SRDF.
    """
    try:
        text = read_file(Path(file))
    except KinetreeError:
        return None
    match = re.search(_NAME, text)
    name = (match[1] or match[2] or b"") if match else b""
    return None if re.search(_SEMANTIC, text) and not semantic else b"" if b"$" in name else name
