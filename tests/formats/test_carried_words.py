"""Why a record of what a format lacks is left out, word by word, and records of a model inside another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import Finding, KinetreeError
from kinetree.formats.losses.sidecar.write import LegalNames, written
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Actuator, CoupledLimit, Extension, Joint
from kinetree.spatial import se3

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
LIMIT = '<limit lower="0" upper="1" effort="1" velocity="1"/>'
ROBOT = f"""<robot name="r"><link name="a">{MASS}<visual><geometry><box size="1 1 1"/></geometry></visual></link>
<link name="b"/><link name="c"/>
<joint name="turn" type="revolute"><parent link="a"/><child link="b"/>{LIMIT}</joint>
<joint name="slide" type="prismatic"><parent link="b"/><child link="c"/>{LIMIT}</joint>{{}}</robot>"""
CARRIED = "<kinetree_carried of='{}' name='{}'>{}</kinetree_carried>"
REASONS = [
    ("joint", "turn", '{"name": "slide"}', "there is already a joint of this name"),
    ("joint", "turn", '{"name": ""}', "a name is a text that is not empty"),
    ("joint", "turn", '{"name": 3}', "a name is a text that is not empty"),
    ("link", "b", '{"name": "c"}', "there is already a link of this name"),
    ("frame", "b", '{"name": "c"}', "there is no frame 'b'"),
    ("group", "g", '{"name": "c"}', "it needs a list of different names of joints"),
    ("group", "g", '{"joints": ["turn","turn"]}', "it needs a list of different names of joints"),
    ("group", "g", '{"joints": "turn"}', "it needs a list of different names of joints"),
    ("group", "g", '{"joints": [1]}', "it needs a list of different names of joints"),
    ("group", "g", '{"joints": ["z","y"]}', "there is no joint 'y'"),
    ("robot", "", '{"joint_order": ["z"]}', "there is no joint 'z'"),
    ("robot", "", '{"nothing": 1}', "a robot has other fields"),
    ("robot", "", '{"header": {"xmlns:": "x"}}', "its header has more than declarations of name spaces"),
    ("robot", "", '{"header": {"version": "x"}}', "its header has more than declarations of name spaces"),
    ("robot", "", '{"header": {"xmlns:a": 3}}', "'3' does not fit here"),
    ("robot", "", '{"extensions.0": ["a","b"]}', "it has another number of items than expected"),
    ("robot", "", '{"extensions.100": ["a","b","<c/>"]}', "there is no item 100"),
    ("robot", "", '{"extensions.-1": ["a","b","<c/>"]}', "there is no item -1"),
    ("robot", "", '{"actuators": 3}', "expected several values, not an integer"),
    ("joint", "none", '{"type": "revolute"}', "there is no joint 'none'"),
    ("joint", "turn", '{"type": "prismatic"}', "type is 'revolute' in the file, which has been changed since"),
    ("joint", "turn", '{"nothing": 1}', "there is no field 'nothing'"),
    ("joint", "turn", '{"limits.0.lower": 0.5}', "limits.0.lower is 0.0 in the file, which has been changed since"),
    ("joint", "turn", '{"limits.0.nothing": 0.5}', "there is no field 'nothing'"),
    ("joint", "turn", '{"type.nothing": 0.5}', "there is no part 'nothing'"),
    ("joint", "turn", '{"calibration.rising": "x"}', "'x' does not fit here"),
    ("joint", "turn", '{"calibration": null, "calibration.rising.x": 3}', "'None' does not fit here"),
    ("joint", "turn", '{"child_origin": [[1]]}', "it needs an array of shape (4, 4)"),
    ("joint", "n", '{"new": true, "parent": "a", "child": "b"}', "the file has been changed since"),
    ("joint", "n", '{"new": true, "parent": "a", "child": "z"}', "there is no link or frame 'z'"),
    ("joint", "turn", '{"parent": "b"}', "the file has been changed since"),
    ("link", "a", '{"inertial.mass": 0}', "inertial.mass is 1.0 in the file, which has been changed since"),
    ("link", "a", '{"inertial": null}', "the file has a mass, which is not in place of none"),
    ("link", "b", '{"inertial.mass": 1}', "a mass is only where the file has it"),
    ("link", "b", '{"inertial.mass": 0}', "a value is of a kind that does not fit here"),
    ("link", "b", '{"inertial.inertia": [[1]]}', "it needs an array of shape (3, 3)"),
    ("link", "b", '{"visuals.0.name": "x"}', "a value is of a kind that does not fit here"),
    ("link", "b", '{"visuals.0.name": null}', "a value is of a kind that does not fit here"),
    ("link", "b", '{"visuals.0": null}', "a value is of a kind that does not fit here"),
    ("link", "a", '{"visuals.0.shape": null}', "there is no item 0"),
    ("link", "a", '{"visuals.0.shape.kind": null}', "there is no 'shape'"),
    ("link", "b", '{"new": true}', "there is no frame 'b'"),
    ("link", "b", '{"gone": true}', "link 'b' has other joints now, so it stays"),
    ("link", "z", '{"gone": true}', "there is no link 'z'"),
    ("frame", "f", '{"new": true, "link": "z"}', "there is no link 'z'"),
    ("frame", "f", '{"new": true, "link": null}', "what it needs is left out"),
    ("frame", "f", '{"new": true}', "a value is of a kind that does not fit here"),
    ("frame", "f", '{"link": "b"}', "a frame is only where the file has it"),
    ("frame", "f", '{"new": true, "link": "b", "origin": 3}', "it needs an array of shape (4, 4)"),
    ("frame", "f", '{"new": true, "link": "b", "origin.x": 3}', "there is no part 'x'"),
    ("frame", "b", '{"new": true, "link": "b"}', "the file has an element of this name"),
    ("sensor", "s", '{"new": true, "type": "imu", "frame": "z"}', "there is no frame 'z'"),
    ("sensor", "s", '{"new": true, "type": "imu"}', "a value is of a kind that does not fit here"),
    ("sensor", "s", '{"new": true, "type": "imu", "frame": "b", "joint": "z"}', "there is no joint 'z'"),
    ("actuator", "s", '{"new": true, "joint": "z", "kind": "motor"}', "there is no joint 'z'"),
    ("actuator", "s", '{"new": true, "joint": "turn", "kind": "nuclear"}', "'nuclear' does not fit here"),
    ("coupled_limit", "s", '{"new": true, "coefficients": {"z": 1, "y": 2}}', "there is no joint 'y'"),
    ("coupled_limit", "s", '{"new": true, "coefficients": {"turn": 0}}', "it needs a coefficient that is not 0"),
    ("coupled_limit", "s", '{"new": true, "coefficients": {}}', "it needs a coefficient that is not 0"),
    ("coupled_limit", "s", '{"new": true, "coefficients": {"turn": "x"}}', "'x' does not fit here"),
    ("coupled_limit", "s", '{"new": true, "coefficients": {"turn": true}}', "'True' does not fit here"),
    ("coupled_limit", "s", '{"new": true, "coefficients": {"turn": NaN}}', "'nan' does not fit here"),
    ("coupled_limit", "s", '{"new": true}', "a value is of a kind that does not fit here"),
    ("group", "g", '{"new": true, "joints": []}', "no group can be carried"),
    ("loop", "g", '{"new": true, "type": "fixed"}', "no loop can be carried"),
    ("material", "g", '{"new": true, "rgba": [1,2,3]}', "it has another number of items than expected"),
]


def notes_of(robot: kt.Robot) -> list[str]:
    return [note.message for note in robot.notes if note.code == "carried"]


def loaded(*records: tuple[str, str, str], robot: str = ROBOT) -> kt.Robot:
    return kt.load(robot.format("".join(CARRIED.format(*record) for record in records)), format="urdf")


@each("kind, name, data, reason", REASONS)
def test_a_record_is_left_out_for_a_reason(kind, name, data, reason):
    label = "the robot" if kind == "robot" else f"{kind.replace('_', ' ')} {name!r}"
    robot = loaded((kind, name, data))
    (note,) = notes_of(robot)
    assert note.partition(" at <text>:")[0] == f"what it carries about {label} is left out: {reason}"
    assert ([*robot.links], [*robot.joints], robot.groups) == (["a", "b", "c"], ["turn", "slide"], {})


def test_a_record_that_renames_one_of_two_parts_of_a_name_is_left_out_if_that_is_mentioned():
    text = ROBOT.replace('"turn"', '"b"')
    assert [*loaded(("joint", "b", '{"name": "y"}'), robot=text).joints] == ["y", "slide"]
    text = text.replace("{}", '<gazebo reference="b"><x/></gazebo>{}')
    robot = loaded(("joint", "b", '{"name": "y"}'), robot=text)
    assert [*robot.joints] == ["b", "slide"]
    (note,) = notes_of(robot)
    assert "mentions 'b', which is the name of a frame and a joint, and these would get different names" in note


@each(
    "place, scale, reason",
    [
        ((0.5, 0, 0), 1, ""),
        ((0, 0.5, 0), 1, "its axis does not go through the frame that is carried"),
        ((0, 0, 0.5), 1, "its axis does not go through the frame that is carried"),
        ((0.5, 0, 0), 2, "it needs a pose"),
        (("1e999", 0, 0), 1, "it needs an array of shape (4, 4)"),
    ],
)
def test_frames_along_the_axis_of_a_joint_are_taken(place, scale, reason):
    """The axis of `turn` is x."""
    x, y, z = place
    robot = loaded(("joint", "turn", f'{{"child_origin": [[{scale},0,0,{x}],[0,1,0,{y}],[0,0,1,{z}],[0,0,0,1]]}}'))
    assert [note.partition("left out: ")[2] for note in notes_of(robot)] == [reason] * bool(reason)
    assert robot.joints["turn"].child_origin[0, 3] == (0.0 if reason else 0.5)


NESTED = """<sdf version="1.10" xmlns:kinetree="urn:kinetree"><model name="out"><link name="base"/>
<joint name="j" type="fixed"><parent>base</parent><child>in::l</child></joint>
<model name="in"><link name="l"/><link name="k"/><joint name="t" type="revolute"><parent>l</parent><child>k</child>
<axis><xyz>0 0 1</xyz></axis></joint>{}</model></model></sdf>"""


def nested(kind: str, name: str, data: str) -> kt.Robot:
    record = f"<kinetree:carried of='{kind}' kinetree:name='{name}'>{data}</kinetree:carried>"
    return kt.load(NESTED.format(record), format="sdf")


class TestRecordsOfAModelInsideAnother:
    def test_name_parts_of_that_model(self):
        robot = nested("coupled_limit", "c", '{"new": true, "coefficients": {"t": 2.0}, "upper": 3.0}')
        assert robot.coupled_limits == (CoupledLimit("in::c", {"in::t": 2.0}, upper=3.0),)
        assert dict(nested("group", "g", '{"joints": ["t"]}').groups) == {"in::g": ("in::t",)}
        assert [*nested("joint", "t", '{"name": "u"}').joints] == ["j", "in::u"]
        assert nested("frame", "f", '{"new": true, "link": "k"}').frames["in::f"].link == "in::k"
        sensor = nested("sensor", "s", '{"new": true, "type": "imu", "frame": "k", "joint": "t"}').sensors["in::s"]
        assert (sensor.frame, sensor.joint) == ("in::k", "in::t")

    def test_name_materials_of_the_whole(self):
        assert nested("material", "m", '{"new": true, "rgba": [1, 0, 1, 1]}').materials["m"].rgba == (1, 0, 1, 1)

    def test_have_of_the_robot_its_extensions_alone(self):
        data = '{"name": "q", "joint_order": ["t", "j"], "extensions.0": ["urdf", "x", "&lt;x/>"]}'
        robot = nested("robot", "", data)
        assert (robot.name, [*robot.joints]) == ("out", ["j", "in::t"])
        assert robot.extensions == (Extension("urdf", "x", "<x/>"),)

    @each("data, reason", [('["t"]', "\"['in::t']\" does not fit here"), ("3", "'3' does not fit here")])
    def test_that_do_not_fit_are_left_out(self, data, reason):
        robot = nested("coupled_limit", "c", f'{{"new": true, "coefficients": {data}}}')
        assert notes_of(robot) == [f"what it carries about coupled limit 'in::c' is left out: {reason}"]


def test_a_text_that_cannot_be_read_again_is_refused_with_its_errors():
    robot = loaded()
    said = [Finding("a", severity, severity) for severity in ("warning", "error", "info")]
    with pytest.raises(KinetreeError) as error:
        written(LegalNames(robot, {}), "urdf", lambda robot, records: "", lambda text, file: (None, said))
    assert [finding.severity for finding in error.value.findings] == ["error"]


TRANSMISSION = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type>
<joint name="turn"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>
<actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>"""


