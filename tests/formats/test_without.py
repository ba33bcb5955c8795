"""Parts that are left out of what is read: errors in them do not count, and a note says what that changes."""

# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from carried_robots import everything
from each import each
from kinetree.errors import KinetreeError
from kinetree.formats.losses.losses import elements_with
from kinetree.formats.losses.parts import PARTS, cutter
from kinetree.formats.registry import WRITTEN
from kinetree.model.assemble import build, parts_of
from kinetree.syntax.xml.reader import Report, parse
from kinetree.syntax.xml.writer import element_text

INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
ARM = f"""<robot name="r">
  <link name="base"/>
  <link name="a"><inertial><mass value="2"/>{INERTIA}</inertial>
    <visual><geometry><box size="1 1 1"/></geometry><material name="red">
      <color rgba="1 0 0 1"/></material></visual></link>
  <link name="b"/>
  <joint name="lead" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/><dynamics damping="0.1"/>
    <safety_controller k_velocity="1" soft_lower_limit="-0.5" soft_upper_limit="0.5"/>
    <calibration rising="0.1"/></joint>
  <joint name="follow" type="revolute"><origin xyz="1 0 0"/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/><mimic joint="lead" multiplier="2"/></joint>
  <sensor name="ft" type="force_torque"><parent joint="follow"/>
    <force_torque><frame>child</frame></force_torque></sensor>
  <kinetree_coupled_limit name="both" lower="-1" upper="1"><joint name="lead" coefficient="1"/></kinetree_coupled_limit>
  <gazebo reference="a"><mu1>0.5</mu1></gazebo>
</robot>"""
BROKEN = {
    "inertial": ('<mass value="2"/>', '<mass value="heavy"/>'),
    "limit": ('upper="1" velocity="2" effort="3"/><dynamics', 'upper="wide" velocity="2" effort="3"/><dynamics'),
    "dynamics": ('damping="0.1"', 'damping="much"'),
    "mimic": ('joint="lead" multiplier', 'joint="nobody" multiplier'),
}
"""Parts, and errors in them that end a robot."""


def load(text: str, *without: str) -> kt.Robot:
    return kt.load(text, format="urdf", without=without)


def test_joints_with_a_limit_of_velocity():
    assert elements_with(load(ARM), "velocity_limit") == ["joint 'lead'", "joint 'follow'"]
    assert elements_with(load(ARM, "limit"), "velocity_limit") == []


class TestErrors:
    @pytest.mark.slow
    @each("part", BROKEN)
    def test_errors_in_a_part_that_is_left_out_do_not_count(self, part):
        text = ARM.replace(*BROKEN[part])
        with pytest.raises(KinetreeError):
            load(text)
        robot, sound = load(text, part), load(ARM)
        assert {note.code for note in robot.notes} >= {"without"}
        for name in sound.links:
            T = kt.fk(sound, name)(sound.q({"lead": 0.3}))
            q = robot.q({"lead": 0.3, "follow": 0.6} if part == "mimic" else {"lead": 0.3})
            np.testing.assert_allclose(kt.fk(robot, name)(q), T, atol=1e-12)

    @each("part", BROKEN)
    def test_other_errors_count(self, part):
        other = next(name for name in BROKEN if name != part)
        with pytest.raises(KinetreeError):
            load(ARM.replace(*BROKEN[part]).replace(*BROKEN[other]), part)

    def test_what_is_no_part_is_an_error_that_lists_them(self):
        with pytest.raises(KinetreeError, match="expected extension, geometry"):
            load(ARM, "joint")

    def test_a_single_part_may_be_a_text(self):
        assert kt.load(ARM, format="urdf", without="mimic").joint_names == ("lead", "follow")


class TestWhatIsLeft:
    @each("part", PARTS)
    def test_a_robot_has_nothing_of_a_part_that_is_left_out(self, part):
        robot = load(ARM, part)
        assert elements_with(robot, part) == []
        assert robot.text is None
        had = elements_with(load(ARM), part)
        assert [note.code for note in robot.notes if note.code == "without"] == ["without"] * bool(had)
        for element in had:
            assert any(element in note.message for note in robot.notes), element
        assert all(PARTS[part].effect in note.message for note in robot.notes if note.code == "without")

    @each("part", sorted({*PARTS} - {"order"}))
    def test_other_parts_stay(self, part):
        robot, whole = load(ARM, part), load(ARM)
        depends = {"force_torque": {"sensor"}, "velocity_limit": {"limit"}}
        for other in {*PARTS} - {part, "extension", "order", "loop"}:
            if part not in depends.get(other, ()) and (part, other) != ("geometry", "material"):
                assert elements_with(robot, other) == elements_with(whole, other), other

    def test_a_follower_that_is_free_stands_last_in_q(self):
        robot = load(ARM, "mimic")
        assert robot.joint_names == ("lead", "follow")
        (note,) = [note for note in robot.notes if note.code == "without"]
        assert "joint 'follow'" in note.message
        assert "q has a number for each" in note.message

    def test_joints_have_no_warning_that_their_limits_are_missing(self):
        assert {note.code for note in load(ARM, "limit").notes} == {"without"}

    def test_it_is_written_as_it_was_read(self, tmp_path):
        robot = load(ARM, "mimic", "inertial")
        kt.save(robot, tmp_path / "r.urdf")
        again = kt.load(tmp_path / "r.urdf")
        assert again.joint_names == ("lead", "follow")
        assert again.links["a"].inertial is None
        assert again.links["a"].visuals


