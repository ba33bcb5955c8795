"""What <gazebo> blocks of URDF say arrives where sdformat puts it, and comes back in the same words."""

import re
import xml.etree.ElementTree as ET
from dataclasses import fields, replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import Finding
from kinetree.formats import gazebo
from kinetree.formats.registry import FORMATS
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Dynamics, Surface
from kinetree.spatial import se3
from kinetree.syntax.xml.reader import Report, parse
from support import SHARED, sample

HEAVY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
BOX = "<geometry><box size='1 1 1'/></geometry>"
ROBOT = f"""<robot name="r">
  <link name="a">{HEAVY}
    <visual>{BOX}<material name="red"><color rgba="0.5 0 0 1"/></material></visual>
    <collision>{BOX}</collision></link>
  <link name="b">{HEAVY}</link>
  <link name="cam"/>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/></joint>
  <joint name="f" type="fixed"><origin xyz="0 0 1" rpy="0 1 0"/><parent link="b"/><child link="cam"/></joint>
  %s
</robot>"""
WHOLE = """<gazebo><static>false</static><plugin name="p" filename="p.so"><x>1</x></plugin>
    <self_collide>true</self_collide></gazebo>
  <gazebo reference="a"><mu1>0.5</mu1><mu2 value="0.6"/><kp>1e6</kp><kd>1</kd><minDepth>0.001</minDepth>
    <maxVel>0.1</maxVel><fdir1>1 0 0</fdir1><maxContacts>3</maxContacts><laserRetro>5</laserRetro>
    <selfCollide>true</selfCollide><turnGravityOff>true</turnGravityOff><dampingFactor>0.1</dampingFactor>
    <material>Gazebo/Orange</material><visual><transparency>0.5</transparency></visual>
    <collision><surface><bounce><restitution_coefficient>0.25</restitution_coefficient></bounce></surface></collision>
    <enable_wind>true</enable_wind></gazebo>
  <gazebo reference="a"><mu1>0.7</mu1></gazebo>
  <gazebo reference="cam"><sensor name="c" type="camera"><pose>0 0 0.5 0 0 0</pose><update_rate>30</update_rate>
    <always_on>1</always_on><topic>t</topic></sensor></gazebo>
  <gazebo reference="j"><stopCfm>0.1</stopCfm><stopErp>0.2</stopErp><fudgeFactor>0.3</fudgeFactor>
    <provideFeedback>true</provideFeedback><implicitSpringDamper>1</implicitSpringDamper>
    <springReference>0.4</springReference><springStiffness>2</springStiffness>
    <sensor name="ft" type="force_torque"><update_rate>100</update_rate>
      <force_torque><frame>parent</frame></force_torque></sensor><plugin name="jp" filename="jp.so"/></gazebo>"""
SDFORMAT = """\
link a/collision/surface/bounce/restitution_coefficient = 0.25
link a/collision/surface/contact/ode/kp = 1000000
link a/collision/surface/contact/ode/kd = 1
link a/collision/surface/contact/ode/max_vel = 0.1
link a/collision/surface/contact/ode/min_depth = 0.001
link a/collision/surface/friction/ode/mu2 = 0.6
link a/collision/surface/friction/ode/fdir1 = 1 0 0
link a/collision/surface/friction/ode/mu = 0.7
link a/collision/laser_retro = 5
link a/collision/max_contacts = 3
link a/visual/transparency = 0.5
link a/visual/material/script/name = Gazebo/Orange
link a/visual/material/script/uri = file://media/materials/scripts/gazebo.material
link a/gravity = false
link a/velocity_decay/linear = 0.1
link a/velocity_decay/angular = 0.1
link a/self_collide = 1
link a/enable_wind = true
joint j/axis/dynamics/spring_reference = 0.4
joint j/axis/dynamics/spring_stiffness = 2
joint j/physics/provide_feedback = true
joint j/physics/ode/implicit_spring_damper = true
joint j/physics/ode/cfm_damping = true
joint j/physics/ode/fudge_factor = 0.3
joint j/physics/ode/limit/cfm = 0.1
joint j/physics/ode/limit/erp = 0.2
joint j/sensor ft/update_rate = 100
joint j/sensor ft/force_torque/frame = parent
joint j/plugin jp =
link b/sensor c/update_rate = 30
link b/sensor c/always_on = 1
link b/sensor c/topic = t
static = false
plugin p/x = 1
self_collide = true"""
"""The answer of libsdformat 12.3.0, with the inertias, shapes and poses left out; it lumps the camera's link."""
CAMERA = (0.420735, 0.0, 1.27015, 0.0, 1.0, 0.0)
"""Its pose of the camera, in link b."""
OURS = {"pose", "axis", "inertial", "geometry"}
"""Elements that no block has."""
ROWS = [(place, tag, word) for place, table in gazebo.WORDS.items() for tag, word in table.items()]
VALUES = {"number": "3", "size": "3", "vector": "0 1 0", "truth": "true", "opposite": "true", "text": "Gazebo/Blue"}
REFERENCES = {"collision": ' reference="a"', "visual": ' reference="a"', "link": ' reference="a"'}
REFERENCES |= {"joint": ' reference="j"', "model": ""}
WHERE = {
    "collision": "link a/collision/",
    "visual": "link a/visual/",
    "link": "link a/",
    "joint": "joint j/",
    "model": "",
}


