"""Second elements, and what includes bring with them: each is said or kept, once."""

import re

import kinetree as kt
from kinetree.formats.losses.parts import PARTS, UNREAD
from kinetree.formats.registry import ReadOptions
from kinetree.load import examine


def said(text, format):
    return [str(finding) for finding in examine(text, ReadOptions(format), False)[1]]


def test_the_second_pose_of_a_model_is_named():
    model = '<sdf version="1.9"><model name="m"><pose>1 0 0 0 0 0</pose>{}<link name="a"/></model></sdf>'
    assert not [line for line in said(model.format(""), "sdf") if "twice" in line]
    found = said(model.format("<pose>2 0 0 0 0 0</pose>"), "sdf")
    assert [line for line in found if "<pose> occurs twice; the first is used" in line]


def test_shapes_of_one_name_get_names_of_their_own_in_sdf():
    shape = '<collision name="c"><geometry><sphere radius="0.1"/></geometry></collision>'
    robot = kt.load(f'<robot name="r"><link name="a">{3 * shape}</link></robot>', format="urdf")
    assert re.findall('<collision name="(.*?)"', kt.text(robot, "sdf")) == ["c", "collision_1", "collision_2"]


def test_an_included_mjcf_file_may_have_a_name(tmp_path):
    (tmp_path / "part.xml").write_text('<mujoco model="part"><asset><material name="m"/></asset></mujoco>')
    (tmp_path / "odd.xml").write_text('<mujoco odd="part"><asset><material name="n"/></asset></mujoco>')
    text = '<mujoco><include file="{}"/><worldbody><body name="a"/></worldbody></mujoco>'
    for name, count in (("part.xml", 0), ("odd.xml", 1)):
        (tmp_path / "robot.xml").write_text(text.format(name))
        notes = [note for note in kt.load(tmp_path / "robot.xml").notes if note.code == "not-understood"]
        assert len(notes) == count, name


def test_tables_of_parts_have_parts_alone():
    for format, places in UNREAD.items():
        assert set(places) <= set(PARTS), format


def test_functions_of_xacro_have_names(tmp_path):
    file = tmp_path / "r.xacro"
    for expression, name in (("len", "<function len>"), ("str", "<class 'str'>")):
        file.write_text(
            f'<robot name="r" xmlns:xacro="http://wiki.ros.org/xacro"><link name="${{{expression}}}"/></robot>'
        )
        assert kt.load(file).root == name


def test_slight_inertias_come_back_to_the_last_bit():
    """A turned tensor may be rounded differently on both sides of its diagonal; a file has one of them."""
    moments = 'ixx="2.7e-20" ixy="-1.7e-21" ixz="1.3e-20" iyy="5.4e-20" iyz="3.3e-21" izz="1.3e-20"'
    inertial = (
        f'<inertial><origin xyz="0.1 0 0" rpy="{{1}} 0.7 {{1}}"/><mass value="0.7"/><inertia {moments}/></inertial>'
    )
    joint = '<joint name="j{0}" type="continuous"><parent link="a"/><child link="{0}"/><axis xyz="0 0 1"/></joint>'
    link = f'<link name="{{0}}">{inertial}</link>{joint}'
    parts = "".join(link.format(f"l{i}", 0.1 * i) for i in range(12))
    robot = kt.load(f'<robot name="r"><link name="a"/>{parts}</robot>', format="urdf")
    for format in ("mjcf", "sdf"):
        again = kt.load(kt.text(robot, format), format=format)
        for name, one in robot.links.items():
            other = again.links[name].inertial
            assert (one.inertial is None) == (other is None)
            if one.inertial:
                assert one.inertial.inertia.tolist() == other.inertia.tolist(), (format, name)
