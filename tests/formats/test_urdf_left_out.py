"""What never stops a URDF robot: it is left out with a warning that names it, and written back as it stands."""

import pytest

import kinetree as kt
from each import each

BOX = '<geometry><box size="1 1 1"/></geometry>'
JOINT = """<joint name="j" type="{}"><parent link="a"/><child link="b"/>{}<limit lower="-1" upper="1" velocity="1"
effort="1"/></joint>"""


def robot(link="", more="", kind="revolute", joint='<axis xyz="0 0 1"/>', name=' name="r"'):
    text = f'<robot{name}><link name="a">{link}</link><link name="b"/>{JOINT.format(kind, joint)}{more}</robot>'
    return kt.load(text, format="urdf")


@each(
    "shape, label, what",
    [
        ('<visual name="v"><geometry><plane/></geometry></visual>', "visual 'v'", "it has none"),
        ("<visual><geometry/></visual>", "<visual>", "it has none"),
        ("<collision/>", "<collision>", "needs <geometry>"),
        ('<visual><geometry><box size="1 x 1"/></geometry></visual>', "<visual>", "size='1 x 1'"),
        ('<visual><geometry><mesh filename=""/></geometry></visual>', "<visual>", "filename=…, which is empty"),
        ('<visual><geometry><mesh filename="a" scale="2"/></geometry></visual>', "<visual>", "scale='2'"),
        (f'<visual><origin xyz="1"/>{BOX}</visual>', "<visual>", "xyz='1'"),
    ],
)
def test_a_shape_that_cannot_be_read(shape, label, what):
    found = robot(shape + f'<visual name="good">{BOX}</visual>')
    (note,) = (n for n in found.notes if n.code == "left-out")
    assert (note.severity, note.element) == ("warning", "link 'a'")
    assert note.message.endswith(f"{label} is left out")
    assert what in note.message
    assert [v.name for v in found.links["a"].visuals] == ["good"]
    written = kt.text(kt.edit.add_frame(found, "extra", "a"), "urdf")
    assert shape.rpartition("</")[0] in written
    assert found.links["a"].collisions == ()


def test_of_two_shapes_the_first_is_used():
    found = robot('<visual><geometry><sphere radius="2"/><box size="1 1 1"/></geometry></visual>')
    assert found.links["a"].visuals[0].shape.kind == "sphere"
    assert [n.code for n in found.notes] == ["contradiction"]


def test_a_colour_that_cannot_be_read_leaves_its_shape():
    found = robot(f'<visual name="">{BOX}<material name="m"><color rgba="1 1 1"/></material></visual>')
    assert [(v.name, v.material) for v in found.links["a"].visuals] == [(None, None)]
    assert [n.code for n in found.notes] == ["left-out"]


@each(
    "more",
    [
        '<material name="m"><color rgba="1"/></material>',
        '<material><color rgba="1 1 1 1"/></material>',
        '<sensor name="s" type="imu"/>',
        '<sensor name="s" type="imu"><parent link="z"/></sensor>',
        '<sensor name="s" type="imu"><parent joint="z"/></sensor>',
        '<sensor name="s"><parent link="a"/></sensor><sensor name="s"><parent link="b"/></sensor>',
        '<material name="m"><color rgba="1 1 1 1"/></material><material name="m"><color rgba="0 0 0 1"/></material>',
    ],
)
def test_materials_and_sensors(more):
    found = robot(more=more)
    assert [n.code for n in found.notes] == ["left-out"]
    assert "is left out" in found.notes[0].message
    again = kt.load(kt.text(kt.edit.add_frame(found, "extra", "a"), "urdf"), format="urdf")
    assert [n.code for n in again.notes] == ["left-out"]


def test_parts_of_joints_that_nothing_moves_by():
    joint = '<axis xyz="0 0 1"/><calibration rising="x"/><safety_controller k_position="1"/>'
    found = robot(joint=joint).joints["j"]
    assert (found.calibration, found.safety) == (None, None)
    assert sorted(e.tag for e in found.extensions) == ["calibration", "safety_controller"]
    fixed = robot(kind="fixed", joint='<axis xyz="0 0"/>')
    assert [n.code for n in fixed.notes] == ["left-out", "no-effect"]
    for bad in ('<axis xyz="0 0"/>', '<origin xyz="1"/>', '<dynamics damping="x"/>'):
        with pytest.raises(kt.KinetreeError, match="number"):
            robot(joint=bad)


def test_a_robot_without_a_name():
    assert robot(name="").name == robot(name=' name=""').name == "robot"
    assert [n.code for n in robot(name="").notes] == ["no-name"]


def test_what_stands_twice_is_an_error_of_the_checker_if_it_differs():
    once = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    found = robot(once + once.replace('value="1"', 'value="2"'))
    assert found.links["a"].inertial.mass == 1
    (note,) = (n for n in found.notes if n.code == "contradiction")
    assert note.severity == "warning"
    assert [f.severity for f in kt.check(found) if f.code == "contradiction"] == ["error"]
    same = robot(once + once)
    assert [n.code for n in same.notes] == ["duplicate-element"]
    assert [f.severity for f in kt.check(same) if f.code == "duplicate-element"] == ["warning"]
