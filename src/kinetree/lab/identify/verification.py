"""`kt.verify`: what is wrong with a model, by a log of the real robot."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from kinetree.arguments import as_names, explain_type_errors
from kinetree.display import number
from kinetree.errors import fail
from kinetree.lab.identify.answer import ModelFault, Verification, correlated, fault_of, joined
from kinetree.lab.identify.columns import LONGEST, Trajectory, after_gaps, check_rates, trajectory
from kinetree.lab.identify.imu import imus
from kinetree.lab.identify.poses import SMALL, Poses, joint_causes, way
from kinetree.lab.identify.readings import by_sensors
from kinetree.lab.identify.search import TRIED, Found, basis, effects, fitted, hidden, search, visible
from kinetree.lab.identify.setting import (
    SURE,
    State,
    Turn,
    after,
    efforts_turned,
    faults_of,
    least,
    turned,
    turns,
    unturned,
)
from kinetree.lab.identify.torques import REST, by_torques, rms
from kinetree.lab.identify.wrenches import wrenches_of
from kinetree.model.edit import lock, set_origins
from kinetree.model.limits import checked_q
from kinetree.model.robot import Robot
from kinetree.queries.motion import fk
from kinetree.queries.query import frames_of
from kinetree.spatial.numbers import numbers, poses as checked_poses
from kinetree.spatial.se3 import Array, poses_from
from kinetree.trajectories.motion import STILL

LOOKED_AT, SHORT, ENOUGH = 100, 9, 3.0
"""How many samples are looked at for joints that are reversed, exchanged or in degrees; steps of these fits; and how
many times more numbers than those of all poses a log must have for these to be fitted, too."""
FEW, MANY = ("zero", "delay"), ("zero", "delay", "joint pose", "base pose", "tool pose")
"""Kinds of faults that are fitted for each way of counting, and for those that then explain the most."""
ROUGH, TURNED = 3.0, 1.0
"""Loss of a sample, by millimetres and milliradians, from which on also two faults are tried at once, and up to which
joints that are turned by more than so many rad explain it as well."""
NOISE = 1e-3, 1e-3
"""Noise of a log, m and rad, that is assumed at first."""
UNEXPLAINED = 0.01, 0.02
"""Noise of a log, m and rad, above which nothing is explained."""
FEWEST, FEWEST_POINTS = 10, 15
"""Least number of poses, and of positions without rotations."""
MILLIMETRES = 50.0
"""How many times farther than the model's, and those of a point 0.2 m off, positions may spread that are in m."""
SETTING = ("base", "tool")


