"""Actuators and postures: read from blocks of URDF and from MJCF, kept true by edits, written to MJCF, compared."""

import re
from dataclasses import replace
from math import inf, pi, sqrt

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats.registry import WRITTEN
from kinetree.model.actuator import Actuator
from kinetree.model.assemble import build, parts_of
from kinetree.model.names import NamedValues
from kinetree.model.robot import Dynamics
from kinetree.spatial import se3
from kinetree.syntax.xml.reader import Report, parse
from mesh_files import stl

ARM = """<robot name="arm"><link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.5"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0 0 0.3"/><mass value="1"/>
    <inertia ixx="0.05" iyy="0.05" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="1" velocity="3" effort="40"/></joint>
  <joint name="elbow" type="revolute"><origin xyz="0 0 1"/><parent link="upper"/><child link="fore"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" velocity="4" effort="20"/></joint>
  {blocks}</robot>"""
ROS1 = """<transmission name="t_{0}"><type>transmission_interface/SimpleTransmission</type>
  <joint name="{0}"><hardwareInterface>hardware_interface/{1}JointInterface</hardwareInterface></joint>
  <actuator name="m_{0}"><mechanicalReduction>{2}</mechanicalReduction></actuator></transmission>"""
ROS2 = '<ros2_control name="r" type="system">{}</ros2_control>'
JOINT = '<joint name="{}">{}</joint>'


def arm(*blocks, **options):
    return kt.load(ARM.format(blocks="".join(blocks)), format="urdf", **options)


def command(name, *ends):
    params = "".join(f'<param name="{end}">{value}</param>' for end, value in ends)
    return f'<command_interface name="{name}">{params}</command_interface>'


@each(
    "interface, kind",
    [("Position", "position"), ("PosVel", "position"), ("Velocity", "velocity"), ("Effort", "motor")],
)
def test_a_transmission_is_an_actuator_of_its_joint(interface, kind):
    (one,) = arm(ROS1.format("elbow", interface, 50)).actuators.values()
    assert one == Actuator("elbow", "elbow", kind, 50.0)
    assert one.source.line == 10


def test_a_transmission_of_the_pr2_carries_efforts():
    block = """<transmission name="t" type="pr2_mechanism_model/SimpleTransmission"><actuator name="m"/>
    <joint name="elbow"/><mechanicalReduction>-36.2</mechanicalReduction></transmission>"""
    assert [*arm(block).actuators.values()] == [Actuator("elbow", "elbow", "motor", -36.2)]


@each(
    "block",
    [
        ROS1.format("elbow", "JointState", 1),
        ROS1.format("nothing", "Position", 1),
        '<transmission name="t"><joint name="elbow"/><actuator name="m"/></transmission>',
        ROS2.format(JOINT.format("elbow", '<state_interface name="position"/>')),
        ROS2.format(JOINT.format("elbow", command("brake"))),
    ],
)
def test_a_block_without_a_command_that_is_known_drives_nothing(block):
    assert not arm(block).actuators


def test_position_goes_before_velocity_before_effort_with_its_own_range():
    both = command("effort", ("min", -5), ("max", 5)) + command("velocity", ("max", 2))
    (one,) = arm(ROS2.format(JOINT.format("elbow", both))).actuators.values()
    assert (one.kind, one.control) == ("velocity", (-inf, 2.0))
    gear = (
        '<transmission name="t"><plugin>transmission_interface/SimpleTransmission</plugin><actuator name="m" role="a"/>'
    )
    gear += '<joint name="elbow" role="j"><mechanical_reduction>-4</mechanical_reduction></joint></transmission>'
    text = JOINT.format("elbow", command("position", ("min", -0.5), ("max", 1)))
    (one,) = arm("<gazebo>", ROS2.format(text + gear), "</gazebo>").actuators.values()
    assert (one.kind, one.gear, one.control) == ("position", -4.0, (-4.0, 2.0))
    (one,) = arm(
        ROS2.format(JOINT.format("elbow", command("effort", ("min", -8), ("max", 4))) + gear)
    ).actuators.values()
    assert (one.kind, one.control) == ("motor", (-1.0, 2.0))


def test_a_follower_gets_no_actuator_and_changes_of_an_actuator_are_carried():
    mimic = '<mimic joint="shoulder"/>'
    text = ARM.format(blocks=ROS1.format("elbow", "Position", 1) + ROS1.format("shoulder", "Position", 1))
    follows = text.replace('effort="20"/>', f'effort="20"/>{mimic}')
    assert [*kt.load(follows, format="urdf").actuators] == ["shoulder"]
    parts = parts_of(kt.load(text, format="urdf"))
    parts.actuators = [replace(parts.actuators[0], kp=7.0)]
    for format in ("urdf", "sdf", "mjcf"):
        back = kt.load(kt.text(build(parts), format), format=format)
        assert back.actuators["elbow"] == parts.actuators[0]
        assert format != "urdf" or [*back.actuators] == ["elbow"]


