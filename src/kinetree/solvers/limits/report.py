"""Reports on coupled limits, and on the limits that a motion violates."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from kinetree.model.limits import Block, Limits, box_volume, limits_about
from kinetree.model.robot import Robot
from kinetree.spatial import Array, polytope
from kinetree.spatial.monte_carlo import Estimate

MOST_CORNERS = 2**12


@dataclass(frozen=True, slots=True)
class RowShare:
    """Effect of a row: `forbidden`, the share of the box that it forbids by itself, from 0 to 1; and `matters`, whether
    it forbids something that the box and the other rows allow."""

    name: str
    forbidden: float
    matters: bool


@dataclass(frozen=True, slots=True, eq=False)
class BlockReport:
    """Report on a block of coupled joints.

    lower, upper (k,): their box. ball: radius of the largest ball inside, in the units of q.
    forbidden: share of the box that the rows forbid, from 0 to 1; forbidden_error: its standard error, 0 if exact.
    safe_lower, safe_upper (k,): the largest box inside, for controllers with plain limits.
    vertices (v, k): corners of the allowed set, none for more than 6 joints.
    corners (n, k): forbidden corners of the box. nearest (n, k): the vertex nearest to each, if there are any.
    """

    joints: tuple[str, ...]
    lower: Array
    upper: Array
    rows: tuple[RowShare, ...]
    forbidden: float
    forbidden_error: float
    ball: float
    safe_lower: Array
    safe_upper: Array
    vertices: Array
    corners: Array
    nearest: Array


@dataclass(frozen=True, slots=True)
class Violation:
    """A limit that a motion violates from sample `first` to `last`, from 0; `depth` is the largest violation, in the
    limit's unit, at sample `worst`."""

    limit: str
    first: int
    last: int
    worst: int
    depth: float


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # limits may be as large as numbers can be
def report(robot: Robot) -> list[BlockReport]:
    """Return a report on each block of coupled joints. If nothing is allowed, ball <= 0 and the safe box is NaN.
    Raises KinetreeError for a coupled joint without a range of its own."""
    limits = robot.limits
    for block in several(robot):
        box_volume(limits, block.columns, "box")
    return [_report(limits, block, block.volume) for block in several(robot)]


def several(robot: Robot) -> list[Block]:
    """Return the blocks of several coordinates; a follower's limits make a block of its leader alone."""
    return [block for block in robot.limits.blocks if len(block.columns) > 1]


def units(robot: Robot) -> tuple[str, ...]:
    """Return the unit of each of `robot.limits.names`: "rad", "m", "" for a number of a quaternion, or "rad, m" for a
    row over both."""
    angular = np.array([is_angle for name in robot.joint_names for is_angle in robot.joints[name].kind.angular])
    ends = ["rad" if a else "m" for a in angular]
    for start in robot.limits.quaternions:
        ends[start : start + 4] = [""] * 4
    rows = [{"rad" if a else "m" for a in angular[row != 0]} for row in robot.limits.G]
    return (*ends, *ends, *("rad" if "m" not in kinds else "m" if "rad" not in kinds else "rad, m" for kinds in rows))


def violations(robot: Robot, q: Array, names: Collection[str] | None = None) -> list[Violation]:
    """Return the violations of a motion q (n, nq): one for each limit and run of samples, the earliest first.

    names: the coordinates whose limits to check; all by default.
    """
    limits = robot.limits
    margins = limits.margin(q)
    columns = [i for i, name in enumerate(robot.coordinate_names) if names is None or name in names]
    found = []
    for name, margin in [
        (n, m) for n, m, a in zip(limits.names, margins.T, limits_about(limits, columns), strict=True) if a
    ]:
        for first, last in _stretches(margin < 0):
            worst = first + int(np.argmin(margin[first : last + 1]))
            found.append(Violation(name, first, last, worst, float(-margin[worst])))
    return sorted(found, key=lambda violation: violation.first)


def _report(limits: Limits, block: Block, allowed: Estimate) -> BlockReport:
    lower, upper, k = block.lower, block.upper, len(block.columns)
    box_A, box_b = _box(lower, upper)
    A, b = block.A[: len(block.rows)], block.b[: len(block.rows)]
    ball = polytope.chebyshev_ball(block.A, block.b).radius
    room = not polytope.is_flat(block.A, block.b)
    nowhere = np.full(k, np.nan)
    safe = polytope.largest_box(block.A, block.b) if room else polytope.Box(nowhere, nowhere)
    matter = polytope.rows_that_matter(A, b, box_A, box_b)
    whole = float(np.prod(upper - lower))
    corners = _forbidden_corners(lower, upper, A, b)
    vertices = polytope.vertices(block.A, block.b) if room and k <= polytope.EXACT else np.zeros((0, k))
    nearest = [vertices[np.argmin(np.linalg.norm(vertices - x, axis=1))] for x in corners if len(vertices)]
    return BlockReport(
        joints=tuple(limits.coordinate_names[i] for i in block.columns),
        lower=lower,
        upper=upper,
        rows=tuple(
            RowShare(limits.row_names[row], _forbidden_by(A[i], b[i], lower, upper), i in matter)
            for i, row in enumerate(block.rows)
        ),
        forbidden=min(max(0.0, 1 - allowed / whole), 1.0),
        forbidden_error=allowed.error / whole,
        ball=ball,
        safe_lower=safe.lower,
        safe_upper=safe.upper,
        vertices=vertices,
        corners=corners,
        nearest=np.array(nearest).reshape(-1, k),
    )


def _box(lower: Array, upper: Array) -> tuple[Array, Array]:
    eye = np.eye(len(lower))
    return np.vstack([-eye, eye]), np.r_[-lower, upper]


def _forbidden_by(row: Array, bound: float, lower: Array, upper: Array) -> float:
    """Return the share of the box that one row forbids; only the row's own coordinates matter."""
    own = np.flatnonzero(row)
    box_A, box_b = _box(lower[own], upper[own])
    allowed = polytope.measure(np.vstack([box_A, row[own]]), np.r_[box_b, bound])
    return max(0.0, 1 - allowed / float(np.prod(upper[own] - lower[own])))


def _forbidden_corners(lower: Array, upper: Array, A: Array, b: Array) -> Array:
    if 2 ** len(lower) > MOST_CORNERS:
        return np.zeros((0, len(lower)))
    corners = np.array(list(product(*zip(lower, upper, strict=True))))
    rounding = 1e-12 * (np.abs(corners) @ np.abs(A).T + np.abs(b))
    return np.asarray(corners[np.any(corners @ A.T > b + rounding, axis=1)])


def _stretches(outside: Array) -> Iterable[tuple[int, int]]:
    """Return the first and last index of each run of True."""
    edges = np.flatnonzero(np.diff(np.r_[0, outside.astype(int), 0]))
    return zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True)
