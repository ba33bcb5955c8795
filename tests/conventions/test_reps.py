"""REP-103 and REP-105, and REP-120 in real robots: where each rule begins and ends."""

from itertools import pairwise
from math import pi

import pytest

import kinetree as kt
from each import each
from kinetree.checker.check import check
from kinetree.load import examine
from kinetree.repairs.fixes import exact
from kinetree.rules.examples import ARM
from kinetree.rules.profiles import family
from kinetree.rules.rep103.angles import InexactAngles
from kinetree.rules.rep103.axes import NegativeScale, Optical, Sides
from kinetree.rules.rep103.units import Units
from kinetree.rules.rep105 import WorldFrames
from support import ask, icub_urdfs, shared


def found(rule, text, old="", new="", format="urdf"):
    """What a rule finds in a text, in which something is replaced."""
    assert old in text
    return ask(kt.load(text.replace(old, new) if old else text, format=format), (rule,))


class TestExactAngles:
    @each(
        "text, angle",
        [
            *(("1.57", pi / 2), ("-1.57", -pi / 2), ("1.5700", pi / 2), ("1.571", pi / 2), ("1.5707", pi / 2)),
            *(("3.14", pi), ("3.141", pi), ("3.142", pi), ("-3.1415", -pi), ("4.71", 1.5 * pi), ("6.28", 2 * pi)),
            *(("0.785", pi / 4), (".785", pi / 4), ("2.356", 0.75 * pi), ("1.047", pi / 3), ("0.524", pi / 6)),
            *(("1.57075", pi / 2), ("0.5235833333333334", pi / 6)),  # 3.1415 divided in a xacro file
        ],
    )
    def test_too_few_digits(self, text, angle):
        assert exact(text) == repr(angle)

    @each(
        "text",
        [
            *(
                "0",
                "0.0",
                "-0",
                "1",
                "3",
                "1.5",
                "1.6",
                "3.1",
                "1.58",
                "1.56",
                "1.572",
                "1.5701",
                "0.79",
                "0.52",
                "1.05",
            ),
            *("1.5708", "3.14159", "-3.1416", "1.570796", "0.7854", "1.0472", repr(pi / 2), repr(-pi)),
            *("1.5712124826321", "1.57039", "3.14148426", "1.5705", "1.048"),  # measured
            *("7.85", "9.42", "314.0", "1.57e0", "pi/2", "nan", "", "1.57 0", "--1.57", "1,57"),
        ],
    )
    def test_all_others_are_left_alone(self, text):
        assert exact(text) is None

    def test_a_sign_is_kept_and_what_is_exact_is_left(self):
        assert exact("+1.57") == "+1.5707963267948966"
        assert exact("-1.5707963267948966") is None

    def test_one_finding_an_attribute_where_its_value_stands(self):
        bad = 'rpy="3.14 1.57  -1.57"'
        (finding,) = found(InexactAngles, ARM, InexactAngles.good, bad)
        line = next(i for i, text in enumerate(ARM.splitlines(), 1) if InexactAngles.good in text)
        column = ARM.splitlines()[line - 1].index("rpy") + len('rpy="') + 1
        assert (finding.source.line, finding.source.column) == (line, column)
        assert finding.element == "joint 'flange-tool0'"
        assert (
            "3.14 is not exactly π = 3.141592653589793: the error is 1.6 mrad, or 1.6 mm at a distance of 1 m"
            in finding.message
        )
        assert "1.57 is not exactly π/2 = 1.5707963267948966: the error is 0.8 mrad" in finding.message
        assert "-1.57 is not exactly -π/2 = -1.5707963267948966" in finding.message

    def test_limits_are_left_alone(self):
        assert not found(InexactAngles, ARM, 'lower="-3.1" upper="3.1"', 'lower="-3.14" upper="3.14"')

    def test_in_a_xacro_file_it_is_where_the_element_was_written(self):
        text = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="PI" value="3.1415"/>
  <link name="a"/><link name="b"/>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/>
    <origin rpy="0 ${PI/2} 0"/>
  </joint>