def test_joints_that_a_transmission_couples_have_no_gear_of_their_own():
    two = ROS1.format("elbow", "Effort", 9).replace("Simple", "Differential")
    two = two.replace(
        "</transmission>",
        '<joint name="shoulder"><hardwareInterface>EffortJointInterface</hardwareInterface></joint></transmission>',
    )
    assert [(one.joint, one.kind, one.gear) for one in arm(two).actuators.values()] == [
        ("elbow", "motor", 1.0),
        ("shoulder", "motor", 1.0),
    ]


def test_gains_that_no_file_says_are_critically_damped_for_the_inertia_of_the_joint():
    robot = arm(ROS1.format("elbow", "Position", 10), ROS1.format("shoulder", "Velocity", 1))
    text = kt.text(robot, "mjcf")
    written = {one.name: one for one in bare(text).actuators.values()}
    inertia = np.diag(kt.mass_matrix(robot)(robot.q()))  # kg m²
    elbow, shoulder = written["elbow"], written["shoulder"]
    kp, w = elbow.kp * elbow.gear**2, 2 * pi * 20  # of the joint
    assert kp == pytest.approx(w**2 * inertia[1], rel=1e-12)
    assert elbow.kv * elbow.gear**2 == pytest.approx(2 * sqrt(kp * inertia[1]), rel=1e-12)
    assert shoulder.kv == pytest.approx(w * inertia[0], rel=1e-12)
    assert (elbow.control, elbow.force) == ((-10.0, 20.0), (-2.0, 2.0))
    assert (shoulder.control, shoulder.force) == ((-3.0, 3.0), (-40.0, 40.0))
    back = kt.load(text, format="mjcf")
    assert [*back.actuators.values()] == [*robot.actuators.values()]  # what no file said is not said now
    assert kt.text(back, "urdf", without=()).count("<transmission") == 2
    (note,) = (one for one in notes(robot) if one.code == "gains")
    assert "gains of 2 actuators" in note.message


def bare(text):
    """Read a file as other programs do: without the texts of Kinetree."""
    start, _, end = text.partition("<custom>")
    return kt.load(start + end.partition("</custom>")[2], format="mjcf")


def notes(robot):
    found = []
    WRITTEN["mjcf"].write(robot, (), found)
    return found


def test_limits_that_no_file_says_are_those_of_the_joint_over_the_gear():
    """Shoulder: -2..1 rad, 3 rad/s, 40 N m; elbow: -1..2 rad, 4 rad/s, 20 N m."""
    blocks = ROS1.format("shoulder", "Position", -5), ROS1.format("elbow", "Velocity", 5)
    again = kt.load(kt.text(arm(*blocks), "mjcf").replace("kinetree:actuator", "x"), format="mjcf")
    found = [(one.control, one.force) for one in again.actuators.values()]
    assert found == [((-5.0, 10.0), (-8.0, 8.0)), ((-20.0, 20.0), (-4.0, 4.0))]


def test_gains_that_were_changed_in_the_file_are_read():
    text = kt.text(arm(ROS1.format("elbow", "Position", 1)), "mjcf")
    before = bare(text).actuators["elbow"].kp
    changed = text.replace(f'kp="{before:.17g}"', 'kp="123"')
    assert changed != text
    robot = kt.load(changed, format="mjcf")
    assert any("has been changed since" in note.message for note in robot.notes)
    assert robot.actuators["elbow"].kp == 123


SERVOS = """<mujoco model="m"><compiler angle="radian"/>
  <default><default class="c"><general biastype="affine" ctrlrange="-1 2" forcerange="-9 9"/>
  </default><default class="p"><position kp="70" kv="3"/></default>
  <default class="b"><general gear="2"/><position gear="3"/></default></default>
<worldbody><body name="a"><joint name="j" range="-1 3"/><joint name="k" type="slide" axis="0 0 1"/><geom size="1"/>
</body></worldbody><actuator>{}</actuator></mujoco>"""


def servos(*elements):
    return kt.load(SERVOS.format("".join(elements)), format="mjcf")


FREE = {"control": (-inf, inf), "force": (-inf, inf)}


