"""Steps of joints with quaternions, such as ball and floating joints: velocity coordinates v take q to q ⊕ v, of which
the quaternion has length 1."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.vectors import dot
from kinetree.model.joints import JOINT_TYPES, JointType
from kinetree.spatial import se3


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


def held_near(joints: Sequence[Loose], q: Sequence[Any], around: Any) -> list[Any]:
    """Return the coordinates of all joints, one after the other, each moved and turned towards a place until it is no
    farther than a distance, m and rad. around: for each joint its place (nq,) and the distance; empty for any distance.
    """
    result: list[Any] = []
    for kind, own, place, most in _places(joints, q, around):
        where = kind.quaternion or slice(0, 0)
        moved = [b + x for b, x in zip(place, _shortened(_way(kind, own, place), most), strict=False)]
        turn = _turn(kind, own, place)
        turned = _BALL.integrate(np.array(place[where]), np.array(_shortened(turn, most)))
        is_far = dot(turn, turn) > most * most
        result += [*moved, *(np.where(is_far, a, b) for a, b in zip(turned, own[where], strict=True))]
    return result if len(around) else list(q)


def spheres(joints: Sequence[Loose], q: Sequence[Any], around: Any) -> list[tuple[list[Any], Any]]:
    """Return the directions (n,) in the velocity coordinates of all joints that lead away from the places of
    `held_near`, of length 1, first of moving and then of turning; and 1 if the distance is reached there, else 0."""
    found: list[tuple[list[Any], Any]] = []
    n, first = sum(joint.kind.nv for joint in joints), 0
    for kind, own, place, most in _places(joints, q, around):
        ways = [_turn(kind, own, place)]
        if kind.nv > 3:
            R = se3.rotation_from_quaternion(np.array(own[3:]))
            ways = [list(R.T @ np.array(_way(kind, own, place))), *ways]
        for way in ways:
            square = dot(way, way)
            at = np.where(square >= ((1.0 - REACHED) * most) ** 2, 1.0, 0.0)
            scale = 1.0 / np.sqrt(np.where(at > 0.0, square, 1.0))
            found.append(([*[0.0] * first, *(scale * x for x in way), *[0.0] * (n - first - 3)], at))
            first += 3
    return found


REACHED = 1e-12
"""Share of a distance that may be left where it counts as reached."""
_BALL = JOINT_TYPES["ball"]


def _places(joints: Sequence[Loose], q: Sequence[Any], around: Any) -> Iterator[tuple[JointType, Any, Any, Any]]:
    """Yield the kind of each joint, its coordinates, its place, and how far it may be from there."""
    first = 0
    for joint in joints if len(around) else ():
        nq = joint.kind.nq
        yield joint.kind, list(q[first : first + nq]), list(around[:nq]), around[nq]
        first, around = first + nq, around[nq + 1 :]


def _way(kind: JointType, q: Sequence[Any], place: Sequence[Any]) -> list[Any]:
    """Return the way of the origin from a place, m; empty for a ball."""
    count = (kind.quaternion or slice(0, 0)).start
    return [a - b for a, b in zip(q[:count], place, strict=False)]


def _turn(kind: JointType, q: Sequence[Any], place: Sequence[Any]) -> list[Any]:
    """Return the turn (3,) from a place, rad."""
    where = kind.quaternion or slice(0, 0)
    return list(_BALL.difference(np.array(place[where]), np.array(q[where])))


def _shortened(way: Sequence[Any], most: Any) -> list[Any]:
    """Return a way (3,) made shorter if it is longer than `most`."""
    square: Any = sum((x * x for x in way), 0.0)
    is_far = square > most * most
    share = np.where(is_far, most / np.sqrt(np.where(is_far, square, 1.0)), 1.0)
    return [share * x for x in way]


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
