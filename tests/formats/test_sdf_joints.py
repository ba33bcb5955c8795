"""SDF: how joints move and what limits them; links and sensors."""

from math import pi

import numpy as np
from scipy.spatial.transform import Rotation

from each import each
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import Dynamics, Limit, Mimic
from sdf_texts import errors, hinge, load, model
from support import all_frames

TURNED = "<pose>0 0 0 0 0 1.5707963267948966</pose>"


def T_b(robot, q):
    return all_frames(robot, np.asarray(q, dtype=float))["b"]


@each("kind", [row for row in JOINT_TYPES.values() if row.sdf])
def test_every_joint_type_is_read(kind):
    text = hinge(kind=kind.sdf).replace("</joint>", "<axis2><xyz>1 0 0</xyz></axis2></joint>")
    robot = load(model(text))
    assert robot.joints["j"].type == kind.name
    assert robot.nq == kind.nq


@each(
    "version, axis, axis_in_joint",
    [
        ("1.4", "<xyz>1 0 0</xyz>", (0, -1, 0)),  # in the model's axes
        ("1.5", "<xyz>1 0 0</xyz>", (1, 0, 0)),
        ("1.5", "<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", (0, -1, 0)),
        ("1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>true</use_parent_model_frame>", (0, -1, 0)),
        ("1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>false</use_parent_model_frame>", (1, 0, 0)),
        ("1.7", '<xyz expressed_in="__model__">1 0 0</xyz>', (0, -1, 0)),
        ("1.12", '<xyz expressed_in="a">3 0 4</xyz>', (0, -0.6, 0.8)),
    ],
)
def test_the_frame_of_the_axis_differs_by_version(version, axis, axis_in_joint):
    joint = load(model(hinge(axis, TURNED), version)).joints["j"]
    assert np.abs(joint.axis - axis_in_joint).max() < 1e-15


@each(
    "element, pitch",
    [
        ("<screw_thread_pitch>0.5</screw_thread_pitch>", 0.5 / (2 * pi)),
        ("<thread_pitch>4</thread_pitch>", -0.25),
        ("<screw_thread_pitch>0.5</screw_thread_pitch><thread_pitch>4</thread_pitch>", 0.5 / (2 * pi)),
        ("", 1 / (2 * pi)),
    ],
)
def test_the_pitch_of_a_screw(element, pitch):
    robot = load(model(hinge(kind="screw").replace("</joint>", f"{element}</joint>")))
    T = T_b(robot, [2.0])
    assert np.abs(T[:3, 3] - (1, 0, 2 * pitch)).max() < 1e-15
    assert np.abs(T[:3, :3] - Rotation.from_rotvec((0, 0, 2)).as_matrix()).max() < 1e-15


def test_a_universal_joint_turns_about_the_first_axis_then_the_second():
    text = hinge("<xyz>1 0 0</xyz>", kind="universal").replace("</joint>", "<axis2><xyz>0 1 0</xyz></axis2></joint>")
    R = T_b(load(model(text)), [0.4, 0.7])[:3, :3]
    assert np.abs(R - Rotation.from_euler("XY", (0.4, 0.7)).as_matrix()).max() < 1e-15


@each(
    "limit, expected",
    [
        ("", Limit()),
        ("<lower>-1e16</lower><upper>1e16</upper>", Limit()),
        ("<lower>-inf</lower><upper>inf</upper><velocity>inf</velocity>", Limit()),
        ("<lower>-1</lower><upper>1.79769e+308</upper>", Limit(-1.0)),
        ("<velocity>-1</velocity><effort>-1</effort>", Limit()),
        ("<lower>-1</lower><upper>2</upper><velocity>3</velocity><effort>4</effort>", Limit(-1.0, 2.0, 3.0, 4.0)),
        ("<lower>1</lower><upper>-1</upper>", Limit(1.0, -1.0)),  # a rule's business
    ],
)
def test_limits(limit, expected):
    assert load(model(hinge(f"<xyz>0 0 1</xyz><limit>{limit}</limit>"))).joints["j"].limit == expected


def test_a_joint_may_name_frames():
    text = model("""<link name="a"/><link name="b"><pose>1 0 0 0 0 0</pose></link>
      <frame name="p" attached_to="a"><pose>5 5 5 1 1 1</pose></frame>
      <frame name="c" attached_to="b"><pose>0 0 1 0 0 0</pose></frame>
      <joint name="j" type="revolute"><parent>p</parent><child>c</child><axis><xyz>0 1 0</xyz></axis></joint>""")
    robot = load(text)
    joint = robot.joints["j"]
    assert (joint.parent, joint.child) == ("a", "b")
    assert np.array_equal(joint.origin[:3, 3], (1, 0, 1))  # the joint's frame is that of its child, c
    assert np.array_equal(joint.child_origin[:3, 3], (0, 0, -1))