@each(
    "element, expected",
    [
        ('<motor joint="j"/>', Actuator("j", "j", "motor", **FREE)),
        (
            '<motor name="x" joint="k" gear="3 0 0" ctrlrange="-2 1"/>',
            Actuator("x", "k", "motor", 3.0, (-2.0, 1.0), (-inf, inf)),
        ),
        ('<motor joint="j" ctrlrange="-2 1" ctrllimited="false"/>', Actuator("j", "j", "motor", **FREE)),
        ('<position joint="j"/>', Actuator("j", "j", "position", **FREE, kp=1.0, kv=0.0)),
        ('<position joint="j" class="p" kv="5"/>', Actuator("j", "j", "position", **FREE, kp=70.0, kv=5.0)),
        (
            '<position joint="j" inheritrange="0.5"/>',
            Actuator("j", "j", "position", 1.0, (0.0, 2.0), (-inf, inf), 1.0, 0.0),
        ),
        ('<velocity joint="j"/>', Actuator("j", "j", "velocity", **FREE, kv=1.0)),
        ('<velocity joint="j" kv="2"/>', Actuator("j", "j", "velocity", **FREE, kv=2.0)),
        ('<general joint="j"/>', Actuator("j", "j", "motor", **FREE)),
        (
            '<general joint="j" class="c" gainprm="45" biasprm="0 -45 -4.5"/>',
            Actuator("j", "j", "position", 1.0, (-1.0, 2.0), (-9.0, 9.0), 45.0, 4.5),
        ),
        (
            '<general joint="j" biastype="affine" gainprm="4" biasprm="0 0 -4"/>',
            Actuator("j", "j", "velocity", **FREE, kv=4.0),
        ),
    ],
)
def test_a_motor_or_servo_of_mjcf_is_an_actuator(element, expected):
    robot = servos('<general name="other" joint="k" dyntype="integrator"/>', element)
    assert [*robot.actuators.values()] == [expected]
    written = kt.text(kt.edit.rename(robot, links={"a": "b"}), "mjcf", without=())  # edited, so written anew
    again = kt.load(written, format="mjcf")
    assert [*again.actuators.values()] == [expected]
    assert written.count('<general name="other"') == 1


@each(
    "element",
    [
        '<general joint="j" dyntype="integrator"/>',
        '<general joint="j" gainprm="2"/>',
        '<general joint="j" biastype="affine" gainprm="4" biasprm="1 -4 0"/>',
        '<general joint="j" biastype="affine" gainprm="4" biasprm="0 -3 0"/>',
        '<general joint="j" biastype="affine" gainprm="4" biasprm="0 -4 1"/>',
        '<general joint="j" biastype="affine" gainprm="-4" biasprm="0 4 0"/>',
        '<general joint="j" biastype="affine" gainprm="4" biasprm="0 3 -4"/>',
        '<general joint="j" biastype="affine" gainprm="4" biasprm="0 -4 -1 2"/>',
        '<position joint="j" dampratio="1"/>',
        '<position joint="j" timeconst="0.1"/>',
        '<position joint="k" inheritrange="1"/>',
        '<position joint="j" inheritrange="1" ctrlrange="0 1"/>',
        '<position joint="j" class="c"/>',
        '<motor joint="j" class="p"/>',
        '<position joint="j" class="b"/>',
        '<motor joint="j" gear="1 2"/>',
        '<motor joint="j" gear="0"/>',
        '<motor joint="j" ctrllimited="true"/>',
        '<motor joint="j" lengthrange="0 1"/>',
        '<motor jointinparent="j"/>',
        '<intvelocity joint="j" actrange="0 1"/>',
    ],
)
def test_other_actuators_of_mjcf_are_kept(element):
    robot = servos(element)
    assert not robot.actuators
    assert element in kt.text(kt.edit.rename(robot, links={"a": "b"}), "mjcf")


def test_what_changes_nothing_of_an_actuator_comes_back():
    robot = servos('<motor name="m" joint="j" group="2" user="7"/>', '<motor name="n" joint="k"/>')
    written = kt.text(kt.edit.rename(robot, links={"a": "b"}), "mjcf")
    assert re.findall("<motor.*>", written) == [
        '<motor name="m" group="2" user="7" joint="j" gear="1" ctrllimited="false" forcelimited="false"/>',
        '<motor name="n" joint="k" gear="1" ctrllimited="false" forcelimited="false"/>',
    ]


def test_edits_keep_actuators_true():
    robot = arm(ROS1.format("elbow", "Position", 5), ROS1.format("shoulder", "Effort", 1))
    renamed = kt.edit.rename(robot, joints={"elbow": "bend"})
    assert renamed.actuators["bend"].joint == "bend"
    assert [*kt.load(kt.text(renamed, "urdf"), format="urdf").actuators] == ["bend", "shoulder"]
    assert "carried" not in kt.text(renamed, "urdf")
    prefixed = kt.edit.prefix(robot, "l_")
    assert {name: one.joint for name, one in prefixed.actuators.items()} == {
        "l_elbow": "l_elbow",
        "l_shoulder": "l_shoulder",
    }
    assert "carried" not in kt.text(prefixed, "urdf")
    both = kt.edit.attach(robot, prefixed, "fore")
    assert [*both.actuators] == ["elbow", "shoulder", "l_elbow", "l_shoulder"]
    cut = kt.edit.cut(robot, "upper")
    assert [*cut.actuators] == ["elbow"]
    assert any("drives 'shoulder', cut away" in note.message for note in cut.notes)
    assert [*kt.edit.lock(robot, {"elbow": 0.1}).actuators] == ["shoulder"]
    assert [*robot.order(["elbow", "shoulder"]).actuators] == [*robot.actuators]
    assert not kt.load(kt.text(robot, "urdf", without=("actuator",)), format="urdf").actuators


