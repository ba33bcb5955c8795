"""Joints that follow others: by a factor and an offset, or by a polynomial, through chains of followers."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kinetree.errors import fail

if TYPE_CHECKING:
    from kinetree.model.robot import Joint, Robot

ROUNDING = 1e-9
"""Distance of a follower from its limit, in rad or m, where a polynomial only touches it."""


def resolve_mimic(robot: Robot, name: str) -> tuple[str, float, float]:
    """Return (leader, multiplier, offset) with q_joint = multiplier * q_leader + offset, through chains of mimics.

    Raises KinetreeError if the joint follows by a polynomial.
    """
    leader, coefficients = mimic_polynomial(robot, name)
    if len(coefficients) > 2:
        message = f"follows {leader!r} by a polynomial, and only a factor and an offset are known here"
        fix = "without=('mimic',), or --without mimic, frees followers"
        raise fail("mimic", message, element=f"joint {name!r}", fix=fix)
    return leader, coefficients[1], coefficients[0]


def mimic_polynomial(robot: Robot, name: str, until: Collection[str] = ()) -> tuple[str, list[float]]:
    """Return (leader, coefficients) with q_joint = c0 + c1 q_leader + c2 q_leader² …, through chains of mimics.

    until: leaders at which to stop, though they follow another; the joint itself is not one of them.
    """
    known = {} if until else robot._polynomials
    joint, followers = robot.joints[name], []
    while joint.mimic and joint.name not in known and (joint.name == name or joint.name not in until):
        followers.append((joint.name, joint.mimic))
        joint = robot.joints[joint.mimic.joint]
    leader, coefficients = known.get(joint.name) or (joint.name, [0.0, 1.0])
    for follower, mimic in reversed(followers):
        outer = [mimic.offset, mimic.multiplier, *mimic.higher]
        if len(outer) == 2:
            coefficients = [outer[0] + outer[1] * coefficients[0], *(outer[1] * c for c in coefficients[1:])]
        else:
            coefficients = np.polynomial.Polynomial(outer)(np.polynomial.Polynomial(coefficients)).coef.tolist()
        known[follower] = leader, coefficients
    return leader, coefficients


def leader_ranges(robot: Robot, joint: Joint) -> tuple[str, list[tuple[float, float]]]:
    """Return the leader of a follower by a polynomial, and its ranges in which both are inside their limits, the
    nearest to zero first. A range may end beyond the limits of the leader."""
    leader, coefficients = mimic_polynomial(robot, joint.name)
    value, limit = np.polynomial.Polynomial(coefficients), robot.joints[leader].limit
    start = min(max(0.0, limit.lower), limit.upper)
    ends = [end for end in (joint.limit.lower, joint.limit.upper) if np.isfinite(end)]
    roots = [root for end in ends for root in (value - end).roots()]
    edges = [-np.inf, *sorted(float(root.real) for root in roots if abs(root.imag) < 1e-9), np.inf]
    found: list[tuple[float, float]] = []
    for low, high in pairwise(edges):
        near = [end for end in (low, high) if np.isfinite(end)] or [start]
        middle = (near[0] + near[-1]) / 2 + np.isinf(high) - np.isinf(low)  # 1 beyond the only end
        if joint.limit.lower - ROUNDING <= value(middle) <= joint.limit.upper + ROUNDING:
            found.append((found.pop()[0], high) if found and found[-1][1] == low else (low, high))
    inside = [(low, high) for low, high in found if max(low, limit.lower) <= min(high, limit.upper)]
    return leader, sorted(inside, key=lambda ends: max(ends[0] - start, start - ends[1], 0.0))