def load(blocks, format="urdf"):
    return kt.load(ROBOT % blocks if format == "urdf" else blocks, format=format)


def fresh(robot):
    return build(parts_of(robot))


def places(text):
    """Texts of an SDF by place, with names of links, joints, sensors and plugins; a place may come twice."""
    found = []

    def walk(element, path):
        named = element.get("name") and element.tag in ("link", "joint", "sensor", "plugin")
        at = f"{path}{element.tag}{' ' + element.get('name') if named else ''}"
        if len(element) == 0:
            found.append((at, (element.text or "").strip()))
        for child in element:
            walk(child, f"{at}/")

    for element in ET.fromstring(text)[0]:
        if not element.tag.startswith("{"):
            walk(element, "")
    return found


def number(text):
    try:
        return [float(word) for word in {"true": "1", "false": "0"}.get(text, text).split()]
    except ValueError:
        return text


def test_everything_is_where_sdformat_puts_it():
    mine = {path: number(text) for path, text in places(kt.text(load(WHOLE), "sdf"))}
    for line in SDFORMAT.splitlines():
        path, _, text = line.partition(" =")
        assert mine[path] == number(text.strip()), line


def test_the_camera_is_where_sdformat_puts_it():
    robot = kt.load(kt.text(load(WHOLE), "sdf"), format="sdf")
    camera = robot.sensors["c"]
    T = kt.fk(robot, camera.frame, base="b")(robot.zero) @ camera.origin
    np.testing.assert_allclose(T, se3.pose_from_xyz_rpy(CAMERA[:3], CAMERA[3:]), atol=1e-5)
    assert (camera.type, camera.update_rate) == ("camera", 30.0)


@pytest.mark.parametrize(("place", "tag", "word"), ROWS, ids=[f"{place}-{tag}" for place, tag, _ in ROWS])
class TestEachWord:
    def robot(self, place, tag, word):
        return load(f"<gazebo{REFERENCES[place]}><{tag}>{VALUES[word.kind]}</{tag}></gazebo>")

    @pytest.mark.slow
    def test_is_in_its_places_and_nowhere_else(self, place, tag, word):
        before = places(kt.text(load(""), "sdf"))
        new = [row for row in places(kt.text(self.robot(place, tag, word), "sdf")) if row not in before]
        said = "false" if word.kind == "opposite" else VALUES[word.kind]
        expected = [(WHERE[place] + path, said) for path in word.places]
        if tag == "material":
            expected.append(("link a/visual/material/script/uri", gazebo.SCRIPTS))
        assert sorted(new) == sorted(expected)

    @pytest.mark.slow
    def test_comes_back_as_a_block_that_means_the_same(self, place, tag, word):
        sdf = kt.text(self.robot(place, tag, word), "sdf")
        urdf = kt.text(kt.load(sdf, format="sdf"), "urdf")
        assert urdf.count("<gazebo") == 1
        assert kt.text(kt.load(urdf, format="urdf"), "sdf") == sdf

    @pytest.mark.slow
    @pytest.mark.parametrize("value", ["1 x", "1 2", "1 2 3 4", ""])
    def test_a_value_that_is_no_number_stays_in_its_block(self, place, tag, word, value):
        if word.kind not in ("number", "size", "vector"):
            return
        block, notes = f"<gazebo{REFERENCES[place]}><{tag}>{value}</{tag}></gazebo>", list[Finding]()
        text = FORMATS["sdf"].write(load(block), (), notes)
        assert places(text) == places(kt.text(load(""), "sdf"))
        assert f"Gazebo will not see: 1 <{tag}> of <gazebo>" in [note.message for note in notes]
        assert [one.text for one in kt.load(text, format="sdf").extensions] == [block]


def test_a_round_trip_by_way_of_sdf_says_the_same():
    robot = load(WHOLE)
    sdf = kt.text(robot, "sdf")
    urdf = kt.text(kt.load(sdf, format="sdf"), "urdf")
    assert sorted(places(kt.text(kt.load(urdf, format="urdf"), "sdf"))) == sorted(places(sdf))
    assert kt.compare(robot, kt.load(urdf, format="urdf")).same
    assert "<mu1>0.7</mu1><mu2>0.6</mu2>" in urdf