@each("more, written", [((), 0), ((Actuator("extra", "slide", "motor"),), 2)])
def test_actuators_of_a_block_that_is_carried_need_no_record(more, written):
    robot = loaded(robot=ROBOT.replace("{}", f"{TRANSMISSION}{{}}"))
    parts = parts_of(robot)
    parts.actuators += more
    text = kt.text(build(parts), "sdf")
    assert text.count('of="actuator"') == written
    again = kt.load(text, format="sdf")
    assert [*again.actuators.values()] == [Actuator("turn", "turn", "motor", 50.0), *more]


@each("turn, place", [(0.5, 0.0), (0.0, 0.5), (0.5, 0.5)])
def test_the_frame_of_a_ball_that_closes_a_loop_of_mjcf_is_not_carried(turn, place):
    """The ball of the file has its axes along those of a body, and no other frame moves like it."""
    T = se3.homogeneous(se3.rotation((0, 0, 1), turn), np.array((0.0, 0.0, place)))
    parts = parts_of(loaded())
    parts.links = [replace(link, inertial=parts.links[0].inertial) for link in parts.links]
    parts.loops = [Joint("l", "ball", "a", "c", se3.inverse(T), child_origin=T)]
    text = kt.text(build(parts), "mjcf")
    again = kt.load(text, format="mjcf")
    assert "child_origin" not in text
    assert notes_of(again) == []
    loop = again.loops["l"]
    np.testing.assert_allclose(loop.origin @ loop.child_origin, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(se3.inverse(loop.child_origin)[:3, 3], se3.inverse(T)[:3, 3], atol=1e-12)
