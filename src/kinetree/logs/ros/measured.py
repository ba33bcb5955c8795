"""What a bag measured besides positions of joints: their velocities and efforts, and poses of a tracker."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.display import counted, listed, some
from kinetree.errors import Finding, fail
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.base import POSES, TF_MESSAGE, TF_STATIC, Poses, at_times, moved, poses_of
from kinetree.logs.ros.cdr import decoded
from kinetree.logs.ros.joints import JOINT_STATE, note, stamps_of
from kinetree.model.magnitudes import LARGEST
from kinetree.model.robot import Robot
from kinetree.model.tree import build_tree
from kinetree.spatial import Array, se3

POINT = "geometry_msgs/PointStamped"
TRACKED = (*POSES, "geometry_msgs/TransformStamped", POINT)
"""Types of messages with poses of a tracker."""
SENSED = {"sensor_msgs/Imu": "imu", "geometry_msgs/WrenchStamped": "wrenches"}
"""Types of messages with readings of sensors, and the arguments of `kt.verify` that these are."""
MOVED = {"imu": "that a joint moves", "wrenches": "that carries a mass"}
"""Sensors of which readings show something."""
Stamps = NDArray[np.int64]


class Motions:
    """Configurations of a robot at any time. stamps (n,): ns; q (n, nq). base: coordinates of a floating joint, and its
    poses at times of their own. A gap between samples is too large if it is above `most`, three times the median and
    0.1 s."""

    def __init__(self, stamps: Stamps, q: Array, base: tuple[slice, Poses] | None = None) -> None:
        self.start, self.times, self.q, self.base = int(stamps[0]), (stamps - stamps[0]) / 1e9, q, base
        self.step = float(np.median(np.diff(self.times))) if len(stamps) > 1 else 0.0
        self.most = max(3 * self.step, 0.1)

    def known(self, times: Array) -> NDArray[np.bool_]:
        """Return whether each time (n,), in s from the first sample, is that of a sample, or in no large gap."""
        after = np.clip(np.searchsorted(self.times, times), 0, len(self.times) - 1)
        gap = self.times[after] - self.times[np.clip(after - 1, 0, None)]
        inside = (times >= self.times[0]) & (times <= self.times[-1])
        return np.asarray(inside & ((self.times[after] == times) | (gap <= self.most)))

    def at(self, times: Array) -> Array:
        """Return q (n, nq) at times (n,), linear between samples."""
        q = np.stack([self.column(i, times) for i in range(self.q.shape[1])], -1)
        if self.base:
            where, poses = self.base
            q[:, where], _ = at_times(poses, self.start + np.round(times * 1e9).astype(np.int64))
        return q

    def column(self, i: int, times: Array) -> Array:
        """Return one coordinate at times (n,)."""
        return np.interp(times, self.times, self.q[:, i])


class Measured(NamedTuple):
    """Numbers (n,) of a field of joint states by joint, nan where no message is near. given (n,): whether a message
    has some. notes: what is left out."""

    values: dict[str, Array]
    given: NDArray[np.bool_]
    notes: list[Finding]


def measured(robot: Robot, topic: Topic, field: str, stamps: Stamps) -> Measured:
    """Return a field of joint states, "position", "velocity" or "effort", at stamps (n,), ns, between messages.

    Joints whose efforts are all zero, as drivers without a sensor write them, are left out, and so are messages with
    other than one number for each name.
    """
    parts: dict[str, list[tuple[Stamps, Array]]] = {}
    clock, odd = np.zeros(len(topic.data), dtype=np.int64), 0
    for rows, message, data in decoded(JOINT_STATE, topic.data, topic.fault):
        clock[rows] = stamps_of(message["header"], data)
        names, numbers = message["name"], message[field]
        if numbers.size != len(names):
            odd += len(rows) if numbers.size else 0
            continue
        for i, name in enumerate(names):
            if name in robot.velocity_names:
                parts.setdefault(name, []).append((rows, numbers.of(data)[:, i]))
    clock = clock if clock.any() else np.array(topic.log_times, dtype=np.int64)
    found, given = dict[str, Array](), np.zeros(len(stamps), dtype=bool)
    none, between = list[str](), dict[str, int]()
    for name in (one for one in robot.velocity_names if one in parts):
        rows, values = (np.concatenate(x) for x in zip(*parts[name], strict=True))
        order = np.argsort(rows)[::-1]  # of equal stamps the last counts
        order = order[np.abs(values[order]) <= LARGEST]
        times, at = np.unique(clock[rows[order]], return_index=True)
        if field == "effort" and not values[order].any():
            none.append(name)
        elif len(order):
            own = Motions(times, values[order[at], None])
            since = (stamps - own.start) / 1e9
            found[name] = np.where(own.known(since), own.column(0, since), np.nan)
            given |= (own_times := np.isin(stamps, times))
            between[name] = int((~own_times & ~np.isnan(found[name])).sum())
    left = f"{odd:,} messages have other than one {field} for each name, and are left out"
    zero = f"efforts that are all zero or no numbers are taken as none: {some(none)}"
    notes = [*([note(topic, left)] if odd else []), *([note(topic, zero, "info")] if none else [])]
    if filled := [name for name, count in between.items() if count]:
        most = counted(max(between.values()), "sample")
        lines = f"the {field} of {most} is in a straight line between those of messages that have it: {some(filled)}"
        notes.append(note(topic, lines, "info"))
    return Measured(found, given, notes)


def tracked(robot: Robot, topics: Mapping[str, Topic], asked: str | None) -> tuple[Poses, bool]:
    """Return poses that a tracker measured, sorted by stamps, and whether they are positions alone. They are in the
    root link if the bag says so, or names a frame that is fixed to it.

    asked: a topic, or a frame of transforms that are not of the robot's own links; None is the only topic. Raises
    KinetreeError that lists the topics and frames otherwise, and for poses in a link that moves.
    """
    names, frames = _trackers(robot, topics)
    if asked is None and len(names) == 1:
        (asked,) = names
    pairs = [pair for pair in frames if pair[1] == (asked or "").lstrip("/")]
    name = next((one for one in (asked, f"/{asked}") if one in names), None)
    if name is None and not pairs:
        what = f"no topic or frame {asked!r} of measured poses" if asked else f"{len(names)} topics of measured poses"
        raise fail("poses", f"the bag has {what}; {legal_poses(robot, topics)}")
    topic = topics[name or frames[pairs[0]]]
    found = poses_of(topic, lambda *frames: bool(name) or frames in pairs)
    chosen = [poses for frames, poses in found.items() if name or frames in pairs]
    if len(chosen) != 1:
        several = listed(sorted(f"{one.child or 'a frame'} in {one.parent!r}" for one in chosen))
        raise fail("poses", f"topic {topic.name} has poses of {several}; expected those of one frame in one")
    (poses,) = chosen
    stamps, at = np.unique(poses.stamps, return_index=True)
    poses = Poses(topic.name, poses.parent, poses.child, stamps, *(x[at] for x in poses[4:]))
    places = build_tree(robot).frames
    body, T_root_parent = places.get(poses.parent, (-1, se3.IDENTITY))
    if body >= 0:
        raise fail("poses", f"topic {topic.name} has poses in {poses.parent!r}, which moves; expected the root link")
    if poses.parent in places:
        poses = moved(poses, T_root_parent, se3.IDENTITY)._replace(parent=robot.root)
    return poses, topic.type == POINT


def legal_poses(robot: Robot, topics: Mapping[str, Topic]) -> str:
    """Return what --pose may name in a bag, as a part of a message."""
    names, frames = _trackers(robot, topics)
    there = [*names, *(f"{child} (in {parent}, {topic})" for (parent, child), topic in frames.items())]
    return f"legal for --pose FRAME=NAME are {listed(there)}" if there else "it has no topics of poses"


def _trackers(robot: Robot, topics: Mapping[str, Topic]) -> tuple[list[str], dict[tuple[str, str], str]]:
    """Return the topics of poses, and the topics of transforms by parent and child, without those of links of the robot
    in one another, which robot_state_publisher computes."""
    places = build_tree(robot).frames
    names = [one.name for one in topics.values() if one.type in TRACKED and one.type != TF_MESSAGE and one.count]
    streams = [one for one in topics.values() if one.type == TF_MESSAGE and one.name != TF_STATIC]
    frames = {
        pair: one.name for one in streams for pair in poses_of(one, lambda *_: False) if not {*pair} <= places.keys()
    }
    return names, frames


class Sensed(NamedTuple):
    """Readings (n, 6), or (n, 3) of accelerations, by "imu" and "wrenches" and then names of sensors. known (n,):
    whether all are known. notes: about topics that are left out."""

    readings: dict[str, dict[str, Array]]
    known: NDArray[np.bool_]
    notes: list[Finding]


def sensed(robot: Robot, topics: Mapping[str, Topic], asked: Mapping[str, str], stamps: Stamps) -> Sensed:
    """Return readings of sensors at stamps (n,), ns, between messages.

    A topic is of the sensor of the robot that its frame_id names. asked: topics by name of their sensor; then others
    are not read. Raises KinetreeError that lists the topics for one that is not there, and for two of one sensor.
    """
    found, used = Sensed({}, np.ones(len(stamps), dtype=bool), []), dict[tuple[str, str], str]()
    there = [one for one in topics.values() if one.type in SENSED and one.count]
    for name in {*asked.values()} - {one.name for one in there}:
        legal = listed([one.name for one in there]) if there else "none, because the bag has no readings of sensors"
        raise fail("sensor", f"there is no topic {name!r} of a sensor; legal for --sensor NAME=TOPIC are {legal}")
    for topic in there:
        kind, names = SENSED[topic.type], [name for name, one in asked.items() if one == topic.name]
        if asked and not names:
            continue
        frames, readings = _readings(topic)
        if not asked and len(frames) > 1:
            raise fail("sensor", f"topic {topic.name} has frame_ids {listed(frames)}; expected one sensor in one topic")
        if not (names := names or _sensors_of(robot, kind, frames[0])):
            message = f"is left out: frame_id {frames[0]!r} is of no sensor {MOVED[kind]}"
            found.notes.append(note(topic, f"{message}; --sensor NAME={topic.name} says of which it is"))
            continue
        if (other := used.setdefault((kind, names[0]), topic.name)) != topic.name:
            message = f"topics {other} and {topic.name} are both of {names[0]!r}"
            raise fail("sensor", f"{message}; choose one with --sensor {names[0]}=TOPIC")
        values = readings.at(since := (stamps - readings.start) / 1e9)
        found.known[:] &= readings.known(since)
        found.readings.setdefault(kind, {})[names[0]] = values if np.isfinite(values).all() else values[:, 3:]
    return found


def _readings(topic: Topic) -> tuple[list[str], Motions]:
    """Return the frames of the messages of a sensor, and its readings; angular velocities are nan if it has none."""
    frames, values = dict[str, None](), np.zeros((len(topic.data), 6))
    stamps = np.zeros(len(topic.data), dtype=np.int64)
    for rows, message, data in decoded(topic.type, topic.data, topic.fault):
        frames[message["header"]["frame_id"].lstrip("/")] = None
        stamps[rows] = stamps_of(message["header"], data)
        own = message.get("wrench", message)
        for i, name in enumerate(
            ("force", "torque") if own is not message else ("angular_velocity", "linear_acceleration")
        ):
            values[rows, 3 * i : 3 * i + 3] = np.stack([own[name][x].of(data) for x in "xyz"], -1)
            if (known := own.get(f"{name}_covariance")) is not None:
                values[rows[known.of(data)[:, 0] == -1.0], 3 * i : 3 * i + 3] = np.nan  # by the definition of Imu
    stamps = stamps if stamps.any() else np.array(topic.log_times, dtype=np.int64)
    whole = np.isfinite(values[:, 3:]).all(axis=1) & (np.abs(np.nan_to_num(values)) <= LARGEST).all(axis=1)
    if not whole.any():
        raise fail("sensor", f"topic {topic.name} has no readings that are numbers")
    times, at = np.unique(stamps[whole], return_index=True)
    return [*frames], Motions(times, values[whole][at])


def _sensors_of(robot: Robot, kind: str, frame: str) -> list[str]:
    """Return the names of sensors, or of the fixed joint, of which readings have a frame_id, as far as a joint moves
    them, or they carry a mass."""
    sensors, places = robot.sensors.values(), build_tree(robot).frames
    if kind == "imu":
        own = [one for one in sensors if one.type == "imu" and frame in (one.name, one.frame)]
        names = [frame] if frame in robot.frames else [one.name for one in own]
        return names if all(places[one if one in places else own[0].frame][0] >= 0 for one in names) else []
    joints = [name for name, one in robot.joints.items() if frame in (name, one.child) and not one.kind.nq]
    own = [one for one in sensors if one.joint and (frame in (one.name, one.frame) or one.joint in (frame, *joints))]
    carried = {one.joint: one.name for one in own} or {name: name for name in joints}
    heavy = [name for name, one in robot.links.items() if one.inertial]
    weighed = {joint.name for name in heavy for joint in robot.joints_to(name)}
    return [name for joint, name in carried.items() if joint in weighed]
