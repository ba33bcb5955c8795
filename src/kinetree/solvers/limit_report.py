"""What limits over several joints forbid, and when a motion is outside of any limit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from kinetree.model.limits import Block
from kinetree.model.robot import Robot
from kinetree.spatial import polytope
from kinetree.spatial.se3 import Array

MOST_CORNERS = 2**12


@dataclass(frozen=True, slots=True)
class RowShare:
    """A row: how much of the box it forbids by itself, from 0 to 1, and whether it forbids something that box and
    other rows do not."""

    name: str
    forbidden: float
    matters: bool


@dataclass(frozen=True, slots=True, eq=False)
class BlockReport:
    """Joints that rows couple. lower, upper (k,): their box. forbidden: how much of that the rows forbid, from 0 to 1.
    ball: the radius of the largest ball inside, in the units of q. safe_lower, safe_upper (k,): the largest box inside,
    which a controller with plain limits should keep. corners: those of the box that are forbidden, (n, k)."""

    joints: tuple[str, ...]
    lower: Array
    upper: Array
    rows: tuple[RowShare, ...]
    forbidden: float
    ball: float
    safe_lower: Array
    safe_upper: Array
    corners: Array


@dataclass(frozen=True, slots=True)
class Violation:
    """A limit that a motion is outside of: from sample `first` to `last`, both from 0, at the worst by `depth`, in the
    unit of the limit, at sample `worst`."""

    limit: str
    first: int
    last: int
    worst: int
    depth: float


def report(robot: Robot) -> list[BlockReport]:
    """What the rows of each block forbid. Raises KinetreeError where a coupled joint has no limit of its own, or where
    nothing is inside."""
    limits = robot.limits
    return [_report(limits.coordinate_names, limits.row_names, block) for block in limits.blocks]


def violations(robot: Robot, q: Array) -> list[Violation]:
    """When a motion q (n, nq) is outside of which limit: one for each stretch of samples, the earliest first."""
    limits = robot.limits
    margins = limits.margin(q)
    found = []
    for name, margin in zip(limits.names, margins.T, strict=True):
        for first, last in _stretches(margin < 0):
            worst = first + int(np.argmin(margin[first : last + 1]))
            found.append(Violation(name, first, last, worst, float(-margin[worst])))
    return sorted(found, key=lambda violation: violation.first)


def _report(coordinates: tuple[str, ...], names: tuple[str, ...], block: Block) -> BlockReport:
    lower, upper, eye = block.lower, block.upper, np.eye(len(block.columns))
    box_A, box_b = np.vstack([-eye, eye]), np.r_[-lower, upper]
    A, b = block.A[: len(block.rows)], block.b[: len(block.rows)]
    safe, whole = polytope.largest_box(block.A, block.b), polytope.volume(box_A, box_b)
    matter = polytope.rows_that_matter(A, b, box_A, box_b)
    rows = tuple(
        RowShare(
            names[row],
            1 - polytope.volume(np.vstack([box_A, A[i : i + 1]]), np.r_[box_b, b[i]]) / whole,
            i in matter,
        )
        for i, row in enumerate(block.rows)
    )
    return BlockReport(
        tuple(coordinates[i] for i in block.columns),
        lower,
        upper,
        rows,
        1 - polytope.volume(block.A, block.b) / whole,
        polytope.chebyshev_ball(block.A, block.b).radius,
        safe.lower,
        safe.upper,
        _forbidden_corners(lower, upper, A, b),
    )


def _forbidden_corners(lower: Array, upper: Array, A: Array, b: Array) -> Array:
    if 2 ** len(lower) > MOST_CORNERS:
        return np.zeros((0, len(lower)))
    corners = np.array(list(product(*zip(lower, upper, strict=True))))
    return np.asarray(corners[np.any(corners @ A.T > b, axis=1)])


def _stretches(outside: Array) -> Iterable[tuple[int, int]]:
    """First and last index of each run of True."""
    edges = np.flatnonzero(np.diff(np.r_[0, outside.astype(int), 0]))
    return zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True)
