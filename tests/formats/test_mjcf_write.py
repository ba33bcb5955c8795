"""MJCF, written: round trips, and what it cannot say."""

import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kinetree as kt
from each import each
from kinetree.errors import Finding
from kinetree.formats.mjcf import read, write
from kinetree.formats.mjcf.poses import pose_attributes
from kinetree.formats.registry import WRITTEN
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import Dynamics, Joint, Limit, Link, Robot, Sensor
from kinetree.spatial import se3
from support import frames_differ_by, icub_urdfs, random_q, sample

TEXT = """<mujoco model="all">
  <!-- a comment -->
  <compiler eulerseq="ZYX"/>
  <default> <joint damping="1"/> <motor gear="3"/> <default class="soft"> <geom friction="0.5"/> </default> </default>
  <asset> <material name="red" rgba="1 0 0 1" specular="0.2"/>
    <mesh name="m" file="m.stl" scale="1 2 3"/> <mesh name="m2" file="sub/m.stl"/> </asset>
  <worldbody>
    <geom type="plane" size="1 2 0.1"/> <camera name="cam" pos="1 2 3"/> <light pos="0 0 3"/>
    <body name="base" pos="1 2 3" euler="10 20 30" gravcomp="1">
      <joint name="x" type="slide" axis="1 2 3" range="-1 1"/>
      <joint name="z" type="slide" axis="0 0 1" ref="1.25"/>
      <joint name="turn" axis="0 1 1" pos="0.1 0.2 0.3" ref="30" range="-100 90" actuatorfrcrange="-5 5"/>
      <geom type="box" size=".1 .2 .3" pos=".1 0 0" euler="5 6 7" material="red" class="soft"/>
      <geom type="mesh" mesh="m" density="0" group="3"/>
      <geom type="mesh" mesh="m2" mass="0" contype="0" conaffinity="0"/>
      <frame euler="0 90 0"> <site name="tip" pos="0 0 1" euler="1 2 3"/> </frame>
      <body name="arm" pos="0 0 0.5">
        <inertial pos="0 0 .1" mass="2" fullinertia="3 2 2.5 0.1 0.2 0.3"/>
        <joint name="ball" type="ball" pos="0.1 0 0" range="0 60"/>
        <body name="hand" zaxis="1 1 0"> <joint name="grip" stiffness="3" springref="20" armature="0.1" margin="0.1"/>
          <geom type="capsule" size="0.1 0.2"/> <site name="hand"/> </body>
      </body>
    </body>
    <body name="cube" pos="5 0 0"> <freejoint name="free"/> <geom type="ellipsoid" size="1 2 3"/> </body>
  </worldbody>
  <equality> <joint joint1="grip" joint2="turn" polycoef="0.1 -2"/> </equality>
  <tendon> <fixed name="t" range="-1 2" stiffness="5"> <joint joint="x" coef="1"/> <joint joint="grip" coef="2"/>
    </fixed>
    <fixed name="free"> <joint joint="x" coef="1"/> </fixed> </tendon>
  <actuator> <motor name="motor" joint="turn"/> <motor site="hand"/> </actuator>
  <sensor> <gyro name="gyro" site="hand" noise="0.1"/> <jointpos joint="x"/> </sensor>
</mujoco>
"""


def reread(robot: Robot, **options: object) -> Robot:
    again, findings = read(write(robot, **options), "again.xml")
    assert again is not None, [str(f) for f in findings]
    return again


def edited(text: str) -> Robot:
    """The robot of a text, no longer tied to it."""
    robot, findings = read(text, "text.xml")
    assert robot is not None, [str(f) for f in findings]
    return build(parts_of(robot))


def test_an_unedited_file_comes_back_to_the_letter(tmp_path):
    (tmp_path / "all.xml").write_text(TEXT)
    kt.save(kt.load(tmp_path / "all.xml"), tmp_path / "copy.mjcf")
    assert (tmp_path / "copy.mjcf").read_text() == TEXT


