"""Comparison of the limits of two robots."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isinf

import numpy as np

from kinetree.model.robot import UNLIMITED, Limit, Robot
from kinetree.solvers.compare.bodies import Pair
from kinetree.solvers.compare.difference import Difference, Sides
from kinetree.spatial.se3 import Array

KINDS = ("position", "velocity", "effort")


def compare_limits(sides: Sides) -> list[Difference]:
    """Return the differences of joint limits and coupled limits. If only one robot has any limits on velocity or
    effort, that is a remark, because tables seldom have them."""
    spoken_a, spoken_b = _spoken(sides.robot_a), _spoken(sides.robot_b)
    found = [
        Difference(
            "limit",
            "limits",
            f"only the {'first' if kind in spoken_a else 'second'} robot has {kind} limits",
            counts=kind == "position",
        )
        for kind in KINDS
        if (kind in spoken_a) != (kind in spoken_b)
    ]
    both = [kind for kind in KINDS if kind in spoken_a and kind in spoken_b]
    leaders = {pair.a for pair in sides.leaders}
    for pair in sides.moving:  # the range of a follower is a row on its leader
        found += _joint(sides, pair, [kind for kind in both if kind != "position" or pair.a in leaders])
    return found + _rows(sides)


def _spoken(robot: Robot) -> set[str]:
    """Return the kinds of limits that any joint of the robot has."""
    limits = [limit for joint in robot.joints.values() for limit in joint.limits]
    return {kind for kind in KINDS if any(not all(map(isinf, _numbers(limit, kind))) for limit in limits)}


def _numbers(limit: Limit, kind: str) -> tuple[float, ...]:
    """Return (lower, upper) of a position, (value,) of velocity or effort."""
    if kind == "position":
        return limit.lower, limit.upper
    value: float = getattr(limit, kind)
    return (value,)


def _joint(sides: Sides, pair: Pair, kinds: list[str]) -> list[Difference]:
    a = sides.robot_a.joints[sides.tree_a.joints[pair.a]]
    b = sides.robot_b.joints[sides.tree_b.joints[pair.b]]
    if a.kind.nv != b.kind.nv:
        return []  # the difference of types is reported elsewhere
    found = []
    for i, name in enumerate(a.kind.velocities):
        for kind in kinds:
            ours = _numbers(a.limits[i] if a.limits else UNLIMITED, kind)
            theirs = _numbers(b.limits[i] if b.limits else UNLIMITED, kind)
            if kind == "position":  # q_a = sign (q_b - offset), which for a negative sign swaps the bounds
                theirs = tuple((x - pair.offset) * pair.sign for x in theirs[:: int(pair.sign)])
            if all(_close(x, y, sides) for x, y in zip(ours, theirs, strict=True)):
                continue
            of = f"{kind} limit" + (f" of {name}" if name else "")
            amount = max(abs(x - y) for x, y in zip(ours, theirs, strict=True) if x != y)
            message = f"its {of} is {_say(ours)}, in the second robot {_say(theirs)}"
            if kind == "position" and (pair.sign < 0 or pair.offset):
                message += " in the same coordinate"
            found.append(Difference("limit", sides.joint_label(pair), message, amount if amount < inf else None))
    return found


def _close(x: float, y: float, sides: Sides) -> bool:
    return x == y or abs(x - y) <= max(sides.tolerance, sides.relative * min(abs(x), abs(y))) < inf


def _say(numbers: Sequence[float]) -> str:
    return " to ".join(f"{x:.6g}" for x in numbers)


def _rows(sides: Sides) -> list[Difference]:
    """Return the rows G q <= h that only one robot has, converted to the coordinates of the first."""
    limits_a, limits_b = sides.robot_a.limits, sides.robot_b.limits
    S, d = sides.coordinate_map()
    rows_a = _unit_rows(limits_a.G, limits_a.h)
    rows_b = _unit_rows(limits_b.G @ S, limits_b.h - limits_b.G @ d)
    found = []
    for names, rows, others, which in (
        (limits_a.row_names, rows_a, rows_b, "first"),
        (limits_b.row_names, rows_b, rows_a, "second"),
    ):
        for name, row in zip(names, rows, strict=True):
            if not any(np.allclose(row, other, rtol=sides.relative, atol=sides.tolerance) for other in others):
                found.append(Difference("limit", f"limit {name!r}", f"only the {which} robot has it"))
    return found


def _unit_rows(G: Array, h: Array) -> Array:
    """Return rows (G, h) scaled so that the largest coefficient is one."""
    scale = np.abs(G).max(axis=1, initial=0.0)
    scale[scale == 0] = 1.0
    with np.errstate(over="ignore"):  # an infinite bound limits nothing
        return np.asarray(np.hstack([G, h[:, None]]) / scale[:, None])
