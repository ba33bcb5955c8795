"""<keyframe>: named postures, from the states of a semantic description or the neutral posture, and to states.

A key of ours has qpos, and ctrl: the positions of the posture for servos of position, zero for other actuators.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from kinetree.formats.losses.losses import Losses
from kinetree.formats.mjcf.actuators import in_order, label
from kinetree.formats.mjcf.context import FORMAT
from kinetree.formats.mjcf.gains import OPTION, any_chosen
from kinetree.formats.mjcf.order import reordered, take_controls, take_order
from kinetree.formats.mjcf.writing import Job
from kinetree.model.edit.extensions import kept_elements
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import Actuator, Joint, Robot
from kinetree.model.semantic import GroupState, JointValue, Semantic
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import format_number, format_numbers, numbers
from kinetree.syntax.xml.reader import Element
from kinetree.syntax.xml.writer import XmlWriter

TAG = "keyframe"
HOME = "home"
WHOLE = "all"
"""Group of states that are read from keys, which is of all joints."""
Place = tuple[Actuator | None, Element | None]


def write_keys(xml: XmlWriter, job: Job, kept: Sequence[Element], actuators: Sequence[Element]) -> None:
    """Write the kept keys, and one for each posture of the robot that has no key of its name.

    kept, actuators: the kept sections <keyframe> and <actuator>.
    """
    known = {key.get("name") for section in kept for key in section.children}
    new = {name: q for name, q in postures(job.robot, not known).items() if name not in known}
    elements = [key for section in kept for key in section.children]
    if not elements and not new:
        return
    with xml.open(TAG):
        for key in elements:
            xml.leaf(key.tag, **key.attributes)
        for name, q in new.items():
            qpos, controls = _numbers(job, q, actuators)
            xml.leaf("key", name=name, qpos=format_numbers(qpos), ctrl=format_numbers(controls) or None)


def _numbers(job: Job, q: Array, actuators: Sequence[Element]) -> tuple[list[float], list[float]]:
    """Return the positions of a posture and its controls, in the order of the file."""
    at = coordinates(job.robot, q)
    qpos = [x for joint in job.in_file() for x in _in_file(joint, at.get(joint.name, ()))]
    single = {joint: values[0] for joint, values in at.items()}
    return qpos, [_of_posture(one, single) for one, _ in in_order(job, actuators)]


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
    for given, own in zip(keys[0], (HOME, *_numbers(job, robot.q(), sections)), strict=True):
        if given != own and not (
            isinstance(own, list) and len(own) == len(given or ()) and np.allclose(own, given or ())
        ):
            return robot
    states = tuple(one for one in robot.semantic.group_states if (one.name, one.group) != (HOME, WHOLE))
    semantic = replace(robot.semantic, group_states=states)
    kept = tuple(one for one in robot.extensions if one is not extension)
    return replace(robot, extensions=kept, semantic=semantic if semantic != Semantic(semantic.name) else None)


def is_written(robot: Robot) -> bool:
    """Return whether the semantic description of a robot is all in MJCF: only pairs, and postures of all joints."""
    semantic = robot.semantic
    keys = postures(robot, home=False)
    return semantic is None or (semantic.is_of_simulation and all(one.name in keys for one in semantic.group_states))


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
    return format_number(_of_posture(place[0], at))


def _of_posture(one: Actuator | None, at: Mapping[str, float]) -> float:
    return one.gear * at.get(one.joint, 0.0) if one and one.kind == "position" else 0.0


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


def with_states(semantic: Semantic | None, name: str, states: Sequence[GroupState]) -> Semantic | None:
    """Return a semantic description with more states, or None if it would have nothing."""
    if not states:
        return semantic
    semantic = semantic or Semantic(name)
    return replace(semantic, group_states=(*semantic.group_states, *states))


def postures(robot: Robot, home: bool) -> dict[str, Array]:
    """Return q (nq,) of the states that name every joint of one coordinate, by name, a state of several groups as one;
    first "home": the state of that name, else the first inside the limits, else the neutral posture if the robot has
    actuators and `home` is true."""
    wanted = {name for name in robot.joint_names if robot.joints[name].kind.single}
    states: dict[str, dict[str, tuple[float, ...]]] = {}
    for state in robot.semantic.group_states if robot.semantic else ():
        values = {one.name: one.value for one in state.joints if _fits(robot, one)}
        states.setdefault(state.name, {}).update(values)
    own = states.get(HOME, {})
    whole = {name: _q(robot, values) for name, values in states.items() if wanted and wanted <= values.keys()}
    if own:
        return {HOME: _q(robot, own), **{name: q for name, q in whole.items() if name != HOME}}
    if home and (whole or robot.actuators) and robot.nq:
        return {HOME: next((q for q in whole.values() if robot.limits.contains(q)), robot.q()), **whole}
    return whole


def _fits(robot: Robot, one: JointValue) -> bool:
    return one.name in robot.joint_names and len(one.value) == robot.joints[one.name].kind.nq


def _q(robot: Robot, values: Mapping[str, tuple[float, ...]]) -> Array:
    q = robot.q().copy()
    for name, value in values.items():
        q[robot.q_slices[name]] = value
    return q


def coordinates(robot: Robot, q: Array) -> dict[str, Sequence[float]]:
    """Return the coordinates of every joint that moves, followers included."""
    found: dict[str, Sequence[float]] = {name: q[at].tolist() for name, at in robot.q_slices.items()}
    for joint in robot.joints.values():
        if joint.mimic and joint.kind.nq:
            leader, polynomial = mimic_polynomial(robot, joint.name, {*robot.joint_names})
            found[joint.name] = [float(np.polynomial.polynomial.polyval(found[leader][0], polynomial))]
    return found


def _in_file(joint: Joint, values: Sequence[float]) -> Iterator[float]:
    """Yield the coordinates of a joint as MuJoCo has them: quaternions wxyz, free bodies from the world's origin."""
    if joint.type == "floating":
        T = joint.origin @ se3.homogeneous(se3.rotation_from_quaternion(values[3:]), values[:3])
        x, y, z, w = se3.quaternion_from_rotation(T[:3, :3])
        yield from (*T[:3, 3], w, x, y, z)
    elif joint.type == "ball":
        x, y, z, w = values
        yield from (w, x, y, z)
    else:
        yield from values
