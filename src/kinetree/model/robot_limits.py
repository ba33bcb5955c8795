"""Limits on q of a robot, from those of its joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetree.model.limits import Limits
from kinetree.model.mimic import leader_ranges, mimic_polynomial, resolve_mimic
from kinetree.spatial.se3 import frozen

if TYPE_CHECKING:
    from kinetree.model.robot import Robot


def robot_limits(robot: Robot) -> Limits:
    """Return the limits of a robot; a follower's become rows on its leader."""
    lower, upper = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)
    slices, angles = robot.q_slices, np.zeros(robot.nq, bool)
    rows: list[tuple[str, dict[str, float], float]] = []
    for joint in robot.joints.values():
        if joint.mimic and len(mimic_polynomial(robot, joint.name)[1]) > 2:
            leader, ranges = leader_ranges(robot, joint)
            rows += _two_sided(joint.name, {leader: 1.0}, *(ranges or [(1.0, -1.0)])[0])
        elif joint.mimic:
            rows += _two_sided(joint.name, {joint.name: 1.0}, joint.limit.lower, joint.limit.upper)
        elif joint.limits and joint.kind.nq == len(joint.limits):
            where = slices[joint.name]
            lower[where] = [limit.lower for limit in joint.limits]
            upper[where] = [limit.upper for limit in joint.limits]
        if joint.name in slices and not joint.mimic and not joint.pitch:
            angles[slices[joint.name]] = joint.kind.angular
    for coupled in robot.coupled_limits:
        label = f"limit {coupled.name}" if coupled.name in robot.joints else coupled.name
        rows += _two_sided(label, dict(coupled.coefficients), coupled.lower, coupled.upper)
    G, h = np.zeros((len(rows), robot.nq)), np.zeros(len(rows))
    for i, (_, coefficients, bound) in enumerate(rows):
        h[i] = bound
        for name, coefficient in coefficients.items():
            leader, multiplier, offset = resolve_mimic(robot, name)
            G[i, slices[leader]] += coefficient * multiplier
            h[i] -= coefficient * offset
    names = tuple(name for name, _, _ in rows)
    endless = np.flatnonzero(angles & np.isneginf(lower) & np.isposinf(upper))
    turning = tuple(robot.coordinate_names[i] for i in endless)
    balls = [(j.name, j.kind.quaternion) for j in robot.joints.values() if j.kind.quaternion and j.name in slices]
    starts = tuple(slices[name].start + quaternion.start for name, quaternion in balls)
    return Limits(robot.coordinate_names, frozen(lower), frozen(upper), frozen(G), frozen(h), names, turning, starts)


def _two_sided(
    name: str, coefficients: dict[str, float], lower: float, upper: float
) -> list[tuple[str, dict[str, float], float]]:
    rows = []
    if upper < np.inf:
        rows.append((f"{name} upper", coefficients, upper))
    if lower > -np.inf:
        rows.append((f"{name} lower", {k: -v for k, v in coefficients.items()}, -lower))
    return rows
