"""Motions from files, by their endings, and from columns in memory."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.display import some
from kinetree.errors import Finding, KinetreeError, Source, fail, wrong_type
from kinetree.files.output import write_whole
from kinetree.labels import column_names
from kinetree.logs import csv, lerobot
from kinetree.logs.ros import motion as ros
from kinetree.logs.ros.folder import READERS as BAGS
from kinetree.logs.ros.mcap import mcap_of
from kinetree.logs.ros.trajectories import trajectory_topic
from kinetree.model.robot import Robot
from kinetree.trajectories.motion import Columns, Motion, motion_of

READERS: Mapping[str, Callable[[Path, Robot], Columns]] = {
    ".csv": csv.read,
    ".tsv": csv.read,
    ".txt": csv.read,
    **dict.fromkeys(BAGS, ros.read),
}
"""Reader of each ending; a folder is a bag of ROS 2."""
WRITERS = (".csv", ".mcap")
"""Endings of motions that are written."""


@explain_type_errors
def read_motion(robot: Robot, source: Any, *, unit: Literal["rad", "deg"] = "rad") -> Motion:
    """Return a motion of a robot.

    source: a file of joint values, CSV or a bag of ROS 2 (.mcap, .db3, or their folder) with joint states, else with
    one joint trajectory, or the folder or a Parquet file of a data set of LeRobot; or columns by name, such as a
    dictionary of arrays or a DataFrame; or a Motion; or an array (n, nq), in the order of q and without times. Columns
    are named by coordinates (joints of one coordinate by their own name, others as `base.x`) in any order, and by
    followers, which must agree with their leaders. A column `time`, `t` or `stamp` has times in s. Columns of a file
    such as `elbow.velocity` and `elbow.effort` are left out.
    unit: of the angles; lengths are in m. A Motion and a bag are always in rad; times of a bag begin at 0, and `notes`
    of the motion say what it has besides.

    Raises KinetreeError, with the line or byte of a file, for unknown names, values that are not finite, times that do
    not increase, and quaternions that are not whole.
    """
    if unit not in ("rad", "deg"):
        raise fail("unit", f"unit is {unit!r}; expected 'rad' or 'deg'")
    if isinstance(source, np.ndarray) and source.shape[1:] == (robot.nq,):
        source = dict(zip(robot.coordinate_names, source.T, strict=True))
    if isinstance(source, Motion):
        columns = _columns(dict(zip(source.names, source.q.T, strict=True)), source.names)
        kept = columns._replace(times=source.times, notes=source.notes, qd=source.qd, qdd=source.qdd)
        return motion_of(robot, kept, "rad")
    if (names := column_names(source)) is not None:
        return motion_of(robot, _columns(source, names), unit)
    if not isinstance(source, str | os.PathLike):
        raise wrong_type("motion", f"a motion is a {type(source).__name__}; expected a file and columns by name")
    file = Path(source)
    if info := lerobot.info_of(file):
        return motion_of(robot, lerobot.read(file, info, robot, unit), unit)
    read = ros.read if is_bag(file) else READERS.get(file.suffix.lower())
    if read is None:
        legal = f"expected the endings {', '.join(READERS)} and folders of bags"
        raise fail("format", f"cannot read a motion from {file.name!r}; {legal}")
    if read is ros.read and unit != "rad":
        raise fail("unit", f"unit is {unit!r}; the angles in a bag of ROS 2 are in rad")
    columns, others = csv.split(read(file, robot), csv.rates_of(robot))
    note = Finding("motion", "info", f"columns are left out: {some(others)}", Source(str(file)))
    return motion_of(robot, columns._replace(notes=(*columns.notes, *([note] if others else []))), unit)


def write_motion(motion: Motion, path: str | os.PathLike[str], *, unit: Literal["rad", "deg"] = "rad") -> None:
    """Write a motion as CSV, or as a joint trajectory of ROS 2 (.mcap); `read_motion` reads the same values.

    The file is replaced. A joint trajectory is one message on the topic of a JointTrajectoryController, with q, and
    with qd and qdd if the motion has them, in rad, m and s, from its first sample on. A CSV has q alone.
    unit: of the angles in a CSV; lengths are in m, times in s.

    Raises KinetreeError for other endings, for a motion without a robot, and, for .mcap, without times, with joints of
    several coordinates, and without the package `mcap`.
    """
    if unit not in ("rad", "deg"):
        raise fail("unit", f"unit is {unit!r}; expected 'rad' or 'deg'")
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        legal = " or ".join(WRITERS)
        raise fail("format", f"cannot write a motion to {Path(path).name!r}; expected the ending {legal}")
    if suffix != ".csv" and unit != "rad":
        raise fail("unit", f"unit is {unit!r}; the angles in a bag of ROS 2 are in rad")
    if not isinstance(motion, Motion):
        raise wrong_type(
            "motion", f"expected a Motion, as kt.motion.retime makes of a path; got {type(motion).__name__}"
        )
    if motion.robot is None:
        raise fail("motion", "the motion has no robot", fix="replace(motion, robot=robot)")
    write_whole(Path(path), mcap_of([trajectory_topic(motion)]) if suffix != ".csv" else csv.written(motion, unit))


def is_bag(file: Path) -> bool:
    """Return whether a file, by its ending, or a folder is a bag of ROS 2."""
    return (file.is_dir() and not lerobot.info_of(file)) or READERS.get(file.suffix.lower()) is ros.read


def _columns(source: Any, names: Iterable[Any]) -> Columns:
    try:
        named = {str(name): np.asarray(source[name]) for name in names}
    except (IndexError, KeyError, TypeError):
        raise fail("motion", f"a {type(source).__name__} does not give its columns by name") from None
    sizes = {values.shape for values in named.values()}
    if len(sizes) != 1 or len(shape := sizes.pop()) != 1 or not shape[0]:
        raise fail("motion", "the columns of a motion are not arrays (n,) of the same length, with n above 0")
    try:
        if any(values.dtype.kind == "c" for values in named.values()):
            raise TypeError
        values = np.column_stack(list(named.values())).astype(float)
    except (TypeError, ValueError):
        raise fail("motion", "a column of the motion has values that are not numbers") from None

    def fault_at(sample: int | None, message: str) -> KinetreeError:
        return fail("motion", message if sample is None else f"sample {sample}: {message}")

    return Columns(tuple(named), values, fault_at)
