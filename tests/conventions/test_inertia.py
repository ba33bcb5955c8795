"""Masses and inertias: what readers leave open, and numbers at the edge of what a body can have."""

from math import pi

import pytest

import kinetree as kt
from each import each
from kinetree.checker.check import check


def said(text: str, format: str, *codes: str) -> list[tuple[str, str | None]]:
    """Code and element of what the rules of some codes find."""
    findings = check(kt.load(text, format=format), profile="sim", select=codes)
    return [(finding.code, finding.element) for finding in findings if finding.code.startswith(codes)]


def bodies(*parts: str) -> str:
    return f'<mujoco><worldbody>{"".join(parts)}</worldbody><asset><mesh name="m" file="m.stl"/></asset></mujoco>'


TWO_JOINTS = '<joint name="x-1" axis="1 0 0"/><joint name="y" axis="0 1 0"/>'
CAPSULE, MESH = '<geom type="capsule" size=".05 .1"/>', '<geom type="mesh" mesh="m"/>'
WEIGHTLESS = '<inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/>'


class TestWhatAReaderMakes:
    @each(
        "body, expected",
        [
            (TWO_JOINTS + CAPSULE, []),
            (TWO_JOINTS + MESH, []),
            (TWO_JOINTS + f'<body name="c">{MESH}</body>', []),
            (TWO_JOINTS, [("INR-011", "link 'b'")]),
            (TWO_JOINTS + WEIGHTLESS, [("INR-005", "link 'b'")]),
            (TWO_JOINTS + WEIGHTLESS + f'<body name="c">{MESH}</body>', []),
        ],
    )
    def test_a_body_of_mujoco_has_what_stands_in_it(self, body, expected):
        assert said(bodies(f'<body name="b">{body}</body>'), "mjcf", "INR") == expected

    def test_no_name_is_judged_that_the_file_does_not_have(self):
        text = bodies(f'<body name="b">{TWO_JOINTS + CAPSULE}</body>')
        assert said(text, "mjcf", "NAM") == [("NAM-001", "joint 'x-1'")]

    def test_a_table_of_joints_has_no_masses(self):
        assert said("tz(0.3) Rz(q1) tx(0.5)", "ets", "INR") == []
        assert ("INR-004", "link 'q1_link'") in said("tz(0.3) Rz(q1) mass(-1)", "ets", "INR")
        assert (
            said("# convention: dh\njoint,theta (rad),d (m),a (m),alpha (rad)\nq1,0,0.1,0.2,0\n", "dh-csv", "INR") == []
        )

    @pytest.mark.parametrize(("inertial", "expected"), [("", ["INR-011"]), ('<inertial auto="true"/>', [])])
    def test_what_sdf_gives_a_link_is_said(self, inertial, expected):
        joint = (
            '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>'
        )
        box = '<visual name="v"><geometry><box><size>0.1 0.1 0.1</size></box></geometry></visual>'  # less than 1 kg m²
        text = (
            f'<sdf version="1.11"><model name="m"><link name="a"/><link name="b">{inertial}{box}</link>{joint}'
            "</model></sdf>"
        )
        findings = check(kt.load(text, format="sdf"), profile="sim", select=("INR",))
        findings = [finding for finding in findings if finding.code.startswith("INR")]
        assert [finding.code for finding in findings] == expected
        assert all("SDF gives it 1 kg" in finding.message for finding in findings)


def tensor(xx: str, yy: str, zz: str, xy: str = "0") -> str:
    """The inertia of a moved link with these entries, as URDF and as SDF write it."""
    return f'<inertia ixx="{xx}" ixy="{xy}" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>'


def urdf(inertia: str, mass: float = 1.0) -> str:
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
    inertial = f'<inertial><mass value="{mass!r}"/>{inertia}</inertial>'
    return f'<robot name="r"><link name="a"/><link name="b">{inertial}</link>{joint}</robot>'


def sdf(xx: str, yy: str, zz: str, xy: str = "0") -> str:
    joint = '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>'
    entries = "".join(f"<{k}>{v}</{k}>" for k, v in {"ixx": xx, "ixy": xy, "iyy": yy, "izz": zz}.items())
    inertial = f"<inertial><mass>1</mass><inertia>{entries}</inertia></inertial>"
    return f'<sdf version="1.9"><model name="m"><link name="a"/><link name="b">{inertial}</link>{joint}</model></sdf>'