@explain_type_errors
def verify(
    robot: Robot,
    q: Any,
    *,
    poses: Mapping[str, Any] | None = None,
    imu: Mapping[str, Any] | None = None,
    wrenches: Mapping[str, Any] | None = None,
    effort: Any = None,
    t: Any = None,
    qd: Any = None,
    qdd: Any = None,
    unknown: str | Iterable[str] = (),
) -> Verification:
    """Return what is wrong with a model, by positions of its joints, and poses, readings of sensors or torques.

    q (n, nq): positions of the joints that a log has, rad, m. poses: {frame: T (n, 4, 4)}, m, as a tracker measured
    them, or positions (n, 3) of a point; of several frames all count. unknown: "base" if the pose of the root in the
    tracker's frame is not known, "tool" if that of what was measured in each frame is not; by default poses are those
    of the frames in the root link.
    imu: {frame: a (n, 3)}, accelerations, m/s², that inertial sensors of the robot read, 9.81 upwards at rest, or (n,
    6) as `kt.dynamics.imu_reading` has them, angular velocities, rad/s, first. wrenches: {sensor: w (n, 6)}, forces, N,
    then moments, N m, of force/torque sensors, as `kt.dynamics.sensor_reading` has them, or of joints, which the parent
    exerts on the child, in the axes of the child. effort (n, nv): torques of the joints, N m or N; a column of nan for
    a joint without. t (n,): times, s, by which qd and qdd (n, nv) are found where they are not given. At rest these are
    zeros.

    The fewest faults are searched that explain the poses: zeros of joints, lengths and poses of joints, the base and
    the tool, joints that count the other way, joints in each other's place, and degrees for radians; readings of
    inertial sensors: these of joints, the pose of a sensor, gravity, sign and unit; wrenches: mass, centre and inertia
    of the links beyond a sensor, its turn and sign, gravity and zeros; and torques: these, friction, armature, and
    scale, sign, order and unit of torques. What one shows is corrected before the next is compared, in this order. The
    noise is estimated from the log. Raises KinetreeError for fewer than ten samples, unknown frames, and arrays that do
    not fit.

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
        The noise of the log alone would leave 0.000173 mm, 9.92e-06 deg rms.
    """
    free = as_names(unknown)
    if wrong := [name for name in free if name not in SETTING]:
        raise fail("unknown", f"unknown is {wrong[0]!r}; expected 'base', 'tool', or both")
    if all(x is None for x in (poses, imu, wrenches, effort)):
        legal = "expected poses={frame: T (n, 4, 4)}, imu={frame: a (n, 3)}, wrenches={joint: w (n, 6)}, effort"
        raise fail("poses", f"there are neither poses nor effort nor readings of sensors; {legal}")
    Q, found, turn, zeros = _checked_q(robot, q), Verification(True), unturned(robot), robot.zero
    if (times := _checked_times(Q, t)) is not None:
        Q = _unwrapped(robot, Q)
    if poses is not None:
        found, robot, turn, zeros = _by_poses(_checked(robot, Q, poses, free, times))
    of_sensors = (("imu", imu, imus), ("wrenches", wrenches, wrenches_of))
    for name, given, sensors_of in (one for one in of_sensors if one[1] is not None):
        sensors = sensors_of(robot, given, len(Q))
        log = _trajectory(robot, name, Q, np.nan_to_num(sensors.y), times, (qd, qdd), turn, zeros)
        by, robot, then, more = by_sensors(sensors, log)
        found, turn = joined(found, _of_samples(by, times, log)), after(turn, then)
        zeros = zeros[list(then[0])] * then[1] + more
    if effort is None:
        return found
    log = _trajectory(robot, "effort", Q, _checked_effort(robot, Q, effort), times, (qd, qdd), turn, zeros)
    log, Q = log._replace(effort=efforts_turned(log.effort, turn)), turned(Q, turn)
    return joined(found, _of_samples(_by_torques(robot, log, Q), times, log))


def _by_poses(given: Poses) -> tuple[Verification, Robot, Turn, Array]:
    """Return what poses show, the robot with corrected poses of joints, how its joints count, and their zeros (nq,)."""
    robot, (channel, discrete, turn) = given.robot, _discrete(given)
    at, everything = np.arange(len(given.q)), tuple(range(channel.size))
    for _ in range(2):  # the second time with the weights of the first
        rich = fitted(channel, np.zeros(channel.size), everything, at)
        rank = basis(effects(channel, np.zeros(channel.size), at, everything)).shape[1]
        channel = channel.with_noise(rich.x, at, rank)
    explained = _is_explained(channel)
    blind = replace(channel, noise=(1e9,) * len(channel.noise))
    found = search(channel if explained else blind, np.zeros(channel.size), len(at))
    answer = _answer(given.placed() if discrete else channel, channel, discrete if explained else [], found)
    rows = channel.rows + found.fit.x[robot.nq : channel.first - 1].reshape(-1, 6)
    better = set_origins(robot, dict(zip(channel.joints, rows, strict=True)))
    return answer, better, turn, found.fit.x[: robot.nq]


def _by_torques(robot: Robot, log: Trajectory, Q: Array) -> Verification:
    """Return what torques show. Joints that neither move nor have torques are as if fixed, which is fast."""
    is_still, has_torques = np.ptp(Q, axis=0) < STILL, np.isfinite(log.effort).any(axis=0)
    mean, names, kept = log.q.mean(axis=0).tolist(), robot.velocity_names, has_torques | ~is_still
    locked = {name: value for name, value, keep in zip(names, mean, kept, strict=True) if not keep}
    q, qd, qdd, effort = (x[:, kept] for x in log[:4])
    some = log._replace(q=q, qd=qd, qdd=qdd, effort=effort)
    by = by_torques(lock(robot, locked), some)
    assert by.offsets is not None
    residuals = by.residuals["torques"]
    torques, whole = np.full((3, len(kept)), np.nan), np.full((*residuals.shape[:2], len(kept)), np.nan)
    torques[:, kept], whole[..., kept] = np.asarray(by.torques), residuals
    return replace(
        by,
        still=tuple(np.array(names)[is_still & has_torques]),
        torques=torques,
        offsets={**dict.fromkeys(names, np.nan), **by.offsets},
        residuals={**by.residuals, "torques": whole},
    )


