"""SDF: where links, joints and frames are."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.formats import sdf
from sdf_texts import WORLD, close, errors, hinge, load, model, opener, pose
from support import all_frames


def frames(robot, **q):
    return all_frames(robot, robot.q(q))


def test_poses_of_links_are_relative_to_the_model_and_of_joints_to_the_child():
    text = model("""
      <link name="a"><pose>1 2 3 0.1 0.2 0.3</pose></link>
      <link name="b"><pose>2 2 3 0.4 0.5 0.6</pose></link>
      <joint name="j" type="revolute"><pose>0.1 0.2 0.3 0.7 0.8 0.9</pose>
        <parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>""")
    robot = load(text)
    T_ma, T_mb = pose(1, 2, 3, 0.1, 0.2, 0.3), pose(2, 2, 3, 0.4, 0.5, 0.6)
    T_bj, turn = pose(0.1, 0.2, 0.3, 0.7, 0.8, 0.9), pose(0, 0, 0, yaw=0.5)
    at = frames(robot, j=0.5)
    assert close(at["b"], np.linalg.inv(T_ma) @ T_mb @ T_bj @ turn @ np.linalg.inv(T_bj))
    assert close(at["__model__"], np.linalg.inv(T_ma))


def test_frames_hang_on_frames_in_any_order():
    text = model("""
      <frame name="f3" attached_to="f2"><pose>0 0 1 0 0 0</pose></frame>
      <frame name="f2" attached_to="j"><pose relative_to="f1">0 1 0 0 0 0.5</pose></frame>
      <link name="a"/>
      <frame name="f1"><pose>1 0 0 0 0 0.5</pose></frame>
      <link name="b"><pose relative_to="f1">0 0 2 0 0 0</pose></link>
      <joint name="j" type="prismatic"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>""")
    robot = load(text)
    assert {name: robot.frames[name].link for name in ("f1", "f2", "f3")} == {"f1": "a", "f2": "b", "f3": "b"}
    at = frames(robot, j=0.25)
    T_f1 = pose(1, 0, 0, yaw=0.5)
    assert close(at["f1"], T_f1)
    assert close(at["f3"], pose(0, 0, 0.25) @ T_f1 @ pose(0, 1, 0, yaw=0.5) @ pose(0, 0, 1))


@each(
    "attributes, numbers",
    [
        ('degrees="true"', "1 2 3 10 20 30"),
        ('rotation_format="euler_rpy"', f"1 2 3 {' '.join(map(str, np.deg2rad((10, 20, 30))))}"),
        (
            'rotation_format="quat_xyzw"',
            f"1 2 3 {' '.join(map(str, 3 * Rotation.from_euler('xyz', (10, 20, 30), degrees=True).as_quat()))}",
        ),
    ],
)
def test_rotations_in_degrees_and_quaternions(attributes, numbers):
    robot = load(model(f'<link name="a"/><frame name="f"><pose {attributes}>{numbers}</pose></frame>'))
    assert close(robot.frames["f"].origin, pose(1, 2, 3, *np.deg2rad((10, 20, 30))))


NESTED = """
  <link name="base"/>
  <model name="arm"><pose>1 0 0 0 0 0.5</pose>
    <link name="upper"><pose>0 1 0 0 0 0</pose></link>
    <link name="hand"><pose relative_to="upper">0 0 1 0 0 0</pose></link>
    <frame name="tip" attached_to="hand"><pose>0 0 0.1 0 0 0</pose></frame>
    <joint name="elbow" type="revolute"><parent>upper</parent><child>hand</child><axis><xyz>1 0 0</xyz></axis></joint>
  </model>
  <frame name="tool" attached_to="arm::tip"/>
  <joint name="shoulder" type="revolute"><parent>base</parent><child>arm::upper</child>
    <axis><xyz expressed_in="arm::__model__">0 1 0</xyz></axis></joint>"""


def test_nested_models_are_scoped():
    robot = load(model(NESTED))
    assert list(robot.links) == ["base", "arm::upper", "arm::hand"]
    assert set(robot.joint_names) == {"shoulder", "arm::elbow"}
    assert robot.frames["tool"].link == robot.frames["arm::tip"].link == "arm::hand"
    assert robot.frames["arm::__model__"].link == "arm::upper"
    at = all_frames(robot, robot.q({"shoulder": 0.3, "arm::elbow": 0.4}))
    T_upper = pose(1, 0, 0, yaw=0.5) @ pose(0, 1, 0) @ pose(0, 0, 0, pitch=0.3)
    assert close(at["arm::upper"], T_upper)
    assert close(at["tool"], T_upper @ pose(0, 0, 1) @ pose(0, 0, 0, roll=0.4) @ pose(0, 0, 0.1))


def test_placement_frame_puts_that_frame_where_the_pose_says():
    nested = NESTED.replace('<model name="arm">', '<model name="arm" placement_frame="tip">')
    at = frames(load(model(nested)))
    assert close(at["arm::tip"], pose(1, 0, 0, yaw=0.5))


ARM = model(
    """<link name="l"><pose>0 1 0 0 0 0</pose></link>
    <link name="k"/><frame name="f" attached_to="__model__"><pose>0 0 1 0 0 0</pose></frame>
    <joint name="j" type="revolute"><pose relative_to="__model__"/><parent>l</parent><child>k</child>
      <axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint>""",
    "1.7",
)
CONFIG = (
    '<model><sdf version="1.4">old.sdf</sdf><sdf version="1.7">model.sdf</sdf><sdf version="1.99">new.sdf</sdf></model>'
)
FILES = {"model://arm/model.config": CONFIG, "model://arm/model.sdf": ARM}


def read(text, files=FILES, name=None):
    robot, said = sdf.read(text, "file.sdf", opener(files), name)
    assert robot is not None, said
    return robot


def test_an_include_is_a_nested_model():
    text = model("""<link name="base"/>
      <include><uri>model://arm</uri><name>left</name><pose>1 0 0 0 0 0</pose></include>
      <joint name="on" type="fixed"><parent>base</parent><child>left::l</child></joint>""")
    robot = read(text)
    assert list(robot.links) == ["base", "left::l", "left::k"]
    assert close(frames(robot)["left::l"], pose(1, 1, 0))
    assert robot.text is None  # the text alone would not be the robot
    again = read(sdf.write(robot))
    assert close(frames(again)["left::f"], frames(robot)["left::f"])


def test_an_included_model_is_merged():
    text = model("""<link name="base"/>
      <include merge="true"><uri>model://arm</uri><placement_frame>l</placement_frame>
        <pose>1 0 0 0 0 0.5</pose></include>
      <joint name="on" type="fixed"><parent>base</parent><child>l</child></joint>""")
    robot = read(text)
    assert list(robot.links) == ["base", "l", "k"]
    at = frames(robot, j=0.2)
    T_proxy = pose(1, 0, 0, yaw=0.5) @ pose(0, -1, 0)
    assert close(at["l"], pose(1, 0, 0, yaw=0.5))
    assert close(at["k"], T_proxy @ pose(0, 0, 0, pitch=0.2))
    assert close(at["f"], T_proxy @ pose(0, 0, 1))
    assert close(at["_merged__m__model__"], T_proxy)


def test_an_include_of_an_sdf_file_needs_no_model_config():
    text = model('<include merge="true"><uri>arm.sdf</uri></include>')
    assert list(read(text, {"arm.sdf": ARM}).links) == ["l", "k"]


@pytest.mark.parametrize("made", [".jinja", ".j2", ".erb", ".em", ".in"])
def test_a_model_that_a_build_makes_of_a_template_is_said_to_be(made):
    text = model("<include><uri>model://arm</uri></include><link name='a'/>")
    for files, code, said in (
        ({f"model://arm/model.sdf{made}": ARM}, "model-not-built", f"is made of 'model.sdf{made}': build the"),
        ({f"model://arm/other.sdf{made}": ARM}, "include-not-found", "cannot be found"),
    ):
        findings = sdf.read(text, "file.sdf", opener({"model://arm/model.config": CONFIG, **files}), None)[1]
        (lost,) = (finding for finding in findings if finding.code == code)
        assert f"names 'model.sdf', which {said}" in lost.message


def test_the_pose_in_the_world_counts_where_a_joint_holds_the_model_there():
    inside = '<pose>0 0 1 0 0 0.5</pose><link name="a"><pose>0 1 0 0 0 0</pose></link>'
    held = '<joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>'
    robot = load(model(inside + held))
    assert robot.root == "world"
    assert close(frames(robot)["a"], pose(0, 0, 1, yaw=0.5) @ pose(0, 1, 0))
    free = load(model(inside))
    assert [note.code for note in free.notes] == ["no-inertial", "model-pose"]
    assert free.root == "a"


def test_a_model_of_a_world_is_named():
    robot = load(WORLD, model="two")
    assert robot.name == "two"
    assert set(robot.joints) == {"j", "hold"}
    assert close(frames(robot)["a"], pose(5, 1, 0))
    assert [e.code for e in errors(WORLD, model="nowhere")] == ["include-not-found"]
    (unknown,) = errors(WORLD, model="tow")
    assert "did you mean 'two'" in unknown.message


def test_a_joint_of_the_world_between_two_models_is_left_out():
    between = '<joint name="tie" type="fixed"><parent>one::b</parent><child>two::a</child></joint>'
    robot = load(WORLD.replace("<include>", f"{between}<include>").replace('name="hold"', 'name="held"'), model="two")
    assert set(robot.joints) == {"j", "held"}
    assert any("'one::b'" in note.message for note in robot.notes if note.code == "not-of-the-model")


def test_the_canonical_link_carries_the_frame_of_the_model():
    moved = model(hinge(), attributes='canonical_link="b"')
    assert load(moved).frames["__model__"].link == "b"
    assert "__model__" not in load(model(hinge())).frames


def test_up_to_1_6_a_joint_may_be_called_like_a_link():
    text = hinge(name="b")
    assert load(model(text, "1.6")).joints["b"].child == "b"
    assert [e.code for e in errors(model(text, "1.7"))] == ["duplicate-name"]


@each("version", ["1.4", "1.5", "1.6"])
def test_the_frame_of_a_pose_was_called_frame(version):
    inside = """<link name="a"><pose>1 2 3 0.1 0.2 0.3</pose></link>
      <link name="b"><pose {0}="a">4 5 6 0.4 0.5 0.6</pose></link>
      <link name="c"><pose {0}="b">0 0 1 0 0 0.7</pose></link>
      <joint name="j" type="fixed"><pose {0}="a">0 1 0 0.8 0 0</pose><parent>a</parent><child>b</child></joint>
      <joint name="k" type="revolute"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint>"""
    old = load(model(inside.format("frame"), version))
    at, T_ab, T_bc = frames(old), pose(4, 5, 6, 0.4, 0.5, 0.6), pose(0, 0, 1, yaw=0.7)
    assert close(at["b"], T_ab)
    assert close(at["c"], T_ab @ T_bc)
    assert close(old.joints["j"].origin, pose(0, 1, 0, 0.8))
    assert {note.code for note in old.notes} == {"no-inertial"}
    # the word of later versions goes before it, and is remarked on
    later = load(model(inside.format("relative_to"), version))
    assert all(close(T, at[name]) for name, T in frames(later).items())
    assert {(note.code, note.severity) for note in later.notes} == {
        (code, "warning") for code in ("sdf-version", "no-inertial")
    }
    both = model(inside.format('frame="c" relative_to'), version)
    assert close(frames(load(both))["c"], T_ab @ T_bc)
    unknown = model(inside.format("frame").replace('frame="b"', 'frame="nobody"'), version)
    assert "unknown-frame" in [error.code for error in errors(unknown)]


@pytest.mark.parametrize("version", ["1.7", "1.12"])
def test_the_old_word_has_no_meaning_any_more(version):
    text = """<link name="a"><pose>1 2 3 0.1 0.2 0.3</pose></link>
      <link name="b"><pose frame="a">4 5 6 0 0 0</pose></link>
      <joint name="j" type="fixed"><parent>a</parent><child>b</child></joint>"""
    robot = load(model(text, version))
    assert close(frames(robot)["b"], np.linalg.inv(pose(1, 2, 3, 0.1, 0.2, 0.3)) @ pose(4, 5, 6))
    assert [note.code for note in robot.notes if "frame" in note.message] == ["sdf-version"]
    later = load(model(text.replace("frame=", "relative_to="), version))
    assert {note.code for note in later.notes} == {"no-inertial"}


def test_references_into_models_that_are_not_found():
    """What is in a model that was not found is unknown, so no name is said to be wrong."""
    include = "<include><uri>nowhere</uri></include>"
    joint = '<joint name="j" type="fixed"><parent>a</parent><child>b::l</child></joint>'
    text = f'<sdf version="1.9"><model name="m">\n{include}\n<link name="a"/>{joint}</model></sdf>'
    with pytest.raises(kt.KinetreeError) as refused:
        kt.load(text, format="sdf")
    said = {finding.code: finding.message for finding in refused.value.findings}
    assert said["missing-model"] == "child 'b::l' is unknown; it may be in a model that was not found (line 2)"


def test_of_what_is_not_found_only_names_of_its_own_scope_may_be_in_it():
    """A name of this scope is wrong, unless a lost model is merged into it."""
    joint = '<joint name="j" type="fixed"><parent>a</parent><child>{}</child></joint>'
    for merge, child, code in (
        ("", "b::l", "missing-model"),
        ("", "b", "unknown-child"),
        ('merge="true"', "b", "missing-model"),
        ('merge="false"', "b", "unknown-child"),
    ):
        text = f'<include {merge}><uri>nowhere</uri></include><link name="a"/>{joint.format(child)}'
        found = errors(f'<sdf version="1.9"><model name="m">{text}</model></sdf>')
        assert {error.code for error in found} == {"include-not-found", code}


@pytest.mark.parametrize("plane", ["ground_plane", "asphalt_plane"])
def test_a_joint_to_the_ground_of_gazebo_is_one_to_the_world(plane):
    """It is static, so what is fixed to it is fixed to the world."""
    joint = f'<joint name="j" type="fixed"><parent>{plane}::link</parent><child>a</child></joint>'
    for text in (f"<include><uri>model://{plane}</uri></include>", ""):
        of_world = f'<world name="w">{text}<model name="m"><link name="a"/>{joint}</model></world>'
        robot = load(f'<sdf version="1.6">{of_world}</sdf>')
        assert {j.parent: j.type for j in robot.joints.values()} == {"world": "fixed"}
    (error,) = errors(f'<sdf version="1.6"><model name="m"><link name="a"/>{joint.replace("_", "")}</model></sdf>')
    assert error.code == "unknown-parent"


def test_an_empty_frame_says_nothing():
    """Gazebo writes it; a frame with a name has had no effect since SDF 1.7."""
    for frame, codes in (("", {"no-inertial"}), ("a", {"no-inertial", "sdf-version"})):
        text = f'<link name="a"/><frame name="f"><pose frame="{frame}">1 0 0 0 0 0</pose></frame>'
        assert {note.code for note in load(model(text, "1.9")).notes} == codes