def test_unknown_elements_stand_as_they_are_and_old_ones_with_prefixes_stay():
    blocks = '<gazebo reference="a"><odd x="1"/></gazebo><gazebo><s:p xmlns:s="u"/><link name="l"/></gazebo>'
    text = kt.text(load(blocks), "sdf")
    assert ("link a/odd", "") in places(text)
    assert [one.text for one in kt.load(text, format="sdf").extensions] == [
        '<gazebo><s:p xmlns:s="u"/><link name="l"/></gazebo>'
    ]


class TestColours:
    BLOCK = """<gazebo reference="a"><visual><material><diffuse>{}</diffuse><ambient>0 1 0 1</ambient></material>
      </visual></gazebo>"""

    def test_of_a_block_beside_one_of_urdf(self):
        for rgba, left in (("0.5 0 0 1", 0), ("0 0 1 1", 1)):
            text = kt.text(load(self.BLOCK.format(rgba)), "sdf")
            found = [row for row in places(text) if "/material/" in row[0]]
            assert found == [
                ("link a/visual/material/diffuse", "0.5 0 0 1"),
                ("link a/visual/material/ambient", "0 1 0 1"),
            ]
            again = kt.load(text, format="sdf")
            assert [one.text.count("<diffuse>0 0 1 1") for one in again.extensions] == [1] * left
            urdf = kt.text(again, "urdf")
            assert sorted(places(kt.text(kt.load(urdf, format="urdf"), "sdf"))) == sorted(places(text))

    def test_of_a_block_alone(self):
        bare = (ROBOT % self.BLOCK.format("0 0 1 1")).replace('<color rgba="0.5 0 0 1"/>', "")
        text = kt.text(kt.load(bare, format="urdf"), "sdf")
        assert ("link a/visual/material/diffuse", "0 0 1 1") in places(text)
        assert text.count("<diffuse>") == 1


def test_a_link_without_mass_that_a_plugin_moves_stays_a_link():
    block = "<gazebo><plugin name='p' filename='p.so'><bodyName>cam</bodyName></plugin></gazebo>"
    assert '<link name="cam">' in kt.text(load(block), "sdf")
    assert '<frame name="cam"' in kt.text(load(""), "sdf")


def test_a_light_on_a_link_without_mass_stays_on_it():
    text = kt.text(load('<gazebo reference="cam"><light name="l"/><gravity>0</gravity></gazebo>'), "sdf")
    assert ("link cam/light", "") in places(text)
    assert "link cam/gravity" not in dict(places(text))


@pytest.mark.parametrize(("inside", "back"), [("<cfm>1</cfm><odd>2</odd>", False), ("<cfm>1</cfm>", True)])
def test_physics_of_a_joint_become_words_if_all_have_one(inside, back):
    text = kt.text(load(""), "sdf")
    joint = text[text.index('<joint name="j"') :].split("</joint>")[0]
    physics = f"<physics><ode><limit>{inside}</limit></ode></physics>"
    robot = kt.load(text.replace(joint, joint + physics), format="sdf")
    urdf = kt.text(robot, "urdf")
    assert ("<stopCfm>1</stopCfm>" in urdf) == back
    again = kt.text(kt.load(urdf, format="urdf"), "sdf")
    assert sorted(places(again)) == sorted(places(kt.text(robot, "sdf")))


def test_plugins_of_a_world_are_no_matter_of_the_robot():
    text = kt.text(load(""), "sdf").replace(
        "<model", "<world name='w'><physics type='ode'/><plugin name='p' filename='f'/><model"
    )
    urdf = kt.text(kt.load(text.replace("</model>", "</model></world>"), format="sdf"), "urdf")
    assert "<gazebo" not in urdf


def in_gazebo(*blocks):
    """Return the SDF of a robot with blocks, and its notes, after it has come back through URDF unchanged."""
    notes: list[Finding] = []
    robot = load("".join(blocks))
    text = FORMATS["sdf"].write(robot, (), notes)
    back = kt.load(text, format="sdf")
    assert kt.compare(robot, back).same
    assert not [note for note in back.notes if note.severity == "warning"]
    assert kt.text(kt.load(kt.text(back, "urdf"), format="urdf"), "sdf") == text
    return text, [note.message for note in notes if "of <gazebo>" in note.message]


HELD = '<gazebo><joint name="hold" type="fixed"><parent>world</parent><child>a</child></joint></gazebo>'
RAISED = "<gazebo><pose>0 0 0.6 0 0 3</pose></gazebo>"


