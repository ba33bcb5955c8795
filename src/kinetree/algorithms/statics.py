"""Points, wrenches and their joint torques (Lynch & Park, Modern Robotics, sections 3.4 and 5.2). Wrenches are force
first, like the twists whose duals they are."""

from typing import Any

import numpy as np

from kinetree.algorithms.differential import twists
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.model.tree import Tree
from kinetree.spatial.plucker import moved_wrench
from kinetree.spatial.se3 import Array


def point(tree: Tree, q: Any, p: Any, frame: str, base: str | None = None) -> Array:
    """Return the point p (3,) of `frame` in `base`, (3,)."""
    T = forward_kinematics(tree, q, [frame], base)[0]
    return np.asarray(T[:3, :3] @ p + T[:3, 3])


def wrench(tree: Tree, q: Any, w: Any, frame: str, base: str | None = None) -> Array:
    """Return the wrench w (6,), given in `frame`, in `base`, (6,)."""
    return moved_wrench(forward_kinematics(tree, q, [frame], base)[0], w)


def joint_torques(tree: Tree, q: Any, w: Any, frame: str, base: str | None = None) -> Array:
    """Return tau (nv,) = Jᵀ w for a wrench w (6,) given in `frame`: its power along the twist of every coordinate
    (Modern Robotics, eq. 5.26)."""
    tau: list[Any] = [0.0] * tree.nv
    for j, _, v, omega in twists(tree, q, frame, base, "frame"):
        tau[j] = tau[j] + v @ w[:3] + omega @ w[3:]
    return np.array(tau)