class TestDigits:
    """An inertia is at fault only where all that its digits may stand for are."""

    @each(
        "numbers, expected",
        [
            (("0.01", "0.01", "0.03"), False),  # may be 0.0149, 0.0149, 0.025
            (("0.0100", "0.0100", "0.0300"), True),
            (("1.00e-2", "1.00e-2", "3.00e-2"), True),
            (("0.010", "0.01", "0.03"), True),  # all are written to the same place, or would be
            (("0.02", "0.02", "0.05"), False),
            (("0.020", "0.020", "0.050"), True),
            (("0", "0", "0.01"), True),  # exactly nothing about two axes
            (("0.0", "0.0", "1e-6"), True),
            (("0.000000", "0.000000", "0.000001"), False),  # may be 4e-7, 4e-7, 8e-7
            (("0.000000", "0.000000", "0.000002"), True),
            (("0e99999", "0", "0.01"), True),
            (("1", "1", "3"), True),
        ],
    )
    @each("format", ["urdf", "sdf"])
    def test_of_the_triangle(self, numbers, expected, format):
        text = sdf(*numbers) if format == "sdf" else urdf(tensor(*numbers))
        assert [code for code, _ in said(text, format, "INR-002")] == ["INR-002"] * expected

    @each("off_diagonal, expected", [("0.11", False), ("0.110", True), ("0.114", True)])
    @each("format", ["urdf", "sdf"])
    def test_of_moments_below_zero(self, off_diagonal, expected, format):
        numbers = ("0.1", "0.1", "0.1", off_diagonal)
        text = sdf(*numbers) if format == "sdf" else urdf(tensor(*numbers))
        assert ("INR-001" in [code for code, _ in said(text, format, "INR-001")]) is expected

    @pytest.mark.parametrize(("diagonal", "expected"), [("0 0 0.01", True), ("0.01 0.01 0.03", False)])
    def test_of_a_format_whose_text_is_not_looked_at(self, diagonal, expected):
        text = bodies(f'<body name="b"><joint/><inertial pos="0 0 0" mass="1" diaginertia="{diagonal}"/></body>')
        assert [code for code, _ in said(text, "mjcf", "INR-002")] == ["INR-002"] * expected


def ball(mass: float, density: float) -> str:
    """The inertia of a solid ball."""
    radius = (3 * mass / (4 * pi * density)) ** (1 / 3)
    moment = repr(2 / 5 * mass * radius**2)
    return tensor(moment, moment, moment)


class TestDensity:
    """INR-012: of all bodies of a mass and a density, a ball has the least inertia."""

    @each("density, expected", [(7.8e3, False), (45e3, False), (45.4e3, True), (8e6, True)])
    @each("mass", [1e-3, 8.4, 9e3])
    def test_of_a_ball(self, mass, density, expected):
        found = said(urdf(ball(mass, density), mass), "urdf", "INR-012")
        assert found == [("INR-012", "link 'b'")] * expected

    def test_of_rods_and_of_one_rule_for_one_fault(self):
        rod = tensor("1e-12", "0.001", "0.001")  # 1 kg, 0.1 m long and as thin as a hair
        assert said(urdf(rod), "urdf", "INR-012") == []
        nothing = tensor("0", "0", "0")
        assert said(urdf(nothing), "urdf", "INR-003", "INR-012") == [("INR-003", "link 'b'")]
        steel = ball(20, 7.8e3)  # 20 kg as grams are more than any link has
        assert said(urdf(steel, 20e3), "urdf", "INR-007", "INR-012") == [("INR-007", "link 'b'")]

    @pytest.mark.parametrize(("mass", "expected"), [(0.09, []), (0.11, [("INR-012", "link 'b'")])])
    def test_a_sensor_of_some_grams_that_is_fixed_weighs_nothing(self, mass, expected):
        text = urdf(ball(mass, 1e6), mass).replace("continuous", "fixed")
        assert said(text, "urdf", "INR-012") == expected

    def test_one_finding_for_all_that_have_the_same(self):
        text = urdf(ball(8, 1e6), 8.0)
        again = text.partition("</link>")[0].partition('<link name="b">')[2]
        joint = '<joint name="k" type="continuous"><parent link="a"/><child link="c"/><axis xyz="0 0 1"/></joint>'
        robot = kt.load(text.replace("</robot>", f'<link name="c">{again}</link>{joint}</robot>'), format="urdf")
        (finding,) = check(robot, select=("INR-012",))
        assert finding.message.endswith(" (also 'c')")
        assert "at least 44.3 times as dense as osmium" in finding.message
