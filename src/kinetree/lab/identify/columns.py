"""Torques of a log, and the columns that numbers of a model add to them, through the same filter.

A torque is linear in inertial parameters, friction, armature and gravity (Atkeson, An & Hollerbach, Estimation of
inertial parameters of manipulator loads and links, 1986), so that a filter of torques and columns changes no number.
The filter is a moving mean with Hann's weights, of which every half window is kept.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from kinetree.display import number
from kinetree.errors import fail
from kinetree.model.robot import UNLIMITED, Robot
from kinetree.queries.dynamics import inertial_regressor, inverse_dynamics
from kinetree.queries.forces import links_with_mass
from kinetree.queries.motion import fk
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array
from kinetree.trajectories.motion import GAP, gaps

WINDOW = 0.1
"""Length of the window of the filter, s."""
FEWEST = 5
"""Least number of samples in a window."""
AT_ONCE = 2048
"""Number of samples whose columns are computed together."""
SLOPE = 1e-5
"""Step of differences by positions, rad or m."""
LONGEST = 0.3
"""Longest step of time by which rates are found, s."""
BEYOND = 3.0
"""How many times faster than its limit a joint has to move in a tenth of a log, for its times to be wrong."""
RELATED, TWICE = 0.8, 2.0
"""Correlation of speeds of a log with those of its positions, from which on they are the same but for a factor, and the
factor from which on they differ."""
AT_ENDS = ("tool0", "flange")
"""Frames of REP-199 where a payload is."""


class Trajectory(NamedTuple):
    """Motion and torques (n, nv) of a log, and the step of time, s, or None for samples without order. parts: numbers
    of the samples where a part without gaps begins, and n. t (n,): times."""

    q: Array
    qd: Array
    qdd: Array
    effort: Array
    dt: float | None
    parts: tuple[int, ...]
    t: Array


def trajectory(q: Array, effort: Array, t: Array | None, qd: Array | None, qdd: Array | None) -> Trajectory:
    """Return a log at equal steps of time, with rates by central differences where it has none."""
    if t is None:
        assert qd is not None
        assert qdd is not None
        return Trajectory(q, qd, qdd, effort, None, (0, len(q)), np.arange(float(len(q))))
    dt, found = float(np.median(np.diff(t))), list[Trajectory]()
    for part in np.split(np.arange(len(t)), after_gaps(t)):
        even = np.arange(t[part[0]], t[part[-1]] + dt / 2, dt)
        if len(even) < filter_of(dt).weights.size:
            continue  # too short for a window

        def at(values: Array, part: Array = part, even: Array = even) -> Array:
            return np.column_stack([np.interp(even, t[part], x[part]) for x in values.T])

        p = at(q)
        pd = np.gradient(p, dt, axis=0) if qd is None else at(qd)
        pdd = np.gradient(pd, dt, axis=0) if qdd is None else at(qdd)
        found.append(Trajectory(p, pd, pdd, at(effort), dt, (0,), even))
    if not found:
        longest = max(np.ptp(t[part]) for part in np.split(np.arange(len(t)), after_gaps(t)))
        what = f"the longest part of t without gaps has {number(longest)} s"
        raise fail("effort", f"{what}; expected at least {WINDOW} s and {FEWEST} samples, and t in s")
    q, qd, qdd, effort = (np.concatenate([one[i] for one in found]) for i in range(4))
    parts = (0, *np.cumsum([len(one.q) for one in found]).tolist())
    return Trajectory(q, qd, qdd, effort, dt, parts, np.concatenate([one.t for one in found]))


def after_gaps(t: Array) -> Array:
    """Return the numbers of the samples after gaps, over which no rate is found: also longer than half a window."""
    return gaps(t, WINDOW / 2) + 1


def delayed(log: Trajectory, late: float) -> Trajectory:
    """Return the part of a log of which torques are known that are late by some seconds, with these torques."""
    if not late:
        return log
    kept, effort = list[Array](), list[Array]()
    for i, j in pairwise(log.parts):
        t = log.t[i:j] + late
        inside = (t >= log.t[i]) & (t <= log.t[j - 1])
        kept.append(np.arange(i, j)[inside])
        effort.append(np.column_stack([np.interp(t[inside], log.t[i:j], x[i:j]) for x in log.effort.T]))
    at, parts = np.concatenate(kept), (0, *np.cumsum([len(one) for one in kept]).tolist())
    return Trajectory(log.q[at], log.qd[at], log.qdd[at], np.concatenate(effort), log.dt, parts, log.t[at])


class Filter(NamedTuple):
    """Weights of a window, and how many samples later the next one begins."""

    weights: Array
    step: int

    @property
    def spread(self) -> float:
        """Return by how much a mean of results varies more than if they were independent."""
        return float(1.0 / np.sqrt(self.step * (self.weights**2).sum()))

    def starts(self, parts: Sequence[int]) -> Array:
        """Return where windows (m,) begin, each of which is inside a part."""
        length = len(self.weights)
        return np.concatenate([np.arange(i, j - length + 1, self.step) for i, j in pairwise(parts)])

    def slope(self, dt: float) -> "Filter":
        """Return the filter that gives the derivative of what this one gives by time."""
        weights = np.convolve(self.weights, [-1.0, 0.0, 1.0])[1:-1]
        return Filter(weights / (weights @ np.arange(len(weights)) * dt), self.step)

    def of(self, parts: Sequence[int], rows: Callable[[slice], Array]) -> Array:
        """Return the filtered values (m, …) of samples in parts, of which `rows` returns some."""
        length, found = len(self.weights), []
        starts = self.starts(parts)
        for first in range(0, len(starts), max(AT_ONCE // self.step, 1)):
            some = starts[first : first + max(AT_ONCE // self.step, 1)]
            values = rows(slice(int(some[0]), int(some[-1]) + length))
            weights = np.zeros((len(some), len(values)))
            for i, start in enumerate(some - some[0]):
                weights[i, start : start + length] = self.weights
            found.append(np.tensordot(weights, values, 1))
        return np.concatenate(found)


def filter_of(dt: float | None) -> Filter:
    """Return the filter for samples at a step of time; without one, each sample for itself."""
    if dt is None:
        return Filter(np.ones(1), 1)
    length = max(round(WINDOW / dt), FEWEST)
    weights = np.hanning(length + 2)[1:-1]
    return Filter(weights / weights.sum(), max(length // 2, 1))


def columns(robot: Robot, log: Trajectory, gravity: tuple[float, ...]) -> tuple[Array, Array, Array]:
    """Return filtered torques (m, nv) of the log and of the model, without Coulomb friction, and columns (m, nv, c):
    ten of each of `carriers`, those of viscous and Coulomb friction, armature and offset for each joint, three of
    gravity, the position of each joint, and the delay of torques."""
    kernel, regressor = inverse_dynamics(robot, gravity=gravity), inertial_regressor(robot, gravity=gravity)
    falling = inverse_dynamics(robot, gravity=None)
    rest, n = np.zeros(robot.nv), robot.nv
    kept = [10 * link + i for link in carriers(robot).values() for i in range(10)]
    made = filter_of(log.dt)

    def rows(at: slice) -> Array:
        q, qd, qdd = log.q[at], log.qd[at], log.qdd[at]
        tau = kernel(q, qd, qdd)
        own = np.array([np.einsum("nj,jk->njk", x, np.eye(n)) for x in (qd, np.sign(qd), qdd, np.ones_like(q))])
        still = falling(q, rest, rest, np.zeros(3))
        g = np.stack([falling(q, rest, rest, e) - still for e in np.eye(3)], axis=-1)
        moved = [kernel(q + SLOPE * e, qd, qdd) - kernel(q - SLOPE * e, qd, qdd) for e in np.eye(n)]
        slopes = np.stack(moved, axis=-1) / (2 * SLOPE)
        Y = regressor(q, qd, qdd)[..., kept]
        return np.concatenate([log.effort[at][..., None], tau[..., None], Y, *own, g, slopes], axis=-1)

    W = made.of(log.parts, rows)
    late = np.zeros_like(W[..., :1])
    if log.dt:
        late[..., 0] = -made.slope(log.dt).of(log.parts, lambda at: kernel(log.q[at], log.qd[at], log.qdd[at]))
    return W[..., 0], W[..., 1], np.concatenate([W[..., 2:], late], axis=-1)


def carriers(robot: Robot, cuts: tuple[str, ...] = ()) -> dict[str, int]:
    """Return the heaviest link of each body that moves, with its number among those with mass. cuts: fixed joints whose
    links are bodies of their own."""
    model, heaviest = tree(robot, cuts), dict[int, tuple[float, str, int]]()
    for i, name in enumerate(links_with_mass(robot)):
        body, inertial = model.frame(name)[0], robot.links[name].inertial
        if 0 <= body < len(model.parent) and inertial and inertial.mass > heaviest.get(body, (0.0, "", 0))[0]:
            heaviest[body] = inertial.mass, name, i
    return {name: i for _, name, i in heaviest.values()}


def ends(robot: Robot) -> dict[str, tuple[int, Array]]:
    """Return the frames where a payload may be: of each last body, tool0, the flange or the heaviest link; with the
    number of its body among `carriers`, and its pose (4, 4) in the axes of the link."""
    model, found = tree(robot), dict[str, tuple[int, Array]]()
    for k, link in enumerate(carriers(robot)):
        body = model.frame(link)[0]
        if body not in model.parent:
            on = [name for name in AT_ENDS if name in robot.frames and model.frame(name)[0] == body]
            found[(*on, link)[0]] = k, np.asarray(fk(robot, (*on, link)[0], base=link)(robot.zero))
    return found


def check_rates(robot: Robot, q: Array, t: Array, qd: Array | None, found: bool) -> None:
    """Raise KinetreeError for times that are not in s, by steps if rates are `found` by them, by limits of speeds, and
    by the speeds qd of a log."""
    if found and (step := float(np.median(np.diff(t)))) > LONGEST:
        few = f"t has steps of {number(step)}, and rates are found by steps up to {number(LONGEST)} s"
        raise fail("effort", f"{few}; expected t in s, which is not in ms, or qd and qdd")
    inside = np.diff(t) <= np.median(np.diff(t)) * GAP
    slopes = (np.diff(q, axis=0) / np.diff(t)[:, None])[inside]
    kinds = [robot.joints[name] for name in robot.joint_names]
    limits = [limit.velocity for joint in kinds for limit in joint.limits or (UNLIMITED,) * joint.kind.nv]
    for i, (name, fastest) in enumerate(zip(robot.velocity_names, limits, strict=True)):
        speed = float(np.quantile(np.abs(slopes[:, i]), 0.9))
        if speed > BEYOND * fastest:
            message = f"q of {name} moves at {number(speed)} a second by t, and its limit is {number(fastest)}"
            raise fail("effort", f"{message}; expected t in s, and q in rad or m")
        given = None if qd is None else ((qd[1:, i] + qd[:-1, i]) / 2)[inside]
        if given is None or not given.any() or not slopes[:, i].any():
            continue
        same = float(given @ slopes[:, i] / (np.linalg.norm(given) * np.linalg.norm(slopes[:, i])))
        factor = same * float(np.linalg.norm(given) / np.linalg.norm(slopes[:, i]))
        if abs(same) > RELATED and not 1 / TWICE < factor < TWICE:
            message = f"qd of {name} is {number(factor, 3)} times what q moves a second by t"
            raise fail("effort", f"{message}; expected t in s, and qd in rad/s or m/s")