def test_an_edited_robot_comes_back_the_same():
    robot = edited(TEXT)
    again = reread(robot)
    rng = np.random.default_rng(2)
    assert again.joint_names == robot.joint_names
    assert [*again.links] == [*robot.links]
    assert [*again.frames] == [*robot.frames]
    assert max(frames_differ_by(robot, again, random_q(robot, rng)) for _ in range(5)) < 1e-12
    for name, joint in robot.joints.items():
        other = again.joints[name]
        assert (other.type, other.limits, other.mimic, other.dynamics) == (
            joint.type,
            joint.limits,
            joint.mimic,
            joint.dynamics,
        )
        assert [e.text for e in other.extensions] == [e.text for e in joint.extensions]
    for name, link in robot.links.items():
        same_inertia(link.inertial, again.links[name].inertial)
        for kind in ("visuals", "collisions"):
            ours, theirs = getattr(link, kind), getattr(again.links[name], kind)
            assert [(g.shape, g.material) for g in ours] == [(g.shape, g.material) for g in theirs]
            for a, b in zip(ours, theirs, strict=True):
                assert_allclose(a.origin, b.origin, atol=1e-15)
    assert again.coupled_limits[0].coefficients == robot.coupled_limits[0].coefficients
    assert [(s.name, s.type, s.frame) for s in again.sensors.values()] == [
        (s.name, s.type, s.frame) for s in robot.sensors.values()
    ]


def same_inertia(a, b):
    assert (a is None) == (b is None)
    if a is not None:
        assert a.mass == b.mass
        assert_allclose(a.origin[:3, 3], b.origin[:3, 3], rtol=1e-14)
        Ra, Rb = a.origin[:3, :3], b.origin[:3, :3]
        assert_allclose(Ra @ a.inertia @ Ra.T, Rb @ b.inertia @ Rb.T, rtol=1e-13, atol=1e-13 * a.inertia.max())


def test_writing_twice_is_writing_once_but_for_the_last_digits():
    once = write(edited(TEXT))
    twice = write(edited(once))
    number = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
    assert re.sub(number, "#", twice) == re.sub(number, "#", once)
    assert_allclose(*([float(x) for x in re.findall(number, text)] for text in (once, twice)), atol=1e-14)


def test_the_simulation_is_written_back_with_its_classes():
    text = write(edited(TEXT))
    for kept in ('<motor gear="3"/>', '<default class="soft"/>', 'stiffness="5"', '<jointpos joint="x"/>', "friction"):
        assert kept in text
    assert 'damping="1"' not in text.split("<worldbody>")[0]  # that is in the joints now


@pytest.mark.slow
def test_every_icub_goes_there_and_back():
    rng = np.random.default_rng(3)
    parts = ("geometry",)
    for path in sample(icub_urdfs(), 3):
        robot = kt.load(path)
        again = reread(robot, without=parts)
        assert again.joint_names == robot.joint_names
        assert frames_differ_by(robot, again, random_q(robot, rng)) < 1e-12
        for name in robot.joint_names:
            assert robot.joints[name].limit == again.joints[name].limit


def test_moving_bodies_without_mass_alone_get_a_small_inertial_and_a_warning_says_so():
    moving = "<mujoco><worldbody><body name='a'><joint name='j'/>%s</body></worldbody></mujoco>"
    grain = 'mass="1e-09" pos="0 0 0" diaginertia="1e-12 1e-12 1e-12"'
    light, heavy, notes = edited(moving % ""), edited(moving % "<geom size='1'/>"), []
    assert grain in write(light, notes=notes)
    (note,) = [note for note in notes if note.code == "bounds"]
    assert "1e-09 kg and 1e-12 kg m²" in note.message
    assert note.message.endswith(": a")
    fixed_mass = "<body name='b'><geom size='1'/></body>"
    for robot in (heavy, edited(moving % fixed_mass)):
        notes = []
        assert "1e-12" not in write(robot, notes=notes)
        assert "bounds" not in {note.code for note in notes}
    again = kt.load(write(light), format="mjcf")
    assert not again.notes
    assert again.links["a"].inertial is None
    raised = kt.load(write(light).replace('mass="1e-09"', 'mass="0.1"'), format="mjcf")
    assert raised.links["a"].inertial.mass == 0.1


SMALL = "<inertial pos='0 0 0' mass='1' diaginertia='{0} {0} {0}'/>"


def test_small_inertias_beside_a_body_without_mass_stay_as_they_are():
    joint = "<joint name='{}' type='hinge'/>"
    inner = f"<body name='b'>{joint.format('k')}{SMALL.format('1e-10')}</body>"
    text = write(edited(f"<mujoco><worldbody><body name='a'>{joint.format('j')}{inner}</body></worldbody></mujoco>"))
    assert 'diaginertia="1e-10 1e-10 1e-10"' in text
    assert text.count("<inertial") == 2
    assert "bound" not in text