def test_an_actuator_of_mjcf_with_a_name_of_its_own_is_prefixed_where_it_is_named():
    text = SERVOS.format('<position name="servo" joint="j"/>').replace(
        "</mujoco>", '<sensor><actuatorpos name="s" actuator="servo"/></sensor></mujoco>'
    )
    robot = kt.edit.prefix(kt.load(text, format="mjcf"), "l_")
    assert robot.actuators["l_servo"].joint == "l_j"
    assert '<actuatorpos name="s" actuator="l_servo"/>' in kt.text(robot, "mjcf")


def test_save_gives_every_joint_an_actuator_for_mjcf_alone(tmp_path):
    robot = arm(ROS1.format("elbow", "Effort", 5))
    kt.save(robot, tmp_path / "a.xml", actuators="position")
    saved = kt.load(tmp_path / "a.xml")
    assert [(one.joint, one.kind, one.gear) for one in saved.actuators.values()] == [
        ("elbow", "position", 5.0),
        ("shoulder", "position", 1.0),
    ]
    assert 'carried of="actuator"' not in kt.text(saved, "mjcf")
    assert "kinetree:actuator" not in kt.text(saved, "mjcf")
    with pytest.raises(kt.KinetreeError, match="only MJCF has actuators"):
        kt.save(robot, tmp_path / "a.sdf", actuators="position")
    with pytest.raises(kt.KinetreeError, match="expected one of position, velocity, motor"):
        kt.save(robot, tmp_path / "a.xml", actuators="torque")
    with pytest.raises(kt.KinetreeError, match="no joint that an actuator can drive"):
        kt.save(kt.edit.lock(robot, {"elbow": 0, "shoulder": 0}), tmp_path / "a.xml", actuators="motor")


def test_actuators_of_joints_without_mass_are_named(tmp_path):
    (note,) = (
        one
        for one in kt.save(kt.chain("Rz(q1) tx(0.4)"), tmp_path / "a.xml", actuators="position")
        if one.code == "gains"
    )
    assert (note.severity, note.message[-2:]) == ("warning", "q1")


STATES = """<robot name="arm"><group name="one"><joint name="elbow"/></group>
<group name="two"><joint name="shoulder"/></group>
<group_state name="up" group="one"><joint name="elbow" value="0.5"/></group_state>
<group_state name="up" group="two"><joint name="shoulder" value="-0.25"/></group_state>
<group_state name="half" group="one"><joint name="elbow" value="0.1"/></group_state></robot>"""


def elements(text, tag="keyframe"):
    return [element for section in parse(text, "", Report()).find_all(tag) for element in section.children]


def test_home_is_a_state_of_the_whole_robot_or_the_neutral_posture():
    blocks = ROS1.format("elbow", "Position", 2), ROS1.format("shoulder", "Effort", 1)
    (key,) = elements(kt.text(arm(*blocks), "mjcf"))
    assert key.attributes == {"name": "home", "qpos": "0 0", "ctrl": "0 0"}
    home, up = elements(kt.text(arm(*blocks, srdf=STATES), "mjcf"))
    assert home.attributes == {"name": "home", "qpos": "-0.25 0.5", "ctrl": "1 0"}  # elbow first, by its gear of 2
    assert up.attributes == {**home.attributes, "name": "up"}
    beyond = arm(*blocks, srdf=STATES.replace("-0.25", "-2.5"))  # below the limit of -2
    assert [key.attributes["qpos"] for key in elements(kt.text(beyond, "mjcf"))] == ["0 0", "-2.5 0.5"]
    named = STATES.replace('"half"', '"home"')
    home, up = elements(kt.text(arm(*blocks, srdf=named), "mjcf"))
    assert home.attributes == {"name": "home", "qpos": "0 0.1", "ctrl": "0.2 0"}
    assert not elements(kt.text(arm(), "mjcf"))


FORE = '<link name="fore"><{0}><origin xyz="0 0 0.3"/><geometry>{1}</geometry></{0}>'


@each("tag", ["collision", "visual"])
@each(
    "shape, z",
    [
        ('<box size="0.2 0.2 0.6"/>', -1.0),
        ('<cylinder radius="0.1" length="0.6"/>', -1.0),
        ('<sphere radius="0.1"/>', -1.2),
        ('<mesh filename="leg.stl" scale="0.5 0.5 0.5"/>', -0.7),
        ('<mesh filename="lost.stl"/>', 0.0),
    ],
)
def test_a_floating_robot_stands_on_the_ground_in_its_keys(tag, shape, z, tmp_path):
    """Its joints stand above each other at home, and so does a shape at 1.3 m, whose lowest point is then on z = 0; the
    base stays if a shape is not known."""
    (tmp_path / "leg.stl").write_bytes(stl(np.array([(0, 0, 0), (1, 0, -1.2), (0, 1, 0), (0, 0, 1)])))
    text = ARM.format(blocks="").replace('<link name="fore">', FORE.format(tag, shape))
    (tmp_path / "arm.urdf").write_text(text)
    floating = kt.load(tmp_path / "arm.urdf", floating=True)
    kt.save(floating, tmp_path / "arm.xml", actuators="position", assets="keep")
    (key,) = elements((tmp_path / "arm.xml").read_text())
    np.testing.assert_allclose([float(x) for x in key.attributes["qpos"].split()], [0, 0, z, 1, 0, 0, 0, 0, 0])
    again = kt.load(tmp_path / "arm.xml")
    kt.save(again, tmp_path / "again.xml", assets="keep")
    assert elements((tmp_path / "again.xml").read_text())[0].attributes == key.attributes


