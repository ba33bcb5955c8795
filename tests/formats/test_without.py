"""What a writer is told to leave out is left out, and nothing else; what a format cannot say is said in full."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats.capabilities import CAPABILITIES, things_of
from kinetree.formats.losses import PARTS
from kinetree.formats.registry import FORMATS
from kinetree.model.assemble import build, parts_of
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import CoupledLimit, Dynamics, Extension, Frame, Geometry, Limit, Sensor, Shape
from kinetree.spatial import se3
from support import in_words, loss_of

TEXT = """<robot name="all">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>
      <inertia ixx="1" ixy="0.1" ixz="0" iyy="1.2" iyz="0" izz="0.9"/></inertial>
    <visual><origin xyz="0 0 0.1"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
    <collision><geometry><sphere radius="0.5"/></geometry></collision></link>
  <link name="slide"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><geometry><cylinder radius="0.1" length="0.4"/></geometry>
      <material name="blue"><color rgba="0 0 1 0.5"/></material></visual></link>
  <link name="tip"><inertial><mass value="0.5"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="finger"/><link name="tool"/>
  <joint name="turn" type="revolute"><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><parent link="base"/><child link="arm"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="3" effort="4"/>{turn}</joint>
  <joint name="lift" type="prismatic"><origin xyz="0.5 0 0"/><parent link="arm"/><child link="slide"/>
    <axis xyz="1 0 0"/><limit lower="-0.5" upper="0.25" velocity="0.3" effort="40"/></joint>
  <joint name="spin" type="continuous"><origin xyz="0 0.5 0"/><parent link="slide"/><child link="tip"/>
    <axis xyz="0 1 0"/><limit velocity="5" effort="6"/></joint>
  <joint name="grip" type="revolute"><origin xyz="0 0 0.3"/><parent link="tip"/><child link="finger"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" velocity="7" effort="8"/>
    <mimic joint="spin" multiplier="0.5" offset="0.1"/></joint>
  <joint name="weld" type="fixed"><origin xyz="0 0 0.1"/><parent link="tip"/><child link="tool"/></joint>
  {more}
