"""Choice of coupled limits to move out, for the largest gain with given amounts: in places, or in volume.

Other tendon lengths are limits with other bounds: `A q + b > 0` with a larger b.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.display import Brief
from kinetree.errors import fail, unknown_name
from kinetree.model.assemble import build, parts_of
from kinetree.model.limits import Block, Limits
from kinetree.model.robot import CoupledLimit, Robot
from kinetree.progress import Progress, reporting
from kinetree.solvers.limits.reach import Reach
from kinetree.solvers.limits.report import units
from kinetree.spatial import polytope
from kinetree.spatial.se3 import Array, frozen


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Widening(Brief):
    """Limits moved out, made by `widen`.

    robot: with these limits. rows (k): their names. by, most (k,): how far each row is moved, and was allowed to be;
    rad, or m for rows on prismatic joints. before, after: volume of all allowed configurations of the joints in these
    rows, a product of powers of rad and m; or volume that the frame reaches, m³. gap: largest relative gain over
    `after` of any other choice; infinite if unknown.

    Relative to `before`: first (k,), gain per unit of each row if nothing is moved; last (k,), gain of its last unit,
    or of a first one if it is not moved; worth (k,), loss without moving this row.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> both = kt.limits.LinearLimits("both", ("q1", "q2"), np.array([[1.0, 1.0]]), np.array([1.0]), ("sum",))
        >>> rows = [{"axis": [0, 0, 1], "qlim": [0, 1]}, {"axis": [0, 0, 1], "qlim": [0, 1]}]
        >>> plan = kt.limits.widen(kt.edit.add_limits(kt.chain(rows), [both]), {"sum": 0.5})
        >>> round(plan.before, 6), round(plan.after, 6)  # rad², of a unit square without a corner
        (0.5, 0.875)
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


