"""URDF: read and written."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats import urdf
from kinetree.model.assemble import build, parts_of
from support import frames_differ_by, icub_urdfs, random_q


def test_an_edited_robot_is_written_and_read_back_the_same():
    rng = np.random.default_rng(1)
    paths = icub_urdfs()
    assert paths
    for path in paths:
        robot = kt.load(path)
        again, findings = urdf.read(urdf.write(build(parts_of(robot))), "again.urdf")
        assert again is not None, findings
        assert again.joint_names == robot.joint_names
        assert frames_differ_by(robot, again, random_q(robot, rng)) < 1e-12


def test_an_unedited_robot_is_written_back_to_the_letter():
    for path in icub_urdfs():
        assert urdf.write(kt.load(path)) == path.read_bytes().decode()


def test_a_second_material_is_a_warning_and_stays():
    material = '<material name="{}"><color rgba="{} 0 0 1"/></material>'
    text = (
        '<robot name="r"><link name="a"><visual><geometry><sphere radius="1"/></geometry>'
        f"{material.format('red', 1)}{material.format('dark', 0.5)}</visual></link></robot>"
    )
    robot, findings = urdf.read(text, "r.urdf")
    assert [(f.severity, f.code) for f in findings] == [("warning", "duplicate-element")]
    again, _ = urdf.read(urdf.write(build(parts_of(robot))), "again.urdf")
    for r in (robot, again):
        visual = r.links["a"].visuals[0]
        assert visual.material.name == "red"
        assert [e.tag for e in visual.extensions] == ["material"]


def test_products_of_inertia_that_are_missing_are_zero_and_noted():
    text = (
        '<robot name="r"><link name="a"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="2" izz="2.5" ixz="0.25"/></inertial></link></robot>'
    )
    robot, findings = urdf.read(text, "r.urdf")
    np.testing.assert_array_equal(robot.links["a"].inertial.inertia, [[1, 0, 0.25], [0, 2, 0], [0.25, 0, 2.5]])
    assert [(f.severity, f.code) for f in findings] == [("warning", "default-inertia")]
    assert "ixy, iyz" in findings[0].message
    assert urdf.read(text.replace('iyy="2"', ""), "r.urdf")[0] is None


@pytest.mark.parametrize(
    "where",
    [
        '<link name="a"/>{}',
        '<link name="a">{}</link>',
        '<link name="a"><inertial>{}<mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
        "</inertial></link>",
        '<link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/>{}</joint>',
    ],
)
def test_instructions_that_xacro_has_not_carried_out_are_refused(where):
    robot, findings = urdf.read(f'<robot name="r">{where.format("<xacro:m/>")}</robot>', "r.urdf")
    assert robot is None
    assert "left-over-xacro" in {f.code for f in findings}