def test_a_joint_of_a_block_holds_the_robot_in_the_world_of_gazebo():
    text, missed = in_gazebo(HELD)
    assert ("joint hold/parent", "world") in places(text)
    assert not missed
    assert in_gazebo(HELD, HELD)[0].split("kinetree:carried")[0].count('"hold"') <= 1
    for other in (HELD.replace(">a<", ">b<"), HELD.replace(">a<", ">world<")):  # which would be another tree, or none
        text, missed = in_gazebo(other)
        assert "hold" not in text.split("kinetree:carried")[0]
        assert missed == ["Gazebo will not see: 1 <joint> of <gazebo>"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "inside",
    [
        '<joint name="k" type="gearbox"><parent>a</parent><child>b</child></joint>',
        '<joint name="k" type="ball"><parent>b</parent><child>b</child></joint>',
        '<joint name="__k__" type="ball"><parent>a</parent><child>b</child></joint>',
        '<joint name="k" type="ball"><pose relative_to="x"/><parent>a</parent><child>b</child></joint>',
        '<joint name="k" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 0</xyz></axis></joint>',
        "<pose>0 0 nan 0 0 0</pose>",
        '<pose relative_to="x">0 0 1 0 0 0</pose>',
    ],
)
def test_a_fault_in_a_block_of_the_model_stays_in_it_and_stops_no_robot(inside):
    text, _ = in_gazebo(f"<gazebo>{inside}</gazebo>")
    assert inside not in text
    assert [one.text for one in kt.load(text, format="sdf").extensions] == [f"<gazebo>{inside}</gazebo>"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "held",
    [HELD, '<link name="world"/><joint name="w" type="fixed"><parent link="world"/><child link="a"/></joint>'],
)
def test_a_pose_of_the_model_never_moves_a_robot_that_stands_in_the_world(held):
    assert in_gazebo(RAISED)[1] == []
    text, missed = in_gazebo(held, RAISED)
    assert missed == ["Gazebo will not see: 1 <pose> of <gazebo>"]
    assert "0.6" not in text.split("kinetree:carried")[0]


def test_settings_of_a_link_are_not_those_of_a_joint_of_its_name():
    text = ROBOT.replace('name="j"', 'name="b"') % '<gazebo reference="b"><gravity>0</gravity></gazebo>'
    robot = kt.load(text, format="urdf")
    assert [place for place, _ in places(kt.text(robot, "sdf")) if "gravity" in place] == ["link b/gravity"]
    assert in_gazebo('<gazebo reference="j"><gravity>0</gravity></gazebo>')[1] == [
        "Gazebo will not see: 1 <gravity> of <gazebo>"
    ]


def test_a_sensor_that_blocks_repeat_is_one_sensor_with_its_settings_once():
    camera = '<sensor name="eye" type="camera"><camera><horizontal_fov>{}</horizontal_fov></camera></sensor>'
    block = f'<gazebo reference="b">{camera.format(1)}</gazebo>'
    text, _ = in_gazebo(block, block)
    assert [place for place, _ in places(text) if "horizontal_fov" in place] == [
        "link b/sensor eye/camera/horizontal_fov"
    ]
    text, _ = in_gazebo(block, f'<gazebo reference="b">{camera.format(2)}</gazebo>')
    assert len({place for place, _ in places(text) if "horizontal_fov" in place}) == 2
    both = ROBOT.replace('name="j"', 'name="b"') % block  # a joint has the name of its link, as on Baxter
    sdf = kt.text(kt.load(both, format="urdf"), "sdf")
    again = kt.text(kt.load(sdf, format="sdf"), "urdf")
    assert kt.text(kt.load(again, format="urdf"), "sdf") == sdf


def test_fixed_joints_need_no_words_and_are_not_missed():
    notes = []
    block = '<gazebo reference="f"><preserveFixedJoint>true</preserveFixedJoint></gazebo>'
    text = FORMATS["sdf"].write(load(block), (), notes)
    assert not [note for note in notes if "will not see" in note.message and "<" in note.message]
    assert [one.text for one in kt.load(text, format="sdf").extensions] == [block]


def test_a_joint_of_the_model_closes_a_loop_in_gazebo():
    closing = '<joint name="k" type="ball"><parent>a</parent><child>b</child></joint>'
    odd = closing.replace(">b<", ">nothing<"), closing.replace('"ball"', '"odd"'), closing.replace('"k"', '"j"')
    for inside, seen in ((closing, True), *((one, False) for one in odd)):
        text = kt.text(load(f"<gazebo>{inside}</gazebo>"), "sdf")
        assert (("joint k/child", "b") in places(text)) == seen
        again = kt.load(text, format="sdf")
        assert not again.loops  # Kinetree has it in its block alone
        assert [one.text for one in again.extensions] == [f"<gazebo>{inside}</gazebo>"]


