"""Choice of body frames that leaves little to compute.

The freedom is that of Denavit and Hartenberg: the frame of a body that turns about or slides along z may be turned
about z and moved along it. The common normal of nearly parallel axes is useless, so of its four numbers only the twist
angle is always kept; the position keeps two numbers, those that are not large.

With T_tree R = Rz(theta) T rest, where R takes z to the joint's axis, `rest` commutes with the motion along z, so the
frame of the moving body absorbs it. The parent's joint absorbs Rz(theta) if it turns about z: this moves the parent's
frame and joins the sine and cosine of the joint. (Adding it to the joint's angle would cost even less, but would lose
the last digits of large angles.) It can be done once, before other bodies are attached to the parent.
"""

from collections.abc import Iterable
from dataclasses import replace
from math import atan2, hypot

import numpy as np

from kinetree.model.tree import Tree
from kinetree.spatial import plucker, se3
from kinetree.spatial.dh import Z_AXIS, z_screw
from kinetree.spatial.se3 import Array, frozen

NOISE = 4e-16
"""Rotation entries and metres up to which a number is rounding error and set to zero."""


def gauged(tree: Tree, frames: Iterable[str]) -> Tree:
    """Return the same robot with other frames on its bodies: its axes are z, and most entries of T_tree are 0 or 1.

    frames: the frames whose poses are needed; the last joints are aligned with them. Poses, velocities and forces of
    named frames stay the same, up to rounding.
    """
    gauge = _Gauge(tree)
    for i in range(len(tree.parent)):
        gauge.place_body(i)
    for name in frames:
        gauge.align_with(*tree.frame(name))
    return gauge.tree()


class _Gauge:
    """Search for new frames. new[i]: T_old_new of body i; turnable: the bodies whose frame may still turn about z."""

    def __init__(self, tree: Tree) -> None:
        self.old = tree
        n = len(tree.parent)
        self.new: list[Array] = [se3.IDENTITY] * (n + 1)  # the base is last, where index -1 finds it
        self.T_tree: list[Array] = [se3.IDENTITY] * n
        self.T_zero = list(tree.T_zero)
        self.turnable: set[int] = set()

    def place_body(self, i: int) -> None:
        """Find the new frame of body i, whose parent is placed."""
        kind, parent = self.old.joint_type[i], self.old.parent[i]
        M = se3.inverse(self.new[parent]) @ self.old.T_tree[i]
        if not (kind.single and kind.axes == 1):
            self.T_tree[i] = M
            self.turnable.discard(parent)
            return
        R = se3.homogeneous(se3.rotation_between(Z_AXIS, self.old.axes[i][0]), np.zeros(3))
        theta, T, rest = _split(M @ R)
        self.T_tree[i] = T if self._turn_if_possible(parent, theta) else z_screw(theta, 0.0) @ T
        self.new[i] = R @ se3.inverse(rest)
        if kind.turns and not kind.has_pitch:
            self.turnable.add(i)

    def align_with(self, body: int, T_body_frame: Array) -> None:
        """Turn a body, if it is still free, so that the pose of this frame on it has few entries."""
        M = se3.inverse(self.new[body]) @ T_body_frame
        theta, T, rest = _split(M)
        if T[2, 1] == 0.0:  # the frame's z lies along the axis: its x can be that of the body
            theta += T[2, 2] * atan2(rest[1, 0], rest[0, 0])
        self._turn_if_possible(body, theta)

    def _turn_if_possible(self, body: int, theta: float) -> bool:
        """Turn the frame of a body about its axis; return whether that was possible."""
        if body not in self.turnable:
            return False
        self.turnable.remove(body)
        self.T_zero[body] = _clean(z_screw(theta, 0.0))
        self.new[body] = self.new[body] @ self.T_zero[body]
        return True

    def tree(self) -> Tree:
        """Return the tree with the new frames."""
        old = self.old
        aligned = [kind.single and kind.axes == 1 for kind in old.joint_type]
        places = {name: (i, _clean(se3.inverse(self.new[i]) @ T)) for name, (i, T) in old.frames.items()}
        return replace(
            old,
            axes=tuple(
                frozen([Z_AXIS]) if is_aligned else axes for is_aligned, axes in zip(aligned, old.axes, strict=True)
            ),
            T_tree=tuple(map(_clean, self.T_tree)),
            T_zero=tuple(self.T_zero),
            inertia=tuple(
                frozen(plucker.moved_inertia(I, se3.inverse(T))) for I, T in zip(old.inertia, self.new, strict=False)
            ),
            frames=places,
        )


def _split(M: Array) -> tuple[float, Array, Array]:
    """Return theta, T, rest with M = Rz(theta) T rest, T = [Rx(alpha), (x, y, 0) or (x, 0, z)], rest about z."""
    ux, uy, c = (float(x) for x in M[:3, 2])
    s = hypot(ux, uy)
    theta = atan2(ux, -uy) if s > NOISE else 0.0
    N = z_screw(-theta, 0.0) @ M
    x, y, z = (float(v) for v in N[:3, 3])
    slide = y / s if s > abs(c) else -z / c  # the axis is (0, -s, c)
    T = np.array([[1.0, 0.0, 0.0, x], [0.0, c, -s, y - s * slide], [0.0, s, c, z + c * slide], [0.0, 0.0, 0.0, 1.0]])
    T[1 if s > abs(c) else 2, 3] = 0.0
    return theta, _clean(T), z_screw(atan2(-N[0, 1], N[0, 0]), -slide)


def _clean(T: Array) -> Array:
    return frozen(np.where(np.abs(T) <= NOISE, 0.0, T))
