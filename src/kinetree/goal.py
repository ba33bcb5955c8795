"""Goals of inverse kinematics: what `kt.ik` shall reach, exactly or as far as other goals leave room.

    solve = kt.ik(robot, [kt.goal.pose("l_foot"), kt.goal.position("l_hand", weight=1), kt.goal.posture(weight=0.03)])
    result = solve(T_foot, p_hand)

Every goal is hard, which means that the result reaches it within its tolerance, or has a `weight`: then it is soft, and
the sum of weight² times squared errors of all soft goals is the least that hard goals and limits leave. The options:

base: the frame from which a target is seen, by default the root.
axes: "base" or "frame", the axes in which x, y and z are named by `free`.
free: directions that the goal leaves free, of "x", "y", "z" and turns "rx", "ry", "rz" about them; a text such as
    "x rz", or a list.
tolerance: m and rad, by default that of `kt.ik`.
weight: None for a hard goal, or 1/m and 1/rad.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

import numpy as np

from kinetree.algorithms.differential import DIRECTIONS, Axes
from kinetree.algorithms.goals import Goal
from kinetree.arguments import explain_type_errors
from kinetree.errors import fail
from kinetree.queries.query import one_of, tolerance_of
from kinetree.solvers.ik.given import unit_axis
from kinetree.spatial.numbers import numbers


class Options(TypedDict, total=False):
    """Options of all goals with targets."""

    tolerance: Sequence[float] | None
    weight: float | None


class Directions(Options, total=False):
    """Options of goals along and about axes of two frames."""

    axes: Axes
    free: str | Sequence[str]


@explain_type_errors
def pose(frame: str, *, base: str | None = None, **options: Unpack[Directions]) -> Goal:
    """Return the goal that a frame has a pose, T (…, 4, 4). Options: see `kinetree.goal`.

    Examples:
        >>> import kinetree as kt
        >>> kt.goal.pose("l_hand", base="chest", free="rz")  # the hand may turn about z of the chest
        Goal(pose, frame='l_hand', base='chest', weights=(1.0, 1.0, 1.0, 1.0, 1.0, 0.0))
    """
    return _goal("pose", frame, range(6), base=base, **options)


@explain_type_errors
def position(frame: str, *, base: str | None = None, **options: Unpack[Directions]) -> Goal:
    """Return the goal that the origin of a frame has a position, p (…, 3), m. Options: see `kinetree.goal`.

    Examples:
        >>> import kinetree as kt
        >>> kt.goal.position("l_hand", weight=2.0)
        Goal(position, frame='l_hand', weight=2.0)
    """
    return _goal("position", frame, range(3), base=base, **options)


@explain_type_errors
def orientation(frame: str, *, base: str | None = None, **options: Unpack[Directions]) -> Goal:
    """Return the goal that a frame has an orientation, R (…, 3, 3). Options: see `kinetree.goal`.

    Examples:
        >>> import kinetree as kt
        >>> kt.goal.orientation("head", free=["rz"], weight=0.5)
        Goal(orientation, frame='head', weights=(1.0, 1.0, 1.0, 1.0, 1.0, 0.0), weight=0.5)
    """
    return _goal("orientation", frame, range(3, 6), base=base, **options)


@explain_type_errors
def pointing(
    frame: str, axis: Sequence[float] = (0.0, 0.0, 1.0), *, base: str | None = None, **options: Unpack[Options]
) -> Goal:
    """Return the goal that an axis (3,) of a frame, from its origin, passes through a point p (…, 3), m. Options:
    see `kinetree.goal`.

    Examples:
        >>> import kinetree as kt
        >>> kt.goal.pointing("head", axis=[1, 0, 0])
        Goal(pointing, frame='head', axis=(1.0, 0.0, 0.0))
    """
    return replace(_goal("pointing", frame, (), base=base, **options), axis=unit_axis(axis))


@explain_type_errors
def heading(frame: str, axis: str = "z", *, base: str | None = None, **options: Unpack[Options]) -> Goal:
    """Return the goal that a frame has an angle (…,) about an axis of the base, rad.

    axis: "z" for the yaw of roll, pitch and yaw: the direction of the frame's x-axis, seen along z of the base and
    counted from its x. "x": the direction of the y-axis, seen along x, from y. "y": that of the z-axis, from z. With
    `kt.goal.position` it places what stands on a floor.
    Options: see `kinetree.goal`.

    Examples:
        >>> import kinetree as kt
        >>> kt.goal.heading("base_link", "z")
        Goal(heading, frame='base_link')
    """
    one_of("axis", axis, "xyz")
    x, y, z = (float(axis == one) for one in "xyz")
    return replace(_goal("heading", frame, (), base=base, **options), axis=(x, y, z))


@explain_type_errors
def center_of_mass(*, base: str | None = None, free: str | Sequence[str] = (), **options: Unpack[Options]) -> Goal:
    """Return the goal that the centre of mass of all links has a position, p (…, 3), m. Options: see `kinetree.goal`.

    Examples:
        >>> import kinetree as kt
        >>> kt.goal.center_of_mass(free="z", weight=3.0)  # over the feet, at any height
        Goal(center_of_mass, weights=(1.0, 1.0, 0.0, 1.0, 1.0, 1.0), weight=3.0)
    """
    return _goal("center_of_mass", "", range(3), base=base, free=free, **options)


@explain_type_errors
def posture(q: Any = None, *, weight: float) -> Goal:
    """Return the soft goal that all joints are near a posture q (nq,), by default neutral, in rad and m. It has no
    target. Joints with quaternions, such as a floating base, do not count.

    weight: 1/m and 1/rad.

    Examples:
        >>> import kinetree as kt
        >>> kt.goal.posture(weight=0.03)
        Goal(posture, weight=0.03)
    """
    if weight is None:
        raise fail("weight", "a posture fixes all joints; expected a weight above 0")
    goal = _goal("posture", "", (), weight=weight)
    return goal if q is None else replace(goal, posture=tuple(numbers(q, "q", "q is").ravel().tolist()))


@explain_type_errors
def relative(frame: str, other: str, **options: Unpack[Directions]) -> Goal:
    """Return the goal that a frame has a pose T (…, 4, 4), as seen from another frame that moves, such as of one hand
    from the other: `kt.goal.pose` with this base. Options: see `kinetree.goal`.

    Examples:
        >>> import kinetree as kt
        >>> kt.goal.relative("l_hand", "r_hand", weight=10.0)
        Goal(pose, frame='l_hand', base='r_hand', weight=10.0)
    """
    return pose(frame, base=other, **options)


def _goal(
    kind: str,
    frame: str,
    places: Sequence[int],
    *,
    base: str | None = None,
    axes: Axes = "base",
    free: str | Sequence[str] = (),
    tolerance: Sequence[float] | None = None,
    weight: float | None = None,
) -> Goal:
    """Return a goal. places: of the six directions, those that it may leave free."""
    own = [DIRECTIONS[i] for i in places]
    one_of("axes", axes, ("base", "frame") if frame and own else ("base",))
    if not isinstance(free, Iterable):
        raise fail("free", f"free is {free!r}; expected names of {', '.join(own)}, in a text or a list")
    left = free.replace(",", " ").split() if isinstance(free, str) else [*free]
    for name in left:
        one_of("free", name, own)
    if own and {*own} <= {*left}:
        raise fail("free", f"free is {free!r}, which leaves a {kind} nothing to reach")
    is_number = isinstance(weight, (int, float, np.number)) and not isinstance(weight, bool)
    if weight is not None and not (is_number and 0 < weight < np.inf):
        raise fail("weight", f"weight is {weight!r}; expected a finite number above 0, or None for a hard goal")
    weights = tuple(0.0 if name in left else 1.0 for name in DIRECTIONS)
    bounds = None if tolerance is None else tolerance_of(tolerance)
    return Goal(kind, frame, base or "", weights, axes, tolerance=bounds, weight=weight and float(weight))


def __dir__() -> list[str]:
    return ["center_of_mass", "heading", "orientation", "pointing", "pose", "position", "posture", "relative"]