def test_mimic_with_a_reference():
    text = """<link name="a"/><link name="b"/><link name="c"/>
      <joint name="lead" type="revolute"><parent>a</parent><child>b</child><axis/></joint>
      <joint name="follow" type="prismatic"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz>
        <mimic joint="lead"><multiplier>2</multiplier><offset>1</offset><reference>0.25</reference></mimic></axis>
      </joint>"""
    robot = load(model(text, "1.11"))
    assert robot.joints["follow"].mimic == Mimic("lead", 2.0, 0.5)
    assert robot.joint_names == ("lead",)
    plain = text.replace("<offset>1</offset><reference>0.25</reference>", "").replace("<multiplier>2</multiplier>", "")
    assert load(model(plain, "1.11")).joints["follow"].mimic == Mimic("lead", 1.0, 0.0)
    assert "default-axis" in [note.code for note in robot.notes]
    circle = text.replace("<axis/>", '<axis><mimic joint="follow"/></axis>')
    assert {e.code for e in errors(model(circle, "1.11"))} == {"mimic"}
    second = text.replace('joint="lead"', 'joint="lead" axis="axis2"')
    assert [e.code for e in errors(model(second, "1.11"))] == ["mimic"]


def test_dynamics():
    axis = "<xyz>0 0 1</xyz><dynamics><damping>1</damping><friction>2</friction><spring_reference>3</spring_reference>"
    joint = load(model(hinge(axis + "<spring_stiffness>4</spring_stiffness></dynamics>"))).joints["j"]
    assert joint.dynamics == (Dynamics(damping=1.0, friction=2.0, stiffness=4.0, reference=3.0),)


def test_what_the_model_has_no_place_for_is_kept():
    text = model(
        """<static>true</static><plugin name="p" filename="f"/><odd/>"""
        + hinge("<xyz>0 0 1</xyz><initial_position>1</initial_position><limit><stiffness>5</stiffness></limit>")
    )
    robot = load(text)
    assert [e.tag for e in robot.extensions] == ["static", "plugin", "odd"]
    assert [e.tag for e in robot.joints["j"].extensions] == ["axis/initial_position", "axis/limit/stiffness"]
    assert [note.message for note in robot.notes if note.severity == "warning"] == [
        "<odd> in model 'm' is not understood; it is kept unchanged"
    ]


def test_links_have_inertias_shapes_and_colours():
    text = model("""<link name="a"><gravity>0</gravity>
      <inertial><pose>1 2 3 0 0 0</pose><mass>4</mass>
        <inertia><ixx>1</ixx><ixy>0.1</ixy><ixz>0.2</ixz><iyy>2</iyy><iyz>0.3</iyz><izz>3</izz></inertia></inertial>
      <visual name="v"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>
        <material><ambient>1 1 1 1</ambient><diffuse>0.1 0.2 0.3</diffuse></material></visual>
      <collision name="c"><geometry><mesh><uri>model://m/a.stl</uri><submesh><name>x</name></submesh></mesh></geometry>
        <surface/></collision></link>""")
    link = load(text).links["a"]
    assert link.inertial.mass == 4.0
    assert link.inertial.inertia.tolist() == [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]]
    assert link.inertial.origin[:3, 3].tolist() == [1, 2, 3]
    (visual,), (collision,) = link.visuals, link.collisions
    assert (visual.name, visual.shape.kind, visual.shape.parameters) == ("v", "box", {"size": (1.0, 2.0, 3.0)})
    assert visual.material.rgba == (0.1, 0.2, 0.3, 1.0)
    assert [e.tag for e in visual.extensions] == ["material/ambient"]
    assert collision.shape.parameters == {"filename": "model://m/a.stl", "scale": (1.0, 1.0, 1.0), "submesh": "x"}
    assert [e.tag for e in collision.extensions] == ["surface"]


SENSORS = """<link name="a"><sensor name="cam" type="camera"><pose relative_to="f">0 0 1 0 0 0</pose>
      <update_rate>30</update_rate><camera/></sensor></link>
    <frame name="f" attached_to="a"/>
    <link name="b"><pose>1 0 0 0 0 0</pose><sensor name="imu" type="imu"><pose>0 0 2 0 0 0</pose></sensor></link>
    <joint name="j" type="fixed"><pose>0 0 3 0 0 0</pose><parent>a</parent><child>b</child>
      <sensor name="ft" type="force_torque"/></joint>"""


def test_sensors_of_links_and_joints():
    robot = load(model(SENSORS))
    places = {s.name: (s.type, s.frame, s.joint, s.origin[2, 3]) for s in robot.sensors.values()}
    assert places == {
        "cam": ("camera", "f", None, 1.0),
        "imu": ("imu", "b", None, 2.0),
        "ft": ("force_torque", "b", "j", 3.0),
    }
    assert robot.sensors["cam"].update_rate == 30.0


def test_sensors_of_one_name_on_two_links_go_by_the_link_too():
    robot = load(model(SENSORS.replace('"cam"', '"imu"')))
    assert list(robot.sensors) == ["a::imu", "b::imu", "ft"]
