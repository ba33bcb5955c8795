"""Choice of coupled limits to move out, for the largest gain with given amounts.

Other tendon lengths are limits with other bounds: `A q + b > 0` with a larger b.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from kinetree.arguments import explained
from kinetree.errors import fail, unknown_name
from kinetree.model.assemble import build, parts_of
from kinetree.model.limits import Limits
from kinetree.model.robot import CoupledLimit, Robot
from kinetree.queries.motion import fk
from kinetree.solvers.ik.make import ik
from kinetree.solvers.limits.allowed_volume import AllowedVolume
from kinetree.solvers.limits.report import units
from kinetree.spatial.se3 import Array, frozen

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
            raise fail("widen", f"samples is {samples!r}; legal is a whole number from 1")
        if not 0 < cell < np.inf:
            raise fail("widen", f"cell is {cell!r}; legal is a length above 0, in m")
        h = limits.h.copy()
        h[rows] += most
        corner = np.sqrt(3.0) / 2 * cell
        to_middle = ik(robot, frame, base, goal="position", tolerance=(corner, 1.0), limits=limits)
        position = fk(robot, frame, base)
        cubes, needs = [], []
        columns = np.array([robot.coordinate_names.index(name) for name in to_middle.coordinate_names])
        for q in _configurations(robot, replace(limits, h=h), columns, samples):
            cubes.append(_cubes(position(q)[:, :3, 3], cell))
            needs.append(np.maximum(q @ limits.G[rows].T - limits.h[rows], 0.0))
        cube, need = np.concatenate(cubes), np.concatenate(needs)
        free = np.unique(cube[~need.any(axis=1)])
        others = np.setdiff1d(cube, free)
        found = to_middle(_middles(others, cell)).success
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


def _configurations(robot: Robot, limits: Limits, columns: Array, samples: int) -> Iterator[Array]:
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
    inside, rng = replace(limits, lower=lower, upper=upper), np.random.default_rng(0)
    for start in range(0, samples, AT_ONCE):
        yield inside.sample(min(AT_ONCE, samples - start), rng)


def _cubes(points: Array, cell: float) -> Array:
    """Return the number (n,) of the cube that contains each point (n, 3)."""
    i, j, k = np.floor(points / cell).astype(np.int64).T + SIDE // 2
    return np.asarray((i * SIDE + j) * SIDE + k)


def _middles(cubes: Array, cell: float) -> Array:
    """Return the centres (n, 3) of cubes."""
    ijk = np.stack([cubes // SIDE**2, cubes // SIDE % SIDE, cubes % SIDE], axis=-1) - SIDE // 2
    return np.asarray((ijk + 0.5) * cell)


@dataclass(frozen=True, slots=True, eq=False)
class Widening:
    """Limits moved out, made by `widen`.

    robot: with these limits. rows (k): their names. by, most (k,): how far each row is moved, and was allowed to be;
    rad, or m for rows on prismatic joints. before, after: volume of all allowed configurations of the joints in these
    rows, a product of powers of rad and m; or volume that the frame reaches, m³. gap: largest relative gain over
    `after` of any other choice; infinite if unknown.

    Relative to `before`: first (k,), gain per unit of each row if nothing is moved; last (k,), gain of its last unit,
    or of a first one if it is not moved; worth (k,), loss without moving this row.
    """

    robot: Robot
    rows: tuple[str, ...]
    by: Array
    most: Array
    before: float
    after: float
    gap: float
    first: Array
    last: Array
    worth: Array


@explained
def widen(
    robot: Robot,
    most: Mapping[str, float],
    *,
    total: float | None = None,
    reach: str | None = None,
    base: str | None = None,
    samples: int = 1_000_000,
    cell: float = 0.02,
) -> Widening:
    """Return the best way to move coupled limits out, each by at most `most`, all together by at most `total`.

    most: from names of `robot.limits.row_names`, or of coupled limits with one end, to the largest amount of each, rad
    or m. total: of all amounts; without it only useless amounts are saved.

    By default the volume of all configurations of the rows' joints is maximised. This is a concave problem, solved by
    cutting planes (Kelley, The cutting-plane method for solving convex programs, 1960) with the areas of the polytope's
    faces as gradient, so that `gap` is proven.

    reach: a frame; maximise instead the volume that its origin reaches, as seen from `base`, by default the root. It is
    counted in cubes of edge `cell`, m, over `samples` random configurations of the joints in between; a cube counts as
    gained if inverse kinematics does not reach it before. The search is differential evolution (Storn & Price, 1997),
    which proves nothing. A joint without ends makes one turn.

    Samples are the same at every call, so the result is too. Raises KinetreeError for unknown rows, amounts that are
    negative or not finite, a total over angles and lengths, and limits that allow nothing.
    """
    if base is not None and reach is None:
        raise fail("widen", "base means nothing without a frame to reach")
    limits = robot.limits
    rows = _rows(robot, most)
    amounts = np.array([float(x) for x in most.values()])
    _check_amounts(robot, limits, rows, amounts, total)
    objective: AllowedVolume | Reach = AllowedVolume(limits, rows)
    if reach is not None:
        objective = Reach(robot, limits, rows, amounts, reach, base, samples, cell)
    zero = np.zeros(len(rows))
    before = objective.value(zero)
    if before <= 0:
        raise fail("empty", "nothing is inside these limits, or next to nothing; there is no room to make larger")
    enough = total is None or total >= amounts.sum()
    by, gap = (amounts, 0.0) if enough or total is None else objective.best(amounts, total)
    by = objective.least(by)
    after = objective.value(by)
    without = np.full(len(by), after)
    for i in np.flatnonzero(by):
        without[i] = objective.value(np.where(np.arange(len(by)) == i, 0.0, by))
    return Widening(
        robot=_moved(robot, dict(zip(rows.tolist(), by.tolist(), strict=True))),
        rows=tuple(limits.row_names[i] for i in rows),
        by=frozen(by),
        most=frozen(amounts),
        before=before,
        after=after,
        gap=gap,
        first=frozen(objective.gains(zero, amounts) / before),
        last=frozen(objective.gains(by, amounts) / before),
        worth=frozen((after - without) / before),
    )


def _rows(robot: Robot, most: Mapping[str, float]) -> Array:
    """Return the indices (k,) of the named rows."""
    by_name = widenable(robot)
    for name in most:
        if name not in by_name:
            raise unknown_name("row", name, list(by_name))
    rows = np.array([by_name[name] for name in most], dtype=int)
    if len(rows) == 0 or len(set(rows.tolist())) < len(rows):
        raise fail("widen", "legal are one or more different rows")
    return rows


def widenable(robot: Robot) -> dict[str, int]:
    """Return the names by which rows may be moved out, with their indices in `robot.limits.row_names`."""
    rows = {row: i for i, row in enumerate(robot.limits.row_names)}
    ends = _ends(robot)
    of_one_end = {
        limit.name: found[0]
        for limit in robot.coupled_limits
        if len(found := [row for (name, _), row in ends.items() if name == limit.name]) == 1
    }
    return {name: rows[row] for name, row in of_one_end.items()} | {row: rows[row] for row in ends.values()}


def _ends(robot: Robot) -> dict[tuple[str, str], str]:
    """Return the row's name for each (coupled limit, "lower" or "upper")."""
    return {
        (limit.name, end): f"limit {limit.name} {end}" if limit.name in robot.joints else f"{limit.name} {end}"
        for limit in robot.coupled_limits
        for end in ("upper", "lower")
        if np.isfinite(getattr(limit, end))
    }


