"""Data sets of LeRobot, versions 2.0 to 3.0: joint values in Parquet, and their names in meta/info.json.

As github.com/huggingface/lerobot writes them: `features` of info.json has the names of `observation.state`, a list, or
a dictionary of one list; data/chunk-*/*.parquet has one episode a file (2), or several (3). Nothing has units.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.display import some
from kinetree.errors import Finding, KinetreeError, Source, fail
from kinetree.files.opener import read_file
from kinetree.model.robot import Robot
from kinetree.trajectories.motion import Columns

STATE, TIME, EPISODE = "observation.state", "timestamp", "episode_index"
PAUSE = 1.0
"""Time between two episodes, s."""
INSTALL = "pip install 'kinetree[lerobot]'"
UNITS = "meta/info.json has no units; LeRobot writes rad, deg, or -100 to 100, and 0 to 100 of a gripper"


def info_of(path: Path) -> Path | None:
    """Return the meta/info.json of a data set, by its folder or one of its Parquet files, or None for other files."""
    above = [path] if path.is_dir() else path.parents[2:3] if path.suffix == ".parquet" else []
    return next((info for folder in above if (info := folder / "meta/info.json").is_file()), None)


def read(path: Path, info: Path, robot: Robot, unit: str) -> Columns:
    """Return the joint values of all episodes of a data set, one after another, or of those in one of its files.

    Raises KinetreeError for states without names, for files that cannot be read, and for angles in rad that are more
    than a turn.
    """

    def fault(sample: int | None, message: str) -> KinetreeError:
        at = "" if sample is None else f"sample {sample}: "
        return KinetreeError(Finding("motion", "error", at + message, Source(str(path))))

    names = _names(info)
    values, t, episode = _rows(sorted((path / "data").glob("*/*.parquet")) if path.is_dir() else [path], len(names))
    if not len(t):
        raise fault(None, "the data set has no samples; expected data/*/*.parquet")
    steps, begins = np.diff(t), np.diff(episode) != 0
    notes = [f"angles are taken as {unit}; {UNITS}"]
    if count := int(begins.sum()):
        notes.append(f"{count + 1} episodes one after another, each {PAUSE:g} s after the one before")
    own = [i for i, name in enumerate(names) if name in robot.velocity_names]
    if others := [name for name in names if name not in robot.velocity_names]:
        notes.append(f"no joints of the robot that turn or slide, and left out: {some(others)}")
    if not own:
        raise fault(None, f"{notes[-1]}; expected some of {some(robot.velocity_names)}")
    for i in own if unit == "rad" else ():
        if robot.joints[names[i]].type == "revolute" and (most := np.abs(values[:, i]).max()) > 2 * np.pi:
            message = f"{names[i]!r} is up to {most:.4g}, which is no angle in rad; {UNITS}"
            raise fail("unit", message, fix="if these are degrees, pass unit='deg', --deg or --unit deg")
    times = np.r_[0.0, np.cumsum(np.where(begins, PAUSE, steps))]
    findings = tuple(Finding("motion", "warning", note, Source(str(path))) for note in notes)
    return Columns(tuple(names[i] for i in own), values[:, own], fault, times, findings)


def _names(info: Path) -> list[str]:
    """Return the names of joint values, without the ending .pos that LeRobot's drivers give them."""
    try:
        found: Any = json.loads(read_file(info))["features"][STATE]["names"]
        (found,) = found.values() if isinstance(found, dict) else (found,)
        return [name.removesuffix(".pos") for name in found]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        message = f"has no names of {STATE!r}; expected features: {STATE}: names, a list of joints"
        raise KinetreeError(Finding("motion", "error", message, Source(str(info)))) from None


def _rows(files: list[Path], k: int) -> tuple[Any, Any, Any]:
    """Return the states (n, k), times in their episodes, s, and numbers of the episodes of files."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise fail("extra", "data sets of LeRobot need the package `pyarrow`", fix=INSTALL) from None
    parts: list[tuple[Any, ...]] = [(np.zeros((0, k)), np.zeros(0), np.zeros(0))]
    for file in files:
        try:
            table = ParquetFile(file).read(columns=[STATE, TIME, EPISODE]).to_pydict()
            state, *others = (np.array(table[name], dtype=float) for name in (STATE, TIME, EPISODE))
            parts.append((state.reshape(len(others[0]), k), *(one.reshape(-1) for one in others)))
        except (ArrowException, OSError, KeyError, TypeError, ValueError) as error:
            message = f"cannot be read: {error}; expected columns {STATE} of {k} numbers, {TIME} and {EPISODE}"
            raise KinetreeError(Finding("motion", "error", message, Source(str(file)))) from None
    states, times, episodes = (np.concatenate(part) for part in zip(*parts, strict=True))
    return states, times, episodes