class TestSensors:
    OWN = """<sensor name="c" type="{type}"><parent link="cam"/><origin xyz="0 0 {z}"/></sensor>
      <gazebo reference="cam"><sensor name="c" type="camera"><pose>0 0 0.5 0 0 0</pose><topic>t</topic></sensor>
      </gazebo>"""

    def test_of_a_block_are_those_of_urdf_if_name_type_and_place_are_equal(self):
        text = kt.text(load(self.OWN.format(type="camera", z=0.5)), "sdf")
        assert text.count("<sensor") == 1
        assert ("link b/sensor c/topic", "t") in places(text)

    @pytest.mark.parametrize(("type", "z"), [("camera", 0.25), ("imu", 0.5)])
    def test_of_a_block_keep_their_name_where_urdf_has_another_of_it(self, type, z):
        robot = load(self.OWN.format(type=type, z=z))
        text = kt.text(robot, "sdf")
        assert ("link b/sensor c/topic", "t") in places(text)
        assert '<sensor name="c_"' in text
        again = kt.load(text, format="sdf")
        assert again.sensors["c"].type == type
        np.testing.assert_allclose(again.sensors["c"].origin, robot.sensors["c"].origin, atol=1e-12)
        assert [e.tag for e in again.sensors["cam::c"].extensions] == ["topic"]

    def test_of_a_block_give_urdfs_own_their_rate_and_their_pose_may_name_a_frame(self):
        own = self.OWN.format(type="camera", z=0.5).replace("<topic>", "<update_rate>20</update_rate><topic>")
        again = kt.load(kt.text(load(own), "sdf"), format="sdf")
        assert again.sensors["c"].update_rate == 20.0
        block = """<gazebo reference="b"><sensor name="s" type="imu"><pose relative_to="{}">0 0 2 0 0 0</pose></sensor>
          </gazebo>"""
        sensor = kt.load(kt.text(load(block.format("cam")), "sdf"), format="sdf").sensors["s"]
        assert sensor.frame == "b"
        np.testing.assert_allclose(sensor.origin[:3, 3], (2 * np.sin(1), 0, 1 + 2 * np.cos(1)), atol=1e-12)
        apart = kt.load(kt.text(load(block.format("a")), "sdf"), format="sdf")
        assert not apart.sensors  # for a moves against b

    def test_of_a_wrench_that_urdf_cannot_describe_are_in_a_block_alone(self):
        turned = "<force_torque><frame>sensor</frame></force_torque><pose>0 0 1 0 0 0</pose><always_on>1</always_on>"
        block = f'<gazebo reference="j"><sensor name="s" type="force_torque">{turned}</sensor></gazebo>'
        robot = kt.load(kt.text(load(block), "sdf"), format="sdf")
        urdf = kt.text(robot, "urdf")
        assert urdf.count("<force_torque>") == 1
        again = kt.load(urdf, format="urdf")
        assert again.sensors["s"].force_torque == robot.sensors["s"].force_torque
        assert sorted(places(kt.text(again, "sdf"))) == sorted(places(kt.text(robot, "sdf")))

    OLD = """<topic>t</topic><noise><type>gaussian</type><rate><mean>0.1</mean><stddev>0.2</stddev></rate>
      <accel><bias_mean>0.3</bias_mean><bias_stddev>0.4</bias_stddev></accel></noise>"""
    GYRO = '<noise type="gaussian"><mean>0.1</mean><stddev>0.2</stddev></noise>'
    ACCELEROMETER = '<noise type="gaussian"><bias_mean>0.3</bias_mean><bias_stddev>0.4</bias_stddev></noise>'

    def test_have_noise_of_an_imu_by_axis_as_sdf_has_it_since_1_6(self):
        """Where libsdformat's conversion from 1.5 puts it; in a block, it leaves it where Gazebo does not look."""
        block = f'<gazebo reference="b"><sensor name="s" type="imu"><imu>{self.OLD}</imu></sensor></gazebo>'
        link = f'<link name="b"><sensor name="s" type="imu"><imu>{self.OLD}</imu></sensor></link>'
        old = kt.load(f'<sdf version="1.5"><model name="m">{link}</model></sdf>', format="sdf")
        for text in (kt.text(load(block), "sdf"), kt.text(build(parts_of(old)), "sdf")):
            imu = ET.fromstring(text).find(".//imu")
            assert [child.tag for child in imu] == ["topic", "angular_velocity", "linear_acceleration"]
            for quantity, noise in zip(imu[1:], (self.GYRO, self.ACCELEROMETER), strict=True):
                assert [axis.tag for axis in quantity] == ["x", "y", "z"]
                assert {ET.tostring(axis[0], encoding="unicode") for axis in quantity} == {noise}

    def test_keep_noise_that_is_by_axis(self):
        imu = f"<imu><angular_velocity><y>{self.GYRO}</y></angular_velocity>{self.OLD}</imu>"
        block = f'<gazebo reference="b"><sensor name="s" type="imu">{imu}</sensor></gazebo>'
        assert imu in kt.text(load(block), "sdf")

    def test_of_the_world_stay_in_their_block(self):
        fixed = '<link name="world"/><joint name="w" type="fixed"><parent link="world"/><child link="a"/></joint>'
        block = '<gazebo reference="world"><sensor name="s" type="imu"/></gazebo>'
        again = kt.load(kt.text(load(fixed + block), "sdf"), format="sdf")
        assert not again.sensors
        assert [one.text for one in again.extensions] == [block]

    def test_that_cannot_be_read_stay(self):
        block = '<gazebo reference="cam"><sensor name="c" type="camera"><pose>0 0</pose></sensor></gazebo>'
        again = kt.load(kt.text(load(block), "sdf"), format="sdf")
        assert not again.sensors
        assert [one.text for one in again.extensions] == [block]

    def test_of_two_links_may_have_one_name(self):
        block = '<gazebo reference="{}"><sensor name="s" type="imu"><topic>{}</topic></sensor></gazebo>'
        text = kt.text(load(block.format("a", 1) + block.format("b", 2)), "sdf")
        assert {("link a/sensor s/topic", "1"), ("link b/sensor s/topic", "2")} <= {*places(text)}
        assert {*kt.load(text, format="sdf").sensors} == {"s", "b::s"}