def test_a_moving_point_mass_keeps_its_mass_and_gets_the_moments_of_a_grain():
    body = f"<body name='a'><joint name='j'/>{SMALL.format('0')}</body>"
    robot, notes = edited(f"<mujoco><worldbody>{body}</worldbody></mujoco>"), []
    text = write(robot, notes=notes)
    assert 'mass="1" pos="0 0 0" diaginertia="1e-12 1e-12 1e-12"' in text
    assert [note.code for note in notes if note.code != "carried"] == ["bounds"]
    assert not any("no body can have" in note.message for note in notes)
    again = kt.load(text, format="mjcf").links["a"].inertial
    assert (again.mass, again.inertia.any()) == (1.0, False)


OLD = 'angle="radian" autolimits="true" inertiafromgeom="false" boundmass="1e-06" boundinertia="1e-09"'


@each("settings, moment", [(OLD, 1e-10), (OLD.replace("e-09", "e-9"), 1e-9), (OLD[15:], 1e-9)])
def test_bounds_of_files_that_older_versions_wrote_stand_in_for_missing_masses(settings, moment):
    body = f"<body name='a'><joint name='j'/>{SMALL.format('1e-10')}</body><body name='b'><joint name='k'/></body>"
    robot = kt.load(f"<mujoco><compiler {settings}/><worldbody>{body}</worldbody></mujoco>", format="mjcf")
    assert robot.links["a"].inertial.inertia[0, 0] == pytest.approx(moment, rel=1e-9)
    assert (robot.links["b"].inertial is None) == (moment == 1e-10)


def urdf(inner: str) -> Robot:
    head = "<robot name='r'><link name='a'/><link name='b'/>"
    robot = kt.load(f"{head}<joint name='j' {inner}</joint></robot>", format="urdf")
    return build(parts_of(robot))


def without_ours(text: str) -> str:
    """A file as another tool leaves it that drops the records of Kinetree."""
    return re.sub(r'<text name="kinetree:.*/>', "", text)


AXIS = "<axis xyz='1 0 0'/>"
ENDS = "<parent link='a'/><child link='b'/>"


@pytest.mark.parametrize(
    ("inner", "code"),
    [
        (f"type='revolute'>{ENDS}{AXIS}<limit lower='1' upper='0' effort='1' velocity='1'/>", "cannot-say-limit"),
    ],
)
def test_what_mjcf_cannot_say_is_an_error_that_names_it(inner, code):
    with pytest.raises(kt.KinetreeError) as error:
        write(urdf(inner))
    assert code in [f.code for f in error.value.findings]
    assert all(f.element == "joint 'j'" for f in error.value.findings)


KEYS = """<mujoco><worldbody><body name='a'><freejoint name='f'/><geom size='1'/>
  <body name='b0'><joint name='h'/><geom size='1'/>
    <body name='b'><joint name='s' type='ball'/><geom size='1'/></body></body>
  <body name='c'><joint name='t' type='slide'/><joint name='u'/><geom size='1'/></body></body></worldbody>
  <keyframe>
    <key name='k' time='1' qpos='1 2 3 1 0 0 0 4 .5 -.5 .5 .5 6 7' qvel='1 2 3 4 5 6 7 8 9 10 11 12'/>
  </keyframe>
</mujoco>"""


def test_keyframes_follow_the_order_of_the_file():
    robot = edited(KEYS)
    assert 'qpos="1 2 3 1 0 0 0 4 .5 -.5 .5 .5 6 7"' in write(robot)
    parts = parts_of(robot)
    parts.joints = [parts.joints[i] for i in (0, 3, 4, 1, 2)]
    written = write(build(parts))
    assert 'qpos="1 2 3 1 0 0 0 6 7 4 .5 -.5 .5 .5" qvel="1 2 3 4 5 6 11 12 7 8 9 10"' in written
    assert "kinetree_order" not in written
    assert write(edited(written)).count("6 7 4 .5") == 1


def test_keyframes_of_other_joints_are_lost_aloud():
    robot = edited(KEYS)
    with pytest.raises(kt.KinetreeError, match="numbers for other joints"):
        write(kt.edit.lock(robot, {"h": 0.1}))
    with pytest.raises(kt.KinetreeError, match="qvel of another count"):
        write(edited(KEYS.replace("11 12", "11 12 13")))
    fewer = edited(KEYS.replace("11 12", "11"))
    assert 'qvel="1 2 3 4 5 6 7 8 9 10 11"' in write(fewer)
    parts = parts_of(fewer)
    parts.joints = [parts.joints[i] for i in (0, 3, 4, 1, 2)]
    with pytest.raises(kt.KinetreeError, match="qvel of another count"):
        write(build(parts))
    time = KEYS.replace("qpos", "ctrl").replace("qvel", "act")
    assert "<key" in write(kt.edit.lock(edited(time), {"h": 0.1}))


