"""The command `limits`."""

import json
import sys
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

import kinetree as kt
from kinetree.cli import _limits_page
from kinetree.solvers.limits.report import report as reports, violations
from kinetree.spatial import polytope


@pytest.mark.slow
def test_what_the_tendons_forbid(run):
    result = run("limits", "icub", "--limits", "tendons")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [line.split() for line in result.stdout.splitlines() if line.startswith("  left_arm tendons ")]
    assert len(rows) == 14
    # the share of the firmware's box that each row forbids by itself, as published, in per cent
    forbidden = {int(row[2]): float(row[4]) for row in rows if float(row[4])}
    assert forbidden == {1: 1.192, 9: 5.035, 12: 3.985, 14: 0.415}
    assert [int(row[2]) for row in rows if row[-1] == "yes"] == [1, 9, 14]
    assert "3 joints: 5.6209 % of their box is forbidden" in result.stdout
    safe = next(line for line in result.stdout.splitlines() if "l_shoulder_roll " in line)
    assert safe.split() == ["l_shoulder_roll", "0", "160.8", "0", "99.658"]


@pytest.mark.slow
def test_json_is_in_radians(run):
    (left, right) = json.loads(run("limits", "icub", "--limits", "tendons", "--json").stdout)["blocks"]
    assert left["joints"] == ["l_shoulder_pitch", "l_shoulder_roll", "l_shoulder_yaw"]
    assert left["forbidden"] == pytest.approx(0.0562094, abs=5e-8)
    assert right["forbidden"] == pytest.approx(left["forbidden"], rel=1e-9)
    assert np.rad2deg(left["ball"]) == pytest.approx(52.75)
    assert np.rad2deg(left["safe_lower"]) == pytest.approx([-89.6577, 0, -37], abs=1e-3)
    corners = [[-95.5, 160.8, -37], [-95.5, 160.8, 80], [10, 160.8, 80]]
    assert np.abs(np.rad2deg(left["corners"]) - corners).max() < 1e-9
    # row 1 cuts a corner off at 404 / 1.7105 degrees of roll less pitch, row 14 at 228.3 of roll and yaw
    nearest = [
        [-95.5, 404 / 1.7105 - 95.5, -37],
        [-95.5, 404 / 1.7105 - 95.5, 431 / 1.7105 - 404 / 1.7105],
        [10, 148.3, 80],
    ]
    assert np.rad2deg(left["nearest"]) == pytest.approx(np.array(nearest), abs=1e-6)
    assert len(left["vertices"]) == 14
    assert left["forbidden_error"] == 0


def test_a_robot_without_such_limits(run):
    assert run("limits", "icub:3").stdout == "robot 'icub' has no limits over several joints; --limits gives it some\n"
    assert "Usage: kinetree limits" in run("limits", "--help").stdout


def test_at_the_very_limit_a_motion_is_inside():
    limits = '<axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/>'
    joint = f'<joint name="j" type="revolute">{limits}<parent link="a"/><child link="b"/></joint>'
    robot = kt.load(f'<robot name="r"><link name="a"/><link name="b"/>{joint}</robot>', format="urdf")
    found = violations(robot, np.array([[0.0], [1.0], [1.25], [1.5], [1.0], [-1.0], [-1.25], [-1.0]]))
    assert [(v.first, v.last, v.worst, v.depth) for v in found] == [(2, 3, 3, 0.5), (6, 6, 6, 0.25)]
    assert violations(robot, np.array([[1.5]]), ["j"]) != []
    assert violations(robot, np.array([[1.5]]), []) == []


HEAD = "time, l_shoulder_pitch, l_shoulder_roll, l_shoulder_yaw, l_elbow, r_elbow\n"


def test_a_motion_and_when_it_is_outside(run, tmp_path):
    path = tmp_path / "motion.csv"
    path.write_text(
        HEAD + "0, 0, 10, 0, 20, 20\n0.5, -90, 150, 0, 20, 20\n1, -95, 160, 0, 20, 20\n1.5, 0, 10, 0, 20, 20\n"
    )
    result = run("limits", "check", "icub", path, "--unit", "deg", "--limits", "tendons")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    margin = 1.7105 * (-95 - 160) + 404  # of row 1, in degrees
    assert lines[0] == f"t = 0.5 to t = 1: outside of left_arm tendons 1 lower, by {-margin:.6g} deg at t = 1"
    assert lines[-1] == f"samples: 4, stretches outside of a limit: {len(lines) - 1}"
    found = json.loads(run("limits", "check", "icub", path, "--unit", "deg", "--limits", "tendons", "--json").stdout)
    assert found["samples"] == 4
    assert found["violations"][0]["first"] == 1
    assert found["violations"][0]["worst"] == 2
    assert found["times"] == [0, 0.5, 1, 1.5]
    path.write_text(HEAD.removeprefix("time, ") + "0, 10, 0, 20, 20\n")
    result = run("limits", "check", "icub", path, "--unit", "deg", "--limits", "tendons")
    assert (result.exit_code, result.stdout) == (0, "samples: 1, all inside\n")