class TestSurfaces:
    BLOCK = '<gazebo reference="a"><mu1>0.5</mu1><odd/></gazebo>'

    def of(self, robot):
        return [shape.surface for shape in robot.links["a"].collisions]

    @pytest.mark.parametrize("format", ["urdf", "sdf", "mjcf"])
    def test_comes_back(self, format):
        for field in fields(Surface):
            robot = load(self.BLOCK)
            parts = parts_of(robot)
            shape = parts.links[0].collisions[0]
            felt = replace(shape, surface=Surface(**{field.name: 0.25}))
            parts.links[0] = replace(parts.links[0], collisions=(felt,))
            again = kt.load(kt.text(build(parts), format), format=format)
            assert self.of(again) == [felt.surface], field.name

    @pytest.mark.parametrize(
        ("inside", "mu"),
        [
            ('<mu1 value="0.5">0.7</mu1>', 0.5),  # as in libsdformat 12.3, so are the others
            ("<mu1>0.5</mu1><collision><surface><friction><ode><mu>9</mu></ode></friction></surface></collision>", 0.5),
            ("<mu1>0.5</mu1><mu1>0.7</mu1>", 0.7),
            ("<collision><surface><friction><ode><mu>9</mu></ode></friction></surface></collision>", 9.0),
        ],
    )
    def test_of_two_values_one_wins(self, inside, mu):
        text = f'<gazebo reference="a">{inside}</gazebo>'
        assert self.of(load(text)) == [Surface(mu)]
        assert [row for row in places(kt.text(load(text), "sdf")) if row[0].endswith("/mu")] == [
            ("link a/collision/surface/friction/ode/mu", f"{mu:g}")
        ]

    def test_a_number_with_attributes_and_one_that_is_none_stay_as_they_are(self):
        for written in ('<mu x="1">0.5</mu>', "<mu>much</mu>"):
            text = kt.text(load(self.BLOCK), "sdf").replace("<mu>0.5</mu>", written)
            robot = kt.load(text, format="sdf")
            assert self.of(robot) == [None]
            assert kt.text(fresh(robot), "sdf").count(written) == 1

    def test_two_surfaces_stay_as_they_are(self):
        text = kt.text(load(self.BLOCK), "sdf")
        whole = text[text.index("<surface>") : text.index("</surface>") + len("</surface>")]
        robot = kt.load(text.replace(whole, whole + whole.replace("0.5", "0.6")), format="sdf")
        assert self.of(robot) == [None]
        assert kt.text(fresh(robot), "sdf").count("<surface>") == 2

    def test_of_an_edited_robot_is_said_once(self):
        robot = load(self.BLOCK)
        assert self.of(robot) == [Surface(0.5)]
        assert kt.text(fresh(robot), "urdf").count("mu1") == 2
        assert kt.text(fresh(robot), "sdf").count("<mu>") == 1

    def test_compare_names_what_differs(self):
        one, other = load(self.BLOCK), load(self.BLOCK.replace("0.5", "0.8"))
        (found,) = kt.compare(one, other).differences
        assert str(found) == "link 'a': the friction of its shape is 0.5, in the second robot 0.8"
        assert (found.kind, found.counts) == ("surface", True)
        assert found.amount == pytest.approx(0.3)
        assert kt.compare(one, load(self.BLOCK)).same

    def test_compare_remarks_on_what_only_one_gives(self):
        (found,) = kt.compare(load(""), load(self.BLOCK)).differences
        assert str(found) == "surfaces: only the second robot gives the friction of its shapes"
        assert not found.counts

    def test_mujoco_gets_the_friction_that_it_slides_with(self):
        text = kt.text(load(self.BLOCK), "mjcf")
        assert text.count('friction="0.5"') == 1
        geom = '<geom size="1" friction="0.5 0.01"/>'
        back = kt.load(f'<mujoco><worldbody><body name="a">{geom}</body></worldbody></mujoco>', format="mjcf")
        assert self.of(back) == [Surface(0.5)]
        assert not any(shape.surface for shape in back.links["a"].visuals)
        assert 'friction="0.5 0.01"' in kt.text(fresh(back), "mjcf")
        assert '<gazebo reference="a"><mu1>0.5</mu1></gazebo>' in kt.text(back, "urdf")

    def test_shapes_that_differ_are_kept_apart(self):
        other = "<geometry><sphere><radius>1</radius></sphere></geometry>"
        other += "<surface><friction><ode><mu>2</mu></ode></friction></surface>"
        text = kt.text(load(self.BLOCK), "sdf")
        text = text.replace("</collision>", f"</collision><collision name='two'>{other}</collision>", 1)
        robot, notes = kt.load(text, format="sdf"), []
        assert self.of(robot) == [Surface(0.5), Surface(2.0)]
        urdf = FORMATS["urdf"].write(robot, (), notes)
        assert "mu1" not in urdf
        assert "shapes' friction" in notes[0].message
        assert self.of(kt.load(urdf, format="urdf")) == [Surface(0.5), Surface(2.0)]

    def test_what_else_is_in_a_surface_stays(self):
        inside = "<ode><mu>0.5</mu><slip1>0.1</slip1></ode><torsional><coefficient>2</coefficient></torsional>"
        inside = f"<surface><friction>{inside}</friction></surface>"
        text = kt.text(load(self.BLOCK), "sdf")
        text = re.sub(r"<surface>.*</surface>", inside, text, flags=re.DOTALL)
        again = kt.text(fresh(kt.load(text, format="sdf")), "sdf")
        assert [row for row in places(again) if row not in places(text)] == []
        urdf = kt.text(kt.load(text, format="sdf"), "urdf")
        assert sorted(places(kt.text(kt.load(urdf, format="urdf"), "sdf"))) == sorted(places(text))


