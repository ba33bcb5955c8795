"""Forward kinematics (Featherstone, Rigid Body Dynamics Algorithms, ch. 4; Lynch & Park, Modern Robotics, ch. 4)."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from kinetree.model.robot import Joint
from kinetree.model.tree import Tree
from kinetree.spatial import Array, se3


def forward_kinematics(tree: Tree, q: Any, frames: Iterable[str], base: str | None = None) -> list[Array]:
    """Return T_base_frame (4, 4) of each of `frames` in `base` (the root link if None), for q (nq,). Only the joints
    between the two count; a frame relative to itself is exactly the identity."""
    body_base, T_body_base = place(tree, base)
    T = {body_base: se3.inverse(T_body_base)}  # T_base_body
    poses = []
    for name in frames:
        body, T_body_frame = place(tree, name)
        walk(tree, q, *path_between(tree, body_base, body), T)
        poses.append(se3.IDENTITY if name == base else T[body] @ T_body_frame)
    return poses


def body_poses(tree: Tree, q: Any = None) -> list[Array]:
    """Return T_root_body (4, 4) of every moving body, then that of the base, so that index -1 is the base. q (nq,), or
    None to set every joint's own number to neutral, followers included."""
    T = [se3.IDENTITY] * (len(tree.parent) + 1)
    for i, parent in enumerate(tree.parent):
        T[i] = T[parent] @ (tree.T_tree[i] @ tree.T_zero[i] if q is None else tree.joint_transform(i, q))
    return T


def walk(tree: Tree, q: Any, up: list[int], down: list[int], T: dict[int, Array]) -> None:
    """Add T_any_body (4, 4) of every body on the way to T, which must contain that of the first body."""
    for i in up:
        parent = tree.parent[i]
        if parent not in T:
            T[parent] = se3.without(se3.without(T[i], tree.motion(i, q)), tree.T_tree[i])
    for i in down:
        if i not in T:
            T[i] = T[tree.parent[i]] @ tree.T_tree[i] @ tree.motion(i, q)


def place(tree: Tree, frame: str | None) -> tuple[int, Array]:
    """Return (body, T_body_frame) of a frame; None is the root link's."""
    return (-1, se3.IDENTITY) if frame is None else tree.frame(frame)


def path_between(tree: Tree, a: int, b: int) -> tuple[list[int], list[int]]:
    """Return the bodies whose joints lie between body a and body b: first upwards, then downwards."""
    up, down = _bodies_to(tree, a), _bodies_to(tree, b)
    while up and down and up[0] == down[0]:
        up, down = up[1:], down[1:]
    return up[::-1], down


def _bodies_to(tree: Tree, body: int) -> list[int]:
    """Return the bodies from the base to `body`."""
    chain: list[int] = []
    while body >= 0:
        chain.append(body)
        body = tree.parent[body]
    return chain[::-1]


def loop_poses(tree: Tree, q: Any, loop: Joint) -> tuple[Array, Array]:
    """Return T_parent_child, and the pose of the joint's frame after the motion in the frame before it."""
    (T_parent_child,) = forward_kinematics(tree, q, [loop.child], loop.parent)
    return T_parent_child, se3.inverse(loop.origin) @ T_parent_child @ se3.inverse(loop.child_origin)


def loop_error(tree: Tree, q: Any, loops: Iterable[Joint]) -> Array:
    """Return how far each closing joint is open (k, 2), in m and rad, for q (nq,).

    Where T_parent_child = T_origin T T_child_origin, T is the pose of the joint frame after the motion in the joint
    frame before it, and the error is the distance of T from the poses that the joint's type can reach.
    """
    rows = [np.array(loop.kind.gap(loop.axes, loop.pitch, loop_poses(tree, q, loop)[1])) for loop in loops]
    return np.array(rows).reshape(-1, 2)