def test_a_motion_that_cannot_be_read_is_refused(run, tmp_path):
    path = tmp_path / "motion.csv"
    path.write_text("l_elbo\n0\n")
    result = run("limits", "check", "icub", path, "--unit", "deg")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "motion.csv:1: error: column 'l_elbo' is not a joint that moves; did you mean 'l_elbow'" in result.stderr


def test_an_unlimited_joint_that_rows_couple_is_refused(run, tmp_path):
    (tmp_path / "l.toml").write_text('[[limits]]\nname="n"\nunit="rad"\njoints=["a", "b"]\nG=[[1, 1]]\nh=[1]')
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{0}l"/><axis xyz="0 0 1"/></joint>'
    joints = joint.format("a", "base") + joint.format("b", "al")
    arm = tmp_path / "arm.urdf"
    arm.write_text(f'<robot name="r"><link name="base"/><link name="al"/><link name="bl"/>{joints}</robot>')
    result = run("limits", arm, "--limits", tmp_path / "l.toml")
    assert result.exit_code == 2
    assert "there is no box without ranges; without one are a, b" in result.stderr
    assert kt.load(arm, limits=str(tmp_path / "l.toml")).limits.contains([0.4, 0.5])


@pytest.mark.slow
def test_which_tendons_to_lengthen(run, tmp_path):
    arguments = ("limits", "widen", "icub", "--by", "left_arm tendons *=20", "--unit", "deg", "--total", "30")
    plan = json.loads(run(*arguments, "--json", "-o", tmp_path / "wide.toml").stdout)
    assert len(plan["rows"]) == 14
    assert np.rad2deg(plan["by"]).sum() == pytest.approx(30, abs=1e-3)
    assert plan["after"] / plan["before"] == pytest.approx(1.0192, abs=1e-4)
    wide = kt.load(tmp_path / "wide.toml")
    assert wide.limits.h[:14] - kt.load("icub").limits.h[:14] == pytest.approx(plan["by"])
    lines = run(*arguments).stdout.splitlines()
    assert lines[0].startswith("Limits moved out: +1.922 % of the room of their joints")
    (row,) = (line.split() for line in lines if "tendons 9 lower" in line)
    assert row[4] == "20"
    assert "mm" not in "".join(lines)
    # a pulley of 12 mm: a radian is 12 mm of cable
    (row,) = (line.split() for line in run(*arguments, "--radius", 12).stdout.splitlines() if "tendons 9 lower" in line)
    assert float(row[5]) == pytest.approx(12 * np.radians(20), rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--by says which limits may be moved"),
        (("--by", "left_arm tendons 9=far"), "'left_arm tendons 9=far' is not of the form limit=number"),
        (("--by", "left_arm tendons 9=1", "--by", "left_arm*=2"), "is meant by 'left_arm tendons 9=1' and by"),
        (("--by", "left_arm tendon 9=20"), "did you mean 'left_arm tendons 9'"),
        (("--by", "left_leg *=20"), "no limit 'left_leg *'"),
        (("--by", "left_arm *=20", "--base", "chest"), "--base goes with --reach"),
        (("--by", "left_arm *=20", "--radius", "0"), "0 is no finite amount above 0"),
        (("--by", "left_arm *=20", "--total", "-1"), "-1 is no finite amount above 0"),
    ],
)
def test_what_is_wrong_with_a_wish_is_said(run, arguments, said):
    result = run("limits", "widen", "icub", "--unit", "deg", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


@pytest.mark.slow
def test_the_figure_shows_as_much_as_is_allowed(run, tmp_path):
    svg = tmp_path / "limits.svg"
    result = run("limits", "icub", "--plot", svg)
    assert (result.exit_code, result.stderr) == (0, "")
    assert ElementTree.parse(svg).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    icub = kt.load("icub")
    block, (report, _) = icub.limits.blocks[0], reports(icub)
    whole = np.prod(block.upper - block.lower)
    for i, j in combinations(range(3), 2):
        shares = _limits_page.allowed(block, i, j)
        mean = np.trapezoid(np.trapezoid(shares, axis=0), axis=0) / (len(shares) - 1) ** 2
        assert mean == pytest.approx(block_volume(block) / whole, abs=2e-4)
        outline = _limits_page.outline(report.vertices[:, [i, j]])
        assert np.array_equal(outline[0], outline[-1])
        assert {tuple(point) for point in outline} <= {tuple(point) for point in report.vertices[:, [i, j]]}


def block_volume(block):
    return polytope.volume(block.A, block.b)


@pytest.mark.slow
@pytest.mark.nightly
def test_figures_of_two_and_of_four_joints_and_what_cannot_be_drawn(run, tmp_path, monkeypatch):
    sets = ['name="n"\nunit="rad"\njoints=["l_elbow", "l_wrist_yaw"]\nG=[[1, 1]]\nh=[1.5]']
    sets += [
        'name="m"\nunit="rad"\njoints=["r_hip_pitch", "r_knee", "r_hip_yaw", "r_hip_roll"]\nG=[[1, 1, 1, 1]]\nh=[1]'
    ]
    limits = tmp_path / "l.toml"
    limits.write_text("".join(f"[[limits]]\n{text}\n" for text in sets))
    pdf = tmp_path / "limits.pdf"
    assert run("limits", "icub:3", "--limits", limits, "--plot", pdf).exit_code == 0
    assert pdf.read_bytes().startswith(b"%PDF")
    block = next(b for b in kt.load("icub:3", limits=limits).limits.blocks if len(b.columns) == 2)
    share = block_volume(block) / np.prod(block.upper - block.lower)
    assert _limits_page.allowed(block, 0, 1).mean() == pytest.approx(share, abs=0.01)
    result = run("limits", "icub", "--plot", tmp_path / "limits.xyz")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "figures are not written as '.xyz'; expected" in result.stderr
    assert ".svg" in result.stderr
    assert "cannot be written" in run("limits", "icub", "--plot", tmp_path / "no" / "limits.svg").stderr
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "pip install 'kinetree[plot]'" in run("limits", "icub", "--plot", tmp_path / "other.pdf").stderr


SLIDING = """<robot name="r"><link name="base"/><link name="al"/><link name="bl"/><link name="cl"/>
<joint name="a" type="prismatic"><parent link="base"/><child link="al"/><axis xyz="0 0 1"/>
  <limit lower="-0.2" upper="0.3" velocity="1" effort="1"/></joint>
<joint name="b" type="prismatic"><parent link="al"/><child link="bl"/><axis xyz="1 0 0"/>
  <limit lower="-0.2" upper="0.3" velocity="1" effort="1"/></joint>
<joint name="c" type="prismatic"><parent link="bl"/><child link="cl"/><axis xyz="1 0 0"/>
  <mimic joint="b" multiplier="2"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""


@pytest.fixture
def sliding(tmp_path):
    path, rows = tmp_path / "slides.urdf", tmp_path / "rows.toml"
    path.write_text(SLIDING)
    rows.write_text('[[limits]]\nname="sum"\nunit="si"\njoints=["a", "b"]\nG=[[1, 1]]\nh=[0.1]')
    return path, "--limits", rows


@pytest.mark.parametrize("unit", ["rad", "deg"])
def test_lengths_are_in_metres_whatever_the_unit_of_angles(run, sliding, unit, tmp_path):
    result = run("limits", "widen", *sliding, "--by", "sum*=0.05", "--unit", unit, "--total", 0.04, "--json")
    assert json.loads(result.stdout)["by"] == pytest.approx([0.04])
    page = run("limits", "widen", *sliding, "--by", "*=0.05", "--unit", unit).stdout
    (row,) = (line.split() for line in page.splitlines() if line.startswith("  sum"))
    assert float(row[3]) == 0.05
    motion = tmp_path / "motion.csv"
    motion.write_text("a, b, c\n0.1, 0.1, 0.2\n")
    result = run("limits", "check", *sliding, motion, "--unit", unit)
    assert result.stdout.startswith("sample 0: outside of sum 1 upper, by 0.1 m at sample 0")
    motion.write_text("a, b, c\n0.0, 0.0, 0.0\n0.1, 0.1, 0.25\n")
    result = run("limits", "check", *sliding, motion, "--unit", unit)
    assert ":3: error: 'c' follows 'b', and is 0.05 off" in result.stderr


@pytest.mark.slow
def test_files_are_not_overwritten_and_parts_may_be_left_out(run, sliding, tmp_path):
    out = tmp_path / "out.xml"
    arguments = ("limits", "widen", *sliding, "--by", "sum 1=0.05", "--unit", "rad", "-o", out)
    assert run(*arguments, "--without", "velocity_limit").exit_code == 0
    assert kt.load(out).limits.h[-1] == pytest.approx(0.15)
    assert "exists already" in run(*arguments, "--without", "velocity_limit").stderr
    assert run(*arguments, "--without", "velocity_limit", "--force").exit_code == 0
    assert "exists already" in run("limits", "icub", "--plot", out).stderr


def test_blocks_of_one_joint_and_blocks_without_room(run, sliding, tmp_path):
    path, *limits = sliding
    result = run("limits", path, "--plot", tmp_path / "none.svg")
    assert "no limits over several joints, which could be drawn" in result.stderr
    limits[-1].write_text('[[limits]]\nname="line"\nunit="si"\njoints=["a", "b"]\nG=[[1, 1], [-1, -1]]\nh=[0.1, -0.1]')
    result = run("limits", *sliding)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "2 joints: 100.0000 % of their box is forbidden  (rad, m; what is left has no\nroom)" in result.stdout
    assert result.stdout.splitlines()[3].split() == ["a", "-0.2", "0.3", "-", "-"]


@pytest.mark.slow
@pytest.mark.nightly
def test_what_the_safe_box_and_the_tendons_take_from_the_hand_of_an_icub(run, tmp_path):
    """Above 0.4 m over the root link, where the Cartesian controller restricts the hand, the tendons take nothing and
    the largest safe box everything."""
    figure = tmp_path / "reach.png"
    result = run("limits", "icub", "--limits", "tendons", "--reach", "l_hand", "--plot", figure, "--json")
    assert result.exit_code == 0
    said = json.loads(result.stdout)
    assert said["base"] == "chest"
    top = said["heights"][-1]
    assert top["from"] == pytest.approx(0.4)
    assert top["all limits"] / top["ranges"] > 0.98
    assert top["safe box"] == 0
    volumes = said["volumes"]
    assert 0.005 < 1 - volumes["all limits"] / volumes["ranges"] < 0.03
    assert 0.28 < 1 - volumes["safe box"] / volumes["ranges"] < 0.38
    assert figure.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.nightly
def test_what_ikins_set_takes_from_the_hand_above_the_torso(run):
    """The Cartesian controller's set, in the same cubes: above 0.4 m over the root link it leaves nothing, between 0.3
    and 0.4 m a third, and below the chest nearly all."""
    volumes = {}
    for name in ("firmware", "ikin"):
        options = ("--limits", name) if name == "ikin" else ("--limits", "tendons")
        result = run("limits", "icub", *options, "--reach", "l_hand", "--json")
        key = "all limits" if name == "ikin" else "ranges"
        volumes[name] = {round(row["from"], 1): row[key] for row in json.loads(result.stdout)["heights"]}
    share = {height: volumes["ikin"].get(height, 0.0) / volume for height, volume in volumes["firmware"].items()}
    assert share[0.4] < 0.02
    assert share[0.3] == pytest.approx(1 / 3, abs=0.12)
    assert share[-0.1] > 0.8


@pytest.mark.slow
def test_names_that_look_like_formulas_are_drawn_as_they_are(run, tmp_path):
    path, rows, out = tmp_path / "r.urdf", tmp_path / "rows.toml", tmp_path / "out.svg"
    path.write_text(SLIDING.replace('name="r"', 'name="$\\bad$ 机器人"').replace('name="a"', 'name="$\\a$"'), "utf-8")
    rows.write_text("[[limits]]\nname='sum'\nunit='si'\njoints=['$\\a$', 'b']\nG=[[1, 1]]\nh=[0.1]")
    result = run("limits", path, "--limits", rows, "--plot", out)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "$\\bad$ 机器人: what limits" in out.read_text("utf-8")
    assert ">$\\a$, " in out.read_text("utf-8")
