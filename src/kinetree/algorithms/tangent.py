"""Steps of joints with quaternions, such as ball and floating joints: velocity coordinates v take q to q ⊕ v, of which
the quaternion has length 1."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kinetree.model.joints import JOINT_TYPES, JointType


class Loose(NamedTuple):
    """A joint with a quaternion. type: a key of JOINT_TYPES. q, v: its first number in a list of coordinates, and in a
    list of velocity coordinates."""

    type: str
    q: int
    v: int

    @property
    def kind(self) -> JointType:
        """The row of JOINT_TYPES."""
        return JOINT_TYPES[self.type]

    @property
    def quaternion(self) -> slice:
        """Where its quaternion is in the list of coordinates."""
        where = self.kind.quaternion or slice(0, 0)
        return slice(self.q + where.start, self.q + where.stop)

    def of_q(self, q: Any) -> Any:
        """Return its coordinates (nq,)."""
        return np.array([*q[self.q : self.q + self.kind.nq]])

    def of_v(self, v: Any) -> Any:
        """Return its velocity coordinates (nv,)."""
        return np.array([*v[self.v : self.v + self.kind.nv]])


def integrated(joints: Sequence[Loose], q: Sequence[Any], v: Sequence[Any]) -> list[Any]:
    """Return the coordinates of all joints after v: q ⊕ v, one after the other."""
    return [x for joint in joints for x in joint.kind.integrate(joint.of_q(q), joint.of_v(v))]


def differences(joints: Sequence[Loose], q: Sequence[Any], to: Sequence[Any]) -> list[Any]:
    """Return the velocity coordinates of all joints that take q to `to`."""
    return [x for joint in joints for x in joint.kind.difference(joint.of_q(q), joint.of_q(to))]


def turned_anew(joints: Sequence[Loose], q: Sequence[Any], number: Any, uniform: Sequence[Any]) -> list[Any]:
    """Return the coordinates of all joints where they are, each with a random orientation at odd numbers.

    uniform: three numbers from 0 to 1 a joint, which give uniform rotations (Shoemake, Uniform random rotations,
    Graphics Gems III, 1992).
    """
    is_odd = number - 2.0 * np.floor(number / 2.0) > 0.5
    result: list[Any] = []
    for i, joint in enumerate(joints):
        x, y, z = uniform[3 * i : 3 * i + 3]
        a, b = np.sqrt(1.0 - x), np.sqrt(x)
        drawn = [a * np.sin(2 * np.pi * y), a * np.cos(2 * np.pi * y), b * np.sin(2 * np.pi * z)]
        drawn.append(b * np.cos(2 * np.pi * z))
        where = joint.quaternion
        own = list(q[joint.q : where.start])
        own += [np.where(is_odd, new, old) for new, old in zip(drawn, q[where], strict=True)]
        result += own
    return result


def nearer_signs(joint: Loose, q: Sequence[Any], near: Sequence[Any]) -> list[Any]:
    """Return the quaternion (4,) of a joint, with the sign that brings it nearer to that of `near` (nq,)."""
    along = sum(a * b for a, b in zip(q[joint.quaternion], near[joint.quaternion], strict=True))
    return [np.where(along < 0.0, -x, x) for x in q[joint.quaternion]]


def normalised(joints: Sequence[Loose], q: Any) -> Any:
    """Return q (…, k) with quaternions of length 1; NaN where one is zero."""
    result = np.array(q)
    for joint in joints:
        given = result[..., joint.quaternion]
        with np.errstate(invalid="ignore"):
            scaled = given / np.abs(given).max(axis=-1, keepdims=True)
            result[..., joint.quaternion] = scaled / np.sqrt((scaled * scaled).sum(axis=-1, keepdims=True))
    return result
