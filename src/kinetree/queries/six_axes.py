"""Recognition of arms of six revolute joints that have closed-form inverse kinematics."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from kinetree.algorithms.closed_form import SixAxes
from kinetree.algorithms.kinematics import path_between
from kinetree.algorithms.serial import SerialChain, serial_chain
from kinetree.model.robot import Robot
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array

NEARLY = 1e-3
"""Largest distance between lines that meet, relative to the length of the arm, and largest angle between parallel
lines, rad. The error is small, and steps of the search correct it."""
CLEARLY = 0.05
"""Least sine between lines that are not parallel, and least relative length of links; both are divisors."""

SHORTEST = 1e-6
"""Least length of links, m: a divisor, far above what `_tidy` rounds away."""


def six_axes(robot: Robot, frame: str, base: str) -> SixAxes | None:
    """Return the closed form from base to frame, or None. An arm has one if six revolute joints, without followers
    among them, belong to a known family, counted from either end."""
    bodies = tree(robot)
    up, down = path_between(bodies, bodies.frame(base)[0], bodies.frame(frame)[0])
    joints = [robot.joints[bodies.joints[i]] for i in (*up, *down)]
    if len(joints) != 6 or any(j.kind.angular != (True,) or j.pitch or j.mimic for j in joints):
        return None
    columns = [robot.q_slices[joint.name].start for joint in joints]
    order = tuple(sorted(columns).index(j) for j in columns)
    for start, end, is_reversed in ((base, frame, False), (frame, base, True)):
        arm = _recognised(serial_chain(robot, start, end))
        if arm:
            return replace(arm, is_reversed=is_reversed, order=order)
    return None


def _recognised(chain: SerialChain) -> SixAxes | None:
    h = np.array([joint.direction for joint in chain.joints])
    a = np.array([joint.T[:3, 3] for joint in chain.joints])
    length = float(sum(np.linalg.norm(q - p) for p, q in pairwise(a)))
    if not _sine(h, 1, 2) < NEARLY or not all(_sine(h, i, j) > CLEARLY for i, j in ((0, 1), (3, 4), (4, 5))):
        return None
    if _sine(h, 1, 3) < NEARLY:
        family, parallel, meeting, ends = "parallel", [1, 2, 3], [4, 5], (1, 2, 3)
    else:
        family, parallel, meeting, ends = "wrist", [1, 2], [3, 4, 5], (1, 2, 5)
    point, off = _meeting(h[meeting], a[meeting])
    if off > NEARLY * length:
        return None
    a[meeting] = point
    signs = np.ones(6)
    signs[parallel] = np.sign(h[parallel] @ h[1])
    h[parallel] = signs[parallel, None] * h[1]
    links = [np.linalg.norm(np.cross(h[1], a[j] - a[i])) for i, j in pairwise(ends)]
    if min(links) < max(CLEARLY * length, SHORTEST):
        return None
    aslant = max(float(np.linalg.norm(np.cross(h[1], chain.joints[i].direction))) for i in parallel)
    return _turned(chain.T_tip, h, a, signs, family, max(off / length, aslant, WHOLE))


def _turned(T_tip: Array, h: Array, a: Array, signs: Array, family: str, deviation: float) -> SixAxes:
    """Return the arm in axes in which most numbers are 0 and 1."""
    x = _across(h[0], h[1])
    R = np.array([x, np.cross(h[1], x), h[1]])
    v = _across(h[4], h[5])
    R_tip, p_tip = T_tip[:3, :3], T_tip[:3, 3]
    p = a[0]
    return SixAxes(
        family=family,
        is_reversed=False,
        h=_tidy(h @ R.T),
        a=_tidy((a - p) @ R.T),
        v=_tidy(R @ v),
        R=_tidy(R),
        p=_tidy(p),
        point=_tidy((a[5] - p_tip) @ R_tip),
        ahead=_tidy(h[5] @ R_tip),
        aside=_tidy(v @ R_tip),
        signs=signs,
        order=(),
        deviation=deviation,
    )


WHOLE = 1e-9
"""Distance from an integer below which a number of a closed form is rounded to it."""


def _tidy(values: Array) -> Array:
    """Return the values with those that are nearly integers rounded to them."""
    whole = np.round(values)
    return np.where(np.abs(values - whole) < WHOLE, whole, values) + 0.0


def _sine(h: Array, i: int, j: int) -> float:
    return float(np.linalg.norm(np.cross(h[i], h[j])))


def _across(u: Array, h: Array) -> Array:
    """Return the direction of the part of u perpendicular to h."""
    rest = u - (u @ h) * h
    return np.asarray(rest / np.linalg.norm(rest))


def _meeting(h: Array, a: Array) -> tuple[Array, float]:
    """Return the point nearest to all lines, and the distance of the farthest line."""
    across = np.array([np.eye(3) - np.outer(u, u) for u in h])
    point = np.linalg.solve(across.sum(axis=0), np.einsum("nij,nj->i", across, a))
    return point, float(np.linalg.norm(np.einsum("nij,nj->ni", across, point - a), axis=-1).max())
