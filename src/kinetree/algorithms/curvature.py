"""Second derivatives of what goals pull at: what the squares of linearised errors (Gauss & Newton) leave out.

Of two coordinates a and b of which a carries b, the velocity v_b that b gives to a point changes at w_a x v_b while a
turns at w_a, and its angular velocity at w_a x w_b. So a force f and a moment m on a frame contribute
-w_a . (v_b x f + w_b x m / 2). The half is that of the rotation vector, which is an error in coordinates of its own.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.differential import twists
from kinetree.algorithms.dynamics.momentum import mass_center
from kinetree.algorithms.goals import GOALS, Goal
from kinetree.algorithms.kinematics import forward_kinematics, path_between
from kinetree.algorithms.vectors import cross, dot
from kinetree.model.tree import Tree

Entries = dict[tuple[int, int], Any]
"""Numbers to add at (a, b) and (b, a) of a symmetric matrix, by the places a <= b of coordinates in a list."""


def curvature(
    tree: Tree, goals: Sequence[Goal], rates: Sequence[int], q: Any, pulls: Sequence[Sequence[Any]]
) -> Entries:
    """Return the second derivatives (n, n) of the errors of goals over these coordinates of qd, at q (nq,), without
    those of headings, of hard pointing goals, and of a centre of mass that is seen from a moving base. pulls: for each
    goal a number for each of its rows, the force along its error."""
    found: Entries = {}
    for goal, pull in zip(goals, pulls, strict=True):
        if goal.kind == "center_of_mass" and tree.frame(goal.base)[0] < 0:
            _add_masses(found, tree, goal, rates, q, pull)
        elif goal.kind in ("pose", "position", "orientation") or (goal.kind == "pointing" and goal.weight is not None):
            _add_frame(found, tree, goal, rates, q, pull)
    return found


def _add(found: Entries, a: int, b: int, x: Any) -> None:
    pair = (min(a, b), max(a, b))
    found[pair] = found.get(pair, 0.0) + x


def _add_frame(found: Entries, tree: Tree, goal: Goal, rates: Sequence[int], q: Any, pull: Sequence[Any]) -> None:
    """Add the entries of a goal of a frame, seen from its base: joints nearer to the base carry the others."""
    (T,) = forward_kinematics(tree, q, [goal.frame], goal.base)
    force, moment = _wrench(goal, pull, T[:3, :3] if goal.expressed_in == "frame" else np.eye(3))
    way = twists(tree, q, goal.frame, goal.base)
    axis = T[:3, :3] @ np.array(goal.axis)
    for y, (j, carried, v, w) in enumerate(way):
        way_of_end = cross(w, axis) if goal.kind == "pointing" else v
        pulled = [a + 0.5 * b for a, b in zip(cross(way_of_end, force), cross(w, moment), strict=True)]
        for x, other in enumerate(way):
            if (x < carried or x == y) and j in rates and other.coordinate in rates:
                is_mutual = x != y and y < other.carried  # two of one joint with a quaternion
                share = (0.5 if is_mutual else 1.0) * (2.0 if j == other.coordinate and x != y else 1.0)
                _add(found, rates.index(j), rates.index(other.coordinate), -share * dot(other.w, pulled))


def _wrench(goal: Goal, pull: Sequence[Any], R: Any) -> tuple[list[Any], list[Any]]:
    """Return the force and the moment of a goal, turned by R."""
    wrench: list[Any] = [0.0] * 6
    used = [i for i in GOALS[goal.kind].weights if goal.weights[i]]
    for i, x in zip(range(3) if goal.kind == "pointing" else used, pull, strict=True):
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
