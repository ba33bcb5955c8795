"""What each format assumes where a file is silent: every reader agrees with the one table; tests/crosscheck/
test_format_defaults.py asks the formats' own programs."""

import re
from dataclasses import fields, replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats.defaults import DEFAULTS, Defaults
from kinetree.formats.registry import FORMATS
from kinetree.model.assemble import build, parts_of

SILENT = {
    "urdf": """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/>{limit}</joint>
      <joint name="i" type="continuous"><parent link="a"/><child link="c"/></joint></robot>""",
    "sdf": """<sdf version="1.9"><model name="r"><link name="a"/><link name="b"/><link name="c"/>
      <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis>{limit}</axis></joint>
      <joint name="i" type="revolute"><parent>a</parent><child>c</child><axis/></joint></model></sdf>""",
    "mjcf": """<mujoco><worldbody><body name="a"><body name="b"><joint name="j"/>{limit}</body>
      <body name="c"><joint name="i"/></body></body></worldbody></mujoco>""",
}
LIMIT = {"urdf": "<limit/>", "sdf": "<limit/>", "mjcf": ""}


def silent(format):
    return kt.load(SILENT[format].format(limit=LIMIT[format]), format=format)


def test_the_table_is_of_known_formats():
    assert {*DEFAULTS} <= {*FORMATS}
    known = {one.name for one in fields(Defaults)}
    assert all(known.issuperset(row.required) for row in DEFAULTS.values())


@pytest.mark.parametrize("format", SILENT)
class TestReaders:
    def test_masses(self, format):
        row, link = DEFAULTS[format], silent(format).links["b"]
        assert (link.inertial.mass if link.inertial else 0.0) == row.mass
        assert (link.inertial.inertia if link.inertial else np.zeros((3, 3))).tolist() == (
            row.inertia * np.eye(3)
        ).tolist()

    def test_joints(self, format):
        row, joint = DEFAULTS[format], silent(format).joints["j"]
        assert joint.axis.tolist() == [*row.axis]
        limit = joint.limit
        assert (limit.lower, limit.upper, limit.effort, limit.velocity) == (
            row.lower,
            row.upper,
            row.effort,
            row.velocity,
        )
        assert sum(dynamics.damping for dynamics in joint.dynamics) == row.damping
        for T in (joint.origin, joint.child_origin):
            assert np.abs(T - np.eye(4)).max() == np.abs(row.pose).max() == 0

    def test_what_the_reader_assumes_comes_back_though_it_is_not_written(self, format):
        robot = silent(format)
        text = kt.text(build(parts_of(robot)), format)
        assert not {">inf<", ">-inf<"} & {*re.findall(">[^<]*<", text)}
        again = kt.load(text, format=format)
        assert kt.compare(robot, again).same
        assert again.joints["j"].limit == robot.joints["j"].limit
        for name, link in robot.links.items():
            assert (link.inertial and link.inertial.mass) == (
                again.links[name].inertial and again.links[name].inertial.mass
            )


def test_a_version_is_assumed_or_required():
    assert kt.load('<robot name="r"><link name="a"/></robot>', format="urdf").text
    assert DEFAULTS["urdf"].version == "1.0"
    assert "version" in DEFAULTS["sdf"].required
    with pytest.raises(kt.KinetreeError, match="version"):
        kt.load('<sdf><model name="m"><link name="a"/></model></sdf>', format="sdf")


@each("format, angle", [("urdf", 90.0), ("sdf", 90.0), ("mjcf", np.deg2rad(90.0))])
def test_angles(format, angle):
    limit = {"urdf": '<limit upper="90" effort="1" velocity="1"/>', "sdf": "<limit><upper>90</upper></limit>"}
    text = SILENT[format].format(limit=limit.get(format, ""))
    text = text.replace('name="j"/>', 'name="j" range="-1 90"/>') if format == "mjcf" else text
    assert kt.load(text, format=format).joints["j"].limit.upper == pytest.approx(angle)
    assert DEFAULTS[format].angle == ("deg" if format == "mjcf" else "rad")


def test_a_table_of_angles_without_unit_is_refused():
    text = 'convention = "dh"\n[[joints]]\nname = "q"\nalpha = 90\n'
    assert DEFAULTS["dh"].angle is None
    with pytest.raises(kt.KinetreeError, match="unit"):
        kt.load(text, format="dh")


def test_densities():
    box = '<collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>'
    sdf = f'<sdf version="1.11"><model name="m"><link name="a"><inertial auto="true"/>{box}</link></model></sdf>'
    mjcf = '<mujoco><worldbody><body name="a"><geom type="box" size=".5 .5 .5"/></body></worldbody></mujoco>'
    urdf = (
        '<robot name="r"><link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>'
    )
    for format, text in (("sdf", sdf), ("mjcf", mjcf), ("urdf", urdf)):
        assert kt.dynamics.mass(kt.load(text, format=format)) == DEFAULTS[format].density
    bare = sdf.replace('<inertial auto="true"/>', "")
    assert kt.dynamics.mass(kt.load(bare, format="sdf")) == DEFAULTS["sdf"].mass  # shapes weigh only if they are asked
    assert [format for format, row in DEFAULTS.items() if row.by_shapes] == ["mjcf"]


@pytest.mark.parametrize("format", ["sdf", "mjcf"])
def test_gravity_that_a_file_may_leave_out_needs_no_remark(format):
    def notes(g):
        inside = f'<gravity>{g}</gravity><model name="m"><link name="a"/></model>'
        text = {
            "sdf": f'<sdf version="1.9"><world name="w">{inside}</world></sdf>',
            "mjcf": f'<mujoco><option gravity="{g}"/><worldbody><body name="a"/></worldbody></mujoco>',
        }[format]
        return [note.code for note in kt.load(text, format=format).notes if note.code == "not-computed"]

    assert not notes(" ".join(map(str, DEFAULTS[format].gravity)))
    assert notes("0 0 -1.62")


def test_texts_are_utf_8_unless_they_say_otherwise():
    text = '<?xml version="1.0"?><robot name="r"><link name="größe"/></robot>'
    assert {row.encoding for row in DEFAULTS.values()} == {"utf-8"}
    assert [*kt.load(text, format="urdf").links] == ["größe"]


def test_order_of_joints():
    """q of Kinetree is in the order of the file for all formats; the table has what other programs do."""
    assert {format: row.order for format, row in DEFAULTS.items()} == {
        "urdf": "names",
        "sdf": "file",
        "mjcf": "depth first",
        "dh": "file",
        "ets": "file",
        "usd": "file",
    }
    for format in SILENT:
        assert silent(format).joint_names[-2:] == ("j", "i")
    assert replace(DEFAULTS["sdf"], order="file") == DEFAULTS["sdf"]
