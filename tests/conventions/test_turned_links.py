"""Repair of R199-303: frames of links turn to the axes of base_link, and nothing else moves."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.fixer.fix import fix
from kinetree.model.robot import Frame, NamedValues
from kinetree.repairs.edit import applied
from kinetree.rules.rep199.turns import _of_joint
from kinetree.spatial import se3
from kinetree.syntax.xml.reader import Report, parse

LINKS = ("link_1", "link_2", "link_3")
HALF = "1.5707963267948966"
MASS = '<mass value="3"/><inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.04"/>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
SENSORS = (
    '<gazebo reference="link_2"><material>Gazebo/Red</material><mu1>1</mu1>'
    '<sensor name="imu" type="imu"><update_rate>10</update_rate></sensor>'
    '<sensor name="eye" type="camera"><pose>0.1 0 0 0 0.5 0</pose><camera/></sensor></gazebo>'
)


def joint(parent, child, origin, inside="", kind="revolute"):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{parent}-{child}" type="{kind}"><origin {origin}/>{ends}{inside}</joint>'


def arm(sensors=SENSORS, last="link_3", first=f'xyz="0 0 0.3" rpy="{HALF} 0 0"'):
    """An arm of which all links are turned, with shapes, masses, a camera's frame and sensors on them."""
    box = '<geometry><box size="0.2 0.1 0.2"/></geometry>'
    shapes = f'<visual><origin xyz="0.05 0 0.06" rpy="0.1 0.2 0.3"/>{box}</visual><collision>{box}</collision>'
    parts = [
        f'<link name="base_link"><visual>{box}</visual></link>',
        '<link name="base"/>' + joint("base_link", "base", 'xyz="0 0 0"', kind="fixed"),
        f'<link name="link_1">{shapes}<inertial><origin xyz="0 0.1 0.02"/>{MASS}</inertial></link>',
        joint("base_link", "link_1", first, f'<axis xyz="0 1 0"/>{LIMIT}'),
        f'<link name="link_2">{shapes}<inertial>{MASS}</inertial></link>',
        joint("link_1", "link_2", f'xyz="0.1 0.2 0.3" rpy="0 {HALF} 0"', LIMIT),
        f'<link name="{last}">{shapes}<inertial>{MASS}</inertial></link>',
        joint("link_2", last, f'xyz="0.1 0 0.3" rpy="-{HALF} 0 0.4"', f'<axis xyz="0.6 0 0.8"/>{LIMIT}'),
        '<link name="tool0"/>' + joint("flange", "tool0", f'xyz="0 0 0" rpy="0 {HALF} 0"', kind="fixed"),
        '<link name="camera"/>' + joint("link_2", "camera", 'xyz="0 0.1 0" rpy="0 0.2 0"', kind="fixed"),
        sensors,
    ]
    if last != "flange":
        parts.append('<link name="flange"/>' + joint(last, "flange", 'xyz="0.1 0 0"', kind="fixed"))
    return f'<robot name="arm">\n{chr(10).join(parts)}\n</robot>\n'


@pytest.fixture
def turned(tmp_path):
    """Function that repairs a text, and returns the robots before and after, the new text, and why it was not done."""

    def repair(text, **options):
        file = tmp_path / "arm.urdf"
        file.write_text(text)
        result = fix(file, profile="industrial", **{"select": ["R199-303"], "unsafe": True, **options})
        new = result.after.get(file.resolve(), text.encode()).decode()
        return (
            kt.load(text, format="urdf"),
            kt.load(new, format="urdf"),
            new,
            "".join(why for _, why in result.unrepaired),
        )

    return repair


@pytest.mark.slow
def test_only_the_frames_of_the_links_turn(turned):
    before, after, _, why = turned(arm())
    assert not why
    rng = np.random.default_rng(45)
    for q in (before.zero, *rng.uniform(-1, 1, (5, before.nq))):
        for name in before.frames:
            old, new = kt.fk(before, name)(q), kt.fk(after, name)(q)
            assert np.allclose(old[:3, 3], new[:3, 3], atol=1e-9)
            assert np.allclose(old, new, atol=1e-9) is (name not in LINKS)
    for name in LINKS:
        assert np.allclose(kt.fk(after, name)(after.zero)[:3, :3], np.eye(3), atol=1e-9)
    comparison = kt.compare(before, after)
    assert comparison.same_mechanism
    assert [line.split()[0] for line in str(comparison).splitlines() if line.startswith("  link_")] == [*LINKS]
    assert str(comparison).endswith("5 more agree")


@pytest.mark.slow
def test_every_force_is_the_same(turned):
    before, after, *_ = turned(arm())
    q, qd, qdd = np.random.default_rng(46).uniform(-1, 1, (3, before.nq))
    assert np.allclose(kt.inverse_dynamics(before)(q, qd, qdd), kt.inverse_dynamics(after)(q, qd, qdd), atol=1e-9)
    assert np.allclose(kt.gravity_torques(before)(q), kt.gravity_torques(after)(q), atol=1e-9)


