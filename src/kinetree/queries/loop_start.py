"""The posture from which loops are closed by default."""

from functools import partial
from typing import Any

import numpy as np

from kinetree.algorithms.closing import Roles, demands, loop_jacobian, room
from kinetree.compiler.port import Port
from kinetree.model.drawn import drawn_posture
from kinetree.model.robot import Robot, slices
from kinetree.model.tree import Tree
from kinetree.queries.dynamics import difference, integrate
from kinetree.queries.query import query
from kinetree.spatial.se3 import Array

DEAD = 1e-5
"""Part of a column of the loops' Jacobian outside of the others, below which q counts as a dead centre."""
STARTS, STEPS = 100, 60
CLOSED = 1e-10
"""Largest demand of a closed loop, m and of sines of angles."""
SLACK = 1e-9


def start_of(robot: Robot, roles: Roles) -> Array:
    """Return q (nq,): where the file draws the robot, or, if that is outside the limits or at a dead centre, the
    closed posture inside the limits that is nearest to the middle of the ranges of what is outside."""
    limits, drawn = robot.limits, drawn_posture(robot)
    outside = (drawn < limits.lower - SLACK) | (drawn > limits.upper + SLACK)
    about = query(
        robot,
        ("loop_search", roles.key),
        roles.ends,
        (Port("e", (_count(roles),)), Port("J", (_count(roles), len(roles.following))), Port("room", ())),
        partial(_searched, roles),
    )
    if not outside.any() and about.interpret(drawn).room > DEAD**2:
        return drawn
    middle = np.where(outside, robot.q(), drawn)
    following, add = list(roles.following), integrate(robot)
    q = add.interpret(middle, _spread(robot, roles))
    for _ in range(STEPS):
        e, J, _ = about.interpret(q)
        damping = (e * e).sum(axis=-1)[:, None, None] * np.eye(len(following))
        A = J.swapaxes(-1, -2) @ J + damping + 1e-14 * np.eye(len(following))
        v = np.zeros((len(q), robot.nv))
        v[:, following] = -np.linalg.solve(A, (J.swapaxes(-1, -2) @ e[..., None]))[..., 0]
        q = add.interpret(q, v)
    e, _, left = about.interpret(q)
    inside = ((q >= limits.lower - SLACK) & (q <= limits.upper + SLACK)).all(axis=-1)
    good = (np.abs(e).max(axis=-1, initial=0.0) < CLOSED) & (left > DEAD**2) & inside
    if not good.any():
        return drawn
    far = difference(robot).interpret(middle, q[good])
    nearest: Array = q[good][np.argmin((far * far).sum(axis=-1))]
    return nearest


def _spread(robot: Robot, roles: Roles) -> Array:
    """Return motions (…, nv) of the following joints to places all over their ranges, the first of which is zero."""
    v = np.zeros((STARTS, robot.nv))
    draws = np.random.default_rng(0).uniform(-1.0, 1.0, v.shape)
    for name, where in slices(robot, "nv").items():
        turns = np.where(robot.joints[name].kind.velocity_angular, np.pi, 0.3)
        v[1:, where] = (draws[:, where] * turns)[1:]
    v[:, sorted({*range(robot.nv)} - {*roles.following})] = 0.0
    return v


def _count(roles: Roles) -> int:
    return sum(len(loop.kind.rows(loop.axes, np.eye(4))) for loop in roles.loops if loop.kind.rows)


def _searched(roles: Roles, model: Tree, q: Any) -> Any:
    J = loop_jacobian(model, q, roles.loops)[:, list(roles.following)]
    return np.array(demands(model, q, roles.loops)), J, np.asarray(room(model, roles, q))