@explain_type_errors
def widen(
    robot: Robot,
    most: Mapping[str, float],
    *,
    total: float | None = None,
    reach: str | None = None,
    base: str | None = None,
    samples: int = 1_000_000,
    cell: float = 0.02,
    progress: Progress = False,
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

    progress: True for a bar, or a function of the number of steps done and their total.

    Samples are the same at every call, so the result is too. Raises KinetreeError for unknown rows, amounts that are
    negative or not finite, a total over angles and lengths, and limits that allow nothing.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> rows = [name for name in icub.limits.row_names if name.startswith("left_arm")]
        >>> plan = kt.limits.widen(icub, dict.fromkeys(rows, 0.35), total=0.5)
        >>> round(plan.after / plan.before, 3)
        1.019
        >>> {row: round(by, 3) for row, by in zip(plan.rows, plan.by.tolist(), strict=True) if by > 1e-3}
        {'left_arm tendons 1 lower': 0.056, 'left_arm tendons 9 lower': 0.35, 'left_arm tendons 12 lower': 0.094}
    """
    if base is not None and reach is None:
        raise fail("widen", "base means nothing without a frame to reach")
    limits = robot.limits
    rows = _rows(robot, most)
    amounts = np.array([float(x) for x in most.values()])
    _check_amounts(robot, limits, rows, amounts, total)
    objective: AllowedVolume | Reach = AllowedVolume(limits, rows)
    if reach is not None:
        with reporting(progress):
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
        raise fail("widen", "expected one or more different rows")
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
            said = f"may be moved by {amount:g}; expected a finite amount from 0, in rad or m"
            raise fail("widen", said, element=f"limit {limits.row_names[row]!r}")
    if total is None:
        return
    if not 0 <= total < np.inf:
        raise fail("widen", f"total is {total:g}; expected a finite amount from 0, in rad or m")
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


CLOSE = 1e-6
"""Relative gain of volume, still possible, at which the search ends."""
MOST_CUTS = 2000
BESIDE = 1e-6
"""Step of the derivatives, relative to the reach of a row over the joints' ranges."""


class AllowedVolume:
    """Volume of the blocks of some rows, as a function of amounts x (k,) by which the rows are moved out."""

    def __init__(self, limits: Limits, rows: Array) -> None:
        self._limits, self._rows = limits, rows
        ranges = limits.upper - limits.lower
        self._sizes = np.where(np.isfinite(ranges), ranges, 1.0)
        for block in self._blocks(np.zeros(len(rows))):
            if len(block.columns) > polytope.EXACT:
                joints = ", ".join(limits.coordinate_names[i] for i in block.columns)
                message = f"{joints} are coupled; the room of more than {polytope.EXACT} together is not worked out"
                raise fail("widen", message, fix="ask for what a frame reaches")

    def value(self, x: Array) -> float:
        """Return the volume, a product of powers of rad and m."""
        return float(np.prod([polytope.volume(block.A, block.b) for block in self._blocks(x)]))

    def gains(self, x: Array, most: Array) -> Array:
        """Return the derivative of the volume by each amount: inwards for a row that is moved, outwards for others. The
        two differ if rows lie upon each other."""
        gains = np.zeros(len(x))
        for i in np.flatnonzero((x > 0) | (self._log_gradient(x) > 0)):
            beside = x.copy()
            row = self._rows[i]
            step = BESIDE * float(np.abs(self._limits.G[row]) @ self._sizes)
            beside[i] += -min(step, x[i]) if x[i] > 0 else step
            gains[i] = self.value(beside) * self._log_gradient(beside)[i]
        return gains

    def best(self, most: Array, total: float) -> tuple[Array, float]:
        """Return the best amounts, and the relative gain that others could still bring.

        Kelley's cutting planes on the logarithm of the volume, which is concave (Brunn & Minkowski): each step takes
        the tangent at the best x of the tangents so far.
        """
        x = found = most * min(1.0, total / most.sum())
        slopes, heights, best = [], [], -np.inf
        for _ in range(MOST_CUTS):
            height, slope = np.log(self.value(x)), self._log_gradient(x)
            if height > best:
                found, best = x, height
            slopes.append(slope)
            heights.append(height - slope @ x)
            x, bound = _highest(np.array(slopes), np.array(heights), most, total)
            if bound - best < CLOSE:
                break
        return found, float(np.expm1(max(bound - best, 0.0)))

    def least(self, x: Array) -> Array:
        """Return x with each row moved out only as far as the other limits let configurations come."""
        spared = x.copy()
        for i in range(len(spared)):
            for block in self._blocks(spared):
                (at,) = np.nonzero(block.rows == self._rows[i])
                if at.size:
                    row, bound = block.A[at[0]], block.b[at[0]]
                    farthest = polytope.support(np.delete(block.A, at[0], 0), np.delete(block.b, at[0]), row)
                    spared[i] = min(x[i], max(0.0, x[i] - (bound - farthest)))
        return spared

    def _blocks(self, x: Array) -> list[Block]:
        """Return the blocks that contain the rows, with the rows moved out by x."""
        h = self._limits.h.copy()
        h[self._rows] += x
        return [block for block in replace(self._limits, h=h).blocks if np.isin(self._rows, block.rows).any()]

    def _log_gradient(self, x: Array) -> Array:
        slope = np.zeros(len(self._limits.h))
        for block in self._blocks(x):
            per_unit = polytope.facet_areas(block.A, block.b) / np.linalg.norm(block.A, axis=1)
            slope[block.rows] = per_unit[: len(block.rows)] / polytope.volume(block.A, block.b)
        return slope[self._rows]


def _highest(slopes: Array, heights: Array, most: Array, total: float) -> tuple[Array, float]:
    """Return the x that maximises the least of heights + slopes x, and that value."""
    from scipy.optimize import linprog

    k = len(most)
    rows = np.vstack([np.c_[-slopes, np.ones(len(slopes))], np.r_[np.ones(k), 0.0]])
    bounds = [*((0.0, end) for end in most), (None, None)]
    solution = linprog(np.r_[np.zeros(k), -1.0], rows, np.r_[heights, total], bounds=bounds, method="highs")
    if not solution.success:
        raise fail("no-solution", f"the linear programme was not solved: {solution.message}")
    return solution.x[:k], -float(solution.fun)
