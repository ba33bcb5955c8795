"""Loops of a mechanism (Featherstone, Rigid Body Dynamics Algorithms, ch. 8): how far its closing joints are open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.model.robot import Joint
from kinetree.model.tree import Tree
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array


def loop_error(tree: Tree, q: Any, loops: Iterable[Joint]) -> Array:
    """Return how far each closing joint is open (k, 2), in m and rad, for q (nq,).

    Where T_parent_child = T_origin T T_child_origin, T is the pose of the joint frame after the motion in the joint
    frame before it, and the error is the distance of T from the poses that the joint's type can reach.
    """
    rows = []
    for loop in loops:
        (T_parent_child,) = forward_kinematics(tree, q, [loop.child], loop.parent)
        T = se3.inverse(loop.origin) @ T_parent_child @ se3.inverse(loop.child_origin)
        rows.append(np.array(loop.kind.gap(loop.axes, loop.pitch, T)))
    return np.array(rows).reshape(-1, 2)
