"""`kt.verify`: what is wrong with a model, by a log of the real robot."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from kinetree.arguments import as_names, explain_type_errors
from kinetree.display import MOST, Brief, shortened, visible
from kinetree.errors import fail
from kinetree.lab.identify.poses import SMALL, Poses, first_places
from kinetree.lab.identify.search import Cause, Found, fitted, hidden, search
from kinetree.model.limits import checked_q
from kinetree.model.robot import Robot
from kinetree.queries.motion import fk
from kinetree.queries.query import frames_of
from kinetree.spatial.numbers import poses as checked_poses
from kinetree.spatial.se3 import Array

STILL = 1e-3
"""Range of a joint in a log, m or rad, below which it did not move."""
CLEARER = 2.0
"""How many times smaller the loss must be for a joint to be reversed, exchanged or in degrees."""
UNEXPLAINED = np.array([0.01, 0.02])
"""Noise of a log, m and rad, above which nothing is explained."""
FEWEST = 10
"""Least number of poses."""
SETTING = ("base", "tool")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelFault(Brief):
    """One thing wrong with a model.

    kind: "zero", "length", "joint pose", "base pose", "tool pose", "sign", "order" or "unit". element: the joint or
    frame. value: what is to be added: to the position of a joint (rad, m), to its length (m), to its row in
    `kt.kinematics.origins` (6,); of a base or tool its pose (6,), as such a row; None for the other kinds. std: the
    standard deviation of the value. explains: the part of the error that it explains, 0 to 1. alike: other faults,
    (kind, element), that explain the log as well. unit: of the value, "" for those of six numbers and for none.
    """

    kind: str
    element: str
    value: float | Array | None = None
    std: float | Array | None = None
    explains: float = 1.0
    alike: tuple[tuple[str, str], ...] = ()
    unit: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Verification:
    """Result of `kt.verify`.

    explained: whether the faults explain the log; if not, there are none. faults: what is wrong, those that explain the
    most first. together: sets of (kind, element), of which a log like
    this one cannot tell which is wrong, because one has the effect of the others. still: joints that did not move.
    error, left (2,): root mean square of the error of the model in position, m, and rotation, rad, with the unknown
    poses at their best, and what is left with the faults corrected. noise (2,): of the log, the standard deviation of
    each axis. outliers: numbers of the samples that do not fit the others. base, tool (4, 4): T_world_root and
    T_frame_measured.
    """

    explained: bool
    faults: tuple[ModelFault, ...]
    together: tuple[tuple[tuple[str, str], ...], ...]
    still: tuple[str, ...]
    error: Array
    left: Array
    noise: Array
    outliers: tuple[int, ...]
    base: Array
    tool: Array

    def __repr__(self) -> str:
        agrees = "the model agrees" if self.explained else "not explained"
        faults = ", ".join(f"{fault.kind} of {fault.element}" for fault in self.faults)
        return visible(shortened(f"Verification: {faults or agrees}", MOST))

    def __str__(self) -> str:
        return "\n".join(visible(shortened(line, 5 * MOST)) for line in self._lines())

    def _lines(self) -> Iterator[str]:
        if not self.explained:
            yield f"The model does not agree: {_errors(self.error)} rms. No faults that are known here explain that."
            return
        yield f"{'The model does not agree' if self.faults else 'The model agrees'}: {_errors(self.error)} rms."
        for one in self.faults:
            yield f"- {_sentence(one)}"
        if self.faults:
            yield f"With that corrected {_errors(self.left)} rms is left."
        yield f"The noise of the log is {_errors(self.noise)} along each axis."
        for group in self.together:
            yield f"This log cannot tell apart: {' and '.join(_named(*one) for one in group)}."
        if self.still:
            yield f"Did not move, so that little is known about: {', '.join(self.still)}."
        if self.outliers:
            yield f"Samples that do not fit the others: {', '.join(map(str, self.outliers[:10]))}."


@explain_type_errors
def verify(robot: Robot, q: Any, *, poses: Mapping[str, Any], unknown: str | Iterable[str] = ()) -> Verification:
    """Return what is wrong with a model, by positions of its joints and measured poses of one of its frames.

    q (n, nq): positions of the joints that a log has, rad, m. poses: {frame: T (n, 4, 4)}, m, as a tracker measured
    them. unknown: "base" if the pose of the root in the tracker's frame is not known, "tool" if that of what was
    measured in the frame is not; by default poses are those of the frame in the root link.

    The fewest faults are searched that explain the poses: zeros of joints, lengths and poses of joints, the base and
    the tool, joints that count the other way, joints in each other's place, and degrees for radians. The noise is
    estimated from the log. Raises KinetreeError for fewer than ten samples, unknown frames, and arrays that do not fit.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tz(0.3) Ry(q2) tx(0.4) Ry(q3) tx(0.3) Rx(q4)")
        >>> q = np.random.default_rng(0).uniform(-1.5, 1.5, (40, 4))
        >>> T = kt.fk(arm, "tip")(q + [0, 0, 0.01, 0])  # the zero of q3 is 0.01 rad off
        >>> found = kt.verify(arm, q, poses={"tip": T})
        >>> [(fault.kind, fault.element, round(fault.value, 4)) for fault in found.faults]
        [('zero', 'q3', 0.01)]
        >>> print(kt.verify(arm, q, poses={"tip": kt.fk(arm, "tip")(q)}))
        The model agrees: 0 mm, 0 deg rms.
        The noise of the log is 0.0001 mm, 5.73e-06 deg along each axis.
    """
    free = as_names(unknown)
    for name in free:
        if name not in SETTING:
            raise fail("unknown", f"unknown is {name!r}; expected 'base', 'tool', or both")
    Q, frame, T = _checked(robot, q, poses)
    span = np.ptp(Q, axis=0)
    still = tuple(name for name, at in robot.q_slices.items() if (span[at] < STILL).all())
    channel, discrete = _discrete(Poses(robot, frame, Q, T, np.eye(4), np.eye(4), (1e-3, 1e-3), free))
    rows, everything = np.arange(len(Q)), tuple(range(channel.size))
    for _ in range(2):  # the second time with the weights of the first
        rich = fitted(channel, np.zeros(channel.size), everything, rows)
        channel = channel.with_noise(rich.x, rows, min(_rank(channel), 3 * len(Q)))
    explained = bool((channel.noise < UNEXPLAINED).all())
    found = search(channel if explained else replace(channel, noise=(1e9, 1e9)), np.zeros(channel.size), len(Q))
    plain = _plain(robot, frame, Q, T, free) if discrete else channel
    return _answer(plain, channel, discrete if explained else [], found, still)


def _checked(robot: Robot, q: Any, poses: Any) -> tuple[Array, str, Array]:
    """Return q, the name of the frame and its poses; raise KinetreeError if they do not fit."""
    if not isinstance(poses, Mapping) or len(poses) != 1:
        raise fail("poses", "poses is not a mapping of one frame; expected {frame: T (n, 4, 4)}")
    ((given, values),) = poses.items()
    (frame,) = frames_of(robot, (given,))
    if robot.nq != robot.nv or robot.loops:
        raise fail("joints", "the robot has ball or floating joints, or loops; expected joints of single coordinates")
    Q, T = checked_q(robot.limits, q, "q"), checked_poses(values)
    if Q.ndim != 2 or T.shape != (len(Q), 4, 4):
        message = f"q has shape {Q.shape} and poses {T.shape}; expected (n, {robot.nq}) and (n, 4, 4)"
        raise fail("argument-shape", message)
    if len(Q) < FEWEST:
        raise fail("poses", f"there are {len(Q)} poses; expected at least {FEWEST}")
    if not np.isfinite(Q).all():
        raise fail("argument-number", "q has numbers that are not finite; expected positions in rad and m")
    return Q, frame, T


def _plain(robot: Robot, frame: str, Q: Array, T: Array, free: Sequence[str]) -> Poses:
    X, Y = first_places(fk(robot, frame)(Q), T, free)
    return Poses(robot, frame, Q, T, X, Y, (1e-3, 1e-3), tuple(free))


def _discrete(given: Poses) -> tuple[Poses, list[ModelFault]]:
    """Return the channel with joints reversed, exchanged or in degrees where the poses show it, and these faults."""
    robot, faults, rows = given.robot, list[ModelFault](), np.arange(len(given.q))

    def tried(Q: Array) -> tuple[float, Poses]:
        channel = _plain(robot, given.frame, Q, given.T, given.free)
        free = (*channel.unknown, *(i for cause in channel.causes if cause.kind == "zero" for i in cause.places))
        x = fitted(channel, np.zeros(channel.size), free, rows, 12).x
        return float(np.log1p((channel.residual(x, rows) ** 2).sum(axis=-1)).sum()), channel  # outliers hardly count

    best, channel = tried(given.q)
    columns = [cause.places[0] for cause in given.causes if cause.kind == "zero"]
    while len(faults) < 2 and best > len(rows):  # more than a millimetre or milliradian
        trials = [(*tried(Q), fault) for Q, fault in _variants(robot, channel.q, columns)]
        if not trials:
            break
        value, there, fault = min(trials, key=lambda trial: trial[0])
        if value * CLEARER > best:
            break
        best, channel, faults = value, there, [*faults, fault]
    return channel, faults


def _variants(robot: Robot, q: Array, columns: Sequence[int]) -> Iterator[tuple[Array, ModelFault]]:
    names = robot.joint_names
    if np.abs(q).max() > 4 * np.pi:
        yield np.deg2rad(q), ModelFault("unit", "q")
    for i in columns:
        yield q * np.where(np.arange(q.shape[1]) == i, -1.0, 1.0), ModelFault("sign", names[i])
    for i, j in combinations(columns, 2):
        order = np.arange(q.shape[1])
        order[[i, j]] = j, i
        yield q[:, order], ModelFault("order", f"{names[i]}, {names[j]}")


def _rank(channel: Poses) -> int:
    J = channel.jacobian(np.zeros(channel.size), np.arange(len(channel.q)), range(channel.size)).reshape(
        -1, channel.size
    )
    return int(np.linalg.matrix_rank(J / (np.sqrt((J**2).sum(axis=0)) + 1e-300), tol=1e-7))


def _answer(
    plain: Poses, channel: Poses, discrete: list[ModelFault], found: Found, still: tuple[str, ...]
) -> Verification:
    rows, x = np.arange(len(channel.q)), found.fit.x
    faults = []
    for cause, alike, share in zip(found.causes, found.alike, found.shares, strict=True):
        value, std = x[list(cause.places)], found.std[list(cause.places)]
        one = len(cause.places) == 1
        names = tuple((other.kind, other.element) for other in alike)
        number, deviation = (float(value[0]), float(std[0])) if one else (value, std)
        turns = cause.kind == "zero" and channel.robot.joints[cause.element].kind.angular[0]
        unit = ("rad" if turns else "m") if one else ""
        faults.append(ModelFault(cause.kind, cause.element, number, deviation, share, names, unit))
    before = fitted(plain, np.zeros(plain.size), plain.unknown, rows)
    r = np.sqrt((channel.residual(x, rows) ** 2).sum(axis=-1))
    base, tool = channel.setting(x)
    together = [_set(channel, cause, places) for cause, places in hidden(channel, x, len(rows))]
    return Verification(
        bool((channel.noise < UNEXPLAINED).all()),
        (*discrete, *sorted(faults, key=lambda fault: -fault.explains)),
        tuple(together),
        still,
        _rms(plain, before.x),
        _rms(channel, x),
        np.array(channel.noise),
        tuple(np.flatnonzero((r > 6.0).any(axis=1)).tolist()),
        base,
        tool,
    )


def _set(channel: Poses, cause: Cause, places: Sequence[int]) -> tuple[tuple[str, str], ...]:
    base = [("base pose", channel.robot.root)] if set(places) & {*channel.of_base} else []
    tool = [("tool pose", channel.frame)] if set(places) & {*channel.of_tool} else []
    return ((cause.kind, cause.element), *base, *tool)


def _rms(channel: Poses, x: Array) -> Array:
    r = channel.residual(x, np.arange(len(channel.q))) * np.array(channel.noise)[:, None]
    return np.asarray(np.sqrt((r**2).sum(axis=-1).mean(axis=0)))


def _errors(values: Array) -> str:
    moved, turned = np.where(values < SMALL / 100, 0.0, values) * (1000.0, np.rad2deg(1.0))
    return f"{moved:.3g} mm, {turned:.3g} deg"


def _named(kind: str, element: str) -> str:
    return f"the {kind} of {element}"


def _sentence(fault: ModelFault) -> str:
    alike = f" So would {' or '.join(_named(*one) for one in fault.alike)}." if fault.alike else ""
    if fault.kind == "sign":
        return f"Joint {fault.element} counts the other way."
    if fault.kind == "order":
        return f"Joints {fault.element} are in each other's place in q."
    if fault.kind == "unit":
        return "q is in degrees."
    if isinstance(fault.value, float) and isinstance(fault.std, float):
        unit, factor = ("mm", 1000.0) if fault.unit == "m" else ("deg", np.rad2deg(1.0))
        size = f"{factor * fault.value:.4g} ± {factor * fault.std:.2g} {unit}"
        return f"The {fault.kind} of {fault.element} is off by {size}; this explains {fault.explains:.0%}.{alike}"
    moved, turned = (float(np.linalg.norm(part)) for part in np.split(np.asarray(fault.value), 2))
    size = f"{1000 * moved:.3g} mm and {np.rad2deg(turned):.3g} deg"
    return f"The {fault.kind} of {fault.element} is off by {size}; this explains {fault.explains:.0%}.{alike}"
