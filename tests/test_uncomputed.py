"""Forces in a file that dynamics does not compute, and its gravity: noted, and refused where they count."""

import pytest

import kinetree as kt
from each import each
from kinetree import KinetreeError
from kinetree.formats.mjcf import write

MJCF = """<mujoco>{head}<worldbody><body name="b" {body}><joint name="j" {joint}/><geom size="0.1" pos="1 0 0"/></body>
</worldbody>{tail}</mujoco>"""
TENDON = '<tendon><fixed name="t" range="0 1" {}><joint joint="j" coef="1"/></fixed></tendon>'
MOTOR = '<actuator><motor name="m" joint="j" {}/></actuator>'
SDF = """<sdf version="1.10"><model name="m"><link name="a"/><link name="b">{link}<inertial><mass>1</mass>
<pose>1 0 0 0 0 0</pose><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>{inertial}</inertial></link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""


def mjcf(head="", body="", joint="", tail=""):
    return kt.load(MJCF.format(head=head, body=body, joint=joint, tail=tail), format="mjcf")


def sdf(link="", inertial=""):
    return kt.load(SDF.format(link=link, inertial=inertial), format="sdf")


QUERIES = {
    "motion": kt.inverse_dynamics,
    "accelerations": kt.forward_dynamics,
    "inertia": kt.mass_matrix,
    "weight": kt.gravity_torques,
    "regressor": kt.dynamics.inertial_regressor,
    "coriolis": kt.dynamics.coriolis_matrix,
    "energy": kt.dynamics.energy,
    "centre": kt.center_of_mass,
    "weightless": lambda robot: kt.inverse_dynamics(robot, gravity=(0, 0, 0)),
    "friction": lambda robot: kt.inverse_dynamics(robot, friction=True),
}
PASSIVE = {"motion", "accelerations", "energy", "weightless", "friction"}
WEIGHT = {"motion", "accelerations", "weight", "regressor", "energy", "friction"}
ARMATURE = PASSIVE | {"inertia", "coriolis"}
MEDIUM = PASSIVE | {"regressor"}


def noted(robot):
    return [note for note in robot.notes if note.code == "not-computed"]


@each(
    "robot, element, message, refused",
    [
        (mjcf(body='gravcomp="0.5"'), "link 'b'", "a force against its weight", WEIGHT),
        (mjcf(joint='springdamper="0.5 1"'), "joint 'j'", "a spring and damper that follow", PASSIVE),
        (mjcf(joint='stiffness="1 2"'), "joint 'j'", "only the linear part", PASSIVE),
        (mjcf(tail=TENDON.format('stiffness="2"')), "<fixed>", 'of tendons .* name="t"', PASSIVE),
        (mjcf(tail=TENDON.format('damping="0.1"')), "<fixed>", 'damping="0.1"', PASSIVE),
        (mjcf(tail=TENDON.format('armature="1"')), "<fixed>", 'armature="1"', ARMATURE),
        (mjcf(tail=TENDON.format('frictionloss="1"')), "<fixed>", "friction of tendons", {"friction"}),
        (mjcf(tail=MOTOR.format('armature="1"')), "<motor>", 'name="m" .*armature', ARMATURE),
        (mjcf('<default><motor damping="1"/></default>', tail=MOTOR.format("")), "<motor>", "damping", PASSIVE),
        (mjcf('<default><motor armature="1"/></default>', tail=MOTOR.format("")), "<motor>", "armature", ARMATURE),
        (mjcf('<option density="1.2"/>'), "<option>", "forces of a medium", MEDIUM),
        (mjcf('<option viscosity="1"><flag contact="disable"/></option>'), "<option>", "viscosity", MEDIUM),
        (mjcf('<option><flag spring="disable"/></option>', joint='stiffness="1"'), "<flag>", "off springs", PASSIVE),
        (mjcf('<option><flag damper="disable"/></option>', joint='damping="1"'), "<flag>", "off dampers", PASSIVE),
        (sdf("<gravity>false</gravity>"), "link 'b'", "its weight is computed", WEIGHT),
        (sdf("", "<fluid_added_mass><xx>0.5</xx></fluid_added_mass>"), "link 'b'", "fluid", ARMATURE | MEDIUM),
    ],
)
def test_a_force_is_noted_with_its_place_and_refused_where_it_counts(robot, element, message, refused):
    (note,) = noted(robot)
    assert (note.severity, note.element) == ("warning", element)
    assert note.source.line
    found = set()
    for name, ask in QUERIES.items():
        try:
            ask(robot)
        except KinetreeError as error:
            found.add(name)
            assert error.findings[0].message == note.message
    assert found == refused
    with pytest.raises(KinetreeError, match=f"(?s){element}: .*{message}"):
        QUERIES[sorted(refused)[0]](robot)


@each(
    "robot",
    [
        mjcf('<option density="0" gravity="0 0 -9.81"/>', 'gravcomp="0"', 'stiffness="1 0" springdamper="0 0"'),
        mjcf(tail=TENDON.format('stiffness="0"') + MOTOR.format('armature="0"')),
        mjcf('<option><flag spring="disable"/></option>', joint='damping="1"'),
        mjcf('<option><flag spring="enable"/></option>', joint='stiffness="1"'),
        sdf("<gravity>true</gravity>", "<fluid_added_mass><xx>0.0</xx></fluid_added_mass>"),
    ],
)
def test_what_has_no_effect_is_neither_noted_nor_refused(robot):
    assert not noted(robot)
    for name, ask in QUERIES.items():
        if name != "friction":
            ask(robot)


def test_several_parts_have_one_note():
    text = MJCF.format(head="", body='gravcomp="1"', joint="", tail="")
    text = text.replace("<worldbody>", '<worldbody><body name="first" gravcomp="0.25"><geom size="1"/></body>')
    (note,) = noted(kt.load(text, format="mjcf"))
    assert note.element == "link 'first'"
    assert note.message.endswith('gravcomp="0.25"; there are 2 such parts')


def world(gravity):
    text = SDF.format(link="", inertial="").replace('<model name="m">', f'<world name="w">{gravity}<model name="m">')
    return kt.load(text.replace("</model>", "</model></world>"), format="sdf")


@each(
    "robot, gravity",
    [
        (mjcf('<option gravity="0 0 -1.62"/>'), "0, 0, -1.62"),
        (mjcf('<option gravity="0 0 -1.62"><flag gravity="disable"/></option>'), "0, 0, 0"),
        (world("<gravity>0 0 -3.7</gravity>"), "0, 0, -3.7"),
        (world("<gravity>0 0 -9.8</gravity>"), None),
        (mjcf('<option gravity="0 0 -9.8"/>'), "0, 0, -9.8"),
        (mjcf("<option timestep='0.001'/>"), None),
        (mjcf("<option gravity='0 0 x'/>"), None),  # MuJoCo refuses it
    ],
)
def test_gravity_of_a_file_is_noted(robot, gravity):
    notes = noted(robot)
    plain = (gravity or "").replace(",", "")
    fix = f"pass gravity=({gravity}) to functions of kt.dynamics, --gravity {plain} to commands"
    assert [note.fix for note in notes] == [fix] * bool(gravity)
    kt.gravity_torques(robot)


def test_options_without_children_are_kept():
    robot = kt.edit.rename(mjcf('<option timestep="0.004" density="1.2"/>'), joints={"j": "k"})
    assert '<option timestep="0.004" density="1.2"/>' in write(robot)