def test_a_base_that_its_joint_places_stays_there():
    ball = FORE.format("collision", '<sphere radius="0.1"/>')
    blocks = ARM.format(blocks=ROS1.format("elbow", "Position", 1)).replace('<link name="fore">', ball)
    parts = parts_of(kt.load(blocks, format="urdf", floating=True))
    assert elements(kt.text(build(parts), "mjcf"))[0].attributes["qpos"].startswith("0 0 -1.2")
    parts.joints[0] = replace(parts.joints[0], origin=se3.frozen(se3.homogeneous(np.eye(3), np.array([0, 0, 0.5]))))
    assert elements(kt.text(build(parts), "mjcf"))[0].attributes["qpos"] == "0 0 0.5 1 0 0 0 0 0"


def test_the_neutral_key_is_written_anew_and_not_kept():
    robot = arm(ROS1.format("elbow", "Position", 2))
    text = kt.text(robot, "mjcf")
    back = kt.load(text, format="mjcf")
    assert back.semantic is None
    assert not [one for one in back.extensions if one.format == "mjcf"]
    assert '<option integrator="implicitfast"/>' in text
    urdf = kt.text(back, "urdf")
    assert "carried" not in urdf
    assert urdf.count("<transmission") == 1
    assert elements(kt.text(kt.load(urdf, format="urdf"), "mjcf"))[0].attributes == elements(text)[0].attributes
    other = kt.load(text.replace('ctrl="0"', 'ctrl="0.5"'), format="mjcf")
    assert any(one.tag == "keyframe" for one in other.extensions)


def test_a_posture_of_mjcf_is_a_state_and_its_controls_follow_the_actuators(tmp_path):
    text = SERVOS.format('<motor name="m" joint="k"/><position name="p" joint="j" kp="9"/>').replace(
        "</mujoco>", '<keyframe><key name="up" qpos="0.5 0.25" ctrl="7 0.5"/></keyframe></mujoco>'
    )
    robot = kt.load(text, format="mjcf")
    (state,) = robot.semantic.group_states
    assert (state.name, {one.name: one.value for one in state.joints}) == ("up", {"j": (0.5,), "k": (0.25,)})
    kt.save(robot, tmp_path / "m.srdf")
    assert '<joint name="k" value="0.25"/>' in (tmp_path / "m.srdf").read_text()
    kt.save(robot, tmp_path / "m.xml", actuators="position")
    (key,) = elements((tmp_path / "m.xml").read_text())
    assert key.attributes == {"name": "up", "qpos": "0.5 0.25", "ctrl": "0.25 0.5"}  # m is a servo now
    parts = parts_of(robot)
    parts.actuators = parts.actuators[:1]
    (key,) = elements(kt.text(build(parts), "mjcf"))
    assert key.attributes["ctrl"] == "7"
    parts.actuators = [Actuator("new", "j", "motor", **FREE), *parts_of(robot).actuators[::-1]]
    order = [element.get("name") for element in elements(kt.text(build(parts), "mjcf"), "actuator")]
    (key,) = elements(kt.text(build(parts), "mjcf"))
    assert dict(zip(order, key.attributes["ctrl"].split(), strict=True)) == {"new": "0", "m": "7", "p": "0.5"}


def test_compare_names_a_changed_gain_and_posture():
    robot = servos('<position name="p" joint="j" kp="9" kv="1"/>', '<motor name="m" joint="k" ctrlrange="-1 1"/>')

    def with_servo(**changes):
        parts = parts_of(robot)
        parts.actuators = [replace(one, **changes) if one.name == "p" else one for one in parts.actuators]
        return kt.compare(robot, build(parts))

    assert with_servo(name="other").same
    changed = with_servo(kp=10.0)
    assert [str(one) for one in changed.differences] == ["actuator 'p': its gain kp is 9, in the second robot 10"]
    assert not changed.same
    assert changed.same_mechanism
    assert with_servo(kp=None).same
    (kind,) = with_servo(kind="velocity", kp=None).differences
    assert kind.message == "its kind is position, in the second robot velocity"
    (limits,) = with_servo(force=(-5.0, 5.0)).differences
    assert limits.message == "its range of force is -inf to inf, in the second robot -5 to 5"
    (gone,) = with_servo(joint="k").differences[:1]
    assert gone.message == "only the first robot has a position actuator here"
    blocks = ROS1.format("elbow", "Position", 2)
    one, other = arm(blocks, srdf=STATES), arm(blocks, srdf=STATES.replace("-0.25", "-0.5"))
    (posture,) = kt.compare(one, other).differences
    assert str(posture) == "posture 'up': joint 'shoulder' is at -0.25, in the second robot at -0.5"
    (remark,) = kt.compare(one, arm(srdf=STATES)).differences
    assert (remark.message, remark.counts) == ("only the first robot has any", False)


