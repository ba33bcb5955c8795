"""Forward kinematics (Featherstone, Rigid Body Dynamics Algorithms, ch. 4; Lynch & Park, Modern Robotics, ch. 4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kinetree.model.tree import Tree
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array


def forward_kinematics(tree: Tree, q: Any, frames: Iterable[str], base: str | None = None) -> list[Array]:
    """T_base_frame (4, 4) of each of `frames` in `base` (the root link if None), for q (nq,).

    Only the joints between the two are passed; a frame against itself is exactly the identity.
    """
    body_base, T_body_base = (-1, se3.IDENTITY) if base is None else tree.frame(base)
    base_chain = bodies_to(tree, body_base)
    T: dict[tuple[int, int], Array] = {}  # (ancestor, body): T_ancestor_body
    poses = []
    for name in frames:
        body, T_body_frame = tree.frame(name)
        chain = bodies_to(tree, body)
        shared = shared_by(base_chain, chain)
        T_common_frame = _descend(tree, q, T, chain[shared:]) @ T_body_frame
        if name == base:
            poses.append(se3.IDENTITY)
        elif body_base < 0 and T_body_base is se3.IDENTITY:
            poses.append(T_common_frame)
        else:
            T_common_base = _descend(tree, q, T, base_chain[shared:]) @ T_body_base
            poses.append(se3.inverse(T_common_base) @ T_common_frame)
    return poses


def body_poses(tree: Tree, q: Any = None) -> list[Array]:
    """T_root_body (4, 4) of every moving body, and of the base last, where index -1 finds it; for q (nq,), or if it is
    None with every joint's own number at neutral, followers too."""
    T = [se3.IDENTITY] * (len(tree.parent) + 1)
    for i, parent in enumerate(tree.parent):
        T[i] = T[parent] @ (tree.T_tree[i] if q is None else tree.joint_transform(i, q))
    return T


def bodies_to(tree: Tree, body: int) -> list[int]:
    """The bodies from the base to `body`."""
    chain: list[int] = []
    while body >= 0:
        chain.append(body)
        body = tree.parent[body]
    return chain[::-1]


def shared_by(a: list[int], b: list[int]) -> int:
    """How many bodies two chains share."""
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n


def _descend(tree: Tree, q: Any, T: dict[tuple[int, int], Array], chain: list[int]) -> Array:
    """The pose of the last body of a chain in the parent of its first; `T` keeps every pose on the way."""
    if not chain:
        return se3.IDENTITY
    ancestor = tree.parent[chain[0]]
    for i in chain:
        if (ancestor, i) not in T:
            A = tree.joint_transform(i, q)
            T[ancestor, i] = A if tree.parent[i] == ancestor else T[ancestor, tree.parent[i]] @ A
    return T[ancestor, chain[-1]]
