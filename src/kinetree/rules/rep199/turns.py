"""Repair of R199-303: frames of links turn to the axes of base_link, and everything on them stays where it is."""

from collections.abc import Iterator, Mapping

import numpy as np

from kinetree.repairs.edit import Edit, New, Repair, insert_after, insert_inside, set_attribute, set_text
from kinetree.repairs.fixes import Elements, rpy_text, set_origin, vector_text
from kinetree.rules.rep199.clause import Arms, angle
from kinetree.rules.rep199.fixes import numbered_links
from kinetree.rules.rep199.placement import without_noise
from kinetree.rules.rule import Array, Element, Poses, Robot, Threshold
from kinetree.spatial import se3
from kinetree.syntax.numbers import numbers

ALIGNED = Threshold(0.1, "degrees", "largest turn of the frame of a link")
NOISE = 1e-10
"""Largest change of a number that is rounding."""
WITHOUT_AXES = (
    *("material", "mu", "mu1", "mu2", "kp", "kd", "maxVel", "minDepth", "maxContacts", "selfCollide", "self_collide"),
    *("gravity", "turnGravityOff", "dampingFactor", "laserRetro", "static", "implicitSpringDamper", "visual"),
)
"""Elements of a <gazebo> block that do not depend on the axes of its link."""


def turned_links(robot: Robot, arms: Arms, poses: Poses) -> Iterator[tuple[str, dict[str, Array]]]:
    """Yield for each arm its foot, and the links with other axes, each with T_link_new (4, 4)."""
    for arm in arms:
        foot = arm.base_link or arm.foot
        turns = {link: se3.inverse(poses[link]) @ poses[foot] for link in numbered_links(robot, arm)}
        for T in turns.values():
            T[:3, 3] = 0.0
        yield foot, {link: T for link, T in turns.items() if angle(T[:3, :3]) > ALIGNED}


def turn_links(robot: Robot, arms: Arms, poses: Poses, elements: Elements) -> Iterator[Repair]:
    """Turn the frames of an arm's links to the axes of its foot. Shapes, masses, sensors, joints and all other frames
    stay where they are."""
    named = {name for arm in arms for name in (arm.base_link, arm.base, arm.flange, arm.tool0)}
    for _, turns in turned_links(robot, arms, poses):
        if not turns:
            continue
        about = f"link {next(iter(turns))!r}"
        if why := next((why for link in turns if (why := _obstacle(robot, elements, link, named))), ""):
            yield Repair(about, because=why)
            continue
        edits = [edit for link, T in turns.items() for edit in _on_link(robot, elements, link, se3.inverse(T))]
        edits += [edit for name, joint in elements.joints.items() for edit in _of_joint(robot, joint, name, turns)]
        yield Repair(about, tuple(edits), turned=turns)


def _obstacle(robot: Robot, elements: Elements, link: str, named: set[str | None]) -> str:
    """Return why a link cannot turn, or ""."""
    if link in named:
        return f"{link!r} is a frame on which others rely, and never turns"
    joints = {joint.name for joint in (robot.parent_joint(link), *robot.child_joints(link)) if joint}
    for block in elements.root.find_all("gazebo"):
        reference = block.get("reference")
        if reference == link and (other := next((e.tag for e in block.children if not _follows(e)), None)):
            return f"its <gazebo> block has <{other}>, which would turn with it"
        if reference in joints and block.find("sensor"):
            return f"a sensor measures in the axes of the joint {reference!r}, which would turn with it"
        if any((element.text or "").strip() == link for element in block.walk()):
            return f"a plug-in of Gazebo names {link!r}, and would turn with it"
    return ""


def _follows(element: Element) -> bool:
    """Return whether an element of a <gazebo> block is the same on a turned link, or can be kept in its place."""
    pose = element.find("pose")
    return element.tag in WITHOUT_AXES or (element.tag == "sensor" and not (pose and pose.attributes))


def _on_link(robot: Robot, elements: Elements, name: str, T: Array) -> Iterator[Edit]:
    """Yield the edits that keep what is on a link in its place. T: T_new_link (4, 4)."""
    link, element = robot.links[name], elements.links[name]
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for one, shape in zip(element.find_all(tag), shapes, strict=True):
            yield from set_origin(one, _clean(T @ shape.origin))
    if link.inertial and (inertial := element.find("inertial")):
        yield from set_origin(inertial, _clean(T @ link.inertial.origin))
    for block in elements.root.find_all("gazebo"):
        for sensor in block.find_all("sensor") if block.get("reference") == name else ():
            pose = sensor.find("pose")
            x, y, z, *rpy = numbers((pose.text if pose else None) or "") or [0.0] * 6
            new = _clean(T @ se3.pose_from_xyz_rpy([x, y, z], rpy))
            text = f"{vector_text(new[:3, 3])} {rpy_text(new[:3, :3])}"
            yield set_text(pose, text) if pose else insert_inside(sensor, f"<pose>{text}</pose>", first=True)


def _of_joint(robot: Robot, element: Element, name: str, turns: Mapping[str, Array]) -> Iterator[Edit]:
    """Yield the edits of a joint whose parent or child turns; of one that is a frame of the robot, if its link does."""
    if (joint := robot.joints.get(name)) is None:
        parent, child = ((end.get("link") or "") if (end := element.find(tag)) else "" for tag in ("parent", "child"))
        if parent in turns and child in robot.frames:
            yield from set_origin(element, _clean(se3.inverse(turns[parent]) @ robot.frames[child].origin))
        return
    if turns.keys().isdisjoint((joint.parent, joint.child)):
        return
    T_parent, T_child = (turns.get(link, se3.IDENTITY) for link in (joint.parent, joint.child))
    yield from set_origin(element, _clean(se3.inverse(T_parent) @ joint.origin @ T_child))
    if joint.child in turns and joint.axis is not None:
        xyz = T_child[:3, :3].T @ joint.axis
        near = np.round(xyz, 9)
        text = vector_text(near if np.abs(near - xyz).max() < NOISE else xyz)
        axis = element.find("axis")
        new = New("axis", {"xyz": text})
        yield set_attribute(axis, "xyz", text) if axis else insert_after(element.children[-1], new)


def _clean(T: Array) -> Array:
    """Return a pose without rounding errors."""
    near = se3.homogeneous(without_noise(T)[:3, :3], np.round(T[:3, 3], 12))
    return near if np.abs(near - T).max() < NOISE else T
