"""What is wrong with the dynamics of a model, by torques of a log."""

from dataclasses import replace

import numpy as np

from kinetree.lab.identify.answer import ModelFault, Verification, correlated, fault_of
from kinetree.lab.identify.columns import Trajectory, carriers, columns, delayed, ends, filter_of
from kinetree.lab.identify.efforts import MEDIAN, Efforts, about_centre, inertia_of
from kinetree.lab.identify.search import Found, fitted, search, visible
from kinetree.lab.identify.setting import scale_of, setting_of
from kinetree.model.robot import Robot
from kinetree.queries.options import GRAVITY
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array
from kinetree.trajectories.motion import STILL

CLEARER = 2.0
"""How many times larger than those of a log torques of the model are that are no small ones."""
UNEXPLAINED = 0.3
"""Part of the torques that is noise, from which on nothing is explained."""
UNIT = 1000.0
"""Factor between N m and mN m."""
FAR, AGAIN = (0.005, 0.01, 0.002), 3
"""Gravity, m/s², zeros, rad or m, and delay, s, from which on columns are computed again, because what a wrong mass
weighs depends on gravity; and how often before faults are searched again."""
UNRELATED = 0.75
"""Part of the torques of a joint that the model leaves, from which on they have no relation to it, and are left out."""
REST = 2.0
"""How many times larger than the noise what is left has to be for something to be wrong that is not named."""
OUTLIER = 6.0
"""Residual, in standard deviations, of a sample that does not fit."""
UNITS = {
    "viscous friction": ("N m s/rad", "N s/m"),
    "Coulomb friction": ("N m", "N"),
    "armature": ("kg m²", "kg"),
    "zero": ("rad", "m"),
    "effort scale": ("1", "1"),
}
"""Units of what turns and what slides."""


def by_torques(robot: Robot, log: Trajectory) -> Verification:
    """Return the fewest faults that explain the torques of a log, with times of samples that do not fit."""
    known = np.isfinite(log.effort).all(axis=0) & (log.effort != 0).any(axis=0)
    log = log._replace(effort=np.where(known, log.effort, 0.0))
    given = _channel(robot, log, GRAVITY, known, np.zeros(robot.nv + 4))
    whole = log
    start, gravity, discrete, log = _discrete(robot, log, given)
    known, zero = start.known, np.zeros(start.size)
    channel, explained = _with_noise(start, log)
    seen = np.ptp(log.q, axis=0).max() > STILL and visible(channel, zero, np.arange(len(channel.tau)))
    blind = np.full(robot.nv, 1e9)
    found = search(channel if explained and seen else replace(channel, noise=blind), zero, len(channel.tau))
    far, fit = np.repeat(FAR, [3, robot.nv, 1]), found.fit
    for _ in range(2):
        before = channel
        for _ in range(AGAIN if explained and seen else 0):
            at = fit.x[-2 * robot.nv - 4 : -robot.nv]
            if (np.abs(at - channel.at) < far).all():
                break
            channel, explained = _with_noise(_channel(robot, log, gravity, known, at), log)  # columns at what was found
            fit = fitted(channel, fit.x, fit.free, np.arange(len(channel.tau)))
        if channel is not before:
            fit = (found := search(channel, zero, len(channel.tau))).fit
    return _answer(given, whole, channel, delayed(log, channel.at[-1]), found, discrete, explained, not seen)


