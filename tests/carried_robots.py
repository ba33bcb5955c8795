"""Robots with something of every part, and their comparison field by field."""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

import kinetree as kt
from kinetree.formats.gazebo import leaves
from kinetree.formats.sdf.from_gazebo import with_gazebo
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import UNLIMITED, CoupledLimit, Dynamics, Extension, Frame, Robot, Sensor
from kinetree.spatial import se3
from kinetree.syntax.xml.reader import Report, parse

TEXT = """<robot name="all">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <material name="wood"><texture filename="wood.bmp"/></material>
  <link name="base"><visual name="plate"><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
    <collision><geometry><sphere radius="0.5"/></geometry></collision>
    <collision name="plate"><geometry><box size="1 2 3"/></geometry></collision></link>
  <link name="arm"><inertial><origin xyz="0.1 0 0.2" rpy="0.1 0.2 0.3"/><mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="3"/></inertial>
    <visual><origin xyz="0 0 0.1"/><geometry><box size="1 2 3"/></geometry>
      <material name="blue"><color rgba="0 0 1 0.5"/></material></visual>
    <visual name="plate"><geometry><sphere radius="2"/></geometry><material name="wood"/></visual></link>
  <link name="slide"/><link name="tip"/><link name="finger"/><link name="tool"/>
  <joint name="turn" type="revolute"><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><parent link="base"/><child link="arm"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="3" effort="0"/>
    <safety_controller k_velocity="10" k_position="2" soft_lower_limit="-0.5" soft_upper_limit="0.5"/>
    <calibration rising="0.5"/><odd a="1">it's &lt; "2"</odd></joint>
  <joint name="slide" type="prismatic"><origin xyz="0.5 0 0"/><parent link="arm"/><child link="slide"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0" velocity="0.3" effort="40"/></joint>
  <joint name="spin" type="continuous"><origin xyz="0 0.5 0"/><parent link="slide"/><child link="tip"/>
    <axis xyz="0 1 0"/><limit velocity="5" effort="6"/><dynamics damping="0.5" friction="0.25"/></joint>
  <joint name="grip" type="revolute"><origin xyz="0 0 0.3"/><parent link="tip"/><child link="finger"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" velocity="7" effort="8"/>
    <mimic joint="spin" multiplier="0.5" offset="0.1"/></joint>
  <joint name="weld" type="fixed"><origin xyz="0 0 0.1"/><parent link="tip"/><child link="tool"/></joint>
  <gazebo reference="slide"><a>&amp;</a></gazebo>
</robot>"""

RECORD = {
    "urdf": re.compile(r'<kinetree_carried of="([^"]*)"(?: name="([^"]*)")?>(.*)</kinetree_carried>'),
    "sdf": re.compile(r'<kinetree:carried of="([^"]*)"(?: kinetree:name="([^"]*)")?>(.*)</kinetree:carried>'),
    "mjcf": re.compile(r'<text name="kinetree:(?!counted)([^":]*)(?::([^"]*))?" data="([^"]*)"/>'),
}
"""An element of Kinetree in a file: the kind, the name and the data of what is carried."""


def everything() -> Robot:
    """Return a robot with something of every part that a file may carry, and a joint called like a link."""
    parts = parts_of(kt.load(TEXT, format="urdf"))
    dynamics = {"spin": Dynamics(0.5, 0.25, 2.0, 0.125, 0.01), "weld": Dynamics(0.5)}
    parts.joints = [replace(j, dynamics=(dynamics[j.name],)) if j.name in dynamics else j for j in parts.joints]
    parts.frames.append(Frame("eye", "arm", se3.pose_from_xyz_rpy((0, 0.1, 0), (0.3, 0, 0))))
    parts.sensors += [
        Sensor("imu", "imu", "eye", se3.pose_from_xyz_rpy((0, 0, 1), (0, 0.3, 0)), update_rate=100.0),
        Sensor("odd", "sniffer", "tool", extensions=(Extension("urdf", "smell", "<smell/>"),)),
        Sensor("cam", "camera", "tip", update_rate=30.0),
    ]
    parts.coupled_limits.append(CoupledLimit("sum", {"turn": 1.0, "slide": 2.0}, -1.5, 1e12))
    parts.extensions.append(Extension("sdf", "plugin", "<plugin name='p'/>"))
    parts.groups = {"arm": ("slide", "turn"), "none": ()}
    return build(parts).order(["spin", "turn", "slide"])