def _of_samples(by: Verification, times: Array | None, log: Trajectory) -> Verification:
    """Return an answer with numbers of samples for their times, and gaps of these."""
    if times is None or log.dt is None:
        return replace(by, outliers=tuple(int(i) for i in by.outliers))
    at = np.searchsorted(times, by.outliers).clip(0, len(times) - 1)
    return replace(by, outliers=tuple(at.tolist()), gaps=tuple(after_gaps(times).tolist()))


def _checked_q(robot: Robot, q: Any) -> Array:
    """Return q (n, nq); raise KinetreeError if it does not fit."""
    if robot.nq != robot.nv or robot.loops:
        raise fail("joints", "the robot has ball or floating joints, or loops; expected joints of single coordinates")
    Q = checked_q(robot.limits, q, "q")
    if Q.ndim != 2:
        raise fail("argument-shape", f"q has shape {Q.shape}; expected (n, {robot.nq})")
    if len(Q) < FEWEST:
        raise fail("poses", f"there are {len(Q)} poses; expected at least {FEWEST}")
    if not np.isfinite(Q).all():
        raise fail("argument-number", "q has numbers that are not finite; expected positions in rad and m")
    return Q


def _unwrapped(robot: Robot, Q: Array) -> Array:
    """Return positions without the jumps of encoders that begin again after a turn."""
    Q, turning = Q.copy(), [robot.coordinate_names.index(name) for name in robot.limits.turning]
    for i in turning:
        if np.abs(Q[:, i]).max() <= 2 * np.pi + STILL:  # else it goes on, or is in degrees
            Q[:, i] = np.unwrap(Q[:, i])
    return Q


def _checked_times(Q: Array, t: Any) -> Array | None:
    if t is None:
        return None
    times = _of_shape("t", t, Q.shape[:1])
    if not (np.diff(times) > 0).all():
        raise fail("effort", "t does not increase; expected times in s")
    return times