class TestOtherFormats:
    def test_sdf(self):
        text = kt.text(load(ARM), "sdf", without=("safety", "calibration"))
        bad = text.replace("<mass>2.0</mass>", "<mass>heavy</mass>").replace("<mass>2</mass>", "<mass>heavy</mass>")
        assert bad != text
        with pytest.raises(KinetreeError):
            kt.load(bad, format="sdf")
        robot = kt.load(bad, format="sdf", without=("inertial", "mimic"))
        assert robot.links["a"].inertial is None
        assert robot.joint_names == ("lead", "follow")

    def test_mjcf_weighs_its_shapes_before_they_are_left_out(self):
        body = '<body name="a"><joint name="j" axis="0 0 1"/><geom type="sphere" size="0.1" mass="3"/></body>'
        text = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
        robot = kt.load(text, format="mjcf", without=("geometry",))
        assert robot.links["a"].inertial.mass == 3.0
        assert not robot.links["a"].collisions

    def test_mjcf_limits_and_followers(self):
        joint = '<joint name="{0}" axis="0 0 1" range="{1}"/><geom size="0.1"/>'
        bodies = (
            f'<body name="a">{joint.format("lead", "a b")}<body name="b">{joint.format("follow", "0 1")}</body></body>'
        )
        equality = '<equality><joint joint1="follow" joint2="lead" polycoef="0 2 0 0 0"/></equality>'
        text = f"<mujoco><worldbody>{bodies}</worldbody>{equality}</mujoco>"
        with pytest.raises(KinetreeError):
            kt.load(text, format="mjcf")
        robot = kt.load(text, format="mjcf", without=("limit",))
        assert robot.joint_names == ("lead",)
        robot = kt.load(text, format="mjcf", without=("limit", "mimic"))
        assert robot.joint_names == ("lead", "follow")

    def test_xacro(self, tmp_path):
        file = tmp_path / "r.urdf.xacro"
        bad = ARM.replace(*BROKEN["mimic"]).replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"')
        file.write_text(bad)
        assert kt.load(file, without=("mimic",)).joint_names == ("lead", "follow")

    def test_a_robot_of_the_package(self):
        assert kt.load("icub", without=("coupled_limit",)).coupled_limits == ()


LEFT = """<robot name="r"><link name="a">
  <visual><geometry><plane/></geometry></visual>
  <visual><geometry><box size="1 1 1"/></geometry><material name="m"><color rgba="red"/></material></visual></link>
  <link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <safety_controller k_velocity="x" soft_lower_limit="y"/><calibration rising="z"/></joint>
  <sensor name="q"/></robot>"""


@each(
    "part, tag",
    [
        ("geometry", "plane"),
        ("material", "color"),
        ("safety", "safety_controller"),
        ("calibration", "calibration"),
        ("sensor", "sensor"),
    ],
)
def test_what_was_left_out_is_not_written_either(part, tag):
    robot = kt.load(LEFT, format="urdf")
    assert [note.code for note in robot.notes] == ["left-out"] * 5  # one for each fault
    renamed = kt.edit.rename(robot, {"b": "c"})
    assert f"<{tag}" in kt.text(renamed, "urdf")
    assert f"<{tag}" not in kt.text(renamed, "urdf", without=(part,))


def test_the_later_joint_of_a_link_with_two_parents_is_left_out():
    joint = '<joint name="{}" type="fixed"><origin xyz="{} 0 0"/><parent link="{}"/><child link="{}"/></joint>'
    joints = joint.format("one", 1, "base", "tip") + joint.format("two", 2, "base", "tip")
    text = f'<robot name="r"><link name="base"/><link name="tip"/>{joints}</robot>'
    with pytest.raises(KinetreeError, match="already the child") as error:
        load(text)
    assert "--without loop" in error.value.findings[0].fix
    robot = load(text, "loop")
    assert [*robot.joints] == ["one"]
    assert not robot.loops
    (note,) = robot.notes
    assert note.message == "without='loop' leaves out joints that close a loop: joint 'two'; these are gone"
    circle = joint.format("a", 1, "base", "tip") + joint.format("b", 1, "tip", "base")
    assert load(text.replace(joints, circle), "loop").root == "base"


