"""`kinetree inspect`: what is printed, at 80 columns, and as JSON."""

import json

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.cli._page import Section, print_page
from kinetree.model.assemble import Parts, build
from kinetree.model.robot import CoupledLimit, Frame, Joint, Limit, Link, Sensor
from kinetree.spatial import se3
from kinetree.viewing.tables import axis_text, robot_page, short
from support import icub_urdfs


def sections(text):
    """Title to lines, of a plain page."""
    return {block.splitlines()[0]: [line.split() for line in block.splitlines()[1:]] for block in text.split("\n\n")}


@pytest.mark.slow
def test_every_icub_fits_80_columns(run):
    for path in icub_urdfs():
        result = run("inspect", path)
        assert result.exit_code == 0
        lines = result.stdout.splitlines()
        assert max(map(len, lines)) <= 80
        assert result.stdout.isascii()
        assert lines == [line.rstrip() for line in lines]


def test_the_figures_of_an_icub(run):
    path = next(path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_5")
    robot = kt.load(path)
    text = run("inspect", path).stdout
    page = sections(text)
    assert "213, the root is root_link" in text
    assert "212: 32 moving, 180 fixed; nq = 32, nv = 32" in text
    table = page["Joints  (speed in unit/s; effort in N m, or N along an axis)"]
    assert [row[1] for row in table[1:]] == list(robot.joint_names)
    for number, row in enumerate(table[1:]):
        joint = robot.joints[row[1]]
        assert row[0] == str(number)
        lower, upper, unit = row[-5], row[-4], row[-3]
        assert unit == "deg"
        assert abs(float(lower) - np.rad2deg(joint.limit.lower)) < 0.05
        assert abs(float(upper) - np.rad2deg(joint.limit.upper)) < 0.05
    assert "total of 39 links    33.06" in text
    assert "Sensors: 83" in text


def test_a_robot_of_many_kinds(run, mixed):
    lines = [" ".join(line.split()) for line in run("inspect", mixed).stdout.splitlines()]
    for line in (
        "joints 6: 3 moving, 2 fixed, 1 following another; nq = 5, nv = 5",
        "0-2 drive planar z - - - -",
        "3 lift prismatic 0 0.707 0.707 -100 250 mm 500 300",
        "4 spin continuous -y - - - -",
        "- grip revolute x 0 90 deg 114.6 3",
        "grip = 0.1146 deg/mm * lift - 5.73 deg",
        "imu imu frame flange 100",
        "Masses (centre of mass in world at zero: 0 0 375 mm)",
        "Notes: 1 not-understood",
    ):
        assert line in lines


def test_a_chain_is_straight_and_fixed_links_are_folded(run, mixed):
    tree = run("inspect", mixed).stdout.split("\n\n")[1].splitlines()[2:]
    assert tree == [
        "  world",
        "  cart               drive",
        "  |- mast            lift",
        "  |  + flange, tool",
        "  |  finger          grip",
        "  `- wheel           spin",
    ]
    tree = run("inspect", mixed, "--all").stdout.split("\n\n")[1].splitlines()[2:]
    assert tree == [
        "  world",
        "  cart          drive",
        "  |- mast       lift",
        "  |  |- finger  grip",
        "  |  `- flange  fixed",
        "  |     tool    fixed",
        "  `- wheel      spin",
    ]


@pytest.mark.slow
def test_all_shows_every_link_joint_sensor_and_note(run):
    for path in icub_urdfs()[:3]:
        robot = kt.load(path)
        assert " more" not in run("inspect", path, "--all").stdout
        words = {
            word for s in robot_page(robot, everything=True) for row in s.rows for cell in row for word in cell.split()
        }
        assert words >= {*robot.links, *robot.joints, *robot.sensors}


@pytest.mark.slow
def test_a_tree_of_thousands_of_links():
    n = 3000
    links = [Link(f"l{i}") for i in range(n)]
    joints = [Joint(f"j{i}", "fixed", f"l{i}", f"l{i + 1}") for i in range(n - 1)]
    robot = build(Parts("long", links, joints))
    folded = next(s for s in robot_page(robot) if s.title == "Tree")
    assert [row[0] for row in folded.rows][1].endswith(", 2990 more")
    assert len(next(s for s in robot_page(robot, everything=True) if s.title == "Tree").rows) == n


def test_frames_groups_coupled_limits_and_screws():
    joints = [
        Joint("a", "screw", "base", "x", axes=np.eye(3)[2:], pitch=0.001, limits=(Limit(-1, 1),)),
        Joint("b", "universal", "x", "y", axes=np.eye(3)[:2], limits=(Limit(-0.5, 0.5), Limit(upper=0.25))),
        Joint("c", "revolute", "y", "z", axes=np.eye(3)[:1]),
        Joint("d", "prismatic", "z", "end", axes=np.eye(3)[:1]),
    ]
    T = se3.pose_from_xyz_rpy((0.1, 0, -0.02), (0, 0, np.pi / 2))
    parts = Parts("r", [Link(n) for n in ("base", "x", "y", "z", "end")], joints)
    parts.frames = [Frame(f"tip{i}", "end", T) for i in range(20)]
    parts.groups = {"arm": ("a", "c")}
    parts.sensors = [Sensor(f"s{i}", "imu", "end") for i in range(7)]
    parts.coupled_limits = [
        CoupledLimit("tendon", {"a": 1.0, "c": -1.71}, lower=np.deg2rad(-30)),
        CoupledLimit("mixed", {"c": -1.0, "d": 2.0}, upper=0.5),
    ]
    page = {section.title: section.rows for section in robot_page(build(parts))}
    assert page["Joints"][0][4:6] == ("-57.3", "57.3")
    assert page["Joints"][1][:7] == ("1-2", "b", "universal", "x", "-28.65", "28.65", "deg")
    assert page["Joints"][2][:7] == ("", "", "", "y", "-", "14.32", "deg")
    assert page["Relations"] == [("a", "advances 6.283 mm a turn")]
    assert page["Coupled limits"] == [
        ("tendon", "-30", "-", "deg", "a - 1.71 c"),
        ("mixed", "-", "0.5", "rad, m", "- c + 2 d"),
    ]
    assert page["Groups"] == [("arm", "2", "a, c")]
    assert page["Frames"][0] == ("tip0", "end", "100 0 -20", "0 0 90")
    assert page["Frames"][-1][0] == "and 8 more (--all)"
    assert len(page["Sensors: 7"]) == 7  # one too many is no reason to leave one out


def test_long_names_are_folded_not_cut(run, tmp_path):
    name = "a_very_long_name_" * 8
    path = tmp_path / "long.urdf"
    path.write_text(
        f'<robot name="{name}"><link name="a"/><link name="{name}"/><joint name="{name}" type="continuous">'
        f'<parent link="a"/><child link="{name}"/><axis xyz="1 2 3"/></joint></robot>'
    )
    text = run("inspect", path).stdout
    assert max(map(len, text.splitlines())) <= 80
    first, *rest = sections(text)["Joints  (speed in unit/s; effort in N m, or N along an axis)"][1:]
    assert first[0] == "0"
    assert first[1] + "".join(cell for (cell,) in rest) == name
    assert first[1].endswith("_")


@each(
    "value, text",
    [
        (0.0, "0"),
        (-0.0, "0"),
        (-95.49999, "-95.5"),
        (12345.6, "12346"),
        (2864788.9, "2.86e6"),
        (1e-7, "1.00e-7"),
        (np.inf, "-"),
        (-np.inf, "-"),
    ],
)
def test_short_numbers(value, text):
    assert short(value) == text


def test_axes_are_named_only_where_they_are_exact():
    assert axis_text(np.array([0.0, -1.0, 0.0])) == "-y"
    assert axis_text(np.array([1e-4, 0.0, np.sqrt(1 - 1e-8)])) == "0 0 1"
    assert axis_text(np.array([-1e-17, 0.6, 0.8])) == "0 0.6 0.8"


def test_a_terminal_gets_colour_and_lines(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    print_page([Section("Tree", ("link", ">kg"), [("|- [a]", "1"), ("|  `- b", "2"), ("|     |- c", "3")], "a remark")])
    text = capsys.readouterr().out
    assert "├─ [a]" in text
    assert "│  └─ b" in text
    assert "│     ├─ c" in text
    assert "\x1b[" in text


def test_columns_of_a_page_that_is_too_narrow(capsys):
    """Those with a mark are cut, at the end; the others are wrapped, names and paths behind underscores and slashes."""
    words = "word " * 8 + "."
    print_page(
        [
            Section("marked", ("<left", ">right"), [(words, words), ("1", "2")]),
            Section("a name", ("<left", ">right", "name"), [("a_b_" * 4, "b_" * 20, "name_" * 8), ("1", "2", "3")]),
            Section("words", ("<left", ">right", ""), [("a_b_" * 4, "b_" * 20, words), ("1", "2", "3")]),
            Section("", ("", ""), [("file", f"/{'a' * 40}/{'b' * 40}/c.urdf (urdf)"), ("d", "e f")]),
        ]
    )
    assert capsys.readouterr().out.splitlines() == [
        "marked",
        "  left                                                                     right",
        "  word word word word word word word wo…  word word word word word word word wo…",
        "  1                                                                            2",
        "",
        "a name",
        "  left                                                 right  name",
        f"  {'a_b_' * 4}  {'b_' * 20}  name_name_name_",
        f"  {' ' * 16}  {' ' * 40}  name_name_name_",
        f"  {' ' * 16}  {' ' * 40}  name_name_",
        f"  1{' ' * 56}2  3",
        "",
        "words",
        "  left                                                 right",
        f"  {'a_b_' * 4}  {'b_' * 20}  word word word",
        f"  {' ' * 16}  {' ' * 40}  word word word",
        f"  {' ' * 16}  {' ' * 40}  word word .",
        f"  1{' ' * 56}2  3",
        "",
        "",
        f"  file  /{'a' * 40}/",
        f"        {'b' * 40}/c.urdf (urdf)",
        "  d     e f",
    ]


# JSON


@pytest.mark.slow
def test_json_is_the_robot(run):
    path = icub_urdfs()[0]
    robot = kt.load(path)
    result = run("inspect", path, "--json")
    assert result.exit_code == 0
    assert result.stdout.isascii()
    data = json.loads(result.stdout, parse_constant=pytest.fail)  # neither NaN nor Infinity
    assert data["schema"] == 1
    assert data["format"] == "urdf"
    assert data["joint_names"] == list(robot.joint_names)
    assert data["q_slices"] == {name: [i, i + 1] for i, name in enumerate(robot.joint_names)}
    for kind in ("links", "joints", "frames", "sensors", "materials"):
        assert [thing["name"] for thing in data[kind]] == list(getattr(robot, kind))
    for thing in data["joints"]:
        joint = robot.joints[thing["name"]]
        np.testing.assert_array_equal(thing["origin"], joint.origin)
        np.testing.assert_array_equal(np.reshape(thing["axes"], (-1, 3)), joint.axes)
        assert thing["source"] == {"file": str(path), "line": joint.source.line, "column": joint.source.column}
        for limit, expected in zip(thing["limits"], joint.limits, strict=True):
            assert limit["lower"] == expected.lower
            assert limit["velocity"] == expected.velocity
    masses = [link["inertial"]["mass"] for link in data["links"] if link["inertial"]]
    assert abs(sum(masses) - data["mass"]) < 1e-12


NO_RATES = dict.fromkeys(("acceleration", "deceleration", "jerk"))


def test_json_has_the_documented_fields(run, mixed):
    data = json.loads(run("inspect", mixed, "--json").stdout)
    assert {*data} == {
        *("schema", "format", "name", "source", "root", "links", "joints", "placed", "frames", "sensors", "groups"),
        *("materials", "loops", "coupled_limits", "extensions", "notes", "nq", "nv", "joint_names", "coordinate_names"),
        *("q_slices", "neutral", "zero", "kinds", "mass", "center_of_mass", "semantic", "header", "actuators"),
    }
    joints = {joint["name"]: joint for joint in data["joints"]}
    assert {*joints["lift"]} == {
        *("name", "type", "parent", "child", "origin", "axes", "child_origin", "pitch", "limits", "mimic", "dynamics"),
        *("safety", "calibration", "extensions", "source"),
    }
    assert joints["lift"]["limits"] == [{"lower": -0.1, "upper": 0.25, "velocity": 0.5, "effort": 300.0, **NO_RATES}]
    assert joints["grip"]["mimic"] == {"joint": "lift", "multiplier": 2.0, "offset": -0.1, "higher": []}
    assert data["q_slices"] == {"drive": [0, 3], "lift": [3, 4], "spin": [4, 5]}
    assert data["coordinate_names"] == ["drive.x", "drive.y", "drive.angle", "lift", "spin"]
    np.testing.assert_allclose(data["center_of_mass"], [0, 0, 0.375], rtol=0, atol=1e-15)
    assert [note["code"] for note in data["notes"]] == ["not-understood"]
    assert [extension["tag"] for extension in data["extensions"]] == ["odd"]


def test_json_says_no_limit_as_null(run, tmp_path):
    path = tmp_path / "wheel.urdf"
    path.write_text(
        '<robot name="w"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
        '<child link="b"/><axis xyz="1 0 0"/><limit velocity="2" effort="3"/></joint></robot>'
    )
    data = json.loads(run("inspect", path, "--json").stdout, parse_constant=pytest.fail)
    assert data["joints"][0]["limits"] == [{"lower": None, "upper": None, "velocity": 2.0, "effort": 3.0, **NO_RATES}]
    assert data["mass"] == 0
    assert data["center_of_mass"] is None


def test_groups_of_an_srdf(run, mixed, tmp_path):
    srdf = tmp_path / "mixed.srdf"
    srdf.write_text('<robot name="mixed"><group name="both"><joint name="spin"/><joint name="lift"/></group></robot>')
    assert json.loads(run("inspect", mixed, "--srdf", srdf, "--json").stdout)["groups"] == {"both": ["spin", "lift"]}
    result = run("inspect", mixed, "--srdf", tmp_path / "no.srdf")
    assert result.exit_code == 2
    assert "no.srdf" in result.stderr


def test_the_limits_of_a_robots_boards(run, mixed):
    data = json.loads(run("inspect", "icub", "--limits", "iCubGenova02", "--json").stdout)
    knee = next(joint for joint in data["joints"] if joint["name"] == "l_knee")
    assert knee["limits"][0]["lower"] == pytest.approx(np.deg2rad(-100))
    names = [limit["name"] for limit in data["coupled_limits"]]
    assert names[-2:] == ["eyes_version", "eyes_vergence"]
    assert all("tendons" in name for name in names[:-2])
    assert "board-limits" in {note["code"] for note in data["notes"]}
    result = run("inspect", "icub", "--limits", "iCubGenova")
    assert result.exit_code == 2
    assert "iCubGenova02" in result.stderr
    assert "has no joint of a control board" in run("inspect", mixed, "--limits", "iCubGenova02").stderr


@pytest.mark.slow
def test_inertias_of_a_model(run):
    (model,) = (path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_5")
    data = json.loads(run("inspect", "icub", "--inertias", "iCubGazeboV2_5", "--json").stdout)
    assert data["mass"] == pytest.approx(kt.dynamics.mass(kt.load(model)))
    assert "icub-models has no model 'x'" in run("inspect", "icub", "--inertias", "x").stderr