def test_shapes_and_sensors_stay_where_they_are(turned):
    before, after, text, _ = turned(arm())
    at = [kt.fk(robot, "link_2")(robot.zero) for robot in (before, after)]
    for old, new in zip(before.links["link_2"].visuals, after.links["link_2"].visuals, strict=True):
        assert np.allclose(at[0] @ old.origin, at[1] @ new.origin, atol=1e-9)
    poses = [[float(x) for x in part.partition("<")[0].split()] for part in text.split("<pose>")[1:]]
    for (x, y, z, *rpy), old in zip(poses, ([0.0] * 6, [0.1, 0, 0, 0, 0.5, 0]), strict=True):
        was = se3.pose_from_xyz_rpy(old[:3], old[3:])
        assert np.allclose(at[0] @ was, at[1] @ se3.pose_from_xyz_rpy([x, y, z], rpy), atol=1e-9)
    assert '<axis xyz="0 0 1"/>' in text


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ('<gazebo reference="link_2"><plugin name="p" filename="p.so"/></gazebo>', "its <gazebo> block has <plugin>"),
        ('<gazebo reference="link_1"><fdir1>1 0 0</fdir1></gazebo>', "its <gazebo> block has <fdir1>"),
        (SENSORS.replace("<pose>", '<pose relative_to="camera">'), "its <gazebo> block has <sensor>"),
        (
            '<gazebo reference="link_1-link_2"><sensor name="f" type="force_torque"/></gazebo>',
            "a sensor measures in the axes of the joint 'link_1-link_2'",
        ),
        ("<gazebo><plugin><bodyName> link_2 </bodyName></plugin></gazebo>", "a plug-in of Gazebo names 'link_2'"),
        (
            '<gazebo reference="camera"><plugin><frameName>link_2</frameName></plugin></gazebo>',
            "a plug-in of Gazebo names 'link_2'",
        ),
    ],
)
def test_what_would_turn_with_a_link_keeps_it(turned, block, said):
    before, after, _, why = turned(arm(block))
    assert why.startswith(said)
    assert np.array_equal(kt.fk(before, "link_2")(before.zero), kt.fk(after, "link_2")(after.zero))


@pytest.mark.parametrize(
    "block",
    [
        '<gazebo reference="link_1-link_2"><disableFixedJointLumping>1</disableFixedJointLumping></gazebo>',
        '<gazebo reference="camera"><plugin name="p" filename="p.so"/></gazebo>',
        "<gazebo><plugin><bodyName>camera</bodyName></plugin></gazebo>",
    ],
)
def test_other_blocks_do_not(turned, block):
    assert not turned(arm(block))[3]


def test_a_flange_never_turns(turned):
    assert "frame on which others rely" in turned(arm("", last="flange"))[3]


def test_only_if_it_is_asked_for_and_also_with_tools_that_turn(turned):
    before, after, *_ = turned(arm(), unsafe=False)
    assert np.array_equal(kt.fk(before, "link_1")(before.zero), kt.fk(after, "link_1")(after.zero))
    assert not turned(arm(), turn_tools=True)[3]
    before, after, *_ = turned(arm(), select=[])  # programs that use these frames notice nothing, so it is asked for
    assert np.array_equal(kt.fk(before, "link_1")(before.zero), kt.fk(after, "link_1")(after.zero))
    assert not turned(arm(), select=["R199-3"])[3]


def test_it_is_not_among_what_unsafe_repairs_alone(tmp_path):
    (tmp_path / "arm.urdf").write_text(arm())
    result = fix(tmp_path / "arm.urdf", profile="industrial")
    assert "R199-303" not in {finding.code for finding in result.unsafe}
    assert {finding.code for finding in result.by_name} == {"R199-303"}
    (finding,) = kt.check(tmp_path / "arm.urdf", select=["R199-303"], profile="industrial")
    assert finding.fix.startswith("kinetree fix --unsafe --select R199-303 turns")


def test_a_right_angle_with_few_digits_is_corrected_first(turned):
    text = arm("", first='xyz="0 0 0.3" rpy="1.571 0 0"')
    assert "R103-007" in turned(text)[3]
    assert not turned(text, select=["R199-303", "R103-007"])[3]


@pytest.mark.slow
def test_links_that_are_frames_of_the_robot_stay_in_place(turned):
    """A file that Kinetree wrote has frames as links on fixed joints, and says so."""
    record = '<kinetree_carried of="link" name="{}">{{"gone": true}}</kinetree_carried>'
    text = arm().replace("</robot>", f"{record.format('camera')}</robot>")
    before, after, new, *_ = turned(text)
    assert "camera" in before.frames.keys() - before.links.keys()
    assert new != text
    q = np.array([0.3, -0.4, 0.5])
    for name in ("camera", "flange", "tool0"):
        assert kt.fk(after, name)(q) == pytest.approx(kt.fk(before, name)(q), abs=1e-12)
    for link in LINKS:
        assert kt.fk(after, link)(0 * q)[:3, :3] == pytest.approx(np.eye(3), abs=1e-12)


def test_a_frame_of_the_robot_on_a_link_that_turns():
    """What is a joint in the file is none in the robot, and its frame stays where it is."""
    text = (
        '<joint name="c"><parent link="a"/><child link="camera"/><origin xyz="1 2 3"/></joint>'
        '<joint name="d"><parent link="b"/><child link="camera"/></joint><joint name="e"><parent link="a"/></joint>'
    )
    root = parse(f"<robot>{text}</robot>", "r.urdf", Report())
    quarter = se3.homogeneous(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), (0, 0, 0))
    robot = kt.load('<robot name="r"><link name="a"/></robot>', format="urdf")
    frames = {**robot.frames, "camera": Frame("camera", "a", se3.translation([1.0, 2.0, 3.0]))}
    robot = replace(robot, frames=NamedValues("frame", frames.values()))
    first, *others = ([*_of_joint(robot, one, one.get("name"), {"a": quarter})] for one in root.find_all("joint"))
    after = applied(root.document.data, first).decode()
    assert '<origin xyz="2 -1 3" rpy="0 0 -1.5707963267948966"/>' in after
    assert others == [[], []]
