"""Closed loops: which coordinates are driven and which follow, what closing joints demand of q, and its Jacobian."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.algorithms.differential import twists
from kinetree.algorithms.kinematics import loop_poses
from kinetree.model.robot import Joint
from kinetree.model.tree import Tree
from kinetree.spatial import Array, se3
from kinetree.spatial.plucker import skew


@dataclass(frozen=True, slots=True, eq=False)
class Roles:
    """Which velocity coordinates do what.

    loops: the closing joints. joints: the driven ones. driven (n,): those that are given, in the order of the inputs.
    following (k,): those that the loops determine. held: those that the loops leave to turn freely, such as a rod about
    its own axis, and those of other joints; they stay. columns: the places in q of the driven joints. key: a digest of
    all that.
    """

    loops: tuple[Joint, ...]
    joints: tuple[str, ...]
    driven: tuple[int, ...]
    following: tuple[int, ...]
    held: tuple[int, ...]
    columns: tuple[int, ...]
    key: str

    @property
    def ends(self) -> tuple[str, ...]:
        """The links that the loops connect."""
        return tuple(dict.fromkeys(end for loop in self.loops for end in (loop.parent, loop.child)))


def demands(tree: Tree, q: Any, loops: Sequence[Joint]) -> list[Any]:
    """Return the numbers (m,) that are zero where all loops are closed."""
    found: list[Any] = []
    for loop in loops:
        assert loop.kind.rows
        now, closed = (loop.kind.rows(loop.axes, T) for T in (loop_poses(tree, q, loop)[1], se3.IDENTITY))
        found += [a - b for a, b in zip(now, closed, strict=True)]
    return found


def loop_jacobian(tree: Tree, q: Any, loops: Sequence[Joint]) -> Array:
    """Return the rates (m, nv) of `demands` for unit rates of the velocity coordinates."""
    blocks = []
    for loop in loops:
        assert loop.kind.rows
        T = loop_poses(tree, q, loop)[0]
        columns: list[Any] = [np.zeros(len(loop.kind.rows(loop.axes, se3.IDENTITY)))] * tree.nv
        for j, _, v, w in twists(tree, q, loop.child, loop.parent):
            change = changed(skew(w) @ T[:3, :3], v)
            change = changed(loop.origin[:3, :3].T @ change[:3, :3], loop.origin[:3, :3].T @ change[:3, 3])
            columns[j] = columns[j] + np.array(loop.kind.rows(loop.axes, change @ se3.inverse(loop.child_origin)))
        blocks.append(np.array(columns, dtype=object).reshape(tree.nv, -1).T)
    return np.concatenate([np.zeros((0, tree.nv)), *blocks])


def changed(turn: Array, v: Array) -> Array:
    """Return the rate (4, 4) of a pose, whose last row does not change."""
    return np.array([[*turn[i], v[i]] for i in range(3)] + [[0.0] * 4])


def spread(nv: int, columns: Sequence[int], values: Sequence[Any]) -> Array:
    """Return values in their places among zeros (nv,)."""
    whole = np.full(nv, 0.0, dtype=object)
    for j, x in zip(columns, values, strict=True):
        whole[j] = x
    return whole
