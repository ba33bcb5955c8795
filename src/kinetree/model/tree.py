"""The robot as computed: Featherstone's system model (Rigid Body Dynamics Algorithms, ch. 4.2), as arrays."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kinetree.errors import unknown_name
from kinetree.model.joints import JointType
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import Dynamics, Inertial, Joint, Robot, slices
from kinetree.spatial import plucker, se3
from kinetree.spatial.se3 import Array, frozen


class Passive(NamedTuple):
    """Passive behaviour of a joint, for each of its velocity coordinates (nv_i,): armature in kg m² or kg, damping,
    Coulomb friction, and the stiffness of a spring without force at `reference` (nq_i,); SI."""

    armature: Array
    damping: Array
    friction: Array
    stiffness: Array
    reference: Array


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Moving bodies, numbered so that parents come first; links that fixed joints hold together are one body.

    Body i moves with joint `joints[i]`; its frame is the joint's frame after the motion. -1 is the fixed base, whose
    frame is that of the root link.

    parent[i]: the body that carries joint i.
    joint_type[i], axes[i] (k, 3), pitch[i]: how it moves.
    T_tree[i] (4, 4): pose of the joint frame before the motion, in the frame of the parent body.
    T_zero[i] (4, 4): pose of the body in the joint frame where the joint's type does not move it; the identity, but
    where frames of bodies have been placed anew.
    q_slice[i], v_slice[i]: its numbers in q and qd (those of the leader, for a mimic follower);
    multiplier[i], offset[i]: q_i = multiplier * q[q_slice] + offset; higher[i]: coefficients of added q², q³ …
    inertia[i] (6, 6): of body i in its own frame, Featherstone's order; base_inertia that of the base.
    passive[i]: what its joint does by itself.
    frames: name to (body, T_body_frame).
    """

    joints: tuple[str, ...]
    parent: tuple[int, ...]
    joint_type: tuple[JointType, ...]
    axes: tuple[Array, ...]
    pitch: tuple[float, ...]
    T_tree: tuple[Array, ...]
    T_zero: tuple[Array, ...]
    q_slice: tuple[slice, ...]
    v_slice: tuple[slice, ...]
    multiplier: tuple[float, ...]
    offset: tuple[float, ...]
    higher: tuple[tuple[float, ...], ...]
    inertia: tuple[Array, ...]
    base_inertia: Array
    passive: tuple[Passive, ...]
    frames: dict[str, tuple[int, Array]]
    nq: int
    nv: int

    def frame(self, name: str) -> tuple[int, Array]:
        """Return (body, T_body_frame) of a frame; the error for an unknown name lists the nearest."""
        if name not in self.frames:
            raise unknown_name("frame", name, list(self.frames))
        return self.frames[name]

    @property
    def has_followers(self) -> bool:
        """Whether one number of q moves several joints."""
        moved = [where.start for where, kind in zip(self.v_slice, self.joint_type, strict=True) if kind.nv]
        return len(set(moved)) < len(moved)

    def relaxed(self) -> "Tree":
        """Return the same bodies with joints that do nothing by themselves."""
        still = tuple(Passive._make([*(0.0 * numbers for numbers in each[:-1]), each[-1]]) for each in self.passive)
        return replace(self, passive=still)

    def coordinates(self, i: int, q: Any) -> Any:
        """Return the numbers of joint i (nq_i,), from q (nq,)."""
        if self.higher[i]:
            x = q[self.q_slice[i]]
            return _horner((self.offset[i], self.multiplier[i], *self.higher[i]), x)
        if self.multiplier[i] == 1.0 and self.offset[i] == 0.0:
            return q[self.q_slice[i]]
        return q[self.q_slice[i]] * self.multiplier[i] + self.offset[i]

    def rate(self, i: int, q: Any) -> Any:
        """Return the derivative of the numbers of joint i with respect to those in q."""
        if not self.higher[i]:
            return self.multiplier[i]
        slopes = [k * c for k, c in enumerate(self.higher[i], 2)]
        return _horner((self.multiplier[i], *slopes), q[self.q_slice[i]])[0]

    def bend(self, i: int, q: Any) -> Any:
        """Return the second derivative of the number of joint i; 0 of one that does not follow by a polynomial."""
        bends = [k * (k - 1) * c for k, c in enumerate(self.higher[i], 2)]
        return _horner(bends, q[self.q_slice[i]])[0] if bends else 0.0

    def motion(self, i: int, q: Any) -> Array:
        """Return XJ (4, 4), the pose of body i in the frame of joint i before the motion."""
        T = self.joint_type[i].transform(self.axes[i], self.pitch[i], self.coordinates(i, q))
        return T if self.T_zero[i] is se3.IDENTITY else self.T_zero[i] @ T

    def joint_transform(self, i: int, q: Any) -> Array:
        """Return T (4, 4), the pose of body i in the frame of its parent body, A(q) = T_tree XJ(q)."""
        return np.asarray(self.T_tree[i] @ self.motion(i, q))

    def motion_subspace(self, i: int, q: Any) -> Array:
        """Return S (6, nv_i) of joint i, angular first, in its body's axes: velocity for the rates of its numbers."""
        return self.joint_type[i].motion_subspace(self.axes[i], self.pitch[i], self.coordinates(i, q))