ENDLESS = """<mujoco><worldbody><body name="b"><joint name="j"/><geom size="1"/></body></worldbody>
<actuator><position joint="j" kp="inf"/></actuator></mujoco>"""


def test_an_infinite_gain_is_no_servo():
    assert not kt.load(ENDLESS, format="mjcf").actuators
    assert kt.load(ENDLESS.replace("inf", "9"), format="mjcf").actuators["j"].kp == 9.0


def test_an_end_of_a_range_that_no_file_says_is_that_of_the_joint():
    block = """<ros2_control name="c" type="system"><hardware><plugin>p</plugin></hardware><joint name="j">
    <command_interface name="position"><param name="min">-{pi}</param><param name="max">0.5</param></command_interface>
    </joint></ros2_control>"""
    text = f"""<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><joint name="j" type="revolute">
    <parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="9" velocity="1"/></joint>{block}</robot>"""
    assert 'ctrlrange="-1 0.5"' in kt.text(kt.load(text, format="urdf"), "mjcf")


def test_transmissions_that_became_actuators_are_not_missed():
    """Nor are others of a joint, of which MuJoCo sees one; but one of a joint that none drives is."""
    block = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="{}">
    <hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint><actuator name="m"/>
    </transmission>"""
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><joint name="j" type="continuous">
    <parent link="a"/><child link="b"/></joint>{}</robot>"""
    for joint, missed in (("j", False), ("gone", True)):
        notes = []
        WRITTEN["mjcf"].write(kt.load(text.format(block.format(joint)), format="urdf"), (), notes)
        assert any("1 transmission" in note.message for note in notes) == missed


COMMANDED = """<mujoco model="arm"><worldbody><body name="a"><joint name="s"/><geom size="0.1"/>
  <body name="b" pos="0 0 1"><joint name="e"/><geom size="0.1"/><body name="c" pos="0 0 1">
  <joint name="w" type="slide"/><geom size="0.1"/></body></body></body></worldbody>
  <equality>{}</equality><actuator>{}</actuator></mujoco>"""
DRIVES = """<position name="e" joint="s" kp="100" kv="3" ctrlrange="-50 100" forcerange="-5 5" gear="-50"/>
  <motor name="s" joint="e" gear="4" ctrlrange="-2 8"/><velocity name="drive" joint="w" kv="10"/>"""


def test_actuators_of_mjcf_are_command_interfaces_in_urdf(tmp_path):
    """Ranges are those of the joint: -50..100 of a motor over the reduction -50, and efforts times 4."""
    robot = kt.load(COMMANDED.format("", DRIVES), format="mjcf")
    notes = [note.message for note in kt.save(robot, tmp_path / "arm.urdf")]
    assert "ROS will not see: 2 actuators' gains or limits" in notes  # the motor has none
    text = (tmp_path / "arm.urdf").read_text()
    bare = kt.load(re.sub("<kinetree_carried.*</kinetree_carried>", "", text), format="urdf")
    assert [*bare.actuators.values()] == [
        Actuator("s", "s", "position", -50.0, (-50.0, 100.0)),
        Actuator("e", "e", "motor", 4.0, (-2.0, 8.0)),
        Actuator("w", "w", "velocity"),
    ]
    block = parse(re.search("<ros2_control.*</ros2_control>", text, re.DOTALL)[0], "block", Report())
    found = [(e.get("name"), [c.get("name") for c in e.find_all("command_interface")]) for e in block.find_all("joint")]
    assert found == [("s", ["position"]), ("e", ["effort"]), ("w", ["velocity"])]
    params = [
        [p.text for p in c.find_all("param")] for e in block.find_all("joint") for c in e.find_all("command_interface")
    ]
    assert params == [["-2", "1"], ["-8", "32"], []]
    reductions = [e.text for e in block.walk() if e.tag == "mechanical_reduction"]
    assert reductions == ["-50", "4"]


@each("formats", [("urdf",), ("urdf", "mjcf"), ("urdf", "sdf"), ("urdf", "mjcf", "urdf")])
def test_actuators_of_mjcf_come_back_through_urdf(formats):
    robot = again = kt.load(COMMANDED.format("", DRIVES), format="mjcf")
    for format in formats:
        text = kt.text(build(parts_of(again)), format)
        again = kt.load(text, format=format)
        assert text.count("<ros2_control name") == (format == "urdf")
        assert "gone" not in text
    assert [*again.actuators.values()] == [*robot.actuators.values()]
    assert not kt.compare(robot, again).differences