@pytest.mark.slow
@pytest.mark.parametrize("path", sample(sorted((SHARED / "corpus").rglob("*.urdf")), 12), ids=lambda path: path.name)
def test_real_robots_keep_what_gazebo_sees(path):
    text = path.read_bytes()
    if b"<gazebo" not in text or b"<xacro:" in text or len(text) > 400_000:
        pytest.skip("without blocks of Gazebo, with instructions of xacro, or large")
    try:
        robot = kt.load(path)
        sdf = kt.text(robot, "sdf")
    except kt.KinetreeError as error:
        pytest.skip(str(error))
    urdf = kt.text(kt.load(sdf, format="sdf"), "urdf")
    again = kt.load(urdf, format="urdf")
    assert kt.compare(robot, again).same
    for_gazebo = [
        sorted(row for row in places(text) if OURS.isdisjoint(row[0].split("/")))
        for text in (kt.text(again, "sdf"), sdf)
    ]
    assert for_gazebo[0] == for_gazebo[1]


SWINGING = """<robot name="b"><link name="base"/><link name="l"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
<visual><geometry><box size="1 1 0.2"/></geometry></visual>
<collision><geometry><box size="1 1 1"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="base"/><child link="l"/></joint>{}</robot>"""


def of_link(*inside):
    return SWINGING.format("".join(f'<gazebo reference="l">{one}</gazebo>' for one in inside))


def test_a_material_of_gazebo_comes_back_from_sdf_and_mujoco_loses_it():
    text = of_link("<material>Gazebo/Orange</material>")
    robot = kt.load(kt.text(kt.load(text, format="urdf"), "sdf"), format="sdf")
    assert robot.links["l"].visuals[0].material is None
    assert "<material>Gazebo/Orange</material>" in kt.text(robot, "urdf")
    assert "<geom" in kt.text(robot, "mjcf")


