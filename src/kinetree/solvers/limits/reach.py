"""Volume that a frame reaches within limits, counted in cubes over random configurations."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kinetree.errors import fail
from kinetree.model.limits import Limits
from kinetree.model.robot import Robot
from kinetree.progress import tracked
from kinetree.queries.motion import fk
from kinetree.solvers.ik.make import ik
from kinetree.spatial.se3 import Array

AT_ONCE = 100_000
SIDE = 2**20
"""Cubes along an axis; more than any robot is long."""


class Reach:
    """Volume that a frame's origin reaches, m³, as a function of amounts x (k,) by which rows of limits are moved out.

    Each configuration needs some amount of every row. Cubes reached with zero amounts always count; for the others the
    amounts of their configurations are stored. Random configurations miss some cubes of the first kind, which inverse
    kinematics finds.
    """

    def __init__(
        self,
        robot: Robot,
        limits: Limits,
        rows: Array,
        most: Array,
        frame: str,
        base: str | None,
        samples: int,
        cell: float,
    ) -> None:
        if not isinstance(samples, int) or samples < 1:
            raise fail("widen", f"samples is {samples!r}; expected a whole number from 1")
        if not 0 < cell < np.inf:
            raise fail("widen", f"cell is {cell!r}; expected a length above 0, in m")
        h = limits.h.copy()
        h[rows] += most
        corner = np.sqrt(3.0) / 2 * cell
        to_middle = ik(robot, frame, base, goal="position", tolerance=(corner, 1.0), limits=limits)
        position = fk(robot, frame, base)
        cubes, needs = [], []
        columns = np.array([robot.coordinate_names.index(name) for name in to_middle.coordinate_names])
        for q in configurations(robot, replace(limits, h=h), columns, samples):
            cubes.append(cubes_of(position(q)[:, :3, 3], cell))
            needs.append(np.maximum(q @ limits.G[rows].T - limits.h[rows], 0.0))
        cube, need = np.concatenate(cubes), np.concatenate(needs)
        free = np.unique(cube[~need.any(axis=1)])
        others = np.setdiff1d(cube, free)
        found = to_middle(middles(others, cell)).success
        free = np.union1d(free, others[found])
        more = ~np.isin(cube, free)
        self._free, self._cell = len(free), cell
        names, self._cube = np.unique(cube[more], return_inverse=True)
        self._more = len(names)
        self._need = need[more]

    def value(self, x: Array) -> float:
        """Return the volume, m³."""
        return float(self._cell**3 * (self._free + self._count(x)))

    def gains(self, x: Array, most: Array) -> Array:
        """Return the gain per unit of each row, over a tenth of its range: the last if it is moved, else the first."""
        step, here = most / 10, self.value(x)
        gains = np.zeros(len(x))
        for i in np.flatnonzero(step):
            there = x.copy()
            there[i] = max(0.0, x[i] - step[i]) if x[i] else step[i]
            gains[i] = (self.value(there) - here) / (there[i] - x[i])
        return gains

    def best(self, most: Array, total: float) -> tuple[Array, float]:
        """Return the amounts found by differential evolution, scaled down to the total; the gap is unknown."""
        from scipy.optimize import differential_evolution

        useful = np.flatnonzero(self._need.any(axis=0))
        if not useful.size:
            return np.zeros(len(most)), 0.0

        def amounts(share: Array) -> Array:
            x = np.zeros(len(most))
            x[useful] = share * most[useful]
            return x * min(1.0, total / max(float(x.sum()), 1e-300))

        found = differential_evolution(
            lambda share: -self._count(amounts(share)),
            [(0.0, 1.0)] * len(useful),
            x0=np.ones(len(useful)),
            rng=0,
            maxiter=200,
            polish=False,
        )
        return amounts(found.x), np.inf

    def least(self, x: Array) -> Array:
        """Return x with each row moved out only as far as the reached cubes need."""
        spared = x.copy()
        for i in range(len(x)):
            inside = np.all(self._need <= spared, axis=1)
            smallest = np.full(self._more, np.inf)
            np.minimum.at(smallest, self._cube[inside], self._need[inside, i])
            spared[i] = smallest[np.isfinite(smallest)].max(initial=0.0)
        return spared

    def _count(self, x: Array) -> int:
        reached = np.zeros(self._more, dtype=bool)
        reached[self._cube[np.all(self._need <= x, axis=1)]] = True
        return int(reached.sum())


def configurations(robot: Robot, limits: Limits, columns: Array, samples: int) -> Iterator[Array]:
    """Yield random configurations inside, in portions; coordinates outside `columns` and all blocks stay."""
    lower, upper = limits.lower.copy(), limits.upper.copy()
    moving = np.zeros(len(lower), dtype=bool)
    moving[[i for block in limits.blocks for i in block.columns]] = True
    moving[columns] = True
    still = np.clip(robot.q(), lower, upper)
    lower[~moving], upper[~moving] = still[~moving], still[~moving]
    for name in robot.joint_names:
        where = robot.q_slices[name]
        kind = robot.joints[name].kind
        if kind.single and kind.angular[0] and not np.isfinite([lower[where], upper[where]]).any():
            lower[where], upper[where] = -np.pi, np.pi
    inside, rng = replace(limits, lower=lower, upper=upper, turning=()), np.random.default_rng(0)
    for start in tracked(range(0, samples, AT_ONCE), "reaching places", samples, AT_ONCE):
        yield inside.sample(min(AT_ONCE, samples - start), rng)


def cubes_of(points: Array, cell: float) -> Array:
    """Return the number (n,) of the cube that contains each point (n, 3)."""
    i, j, k = np.floor(points / cell).astype(np.int64).T + SIDE // 2
    return np.asarray((i * SIDE + j) * SIDE + k)


def middles(cubes: Array, cell: float) -> Array:
    """Return the centres (n, 3) of cubes."""
    ijk = np.stack([cubes // SIDE**2, cubes // SIDE % SIDE, cubes % SIDE], axis=-1) - SIDE // 2
    return np.asarray((ijk + 0.5) * cell)