def _answer(
    given: Efforts,
    whole: Trajectory,
    channel: Efforts,
    log: Trajectory,
    found: Found,
    discrete: list[ModelFault],
    explained: bool,
    blind: bool,
) -> Verification:
    """Return what was found. given, whole: the torques and the log as they were; channel, log: as they are compared."""
    rows, x, known, made = np.arange(len(channel.tau)), found.fit.x, channel.known, filter_of(log.dt)
    faults = sorted((_fault(channel, found, i) for i in range(len(found.causes))), key=lambda fault: -fault.explains)
    left, every = channel.tau - channel.predicted(x, rows), np.arange(len(given.tau))
    at = fitted(given, np.zeros(given.size), given.unknown, every).x  # offsets are no fault of the model
    before, middle = given.tau - given.predicted(at, every), len(made.weights) // 2
    begun, times = (one.t[made.starts(one.parts) + middle] for one in (whole, log))
    residuals = np.stack([np.column_stack([np.interp(times, begun, r) for r in before.T]), left])
    torques = np.array([rms(before), rms(left), channel.noise / made.spread])
    torques[:, ~known] = residuals[..., ~known] = np.nan
    far = (np.abs(channel.residual(x, rows)[..., 0]) > OUTLIER).any(axis=1)
    offsets = np.where(known, x[channel.offsets] * np.exp(x[-channel.nv :]), np.nan)
    scales = {cause.element for cause in visible(channel, x, rows) if cause.kind == "effort scale"}
    names = [name for name, has in zip(channel.robot.velocity_names, known, strict=True) if has]
    rest = np.median(np.abs(left), axis=0) / MEDIAN > REST * channel.noise / made.spread
    unclear = [] if blind or not explained else [name for name in names if name not in scales]
    numbers, correlation = correlated(found)
    return Verification(
        explained,
        tuple(_joined([] if blind or not explained else discrete, faults)),
        tuple((("effort scale", name), ("effort offset", name)) for name in unclear),
        outliers=tuple(times[far].tolist()),
        torques=torques,
        offsets=dict(zip(channel.robot.velocity_names, offsets.tolist(), strict=True)),
        blind=("torques",) if blind else (),
        incomplete=("torques",) if explained and not blind and (rest & known).any() else (),
        residuals={"torques": residuals, "times": times},
        numbers=numbers,
        correlation=correlation,
    )


def _joined(discrete: list[ModelFault], others: list[ModelFault]) -> list[ModelFault]:
    """Return all faults, with one of gravity that is the sum of two."""
    fine = [fault for fault in others if fault.kind == "gravity"]
    large = [fault for fault in discrete if fault.kind == "gravity"]
    if not (fine and large):
        return [*discrete, *others]
    whole = np.asarray(fine[0].value) + np.asarray(large[0].value)
    rest = [fault for fault in (*discrete, *others) if fault.kind != "gravity"]
    return [replace(fine[0], value=whole, explains=1.0), *rest]


def _with_noise(channel: Efforts, log: Trajectory) -> tuple[Efforts, bool]:
    """Return the channel with the noise of the log, and whether this is small enough."""
    channel = channel.with_noise()
    part = channel.noise**2 @ channel.known / max(float((channel.tau**2).mean(axis=0) @ channel.known), 1e-300)
    return replace(channel, noise=channel.noise * filter_of(log.dt).spread), bool(part < UNEXPLAINED**2)


def rms(r: Array) -> Array:
    """Return the root mean square of errors (n, …) over samples."""
    return np.asarray(np.sqrt((r**2).mean(axis=0)))


def _channel(robot: Robot, log: Trajectory, gravity: tuple[float, ...], known: Array, at: Array) -> Efforts:
    """Return the torques of a log, at such gravity, zeros and delay (nv + 4,) beside those of the log."""
    log = delayed(log, float(at[-1]))
    log = log._replace(q=log.q + at[3:-1])
    model, least = tree(robot), np.zeros((3, robot.nv))
    for where, passive, factor in zip(model.v_slice, model.passive, model.multiplier, strict=True):
        least[0, where] -= passive.damping * factor**2
        least[1, where] -= passive.friction * abs(factor)
        least[2, where] -= passive.armature * factor**2
    tau, predicted, made = columns(robot, log, tuple((gravity + at[:3]).tolist()))
    noise = rms(tau).clip(1e-9) * 0.05
    return Efforts(robot, tau, predicted, made, tuple(carriers(robot)), ends(robot), least, known, noise, at)


