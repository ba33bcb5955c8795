"""Elements that stand twice with different contents: the first is taken, as urdfdom and sdformat do; and shapes that
urdfdom leaves out."""

import numpy as np
import pytest

import kinetree as kt

pinocchio = pytest.importorskip("pinocchio")
pytestmark = pytest.mark.crosscheck

INERTIAL = '<inertial><mass value="{}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
URDF = """<robot name="r"><link name="a">{link}</link><link name="b">{child}</link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/>{joint}
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""
PARTS = {
    "joint": [
        '<origin xyz="1 0 0"/><origin xyz="2 0 0"/>',
        '<axis xyz="0 0 1"/><axis xyz="0 1 0"/>',
        "",
        '<parent link="b"/><child link="a"/>',
        '<limit lower="-3" upper="3" velocity="2" effort="2"/>',
    ],
    "child": [
        INERTIAL.format(2) + INERTIAL.format(3),
        INERTIAL.format(2).replace("<inertia ", '<mass value="3"/><inertia '),
    ],
    "link": [
        f"<{tag}>{inside}</{tag}>"
        for tag in ("visual", "collision")
        for inside in (
            "<geometry><plane/></geometry>",
            "<geometry/>",
            "",
            '<geometry><box size="1 x 1"/></geometry>',
            '<geometry><mesh filename="a.stl" scale="2"/></geometry>',
            '<geometry><mesh filename="a.stl" scale="1 1 1 1"/></geometry>',
            '<geometry><mesh filename=""/></geometry>',
            '<geometry><box size="1 1 1"/><sphere radius="1"/></geometry>',
            '<origin xyz="1 2"/><geometry><box size="1 1 1"/></geometry>',
        )
    ],
}


@pytest.mark.parametrize(("place", "part"), [(place, part) for place, parts in PARTS.items() for part in parts])
def test_urdf_as_pinocchio_which_uses_urdfdom(place, part):
    text = URDF.format(**dict.fromkeys(PARTS, "") | {place: part})
    theirs = pinocchio.buildModelFromXML(text)
    data = theirs.createData()
    robot = kt.load(text, format="urdf")
    pinocchio.framesForwardKinematics(theirs, data, np.array([0.3]))
    expected = data.oMf[theirs.getFrameId("b")].homogeneous
    assert np.allclose(kt.fk(robot, "b")([0.3]), expected, rtol=0, atol=1e-12)
    inertial = robot.links["b"].inertial
    assert (inertial.mass if inertial else 0) == theirs.inertias[1].mass
    (limit,) = robot.joints["j"].limits
    assert (theirs.lowerPositionLimit[0], theirs.upperPositionLimit[0]) == (limit.lower, limit.upper)
    assert robot.notes or not part


SDF = """<sdf version="1.7"><model name="m"><link name="a"/><link name="b">{link}</link><link name="c"/>
<joint name="k" type="fixed"><parent>a</parent><child>c</child></joint>
<joint name="j" type="revolute"><parent>a</parent><child>b</child>{joint}</joint></model></sdf>"""
AXIS = "<axis><xyz>{}</xyz></axis>"
MASS = "<inertial><mass>{}</mass></inertial>"


@pytest.mark.parametrize(
    ("link", "joint"),
    [
        ("<pose>1 0 0 0 0 0</pose><pose>2 0 0 0 0 0</pose>", AXIS.format("0 0 1")),
        (MASS.format(2) + MASS.format(3), AXIS.format("0 0 1")),
        ("<inertial><mass>2</mass><mass>3</mass></inertial>", AXIS.format("0 0 1")),
        ("", AXIS.format("0 0 1") + AXIS.format("1 0 0")),
        ("", AXIS.format("0 0 1</xyz><xyz>1 0 0")),
        ("", "<child>c</child>" + AXIS.format("0 0 1")),
        ("", "<pose>1 0 0 0 0 0</pose><pose>2 0 0 0 0 0</pose>" + AXIS.format("0 0 1")),
    ],
)
def test_sdf_as_drake_which_uses_sdformat(link, joint):
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    plants = pytest.importorskip("pydrake.multibody.plant")
    text = SDF.format(link=link, joint=joint)
    plant = plants.MultibodyPlant(0.0)
    parsing.Parser(plant).AddModelsFromString(text, "sdf")
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.GetJointByName("j").set_angle(context, 0.3)
    poses = [plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(name)) for name in ("a", "b")]
    robot = kt.load(text, format="sdf")
    expected = poses[0].inverse().multiply(poses[1]).GetAsMatrix4()
    assert np.allclose(kt.fk(robot, "b", base="a")([0.3]), expected, rtol=0, atol=1e-12)
    if robot.links["b"].inertial:
        assert robot.links["b"].inertial.mass == plant.GetBodyByName("b").get_mass(context)
    assert "contradiction" in [note.code for note in robot.notes]
    assert {f.severity for f in kt.check(text, format="sdf") if f.code == "contradiction"} == {"error"}
