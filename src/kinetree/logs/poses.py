"""Measured poses of frames: columns beside those of joints, or files of their own."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from kinetree.display import number, some
from kinetree.errors import Finding, Source, fail, nearest_names
from kinetree.logs import csv
from kinetree.logs.read import READERS, is_bag, read_motion
from kinetree.logs.ros.joints import JOINT_STATE, note
from kinetree.logs.ros.measured import SENSED, TRACKED, Motions, measured, tracked
from kinetree.logs.ros.motion import Recording, recording
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array, pose_from_xyz_rpy, poses_from, rotations_from_quaternions
from kinetree.trajectories.motion import GAP, STILL, TIMES, Columns, Motion, motion_of

POSITION = ("x", "y", "z")
QUATERNION = ("qx", "qy", "qz", "qw")
RPY = ("roll", "pitch", "yaw")
LEGAL = "x y z, alone or with qx qy qz qw or roll pitch yaw"
FIELDS = {"imu": ("angular_velocity", "linear_acceleration"), "wrenches": ("force", "torque")}
"""Fields of readings of sensors, as messages of ROS 2 name them."""
ROUNDED = 1e-2
"""Largest difference from one of the length of a quaternion, which is then scaled."""


class MeasuredPoses(NamedTuple):
    """Poses T (n, 4, 4), m, or positions (n, 3) alone, and their times (n,), s, or None if they have none."""

    T: Array
    times: Array | None


class Log(NamedTuple):
    """A motion, measured poses by frame, and torques (n, nv), N m or N, which are nan where there are none, or None.
    recording: the bag that has them. readings: of a table, (n, 6) or (n, 3) by "imu" and "wrenches" and then names."""

    motion: Motion
    poses: dict[str, MeasuredPoses]
    effort: Array | None
    recording: Recording | None = None
    readings: Mapping[str, Mapping[str, Array]] = MappingProxyType({})


def read_log(robot: Robot, file: Path, *, unit: Literal["rad", "deg"] = "rad", joints: str | None = None) -> Log:
    """Return the motion in a file, with poses by frame in columns beside it, such as tool0.x and tool0.qw, and torques
    of joints in columns such as elbow.effort, or the motion and efforts of the joint states of a bag.

    Positions are in m, angles in `unit`. joints: topic of a bag. Raises KinetreeError as `read_motion` does, and for
    poses with a part missing.
    """
    _check_topic(file, joints)
    if is_bag(file) and unit == "rad":
        return _of_bag(robot, recording(robot, file, joints, with_base=False, also=(*TRACKED, *SENSED)))
    if is_bag(file) or file.suffix.lower() not in READERS:
        return Log(read_motion(robot, file, unit=unit), {}, None)
    columns = csv.read(file, robot)
    known, frames = {*robot.coordinate_names, *robot.joints}, dict[str, list[str]]()
    for name in columns.names:
        frame, _, part = name.rpartition(".")
        if name not in known and frame in robot.frames and part in (*POSITION, *QUATERNION, *RPY):
            frames.setdefault(frame, []).append(part)
    readings, sensed = _readings(columns, {*known, *(f"{frame}.{x}" for frame in frames for x in frames[frame])})
    for name in columns.names:
        if columns.names.count(name) > 1:
            raise columns.fault(None, f"column {name!r} occurs twice; expected each once")
        if name not in known | sensed:
            _check_known(robot, name, columns)
    of_poses = {f"{frame}.{part}" for frame, parts in frames.items() for part in parts}
    own, others = csv.split(columns, csv.rates_of(robot) | of_poses | sensed)
    if any(name.endswith(".velocity") for name in others):
        message = "columns of velocities are left out: rates of joints follow from positions and times"
        own = own._replace(notes=(Finding("motion", "info", message, Source(str(file))),))
    motion, efforts = motion_of(robot, own, unit), _efforts(robot, len(own.values), others)
    poses = {frame: MeasuredPoses(_poses(columns, f"{frame}.", unit), motion.times) for frame in frames}
    return Log(motion, poses, efforts, readings=readings)


def _readings(columns: Columns, known: set[str]) -> tuple[dict[str, dict[str, Array]], set[str]]:
    """Return readings of sensors in columns such as tool0.linear_acceleration.x, and the names of these columns."""
    table = {name: x for name, x in zip(columns.names, columns.values.T, strict=True) if name not in known}
    found, taken = dict[str, dict[str, Array]](), set[str]()
    for kind, (first, second) in FIELDS.items():
        parts = [name.rsplit(".", 2) for name in table if name.count(".") > 1]
        for sensor in dict.fromkeys(s for s, field, x in parts if field in (first, second) and x in POSITION):
            has_first = kind == "wrenches" or any(f"{sensor}.{first}.{x}" in table for x in POSITION)
            names = [f"{sensor}.{field}.{x}" for field in (first, second)[not has_first :] for x in POSITION]
            if missing := [name for name in names if name not in table]:
                raise columns.fault(None, f"the readings of {sensor!r} are not whole: column {missing[0]!r} is missing")
            found.setdefault(kind, {})[sensor] = np.column_stack([table[name] for name in names])
            taken |= {*names}
    return found, taken


def bound(readings: Mapping[str, Mapping[str, Array]], asked: Mapping[str, str]) -> dict[str, dict[str, Array]]:
    """Return readings of a table by names of sensors. asked: what columns begin with, by name of their sensor; without,
    these are the names."""
    there = list(dict.fromkeys(name for values in readings.values() for name in values))
    if wrong := [name for name in asked.values() if name not in there]:
        raise fail(
            "sensor", f"no readings are in columns {wrong[0]!r}; legal for --sensor NAME=COLUMNS are {some(there)}"
        )
    pairs = [*asked.items()] or [(name, name) for name in there]
    found = {kind: {to: values[of] for to, of in pairs if of in values} for kind, values in readings.items()}
    return {kind: values for kind, values in found.items() if values}


def _check_topic(file: Path, joints: str | None) -> None:
    if joints and not is_bag(file):
        raise fail("topic", f"{file.name} has no topics; --joint-states is about bags")


def _efforts(robot: Robot, n: int, columns: Mapping[str, Array]) -> Array | None:
    """Return the efforts (n, nv) in columns such as elbow.effort, nan for joints without, or None for none."""
    found = [columns.get(f"{name}.effort", np.full(n, np.nan)) for name in robot.velocity_names]
    return None if np.isnan(found).all() else np.column_stack(found)


def _of_bag(robot: Robot, found: Recording) -> Log:
    """Return the joint values of a bag, between messages if these have some of the joints alone, and efforts."""
    motion = motion_of(robot, found.columns, "rad")
    if found.topic.type != JOINT_STATE:
        return Log(motion, {}, None, found)
    own = measured(robot, found.topic, "position", found.stamps).values
    efforts, given, notes = measured(robot, found.topic, "effort", found.stamps)
    q = [
        np.where(np.isfinite(x := own.get(n, held)), x, held) for n, held in zip(motion.names, motion.q.T, strict=True)
    ]
    motion = replace(motion, q=np.column_stack(q), notes=(*motion.notes, *notes))
    columns = {f"{name}.effort": np.where(given, values, np.nan) for name, values in efforts.items()}
    return Log(motion, {}, _efforts(robot, len(given), columns), found)


def table(
    robot: Robot, file: Path, unit: Literal["rad", "deg"], joints: str | None = None
) -> tuple[Motion, dict[str, Array]]:
    """Return the motion in a file, and of a bag velocities and efforts of joints by names of columns such as
    elbow.effort, as far as all samples have them. joints: topic of a bag."""
    _check_topic(file, joints)
    if not is_bag(file):
        return read_motion(robot, file, unit=unit), {}
    found = recording(robot, file, joints)
    motion, columns = motion_of(robot, found.columns, "rad"), dict[str, Array]()
    if motion.qd is not None:
        columns = {f"{name}.velocity": x for name, x in zip(motion.names, motion.qd.T, strict=True)}
    for rate in csv.RATES if found.topic.type == JOINT_STATE else ():
        values, _, notes = measured(robot, found.topic, rate, found.stamps)
        if partly := [name for name, x in values.items() if np.isnan(x).any()]:
            notes.append(note(found.topic, f"the {rate} is not known at all samples, and left out: {some(partly)}"))
        columns |= {f"{name}.{rate}": x for name, x in values.items() if name not in partly}
        motion = replace(motion, notes=(*motion.notes, *notes))
    return motion, columns


def poses_in_bag(robot: Robot, found: Recording, asked: str | None) -> tuple[MeasuredPoses, str, Finding | None]:
    """Return the poses of a topic or of a frame of /tf, as `tracked`, with times from the first joint values, the
    topic, and a note about the frame that is taken as the root link."""
    poses, is_point = tracked(robot, found.topics, asked)
    times = (poses.stamps - found.stamps[0]) / 1e9
    message = f"frame {poses.parent!r} of the poses is taken as the root link {robot.root!r}; if not, --unknown base"
    taken = None if poses.parent == robot.root else note(found.topics[poses.topic], message)
    return MeasuredPoses(poses.positions if is_point else poses.T, times), f"topic {poses.topic}", taken


def _check_known(robot: Robot, name: str, columns: Columns) -> None:
    """Raise KinetreeError for a column of poses or torques of a part that the robot lacks."""
    part, _, what = name.rpartition(".")
    of_pose, of_joint = what in (*POSITION, *QUATERNION, *RPY) and part, what == "effort"
    of, names = ("frame of the robot", [*robot.frames]) if of_pose else ("joint that moves", [*robot.velocity_names])
    if (of_pose or of_joint) and part not in names:
        raise columns.fault(None, f"column {name!r} is of no {of}; {nearest_names(part, names)}")


def read_poses(robot: Robot, file: Path, frame: str, *, unit: Literal["rad", "deg"] = "rad") -> MeasuredPoses:
    """Return the poses of a frame in a file of its own, in columns x y z, alone or with qx qy qz qw or roll pitch yaw,
    or with the frame before them as tool0.x; and times, in a column of the names that a motion has. Raises
    KinetreeError for other columns."""
    columns = csv.read(file, robot)
    names = tuple(name.removeprefix(f"{frame}.") for name in columns.names)
    columns = columns._replace(names=names)
    for name in names:
        if name not in (*POSITION, *QUATERNION, *RPY, *TIMES) or names.count(name) > 1:
            what = "occurs twice" if names.count(name) > 1 else "is not of a pose"
            raise columns.fault(None, f"column {name!r} {what}; expected {LEGAL}, and a column of times")
    clock = [name for name in TIMES if name in names]
    if len(clock) > 1:
        raise columns.fault(None, f"has {len(clock)} columns of times, {', '.join(clock)}; expected one")
    times = columns.values[:, names.index(clock[0])] if clock else None
    if times is not None and (bad := np.flatnonzero(np.diff(times) <= 0)).size:
        raise columns.fault(int(bad[0]) + 1, "the time is not after that before; expected times that increase")
    return MeasuredPoses(_poses(columns, "", unit), times)


def _poses(columns: Columns, before: str, unit: str) -> Array:
    """Return the poses (n, 4, 4), or positions (n, 3), of columns whose names begin so."""
    table = dict(zip(columns.names, columns.values.T, strict=True))
    given = [rotation for rotation in (QUATERNION, RPY) if {before + part for part in rotation} & table.keys()]
    needed = [before + part for part in (*POSITION, *(given[0] if given else ()))]
    if len(given) > 1 or (missing := [name for name in needed if name not in table]):
        what = f"there are {len(given)} kinds of rotations" if len(given) > 1 else f"column {missing[0]!r} is missing"
        raise columns.fault(None, f"the pose {before[:-1]!r} is not whole: {what}; expected {LEGAL}")
    values = np.column_stack([table[name] for name in needed])
    if not given:
        return values
    if given[0] is RPY:
        angles = np.deg2rad(values[:, 3:]) if unit == "deg" else values[:, 3:]
        return np.array([pose_from_xyz_rpy(p, rpy) for p, rpy in zip(values[:, :3], angles.tolist(), strict=True)])
    length = np.linalg.norm(values[:, 3:], axis=1)
    if len(bad := np.flatnonzero(~(np.abs(length - 1.0) <= ROUNDED))):
        raise columns.fault(int(bad[0]), f"the quaternion has length {number(length[bad[0]])}; expected 1")
    return poses_from(rotations_from_quaternions(values[:, 3:]), values[:, :3])


def at_poses(
    motion: Motion, q: Array, measured: MeasuredPoses, file: Collection[str]
) -> tuple[Array, Array, Array | None]:
    """Return configurations (k, nq) at poses, these poses (k, …) and their times, without those outside the motion, or
    in a gap of its times during which joints moved.

    q (n, nq): those of the motion, between which joints are taken to move in straight lines. Without times there must
    be as many poses as samples. file: names of the motion's and the poses' files, for errors. Raises KinetreeError if
    one of the files has times and the other none.
    """
    where, which = file
    if motion.times is None and measured.times is None:
        if len(q) != len(measured.T):
            message = f"has {len(measured.T)} poses, and {where} {len(q)} samples, without times"
            raise fail("poses", f"{message}; expected as many poses as samples, or times in both", element=which)
        return q, measured.T, None
    if motion.times is None or measured.times is None:
        message = f"has times, and {where} has none" if motion.times is None else f"has no times, and {where} has some"
        raise fail("poses", f"{message}; expected times ({', '.join(TIMES)}) in both or none", element=which)
    inside = (measured.times >= motion.times[0]) & (measured.times <= motion.times[-1])
    if not inside.any():
        spans = [f"{number(t[0])} to {number(t[-1])} s" for t in (measured.times, motion.times)]
        raise fail("poses", f"its times, {spans[0]}, are outside those of {where}, {spans[1]}", element=which)
    steps = np.append(np.diff(motion.times), 0.0)
    moved = np.abs(np.diff(q, axis=0, append=q[-1:])).max(axis=1) > STILL
    jumps = moved & (steps > GAP * np.median(steps))
    inside &= ~jumps[np.searchsorted(motion.times, measured.times, "right") - 1]
    times = measured.times[inside]
    return np.column_stack([np.interp(times, motion.times, x) for x in q.T]), measured.T[inside], times


def at_times(measured: MeasuredPoses, times: Array) -> tuple[Array, Array]:
    """Return poses (k, 4, 4), or positions (k, 3), at times (k,), between the two nearest, and whether these are no
    large gap apart."""
    T, t = measured
    assert t is not None
    own, since = Motions(np.round(t * 1e9).astype(np.int64), T if T.ndim == 2 else T[:, :3, 3]), times - t[0]
    positions, known = own.at(since), own.known(since)
    if T.ndim == 2:
        return positions, known
    turned = Slerp(t, Rotation.from_matrix(T[:, :3, :3]))(times.clip(t[0], t[-1]))
    return poses_from(turned.as_matrix(), positions), known
