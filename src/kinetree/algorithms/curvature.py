"""Second derivatives of what goals pull at: what the squares of linearised errors (Gauss & Newton) leave out.

Of two coordinates a and b of which a carries b, the velocity v_b that b gives to a point changes at w_a x v_b while a
turns at w_a, and its angular velocity at w_a x w_b. So a force f and a moment m on a frame contribute
-w_a . (v_b x f + w_b x m / 2). The half is that of the rotation vector, which is an error in coordinates of its own.
An axis d of the frame changes at d_b = w_b x d. What pulls at it is a force on its end, and what pulls at both d and
the place of the frame, or at d twice, also contributes products of their rates.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.differential import twists
from kinetree.algorithms.dynamics.momentum import mass_center
from kinetree.algorithms.goals import GOALS, Goal
from kinetree.algorithms.kinematics import forward_kinematics, path_between
from kinetree.algorithms.vectors import cross, dot
from kinetree.model.tree import Tree

FLAT = 1e-4
"""Least squared length of an axis, as seen along that of a heading, at which its curvature is exact."""
Entries = dict[tuple[int, int], Any]
"""Numbers to add at (a, b) and (b, a) of a symmetric matrix, by the places a <= b of coordinates in a list."""


def curvature(
    tree: Tree,
    goals: Sequence[Goal],
    rates: Sequence[int],
    q: Any,
    targets: Sequence[Any],
    pulls: Sequence[Sequence[Any]],
) -> Entries:
    """Return the second derivatives (n, n) of the errors of goals over these coordinates of qd, at q (nq,), without
    those of a centre of mass that is seen from a moving base. Those of a hard pointing goal hold along motions that
    keep it reached. pulls: for each goal a number for each of its rows, the force along its error."""
    found: Entries = {}
    for goal, target, pull in zip(goals, targets, pulls, strict=True):
        if goal.kind == "center_of_mass" and tree.frame(goal.base)[0] < 0:
            _add_masses(found, tree, goal, rates, q, pull)
        elif GOALS[goal.kind].has_frame:
            _add_frame(found, tree, goal, rates, q, target, pull)
    return found


def _add(found: Entries, a: int, b: int, x: Any) -> None:
    pair = (min(a, b), max(a, b))
    found[pair] = found.get(pair, 0.0) + x


def _add_frame(
    found: Entries, tree: Tree, goal: Goal, rates: Sequence[int], q: Any, target: Any, pull: Sequence[Any]
) -> None:
    """Add the entries of a goal of a frame, seen from its base: joints nearer to the base carry the others."""
    (T,) = forward_kinematics(tree, q, [goal.frame], goal.base)
    axis, force, end, moment, both = _pulled(goal, T, target, pull)
    way = twists(tree, q, goal.frame, goal.base)
    turned = [cross(one.w, axis) for one in way]
    for y, (j, carried, v, w) in enumerate(way):
        terms = zip(cross(v, force), cross(turned[y], end), cross(w, moment), strict=True)
        pulled = [a + b + 0.5 * c for a, b, c in terms]
        for x, other in enumerate(way):
            if (x < carried or x == y) and j in rates and other.coordinate in rates:
                is_mutual = x != y and y < other.carried  # two of one joint with a quaternion
                share = (0.5 if is_mutual else 1.0) * (2.0 if j == other.coordinate and x != y else 1.0)
                size = dot(other.w, pulled) + both(turned[x], other.v, turned[y], v)
                _add(found, rates.index(j), rates.index(other.coordinate), -share * size)


Product = Callable[[Any, Any, Any, Any], Any]


def _pulled(goal: Goal, T: Any, target: Any, pull: Sequence[Any]) -> tuple[Any, Any, Any, Any, Product]:
    """Return an axis of the frame, in the base's axes, the forces on the frame and on the end of the axis, the moment,
    and the contribution of rates d_a, v_a, d_b, v_b of the axis and the frame."""
    zero, none = [0.0] * 3, lambda *_: 0.0
    if goal.kind == "heading":
        return _heading(goal, T, pull[0])
    axis = list(T[:3, :3] @ np.array(goal.axis))
    if goal.kind != "pointing":
        force, moment = _wrench(goal, pull, T[:3, :3] if goal.expressed_in == "frame" else np.eye(3))
        return axis, force, zero, moment, none
    if goal.weight is not None:
        return axis, zero, pull, zero, none
    way = [target[i] - T[i, 3] for i in range(3)]
    distance = np.sqrt(np.maximum(dot(way, way), 1e-18))
    near = [x / distance for x in pull]
    both = lambda d, v, e, u: dot(near, [a + b for a, b in zip(cross(d, u), cross(e, v), strict=True)])  # noqa: E731
    return axis, cross(near, axis), cross(pull, [x / distance for x in way]), zero, both


def _heading(goal: Goal, T: Any, pull: Any) -> tuple[Any, Any, Any, Any, Product]:
    """Return what `_pulled` does: the angle of the axis has derivatives by its two components."""
    i = (goal.axis.index(1.0) + 1) % 3
    j = (i + 1) % 3
    x, y = T[i, i], T[j, i]
    scale = 1.0 / np.maximum(x * x + y * y, FLAT)
    force: list[Any] = [0.0] * 3
    force[i], force[j] = -pull * scale * y, pull * scale * x
    a, b = 2.0 * pull * scale * scale * x * y, pull * scale * scale * (y * y - x * x)
    both: Product = lambda d, _, e, __: a * (d[i] * e[i] - d[j] * e[j]) + b * (d[i] * e[j] + d[j] * e[i])  # noqa: E731
    return list(T[:3, i]), [0.0] * 3, force, [0.0] * 3, both


def _wrench(goal: Goal, pull: Sequence[Any], R: Any) -> tuple[list[Any], list[Any]]:
    """Return the force and the moment of a goal, turned by R."""
    wrench: list[Any] = [0.0] * 6
    used = [i for i in GOALS[goal.kind].weights if goal.weights[i]]
    for i, x in zip(used, pull, strict=True):
        wrench[i] = x
    return list(R @ np.array(wrench[:3])), list(R @ np.array(wrench[3:]))


def _add_masses(found: Entries, tree: Tree, goal: Goal, rates: Sequence[int], q: Any, pull: Sequence[Any]) -> None:
    """Add the entries of a centre of mass: every joint carries those behind it on its branch."""
    (base,) = forward_kinematics(tree, q, [goal.base])
    force, _ = _wrench(goal, pull, base[:3, :3])
    way = [twist for twist in mass_center(tree, q)[1] if twist[0] in rates]
    for y, (j, body, v, _) in enumerate(way):
        pulled, above = cross(v, force), path_between(tree, -1, tree.parent[body])[1]
        for x, (k, other, _, w) in enumerate(way):
            is_mutual = other == body and not tree.joint_type[body].successive
            if other in above or is_mutual or (other == body and x <= y):
                share = (0.5 if is_mutual and x != y else 1.0) * (2.0 if j == k and x != y else 1.0)
                _add(found, rates.index(j), rates.index(k), -share * dot(w, pulled))
