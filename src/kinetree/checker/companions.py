"""SRDF files of a run, and the models that they belong to."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kinetree.checker.files import models_in
from kinetree.checker.settings import Settings
from kinetree.errors import KinetreeError
from kinetree.files.opener import joined, read_file
from kinetree.files.packages import Packages

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
    name = _robot_name(srdf, semantic=True)
    for models in (run, _of_package(srdf)):
        names = {model: known for model in models if (known := _robot_name(model)) is not None}
        for alike in (
            [model for model in names if _is_urdf_of(model, srdf)],  # a copied file often keeps the name of the robot
            [model for model in names if name and names[model] == name],
        ):
            if len(alike) == 1:
                return [_as_in(alike[0], run)]
    return []


def _is_urdf_of(model: str, srdf: str) -> bool:
    """Return whether a file is called as an SRDF, with the ending of URDF or xacro."""
    stem = os.path.basename(srdf).partition(".")[0]
    return os.path.basename(model) in [stem + ending for ending in (".urdf", ".urdf.xacro", ".xacro")]


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
