"""Motions: values of coordinates of a robot over time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinetree.display import Brief, counted, number, shortened
from kinetree.errors import Finding, KinetreeError, fail, nearest_names, wrong_type
from kinetree.model.magnitudes import LARGEST, LEGAL
from kinetree.model.mimic import resolve_mimic
from kinetree.model.robot import Robot
from kinetree.queries.query import memoise
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array, frozen

TIMES = ("time", "t", "stamp")
"""Names of a column of times, if no coordinate of the robot is named so."""
UNIT = 1e-4
"""Largest difference from one of the length of a quaternion."""
GAP = 5.5
"""How many times longer than the median a step of time of a log is that is a gap."""
STILL = 1e-3
"""Range of a coordinate in a log, m or rad, below which it did not move."""
FOLLOWS = 1e-3
"""Largest difference of a follower's column from the value by its leader, rad or m."""


def gaps(times: Array, least: float = 0.0) -> Array:
    """Return the samples (k,) after which there are gaps in times (n,), s, of more than `least`."""
    steps = np.diff(times)
    return np.flatnonzero(steps > max(GAP * np.median(steps), least)) if len(steps) else np.zeros(0, int)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Motion(Brief):
    """Values of coordinates of a robot over time.

    names (k): coordinates, in the order of q. times (n,): s, increasing, or None if there are none.
    q (n, k): rad and m; quaternions have length 1. notes: warnings about what the file has besides.
    robot: whose coordinates these are, or None if unknown. qd, qdd (n, k): first and second derivatives of each
    coordinate with respect to time, where they are known; where qdd jumps, it is that after the sample.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")
        >>> motion = kt.motion.Motion(("q2",), [0.0, 1.0], [[0.0], [0.5]], robot=arm)
        >>> motion
        Motion of 'q2': 2 samples, 0 to 1 s
    """

    names: tuple[str, ...]
    times: Array | None
    q: Array
    notes: tuple[Finding, ...] = ()
    robot: Robot | None = None
    qd: Array | None = None
    qdd: Array | None = None

    def __post_init__(self) -> None:
        if isinstance(self.names, str):
            raise fail("motion", f"names is the text {self.names!r}; expected a name for each column")
        for name in ("times", "q", "qd", "qdd"):
            if (values := getattr(self, name)) is not None:
                object.__setattr__(self, name, frozen(numbers(values, "motion", f"{name} of a motion is")))
        shape = np.shape(self.q)
        for name, of in (("q", self.q), ("qd", self.qd), ("qdd", self.qdd)):
            if of is not None and (of.shape != shape or shape[1:] != (len(self.names),)):
                legal = f"expected (n, {len(self.names)}), a column for each of {', '.join(self.names)[:200]}"
                raise fail("motion", f"{name} of the motion has shape {of.shape}; {legal}")
        if len(twice := [name for name in self.names if self.names.count(name) > 1]):
            raise fail("motion", f"coordinate {twice[0]!r} occurs twice in names")
        if self.times is not None and self.times.shape != shape[:1]:
            raise fail("motion", f"times of the motion has shape {self.times.shape}; expected ({shape[0]},)")
        if self.times is not None and len(bad := np.flatnonzero(~np.isfinite(self.times))):
            raise fail("motion", f"the time of sample {bad[0]} is {self.times[bad[0]]}; expected finite numbers")
        if self.robot is not None:
            _check_robot(self.robot, self.names, self.q)

    def __repr__(self) -> str:
        what = repr(self.names[0]) if len(self.names) == 1 else counted(len(self.names), "coordinate")
        span = "" if self.times is None else f", {number(self.times[0])} to {number(self.times[-1])} s"
        return f"Motion of {shortened(what, 200)}: {counted(len(self.q), 'sample')}{span}"


def _check_robot(robot: Robot, names: tuple[str, ...], q: Array) -> None:
    """Raise KinetreeError for names that are no coordinates of the robot, and for quaternions that are not whole, or of
    another length than one."""
    if not isinstance(robot, Robot):
        raise wrong_type("robot", f"a motion is of a robot that `kinetree.load` gives, not {type(robot).__name__}")
    for name in names if names != robot.coordinate_names else ():
        if name not in robot.coordinate_names:
            raise fail("motion", f"{name!r} is no coordinate of q; {nearest_names(name, robot.coordinate_names)}")
    for joint, needed, places in _quaternions(robot, names):
        if len(places) < len(needed):
            raise fail("motion", f"the motion has some of {', '.join(needed)}; expected all of them or none")
        length = np.linalg.norm(q[:, places], axis=1)
        if len(bad := np.flatnonzero(np.abs(length - 1.0) > UNIT)):
            message = f"the quaternion of joint {joint!r} has length {length[bad[0]]:.6g} at sample {bad[0]}"
            raise fail("motion", f"{message}; expected 1")


def _quaternions(robot: Robot, names: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...], list[int]]]:
    """Yield the joints with quaternions of which some parts are among names, all their parts, and where these are."""
    for joint, needed in memoise(robot, "quaternions", lambda: list(_of_quaternions(robot))):
        if places := [names.index(name) for name in needed if name in names]:
            yield joint, needed, places