def test_the_order_of_q_and_the_names_of_fixed_joints_come_back():
    robot = edited(TEXT)
    names = robot.joint_names[::-1]
    robot = robot.order(names)
    fixed = {"x": 'a "b" <c>', "y": "base_fixed_joint"}
    parts = parts_of(robot)
    parts.links += [Link(name) for name in fixed]
    parts.joints += [Joint(joint, "fixed", "arm", name) for name, joint in fixed.items()]
    robot = build(parts)
    again = reread(robot)
    assert again.joint_names == names
    assert {j.child: j.name for j in again.joints.values() if j.child in fixed} == fixed
    assert not any("kinetree" in extension.text for extension in again.extensions)
    assert write(edited(write(robot))).count("kinetree:") == 1 + len(fixed)
    assert "custom" not in write(edited(TEXT))


@pytest.mark.slow
@each("data", ["", "a b", "[1]", '["x", "x"]', '["z", "nobody"]', '{"a": "b"}', "[" * 9999])
def test_a_damaged_order_is_noted(data):
    for text in (data, f'{{"joint_order": {data}}}'):
        custom = f"<custom><text name='kinetree:robot' data='{text}'/></custom></mujoco>"
        robot = edited(TEXT.replace("</mujoco>", custom))
        assert robot.joint_names == edited(TEXT).joint_names
        assert [n.code for n in robot.notes if n.severity == "warning"].count("carried") == 1


@each("data", ["", "[1]", "{}", "[" * 9999])
def test_damaged_names_of_free_joints_are_noted(data):
    custom = f"<custom><text name='kinetree:counted' data='{data}'/></custom></mujoco>"
    robot = edited(TEXT.replace("</mujoco>", custom))
    assert any("kinetree:counted are not understood" in note.message for note in robot.notes)


