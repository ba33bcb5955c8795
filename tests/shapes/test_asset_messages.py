"""What is said of a mesh that cannot be copied, and of what a format does not have."""

import pytest

import kinetree as kt

ROBOT = '<robot name="r"><link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual></link></robot>'


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("package:///meshes/a.stl", None, "names no package; expected package://name/path"),
        ("model:///a.stl", None, "names no model; expected model://name/path"),
        ("ftp://host/a.stl", None, "is neither package://, model:// nor file://"),
        ("a.dae", b"", "be brought along: the file is empty"),
        ("a.stl", b"", "be brought along: it is not an STL file"),
        ("a.obj", b"", "be brought along: it "),
        ("a.glb", b"", "be brought along: it "),
        ("a.dae", b"<x", "be brought along: this is not well-formed XML"),
    ],
)
def test_a_mesh_that_cannot_be_copied(name, content, words, tmp_path):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT.format(name))
    with pytest.raises(kt.KinetreeError) as error:
        kt.save(kt.load(path), tmp_path / "out.xml")
    message = error.value.findings[0].message
    assert words in message
    assert "it the " not in message
    assert "it a " not in message
    assert "it this " not in message


def test_what_an_srdf_says(tmp_path):
    srdf = '<robot name="r"><group name="g"><link name="a"/></group></robot>'
    robot = kt.load('<robot name="r"><link name="a"/></robot>', format="urdf", srdf=srdf)
    note, *_ = kt.save(robot, tmp_path / "r.xml")
    besides = "postures of all joints and pairs of links without contact"
    said = f"what an SRDF says of it, besides {besides}, is not written to mjcf"
    assert note.message == f"{said}; save it beside the file, as SRDF"


@pytest.mark.slow
def test_the_sensors_that_mujoco_reads_the_other_way_are_one_note(tmp_path):
    notes = [note for note in kt.save(kt.load("icub"), tmp_path / "icub.xml") if note.code == "opposite"]
    assert len(notes) == 1
    assert notes[0].element == "sensor 'l_arm_ft'"
    assert notes[0].message.startswith("measures what the child link exerts on the parent link; in MuJoCo it measures")
    assert notes[0].message.count("_ft'") == 5