def _check_amounts(robot: Robot, limits: Limits, rows: Array, amounts: Array, total: float | None) -> None:
    for row, amount in zip(rows, amounts, strict=True):
        if not 0 <= amount < np.inf:
            said = f"may be moved by {amount:g}; legal is a finite amount from 0, in rad or m"
            raise fail("widen", said, element=f"limit {limits.row_names[row]!r}")
    if total is None:
        return
    if not 0 <= total < np.inf:
        raise fail("widen", f"total is {total:g}; legal is a finite amount from 0, in rad or m")
    of = units(robot)[2 * robot.nq :]
    if len({of[row] for row in rows}) > 1:
        raise fail("unit", "a total over rows of angles and rows of lengths means nothing; ask for one kind at a time")


def _moved(robot: Robot, by: Mapping[int, float]) -> Robot:
    """Return the robot with the ends of rows moved out."""
    names, ends, parts = robot.limits.row_names, _ends(robot), parts_of(robot)
    amount = {names[i]: x for i, x in by.items()}

    def moved(limit: CoupledLimit) -> CoupledLimit:
        lower, upper = (amount.get(ends.get((limit.name, end), ""), 0.0) for end in ("lower", "upper"))
        return replace(limit, lower=limit.lower - lower, upper=limit.upper + upper)

    parts.coupled_limits = [moved(limit) for limit in parts.coupled_limits]
    return build(parts)
