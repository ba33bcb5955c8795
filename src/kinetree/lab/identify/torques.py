"""What is wrong with the dynamics of a model, by torques of a log."""

from dataclasses import replace
from itertools import permutations
from typing import NamedTuple

import numpy as np

from kinetree.lab.identify.answer import ModelFault, fault_of
from kinetree.lab.identify.columns import WINDOW, Trajectory, carriers, columns, delayed, ends, filter_of
from kinetree.lab.identify.efforts import Efforts, about_centre, inertia_of
from kinetree.lab.identify.search import Found, fitted, search, visible
from kinetree.model.robot import Robot
from kinetree.queries.options import GRAVITY
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array
from kinetree.trajectories.motion import STILL

CLEARER = 2.0
"""How many times smaller what is left of a torque must be for another sign, order or gravity."""
UNEXPLAINED = 0.3
"""Part of the torques that is noise, from which on nothing is explained."""
UNIT = 1000.0
"""Factor between N m and mN m."""
FAR = 0.01
"""Zero, rad or m, from which on columns are computed again."""
LATE = 0.002
"""Delay, s, from which on torques are shifted again."""
LATEST = 0.5
"""Largest delay that is tried, s."""
UNRELATED = 0.75
"""Part of the torques of a joint that the model leaves, from which on they have no relation to it, and are left out."""
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


class TorqueFaults(NamedTuple):
    """Faults that explain torques. torques (3, nv): root mean square of the error of the model, of what is left, and
    the noise, N m or N. outliers: times of samples, or their numbers if they have none. offsets (nv,): constant parts
    of the torques of the log. unclear: joints of which an offset and a scale have the same effect. blind: whether no
    fault could have shown itself."""

    explained: bool
    faults: tuple[ModelFault, ...]
    torques: Array
    outliers: tuple[float, ...]
    offsets: Array
    unclear: tuple[str, ...]
    blind: bool