def differences(a: Robot, b: Robot) -> list[str]:
    """Return the paths of all fields in which two robots differ; numbers of poses by more than 1e-12.

    Equal by meaning are: a limit or dynamics without any number and none; a reference to a material and the material;
    an inertia seen in two frames; a header with and without a version or name spaces that nothing uses.
    """
    return [*unlike(_plain(a), _plain(b), "robot")]


def _plain(robot: Robot) -> dict[str, object]:
    robot = with_gazebo(robot)  # where blocks of Gazebo are what SDF has
    fields = {f.name: getattr(robot, f.name) for f in dataclasses.fields(robot)}
    for name in ("notes", "text", "placed", "source", "places", "loops"):
        fields.pop(name, None)
    links, joints = {}, {}
    for link in robot.links.values():
        inertial = link.inertial
        if inertial is not None:
            R = inertial.origin[:3, :3]
            inertial = (inertial.mass, inertial.origin[:3, 3], R @ inertial.inertia @ R.T)
        shapes = [[_resolved(robot, g) for g in all] for all in (link.visuals, link.collisions)]
        links[link.name] = (inertial, shapes, _settings(link.extensions))
    for joint in robot.joints.values():
        limits = joint.limits if any(limit != UNLIMITED for limit in joint.limits) else ()
        dynamics = joint.dynamics if any(row != Dynamics() for row in joint.dynamics) else ()
        settings = _settings(joint.extensions)
        joints[joint.name] = replace(joint, limits=limits, dynamics=dynamics, extensions=()), settings
    coupled = {limit.name: limit for limit in robot.coupled_limits}
    texts = "".join(extension.text for extension in robot.extensions)
    header = {key: uri for key, uri in robot.header.items() if f"{key.removeprefix('xmlns:')}:" in texts}
    return fields | {"header": header, "links": links, "joints": joints, "coupled_limits": coupled}


def _resolved(robot: Robot, geometry):
    material, settings = geometry.material, _settings(geometry.extensions)
    geometry = replace(geometry, extensions=())
    if material is None or material.rgba or material.texture or material.name not in robot.materials:
        return geometry, settings
    return replace(geometry, material=robot.materials[material.name]), settings


def _settings(extensions) -> list[tuple[str, ...]]:
    """What extensions say: those of SDF as the innermost elements by their paths, in any order."""
    found = []
    for one in extensions:
        root = parse(one.text, "<text>", Report()) if one.format == "sdf" else None
        inside = (
            leaves(root, one.tag.rpartition("/")[0] and f"{one.tag.rpartition('/')[0]}/") if root is not None else None
        )
        if inside is None:
            found.append((one.format, one.tag, one.text))
        else:
            found += [(one.format, path, leaf.text.strip()) for path, leaf in inside.items()]
    return sorted(found)


def unlike(a: object, b: object, path: str = "") -> Iterator[str]:
    """Yield the paths at which two values differ, without sources."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if np.shape(a) != np.shape(b) or not np.allclose(a, b, rtol=1e-12, atol=1e-12):
            yield f"{path}: {a!r} {b!r}"
    elif dataclasses.is_dataclass(a) and type(a) is type(b):
        for field in dataclasses.fields(a):
            if field.name != "source":
                yield from unlike(getattr(a, field.name), getattr(b, field.name), f"{path}.{field.name}")
    elif isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from unlike(x, y, f"{path}.{i}")
    elif isinstance(a, Mapping) and isinstance(b, Mapping) and {*a} == {*b}:
        for key in a:
            yield from unlike(a[key], b[key], f"{path}.{key}")
    elif a != b:
        yield f"{path}: {a!r} {b!r}"