</robot>"""
        (finding,) = found(InexactAngles, text, format="xacro")
        assert (finding.source.file, finding.source.line) == ("<text>", 5)
        assert "1.57075 is not exactly π/2" in finding.message
        assert not found(InexactAngles, text, ' value="3.1415"', ' value="${pi}"', format="xacro")

    def test_angles_of_mujoco_are_in_the_units_of_its_compiler(self):
        mjcf = '<mujoco><worldbody><body euler="90 0 1.57"><geom size="1"/></body></worldbody></mujoco>'
        assert ask(kt.load(mjcf, format="mjcf"), [InexactAngles]) == []


class TestMirrored:
    @each(
        "scale, mirrors",
        [("-1 1 1", True), ("-1 -1 -1", True), ("0.001 -0.001 0.001", True), ("-1 -1 1", False), ("1 1 1", False)],
    )
    def test_an_odd_number_of_negative_scales(self, scale, mirrors):
        mesh = f'<geometry><mesh filename="wrist.stl" scale="{scale}"/></geometry>'
        findings = found(NegativeScale, ARM, NegativeScale.good, mesh)
        assert len(findings) == (2 if mirrors else 0)  # seen and felt
        assert all("mirrors the mesh 'wrist.stl'" in f.message and f.element == "link 'link_5'" for f in findings)
        assert all(f.severity == "warning" and "visual" not in f.message for f in findings)

    def test_mujoco_mirrors_meshes_as_it_should(self):
        mesh = '<asset><mesh name="m" file="m.stl" scale="1 -1 1"/></asset>'
        text = f'<mujoco>{mesh}<worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>'
        assert not found(NegativeScale, text, format="mjcf")

    def test_a_geom_that_is_seen_and_felt_is_huge_once(self):
        huge = '<mujoco><worldbody><body><joint/><geom size="200"/></body></worldbody></mujoco>'
        assert len(check(kt.load(huge, format="mjcf"), select=("GEO-003",))) == 1


class TestUnits:
    @each(
        "old, new, words",
        [
            (
                'lower="-2.9" upper="2.9"',
                'lower="-166" upper="166"',
                "-166 to 166 rad are more than two turns; are they in degrees",
            ),
            ('lower="-2.9" upper="2.9"', 'lower="-12.6" upper="2.9"', "are they in degrees"),
            ('rpy="0 1.5707963267948966 0"', 'rpy="0 90 -6.3"', "rpy 90, -6.3 is more than a whole turn"),
            ('<origin xyz="0.15 0 0.2"/>', '<origin xyz="150 0 200"/>', "the origin is 250 m from"),
            (
                '<visual><origin xyz="0 0 0"/>',
                '<visual><origin xyz="0 50 0"/>',
                "a part of the link is 50 m from its frame",
            ),
            (
                '<origin xyz="0.08 0 0"/>\n      <mass',
                '<origin xyz="80 0 0"/>\n      <mass',
                "a part of the link is 80 m",
            ),
            ('<mass value="0.5"/>', '<mass value="500"/>', "500 kg in a volume of 0.128 litres; is it in grams"),
        ],
    )
    def test_other_units(self, old, new, words):
        (finding,) = found(Units, ARM, old, new)
        assert words in finding.message
        assert finding.severity == "warning"

    @each(
        "old, new",
        [
            ('lower="-2.9" upper="2.9"', 'lower="-12.5" upper="12.5"'),
            ('lower="-2.9" upper="2.9"', 'lower="-999999" upper="999999"'),  # no limit, as some say it
            ('rpy="0 1.5707963267948966 0"', 'rpy="0 -6.283 6.283"'),
            ('<origin xyz="0 0 0.3"/>', '<origin xyz="0 0 19.9"/>'),
            ('<mass value="0.5"/>', '<mass value="25"/>'),
            ('<mass value="2"/>', '<mass value="200"/>'),  # 200,000 kg/m³
        ],
    )
    def test_large_but_not_too_large(self, old, new):
        assert not found(Units, ARM, old, new)

    def test_one_mesh_in_two_units(self):
        first, second = (f'<geometry><mesh filename="a.stl" scale="{s} {s} {s}"/></geometry>' for s in (1, 0.001))
        texts = ARM.replace(NegativeScale.good, first, 1), ARM.replace(NegativeScale.good, first)
        assert not found(Units, texts[1])
        (finding,) = found(Units, texts[0], NegativeScale.good, second)
        assert "the scale of the mesh 'a.stl' is 1 here and 0.001 elsewhere" in finding.message
        for scale in ("0.9 -0.9 0.9", "0.08 0.08 0.08", "0 0 0"):  # of no unit
            assert not found(Units, texts[0], NegativeScale.good, first.replace("1 1 1", scale))

    @pytest.mark.parametrize("shape", ['<sphere radius="0.03"/>', '<cylinder radius="0.03" length="0.04"/>'])
    def test_a_volume_of_0_113_litres(self, shape):
        text = ARM.replace('<box size="0.02 0.08 0.08"/>', shape)
        assert not found(Units, text, '<mass value="0.5"/>', '<mass value="22.6"/>')
        (finding,) = found(Units, text, '<mass value="0.5"/>', '<mass value="22.7"/>')
        assert "22.7 kg in a volume of 0.113 litres" in finding.message

    def test_a_mesh_has_no_known_volume(self):
        text = ARM.replace('<box size="0.02 0.08 0.08"/>', '<mesh filename="a.stl"/>')
        assert not found(Units, text, '<mass value="0.5"/>', '<mass value="500"/>')


def cart(**places):
    """A base with wheels at places."""
    wheels = "".join(
        f'<link name="{name}"/><joint name="{name}_joint" type="continuous"><origin xyz="{xyz}"/>'
        f'<parent link="base_link"/><child link="{name}"/><axis xyz="0 1 0"/></joint>'
        for name, xyz in places.items()
    )
    return f'<robot name="cart"><link name="base_link"/>{wheels}</robot>'


class TestSides:
    @each(
        "one, other", [("left_wheel", "right_wheel"), ("l_leg", "r_leg"), ("LeftLeg", "RightLeg"), ("FL_hip", "FR_hip")]
    )
    def test_left_is_at_greater_y(self, one, other):
        assert not found(Sides, cart(**{one: "0 0.1 0", other: "0 -0.1 0"}))
        (finding,) = found(Sides, cart(**{one: "0 -0.1 0", other: "0 0.1 0"}))
        assert finding.message.startswith("links named left are in direction -y from those named right")
        assert finding.severity == "info"

    def test_front_is_at_greater_x(self):
        assert not found(Sides, cart(front_wheel="1 0 0", rear_wheel="-1 0 0"))
        (finding,) = found(Sides, cart(front_wheel="0 1 0", back_wheel="0 -1 0"))
        assert "links named front are in direction +y from those named rear" in finding.message

    def test_fingers_and_what_is_no_pair(self):
        assert not found(Sides, cart(left_finger="0 -1 0", right_finger="0 1 0"))
        assert not found(Sides, cart(left_wheel="0 -1 0", wheel="0 1 0"))
        assert not found(Sides, cart(left_a="0 -1 0", right_a="0 1 0", left_b="0 1 0", right_b="0 -1 0"))
        assert not found(Sides, cart(left_wheel="0 0 0", right_wheel="0 0 0"))
        backwards = cart(left_wheel="0 -1 0", right_wheel="0 1 0")
        assert found(Sides, backwards.replace("base_link", "hub"))
        assert not found(Sides, backwards.replace("base_link", "world"))

    def test_only_what_is_on_the_base(self):
        arm = '<link name="arm"/><joint name="a" type="floating"><parent link="base_link"/><child link="arm"/></joint>'
        text = cart(left_wheel="0 -1 0", right_wheel="0 1 0").replace("</robot>", f"{arm}</robot>")
        assert found(Sides, text.replace("continuous", "fixed"))
        on_arm = text.replace('"base_link"/><child link="left', '"arm"/><child link="left')
        assert not found(Sides, on_arm)


class TestSecondFrames:
    @each(
        "names",
        [
            ("camera_link", "camera_optical"),
            ("camera_link", "camera_optical_link"),
            ("camera_frame", "camera_optical_frame"),
            ("camera_rgb_frame", "camera_rgb_optical_frame"),
            ("camera_link", "camera_depth_optical_frame"),  # its parent
        ],
    )
    def test_of_which_camera_a_frame_is(self, names):
        text = Optical.base.replace("camera_link", "BODY").replace("camera_optical_frame", names[1])
        text = text.replace("BODY", names[0])
        assert not found(Optical, text)
        (finding,) = found(Optical, text, Optical.good, 'rpy="1.5707963 0 1.5707963"')
        assert finding.message == f"the frame is 180 degrees off; expected rpy -π/2 0 -π/2 in {names[0]!r}"
        assert finding.element == f"link {names[1]!r}"

    def test_a_camera_may_be_calibrated(self):
        assert not found(Optical, Optical.base, Optical.good, 'rpy="-1.55 0.01 -1.58"')
        assert found(Optical, Optical.base, Optical.good, 'rpy="-1.5 0 -1.57"')

    def test_frames_some_joints_apart(self):
        mount = """<origin rpy="0 0 -1.5707963267948966"/><parent link="camera_link"/><child link="mount"/></joint>
  <link name="mount"/><joint name="j" type="fixed"><origin rpy="-1.5707963267948966 0 0"/><parent link="mount"/>"""
        old = f'<origin {Optical.good}/>\n    <parent link="camera_link"/>'
        assert not found(Optical, Optical.base, old, mount)
        assert found(Optical, Optical.base, old, mount.replace("0 0 -1.57", "0 0 1.57"))

    def test_a_frame_with_no_camera_that_is_known(self):
        assert not found(Optical, Optical.base.replace("camera_link", "head"), Optical.good, 'rpy="0 0 0"')
        assert not found(Optical, Optical.base.replace("camera_link", "camera_optical"), Optical.good, 'rpy="0 0 0"')
        assert not found(Optical, Optical.base.replace("camera_optical_frame", "optical_table"), Optical.good, "")


def chain(*links, kind="fixed"):
    """Links on one another."""
    joints = "".join(
        f'<joint name="{b}_joint" type="{kind}"><parent link="{a}"/><child link="{b}"/></joint>'
        for a, b in pairwise(links)
    )
    return f'<robot name="chain">{"".join(f"<link name={link!r}/>" for link in links)}{joints}</robot>'


class TestRep105:
    def test_world_frames_in_their_order_are_too_many(self):
        findings = found(WorldFrames, chain("map", "odom", "base_link"))
        assert [(f.severity, f.element) for f in findings] == [("warning", "link 'map'"), ("warning", "link 'odom'")]

    def test_in_another_order_they_are_wrong(self):
        findings = found(WorldFrames, chain("odom", "map", "base_link"))
        assert [(f.severity, f.element) for f in findings] == [("error", "link 'map'"), ("warning", "link 'odom'")]
        (finding,) = found(WorldFrames, chain("base_link", "plate", "odom"))
        assert finding.severity == "error"
        assert "the frame is below 'base_link'; the order is earth -> map -> odom -> base_link" in finding.message

    def test_names_that_only_contain_them(self):
        assert not ask(kt.load(chain("map_case", "odometer", "base_link"), format="urdf"), family("R105"))


@pytest.mark.slow
class TestRealRobots:
    def accused(self, files, rules):
        codes = {}
        for path in files:
            robot, findings = examine(path)
            if robot is not None and not any(finding.severity == "error" for finding in findings):
                for finding in ask(robot, rules):
                    codes.setdefault(finding.code, set()).add(path.name)
        return codes

    def test_the_icub_looks_backwards_and_its_angles_are_true(self):
        codes = self.accused(icub_urdfs(), (*family("R103"), *family("R105")))
        assert set(codes) == {"R103-003"}

    def test_nao_follows_rep_120(self):
        files = sorted(shared("corpus", "ros-naoqi+nao_robot").rglob("nao.urdf"))
        assert len(files) == 4
        assert self.accused(files, family("R120")) == {}

    def test_every_optical_frame_of_the_corpus_but_those_of_three_files(self):
        files = [p for p in sorted(shared("corpus").rglob("*.urdf")) if b"_optical" in p.read_bytes()]
        assert len(files) > 20
        assert self.accused(files, (Optical,)) == {"R103-004": {"fetch.urdf", "freight.urdf"}}


def test_an_inexact_angle_is_underlined_where_it_stands():
    text = ARM.replace('rpy="0 1.5707963267948966 0"', 'rpy="0.25  0 3.14"')
    (finding,) = [f for f in kt.check(kt.load(text, format="urdf")) if f.code == "R103-007"]
    line = text.splitlines()[finding.source.line - 1]
    assert line[finding.source.column - 1 :].startswith('3.14"')
