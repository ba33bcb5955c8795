"""Limits on q: a box and rows `G q <= h`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.se3 import Array, frozen

if TYPE_CHECKING:
    from kinetree.model.robot import Robot


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """lower <= q <= upper and G q <= h; lower, upper (nq,), G (m, nq), h (m,), names of the rows (m)."""

    coordinate_names: tuple[str, ...]
    lower: Array
    upper: Array
    G: Array
    h: Array
    row_names: tuple[str, ...]

    def margin(self, q: Any) -> Array:
        """The least slack (…,) of q (…, nq) over all limits, in their own units; negative outside."""
        q = np.asarray(q, dtype=float)
        if q.ndim == 0 or q.shape[-1] != len(self.lower):
            names = ", ".join(self.coordinate_names)
            raise fail("q-shape", f"q has shape {q.shape}; legal is (…, {len(self.lower)}), in this order: {names}")
        slack = np.concatenate([q - self.lower, self.upper - q, self.h - q @ self.G.T], axis=-1)
        return np.asarray(np.min(slack, axis=-1, initial=np.inf))

    def contains(self, q: Any) -> Array:
        """Whether q (…, nq) is inside, (…,) of bool: margin(q) >= 0."""
        return np.asarray(self.margin(q) >= 0)


def resolve_mimic(robot: Robot, name: str, until: Collection[str] = ()) -> tuple[str, float, float]:
    """(leader, multiplier, offset) with q_joint = multiplier * q_leader + offset, through chains of mimics.

    until: leaders at which to stop, though they follow another; the joint itself is not one of them.
    """
    multiplier, offset = 1.0, 0.0
    joint = robot.joints[name]
    while joint.mimic and (joint.name == name or joint.name not in until):
        offset += multiplier * joint.mimic.offset
        multiplier *= joint.mimic.multiplier
        joint = robot.joints[joint.mimic.joint]
    return joint.name, multiplier, offset


def robot_limits(robot: Robot) -> Limits:
    """The limits of a robot; a follower's become rows on its leader."""
    lower, upper = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)
    slices = robot.q_slices
    rows: list[tuple[str, dict[str, float], float]] = []
    for joint in robot.joints.values():
        if joint.mimic:
            rows += _two_sided(joint.name, {joint.name: 1.0}, joint.limit.lower, joint.limit.upper)
        elif joint.limits and joint.kind.nq == len(joint.limits):
            where = slices[joint.name]
            lower[where] = [limit.lower for limit in joint.limits]
            upper[where] = [limit.upper for limit in joint.limits]
    for coupled in robot.coupled_limits:
        rows += _two_sided(coupled.name, dict(coupled.coefficients), coupled.lower, coupled.upper)
    G, h = np.zeros((len(rows), robot.nq)), np.zeros(len(rows))
    for i, (_, coefficients, bound) in enumerate(rows):
        h[i] = bound
        for name, coefficient in coefficients.items():
            leader, multiplier, offset = resolve_mimic(robot, name)
            G[i, slices[leader]] += coefficient * multiplier
            h[i] -= coefficient * offset
    names = tuple(name for name, _, _ in rows)
    return Limits(robot.coordinate_names, frozen(lower), frozen(upper), frozen(G), frozen(h), names)


def _two_sided(
    name: str, coefficients: dict[str, float], lower: float, upper: float
) -> list[tuple[str, dict[str, float], float]]:
    rows = []
    if upper < np.inf:
        rows.append((f"{name} upper", coefficients, upper))
    if lower > -np.inf:
        rows.append((f"{name} lower", {k: -v for k, v in coefficients.items()}, -lower))
    return rows
