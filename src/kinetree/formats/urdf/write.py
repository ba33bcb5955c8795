"""A robot to URDF text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from math import inf, isinf
from typing import TYPE_CHECKING

import numpy as np

from kinetree.errors import Finding
from kinetree.formats.actuators import actuator_block
from kinetree.formats.coupled import coupled_limit_attributes
from kinetree.formats.force_torque import TAG, check_reading, words_of, written_sensors
from kinetree.formats.losses.capabilities import lost_shape
from kinetree.formats.losses.losses import Losses
from kinetree.formats.urdf.context import CARRIED, COUPLED
from kinetree.formats.urdf.joints import UNLIMITED as LARGEST
from kinetree.formats.urdf.links import SHAPES
from kinetree.formats.urdf.loops import write_loops
from kinetree.formats.urdf.materials import with_own_names
from kinetree.formats.urdf.read import read
from kinetree.formats.urdf.to_gazebo import is_in_block, with_blocks
from kinetree.model.force_torque import reading_place, same_place
from kinetree.model.reshape import frame_links, plain_joints
from kinetree.model.robot import RATES, UNLIMITED, Extension, Geometry, Joint, Limit, Link, Material, Robot, Sensor
from kinetree.model.tree import build_tree
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import format_number, format_numbers
from kinetree.syntax.xml.writer import XmlWriter

LIMITED = ("revolute", "prismatic", "continuous")
"""Types of joints that have a <limit>."""

if TYPE_CHECKING:
    from kinetree.formats.losses.sidecar import Record


def write(robot: Robot, without: Collection[str] = (), notes: list[Finding] | None = None) -> str:
    """Return the robot as URDF, in the version of its file or the later one that its contents need: 1.1 for capsules,
    1.2 for limits of acceleration and jerk. A robot that was read from URDF and not edited gives the same text.

    Extra frames become links without mass on fixed joints, as is the custom. Raises KinetreeError for a part that URDF
    cannot represent and that `without` does not name.
    """
    losses = Losses("urdf", without)
    if robot.text and robot.text.format == "urdf" and not without:
        if notes is not None:
            notes += _other_order(robot)
        return robot.text.text
    robot = losses.without_parts(robot)
    plain = plain_joints(robot)
    losses.find(plain, {"geometry": partial(lost_shape, SHAPES)})
    losses.note_open_loops(plain)
    sensors = _placed(plain, robot, losses)
    losses.check()
    names: dict[tuple[str, str], str] = {}
    if "extension" not in losses.without:
        robot = with_blocks(robot, plain, sensors)
        blocks, joints = actuator_block(robot)
        robot = replace(robot, extensions=(*robot.extensions, *blocks))
        names = {("actuator", name): joint for name, joint in joints.items() if name != joint}
    from kinetree.formats.losses.sidecar import LegalNames, written  # not needed to read

    if notes is not None:
        notes += _other_order(robot)
    render, again = partial(_text, plain, sensors, robot.extensions), partial(read, foreign=True)
    return written(LegalNames.of(robot, names, "urdf"), "urdf", render, again, notes)


def _other_order(robot: Robot) -> list[Finding]:
    """Return a remark if Pinocchio, which goes depth first by the names of joints, has q in another order."""
    from kinetree.formats.losses.sidecar import other_order

    def way(name: str) -> list[str]:
        return [joint.name for joint in robot.joints_to(robot.joints[name].child)]

    return other_order(robot, sorted(robot.joint_names, key=way), "pinocchio")


def _text(
    plain: Robot, sensors: list[Sensor], extensions: Sequence[Extension], robot: Robot, records: Sequence[Record]
) -> str:
    """Return the text of a robot; plain: the same with plain joints; sensors: where URDF has them; extensions: those of
    the whole robot."""
    xml = XmlWriter()
    version = _version(plain)
    with xml.open("robot", name=robot.name, **{**plain.header, "version": version}):
        for material in plain.materials.values():
            _material(xml, material)
        extra = frame_links(plain)
        for link in (*with_own_names(plain.links.values(), plain.materials.values()), *(link for link, _ in extra)):
            _link(xml, link)
        for joint in (*plain.joints.values(), *(joint for _, joint in extra)):
            _joint(xml, joint, version == "1.2")
        for sensor in sensors:
            _sensor(xml, sensor)
        for limit in plain.coupled_limits:
            with xml.open(COUPLED, **coupled_limit_attributes(limit)):
                for name, coefficient in limit.coefficients.items():
                    xml.leaf("joint", name=name, coefficient=format_number(coefficient))
        write_loops(xml, plain)
        for record in records:
            xml.leaf(CARRIED, record.text, of=record.kind, name=record.name or None)
        xml.raw(*_own(extensions))
    return xml.text()


def _version(robot: Robot) -> str | None:
    """Return the version of the file, or the later one that the contents need; None for 1.0 if the file had none."""
    shapes = {shape.shape.kind for link in robot.links.values() for shape in (*link.visuals, *link.collisions)}
    limits = (limit for joint in robot.joints.values() if joint.kind.urdf in LIMITED for limit in joint.limits)
    version = max(robot.header.get("version", "").strip(), "1.1" if "capsule" in shapes else "")
    return "1.2" if any(getattr(limit, name) < inf for limit in limits for name in RATES) else version or None


def _link(xml: XmlWriter, link: Link) -> None:
    shapes = [("visual", g) for g in link.visuals] + [("collision", g) for g in link.collisions]
    if not (link.inertial or shapes or _own(link.extensions)):
        xml.leaf("link", name=link.name)
        return
    with xml.open("link", name=link.name):
        if link.inertial:
            with xml.open("inertial"):
                _origin(xml, link.inertial.origin)
                xml.leaf("mass", value=format_number(link.inertial.mass))
                I = link.inertial.inertia
                names = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
                xml.leaf("inertia", **{name: format_number(I[at]) for name, at in names.items()})
        for tag, geometry in shapes:
            _geometry(xml, tag, geometry)
        xml.raw(*_own(link.extensions))


def _geometry(xml: XmlWriter, tag: str, geometry: Geometry) -> None:
    with xml.open(tag, name=geometry.name):
        _origin(xml, geometry.origin)
        with xml.open("geometry"):
            attributes = {
                k: v if isinstance(v, str) else format_numbers(v) for k, v in geometry.shape.parameters.items()
            }
            if attributes.get("scale") == "1 1 1":
                del attributes["scale"]
            xml.leaf(geometry.shape.kind, **attributes)
        if geometry.material:
            _material(xml, geometry.material)
        xml.raw(*_own(geometry.extensions))


def _material(xml: XmlWriter, material: Material) -> None:
    if not (material.rgba or material.texture):
        xml.leaf("material", name=material.name)
        return
    with xml.open("material", name=material.name):
        if material.rgba:
            xml.leaf("color", rgba=format_numbers(material.rgba))
        if material.texture:
            xml.leaf("texture", filename=material.texture)


def _joint(xml: XmlWriter, joint: Joint, new: bool) -> None:
    """Write a joint. new: whether the file is of version 1.2."""
    kind, limit = joint.kind.urdf, joint.limit
    if kind in ("revolute", "continuous"):
        kind = "continuous" if isinf(limit.lower) and isinf(limit.upper) else "revolute"
    with xml.open("joint", name=joint.name, type=kind):
        _origin(xml, joint.origin)
        xml.leaf("parent", link=joint.parent)
        xml.leaf("child", link=joint.child)
        if joint.axis is not None:
            xml.leaf("axis", xyz=format_numbers(joint.axis))
        _limit(xml, kind, limit, new)
        if joint.mimic:
            mimic = joint.mimic
            xml.leaf(
                "mimic",
                joint=mimic.joint,
                multiplier=format_number(mimic.multiplier),
                offset=format_number(mimic.offset),
            )
        for dynamics in joint.dynamics[:1]:
            xml.leaf("dynamics", damping=format_number(dynamics.damping), friction=format_number(dynamics.friction))
        if joint.safety:
            names = {"k_velocity": "k_velocity", "k_position": "k_position"}
            names |= {"soft_lower_limit": "lower", "soft_upper_limit": "upper"}
            xml.leaf("safety_controller", **{k: format_number(getattr(joint.safety, v)) for k, v in names.items()})
        if joint.calibration:
            edges = {"rising": joint.calibration.rising, "falling": joint.calibration.falling}
            xml.leaf("calibration", **{k: None if v is None else format_number(v) for k, v in edges.items()})
        xml.raw(*_own(joint.extensions))


def _limit(xml: XmlWriter, type: str | None, limit: Limit, new: bool) -> None:
    """Write a <limit> if URDF requires one or it is not the default; no limit is written as the largest double where
    the version requires a number. new: whether this is version 1.2."""
    if type not in LIMITED or (type == "continuous" and limit == UNLIMITED):
        return
    rates = [*RATES] if new else []
    if limit.deceleration == limit.acceleration and new:
        rates.remove("deceleration")
    names = [*([] if type == "continuous" else ["lower", "upper"]), "velocity", "effort", *rates]
    if new:
        names = [name for name in names if name in ("lower", "upper") or getattr(limit, name) < inf]
    numbers = {name: min(max(getattr(limit, name), -LARGEST), LARGEST) for name in names}
    xml.leaf("limit", **{name: format_number(value) for name, value in numbers.items()})


def _placed(robot: Robot, original: Robot, losses: Losses) -> list[Sensor]:
    """Return the sensors, each on a link; a sensor of a joint on the joint's child link."""
    placed = []
    tree, is_sdf = build_tree(robot), original.text is not None and original.text.format == "sdf"

    def in_block(sensor: Sensor) -> bool:
        """Return whether a block of Gazebo has what a force/torque sensor reads."""
        joint = original.joints.get(sensor.joint or "")
        stays = joint is not None and np.array_equal(joint.child_origin, se3.IDENTITY)
        return stays and "extension" not in losses.without and is_in_block(sensor, is_sdf)

    for sensor in written_sensors(robot, losses.without):
        frame = robot.frames[sensor.frame]
        link = frame.name
        if sensor.joint is not None:
            link = robot.joints[sensor.joint].child
        (body, T_body_frame), (body_link, T_body_link) = tree.frames[frame.name], tree.frames[link]
        if body != body_link:
            losses.note_loss(
                "sensor", f"sensor {sensor.name!r}", "a sensor of a joint elsewhere than on its child link"
            )
        same = link == frame.name
        T_link_frame = se3.IDENTITY if same else se3.inverse(T_body_link) @ T_body_frame
        said = replace(sensor.force_torque, point="frame") if sensor.force_torque else None
        moved = replace(sensor, frame=link, origin=T_link_frame @ sensor.origin, force_torque=said)
        places = reading_place(original, sensor), reading_place(robot, moved)
        if in_block(sensor) and not same_place(tree, *places):
            moved = replace(moved, force_torque=None)  # iDynTree would read another wrench
        else:
            check_reading(losses, sensor, tree, *places)
        placed.append(moved)
    return placed


