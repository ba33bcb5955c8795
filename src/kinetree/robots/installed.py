"""Models by name from packages of models that are installed: "example-robot-data:panda".

A package is a row of `PACKAGES`, and its models are files in its folders, so that no module is imported because a text
names it. Importing a module of robot_descriptions clones a git repository; its models are looked for in the folder of
its clones, by the table `descriptions.csv` of names and files, and only `fetch` imports a module.
"""

import csv
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout, suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from kinetree.errors import fail, nearest_names

XacroArguments = Mapping[str, object]


class Model(NamedTuple):
    """A model of a package: its file, which need not exist for robot_descriptions, and the arguments of that file."""

    file: Path
    args: XacroArguments = MappingProxyType({})


SHORT_NAMES = {
    "anymal_c": "anymal_c_simple_description/urdf/anymal.urdf",
    "anymal_kinova": "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "asr_twodof": "asr_twodof_description/urdf/TwoDofs.urdf",
    "b1_z1": "b1_description/urdf/b1-z1.urdf",
    "borinot": "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "hector": "hector_description/robots/quadrotor_base.urdf",
    "hextilt": "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "iris": "iris_description/robots/iris_simple.urdf",
    "solo8": "solo_description/robots/solo.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "talos_arm": "talos_data/robots/talos_left_arm.urdf",
    "talos_box": "talos_data/robots/talos_reduced_box.urdf",
    "talos_full": "talos_data/robots/talos_full_v2.urdf",
    "talos_full_box": "talos_data/robots/talos_full_v2_box.urdf",
    "ur3": "ur_description/urdf/ur3_robot.urdf",
    "ur3_limited": "ur_description/urdf/ur3_joint_limited_robot.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "ur5_limited": "ur_description/urdf/ur5_joint_limited_robot.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "ur10_limited": "ur_description/urdf/ur10_joint_limited_robot.urdf",
}
"""Names in the loader of example-robot-data (robots_loader.py of 2025-04-23) that are not the names of their files. Its
ur3 loads the UR5; here it is the UR3."""


def _example_robot_data() -> dict[str, Model]:
    """Return the models of example-robot-data: its loader's names, and the names of the other files."""
    share = "share/example-robot-data/robots"
    folders = [Path(sys.prefix, share), Path(sys.prefix, "Library", share)]  # of conda, on Windows in Library
    with suppress(PackageNotFoundError):  # a package of conda has no metadata of Python
        folders.insert(0, Path(str(distribution("example-robot-data").locate_file(f"cmeel.prefix/{share}"))))
    folder = next(filter(Path.is_dir, folders), folders[0])
    found = {name: file for name, path in SHORT_NAMES.items() if (file := folder / path).is_file()}
    named = set(found.values())
    for file in sorted([*folder.glob("*/*/*.urdf"), *folder.glob("*/*/*.sdf")]):
        if file not in named:
            found.setdefault(file.stem, file)
    return {name: Model(file) for name, file in sorted(found.items())}


def _icub_models() -> dict[str, Model]:
    """Return the models of icub-models, whose names are those of their folders."""
    try:
        folder = Path(import_module("icub_models").get_models_path())
    except Exception:  # not installed, or broken, which is no matter of other models
        return {}
    return {file.parent.name: Model(file) for file in sorted(folder.glob("*/model.urdf"))}


def _robot_descriptions() -> dict[str, Model]:
    """Return the models of robot_descriptions 2.0.0, whether or not they have been fetched."""
    cache = Path(os.path.expanduser(os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")))
    rows = csv.DictReader(files(__package__).joinpath("descriptions.csv").read_text("utf-8").splitlines())
    return {
        row["name"]: Model(cache / row["file"], dict(pair.split("=") for pair in row["arguments"].split()))
        for row in rows
    }


PACKAGES: dict[str, Callable[[], dict[str, Model]]] = {
    "example-robot-data": _example_robot_data,
    "icub-models": _icub_models,
    "robot_descriptions": _robot_descriptions,
}
"""Packages of models by the name under which pip installs them: functions that return their models by name, or none if
the package is not installed."""


def located(
    source: str | os.PathLike[str], format: str | None, args: XacroArguments | None
) -> tuple[str | os.PathLike[str], XacroArguments | None]:
    """Return a source and arguments of xacro, where the name of a model of a package, "package:name", has become its
    file with its arguments. Raises KinetreeError if there is no such model, or it has not been fetched."""
    package, colon, name = source.partition(":") if isinstance(source, str) and format is None else ("", "", "")
    if not colon or package not in PACKAGES:
        return source, args
    model = _model(package, name)
    if not is_there(model.file):
        fix = f"`kinetree models --fetch {source}` clones its repository"
        raise fail("file", f"model {source!r} has not been fetched: there is no file {model.file}", fix=fix)
    return model.file, {**model.args, **(args or {})} or args


def is_there(file: Path) -> bool:
    """Return whether a file of a model exists. Raises KinetreeError if that cannot be known."""
    try:
        return file.is_file()
    except OSError as error:  # a folder that may not be read, a name that is too long
        raise fail("file", f"cannot look for a model's file, {error.strerror}: {file}") from None


def named(name: str) -> list[str]:
    """Return models of all packages that are called so, or so with an ending, as "package:name"."""
    models = [(package, model) for package, models in PACKAGES.items() for model in models()]
    return [f"{package}:{model}" for package, model in models if model == name or model.startswith(f"{name}_")]


def fetch(source: str) -> Path:
    """Return the file of a model of robot_descriptions, "robot_descriptions:name", whose repository this package clones
    into its folder if the file is not there. Raises KinetreeError if that is not possible."""
    package, _, name = source.partition(":")
    if package != "robot_descriptions":
        raise fail("fetch", f"{source!r} cannot be fetched; expected robot_descriptions:NAME")
    file = _model(package, name).file
    if is_there(file):
        return file
    if not find_spec(package):
        raise fail("package", f"fetching {source!r} needs the package {package}", fix=f"pip install {package}")
    try:
        with redirect_stdout(sys.stderr):  # it prints what it clones
            import_module(f"{package}.{name}")
    except Exception as error:  # of git, of the network, of the disk
        raise fail("fetch", f"{source!r} cannot be fetched: {error or type(error).__name__}") from error
    if not is_there(file):
        raise fail("fetch", f"{source!r} was fetched, but there is no file {file}; expected robot_descriptions 2.0.0")
    return file


def _model(package: str, name: str) -> Model:
    """Return a model of a package. Raises KinetreeError if there is none of this name."""
    models = PACKAGES[package]()
    if not models:
        message = f"model {f'{package}:{name}'!r} needs the package {package}, which is not installed"
        raise fail("package", message, fix=f"pip install {package}")
    if name not in models:
        message = f"{package} has no model {name!r}; {nearest_names(name, list(models))}"
        raise fail("unknown-name", message, fix="`kinetree models --json` lists all")
    return models[name]