@pytest.mark.slow
@each(
    "equality, actuators, blocks",
    [
        ('<joint joint1="w" joint2="s"/>', '<motor name="m" joint="w"/>', 0),
        ('<joint joint1="w" joint2="s"/>', '<motor name="m" joint="w"/><motor name="n" joint="s"/>', 1),
        ("", '<motor name="m" joint="w"/><position name="p" joint="w"/>', 1),
        ("", '<motor name="m" joint="w"/><position name="p" joint="w"/><motor name="n" joint="s"/>', 2),
        ("", '<motor name="m" joint="w"/><motor name="n" joint="s"/><motor name="p" joint="w"/>', 2),
        ("", '<motor name="m" joint="w"/><motor name="w" joint="w"/><motor name="n" joint="s"/>', 2),
        ("", '<motor name="m" joint="w"/><motor name="w" joint="s"/><motor name="s" joint="s"/>', 1),
        ("", '<motor name="m" joint="w"/><motor name="w" joint="s"/><motor name="x" joint="e"/>', 3),
        (
            "",
            '<motor name="e" joint="w"/><motor name="x" joint="e"/><motor name="n" joint="s"/>'
            '<motor name="w" joint="s"/>',
            1,
        ),
    ],
)
def test_a_follower_or_a_second_actuator_of_a_joint_is_carried_in_the_order_of_the_controls(
    equality, actuators, blocks
):
    robot = kt.load(COMMANDED.format(equality, actuators), format="mjcf")
    text = kt.text(robot, "urdf")
    assert text.count("<command_interface") == blocks
    assert text.count("<ros2_control ") == (blocks > 0)
    for format in ("urdf", "mjcf", "urdf", "sdf", "mjcf"):
        again = kt.load(kt.text(build(parts_of(robot)), format), format=format)
        assert [*again.actuators.values()] == [*robot.actuators.values()]
        robot = again


def test_a_second_block_of_ros2_control_has_a_name_of_its_own():
    motors = '<motor name="m" joint="w"/>'
    urdf = kt.text(kt.load(COMMANDED.format("", motors), format="mjcf"), "urdf")
    parts = parts_of(kt.load(urdf, format="urdf"))
    parts.actuators.insert(0, Actuator("n", "s", "motor"))
    text = kt.text(build(parts), "urdf")
    assert re.findall('<ros2_control name="([^"]*)"', text) == ["arm_actuators", "arm_actuators_"]
    assert [*kt.load(text, format="urdf").actuators] == ["n", "m"]


@each(
    "interface, ends, control",
    [
        ("velocity", '<param name="max">1</param>', (-2.0, 1.0)),
        ("effort", '<param name="min">-1</param>', (-1.0, 5.0)),
        ("position", '<param name="min">0</param>', (0.0, 1.0)),
    ],
)
def test_the_end_of_a_range_that_no_file_says_is_that_of_the_joint(interface, ends, control):
    text = f"""<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>
      <child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="2" effort="5"/></joint>
      {ROS2.format(JOINT.format("j", f'<command_interface name="{interface}">{ends}</command_interface>'))}</robot>"""
    (element,) = elements(kt.text(kt.load(text, format="urdf"), "mjcf"), "actuator")
    assert tuple(map(float, element.get("ctrlrange").split())) == control


@each("gear", ["0", "1e-310", "-1e200", "1e999", "nan"])
def test_a_gear_that_cannot_be_computed_with_is_none(gear):
    robot = arm(ROS1.format("elbow", "Position", gear))
    assert robot.actuators["elbow"].gear == 1.0
    assert kt.text(robot, "mjcf")
    motor = f'<motor name="m" joint="s" gear="{gear}"/>'
    robot = kt.load(COMMANDED.format("", motor), format="mjcf")
    assert not robot.actuators
    assert motor in kt.text(build(parts_of(robot)), "mjcf")


def test_several_actuators_of_a_joint_are_compared_by_kind_and_name():
    def robot(actuators):
        return kt.load(COMMANDED.format("", actuators), format="mjcf")

    one = '<motor name="m" joint="s" gear="2"/>', '<position name="p" joint="s" kp="9"/>'
    both = robot("".join(one))
    assert not kt.compare(both, robot("".join(reversed(one)))).differences
    (difference,) = kt.compare(both, robot(one[1])).differences
    assert str(difference) == "joint 's': only the first robot has a motor actuator here"
    two = '<motor name="x" joint="s" gear="2"/><motor name="y" joint="s" gear="3"/>'
    swapped = '<motor name="y" joint="s" gear="3"/><motor name="x" joint="s" gear="2"/>'
    assert not kt.compare(robot(two), robot(swapped)).differences
    (difference,) = kt.compare(robot(two), robot(swapped.replace("3", "4"))).differences
    assert str(difference) == "actuator 'y': its gear is 3, in the second robot 4"
    (difference,) = kt.compare(robot(one[0]), robot('<velocity name="v" joint="s"/>')).differences
    assert difference.message == "its kind is motor, in the second robot velocity"


