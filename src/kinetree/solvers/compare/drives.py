"""Comparison of what drives the joints of two robots, and of their named postures."""

from collections.abc import Iterator
from itertools import zip_longest
from math import inf

from kinetree.display import number, some
from kinetree.model.actuator import KINDS, Actuator
from kinetree.model.robot import Robot
from kinetree.solvers.compare.bodies import Pair
from kinetree.solvers.compare.difference import Difference, Sides, of_one

FIELDS = {"gear": "gear", "control": "range of control", "force": "range of force", "kp": "gain kp", "kv": "gain kv"}
"""Fields of actuators that are compared, and what they are called."""


def compare_actuators(sides: Sides) -> Iterator[Difference]:
    """Yield the differences of the actuators of paired joints, whatever they are called. What no file says of one of
    two is not compared; if only one robot has actuators, that is a remark."""
    has = [bool(robot.actuators) for robot in (sides.robot_a, sides.robot_b)]
    yield from of_one("actuator", "actuators", has, "only the {} robot has any")
    for pair in sides.moving if all(has) else ():
        ours = _of_joint(sides.robot_a, sides.tree_a.joints[pair.a])
        theirs = _of_joint(sides.robot_b, sides.tree_b.joints[pair.b])
        for one, other in _paired(ours, theirs):
            if one is None or other is None:
                alone = [(which, two) for which, two in (("first", one), ("second", other)) if two]
                messages = (f"only the {which} robot has a {two.kind} actuator here" for which, two in alone)
                yield from (Difference("actuator", sides.joint_label(pair), message) for message in messages)
            elif one.kind != other.kind:
                message = f"its kind is {one.kind}, in the second robot {other.kind}"
                yield Difference("actuator", f"actuator {one.name!r}", message)
            else:
                yield from _differences(sides, pair, one, other)


def _of_joint(robot: Robot, joint: str) -> list[Actuator]:
    return [one for one in robot.actuators.values() if one.joint == joint]


def _paired(ours: list[Actuator], theirs: list[Actuator]) -> Iterator[tuple[Actuator | None, Actuator | None]]:
    """Yield the actuators of a joint side by side: one of each; of several, those of a kind, by name if equal."""
    if len(ours) == len(theirs) == 1:
        yield ours[0], theirs[0]
        return
    for kind in KINDS:
        mine, others = ({one.name: one for one in row if one.kind == kind} for row in (ours, theirs))
        yield from ((mine.pop(name), others.pop(name)) for name in [name for name in mine if name in others])
        yield from zip_longest(mine.values(), others.values())


def _differences(sides: Sides, pair: Pair, one: Actuator, other: Actuator) -> Iterator[Difference]:
    """Yield the fields in which two actuators of a kind differ, as in the coordinate of the first joint:
    q_b = sign q_a + offset, so that the position gear_b q_b of the second drive is sign gear_b q_a + gear_b offset."""
    shift = other.gear * pair.offset if one.kind == "position" else 0.0
    for field, words in FIELDS.items():
        mine, theirs = _numbers(getattr(one, field)), _numbers(getattr(other, field))
        if field == "gear":
            theirs = [pair.sign * x for x in theirs]
        elif field == "control":
            theirs = [x - shift for x in theirs]
        apart = [abs(x - y) for x, y in zip(mine, theirs, strict=False) if x != y]
        size = max((abs(x) for x in (*mine, *theirs) if abs(x) < inf), default=0.0)
        if not mine or not theirs or all(d <= sides.relative * size for d in apart):
            continue
        said = [" to ".join(number(x, 6) for x in values) for values in (mine, theirs)]
        message = f"its {words} is {said[0]}, in the second robot {said[1]}"
        yield Difference("actuator", f"actuator {one.name!r}", message, max(apart) if max(apart) < inf else None)


def _numbers(value: float | tuple[float, ...] | None) -> list[float]:
    return [] if value is None else [*value] if isinstance(value, tuple) else [value]


def compare_postures(sides: Sides) -> Iterator[Difference]:
    """Yield the joints that have other values in postures of one name, in rad or m, and a remark on postures that only
    one robot has; if only one has any, nothing."""
    ours, theirs = _postures(sides.robot_a), _postures(sides.robot_b)
    if not ours or not theirs:
        return
    for which, names in (("first", [*ours.keys() - theirs]), ("second", [*theirs.keys() - ours])):
        if names:
            yield Difference("posture", "postures", f"only the {which} robot has {some(sorted(names))}", counts=False)
    for name in [name for name in ours if name in theirs]:
        for pair in sides.leaders:
            a, b = ours[name].get(sides.tree_a.joints[pair.a]), theirs[name].get(sides.tree_b.joints[pair.b])
            if a is None or b is None:
                continue
            there = pair.sign * (b - pair.offset)
            if abs(a - there) > sides.tolerance:
                message = f"{sides.joint_label(pair)} is at {number(a, 6)}, in the second robot at {number(there, 6)}"
                yield Difference("posture", f"posture {name!r}", message, abs(a - there))


def _postures(robot: Robot) -> dict[str, dict[str, float]]:
    """Return {posture: {joint of one coordinate: value}}; states of one name of several groups are one posture."""
    found: dict[str, dict[str, float]] = {}
    for state in robot.semantic.group_states if robot.semantic else ():
        values = {one.name: one.value[0] for one in state.joints if len(one.value) == 1}
        found.setdefault(state.name, {}).update(values)
    return found