def _of_quaternions(robot: Robot) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the joints with quaternions, and the names of their parts."""
    for joint, where in robot.q_slices.items():
        if part := robot.joints[joint].kind.quaternion:
            yield joint, robot.coordinate_names[where][part]


class Columns(NamedTuple):
    """Numbers (n, c) under their names (c,), as they are written.

    fault: returns the error about a sample, from 0, or about the names if that is None. times (n,): s, if no column has
    them. notes: those of the motion. qd, qdd (n, c): derivatives, rad and m, of joints of one coordinate, if known.
    """

    names: tuple[str, ...]
    values: Array
    fault: Callable[[int | None, str], KinetreeError]
    times: Array | None = None
    notes: tuple[Finding, ...] = ()
    qd: Array | None = None
    qdd: Array | None = None


def motion_of(robot: Robot, columns: Columns, unit: str) -> Motion:
    """Return the motion of a robot that columns describe, with angles in `unit`, "rad" or "deg".

    Raises KinetreeError for unknown names, values that are not finite, times that do not increase, followers that do
    not follow, and quaternions that are not whole.
    """
    coordinates = robot.coordinate_names
    followers = {name: joint for name, joint in robot.joints.items() if joint.mimic and joint.kind.single}
    clock = [name for name in TIMES if name in columns.names and name not in (*coordinates, *followers)]
    _check_names(columns, clock, coordinates, list(followers), robot)
    _check_finite(columns)
    table = dict(zip(columns.names, columns.values.T, strict=True))
    turns = dict(zip(coordinates, angular(robot), strict=True))
    turns |= {name: joint.kind.angular[0] for name, joint in followers.items()}
    table = {name: np.deg2rad(x) if unit == "deg" and turns.get(name) else x for name, x in table.items()}
    for name in followers.keys() & table.keys():
        _check_follower(robot, columns, table, name)
    names = tuple(name for name in coordinates if name in table)
    if not names:
        raise columns.fault(None, "there are no names of joints that move")
    q = np.column_stack([table[name] for name in names])
    _normalise(robot, columns, names, q)
    times = table[clock[0]] if clock else columns.times
    if times is not None and (bad := np.flatnonzero(np.diff(times) <= 0)).size:
        before, after = times[bad[0]], times[bad[0] + 1]
        raise columns.fault(
            int(bad[0]) + 1, f"the time is {after:.12g} after {before:.12g}; expected times that increase"
        )
    places = [columns.names.index(name) for name in names]
    rates = [None if x is None else x[:, places] for x in (columns.qd, columns.qdd)]
    return Motion(names, times, q, columns.notes, robot, *rates)


def filled(robot: Robot, motion: Motion, q: Array) -> Array:
    """Return the configurations (n, nq) of a motion, with the coordinates that it does not have from q (nq,)."""
    whole = np.tile(np.asarray(q, dtype=float), (len(motion.q), 1))
    whole[:, [robot.coordinate_names.index(name) for name in motion.names]] = motion.q
    return whole


def turns_of(motion: Motion) -> list[bool]:
    """Return whether each column of a motion is an angle."""
    assert motion.robot is not None
    turns = dict(zip(motion.robot.coordinate_names, angular(motion.robot), strict=True))
    return [turns[name] for name in motion.names]


def angular(robot: Robot) -> list[bool]:
    """Return whether each coordinate of q is an angle."""
    return [angular for name in robot.joint_names for angular in robot.joints[name].kind.angular]


def _check_names(
    columns: Columns, clock: list[str], coordinates: tuple[str, ...], followers: list[str], robot: Robot
) -> None:
    known = [*TIMES, *coordinates, *followers]
    for name in columns.names:
        if columns.names.count(name) > 1:
            raise columns.fault(None, f"column {name!r} occurs twice")
        if name in robot.joints and name not in known:
            own = [one for one in coordinates if one.startswith(f"{name}.")]
            legal = f"expected its coordinates {', '.join(own)}" if own else "expected joints that move"
            raise columns.fault(None, f"column {name!r} is a {robot.joints[name].type} joint; {legal}")
        if name not in known:
            unknown = sum(one not in known for one in columns.names) - 1
            more = f"; {unknown} more columns are unknown" if unknown else ""
            raise columns.fault(None, f"column {name!r} is not a joint that moves; {nearest_names(name, known)}{more}")
    if len(clock) > 1:
        raise columns.fault(None, f"has {len(clock)} columns of times, {', '.join(clock)}; expected one")


def _check_finite(columns: Columns) -> None:
    bad = np.argwhere(~(np.abs(columns.values) <= LARGEST))
    if len(bad):
        sample, column = map(int, bad[0])
        message = f"column {columns.names[column]!r} is {columns.values[sample, column]}; {LEGAL}"
        raise columns.fault(sample, message)


def _check_follower(robot: Robot, columns: Columns, table: dict[str, Array], name: str) -> None:
    leader, multiplier, offset = resolve_mimic(robot, name)
    if leader not in table:
        raise columns.fault(
            None, f"column {name!r} follows {leader!r}, which has no column; expected one for {leader!r}"
        )
    off = np.abs(multiplier * table[leader] + offset - table[name])
    if off.max() > FOLLOWS:
        raise columns.fault(int(np.argmax(off)), f"{name!r} follows {leader!r}, and is {off.max():.3g} off")


def _normalise(robot: Robot, columns: Columns, names: tuple[str, ...], q: Array) -> None:
    """Scale the quaternions in q (n, k) to length 1."""
    for joint, needed, places in _quaternions(robot, names):
        if len(places) < len(needed):
            missing = ", ".join(name for name in needed if name not in names)
            raise columns.fault(None, f"the quaternion of joint {joint!r} is not whole; columns {missing} are missing")
        q[:, places] /= np.maximum(np.abs(q[:, places]).max(axis=1, keepdims=True), 1e-300)
        lengths = np.linalg.norm(q[:, places], axis=1)
        if not lengths.all():
            raise columns.fault(
                int(np.argmin(lengths)), f"the quaternion of joint {joint!r} is zero; expected another one"
            )
        q[:, places] /= lengths[:, None]
