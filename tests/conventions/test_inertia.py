"""Masses and inertias: what readers leave open, and numbers at the edge of what a body can have."""

import pytest

import kinetree as kt
from kinetree.conventions.check import check


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
    @pytest.mark.parametrize(
        ("body", "expected"),
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
        assert (
            said("# convention: dh\njoint,theta (rad),d (m),a (m),alpha (rad)\nq1,0,0.1,0.2,0\n", "dh-csv", "INR") == []
        )

    @pytest.mark.parametrize(("inertial", "expected"), [("", ["INR-011"]), ('<inertial auto="true"/>', [])])
    def test_what_sdf_gives_a_link_is_said(self, inertial, expected):
        joint = (
            '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>'
        )
        text = (
            f'<sdf version="1.11"><model name="m"><link name="a"/><link name="b">{inertial}</link>{joint}</model></sdf>'
        )
        findings = check(kt.load(text, format="sdf"), profile="sim", select=("INR",))
        findings = [finding for finding in findings if finding.code.startswith("INR")]
        assert [finding.code for finding in findings] == expected
        assert all("SDF gives it 1 kg" in finding.message for finding in findings)
