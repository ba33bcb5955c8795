"""ETS, DH, SRDF, URDF and blocks of actuators: what is seldom read, and how much is said of what is wrong."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats import ets, limit_tables
from kinetree.formats.dh import csv
from kinetree.formats.dh.read import _tables, read_packaged
from kinetree.formats.ets import Rz, tx
from kinetree.formats.srdf.write import write as write_srdf
from kinetree.model.actuator import Actuator
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Extension
from kinetree.model.semantic_groups import semantic_of
from kinetree.syntax.text import TextReport


class TestETS:
    @each("q", [[], [1.0], [1.0, 2.0, 3.0]])
    def test_takes_a_number_for_each_joint(self, q):
        sequence = Rz("a") * tx(2) * tx("b")
        assert sequence.A([0.0, 1.0])[0, 3] == 3.0
        with pytest.raises(kt.KinetreeError) as caught:
            sequence.A(q)
        (found,) = caught.value.findings
        assert (found.code, found.message) == ("count", f"takes 2 numbers (a, b), got {len(q)}")

    def test_in_another_encoding_is_refused(self):
        robot, (found,) = ets.read(b"Rz(q1)\ntx(\xff)", "a.ets")
        assert (robot, found.code, found.severity, found.source.line) == (None, "encoding", "error", 2)

    @each(
        "text, code, most, said",
        [
            ("Rz(a) " * 5, "ets-joint", 1, 1),
            ("Rz(a) " * 5, "ets-joint", 10, 4),
            ("link(a) " * 5, "ets-link", 1, 1),
            ("link(a) " * 5, "ets-link", 2, 2),
            ("link(a) " * 5, "ets-link", 10, 5),
        ],
    )
    def test_says_so_many_faults_and_no_more(self, text, code, most, said):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys.modules["kinetree.formats.ets.read"], "MAX_FINDINGS", most)
            robot, findings = ets.read(text, "a.ets")
        assert robot is None
        assert [one.code for one in findings] == [code] * said


class TestDH:
    def test_no_more_columns_are_looked_at_than_are_said_to_be_wrong(self, monkeypatch):
        asked = []
        monkeypatch.setattr(csv, "nearest_names", lambda name, known: asked.append(name) or "no")
        text = ",".join(f"x{i}" for i in range(50))
        report = TextReport("a.csv", text, 3)
        assert csv.read_table(text, report) is None
        assert asked == ["x0", "x1", "x2"]
        assert [one.message for one in report.findings][:2] == [f"column 'x{i}' is not known; no" for i in (0, 1)]

    def test_of_the_package_without_tables_is_no_robot(self):
        try:
            robot, findings = read_packaged("nothing.toml", "", {}, lambda made: made)
        finally:
            del _tables["nothing.toml"]
        assert robot is None
        assert {one.severity for one in findings} == {"error"}


@each("number, fits", [("1", True), ("1.5", True), ("true", False), ("9" * 400, False), ("inf", False), ('"1"', False)])
def test_rows_of_limits_are_of_finite_numbers(number, fits):
    data = {"h": [{"1": 1, "1.5": 1.5, "true": True, "inf": float("inf"), '"1"': "1"}.get(number, 10**400), 3]}
    made = limit_tables._numbers(data["h"], 1)
    assert (made is not None) == fits
    assert made is None or (made.dtype, made.tolist()) == (np.dtype(float), [float(number), 3.0])


def test_evidence_of_a_semantic_description_stands_in_comments_of_srdf():
    robot = kt.chain("Rz(q1)")
    parts = parts_of(robot)
    parts.semantic = replace(semantic_of(robot), evidence="10 samples\nof -- all")
    text = write_srdf(build(parts))
    assert "<!-- 10 samples -->" in text
    assert text.index("10 samples") < text.index("<!-- of") < text.index("<robot")


@each("name, left_over", [("${c}", True), ("$(arg c)", True), ("a$b", False)])
def test_names_of_materials_of_shapes_are_looked_at_for_what_xacro_has_left(name, left_over):
    look = f'<material name="{name}"><color rgba="1 0 0 1"/></material>'
    shape = f'<visual><geometry><sphere radius="1"/></geometry>{look}</visual>'
    text = f'<robot name="r"><link name="a">{shape}</link></robot>'
    robot = kt.load(text, format="urdf")
    said = f"{name!r} contains an expression that xacro has not replaced; material {name!r} is left out"
    assert [(note.code, note.message) for note in robot.notes] == [("left-over-xacro", said)] * left_over
    assert (robot.links["a"].visuals[0].material is None) == left_over


LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ARM = f"""<robot name="arm"><link name="base"/><link name="upper">{MASS}</link><link name="fore">{MASS}</link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>{LIMIT}</joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>{LIMIT}</joint>{{}}</robot>"""
BLOCK = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type>
<joint name="elbow"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>
<actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>"""


class TestBlocks:
    @each("text, tag", [("<gazebo><ros2_control", "gazebo"), ("<transmission/><x/>", "transmission")])
    def test_that_cannot_be_read_take_no_others_along(self, text, tag):
        """Of a robot that was put together by hand."""
        parts = parts_of(kt.load(ARM.format(BLOCK), format="urdf"))
        parts.extensions = [Extension("urdf", tag, text), *parts.extensions]
        parts.actuators = []
        again = kt.load(kt.text(build(parts), "sdf"), format="sdf")
        assert [*again.actuators.values()] == [Actuator("elbow", "elbow", "motor", 50.0)]

    def test_leave_out_a_joint_whose_name_another_actuator_keeps(self):
        """The second actuator of the shoulder is called as the elbow, so the elbow's cannot be called so in URDF."""
        parts = parts_of(kt.load(ARM.format(""), format="urdf"))
        first, second = Actuator("first", "shoulder", "motor", 2.0), Actuator("elbow", "shoulder", "velocity")
        parts.actuators = [first, second, Actuator("third", "elbow", "motor", 3.0)]
        robot = build(parts)
        text = kt.text(robot, "urdf")
        assert (text.count('<joint name="shoulder">'), text.count('<joint name="elbow">')) == (1, 0)
        assert [*kt.load(text, format="urdf").actuators.values()] == [*robot.actuators.values()]
        parts.actuators = [first, replace(second, name="other"), Actuator("third", "elbow", "motor", 3.0)]
        text = kt.text(build(parts), "urdf")
        assert (text.count('<joint name="shoulder">'), text.count('<joint name="elbow">')) == (1, 1)
