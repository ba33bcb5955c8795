"""Keys of a file of MJCF: kept, as states of the robot, and with their numbers in the order of the robot."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from kinetree.formats.losses.losses import Losses
from kinetree.formats.mjcf.actuators import label
from kinetree.formats.mjcf.context import FORMAT
from kinetree.formats.mjcf.gains import OPTION, any_chosen
from kinetree.formats.mjcf.keyframes import HOME, TAG, numbers_of, of_posture
from kinetree.formats.mjcf.order import reordered, take_controls, take_order
from kinetree.formats.mjcf.write_actuators import in_order
from kinetree.formats.mjcf.writing import Job
from kinetree.model.assemble import Parts
from kinetree.model.edit.extensions import kept_elements
from kinetree.model.robot import Actuator, Joint, Robot
from kinetree.model.semantic import GroupState, JointValue, Semantic
from kinetree.syntax.numbers import format_number, numbers
from kinetree.syntax.xml.reader import Element

WHOLE = "all"
"""Group of states that are read from keys, which is of all joints."""
Place = tuple[Actuator | None, Element | None]


def reorder(section: Element, job: Job, actuators: Sequence[Element]) -> None:
    """Put the numbers of kept keys in the order of the file, in place. The control of an actuator that is new, or is of
    another kind now, is that of the posture."""
    controls, order = take_controls(section), take_order(section)
    places = [*in_order(job, actuators)]
    for key in section.children:
        attributes = reordered(key, order, job.in_file())
        assert isinstance(attributes, dict)  # other keyframes were noted as lost before
        given = (attributes.get("ctrl") or "").split()
        if given and len(given) == len(controls):
            old = [(one, value) for one, value in zip(controls, given, strict=True)]
            at = _single(job, (attributes.get("qpos") or "").split())
            attributes["ctrl"] = " ".join(_control(place, old, at) for place in places)
        key.attributes = {name: value for name, value in attributes.items() if name != "ctrl" or value}


def _control(place: Place, old: list[tuple[dict[str, str], str]], at: Mapping[str, float]) -> str:
    """Return the control of an actuator, which is taken out of those of the key."""
    own = label(*place)
    for i, (one, value) in enumerate(old):
        if one == own:
            del old[i]
            return value
    return format_number(of_posture(place[0], at))


def _single(job: Job, qpos: Sequence[str]) -> dict[str, float]:
    """Return the coordinate of each joint of one coordinate, by the numbers of a key in the order of the file."""
    found, rest = dict[str, float](), [*map(float, qpos)]
    for joint in job.in_file():
        own, rest = rest[: joint.kind.nq], rest[joint.kind.nq :]
        if joint.kind.single and own:
            found[joint.name] = own[0]
    return found


def states_in(section: Element, joints: Sequence[Joint]) -> Iterator[GroupState]:
    """Yield the states of the joints of one coordinate at the keys that have a name and only positions."""
    for key in section.children:
        qpos = numbers(key.get("qpos") or "") or []
        if key.tag != "key" or not key.get("name") or len(qpos) != sum(joint.kind.nq for joint in joints):
            continue
        values = list[JointValue]()
        for joint in joints:
            own, qpos = qpos[: joint.kind.nq], qpos[joint.kind.nq :]
            if joint.kind.single and not joint.mimic:
                values.append(JointValue(joint.name, tuple(own), key.source))
        if values:
            yield GroupState(key.attributes["name"], WHOLE, tuple(values), key.source)


def add_states(parts: Parts, section: Element) -> None:
    """Add the states of a <keyframe> to the semantic description of the parts."""
    if states := [*states_in(section, parts.joints)]:
        semantic = parts.semantic or Semantic(parts.name)
        parts.semantic = replace(semantic, group_states=(*semantic.group_states, *states))


def without_chosen(robot: Robot) -> Robot:
    """Return a robot that was read without what the writer chooses for it, and will choose again: the option with which
    chosen gains are stable, and the key of the neutral posture."""
    chosen = (OPTION.tag, OPTION.text) if any_chosen(robot) else ()
    kept = tuple(one for one in robot.extensions if (one.tag, one.text) != chosen)
    return _without_neutral_key(replace(robot, extensions=kept) if len(kept) < len(robot.extensions) else robot)


def _without_neutral_key(robot: Robot) -> Robot:
    found = [*kept_elements(robot.extensions, FORMAT, TAG)]
    if len(found) != 1 or not robot.actuators or not robot.semantic:
        return robot
    ((extension, section),) = found
    take_controls(section)
    take_order(section)
    keys = [(key.get("name"), *(numbers(key.get(name) or "") for name in ("qpos", "ctrl"))) for key in section.children]
    if len(keys) != 1 or section.children[0].attributes.keys() - {"name", "qpos", "ctrl"} or robot.doubts:
        return robot
    job = Job(robot, Losses(FORMAT, ()))
    sections = [element for _, element in kept_elements(robot.extensions, FORMAT, "actuator")]
    for given, own in zip(keys[0], (HOME, *numbers_of(job, robot.q(), sections)), strict=True):
        if given != own and not (
            isinstance(own, list) and len(own) == len(given or ()) and np.allclose(own, given or ())
        ):
            return robot
    states = tuple(one for one in robot.semantic.group_states if (one.name, one.group) != (HOME, WHOLE))
    semantic = replace(robot.semantic, group_states=states)
    kept = tuple(one for one in robot.extensions if one is not extension)
    return replace(robot, extensions=kept, semantic=semantic if semantic != Semantic(semantic.name) else None)