def test_drives_that_become_another_kind_are_named(tmp_path):
    robot = arm(ROS1.format("elbow", "Velocity", 1), ROS1.format("shoulder", "Position", 1))
    notes = [note.message for note in kt.save(robot, tmp_path / "arm.xml", actuators="position")]
    assert "actuators of other kinds become position actuators: elbow (velocity)" in notes
    assert not any("other kinds" in note.message for note in kt.save(arm(), tmp_path / "b.xml", actuators="motor"))


@each("kind, kinds", [("position", ["position", "velocity"]), ("motor", ["motor", "velocity"])])
def test_a_servo_of_position_and_a_damper_of_velocity_stay_a_pair(kind, kinds, tmp_path):
    pair = '<position name="p" joint="s" kp="50"/><velocity name="v" joint="s" kv="2"/>'
    robot = kt.load(COMMANDED.format("", pair), format="mjcf")
    notes = [note.message for note in kt.save(robot, tmp_path / "arm.xml", actuators=kind)]
    saved = kt.load(tmp_path / "arm.xml").actuators
    assert [one.kind for one in saved.values() if one.joint == "s"] == kinds
    assert (saved["v"].kv, {one.joint for one in saved.values()}) == (2.0, {"s", "e", "w"})
    assert any("p (position)" in note and "v" not in note.split(":")[1] for note in notes) == (kind == "motor")


def test_joints_that_are_passive_or_driven_otherwise_get_no_actuator(tmp_path):
    kt.save(servos('<general name="o" joint="j" dyntype="integrator"/>'), tmp_path / "a.xml", actuators="motor")
    assert [*kt.load(tmp_path / "a.xml").actuators] == ["k"]
    passive = arm(srdf='<robot name="arm"><passive_joint name="elbow"/></robot>')
    kt.save(passive, tmp_path / "b.xml", actuators="motor")
    assert [*kt.load(tmp_path / "b.xml").actuators] == ["shoulder"]


def test_one_gain_that_no_file_says_fits_the_other():
    """kv = 2 sqrt(kp m), with the inertia of the fore arm about the elbow: 0.05 + 1 * 0.3²."""
    parts = parts_of(arm())
    parts.actuators = [Actuator("elbow", "elbow", "position", kp=100.0)]
    written = parse(kt.text(build(parts), "mjcf"), "a.xml", Report())
    (servo,) = (element for section in written.find_all("actuator") for element in section.children)
    assert (float(servo.get("kp")), float(servo.get("kv"))) == (100.0, pytest.approx(2 * sqrt(100 * 0.14)))


def test_followers_are_no_part_of_a_posture():
    text = COMMANDED.format('<joint joint1="w" joint2="s"/>', "")
    text = text.replace("</mujoco>", '<keyframe><key name="k" qpos="1 2 1"/></keyframe></mujoco>')
    (state,) = kt.load(text, format="mjcf").semantic.group_states
    assert [(one.name, one.value) for one in state.joints] == [("s", (1.0,)), ("e", (2.0,))]


def test_a_kept_block_of_another_kind_is_named(tmp_path):
    block = (
        '<ros2_control name="c" type="system"><joint name="j"><command_interface name="effort"/></joint></ros2_control>'
    )
    joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="1"/></joint>'
    text = f'<robot name="r"><link name="a"/><link name="b"/>{joint}{block}</robot>'
    parts = parts_of(kt.load(text, format="urdf"))
    assert parts.actuators[0].kind == "motor"
    parts.actuators = [replace(parts.actuators[0], kind="position")]
    (note,) = kt.save(build(parts), tmp_path / "r.urdf")
    assert note.message == "ROS will not see: 1 actuator's kind"
    assert kt.load(tmp_path / "r.urdf").actuators["j"].kind == "position"


@each("format", ["mjcf", "urdf", "sdf"])
def test_a_robot_that_is_replaced_in_part_is_not_written_as_its_file(format, tmp_path):
    """`dataclasses.replace` is an edit, too: the text of the file is that of the robot before."""
    arm = kt.load(COMMANDED.format("", '<motor name="m" joint="s"/>'), format="mjcf")
    file = tmp_path / f"arm.{'xml' if format == 'mjcf' else format}"
    kt.save(arm, file)
    read = kt.load(file)
    assert kt.text(read, format) == file.read_text()
    joints = {name: replace(one, dynamics=(Dynamics(damping=3.0),)) for name, one in read.joints.items()}
    changed = replace(read, joints=NamedValues("joint", joints.values()))
    again = kt.load(kt.text(changed, format), format=format)
    assert [again.joints[name].dynamics[0].damping for name in "sew"] == [3.0, 3.0, 3.0]
    without = kt.load(kt.text(replace(read, actuators=NamedValues("actuator", ())), format), format=format)
    assert not [*without.actuators]
    assert replace(read, notes=()).text is read.text


def test_rotor_inertias_that_urdf_lacks_are_named_as_such(tmp_path):
    (note,) = (note for note in kt.save(kt.load("puma560"), tmp_path / "puma.urdf") if note.code == "carried")
    assert note.message == "ROS will not see: 6 joints' rotor inertias (armatures)"