def _sensor(xml: XmlWriter, sensor: Sensor) -> None:
    rate = None if sensor.update_rate is None else format_number(sensor.update_rate)
    with xml.open("sensor", name=sensor.name, type=sensor.type or None, update_rate=rate):
        xml.leaf("parent", link=None if sensor.joint else sensor.frame, joint=sensor.joint)
        _origin(xml, sensor.origin)
        inside = tuple(e for e in sensor.extensions if e.tag.startswith(f"{TAG}/"))
        if sensor.force_torque:
            with xml.open(TAG):
                for tag, word in words_of(sensor.force_torque).items():
                    xml.leaf(tag, word)
                xml.raw(*_own(inside))
        xml.raw(*_own(e for e in sensor.extensions if e not in inside))


def _own(extensions: Iterable[Extension]) -> list[str]:
    return [extension.text for extension in extensions if extension.format == "urdf"]


def _origin(xml: XmlWriter, T: Array) -> None:
    if np.array_equal(T, se3.IDENTITY):
        return
    rotated = not np.array_equal(T[:3, :3], np.eye(3))
    rpy = format_numbers(se3.rpy_from_rotation(T[:3, :3])) if rotated else None
    xml.leaf("origin", xyz=format_numbers(T[:3, 3]), rpy=rpy)