</robot>"""
URDF_ALONE = '<safety_controller k_velocity="10"/><calibration rising="0.5"/>'
"""What no other format has."""


def robot(format):
    """One that has something of every part, and that the format can say nearly all of."""
    alone = format == "urdf"
    made = kt.load(TEXT.format(turn=URDF_ALONE if alone else "", more="<odd/>" if alone else ""), format="urdf")
    parts = parts_of(made)
    dynamics = Dynamics(0.5, 0.25) if alone else Dynamics(0.5, 0.25, 2.0, 0.125)
    parts.joints = [replace(j, dynamics=(dynamics,)) if j.name == "lift" else j for j in parts.joints]
    parts.frames.append(Frame("eye", "arm", se3.pose_from_xyz_rpy((0, 0.1, 0), (0.3, 0, 0))))
    parts.sensors.append(Sensor("imu", "accelerometer" if format == "mjcf" else "imu", "arm"))
    parts.coupled_limits.append(CoupledLimit("sum", {"turn": 1.0, "lift": 2.0}, -1.5, 1.25))
    return build(parts).order(["spin", "turn", "lift"])


def content(made):
    """All of a robot, by part."""
    links, joints = made.links.values(), made.joints.values()
    shapes = {link.name: [*link.visuals, *link.collisions] for link in links}
    return {
        "link": sorted(set(made.links) | {"world"}),
        "inertial": {x.name: (x.inertial.mass, x.inertial.inertia.round(9).tolist()) for x in links if x.inertial},
        "geometry": {
            name: [(g.shape.kind, str(g.shape.parameters)) for g in all] for name, all in shapes.items() if all
        },
        "material": [(name, g.material.rgba) for name, all in shapes.items() for g in all if g.material],
        "sensor": sorted(made.sensors),
        "limit": {j.name: (j.limit.lower, j.limit.upper, j.limit.effort) for j in joints if j.kind.nq},
        "velocity_limit": {j.name: j.limit.velocity for j in joints if j.kind.nq},
        "coupled_limit": [(c.name, dict(c.coefficients), c.lower, c.upper) for c in made.coupled_limits],
        "dynamics": {j.name: d for j in joints for d in j.dynamics if d != Dynamics()},
        "safety": {j.name: j.safety for j in joints if j.safety},
        "calibration": {j.name: j.calibration for j in joints if j.calibration},
        "frame": sorted(set(made.frames) - set(made.links) - {"imu_site"}),  # which MJCF needs for the sensor
        "group": dict(made.groups),
        "order": made.joint_names,
        "mimic": {j.name: j.mimic for j in joints if j.mimic},
        "extension": len(made.extensions),
    }


WRITTEN = ["urdf", "sdf", "mjcf", "dh"]
ALL = ("inertial", "geometry", "material", "sensor", "limit", "velocity_limit", "coupled_limit", "dynamics", "mimic")
SAID = {  # the parts of that robot that a format has, and those that it cannot have
    "urdf": ({*ALL, "order", "extension", "safety", "calibration", "frame"}, set()),
    "sdf": ({*ALL, "order", "frame"}, set()),
    "mjcf": ({*ALL, "order", "frame"}, set()),
    "dh": (
        {"limit", "velocity_limit", "coupled_limit", "mimic", "order", "sensor"},
        {"material", "inertial", "geometry", "dynamics"},
    ),
}
ALONG = {"geometry": {"material"}, "limit": {"velocity_limit"}, "mimic": {"order"}}
"""What goes with a part: the colours of shapes, the speeds of limits; followers that are freed move in q."""


@pytest.mark.parametrize("format", WRITTEN)
def test_what_cannot_be_said_is_lost_and_nothing_else(format):
    made, (said, lost) = robot(format), SAID[format]
    found = loss_of(FORMATS[format].write, made, ())
    assert {line.rpartition("[cannot-say-")[2].rstrip("]") for line in found.splitlines() if "[" in line} == lost
    before = content(made)
    after = content(kt.load(FORMATS[format].write(made, tuple(lost)), format=format))
    for part in said - {"material"}:
        if part == "velocity_limit" and format == "dh":
            assert after[part]["turn"] == 3.0
        else:
            assert after[part] == before[part], part


@pytest.mark.parametrize("format", WRITTEN)
def test_each_part_can_be_left_out_alone(format):
    made, (said, lost) = robot(format), SAID[format]
    write = FORMATS[format].write
    before = content(kt.load(write(made, tuple(lost)), format=format))
    for part in PARTS:
        after = content(kt.load(write(made, (*lost, part)), format=format))
        gone = {name for name in before if after[name] != before[name]}
        expected = {part, *ALONG.get(part, set()) & said} if part in said else set()
        assert gone == expected, part
        if part == "mimic":
            assert after["order"] == (*before["order"], "grip")
        elif part == "order":
            assert after["order"] == ("turn", "lift", "spin")
        elif part in said and part not in ("extension", "frame", "limit", "velocity_limit", "material"):
            assert not after[part]


def test_every_format_that_is_written_has_a_row_of_the_table():
    assert set(CAPABILITIES) == {name for name, row in FORMATS.items() if row.writer}
    made = robot("urdf")
    for name, row in CAPABILITIES.items():
        for part in row.cannot:
            assert part.rpartition(".")[2] in (*PARTS, "joint", "link"), (name, part)
            for element, _, source in things_of(made, part, ()):
                assert element.partition(" ")[0] in ("robot", "link", "joint", "frame", "sensor", "material", "coupled")
                assert source is None or source.line


def test_unknown_parts_are_refused():
    for format in WRITTEN:
        with pytest.raises(kt.KinetreeError, match=r"without=\['limits'\]; legal are extension, geometry"):
            FORMATS[format].write(robot(format), ("limit", "limits"))


def hinged(**changes):
    """Two links and a joint, edited."""
    text = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>
      <child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""
    parts = parts_of(kt.load(text, format="urdf"))
    parts.joints = [replace(joint, **{"limits": (Limit(-1.0, 1.0),)} | changes) for joint in parts.joints]
    return parts


def awkward():
    """Robots that have what some format lacks, by what that is."""
    axes = {2: np.eye(3)[:2], 1: np.eye(3)[:1], 0: np.zeros((0, 3))}
    for row in JOINT_TYPES.values():
        limits = (Limit(-0.5, 0.5),) * row.nv if row.axes and row.name != "continuous" else ()
        changes = {"type": row.name, "axes": axes[row.axes], "limits": limits}
        yield f"a {row.name} joint", hinged(**changes)
    yield "armature", hinged(dynamics=(Dynamics(armature=1.0),))
    yield "stiffness", hinged(dynamics=(Dynamics(stiffness=1.0),))
    yield "a huge limit", hinged(limits=(Limit(-1e17, 1e16, 1e18, 1.0),))
    yield "negative limits", hinged(limits=(Limit(-1.0, 1.0, -1.0, -2.0),))
    yield "a pose behind the joint", hinged(child_origin=se3.pose_from_xyz_rpy((0.1, 0, 0), (0.3, 0, 0)))
    for name in ("a", "x::j", "__j__", " j", "a b", 'q"', "world"):
        yield f"a joint called {name!r}", hinged(name=name)
    for name in ("x::f", "__f__", "j", "a f", "world"):
        parts = hinged()
        parts.frames.append(Frame(name, "b", se3.IDENTITY))
        yield f"a frame called {name!r}", parts
    for kind in ("capsule", "cone", "ellipsoid", "plane", "heightmap", "mesh"):
        parts = hinged()
        sizes = {"radius": 1.0, "length": 1.0} if kind in ("capsule", "cone") else {}
        sizes |= {"radii": (1.0, 2.0, 3.0)} if kind == "ellipsoid" else {}
        sizes |= {"normal": (0.0, 0.0, 1.0), "size": (1.0, 1.0)} if kind == "plane" else {}
        sizes |= {"filename": "m.stl", "scale": (1.0, 1.0, 1.0)} if kind == "mesh" else {}
        parts.links[1] = replace(parts.links[1], visuals=(Geometry(Shape(kind, sizes)),))
        yield f"a {kind}", parts
    for format in ("urdf", "sdf", "mjcf"):
        parts = hinged(extensions=(Extension(format, "odd", "<odd/>"),))
        parts.extensions.append(Extension(format, "odd", "<odd/>"))
        yield f"extensions of {format}", parts
    for kind, joint in (("imu", None), ("force_torque", "j"), ("camera", None), ("", None)):
        parts = hinged()
        parts.sensors.append(Sensor("s", kind, "b" if kind != "camera" else "a", joint=joint, update_rate=10.0))
        yield f"a sensor of type {kind!r}", parts
    parts = hinged()
    parts.groups["g"] = ("j",)
    yield "a group", parts
    parts = hinged()
    parts.coupled_limits.append(CoupledLimit("c", {"j": 2.0}, -1.0, 1.0))
    yield "a coupled limit", parts
    yield "a robot without a name", replace(hinged(), name="")


def test_every_word_of_what_cannot_be_said(golden):
    """In full, by robot and format. Read the difference before you update the file."""
    said = []
    for name, parts in awkward():
        try:
            made = build(parts)
        except kt.KinetreeError as error:
            said.append(f"# {name}\n{in_words(error.findings)}")
            continue
        lost = {format: loss_of(FORMATS[format].write, made) for format in (*WRITTEN, "ets")}
        said += [f"# {name} in {format}\n{words}" for format, words in lost.items() if words != "nothing\n"]
    golden("losses.txt", "\n".join(said))