def test_a_rotation_behind_a_ball_joint_becomes_a_body():
    robot = edited(TEXT)
    turned = np.array([[0.0, -1, 0, 0.1], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    parts = parts_of(robot)
    parts.joints = [replace(j, child_origin=turned) if j.name == "ball" else j for j in parts.joints]
    robot = build(parts)
    again = reread(robot)
    assert frames_differ_by(robot, again, random_q(robot, np.random.default_rng(4))) < 1e-12


def test_a_sensor_that_measures_two_things_becomes_two_and_comes_back_as_one():
    text = """<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/>
      <child link='b'/><axis xyz='1 0 0'/></joint>
      <sensor name='ft' type='force_torque'><parent joint='j'/><origin xyz='1 0 0'/></sensor>
      </robot>"""
    written = write(kt.load(text, format="urdf"))
    again = kt.load(without_ours(written), format="mjcf")
    assert [(s.name, s.type, s.joint) for s in again.sensors.values()] == [
        ("ft_force", "force", "j"),
        ("ft_torque", "torque", "j"),
    ]
    assert again.frames["ft_site"].origin[:3, 3].tolist() == [1, 0, 0]
    (sensor,) = kt.load(written, format="mjcf").sensors.values()
    assert (sensor.name, sensor.type, sensor.joint, sensor.frame) == ("ft", "force_torque", "j", "b")


def test_what_names_a_joint_or_body_that_has_gone_is_lost_aloud():
    robot = kt.edit.lock(edited(TEXT.replace('name="motor"', 'name="motor" lengthrange="0 1"')), {"turn": 0.1})
    with pytest.raises(kt.KinetreeError, match=r"'(turn|hand_site)' does not exist") as caught:
        write(robot, ("velocity_limit",))
    assert {finding.code for finding in caught.value.findings} == {"cannot-say-extension"}
    assert "motor" not in write(robot, ("extension",))


@pytest.mark.parametrize(
    "change", [lambda robot: kt.edit.lock(robot, {"turn": 0.1}), lambda robot: kt.edit.cut(robot, "hand")]
)
def test_an_actuator_goes_with_its_joint(change):
    robot = change(edited(TEXT))
    assert any("drives 'turn'" in note.message and note.element == "actuator 'motor'" for note in robot.notes)
    written = write(robot, ("velocity_limit",))
    assert '"motor"' not in written
    assert '<motor site="hand_site"/>' in written


def test_how_a_site_looks_is_kept():
    site = "<site name='%s' type='capsule' size='0.1' fromto='0 0 0 0 0 2' rgba='1 0 0 1' material='m'/>"
    text = f"<mujoco><asset><material name='m'/></asset><worldbody><body name='b'>{site % 'b'}</body>"
    robot = edited(f"{text}{site % 't'}</worldbody></mujoco>")
    written = write(robot)
    assert written.count('type="capsule" material="m" size="0.1 1" rgba="1 0 0 1"') == 2
    assert '<site name="b_site"' in written
    assert "material" not in write(robot, ("material",))
    parts = parts_of(robot)
    parts.frames = [frame for frame in parts.frames if frame.name != "t"]
    with pytest.raises(kt.KinetreeError, match="how site 't' looks"):
        write(build(parts))


def test_a_fixed_joint_keeps_a_name_that_the_reader_makes_for_another_body():
    links = "<link name='base'/><link name='end'/>"
    fixed = "<joint name='base_fixed_joint' type='fixed'><parent link='base'/><child link='end'/></joint>"
    robot = kt.load(f"<robot name='r'>{links}{fixed}</robot>", format="urdf")
    again = kt.load(write(robot), format="mjcf")
    assert {j.child: j.name for j in again.joints.values()} == {"end": "base_fixed_joint"}
    made = kt.load(without_ours(write(robot)), format="mjcf")
    assert {*made.joints} == {"base_fixed_joint", "end_fixed_joint"}


def test_of_a_pose_only_what_is_not_the_identity_is_written():
    T = np.eye(4)
    assert pose_attributes(T) == {}
    T[:3, 3] = 0.0, 0.0, 0.5
    assert pose_attributes(T) == {"pos": "0 0 0.5"}
    T[:3] = [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]]  # a quarter turn about z
    (name, quat), *others = pose_attributes(T).items()
    assert (name, others) == ("quat", [])
    assert_allclose([float(x) for x in quat.split()], [0.5**0.5, 0, 0, 0.5**0.5], atol=1e-15)


def test_keyframes_follow_a_renaming():
    text = """<mujoco><worldbody><body name="a"><joint name="j"/><geom size=".1"/></body></worldbody>
      <keyframe><key name="home" qpos="0.5"/></keyframe></mujoco>"""
    for edited in (
        kt.edit.rename(kt.load(text, format="mjcf"), {"j": "k"}),
        kt.edit.prefix(kt.load(text, format="mjcf"), "L_"),
    ):
        written = write(edited)
        assert 'qpos="0.5"' in written
        assert "kinetree_order" not in written


def test_an_order_that_mujoco_does_not_have_is_a_finding_when_saved_and_when_loaded(tmp_path):
    """Of a robot with two arms, MuJoCo has one arm after the other."""
    links = "".join(f"<link name='{name}'/>" for name in ("base", "a1", "b1", "a2"))
    joints = (("ja1", "base", "a1"), ("jb1", "base", "b1"), ("ja2", "a1", "a2"))
    text = "".join(
        f"<joint name='{j}' type='continuous'><parent link='{p}'/><child link='{c}'/></joint>" for j, p, c in joints
    )
    arms = kt.load(f"<robot name='r'>{links}{text}</robot>", format="urdf")
    said = "MuJoCo has q in another order, from joint 2 on: ja2, jb1; here it is jb1, ja2"
    notes = {note.code: note for note in kt.save(arms, tmp_path / "o.xml")}
    assert (notes["other-order"].message, notes["other-order"].severity) == (said, "info")
    again = kt.load(tmp_path / "o.xml")
    assert again.joint_names == arms.joint_names
    assert [note.message for note in again.notes if note.code == "other-order"] == [said]
    in_its_order = arms.order(("ja1", "ja2", "jb1"))
    assert "other-order" not in {note.code for note in kt.save(in_its_order, tmp_path / "o.xml")}
    assert not kt.load(tmp_path / "o.xml").notes
    (note,) = [note for note in kt.save(in_its_order, tmp_path / "o.urdf") if note.code == "other-order"]
    assert note.message.startswith("other programs have q in another order, from joint 2 on: jb1, ja2")


def test_least_masses_are_a_finding(tmp_path):
    (note,) = kt.save(kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)"), tmp_path / "arm.xml")
    assert (note.code, note.severity) == ("bounds", "warning")
    assert note.message.startswith("MuJoCo gets 1e-09 kg and 1e-12 kg m² for moving bodies without mass or inertia: ")
    heavy = kt.chain([{"axis": [0, 0, 1], "m": 2, "r": [0.5, 0, 0], "I": [1, 1, 1]}])
    assert not [note for note in kt.save(heavy, tmp_path / "arm.xml") if note.code == "bounds"]


@pytest.mark.slow
@each(
    "kind, axes, names",
    [
        ("planar", [(0.6, 0.8, 0.0)], ("j_TX", "j_TY", "j_RZ")),
        ("universal", [(0.6, 0.8, 0.0), (0.0, 0.0, 1.0)], ("j_R1", "j_R2")),
        ("floating", np.zeros((0, 3)), ("j_TX", "j_TY", "j_TZ", "j_R")),
    ],
)
def test_joints_of_several_coordinates_are_slides_hinges_and_balls_of_one_body(kind, axes, names):
    """As in MuJoCo's own reader of URDF, with the same numbers in q."""
    pose = se3.pose_from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    count = JOINT_TYPES[kind].nv
    limits = tuple(Limit(-1.0 - i, 1.0 + i, effort=5.0) for i in range(count)) if kind != "floating" else ()
    joint = Joint("j", kind, "base", "a", se3.frozen(pose), se3.frozen(axes), limits=limits, dynamics=(Dynamics(2.0),))
    tip = Joint("k", "continuous", "a", "b", se3.frozen(pose), se3.frozen([(0.0, 1.0, 0.0)]))
    parts = Parts("r", [Link("base"), Link("a"), Link("b")], [tip, joint], groups={"all": ("k", "j")})
    parts.sensors.append(Sensor("gauge", "force_torque", "a", joint="j"))
    robot = build(parts)
    notes: list[Finding] = []
    text = WRITTEN["mjcf"].write(robot, ("force_torque",), notes)
    (note,) = [note for note in notes if note.code == "single-joints"]
    assert note.element == "joint 'j'"
    assert note.message == f"is written as {', '.join(names)}, and read back as these"
    assert text.count("<body") == 3
    again = kt.load(text, format="mjcf")
    assert again.joint_names == (*names, "k")
    assert again.groups["all"] == ("k", *names)
    q = np.array([*(0.3, -0.2, 0.4, 0.1, 0.5, -0.5, 0.7)[: robot.nq - 1], 0.8])
    if kind == "floating":
        q[3:7] /= np.linalg.norm(q[3:7])
    assert_allclose(kt.fk(again, ["a", "b"])(q), kt.fk(robot, ["a", "b"])(q), atol=1e-14)
    first, last = again.joints[names[0]], again.joints[names[-1]]
    assert (first.type, last.type) == {
        "planar": ("prismatic", "revolute"), "universal": ("revolute", "revolute"), "floating": ("prismatic", "ball"),
    }[kind]  # fmt: skip
    assert [again.joints[name].limit for name in names[: len(limits)]] == list(limits)
    assert {again.joints[name].dynamics[0].damping for name in names} == {2.0}
    assert again.sensors["gauge"].joint == names[-1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_such_a_joint_may_end_away_from_the_frame_of_its_link(kind):
    behind = se3.frozen(se3.pose_from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)))
    axes = se3.frozen([(0.0, 0.0, 1.0)]) if kind == "planar" else se3.frozen(np.zeros((0, 3)))
    robot = build(
        Parts("r", [Link("base"), Link("a")], [Joint("j", kind, "base", "a", axes=axes, child_origin=behind)])
    )
    q = np.array([0.3, -0.2, 0.4, 0.0, 0.6, 0.0, 0.8][: robot.nq])
    again = kt.load(write(robot), format="mjcf")
    assert_allclose(kt.fk(again, "a")(q), kt.fk(robot, "a")(q), atol=1e-14)


def test_a_universal_joint_with_a_pose_of_its_own_is_two_hinges_in_one_body():
    heavy = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
    text = f"""<sdf version="1.9"><model name="m"><link name="a">{heavy}</link>
      <link name="b"><pose>1 0.2 0.3 0.3 0.2 0.1</pose>{heavy}</link><joint name="u" type="universal">
      <pose>0.1 0.2 -0.3 0.3 0 1</pose><parent>a</parent><child>b</child>{axes}</joint></model></sdf>"""
    robot = kt.load(text, format="sdf")
    written = write(robot)
    assert written.count("<body") == 2
    assert written.count('type="hinge"') == 2
    again = kt.load(written, format="mjcf")
    assert frames_differ_by(robot, again, np.array([0.3, -0.7])) < 1e-12