def _horner(coefficients: Sequence[float], x: Any) -> Any:
    """Return c0 + c1 x + c2 x² …, for the numbers in x."""
    total = 0.0 * x + coefficients[-1]
    for c in reversed(coefficients[:-1]):
        total = total * x + c
    return total


def build_tree(robot: Robot, cuts: Collection[str] = (), origins: Mapping[str, Array] | None = None) -> Tree:
    """Return the system model of a robot. cuts: fixed joints whose links stay separate bodies. origins: poses (4, 4) of
    joints and frames in place of the robot's, which may be symbolic."""
    kept, origins = (np.asarray, origins) if origins else (frozen, {})
    place: dict[str, tuple[int, Array]] = {robot.root: (-1, se3.IDENTITY)}  # link: body, T_body_link
    nothing = dict.fromkeys(cuts, slice(0, 0))
    q_slices, v_slices = {**nothing, **robot.q_slices}, {**nothing, **slices(robot, "nv")}
    moving, parent, T_tree, drive = [], [], [], []
    for name in robot.placed:
        joint = robot.joints[name]
        body, T_body_parent = place[joint.parent]
        T = T_body_parent @ origins.get(name, joint.origin)
        if joint.kind.nq or name in cuts:
            moving.append(joint)
            parent.append(body)
            T_tree.append(kept(T))
            drive.append(mimic_polynomial(robot, name) if joint.kind.nq else (name, [0.0, 1.0]))
            body, T = len(moving) - 1, se3.IDENTITY
        place[joint.child] = (body, T @ joint.child_origin)
    inertia = [np.zeros((6, 6))] * (len(moving) + 1)  # the base is last, at index -1
    for link in robot.links.values():
        if link.inertial:
            body, T = place[link.name]
            inertia[body] = inertia[body] + spatial_inertia(link.inertial, T)
    frames = {}
    for f in robot.frames.values():
        body, T = place[f.link]
        own = f.origin if f.name in robot.links else origins.get(f.name, f.origin)  # a joint may have a link's name
        frames[f.name] = (body, kept(T @ own))
    return Tree(
        joints=tuple(j.name for j in moving),
        parent=tuple(parent),
        joint_type=tuple(j.kind for j in moving),
        axes=tuple(j.axes for j in moving),
        pitch=tuple(j.pitch for j in moving),
        T_tree=tuple(T_tree),
        T_zero=(se3.IDENTITY,) * len(moving),
        q_slice=tuple(q_slices[leader] for leader, _ in drive),
        v_slice=tuple(v_slices[leader] for leader, _ in drive),
        multiplier=tuple(c[1] for _, c in drive),
        offset=tuple(c[0] for _, c in drive),
        higher=tuple(tuple(c[2:]) for _, c in drive),
        inertia=tuple(kept(I) for I in inertia[:-1]),
        base_inertia=kept(inertia[-1]),
        passive=tuple(_passive(j) for j in moving),
        frames=frames,
        nq=robot.nq,
        nv=robot.nv,
    )


def with_standing(tree: Tree, moving: int) -> Tree:
    """Return the tree in which only the joints of the first `moving` numbers of q have velocities; the others stand."""
    stands = [where.start >= moving for where in tree.q_slice]
    nothing = Passive(*[frozen([])] * 5)
    return replace(
        tree,
        joint_type=tuple(_still(kind) if s else kind for s, kind in zip(stands, tree.joint_type, strict=True)),
        v_slice=tuple(slice(0, 0) if s else where for s, where in zip(stands, tree.v_slice, strict=True)),
        passive=tuple(nothing if s else own for s, own in zip(stands, tree.passive, strict=True)),
        nv=max([where.stop for s, where in zip(stands, tree.v_slice, strict=True) if not s], default=0),
    )


@cache
def _still(kind: JointType) -> JointType:
    """Return the type of a joint that has the places of another type and no velocities."""
    return replace(
        kind,
        name=f"{kind.name}, standing",
        velocities=(),
        motion_subspace=lambda axes, pitch, q: np.zeros((6, 0)),
        bias=lambda axes, pitch, q, qd: np.zeros(6),
        rates=lambda q, qd: 0.0 * q,
        drift=lambda qd, v: np.zeros(0),
        step=None,
        integrate=lambda q, v: q,
        difference=lambda q1, q2: q1[:0],
        stretch=lambda reference, q: q[:0],
        singles=None,
    )


def _passive(joint: Joint) -> Passive:
    kind = joint.kind
    rows = (joint.dynamics or (Dynamics(),)) * (kind.nv if len(joint.dynamics) < 2 else 1)
    numbers = [frozen([getattr(row, name) for row in rows]) for name in Passive._fields[:-1]]
    reference = frozen([row.reference for row in rows] if kind.nq == kind.nv else kind.neutral)
    return Passive._make([*numbers, reference])


def spatial_inertia(inertial: Inertial, T_body_link: Array) -> Array:
    """Return the inertia (6, 6) of a link in the frame of its body, about that frame's origin."""
    T = T_body_link @ inertial.origin
    R = T[:3, :3]
    return plucker.rigid_body_inertia(inertial.mass, T[:3, 3], R @ inertial.inertia @ R.T)
