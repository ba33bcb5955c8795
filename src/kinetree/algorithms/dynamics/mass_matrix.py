"""The mass matrix: the composite-rigid-body algorithm (Featherstone, Rigid Body Dynamics Algorithms, table 6.2), and
its factors LᵀDL (table 6.3)."""

from typing import Any

import numpy as np

from kinetree.algorithms.dynamics.joints import Joints, joints_at
from kinetree.algorithms.dynamics.vectors import Inertia, inertia_to_parent, momentum, number, rigid, to_parent
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import Array


def composite_inertias(tree: Tree, joints: Joints) -> list[Inertia]:
    """Return the inertia of every body with all that it carries, in its own frame; last that of the whole robot."""
    Ic = [*map(rigid, tree.inertia), rigid(tree.base_inertia)]
    for i, parent in reversed(list(enumerate(tree.parent))):
        Ic[parent] = Ic[parent] + inertia_to_parent(joints.way[i], Ic[i])
    return Ic


def crba(tree: Tree, q: Any) -> Array:
    """Return H (nv, nv), with armature. A follower adds to the rows and columns of its leader."""
    joints = joints_at(tree, q)
    Ic = composite_inertias(tree, joints)
    H = np.full((tree.nv, tree.nv), 0.0, dtype=object)
    for i, here in enumerate(tree.v_slice):
        F = [momentum(Ic[i], column) for column in joints.S[i].T]
        own = np.array([[joints.S[i][:, min(j, k)] @ F[max(j, k)] for k in range(len(F))] for j in range(len(F))])
        H[here, here] = H[here, here] + own.reshape(len(F), len(F))
        H[here, here] = H[here, here] + np.diag(tree.passive[i].armature * tree.rate(i, q) ** 2)
        j = i
        while tree.parent[j] >= 0 and F:
            F = [to_parent(joints.way[j], f) for f in F]
            j = tree.parent[j]
            there, block = tree.v_slice[j], np.array(F) @ joints.S[j]
            H[here, there] = H[here, there] + block
            H[there, here] = H[there, here] + block.T
    return H


def solve(H: Any, b: Any) -> Array:
    """Return H⁻¹ b (nv,) or (nv, k) by LᵀDL, without fill-in on a tree; followers that join branches fill what they
    must."""
    n = len(H)
    before, L, x = _pattern(H), np.array(H, dtype=object), np.array(b, dtype=object)
    inverse: list[Any] = [None] * n  # of D; one division a row is enough
    for k in reversed(range(n)):
        inverse[k] = 1.0 / L[k, k]
        for at, i in enumerate(before[k]):
            ratio = L[k, i] * inverse[k]
            for j in before[k][at:]:
                L[i, j] = L[i, j] - ratio * L[k, j]
            L[k, i] = ratio
    for i in reversed(range(n)):
        for j in before[i]:
            x[j] = x[j] - L[i, j] * x[i]
    for i in range(n):
        x[i] = x[i] * inverse[i]
        for j in before[i]:
            x[i] = x[i] - L[i, j] * x[j]
    return x


def _pattern(H: Any) -> list[list[int]]:
    """Return, for every row, the columns before it, largest first, that can be other than zero during elimination."""
    n = len(H)
    filled = [{j for j in range(i) if number(H[i, j]) != 0.0} for i in range(n)]
    for k in reversed(range(n)):
        for i in filled[k]:
            filled[i] |= {j for j in filled[k] if j < i}
    return [sorted(row, reverse=True) for row in filled]