def test_data_that_leave_out_what_a_shape_needs_change_nothing():
    text = kt.text(kt.load(of_link("<material>Gazebo/Orange</material>"), format="urdf"), "sdf")
    hostile = text.replace('"collisions.0.name": null', '"collisions.0.shape.kind": null')
    robot = kt.load(hostile, format="sdf")
    assert robot.links["l"].collisions[0].shape.kind == "box"
    assert [note.message for note in robot.notes] == ["what it carries about link 'l' is left out: there is no 'shape'"]


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        (["<gravity>true</gravity>", "<turnGravityOff>true</turnGravityOff>"], "false"),
        (["<turnGravityOff>true</turnGravityOff>", "<gravity>true</gravity>"], "true"),
    ],
)
def test_of_what_two_blocks_say_the_last_counts(blocks, expected):
    text = kt.text(kt.load(of_link(*blocks), format="urdf"), "sdf")
    assert re.findall("<gravity>(.*?)</gravity>", text) == [expected]


@pytest.mark.parametrize("word", ["mu1", "mu2", "kp", "kd"])
def test_a_number_below_zero_stays_in_its_block(word):
    robot = kt.load(of_link(f"<{word}>-1</{word}>"), format="urdf")
    assert robot.links["l"].collisions[0].surface is None
    notes = []
    text = FORMATS["sdf"].write(robot, (), notes)
    assert any(f"1 <{word}> of <gazebo>" in note.message for note in notes)
    assert "<surface>" not in text
    assert f"<{word}>-1</{word}>" in kt.text(kt.load(text, format="sdf"), "urdf")
    positive = kt.text(kt.load(of_link("<mu1>0.5</mu1>"), format="urdf"), "sdf")
    sdf = kt.load(positive.replace("0.5</mu>", "-0.5</mu>"), format="sdf")
    assert sdf.links["l"].collisions[0].surface is None


def test_shapes_without_a_name_do_not_take_that_of_a_sensor():
    text = kt.text(kt.load(of_link('<sensor name="collision_1" type="imu"/>'), format="urdf"), "sdf")
    assert re.findall('<(?:collision|sensor) name="(.*?)"', text) == ["collision_2", "collision_1"]


SPRUNG = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/><dynamics damping="2"/></joint>
  <joint name="p" type="planar"><parent link="b"/><child link="c"/></joint>{}</robot>"""
SPRING = """<gazebo reference="j"><springStiffness>{}</springStiffness><springReference>0.5</springReference>
  <stopCfm>0.1</stopCfm></gazebo>"""


def test_springs_of_blocks_are_those_of_the_joints():
    text = SPRUNG.format(SPRING.format(3) + SPRING.format(9).replace('"j"', '"p"') + SPRING.format("x"))
    robot = kt.load(text, format="urdf")
    assert robot.joints["j"].dynamics == (Dynamics(2.0, 0.0, 3.0, 0.5),)
    assert not robot.joints["p"].dynamics  # a joint of three coordinates
    bare = kt.load(text.replace('<dynamics damping="2"/>', ""), format="urdf")
    assert bare.joints["j"].dynamics == (Dynamics(stiffness=3.0, reference=0.5),)
    (difference,) = kt.compare(robot, kt.load(text.replace(">3<", ">4<"), format="urdf")).differences
    assert str(difference) == "joint 'j': has a spring of stiffness 3, in the second robot 4"


def test_a_spring_that_was_edited_is_written_anew():
    kept = SPRING.format(9).replace('"j"', '"p"'), SPRING.format(8).replace('"j"', '"gone"')
    robot = kt.load(SPRUNG.format("".join((SPRING.format(3), *kept))), format="urdf")
    parts = parts_of(robot)
    parts.joints[0] = replace(parts.joints[0], dynamics=(Dynamics(2.0, 0.0, 7.0, 0.5),))
    text = kt.text(build(parts), "urdf")
    blocks = [block for block in parse(text, "r.urdf", Report()).find_all("gazebo") if block.get("reference") == "j"]
    said = [(block.get("reference"), child.tag, child.text) for block in blocks for child in block.children]
    assert all(block in text for block in kept)  # of joints that are gone, or have no spring
    assert said == [("j", "stopCfm", "0.1"), ("j", "springReference", "0.5"), ("j", "springStiffness", "7")]
    assert "kinetree_carried" not in text
    same = kt.text(build(parts_of(robot)), "urdf")
    assert same.count("<springStiffness>3<") == 1 == same.count("<springStiffness>") - len(kept)
