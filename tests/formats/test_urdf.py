"""URDF: read and written."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats import urdf
from kinetree.formats.urdf.write import write
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import UNLIMITED, Sensor
from kinetree.spatial import se3
from kinetree.syntax.xml.reader import MAX_DEPTH
from support import REFUSED, all_frames, example_robot_urdfs, frames_differ_by, icub_urdfs, random_q, sample

TWO = '<link name="a"/><link name="b"/>'
BALL = '<geometry><sphere radius="1"/></geometry>'
AXIS = '<axis xyz="0 0 1"/>'
LIMIT = '<limit lower="-1" upper="1" velocity="2" effort="3"/>'


def joint(inside: str = "", type: str = "revolute", ends: str = '<parent link="a"/><child link="b"/>') -> str:
    limit = LIMIT if type == "revolute" and "<limit" not in inside else ""
    axis = AXIS if type == "revolute" and "<axis" not in inside else ""
    return f'<joint name="j" type="{type}">{ends}{limit}{axis}{inside}</joint>'


def robot_text(body: str, version: str = "") -> str:
    return f'<robot name="r"{version}>{body}</robot>'


def load(body: str, version: str = "") -> kt.Robot:
    return kt.load(robot_text(body, version), format="urdf")


def codes(body: str, version: str = "") -> list[str]:
    """The codes of all errors."""
    robot, findings = urdf.read(robot_text(body, version), "r.urdf")
    errors = [f.code for f in findings if f.severity == "error"]
    assert (robot is None) == bool(errors)
    return errors


def edited(robot: kt.Robot) -> kt.Robot:
    """The same robot without the text it came from, so that it is written afresh."""
    return build(parts_of(robot))


class TestRoundTrips:
    @pytest.mark.slow
    @pytest.mark.nightly
    def test_an_edited_robot_is_written_and_read_back_the_same(self):
        rng = np.random.default_rng(1)
        paths = icub_urdfs()
        assert paths
        for path in paths:
            robot = kt.load(path)
            again, findings = urdf.read(write(edited(robot)), "again.urdf")
            assert again is not None, findings
            assert again.joint_names == robot.joint_names
            assert frames_differ_by(robot, again, random_q(robot, rng)) < 1e-12
            for name, one in robot.joints.items():
                other = again.joints[name]
                assert (one.limits, one.mimic, one.dynamics) == (other.limits, other.mimic, other.dynamics)
            for name, link in robot.links.items():
                body = again.links[name].inertial
                assert (link.inertial is None) == (body is None)
                if link.inertial and body:
                    assert link.inertial.mass == body.mass
                    assert np.array_equal(link.inertial.inertia, body.inertia)
                assert [g.shape for g in link.visuals] == [g.shape for g in again.links[name].visuals]
            assert [e.text for e in robot.extensions] == [e.text for e in again.extensions]
            assert list(robot.sensors) == list(again.sensors)

    def test_an_unedited_robot_is_written_back_to_the_letter(self):
        for path in sample(icub_urdfs(), 5):
            assert write(kt.load(path)) == path.read_bytes().decode()

    def test_blocks_of_other_tools_survive_an_edit(self):
        blocks = (
            '<transmission name="t"><type>x</type><joint name="j"/></transmission>'
            '<gazebo reference="a"><!-- why --><mu1>0.2</mu1></gazebo>'
            '<ros2_control name="c" type="system"><hardware/></ros2_control>'
        )
        robot = load(TWO + joint() + blocks)
        assert not robot.notes
        text = write(edited(robot))
        for element in (e.text for e in robot.extensions):
            assert element in text
        assert "<!-- why -->" in text

    def test_every_joint_element_survives_an_edit(self):
        inside = (
            '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 2 0"/><dynamics damping="0.5" friction="0.25"/>'
            '<safety_controller k_velocity="10" k_position="20" soft_lower_limit="-0.5" soft_upper_limit="0.5"/>'
            '<calibration rising="0.125"/>'
        )
        one = load(TWO + joint(inside)).joints["j"]
        other = kt.load(write(edited(load(TWO + joint(inside)))), format="urdf").joints["j"]
        assert (one.safety, one.calibration, one.dynamics, one.limits) == (
            other.safety,
            other.calibration,
            other.dynamics,
            other.limits,
        )
        assert one.safety is not None
        assert one.safety.k_position == 20
        assert one.calibration is not None
        assert (one.calibration.rising, one.calibration.falling) == (0.125, None)
        np.testing.assert_allclose(one.origin, other.origin, rtol=0, atol=1e-15)
        assert np.array_equal(other.axes, [[0, 1, 0]])


class TestRotations:
    def test_quat_xyzw_of_urdf_1_1(self):
        rng = np.random.default_rng(2)
        for _ in range(20):
            quat = rng.normal(size=4)
            text = " ".join(map(repr, map(float, 3 * quat)))  # of any length
            robot = load(TWO + joint(f'<origin xyz="1 2 3" quat_xyzw="{text}"/>'), ' version="1.1"')
            expected = se3.homogeneous(se3.rotation_from_quaternion(quat), (1, 2, 3))
            np.testing.assert_allclose(robot.joints["j"].origin, expected, rtol=0, atol=1e-15)
            assert not robot.notes

    def test_in_a_1_0_file_it_is_used_and_noted(self):
        robot = load(TWO + joint('<origin quat_xyzw="0 0 1 0"/>'))
        assert [n.code for n in robot.notes] == ["urdf-version"]
        np.testing.assert_allclose(robot.joints["j"].origin, np.diag([-1, -1, 1, 1]), rtol=0, atol=1e-15)

    def test_two_rotations_or_none_are_refused(self):
        assert codes(TWO + joint('<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'), ' version="1.1"') == ["two-rotations"]
        assert codes(TWO + joint('<origin quat_xyzw="0 0 0 0"/>'), ' version="1.1"') == ["zero-quaternion"]

    def test_crooked_axes_are_normalised(self):
        robot = load(TWO + joint('<axis xyz="0.3 0 0.4"/>'))
        np.testing.assert_allclose(robot.joints["j"].axis, [0.6, 0, 0.8], rtol=0, atol=1e-15)
        q = robot.q(j=1.2)
        expected = se3.turn((0.6, 0, 0.8), 1.2)
        np.testing.assert_allclose(all_frames(robot, q)["b"], expected, rtol=0, atol=1e-15)


class TestRefusals:
    @each(
        "body, code",
        [
            ("", "no-links"),
            ('<link name=""/>', "missing-attribute"),
            ("<link/>", "missing-attribute"),
            ('<link name="a"/><link name="a"/>', "duplicate-name"),
            (TWO + joint(type="revolving"), "joint-type"),
            (TWO + joint(type="Revolute"), "joint-type"),
            (TWO + joint(ends='<child link="b"/>'), "missing-element"),
            (TWO + joint(ends='<parent link="a"/>'), "missing-element"),
            (TWO + joint(ends='<parent link="c"/><child link="b"/>'), "unknown-parent"),
            (TWO + joint('<axis xyz="0 0"/>'), "number"),
            (TWO + joint('<axis xyz="0 0 nan"/>'), "number"),
            (TWO + joint('<origin xyz="0 0 1e999"/>'), "number"),
            (TWO + joint('<origin xyz="0 0 1_0"/>'), "number"),
            (TWO + joint('<origin xyz="0 0 ${z}"/>'), "left-over-xacro"),
            (TWO + joint('<mimic joint="k"/>'), "mimic"),
            (TWO + joint('<mimic joint="j"/>'), "mimic"),
            (TWO + joint('<mimic joint="j" multiplier="two"/>'), "number"),
            (TWO + joint() + joint().replace('"j"', '"k"'), "two-parents"),
            ('<link name="${prefix}a"/>', "left-over-xacro"),
            ('<link name="a"/><xacro:arm/>', "left-over-xacro"),
            (TWO + joint().replace(AXIS, "<axis/>"), "missing-attribute"),
            (TWO + joint().replace(AXIS, '<axis xy="0 0 1"/>'), "missing-attribute"),
            (TWO + joint().replace(AXIS, '<axis xyz=""/>'), "number"),
        ],
    )
    def test_it_is_refused_with_its_place(self, body, code):
        robot, findings = urdf.read(robot_text(body), "r.urdf")
        assert robot is None
        errors = [f for f in findings if f.severity == "error"]
        assert code in [f.code for f in errors]
        for finding in errors:
            assert finding.source is not None
            assert finding.source.file == "r.urdf"
            assert finding.source.line == 1
            assert finding.element
            assert finding.excerpt

    def test_all_faults_come_at_once(self):
        text = robot_text(TWO + joint('<axis xyz="0 0 0"/><mimic joint="j" offset="x"/>') + '<link name=""/>')
        with pytest.raises(kt.KinetreeError) as caught:
            kt.load(text, format="urdf")
        assert {f.code for f in caught.value.findings} >= {"zero-axis", "number", "missing-attribute"}
        assert "more in .findings" in str(caught.value)

    @each("version", ["0.9", "2.0", "1", ""])
    def test_versions(self, version):
        expected = ["urdf-version"] if version else []
        assert codes('<link name="a"/>', f' version="{version}"') == expected

    def test_document_types_and_entities(self):
        bomb = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><robot name="&b;"><link name="a"/></robot>'
        external = '<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot name="r"><link name="a"/></robot>'
        for text in (bomb, external):
            robot, findings = urdf.read(text, "r.urdf")
            assert robot is None
            assert [f.code for f in findings] == ["xml-doctype"]

    def test_absurd_depth(self):
        deep = "<a>" * (MAX_DEPTH + 1) + "</a>" * (MAX_DEPTH + 1)
        assert codes(deep) == ["xml-depth"]

    @pytest.mark.slow
    def test_a_long_chain_is_not_absurd(self):
        n = 3000
        links = "".join(f'<link name="l{i}"/>' for i in range(n + 1))
        joints = "".join(
            f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
            '<origin xyz="0 0 1"/><axis xyz="0 0 1"/></joint>'
            for i in range(n)
        )
        robot = load(links + joints)
        assert all_frames(robot, np.zeros(n))[f"l{n}"][2, 3] == n

    def test_other_encodings(self, tmp_path):
        path = tmp_path / "r.urdf"
        path.write_bytes(
            '<?xml version="1.0" encoding="ISO-8859-1"?><robot name="é"><link name="a"/></robot>'.encode("latin-1")
        )
        assert kt.load(path).name == "é"
        path.write_bytes('<robot name="é"><link name="a"/></robot>'.encode("utf-16"))
        assert kt.load(path).name == "é"
        path.write_bytes('<robot name="é"><link name="a"/></robot>'.encode("latin-1"))
        assert kt.load(path).name == "é"
        assert [note.code for note in kt.load(path).notes] == ["xml-lenient"]


class TestNotes:
    @each(
        "body, code",
        [
            (TWO + joint("<spring/>"), "not-understood"),
            (TWO + joint('<origin xyz="1 0 0" frame="a"/>'), "not-understood"),
            (TWO + joint() + "<camera/>", "not-understood"),
            ("some text" + TWO + joint(), "not-understood"),
            ('<link name="a">text</link>', "not-understood"),
            ('<link name="a"><inertial><mass value="1"/></inertial></link>', "default-inertia"),
            ('<link name="a"><inertial/></link>', "default-inertia"),
            (TWO + joint(type="revolute").replace(LIMIT, ""), "no-limit"),
            (TWO + joint('<limit effort="1" velocity="1"/>'), "default-limit"),
            (TWO + joint('<origin xyz="0 0 1"/><origin xyz="0 0 1"/>'), "duplicate-element"),
            (TWO + joint('<mimic joint="j"/>', type="fixed"), "mimic"),
            (f'<link name="a"><visual>{BALL}<material name="red"/></visual></link>', "unknown-material"),
        ],
    )
    def test_it_loads_with_a_note(self, body, code):
        robot = load(body)
        assert code in [note.code for note in robot.notes]
        assert all(note.source and note.severity == "warning" for note in robot.notes)

    def test_the_look_of_a_collision_shape_has_no_note(self):
        assert load(f'<link name="a"><collision>{BALL}<material name="red"/></collision></link>').notes == ()

    def test_a_limit_without_bounds_is_zero_as_urdf_says(self):
        limit = load(TWO + joint('<limit effort="1" velocity="2"/>')).joints["j"].limit
        assert (limit.lower, limit.upper, limit.velocity, limit.effort) == (0, 0, 2, 1)

    def test_a_revolute_joint_without_limit_is_unlimited(self):
        assert load(TWO + joint().replace(LIMIT, "")).joints["j"].limit.upper == math.inf


def test_shapes_and_materials():
    shapes = {
        '<box size="1 2 3"/>': {"size": (1, 2, 3)},
        '<sphere radius="0.5"/>': {"radius": 0.5},
        '<cylinder radius="0.5" length="2"/>': {"radius": 0.5, "length": 2},
        '<capsule radius="0.5" length="2"/>': {"radius": 0.5, "length": 2},
        '<mesh filename="package://r/m.stl"/>': {"filename": "package://r/m.stl", "scale": (1, 1, 1)},
        '<mesh filename="m.stl" scale="1 -1 0.001"/>': {"filename": "m.stl", "scale": (1, -1, 0.001)},
    }
    visuals = "".join(
        f'<visual name="v{i}"><origin xyz="{i} 0 0"/><geometry>{shape}</geometry>'
        f'<material name="m{i}"><color rgba="1 0.5 0 1"/><texture filename="t.png"/></material></visual>'
        for i, shape in enumerate(shapes)
    )
    robot = load(
        f'<link name="a">{visuals.replace("visual", "collision").split("<material")[0]}</collision>{visuals}</link>'
    )
    for one in (robot, kt.load(write(edited(robot)), format="urdf")):
        found = one.links["a"].visuals
        assert [dict(v.shape.parameters) for v in found] == list(shapes.values())
        assert [v.origin[0, 3] for v in found] == list(range(len(shapes)))
        assert found[0].material is not None
        assert (found[0].material.rgba, found[0].material.texture) == ((1, 0.5, 0, 1), "t.png")
        assert one.links["a"].collisions[0].shape.kind == "box"


def test_a_shape_that_is_seen_and_felt_is_lost_once():
    body = '<body name="b"><geom type="ellipsoid" size=".1 .2 .3"/></body>'
    robot = kt.load(f"<mujoco><worldbody>{body}</worldbody></mujoco>", format="mjcf")
    assert (len(robot.links["b"].visuals), len(robot.links["b"].collisions)) == (1, 1)
    with pytest.raises(kt.KinetreeError) as caught:
        kt.text(robot, "urdf")
    assert [(f.code, f.element) for f in caught.value.findings] == [("cannot-say-geometry", "link 'b'")]


def test_what_urdf_cannot_say_is_an_error_that_names_it():
    parts = parts_of(load(TWO + joint()))
    parts.joints = [replace(one, type="ball", axes=np.zeros((0, 3)), limits=()) for one in parts.joints]
    with pytest.raises(kt.KinetreeError, match=r"joint 'j'.*URDF cannot express a ball joint") as caught:
        write(build(parts))
    assert caught.value.findings[0].code == "cannot-say-joint"
    with pytest.raises(kt.KinetreeError, match="expected extension"):
        write(load(TWO + joint()), without=("everything",))


def test_a_second_material_is_a_warning_and_stays():
    material = '<material name="{}"><color rgba="{} 0 0 1"/></material>'
    text = (
        '<robot name="r"><link name="a"><visual><geometry><sphere radius="1"/></geometry>'
        f"{material.format('red', 1)}{material.format('dark', 0.5)}</visual></link></robot>"
    )
    robot, findings = urdf.read(text, "r.urdf")
    assert [(f.severity, f.code) for f in findings] == [("warning", "duplicate-element")]
    again, _ = urdf.read(write(build(parts_of(robot))), "again.urdf")
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


@each(
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


class TestWhatOthersRead:
    """Files that urdfdom takes: URDF wants limits in full, and sensors stay where they are."""

    def test_no_limit_is_the_largest_double(self):
        arm = kt.edit.cut(kt.load("icub"), "l_shoulder_1")
        text = write(arm, without=("group",))
        assert text.count('velocity="1.797693134862315e+308" effort="1.797693134862315e+308"') == 6
        again = kt.load(text, format="urdf")
        assert not again.notes
        for name, joint in arm.joints.items():
            assert again.joints[name].limits == joint.limits
        bare = re.sub("<kinetree_carried.*</kinetree_carried>", "", text)
        for number in ("1.797693134862315e+308", "1.7976931348623157e+308"):  # as written now, and before
            other = kt.load(bare.replace("1.797693134862315e+308", number), format="urdf")
            assert {joint.limit.velocity for joint in other.joints.values()} == {math.inf}

    def test_without_limits_joints_are_unlimited(self):
        text = write(load(TWO + joint()), without=("limit",))
        assert '<joint name="j" type="continuous">' in text
        assert "<limit" not in text
        slider = kt.load(write(load(TWO + joint(LIMIT + AXIS, "prismatic")), without=("limit",)), format="urdf")
        assert slider.joints["j"].limit == UNLIMITED
        assert not slider.notes

    @pytest.mark.parametrize("without", [(), ("frame",)])
    def test_sensors_stay_in_place(self, without):
        sensors = '<sensor name="ft" type="force_torque"><parent joint="j"/><origin xyz="0 0 1"/></sensor>'
        robot = load(TWO + joint() + sensors)
        T = se3.pose_from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3))
        robot = kt.edit.add_frame(robot, "tip", "b", T)
        parts = parts_of(robot)
        parts.sensors = [Sensor("ft", "force_torque", "tip", T, "j"), Sensor("imu", "imu", "tip", T)]
        again = kt.load(write(build(parts), without=without), format="urdf")
        q = robot.q(j=0.4)
        place = all_frames(robot, q)["tip"] @ T
        for sensor in again.sensors.values():
            there = all_frames(again, q)[sensor.frame] @ sensor.origin
            np.testing.assert_allclose(there, place, rtol=0, atol=1e-15)

    def test_a_sensor_of_a_joint_elsewhere_is_an_error(self):
        parts = parts_of(load(TWO + joint()))
        parts.sensors = [Sensor("ft", "force_torque", "a", joint="j")]
        with pytest.raises(kt.KinetreeError, match="cannot-say-sensor"):
            write(build(parts))

    @pytest.mark.crosscheck
    def test_pinocchio_reads_what_is_written(self):
        pin = pytest.importorskip("pinocchio")
        robots = [kt.load(path) for path in [*icub_urdfs(), *example_robot_urdfs()] if path.name not in REFUSED]
        robots += [kt.load("icub"), kt.edit.cut(kt.load("icub"), "l_shoulder_1")]
        for robot in robots:
            for without in (("group",), ("group", "limit")):
                model = pin.buildModelFromXML(write(edited(robot), without=without))
                assert {joint.name for joint in robot.joints.values() if joint.kind.nq} == {*model.names} - {"universe"}


@pytest.mark.slow
def test_the_order_of_q_comes_back():
    robot = kt.load("icub")
    names = robot.joint_names[::-1]
    again = kt.load(write(robot.order(names), without=("group",)), format="urdf")
    assert again.joint_names == names


NAMED = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
  <joint name="{}" type="continuous"><axis xyz="1 0 0"/><parent link="a"/><child link="b"/></joint>
  <joint name="{}" type="continuous"><axis xyz="1 0 0"/><parent link="a"/><child link="c"/></joint>
  <joint name="{}" type="continuous"><axis xyz="1 0 0"/><parent link="b"/><child link="d"/></joint></robot>"""


@pytest.mark.parametrize(("names", "theirs"), [("zyx", "yzx"), ("abc", "acb"), ("bax", "abx"), ("bca", "bac")])
def test_saving_says_if_pinocchio_numbers_joints_by_their_names(names, theirs, tmp_path):
    """Its orders are those of Pinocchio 3.7."""
    robot = kt.load(NAMED.format(*names), format="urdf")
    assert not robot.notes
    same = next(i for i in range(3) if names[i] != theirs[i])
    for one in (robot, build(parts_of(robot))):
        (note,) = kt.save(one, tmp_path / "r.urdf")
        assert (note.code, note.severity) == ("other-order", "info")
        other, own = ", ".join(theirs[same:]), ", ".join(names[same:])
        assert note.message == f"Pinocchio has q in another order, from joint {same + 1} on: {other}; here it is {own}"
        (tmp_path / "r.urdf").unlink()
    notes = kt.save(robot.order(tuple(theirs)), tmp_path / "r.urdf")
    assert not any("Pinocchio" in note.message for note in notes)
