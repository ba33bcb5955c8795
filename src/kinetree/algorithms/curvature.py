"""Second derivatives of what goals pull at: what the squares of linearised errors (Gauss & Newton) leave out.

Of two coordinates a and b of a tree of which a carries b, the velocity v_b that b gives to a point changes at w_a x v_b
while a turns at w_a, and its angular velocity at w_a x w_b. So a force f and a moment m on a frame contribute
-w_a . (v_b x f + w_b x m / 2), and the contributions of all frames that b carries add up before a counts. The half is
that of the rotation vector, which is an error in coordinates of its own.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.differential import twists
from kinetree.algorithms.dynamics.momentum import mass_center
from kinetree.algorithms.goals import GOALS, Goal
from kinetree.algorithms.kinematics import forward_kinematics, walk
from kinetree.algorithms.vectors import cross, dot, is_zero
from kinetree.model.tree import Tree
from kinetree.spatial import se3

CURVED = ("pose", "position", "orientation", "pointing", "center_of_mass")
"""Kinds of goals whose curvature is known; for others the steps converge more slowly."""


def curvature(
    tree: Tree, goals: Sequence[Goal], rates: Sequence[int], q: Any, pulls: Sequence[Sequence[Any]]
) -> dict[tuple[int, int], Any]:
    """Return the entries of the matrix (n, n) over these coordinates of qd, at q (nq,), that are not zero, each pair of
    coordinates once. pulls: for each goal a number for each of its rows, the force along its error.

    A centre of mass that is seen from a moving base does not count.
    """
    found: dict[tuple[int, int], Any] = {}
    moments: list[list[Any]] = [[0.0] * 3 for _ in rates]
    for goal, pull in zip(goals, pulls, strict=True):
        moves = tree.frame(goal.base)[0] >= 0
        is_far = goal.kind == "pointing" and (moves or goal.weight is None)
        if goal.kind not in CURVED or is_far or (moves and not GOALS[goal.kind].has_frame):
            continue
        if moves:
            _add_relative(found, tree, goal, rates, q, pull)
            continue
        force, moment = _wrench(tree, goal, q, pull, None)
        for j, (v, w) in _velocities(tree, goal, q).items():
            if j in rates:
                k = rates.index(j)
                own = zip(moments[k], cross(v, force), cross(w, moment), strict=True)
                moments[k] = [known + a + 0.5 * b for known, a, b in own]
    turning, body = _turns(tree, rates, q)
    for b in range(len(rates)):
        way = _bodies_above(tree, body[b])
        for a in range(len(rates)):
            kind = tree.joint_type[body[a]]
            if body[a] in way or (body[a] == body[b] and kind.successive and rates[a] <= rates[b]):
                found[a, b] = found.get((a, b), 0.0) - dot(turning[a], moments[b])
            elif body[a] == body[b] and not kind.successive and a <= b:
                both = dot(turning[a], moments[b]) + dot(turning[b], moments[a])
                found[a, b] = found.get((a, b), 0.0) - 0.5 * both
    return {pair: x for pair, x in found.items() if not is_zero(x)}


def _add_relative(
    found: dict[tuple[int, int], Any], tree: Tree, goal: Goal, rates: Sequence[int], q: Any, pull: Sequence[Any]
) -> None:
    """Add the entries of a goal whose base moves, seen from there: joints nearer to the base carry the others."""
    force, moment = _wrench(tree, goal, q, pull, goal.base)
    way = [*enumerate(twists(tree, q, goal.frame, goal.base))]
    place = {j: k for k, j in enumerate(rates)}
    for y, (j, carried, v, w) in way:
        pulled = [a + 0.5 * b for a, b in zip(cross(v, force), cross(w, moment), strict=True)]
        for x, other in way:
            if (x < carried or x == y) and {j, other.coordinate} <= place.keys():
                a, b = sorted((place[j], place[other.coordinate]))
                is_mutual = x != y and y < other.carried  # two of one joint with a quaternion
                share = (0.5 if is_mutual else 1.0) * (2.0 if a == b and x != y else 1.0)
                found[a, b] = found.get((a, b), 0.0) - share * dot(other.w, pulled)


def _wrench(tree: Tree, goal: Goal, q: Any, pull: Sequence[Any], base: str | None) -> tuple[list[Any], list[Any]]:
    """Return the force and the moment of a goal, in the axes of a base, the root if None."""
    wrench: list[Any] = [0.0] * 6
    places = [i for i in GOALS[goal.kind].weights if goal.weights[i]] if goal.kind != "pointing" else [0, 1, 2]
    for i, x in zip(places, pull, strict=True):
        wrench[i] = x
    seen = goal.frame if goal.expressed_in == "frame" else goal.base
    R = forward_kinematics(tree, q, [seen], base)[0][:3, :3]
    return list(R @ np.array(wrench[:3])), list(R @ np.array(wrench[3:]))


def _velocities(tree: Tree, goal: Goal, q: Any) -> dict[int, tuple[Any, Any]]:
    """Return the velocity and the angular velocity that each coordinate gives to what a goal moves."""
    if goal.kind == "center_of_mass":
        return {j: (v, np.zeros(3)) for j, v in enumerate(mass_center(tree, q)[1])}
    found: dict[int, tuple[Any, Any]] = {}
    for j, _, v, w in twists(tree, q, goal.frame):
        known = found.get(j, (0.0, 0.0))
        found[j] = known[0] + v, known[1] + w
    if goal.kind == "pointing":  # the end of the axis is pulled
        d = forward_kinematics(tree, q, [goal.frame])[0][:3, :3] @ np.array(goal.axis)
        found = {j: (np.array(cross(w, d)), np.zeros(3)) for j, (_, w) in found.items()}
    return found


def _turns(tree: Tree, rates: Sequence[int], q: Any) -> tuple[list[Any], list[int]]:
    """Return the angular velocity that each coordinate gives to its body, in the root's axes, and this body; the first
    one, if others follow it."""
    T = {-1: se3.IDENTITY}
    walk(tree, q, [], [*range(len(tree.parent))], T)
    found: dict[int, tuple[Any, int]] = {}
    for i, where in reversed([*enumerate(tree.v_slice)]):
        S = tree.motion_subspace(i, q) * tree.rate(i, q)
        found |= {j: (T[i][:3, :3] @ s[:3], i) for j, s in zip(range(tree.nv)[where], S.T, strict=True)}
    return [found[j][0] for j in rates], [found[j][1] for j in rates]


def _bodies_above(tree: Tree, body: int) -> set[int]:
    """Return the bodies between the base and a body, without it."""
    way: set[int] = set()
    while (body := tree.parent[body]) >= 0:
        way.add(body)
    return way