@pytest.mark.slow
@each("format", [row.name for row in WRITTEN.values() if not row.beside and row.name != "dh-csv"])
def test_each_part_of_a_file_can_be_left_out_when_it_is_written_again(format):
    """The text that was read is not returned then, and another edit is not needed."""
    lost: set[str] = set()
    while True:  # what the format cannot represent
        try:
            text = kt.text(build(parts_of(everything())), format, without=lost)
            break
        except KinetreeError as error:
            lost |= {finding.code.removeprefix("cannot-say-") for finding in error.findings}
    robot = kt.load(text, format=format)
    had = [part for part in PARTS if elements_with(robot, part)]
    assert len(had) > 4 - (format == "ets") * 4
    for part in had:
        written = kt.text(robot, format, without=(part,))
        again = kt.load(written, format=format)
        left = [] if part == "limit" and format == "urdf" else elements_with(again, part)
        assert (left, written == text) == ([], False), part
        if part == "limit":
            assert all(lim.lower == -lim.upper == -np.inf for j in again.joints.values() for lim in j.limits)
        assert kt.text(robot, format) == text


def test_the_note_names_elements_for_other_programs_wherever_they_are():
    inside = '<robot name="r">{}<link name="a">{}</link><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
    inside += '<child link="b"/>{}</joint><sensor name="s" type="imu"><parent link="a"/>{}</sensor></robot>'
    for place in range(4):
        text = inside.format(*["<odd>1</odd>" if i == place else "" for i in range(4)])
        notes = [note.message for note in kt.load(text, format="urdf", without=("extension",)).notes]
        assert any("leaves out elements for other programs: <odd>" in note for note in notes), text


def test_the_note_names_the_model_of_an_element():
    text = """<sdf version="1.7"><world name="w"><model name="table"><link name="a"/><frame name="f"/>
      <plugin name="p" filename="q"/></model></world></sdf>"""
    notes = [note.message for note in kt.load(text, format="sdf", without=("extension", "frame")).notes]
    assert any("leaves out elements for other programs: <plugin> of model 'table';" in note for note in notes)
    assert any("leaves out frames besides those of links: frame 'table::f';" in note for note in notes)


WHOLE = {  # a document with every element and attribute that belongs to a part
    "urdf": """<robot name="r"><link name="l"><visual name="v"><material/></visual><collision/><inertial/></link><joint name="j"><limit/>
      <dynamics/><safety_controller/><calibration/><mimic/></joint><material name="m"/><sensor name="s"><force_torque/></sensor>
      <gazebo/><transmission name="t"/><ros2_control name="c"/><kinetree_coupled_limit name="k"/><odd/></robot>""",
    "sdf": """<model name="m"><link name="l"><visual name="v"><material/></visual><collision/><inertial/><sensor name="s"><force_torque/></sensor>
      </link><joint name="j"><sensor name="t"/><axis><limit/><dynamics/><mimic/></axis><axis2><limit/><dynamics/><mimic/></axis2></joint>
      <kinetree:coupled_limit name="k"/><plugin/></model>""",
    "mjcf": """<mujoco model="m"><worldbody><body name="b"><camera name="c"/><joint name="j" range="1" limited="2" actuatorfrcrange="3"
      actuatorfrclimited="4" damping="5" stiffness="6" springref="7" armature="8" frictionloss="9" type="hinge"/></body></worldbody>
      <actuator/><contact/><keyframe/><sensor/><tendon/><equality><joint name="e"/><weld/></equality><option/></mujoco>""",
}


def test_what_is_not_read_without_each_part(golden):
    """The notes, and what is left of a document."""
    said = []
    for format, part in ((format, part) for format in WHOLE for part in PARTS):
        if cut := cutter(format, [part]):
            report = Report(cut)
            left = element_text(parse(WHOLE[format], "f", report)).splitlines()
            gone = [line.strip() for line in element_text(parse(WHOLE[format], "f", Report())).splitlines()]
            for line in map(str.strip, left):
                gone.remove(line) if line in gone else said.append(f"+ {line}")
            said += [*map(str, report.findings), *(f"- {line}" for line in gone)]
        else:
            said.append(f"{format} without {part}: everything is read")
    golden("not_read.txt", "\n".join(said) + "\n")


def test_what_each_format_lacks(golden):
    """All that cannot be written of a robot with something of every part, of one of ball joints and of one with planes."""
    said = []
    for robot, formats in (
        (everything(), ("dh", "dh-csv", "ets")),
        (kt.load(OTHERS, format="sdf"), ("urdf", "dh", "dh-csv", "ets")),
    ):
        for format in formats:
            notes = []
            try:
                WRITTEN[format].write(build(parts_of(robot)), (), notes)
            except KinetreeError as error:
                notes += error.findings
            said += [f"# {robot.name} as {format}", *map(str, notes)]
    golden("lacks.txt", "\n".join(said) + "\n")


OTHERS = """<sdf version="1.10"><model name="other"><link name="a"><visual name="p"><geometry><plane/></geometry></visual></link>
  <link name="b"/><link name="c"/><frame name="f" attached_to="b"/><joint name="j" type="ball"><parent>a</parent><child>b</child></joint>
  <joint name="k" type="universal"><parent>b</parent><child>c</child><axis/><axis2><xyz>1 0 0</xyz></axis2></joint>
  <joint name="l" type="revolute"><parent>a</parent><child>c</child><axis/></joint></model></sdf>"""


def test_the_page_lists_all_parts():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "model.md").read_text()
    for name, part in PARTS.items():
        assert f"| `{name}` | {part.title} | {part.effect} |" in page
