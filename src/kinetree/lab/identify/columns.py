"""Torques of a log, and the columns that numbers of a model add to them, through the same filter.

A torque is linear in inertial parameters, friction, armature and gravity (Atkeson, An & Hollerbach, Estimation of
inertial parameters of manipulator loads and links, 1986), so that a filter of torques and columns changes no number.
The filter is a moving mean with Hann's weights, of which every half window is kept.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kinetree.model.robot import Robot
from kinetree.queries.dynamics import inertial_regressor, inverse_dynamics
from kinetree.queries.forces import links_with_mass
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array

WINDOW = 0.1
"""Length of the window of the filter, s."""
FEWEST = 5
"""Least number of samples in a window."""
AT_ONCE = 2048
"""Number of samples whose columns are computed together."""
SLOPE = 1e-5
"""Step of differences by positions, rad or m."""


class Trajectory(NamedTuple):
    """Motion and torques (n, nv) of a log, and the step of time, s, or None for samples without order."""

    q: Array
    qd: Array
    qdd: Array
    effort: Array
    dt: float | None


def trajectory(q: Array, effort: Array, t: Array | None, qd: Array | None, qdd: Array | None) -> Trajectory:
    """Return a log at equal steps of time, with rates by central differences where it has none."""
    if t is None:
        assert qd is not None
        assert qdd is not None
        return Trajectory(q, qd, qdd, effort, None)
    dt = float(np.median(np.diff(t)))
    even = np.arange(t[0], t[-1] + dt / 2, dt)

    def at(values: Array) -> Array:
        return np.column_stack([np.interp(even, t, x) for x in values.T])

    q = at(q)
    qd = np.gradient(q, dt, axis=0) if qd is None else at(qd)
    qdd = np.gradient(qd, dt, axis=0) if qdd is None else at(qdd)
    return Trajectory(q, qd, qdd, at(effort), dt)


class Filter(NamedTuple):
    """Weights of a window, and how many samples later the next one begins."""

    weights: Array
    step: int

    @property
    def spread(self) -> float:
        """Return by how much a mean of results varies more than if they were independent."""
        return float(1.0 / np.sqrt(self.step * (self.weights**2).sum()))

    def of(self, n: int, rows: Callable[[slice], Array]) -> Array:
        """Return the filtered values (m, …) of n samples, of which `rows` returns some."""
        length, found = len(self.weights), []
        starts = np.arange(0, n - length + 1, self.step)
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
    ten of each of `carriers`, those of viscous and Coulomb friction and armature for each joint, three of gravity, and
    the position of each joint."""
    kernel, regressor = inverse_dynamics(robot, gravity=gravity), inertial_regressor(robot, gravity=gravity)
    falling = inverse_dynamics(robot, gravity=None)
    rest, n = np.zeros(robot.nv), robot.nv
    kept = [10 * link + i for link in carriers(robot).values() for i in range(10)]
    made = filter_of(log.dt)

    def rows(at: slice) -> Array:
        q, qd, qdd = log.q[at], log.qd[at], log.qdd[at]
        tau = kernel(q, qd, qdd)
        own = np.array([np.einsum("nj,jk->njk", x, np.eye(n)) for x in (qd, np.sign(qd), qdd)])
        still = falling(q, rest, rest, np.zeros(3))
        g = np.stack([falling(q, rest, rest, e) - still for e in np.eye(3)], axis=-1)
        moved = [kernel(q + SLOPE * e, qd, qdd) - kernel(q - SLOPE * e, qd, qdd) for e in np.eye(n)]
        slopes = np.stack(moved, axis=-1) / (2 * SLOPE)
        Y = regressor(q, qd, qdd)[..., kept]
        return np.concatenate([log.effort[at][..., None], tau[..., None], Y, *own, g, slopes], axis=-1)

    W = made.of(len(log.q), rows)
    return W[..., 0], W[..., 1], W[..., 2:]


def carriers(robot: Robot) -> dict[str, int]:
    """Return the heaviest link of each body that moves, with its number among those with mass."""
    model, heaviest = tree(robot), dict[int, tuple[float, str, int]]()
    for i, name in enumerate(links_with_mass(robot)):
        body, inertial = model.frame(name)[0], robot.links[name].inertial
        if 0 <= body < len(model.parent) and inertial and inertial.mass > heaviest.get(body, (0.0, "", 0))[0]:
            heaviest[body] = inertial.mass, name, i
    return {name: i for _, name, i in heaviest.values()}
