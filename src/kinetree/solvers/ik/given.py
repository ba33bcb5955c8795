"""What callers give to inverse kinematics: frames or goals, and targets by place, by name or in one array."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.algorithms.differential import Axes
from kinetree.algorithms.goals import GOALS, OF_A_FRAME, Goal
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.queries.forces import check_masses
from kinetree.queries.query import frames_of, one_of
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array

FORMS = {"goal": "pose", "weights": None, "expressed_in": "base", "axis": (0.0, 0.0, 1.0)}
"""Options of `kt.ik` that are for names of frames alone, with their defaults."""


def goals_of(
    robot: Robot,
    frame: Any,
    base: str | None,
    goal: str | Sequence[str],
    weights: Sequence[float] | None,
    expressed_in: Axes,
    axis: Sequence[float],
    tolerance: tuple[float, float],
) -> tuple[Goal, ...]:
    """Return the goals of a call of `kt.ik`, with names of frames that the robot has."""
    names = (frame,) if isinstance(frame, (str, Goal)) else tuple(frame)
    if any(isinstance(name, Goal) for name in names):
        options = dict(zip(FORMS, (goal, weights, expressed_in, axis), strict=True))
        return _from_goals(robot, names, base, options, tolerance)
    kinds = (goal,) * len(names) if isinstance(goal, str) else tuple(goal)
    if not names or len(kinds) != len(names):
        raise fail("goal", f"{len(kinds)} goals for {len(names)} frames; expected one for all, or one each")
    *frames, seen_from = frames_of(robot, (*names, base))
    one_of("expressed_in", expressed_in, ("base", "frame"))
    for kind in kinds:
        one_of("goal", kind, OF_A_FRAME)
    w, a = _six(weights), unit_axis(axis)
    goals = tuple(Goal(k, f, seen_from, w, expressed_in, a, tolerance) for k, f in zip(kinds, frames, strict=True))
    for one in goals:
        if not any(w[place] for place in GOALS[one.kind].weights):
            raise fail("weights", f"weights {w} leave the goal {one.kind!r} of {one.frame} nothing to reach")
    return goals


def _from_goals(
    robot: Robot, names: Sequence[Any], base: str | None, options: Mapping[str, Any], tolerance: tuple[float, float]
) -> tuple[Goal, ...]:
    for option, value in options.items():
        if repr(value) != repr(FORMS[option]):
            message = f"{option} is {value!r}, which is for names of frames; expected it in each goal of kt.goal"
            raise fail(option.replace("_", "-"), message)
    found = []
    for goal in names:
        if not isinstance(goal, Goal):
            raise fail("goal", f"{goal!r} is among goals; expected goals alone, such as kt.goal.pose({goal!r})")
        (seen_from,) = frames_of(robot, (goal.base or base,))
        own = frames_of(robot, (goal.frame,))[0] if GOALS[goal.kind].has_frame else seen_from
        goal = replace(goal, frame=own, base=seen_from, tolerance=goal.tolerance or tolerance)
        if goal.kind == "center_of_mass":
            check_masses(robot)
        if goal.kind == "posture":
            goal = replace(goal, posture=goal.posture or tuple(robot.q().tolist()))
            if len(goal.posture) != robot.nq or not np.isfinite(goal.posture).all():
                message = f"the posture has {len(goal.posture)} numbers; expected {robot.nq} finite ones"
                raise fail("posture", message)
        found.append(goal)
    needed = target_names(found)
    if len({*needed}) < len(needed):
        twice = next(name for name in needed if needed.count(name) > 1)
        raise fail("goal", f"{twice} is twice among the goals; expected each once")
    return tuple(found)


def _six(weights: Sequence[float] | None) -> tuple[float, ...]:
    w = (1.0,) * 6 if weights is None else tuple(numbers(weights, "weights", "weights is").ravel().tolist())
    if len(w) != 6 or not all(0 <= x < np.inf for x in w) or not any(w):
        raise fail("weights", f"weights is {weights!r}; expected 6 finite numbers from 0, not all 0")
    return tuple(x / max(w) for x in w)


def unit_axis(axis: Any) -> tuple[float, float, float]:
    """Return an axis (3,) with length 1; raise KinetreeError if it has none."""
    v = numbers(axis, "axis", "axis is")
    length = float(np.linalg.norm(v)) if v.shape == (3,) else 0.0
    if not 0 < length < np.inf:
        raise fail("axis", f"axis is {axis!r}; expected 3 finite numbers, not all 0")
    x, y, z = (v / length).tolist()
    return x, y, z


def target_names(goals: Sequence[Goal]) -> list[str]:
    """Return the name of each goal's target: its frame; or its kind, before the frame if this frame has several; none
    for postures."""
    shown = [goal for goal in goals if goal.kind != "posture"]
    frames = [goal.frame if GOALS[goal.kind].has_frame else goal.kind for goal in shown]
    return [
        f"{goal.kind} of {name}" if frames.count(name) > 1 and name != goal.kind else name
        for goal, name in zip(shown, frames, strict=True)
    ]


def derivative_names(goals: Sequence[Goal]) -> list[str]:
    """Return what derivatives are by: the target or posture of each goal, then the weight of each soft goal."""
    left, count = iter(target_names(goals)), [goal.kind for goal in goals].count("posture")
    numbered = iter([f"posture {i + 1}" for i in range(count)] if count > 1 else ["posture"])
    names = [next(numbered if goal.kind == "posture" else left) for goal in goals]
    return names + [f"weight of {name}" for name, goal in zip(names, goals, strict=True) if goal.weight is not None]


def described(goal: Goal) -> str:
    """Return a goal in words."""
    of = f" of {goal.frame} in {goal.base}" if GOALS[goal.kind].has_frame else ""
    return goal.kind + of + ("" if goal.weight is None else f" with weight {goal.weight:g}")


def arranged(goals: Sequence[Goal], targets: Sequence[Any]) -> list[Any]:
    """Return the targets of a call, one for each goal that takes one: as they are, by name, or poses (…, k, 4, 4)."""
    names = target_names(goals)
    if len(targets) == 1 and isinstance(targets[0], Mapping):
        given = targets[0]
        if {*given} != {*names}:
            listed = ", ".join(map(repr, given)) or "none"
            raise fail("targets", f"targets are given for {listed}; expected {', '.join(map(repr, names))}")
        return [given[name] for name in names]
    if len(targets) == 1 and len(names) > 1 and hasattr(targets[0], "ndim"):
        poses = np.asarray(targets[0])
        if all(goal.kind in ("pose", "posture") for goal in goals) and poses.shape[-3:] == (len(names), 4, 4):
            return [*np.moveaxis(poses, -3, 0)]
    if len(targets) != len(names):
        raise fail("targets", f"{len(targets)} targets; expected one for each of {len(names)} goals")
    return [*targets]


def with_postures(postures: Sequence[Array | None], targets: Sequence[Any]) -> Sequence[Any]:
    """Return the targets with the postures of the goals that have one, None for others."""
    left = iter(targets)
    return [*(next(left, None) if posture is None else posture for posture in postures), *left]