def _discrete(
    robot: Robot, log: Trajectory, given: Efforts
) -> tuple[Efforts, tuple[float, ...], list[ModelFault], Trajectory]:
    """Return the channel of a log as it was taken, gravity, what is wrong with that, and the log with its torques but
    for their delay. Torques are in N m or N, or left out if they have no relation to those of the model."""
    setting, faults = setting_of(robot, log, given.known)
    log, gravity, nv = setting.of(log), setting.gravity, robot.nv
    has_torques = (log.effort != 0).any(axis=0)
    at = np.r_[np.zeros(nv + 3), setting.late]
    channel = _channel(robot, log, gravity, has_torques, at) if faults or setting.late else given
    own = [channel.columns[:, range(nv), np.arange(nv) - k * nv - 4] for k in (5, 4)]  # of friction
    fits = [scale_of(channel.tau[:, j], channel.model[:, j], np.stack(own, axis=-1)[:, j]) for j in range(nv)]
    factors = [factor for factor, left in fits if left < UNRELATED and factor > 0]
    if factors and (power := round(float(np.median(np.log10(factors))) / 3)):
        log = log._replace(effort=log.effort / UNIT**power)
        channel = replace(channel, tau=channel.tau / UNIT**power)
        faults.append(ModelFault("effort unit", "effort", UNIT**power, 0.0, unit="1"))
    sizes = [rms(x - x.mean(axis=0)) for x in (channel.model, channel.tau)]
    related = np.array([left < UNRELATED for _, left in fits]) | (sizes[0] < CLEARER * sizes[1])
    related |= not (channel.known & related).any()  # if none is, nothing explains the log
    strange = np.flatnonzero(channel.known & ~related)
    faults += [ModelFault("effort scale", robot.velocity_names[i], 0.0, 0.0, unit="1") for i in strange]
    known = channel.known & related
    start = replace(channel, tau=channel.tau * known, known=known, noise=rms(channel.tau * known).clip(1e-9) * 0.05)
    return start, gravity, faults, log._replace(effort=log.effort * known)


def _fault(channel: Efforts, found: Found, i: int) -> ModelFault:
    """Return a fault with its value in units of the model, and its standard deviation."""
    cause, x, places = found.causes[i], found.fit.x, list(found.causes[i].places)
    value, C = x[places], found.covariance[np.ix_(places, places)]
    unit = {"gravity": "m/s²", "delay": "s", "payload": "kg, m"}.get(cause.kind, "")
    if cause.kind in UNITS:
        at = channel.robot.velocity_names.index(cause.element)
        turns = [a for name in channel.robot.joint_names for a in channel.robot.joints[name].kind.velocity_angular][at]
        unit = UNITS[cause.kind][0 if turns else 1]
        if cause.kind == "effort scale":
            value, C = np.exp(value), C * np.exp(2 * value)
    elif not unit:
        unit = {"mass": "kg", "centre": "m", "inertia": "kg m²"}[cause.kind]
        k = places[0] // 10
        value, J = in_units(channel.rows[k], cause.kind, x[10 * k : 10 * k + 10], [place - 10 * k for place in places])
        known = np.isfinite(C).all()
        C = J @ C @ J.T if known else np.full((len(J), len(J)), np.inf)
    return fault_of(found, i, value, C, unit)


def in_units(row: Array, kind: str, u: Array, places: list[int]) -> tuple[Array, Array]:
    """Return the change of a mass (1,), centre (3,) or inertia about the centre (6,) by u (10,), and its slopes."""

    def change(u: Array) -> Array:
        new = inertia_of(row, u)
        if kind == "mass":
            return np.array([new[0] - row[0]])
        return u[1:4] if kind == "centre" else about_centre(new) - about_centre(row)

    h = 1e-5
    slopes = [(change(u + h * np.eye(10)[i]) - change(u - h * np.eye(10)[i])) / (2 * h) for i in places]
    return change(u), np.array(slopes).T
