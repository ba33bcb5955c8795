"""Closed-form inverse kinematics of six revolute joints, for two families of arms.

Family "wrist": the last three axes meet in a point and the second and third are parallel. Family "parallel": the
second, third and fourth axes are parallel and the last two meet. The target is split until each angle can be solved
alone (Pieper, The kinematics of manipulators under computer control, 1968; Paden and Kahan's subproblems: Murray, Li &
Sastry, A Mathematical Introduction to Robotic Manipulation, section 3.3.2; the same for many arms: Elias & Wen, IK-Geo,
Mechanism and Machine Theory 209, 2025). Three of the angles have two solutions each, so there are at most eight.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.vectors import cross, dot, largest
from kinetree.spatial.se3 import Array

NOTHING = 1e-20
"""Square of a length, m², or of a sine, below which its direction is noise."""


class Turn(NamedTuple):
    """An angle, as its cosine and sine."""

    cos: Any
    sin: Any

    def then(self, other: "Turn") -> "Turn":
        return Turn(self.cos * other.cos - self.sin * other.sin, self.sin * other.cos + self.cos * other.sin)

    def back(self) -> "Turn":
        return Turn(self.cos, -self.sin)


class Candidate(NamedTuple):
    """Angles of the six joints; beyond: how far, relatively, the target is out of reach if above zero; sine: squared
    sine of the least angle between an axis and what turns about it, near zero where that turn is noise."""

    turns: tuple[Turn, ...]
    beyond: Any
    sine: Any


@dataclass(frozen=True, slots=True, eq=False)
class SixAxes:
    """Six axes with all joints at zero: directions h (6, 3) and a point a (6, 3) on each.

    They are in axes R (3, 3), whose rows are given in the base and whose last row is h[1], with an origin p (3,) on the
    first axis.
    v (3,): perpendicular to h[5]. point, ahead, aside (3,): a[5], h[5] and v, in the frame.
    family: a row of FAMILIES. is_reversed: whether axes are counted from the frame, with base and frame exchanged.
    signs (6,): whether axes 2 to 4 turn as h[1] does, 1 or -1, where they are parallel.
    order: numbers of the moving coordinates, from base to frame.
    deviation: how far the robot's axes are from these, as a share of its length, and rad.
    """

    family: str
    is_reversed: bool
    h: Array
    a: Array
    v: Array
    R: Array
    p: Array
    point: Array
    ahead: Array
    aside: Array
    signs: Array
    order: tuple[int, ...]
    deviation: float


def candidates(arm: SixAxes, T: Any, near: Sequence[Any]) -> list[Candidate]:
    """Return the solutions for a target (4, 4), with angles in the order from base to frame.

    near (6,): angles to use where any angle is a solution.
    """
    R, p = T[:3, :3], T[:3, 3]
    if arm.is_reversed:
        R, near = R.T, near[::-1]
        p = -(R @ p)
    found = FAMILIES[arm.family](arm, R, p, near)
    return [c._replace(turns=c.turns[::-1]) for c in found] if arm.is_reversed else found


def _wrist(arm: SixAxes, R: Any, p: Any, near: Sequence[Any]) -> list[Candidate]:
    """Return the candidates where axes 4 to 6 meet in a[5] and axes 2 and 3 are parallel."""
    h, found = arm.h, []
    for turn_1, u, ahead, aside, beyond_1, sine_1 in _first_turns(arm, R, p, near):
        for turn_2, turn_3, beyond_3 in _elbow(arm, u - arm.a[1], arm.a[5] - arm.a[2]):
            back = turn_2.then(turn_3).back()
            ahead_3, aside_3 = _turned(h[1], back, ahead), _turned(h[1], back, aside)
            along = dot(h[3], ahead_3)
            sine = np.minimum(sine_1, 1.0 - along * along)
            turns, beyond_5 = _turns_to(h[4], h[5], h[3], along, _turn(near[4]))
            for turn_5 in turns:
                turn_4 = _turn_between(h[3], _turned(h[4], turn_5, h[5]), ahead_3, _turn(near[3]))
                turn_6 = _last(arm, turn_5, _turned(h[3], turn_4.back(), aside_3))
                all_six = (turn_1, turn_2, _signed(arm.signs[2], turn_3), turn_4, turn_5, turn_6)
                found.append(Candidate(all_six, largest((beyond_1, beyond_3, beyond_5)), sine))
    return found


def _parallel(arm: SixAxes, R: Any, p: Any, near: Sequence[Any]) -> list[Candidate]:
    """Return the candidates where axes 2 to 4 are parallel and axes 5 and 6 meet in a[5]."""
    h, found = arm.h, []
    any_sum = _turn(sum(float(arm.signs[i]) * near[i] for i in (1, 2, 3)))
    for turn_1, u, ahead, aside, beyond_1, sine_1 in _first_turns(arm, R, p, near):
        along = dot(h[1], ahead)
        sine = np.minimum(sine_1, 1.0 - along * along)
        turns, beyond_5 = _turns_to(h[4], h[5], h[1], along, _turn(near[4]))
        for turn_5 in turns:
            all_three = _turn_between(h[1], _turned(h[4], turn_5, h[5]), ahead, any_sum)
            turn_6 = _last(arm, turn_5, _turned(h[1], all_three.back(), aside))
            u_4 = u - _turned(h[1], all_three, arm.a[5] - arm.a[3])
            for turn_2, turn_3, beyond_3 in _elbow(arm, u_4 - arm.a[1], arm.a[3] - arm.a[2]):
                turn_4 = _signed(arm.signs[3], all_three.then(turn_2.then(turn_3).back()))
                all_six = (turn_1, turn_2, _signed(arm.signs[2], turn_3), turn_4, turn_5, turn_6)
                found.append(Candidate(all_six, largest((beyond_1, beyond_3, beyond_5)), sine))
    return found


FAMILIES: dict[str, Callable[[SixAxes, Any, Any, Sequence[Any]], list[Candidate]]] = {
    "wrist": _wrist,
    "parallel": _parallel,
}
"""Families of arms with a closed form."""


def _first_turns(arm: SixAxes, R: Any, p: Any, near: Sequence[Any]) -> list[tuple[Turn, Any, Any, Any, Any, Any]]:
    """Return each first turn, with a[5], h[5] and v behind it, the miss, and the squared sine of the axis and a[5]."""
    h = arm.h
    reached = arm.R @ (R @ arm.point + p - arm.p)
    ahead, aside = arm.R @ (R @ arm.ahead), arm.R @ (R @ arm.aside)
    turns, beyond = _turns_to(-h[0], reached, h[1], float(h[1] @ arm.a[5]), _turn(near[0]))
    along, size = dot(h[0], reached), dot(reached, reached)
    sine = (size - along * along) / np.maximum(size, NOTHING)
    return [(turn, *(_turned(-h[0], turn, u) for u in (reached, ahead, aside)), beyond, sine) for turn in turns]


def _last(arm: SixAxes, turn_5: Turn, aside: Any) -> Turn:
    """Return the sixth turn, from the direction of v after the last two."""
    return _turn_between(arm.h[5], arm.v, _turned(arm.h[4], turn_5.back(), aside), Turn(1.0, 0.0))


def _elbow(arm: SixAxes, u: Any, reach: Array) -> list[tuple[Turn, Turn, Any]]:
    """Return turns 2 and 3, both about h[1], that bring a point at a[2] + reach to a[1] + u, by the law of cosines."""
    d, e, z = (Turn(n[0], n[1]) for n in (arm.a[2] - arm.a[1], reach, u))  # complex numbers
    dd, ee, zz = (n.cos * n.cos + n.sin * n.sin for n in (d, e, z))
    between = d.back().then(e)
    size = float(np.sqrt(dd * ee))
    cosine = (zz - (dd + ee)) * (0.5 / size)
    beyond = cosine * cosine - 1.0
    sine = np.sqrt(np.maximum(-beyond, 0.0))
    cosine = np.minimum(np.maximum(cosine, -1.0), 1.0)
    found = []
    for one in (sine, -sine):
        turn_3 = Turn(cosine, one).then(Turn(between.cos / size, -between.sin / size))
        carried = turn_3.then(e)
        turn_2 = _unit(z.then(Turn(d.cos + carried.cos, d.sin + carried.sin).back()), Turn(1.0, 0.0))
        found.append((turn_2, turn_3, beyond))
    return found


def _turns_to(k: Array, p: Any, h: Any, d: Any, otherwise: Turn) -> tuple[list[Turn], Any]:
    """Return both turns about k of p that have d along h, and how far it is out of reach; else `otherwise`."""
    along = dot(h, k) * dot(k, p)
    A, B, D = dot(h, p) - along, dot(h, cross(k, p)), d - along
    size = A * A + B * B
    is_any = size <= NOTHING
    scale = 1.0 / np.where(is_any, 1.0, size)
    beyond = np.where(is_any, -1.0, D * D * scale - 1.0)
    S = np.sqrt(np.maximum(-beyond * size, 0.0))
    turns = [Turn((A * D - B * s) * scale, (B * D + A * s) * scale) for s in (S, -S)]
    return [Turn(*(np.where(is_any, a, b) for a, b in zip(otherwise, turn, strict=True))) for turn in turns], beyond


def _turn_between(k: Array, p: Any, r: Any, otherwise: Turn) -> Turn:
    """Return the turn about k that brings p into the direction of r; `otherwise` if they are along k."""
    return _unit(Turn(dot(p, r) - dot(k, p) * dot(k, r), dot(k, cross(p, r))), otherwise)


def _unit(turn: Turn, otherwise: Turn) -> Turn:
    size = turn.cos * turn.cos + turn.sin * turn.sin
    is_any = size <= NOTHING
    scale = 1.0 / np.sqrt(np.where(is_any, 1.0, size))
    return Turn(np.where(is_any, otherwise.cos, turn.cos * scale), np.where(is_any, otherwise.sin, turn.sin * scale))


def _turn(angle: Any) -> Turn:
    return Turn(np.cos(angle), np.sin(angle))


def _signed(sign: float, turn: Turn) -> Turn:
    return turn if sign > 0 else turn.back()


def _turned(k: Array, turn: Turn, v: Any) -> Any:
    """Return v turned about k (Rodrigues)."""
    return v * turn.cos + np.array(cross(k, v)) * turn.sin + k * (dot(k, v) * (1.0 - turn.cos))
