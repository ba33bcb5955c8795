"""Loops, followers and limits over several joints, from every format that has them to every other, and back."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import CoupledLimit
from support import example_robot_urdfs

INERTIAL = "<inertial><mass>1</mass></inertial>"
AXES = {"fixed": "", "ball": "", "universal": "<axis2><xyz>1 0 0</xyz></axis2>"}
TYPES = ("revolute", "continuous", "prismatic", "fixed", "ball", "universal")
GOLDEN = Path(__file__).parent / "golden" / "loops_by_sdformat_12_3.sdf"
"""What libsdformat 12.3 makes of `kt.text(fourbar("revolute", "universal"), "urdf")`."""


def fourbar(*types):
    """Return a four-bar, closed at `mount` on the rocker, once for each type."""
    loops = [
        f'<joint name="d{i}" type="{kind}"><pose>0 -1 0 0.3 0.2 {i}</pose><parent>ground</parent><child>mount</child>'
        + ("" if kind in ("fixed", "ball") else f"<axis><xyz>0 0.6 0.8</xyz></axis>{AXES.get(kind, '')}")
        + "</joint>"
        for i, kind in enumerate(types)
    ]
    text = f"""<sdf version="1.7"><model name="p"><link name="ground">{INERTIAL}</link>
      <link name="crank">{INERTIAL}</link><link name="coupler"><pose>0 1 0 0 0 0</pose>{INERTIAL}</link>
      <link name="rocker"><pose>2 1 0.2 0.1 0.2 0.3</pose>{INERTIAL}</link>
      <link name="mount"><pose>2 0.5 0.5 0 1 0</pose>{INERTIAL}</link>
      <joint name="a" type="revolute"><parent>ground</parent><child>crank</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="b" type="revolute"><parent>crank</parent><child>coupler</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="c" type="revolute"><parent>coupler</parent><child>rocker</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="f" type="fixed"><parent>rocker</parent><child>mount</child></joint>{"".join(loops)}</model></sdf>"""
    return kt.load(text, format="sdf")


def gaps(robot, of):
    """Return the gaps of the loops of a robot at positions of the joints of another."""
    q = np.random.default_rng(1).uniform(-1, 1, (5, of.nq))
    own = [robot.q({name: float(row[of.q_slices[name]][0]) for name in robot.joint_names}) for row in q]
    return kt.kinematics.loop_error(robot)(np.array(own))


def example(path):
    """Return a robot of example-robot-data without its shapes."""
    folder = next((p for file in example_robot_urdfs()[:1] for p in file.parents if p.name == "robots"), Path("none"))
    if not (folder / path).exists():
        pytest.skip("example-robot-data is not installed")
    return kt.load(folder / path, without=("geometry", "material", "extension", "sensor", "safety"))


def through(robot, *formats):
    for format in formats:
        robot = kt.load(kt.text(build(parts_of(robot)), format), format=format)
    return robot


@each("kind", TYPES)
def test_a_loop_in_urdf_is_the_loop_of_sdf(kind):
    robot = fourbar(kind)
    again = through(robot, "urdf")
    (loop,) = again.loops.values()
    assert (loop.name, loop.type, loop.parent, loop.child) == ("d0", kind, "ground", "mount")
    assert not again.extensions
    assert [(note.code, note.element) for note in again.notes] == [("loop", "joint 'd0'")]
    for field in ("origin", "axes", "child_origin"):
        theirs, ours = (getattr(one.loops["d0"], field) for one in (again, robot))
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-14)


@pytest.mark.slow
@each("kind", ["revolute", "continuous", "fixed", "ball"])
def test_a_loop_of_mujoco_goes_through_urdf(kind):
    robot = through(fourbar(kind), "mjcf")
    assert not kt.compare(robot, through(robot, "urdf", "mjcf")).differences
    np.testing.assert_allclose(gaps(through(robot, "urdf"), robot), gaps(robot, robot), rtol=0, atol=1e-13)


def test_gazebo_has_the_same_loops():
    robot, golden = fourbar("revolute", "universal"), kt.load(GOLDEN)
    mount = robot.joints["f"]
    for loop in robot.loops.values():
        other = golden.loops[loop.name]
        assert (other.parent, other.child) == ("ground", "rocker")  # of which the mount is a part in Gazebo
        T_joint_rocker = loop.child_origin @ np.linalg.inv(mount.origin @ mount.child_origin)
        for theirs, ours in (
            (other.origin, loop.origin),
            (other.axes, loop.axes),
            (other.child_origin, T_joint_rocker),
        ):
            np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-12)


def test_what_ros_will_not_see_of_loops_and_limits(tmp_path):
    (note,) = kt.save(fourbar("ball", "fixed"), tmp_path / "a.urdf")
    assert note.message == "ROS will not see: 2 joints that close loops"
    assert not kt.save(fourbar("ball", "fixed"), tmp_path / "a.sdf")  # which has them
    parts = parts_of(fourbar())
    parts.coupled_limits = [CoupledLimit("sum", {"a": 1.0, "b": 1.0}, -1.0, 1.0)]
    for ending, who in (("urdf", "ROS"), ("sdf", "Gazebo")):
        (note,) = kt.save(build(parts), tmp_path / f"i.{ending}")
        assert note.message == f"{who} will not see: 1 limit over several joints"


@each(
    "old, new, code",
    [
        ('type="revolute"', 'type="gearbox"', "loop"),
        ("<pose>", "<pose>1 ", "loop"),
        ("<xyz>", "<xyz>a ", "loop"),
        ("<xyz>0 0.6 0.8", "<xyz>0 0 0", "loop"),
        ("<child>rocker</child>", "", "no-name"),
        ("<parent>ground<", "<parent>sky<", "unknown-parent"),
        ("<pose>", '<pose relative_to="ground">', "loop"),
        ("<xyz>", '<xyz expressed_in="__model__">', "loop"),
        ("</joint>", '</joint><plugin name="p" filename="p.so"/>', "loop"),
    ],
)
def test_faults_of_a_loop_in_urdf(old, new, code):
    before, block = kt.text(fourbar("revolute"), "urdf").split("<gazebo")
    assert old in block
    with pytest.raises(KinetreeError) as error:
        kt.load(f"{before}<gazebo{block.replace(old, new, 1)}", format="urdf")
    assert code in [finding.code for finding in error.value.findings]


def test_a_loop_keeps_a_name_that_sdf_cannot_have():
    parts = parts_of(fourbar("ball"))
    parts.loops[0] = replace(parts.loops[0], name="knee::pin")
    back = through(build(parts), "sdf")
    assert [*back.loops] == ["knee::pin"]
    assert not [note for note in back.notes if note.code == "carried"]


def test_a_loop_of_a_link_with_itself_is_an_error():
    parts = parts_of(fourbar("ball"))
    parts.loops[0] = replace(parts.loops[0], parent="mount")
    with pytest.raises(KinetreeError, match="connects link 'mount' to itself"):
        build(parts)


def test_what_gazebo_has_in_a_joint_that_closes_a_loop_stays_in_it():
    inside = "<physics><ode><limit><cfm>0.1</cfm></limit></ode></physics>", '<plugin name="p" filename="p.so"/>'
    before, block = kt.text(fourbar("revolute"), "urdf").split("<gazebo")
    text = f"{before}<gazebo{block.replace('</joint>', ''.join(inside) + '</joint>', 1)}"
    sdf = kt.text(kt.load(text, format="urdf"), "sdf")
    urdf = kt.text(kt.load(sdf, format="sdf"), "urdf")
    for one in inside:
        assert one in sdf[sdf.index('<joint name="d0"') :].split("</joint>")[0]
        assert one in urdf[urdf.index("<gazebo") :].split("</gazebo>")[0]
    limited = text.replace("</xyz>", "</xyz><limit><lower>-1</lower></limit>")
    (note,) = (note for note in kt.load(limited, format="urdf").notes if note.severity == "warning")
    assert note.message == "<limit> in <axis> is not understood; it has no effect"
    bare = re.sub("<joint.*</joint>", "", block, flags=re.DOTALL)
    (kept,) = kt.load(f"{before}<gazebo{bare}", format="urdf").extensions
    assert kept.tag == "gazebo"


def test_a_loop_follows_what_another_tool_changes():
    text = kt.text(fourbar("ball"), "urdf")
    freed = text.replace('name="f" type="fixed"', 'name="f" type="floating"')
    assert kt.load(freed, format="urdf").loops["d0"].child == "rocker"  # as the joint says
    cut = re.sub(r' kinetree_child="\w+"', "", text)
    assert not kt.load(cut, format="urdf").loops  # a block of Gazebo alone
    circle = text.replace("</robot>", "").replace(
        '<link name="crank"', '<link name="x"/><link name="y"/><link name="crank"'
    )
    joint = '<joint name="{0}{1}" type="fixed"><parent link="{0}"/><child link="{1}"/></joint>'
    circle += f"{joint.format('x', 'y')}{joint.format('y', 'x')}</robot>"
    with pytest.raises(KinetreeError, match=r"circle|cycle"):
        kt.load(circle.replace("<child>rocker<", "<child>x<"), format="urdf")


def test_an_axis_of_a_loop_has_any_length_and_a_second_parent_is_an_error():
    text = kt.text(fourbar("revolute"), "urdf")
    again = kt.load(text.replace("<xyz>0 0.6 0.8<", "<xyz>0 3 4<"), format="urdf")
    np.testing.assert_allclose(again.loops["d0"].axes, [[0, 0.6, 0.8]], atol=1e-15)
    back = '<joint name="back" type="fixed"><parent link="coupler"/><child link="crank"/></joint></robot>'
    with pytest.raises(KinetreeError, match="already the child"):
        kt.load(text.replace("</robot>", back), format="urdf")


def test_what_is_fixed_to_the_world_is_no_part_of_it():
    """Gazebo has a link of its own for it, because no joint can move the world."""
    text = """<mujoco><worldbody><body name="stand"><geom size="0.1"/></body><body name="a"><joint name="j"/>
      <geom size="0.1"/></body></worldbody>
      <equality><connect body1="a" body2="stand" anchor="0 1 0"/></equality></mujoco>"""
    text = kt.text(kt.load(text, format="mjcf"), "urdf")
    assert re.findall("<(?:parent|child)>.*<", text) == ["<parent>a<", "<child>stand<"]


@each("format", ["urdf", "sdf"])
def test_a_loop_that_is_open_at_zero_is_refused(format):
    parts = parts_of(fourbar("ball"))
    shifted = parts.loops[0].origin.copy()
    shifted[0, 3] += 1e-6
    parts.loops[0] = replace(parts.loops[0], origin=shifted)
    with pytest.raises(KinetreeError, match=r"'d0'.* a loop that is open with all joints at zero"):
        kt.text(build(parts), format)


def test_a_loop_to_the_world_goes_from_the_world():
    text = """<mujoco><worldbody><site name="w" pos="0 1 0"/><body name="a"><joint name="j"/><geom size="0.1"/>
      <site name="s" pos="0 1 0"/></body></worldbody><equality>{}</equality></mujoco>"""
    for equality in ('<connect body1="a" anchor="0 1 0"/>', '<connect site1="s" site2="w"/>', '<weld body1="a"/>'):
        robot = kt.load(text.format(equality), format="mjcf")
        (loop,) = robot.loops.values()
        assert (loop.parent, loop.child) == ("world", "a")
        for format in ("sdf", "urdf", "mjcf"):
            assert not kt.compare(robot, through(robot, format)).differences
        back = kt.text(build(parts_of(robot)), "mjcf")
        assert ('site1="w" site2="s"' in back) == ("site1" in equality)


@pytest.mark.slow
@each("formats", [("urdf",), ("mjcf",), ("usd",), ("urdf", "mjcf"), ("mjcf", "urdf", "sdf")])
def test_cassie_keeps_its_loops(formats):
    cassie = example("cassie_description/robots/cassie_v2.sdf")
    assert [loop.type for loop in cassie.loops.values()] == ["ball"] * 4
    again = through(cassie, *formats)
    assert not [one for one in kt.compare(cassie, again).differences if one.kind == "loop"]
    np.testing.assert_allclose(gaps(again, cassie), gaps(cassie, cassie), rtol=0, atol=1e-12)


@pytest.mark.slow
@each("formats", [("sdf",), ("mjcf",), ("mjcf", "sdf", "urdf"), ("usd", "mjcf")])
def test_the_fingers_of_a_gripper_follow(formats):
    panda = example("panda_description/urdf/panda.urdf")
    followers = {name: joint.mimic for name, joint in panda.joints.items() if joint.mimic}
    again = through(panda, *formats)
    assert {name: joint.mimic for name, joint in again.joints.items() if joint.mimic} == followers != {}


def numbers(limit):
    return limit.name, dict(limit.coefficients), limit.lower, limit.upper


@pytest.mark.slow
@each("formats", [("mjcf",), ("urdf", "mjcf"), ("mjcf", "sdf")])
def test_the_tendons_of_the_icub_are_limits_everywhere(formats):
    icub = kt.load("icub")
    again = through(icub, *formats)
    assert again.coupled_limits
    assert [*map(numbers, again.coupled_limits)] == [*map(numbers, icub.coupled_limits)]