def by_torques(robot: Robot, log: Trajectory) -> TorqueFaults:
    """Return the fewest faults that explain the torques of a log."""
    known = np.isfinite(log.effort).all(axis=0) & (log.effort != 0).any(axis=0)
    log = log._replace(effort=np.where(known, log.effort, 0.0))
    given = _channel(robot, log, GRAVITY, known)
    start, gravity, discrete, log = _discrete(robot, log, given)
    known, zero = start.known, np.zeros(start.size)
    channel, explained = _with_noise(start, log)
    seen = np.ptp(log.q, axis=0).max() > STILL and visible(channel, zero, np.arange(len(channel.tau)))
    blind = np.full(robot.nv, 1e9)
    found = search(channel if explained and seen else replace(channel, noise=blind), zero, len(channel.tau))
    for _ in range(2):
        zeros, late = found.fit.x[-2 * robot.nv - 1 : -robot.nv - 1], float(found.fit.x[-robot.nv - 1])
        if not explained or not seen or (np.abs(zeros - channel.at).max() < FAR and abs(late - channel.late) < LATE):
            break
        there = _channel(robot, delayed(log, late), gravity, known, zeros)  # columns at what was found
        channel, explained = _with_noise(replace(there, late=late), log)
        found = search(channel, zero, len(channel.tau))
    faults = [_fault(channel, found, i) for i in range(len(found.causes))]
    rows, every, x = np.arange(len(channel.tau)), np.arange(len(given.tau)), found.fit.x
    left = channel.tau - channel.predicted(x, rows)
    made = filter_of(log.dt)
    before = fitted(given, zero, given.unknown, every).x  # offsets are no fault of the model
    torques = np.array([_rms(given.tau - given.predicted(before, every)), _rms(left), channel.noise / made.spread])
    torques[:, ~known] = np.nan
    far = (np.abs(channel.residual(x, rows)[..., 0]) > OUTLIER).any(axis=1)
    log = delayed(log, channel.late)
    outliers = log.t[made.starts(log.parts)[far] + len(made.weights) // 2]
    shown = _joined(discrete if explained and seen else [], sorted(faults, key=lambda fault: -fault.explains))
    offsets = np.where(known, x[channel.offsets] * np.exp(x[-robot.nv :]), np.nan)
    scales = {cause.element for cause in visible(channel, x, rows) if cause.kind == "effort scale"}
    names = [name for name, has in zip(robot.velocity_names, known, strict=True) if has]
    unclear = tuple(name for name in names if name not in scales) if explained else ()
    return TorqueFaults(explained, tuple(shown), torques, tuple(outliers.tolist()), offsets, unclear, not seen)


def _joined(discrete: list[ModelFault], others: list[ModelFault]) -> list[ModelFault]:
    """Return all faults, with one of gravity that is the sum of two."""
    fine = [fault for fault in others if fault.kind == "gravity"]
    if not (fine and discrete and discrete[0].kind == "gravity"):
        return [*discrete, *others]
    whole = np.asarray(fine[0].value) + np.asarray(discrete[0].value)
    rest = [fault for fault in (*discrete[1:], *others) if fault.kind != "gravity"]
    return [replace(fine[0], value=whole, explains=1.0), *rest]


def _with_noise(channel: Efforts, log: Trajectory) -> tuple[Efforts, bool]:
    """Return the channel with the noise of the log, and whether this is small enough."""
    channel = channel.with_noise()
    part = channel.noise**2 @ channel.known / max(float((channel.tau**2).mean(axis=0) @ channel.known), 1e-300)
    return replace(channel, noise=channel.noise * filter_of(log.dt).spread), bool(part < UNEXPLAINED**2)


def _rms(r: Array) -> Array:
    return np.asarray(np.sqrt((r**2).mean(axis=0)))


def _channel(
    robot: Robot, log: Trajectory, gravity: tuple[float, ...], known: Array, zeros: Array | None = None
) -> Efforts:
    """Return the torques of a log, with columns at these zeros."""
    at = np.zeros(robot.nv) if zeros is None else zeros
    log = log._replace(q=log.q + at)
    model, least = tree(robot), np.zeros((3, robot.nv))
    for where, passive, factor in zip(model.v_slice, model.passive, model.multiplier, strict=True):
        least[0, where] -= passive.damping * factor**2
        least[1, where] -= passive.friction * abs(factor)
        least[2, where] -= passive.armature * factor**2
    tau, predicted, made = columns(robot, log, gravity)
    noise = _rms(tau).clip(1e-9) * 0.05
    return Efforts(robot, tau, predicted, made, tuple(carriers(robot)), ends(robot), least, known, noise, at)


def _discrete(
    robot: Robot, log: Trajectory, given: Efforts
) -> tuple[Efforts, tuple[float, ...], list[ModelFault], Trajectory]:
    """Return the channel with another gravity, signs, order, unit and delay of torques where they show, this gravity,
    these faults, and the log with such torques."""
    faults, nv, names = list[ModelFault](), robot.nv, robot.velocity_names
    falls = given.columns[..., -nv - 4 : -nv - 1]
    best, channel, gravity = _misfit(given.tau, given).sum(), given, GRAVITY
    for i, sign in ((i, sign) for i in range(3) for sign in (1.0, -1.0)):
        g = np.roll([sign * float(np.linalg.norm(GRAVITY)), 0.0, 0.0], i)
        falling = replace(given, model=given.model + falls @ (g - GRAVITY))
        if (score := _misfit(given.tau, falling).sum()) < best - CLEARER * np.log(CLEARER):
            best, channel = score, falling
            faults = [ModelFault("gravity", robot.root, g - GRAVITY, np.zeros(3), unit="m/s²")]
    if faults:
        x, y, z = (np.asarray(faults[0].value) + GRAVITY).tolist()
        gravity = (x, y, z)
        channel = _channel(robot, log, gravity, given.known)
    tau, order, signs = channel.tau, np.arange(nv), np.ones(nv)
    for i, j in permutations(range(nv), 2):
        swapped = order.copy()
        swapped[[i, j]] = order[[j, i]]
        gain = (_misfit(tau[:, order], channel) - _misfit(tau[:, swapped], channel))[[i, j]]
        if i < j and (gain > np.log(CLEARER)).all():
            order = swapped
            faults.append(ModelFault("effort order", f"{names[i]}, {names[j]}"))
    tau = tau[:, order]
    for turned in np.flatnonzero(_misfit(tau, channel) - _misfit(-tau, channel) > np.log(CLEARER)):
        signs[turned] = -1.0
        faults.append(ModelFault("effort sign", names[turned]))
    log = log._replace(effort=log.effort[:, order] * signs)
    late, tau = _delay(log, channel, tau * signs)
    fits = _misfit(tau, channel) < np.log(UNRELATED)
    factors = [factor for j in map(int, np.flatnonzero(fits)) if (factor := _fit(tau, channel, j)[0]) > 0]
    if factors and (power := round(float(np.median(np.log10(factors))) / 3)):
        tau, log = tau / UNIT**power, log._replace(effort=log.effort / UNIT**power)
        faults.append(ModelFault("effort unit", "effort", UNIT**power, 0.0, unit="1"))
    related = fits | (_rms(_varied(channel.model)) < CLEARER * _rms(_varied(tau)))
    related |= not (channel.known & related).any()  # if none is, nothing explains the log
    strange = np.flatnonzero(channel.known & ~related)
    faults += [ModelFault("effort scale", names[i], 0.0, 0.0, unit="1") for i in strange]
    known = channel.known & related
    log = log._replace(effort=log.effort * known)
    if late:
        channel = replace(_channel(robot, delayed(log, late), gravity, known), late=late)
        tau = channel.tau
    start = replace(channel, tau=tau * known, known=known, noise=_rms(tau).clip(1e-9) * 0.05)
    return start, gravity, faults, log


def _delay(log: Trajectory, channel: Efforts, tau: Array) -> tuple[float, Array]:
    """Return by how much torques are late, s, if far, and those of the right time."""
    found, best = (0.0, tau), _misfit(tau, channel).sum()
    steps = int(min(LATEST, np.ptp(log.t) / 10) / WINDOW * 2) if log.dt else 0
    for late in (np.arange(-steps, steps + 1) * WINDOW / 2).tolist():
        effort = np.column_stack([np.interp(log.t + late, log.t, x) for x in log.effort.T])
        there = filter_of(log.dt).of(log.parts, effort.__getitem__)
        if late and (score := _misfit(there, channel).sum()) < best - np.log(CLEARER):
            found, best = (late, there), score
    return found


def _misfit(tau: Array, channel: Efforts) -> Array:
    """Return the logarithm (nv,) of the part of torques that those of the model, times a factor, and friction leave."""
    left = np.array([_fit(tau, channel, j)[1] for j in range(channel.nv)])
    return np.where(channel.known, np.log(left.clip(1e-4)), 0.0)


def _fit(tau: Array, channel: Efforts, j: int) -> tuple[float, float]:
    """Return the factor by which torques of the model of a joint fit best, beside friction, or 0 if it is negative; and
    the part of the torques that is left."""
    viscous, n = channel.first - channel.size, channel.nv  # an offset of torques is in their means
    own = _varied(channel.columns[:, j, [viscous + n + j, viscous + 2 * n + j]])
    A, y = np.column_stack([_varied(channel.model[:, j]), own]), _varied(tau[:, j])
    factor = float(np.linalg.lstsq(A, y, rcond=1e-9)[0][0])
    A = A if factor > 0 else own
    r = y - A @ np.linalg.lstsq(A, y, rcond=1e-9)[0]
    return max(factor, 0.0), float(np.linalg.norm(r) / max(float(np.linalg.norm(y)), 1e-300))


def _varied(x: Array) -> Array:
    return np.asarray(x - x.mean(axis=0))


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
        value, J = _in_units(channel.rows[k], cause.kind, x[10 * k : 10 * k + 10], [place - 10 * k for place in places])
        known = np.isfinite(C).all()
        C = J @ C @ J.T if known else np.full((len(J), len(J)), np.inf)
    return fault_of(found, i, value, C, unit)


def _in_units(row: Array, kind: str, u: Array, places: list[int]) -> tuple[Array, Array]:
    """Return the change of a mass (1,), centre (3,) or inertia about the centre (6,) by u (10,), and its slopes."""

    def change(u: Array) -> Array:
        new = inertia_of(row, u)
        if kind == "mass":
            return np.array([new[0] - row[0]])
        return u[1:4] if kind == "centre" else about_centre(new) - about_centre(row)

    h = 1e-5
    slopes = [(change(u + h * np.eye(10)[i]) - change(u - h * np.eye(10)[i])) / (2 * h) for i in places]
    return change(u), np.array(slopes).T
