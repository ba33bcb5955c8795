"""The ten awkward URDF files on which every loader of a survey of thirteen failed somewhere, mostly in silence.

Eight are broken and must be refused with the place and the cause; two are valid and must be loaded right.
"""

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.tree import build_tree
from kinetree.spatial import se3
from support import all_frames

LINKS = '<link name="base"/>\n<link name="upper"/>\n<link name="lower"/>\n'
SHOULDER = """<joint name="shoulder" type="revolute">
  <parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" velocity="1" effort="1"/>
</joint>
"""
ELBOW = """<joint name="elbow" type="revolute">
  <parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" velocity="1" effort="1"/>
</joint>
"""


def load(body: str) -> kt.Robot:
    return kt.load(f'<robot name="awkward">\n{body}</robot>\n', format="urdf")


def refusal(body: str) -> kt.Finding:
    with pytest.raises(kt.KinetreeError) as caught:
        load(body)
    assert len(caught.value.findings) == 1, caught.value.findings
    return caught.value.findings[0]


def test_child_link_that_does_not_exist():
    finding = refusal(
        LINKS + SHOULDER + ELBOW.replace('"lower"', '"lowr"', 1).replace('child link="lower"', 'child link="lowr"')
    )
    assert finding.code == "unknown-child"
    assert finding.element == "joint 'elbow'"
    assert finding.source is not None
    assert finding.source.line == 9
    assert "did you mean 'lower'" in finding.message


def test_cycle():
    loop = ELBOW.replace('parent link="upper"', 'parent link="lower"').replace(
        'child link="lower"', 'child link="upper"'
    )
    body = (
        LINKS
        + SHOULDER.replace('parent link="base"', 'parent link="upper"').replace(
            'child link="upper"', 'child link="lower"'
        )
        + loop
    )
    finding = refusal(body)
    assert finding.code == "cycle"
    assert "upper -> lower -> upper" in finding.message or "lower -> upper -> lower" in finding.message
    assert finding.source is not None
    assert finding.source.line == 5


def test_two_roots():
    finding = refusal(LINKS + SHOULDER)
    assert finding.code == "several-roots"
    assert "'base', 'lower'" in finding.message
    assert finding.source is not None
    assert finding.source.line == 4


def test_two_joints_of_one_name():
    finding = refusal(LINKS + SHOULDER + ELBOW.replace("elbow", "shoulder"))
    assert finding.code == "duplicate-name"
    assert "<text>:5:1" in finding.message  # the first of the two
    assert finding.source is not None
    assert finding.source.line == 9


def test_axis_of_length_zero():
    finding = refusal(LINKS + SHOULDER + ELBOW.replace("0 1 0", "0 0 0"))
    assert finding.code == "zero-axis"
    assert (finding.source and finding.source.line) == 10
    assert finding.excerpt is not None
    line, mark = finding.excerpt.splitlines()
    assert line[mark.index("~") : len(mark)] == "0 0 0"


def test_negative_inertia_loads_for_the_checker_to_judge():
    body = '<inertial><mass value="-1"/><inertia ixx="-1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    robot = load(f'<link name="base">{body}</link>')
    inertial = robot.links["base"].inertial
    assert inertial is not None
    assert inertial.mass == -1
    assert inertial.inertia[0, 0] == -1


def test_number_with_a_comma():
    finding = refusal(LINKS + SHOULDER.replace('lower="-1"', 'lower="-1,5"') + ELBOW)
    assert finding.code == "number"
    assert finding.element == "joint 'shoulder'"
    assert "'-1,5'" in finding.message
    assert (finding.source and finding.source.line) == 7


@pytest.mark.slow
def test_truncated_file():
    text = f'<robot name="awkward">\n{LINKS}{SHOULDER}{ELBOW}</robot>\n'
    for length in range(1, len(text) - 2):
        with pytest.raises(kt.KinetreeError) as caught:
            kt.load(text[:length], format="urdf")
        assert caught.value.findings[0].code == "xml-syntax"
        assert caught.value.findings[0].source is not None


def test_mimic_joint_is_no_degree_of_freedom():
    follower = '  <mimic joint="shoulder" multiplier="-2" offset="0.25"/>\n</joint>'
    robot = load(LINKS + SHOULDER + ELBOW.replace("</joint>", follower))
    assert robot.joint_names == ("shoulder",)
    q = robot.q(shoulder=0.3)
    expected = se3.turn((0, 0, 1), 0.3) @ se3.translation((1, 0, 0)) @ se3.turn((0, 1, 0), -2 * 0.3 + 0.25)
    np.testing.assert_allclose(all_frames(robot, q)["lower"], expected, rtol=0, atol=1e-15)


def test_planar_and_floating_joints_move():
    body = LINKS + (
        '<joint name="slab" type="planar"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>\n'
        '<joint name="free" type="floating"><parent link="upper"/><child link="lower"/></joint>\n'
    )
    robot = load(body)
    assert (robot.nq, robot.nv) == (10, 9)
    assert robot.coordinate_names[:4] == ("slab.x", "slab.y", "slab.angle", "free.x")
    quat_xyzw = np.array([0.5, -0.5, 0.5, 0.5])
    q = robot.q(slab=(0.1, 0.2, 0.3), free=(1, 2, 3, *(2 * quat_xyzw)))  # normalised inside
    slab = se3.translation((0.1, 0.2, 0)) @ se3.turn((0, 0, 1), 0.3)
    free = se3.homogeneous(se3.rotation_from_quaternion(quat_xyzw), (1, 2, 3))
    np.testing.assert_allclose(all_frames(robot, q)["lower"], slab @ free, rtol=0, atol=1e-15)
    assert build_tree(robot).parent == (-1, 0)


def test_the_place_of_an_attribute_is_not_looked_for_in_another():
    joint = """<joint name="j" type="fixed"><parent link="a"/><child link="b"/>
    <origin note=" rpy='1'" rpy="1 x 0"/></joint>"""
    with pytest.raises(kt.KinetreeError) as caught:
        kt.load(f'<robot name="r"><link name="a"/><link name="b"/>{joint}</robot>', format="urdf")
    line, mark = caught.value.findings[0].excerpt.splitlines()
    assert line[mark.index("~") : mark.index("^") + 1] == "1 x 0"


def test_a_file_with_instructions_of_xacro_can_be_edited_and_converted(tmp_path):
    left = '<xacro:sensors side="l"/>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r" xmlns:xacro="http://x"><link name="a"/>{left}</robot>')
    robot = kt.load(tmp_path / "r.urdf")
    for again in (robot, kt.edit.prefix(robot, "l_")):
        kt.save(again, tmp_path / "m.sdf")
        text = kt.text(kt.load(tmp_path / "m.sdf"), "urdf")
        assert left in text
        assert kt.text(again, "urdf").count(left) == 1
