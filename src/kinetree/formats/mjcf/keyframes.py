"""<keyframe>: named postures, from the states of a semantic description or the neutral posture.

A key of ours has qpos, and ctrl: the positions of the posture for servos of position, zero for other actuators.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kinetree.formats.mjcf.write_actuators import in_order
from kinetree.formats.mjcf.writing import Job
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import Actuator, Joint, Robot
from kinetree.model.semantic import JointValue
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import format_numbers
from kinetree.syntax.xml.reader import Element
from kinetree.syntax.xml.writer import XmlWriter

TAG = "keyframe"
HOME = "home"


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
            qpos, controls = numbers_of(job, q, actuators)
            xml.leaf("key", name=name, qpos=format_numbers(qpos), ctrl=format_numbers(controls) or None)


def numbers_of(job: Job, q: Array, actuators: Sequence[Element]) -> tuple[list[float], list[float]]:
    """Return the positions of a posture and its controls, in the order of the file."""
    at = coordinates(job.robot, q)
    qpos = [x for joint in job.in_file() for x in _in_file(joint, at.get(joint.name, ()))]
    single = {joint: values[0] for joint, values in at.items()}
    return qpos, [of_posture(one, single) for one, _ in in_order(job, actuators)]


def of_posture(one: Actuator | None, at: Mapping[str, float]) -> float:
    """Return the control with which an actuator holds a posture, given as coordinates of joints."""
    return one.gear * at.get(one.joint, 0.0) if one and one.kind == "position" else 0.0


def is_written(robot: Robot) -> bool:
    """Return whether the semantic description of a robot is all in MJCF: only pairs, and postures of all joints."""
    semantic = robot.semantic
    keys = postures(robot, home=False)
    return semantic is None or (semantic.is_of_simulation and all(one.name in keys for one in semantic.group_states))


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