def _of_shape(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    found = numbers(given, "argument-number", f"{name} is")
    if found.shape != shape or not np.isfinite(found).all():
        raise fail("argument-shape", f"{name} has shape {found.shape}; expected {shape}, finite numbers")
    return found


def _checked_effort(robot: Robot, Q: Array, effort: Any) -> Array:
    """Return the torques (n, nv) of a log; raise KinetreeError if they do not fit."""
    tau = numbers(effort, "argument-number", "effort is", robot.velocity_names)
    if tau.shape != Q.shape:
        raise fail("argument-shape", f"effort has shape {tau.shape}; expected {Q.shape}, a torque for each joint")
    if (bad := np.argwhere(np.isinf(tau) | (np.isnan(tau) & ~np.isnan(tau).all(axis=0)))).size:
        what = f"effort of {robot.velocity_names[bad[0, 1]]} is {tau[tuple(bad[0])]} at sample {bad[0, 0]}"
        raise fail("effort", f"{what}; expected finite numbers, or nan everywhere for a joint without torques")
    if not (np.isfinite(tau) & (tau != 0)).any():
        raise fail("effort", "effort has no torques; all are zero or nan")
    return tau


def _trajectory(
    robot: Robot, name: str, Q: Array, y: Array, t: Array | None, given: tuple[Any, Any], turn: Turn, zeros: Array
) -> Trajectory:
    """Return the log of torques or readings (n, d), whose joints count as those of the model, from its zeros (nq,);
    raise KinetreeError for rates and times that do not fit."""
    if t is not None and turn != unturned(robot):
        given = (None, None)  # of joints that may count otherwise than positions
    rates = [None if x is None else _of_shape(n, x, Q.shape) for n, x in zip(("qd", "qdd"), given, strict=True)]
    if t is None and any(x is None for x in rates):
        raise fail("effort", f"{name} is without t; expected times, or qd and qdd, which are zeros for a robot at rest")
    if t is not None:
        check_rates(robot, Q, t, rates[0], any(x is None for x in rates))
        t = None if np.median(np.diff(t)) > LONGEST else t  # the robot stood still in between
    log = trajectory(Q, y, t, *rates)
    q, qd, qdd = (turned(x, turn) for x in log[:3])
    return log._replace(q=q + zeros, qd=qd, qdd=qdd)


def _checked(robot: Robot, Q: Array, poses: Any, free: tuple[str, ...], t: Array | None) -> Poses:
    """Return the measured poses; raise KinetreeError if they do not fit."""
    if not isinstance(poses, Mapping) or not poses:
        raise fail("poses", "poses is not a mapping of frames; expected {frame: T (n, 4, 4)}")
    frames, parts, found = frames_of(robot, (*poses,)), list[int](), list[Array]()
    for i, (frame, values) in enumerate(zip(frames, poses.values(), strict=True)):
        of = f" of {frame}" if len(frames) > 1 else ""
        T = numbers(values, "argument-number", f"poses{of} has")
        if T.shape not in ((len(Q), 3), (len(Q), 4, 4)):
            legal = f"(n, {robot.nq}) and (n, 4, 4), or (n, 3) of positions"
            raise fail("argument-shape", f"q has shape {Q.shape} and poses{of} {T.shape}; expected {legal}")
        if (bad := np.flatnonzero(~np.isfinite(T).reshape(len(Q), -1).all(axis=1))).size:
            raise fail("argument-number", f"poses{of} has numbers that are not finite, at sample {bad[0]}; expected m")
        if T.ndim == 2 and len(Q) < FEWEST_POINTS:
            raise fail("poses", f"there are {len(Q)} positions without rotations; expected at least {FEWEST_POINTS}")
        found.append(checked_poses(T) if T.ndim == 3 else poses_from(np.eye(3), T))
        parts += [2 * i, 2 * i + 1][: T.ndim - 1]
        _check_moves(robot, frame, Q, found[-1])
    t = None if t is None or np.median(np.diff(t)) > LONGEST else t  # the robot stood still in between
    noise, tools = tuple(NOISE[part % 2] for part in parts), np.tile(np.eye(4), (len(frames), 1, 1))
    return Poses(robot, tuple(frames), Q, np.array(found), np.eye(4), tools, tuple(parts), noise, free, t)


def _check_moves(robot: Robot, frame: str, Q: Array, T: Array) -> None:
    """Raise KinetreeError for poses that tell nothing: no joint moves the frame, or it stood still, or not in m."""
    if not any(cause.kind == "zero" for cause in joint_causes(robot, way(robot, frame))):
        message = f"no joint moves {frame!r} against the root"
        raise fail("poses", f"{message}; expected poses of a frame below a joint that moves")
    if np.ptp(T, axis=0).max() < SMALL:
        raise fail("poses", f"all poses of {frame} are the same; expected those of a frame that moved")
    model, measured = (np.ptp(one[:, :3, 3], axis=0).max() for one in (fk(robot, frame)(Q), T))
    if measured > MILLIMETRES * (model + 0.2):
        far = f"the positions spread over {number(measured)}, those of the model over {number(model)} m"
        raise fail("poses", f"{far}; expected positions in m")


def _is_explained(channel: Poses) -> bool:
    return all(size < UNEXPLAINED[part % 2] for part, size in zip(channel.parts, channel.noise, strict=True))


class _Tried(NamedTuple):
    """A channel whose joints count in one way, numbers x of a fit, its mean loss, and what it turns far."""

    channel: Poses
    x: Array
    loss: float
    far: tuple[tuple[str, str], ...]


def _tried(channel: Poses, x: Array, kinds: Sequence[str]) -> _Tried:
    """Return how well faults of some kinds explain poses, from numbers x."""
    rows = np.arange(0, len(channel.q), -(-len(channel.q) // LOOKED_AT))
    causes = [cause for cause in channel.causes if cause.kind in kinds]
    places = {*channel.unknown, *(i for cause in causes for i in cause.places)}
    if channel.residual(x, rows).size > ENOUGH * len(places) or "joint pose" not in kinds:
        x = fitted(channel, x, sorted(places), rows, SHORT).x
    sizes = np.log1p((channel.residual(x, rows) ** 2).sum(axis=-1))  # outliers hardly count
    loss = float(sizes.sum(axis=-1).mean()) / len(channel.frames)
    far = [(one.kind, one.element) for one in causes if np.linalg.norm(x[list(one.places)][-3:]) > TURNED]
    return _Tried(channel, x, loss, tuple(far))


def _discrete(given: Poses) -> tuple[Poses, list[ModelFault], Turn]:
    """Return the channel with joints reversed, exchanged or in degrees where the poses show it, and these faults.

    A joint that counts the other way is more likely than one that is turned by more than a radian, which is named as
    alike: with the base upside down it may explain poses as well.
    """
    robot, few, tried = given.robot, dict[Turn, _Tried](), dict[Turn, _Tried]()
    columns = [cause.places[0] for cause in given.causes if cause.kind == "zero"]

    def state(turn: Turn) -> State:
        one, faults = tried[turn], faults_of(turn, robot.joint_names)
        left = np.log([max(one.loss, 1.0)])  # of a millimetre or milliradian
        return State(turn, faults, left, float(left[0]) + SURE * (len(faults) + 2 * bool(one.far)))

    def states(some: Sequence[Turn]) -> list[State]:
        new = [turn for turn in some if turn not in tried]
        for turn in new:
            channel = replace(given, q=turned(given.q, turn)).placed()
            few[turn] = tried[turn] = _tried(channel, np.zeros(channel.size), FEW)
        for turn in sorted(new, key=lambda turn: few[turn].loss)[:TRIED]:
            tried[turn] = _tried(*few[turn][:2], MANY)
        return [state(turn) for turn in some]

    def others(now: State) -> list[State]:
        return states([*turns(robot, given.q, now.setting, columns)] if now.score > SURE * len(now.faults) else [])

    def elements(faults: list[ModelFault]) -> tuple[tuple[str, str], ...]:
        return tuple((fault.kind, fault.element) for fault in faults)

    best = least(states([unturned(robot)])[0], others, ROUGH, robot.nq)
    far = {elements(faults_of(turn, robot.joint_names)): one.far for turn, one in few.items() if one.loss < ROUGH}
    alike = [far.get(elements([one for one in best.faults if one is not fault]), ()) for fault in best.faults]
    faults = [replace(fault, alike=names) for fault, names in zip(best.faults, alike, strict=True)]
    return tried[best.setting].channel, faults, best.setting


def _answer(plain: Poses, channel: Poses, discrete: list[ModelFault], found: Found) -> Verification:
    rows, x = np.arange(len(channel.q)), found.fit.x
    faults = []
    for i, cause in enumerate(found.causes):
        turns = cause.kind == "zero" and channel.robot.joints[cause.element].kind.angular[0]
        unit = "rad" if turns else "s" if cause.kind == "delay" else "m" if len(cause.places) in (1, 3) else ""
        places = list(cause.places)
        faults.append(fault_of(found, i, x[places], found.covariance[np.ix_(places, places)], unit))
    before = fitted(plain, np.zeros(plain.size), plain.unknown, rows)
    r = np.sqrt((channel.residual(x, rows) ** 2).sum(axis=-1))
    base, tools = channel.places(x)
    zeros = [(cause.element, channel.q[:, cause.places]) for cause in channel.causes if cause.kind == "zero"]
    named, apart = {cause for causes in found.alike for cause in causes}, hidden(channel, x, len(rows), found.causes)
    together = [
        (one[:2], *dict.fromkeys(other[:2] for other in (*channel.setting, *found.causes) if {*other[2]} & {*places}))
        for one, places in apart
        if one not in named
    ]
    still = tuple(name for name, q in zeros if np.ptp(q) < STILL)
    errors = np.stack([plain.errors(before.x), channel.errors(x)])
    (numbers, correlation), (error, left) = correlated(found), map(rms, errors)
    rest, shown = channel.with_noise(x, rows, len(found.fit.free)).noise, [*discrete]
    shown += sorted(faults, key=lambda fault: -fault.explains)
    incomplete = any(more > REST * size for more, size in zip(rest, channel.noise, strict=True))
    return Verification(
        _is_explained(channel) and bool(shown or not incomplete),
        tuple(shown),
        tuple(together),
        still,
        error,
        left,
        np.sqrt(3.0) * channel.by_kind(np.array(channel.noise)),
        tuple(np.flatnonzero((r > 6.0).any(axis=1)).tolist()),
        base,
        tools if len(tools) > 1 else tools[0],
        blind=() if len(still) < len(zeros) and visible(channel, x, rows) else ("poses",),
        incomplete=("poses",) if incomplete else (),
        residuals={"poses": errors},
        numbers=numbers,
        correlation=correlation,
    )
