"""The same dynamics with fewer numbers: mass that a joint's motion does not tell apart goes to the parent.

What is like a thin rod on the axis of a turning joint (mass, first moment along the axis, equal second moments across
it) moves with either of the joint's bodies; so does the rotational inertia of what slides. Khalil & Dombre, Modeling,
Identification and Control of Robots, section 9.4, call what is left the base inertial parameters. Torques, mass matrix,
accelerations, energies and momentum stay the same; the wrench at a turning joint does not.
"""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from kinetree.model.tree import Tree
from kinetree.spatial import plucker
from kinetree.spatial.se3 import Array, frozen


def lumped(tree: Tree, keep: Collection[int] = ()) -> Tree:
    """Return the tree with inertias moved towards the base as far as they can. keep: joints whose wrench is wanted."""
    inertia = [np.array(I) for I in (*tree.inertia, tree.base_inertia)]
    for i in reversed(range(len(tree.parent))):
        kind = tree.joint_type[i]
        if i in keep or not kind.single or kind.has_pitch:
            continue
        moved = _along(tree.axes[i][0], inertia[i]) if kind.turns else np.pad(inertia[i][:3, :3], (0, 3))
        T = np.asarray(tree.T_tree[i] @ tree.T_zero[i])
        inertia[i] = _without(inertia[i], moved)
        inertia[tree.parent[i]] = inertia[tree.parent[i]] + plucker.moved_inertia(moved, T)
    return replace(tree, inertia=tuple(map(frozen, inertia[:-1])), base_inertia=frozen(inertia[-1]))


def _along(axis: Array, I: Array) -> Array:
    """Return the part (6, 6) of an inertia that is like a thin rod on the axis."""
    mass, h = I[5, 5], np.array([I[2, 4], I[0, 5], I[1, 3]])
    k = int(np.argmax(np.abs(axis)))
    one = I[(k + 1) % 3, (k + 1) % 3]  # with an axis along x, y or z, this entry vanishes from what is left
    across = one if abs(axis[k]) == 1.0 else (np.trace(I[:3, :3]) - axis @ I[:3, :3] @ axis) / 2.0
    rod = np.zeros((6, 6))
    rod[:3, :3] = across * (np.eye(3) - np.outer(axis, axis))
    rod[:3, 3:] = plucker.skew(axis * (axis @ h))
    rod[3:, :3], rod[3:, 3:] = rod[:3, 3:].T, mass * np.eye(3)
    return rod


def _without(I: Array, moved: Array) -> Array:
    """Return what is left of an inertia; entries that vanish up to rounding are zero."""
    left = I - moved
    return np.where((moved != 0.0) & (np.abs(left) < 1e-15 * np.abs(I).max(initial=0.0)), 0.0, left)
