"""What MuJoCo's parser, tinyxml2, reads though XML forbids it, and what it refuses."""

import pytest

import kinetree as kt

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.crosscheck

MJCF = "<mujoco><worldbody><body name='b' pos='1 2 3'><geom size='1'/></body></worldbody></mujoco>"


@pytest.mark.parametrize(
    "text",
    [
        f"<!-- a -- b -->{MJCF}",
        f"\n<?xml version='1.0'?>{MJCF}",
        f"{MJCF}</mujoco>",
        f"{MJCF}<mujoco/>",
        MJCF.replace("name='b'", "name='b & c'"),
        MJCF.replace("'b' pos", "'b'pos"),
        MJCF.replace("name='b'", "name='b < c'"),
    ],
)
def test_mujoco_reads_the_same(text):
    theirs = mujoco.MjModel.from_xml_string(text)
    robot = kt.load(text, format="mjcf")
    name = theirs.body(1).name
    assert (kt.fk(robot, name)([])[:3, 3] == theirs.body(1).pos).all()
    assert [n.code for n in robot.notes if n.code == "xml-lenient"] == ["xml-lenient"]


@pytest.mark.parametrize(
    "text",
    [
        "<!-- a --><?xml version='1.0'?>" + MJCF,
        MJCF.replace("name='b'", "name=b"),
        MJCF.replace("name='b'", "name='b' name='c'"),
        MJCF.replace("</mujoco>", ""),
        MJCF.replace("</body>", "</bodies>"),
        "<!--->" + MJCF,
    ],
)
def test_what_mujoco_refuses_is_refused(text):
    with pytest.raises(ValueError, match="XML"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(kt.KinetreeError, match="xml-syntax"):
        kt.load(text, format="mjcf")
