"""`kinetree show`: the page that is written or opened, and what is refused."""

import re
import struct
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

import kinetree as kt
from kinetree.rules.examples import ARM
from kinetree.viewing import show
from linkages import delta, fourbar
from unpacking import scene_of

pytestmark = pytest.mark.usefixtures("opened")


def robot_in(path):
    return scene_of(path.read_text("utf-8"))["robots"][0]


def test_a_page_is_written(run, arm, tmp_path):
    out = tmp_path / "arm.HTML"
    result = run("show", arm, "-o", out, "--q", "axis_2=30", "--deg", "--profile", "industrial")
    assert (result.exit_code, result.stdout) == (0, "")
    assert re.fullmatch(rf"wrote {re.escape(str(out))}: \d+ kB\n", result.stderr)
    assert robot_in(out)["q"] == pytest.approx([0, 0.5235987755982988, 0, 0, 0, 0])
    codes = {finding["code"] for finding in robot_in(out)["findings"]}
    assert any(code.startswith("R199") for code in codes), codes


def test_without_a_file_the_browser_is_opened(run, arm, opened):
    result = run("show", arm)
    path = Path(result.stdout.removesuffix("\n"))
    assert robot_in(path)["name"] == kt.load(arm).name
    assert [unquote(urlparse(address).path) for address in opened] == [str(path)]


def test_meshes_that_are_not_shown_are_named(run, tmp_path):
    file = tmp_path / "a.urdf"
    file.write_text(
        '<robot name="a"><link name="base"><visual><geometry><mesh filename="package://none/b.stl"/></geometry>'
        "</visual></link></robot>"
    )
    result = run("show", file, "-o", tmp_path / "a.html")
    assert result.exit_code == 0
    assert "package://none/b.stl" in result.stderr
    assert "shape-not-shown" in result.stderr


def test_a_motion_is_in_the_page_and_still_joints_are_listed(run, arm, tmp_path):
    motion, out = tmp_path / "motion.csv", tmp_path / "arm.html"
    motion.write_text("axis_2, time, axis_1\n90, 0, 10\n45, 0.1, 20\n")
    result = run("show", arm, "--motion", motion, "--deg", "-o", out)
    assert result.exit_code == 0
    still = "axis_3, axis_4, axis_5, axis_6"
    assert f"motion.csv: without a column, and staying as they are: {still}" in result.stderr
    robot = robot_in(out)
    assert robot["q"] == pytest.approx([0.17453292519943295, 1.5707963267948966, 0, 0, 0, 0])
    assert robot["motion"]["samples"] == 2
    assert [column["coordinate"] for column in robot["motion"]["columns"]] == [0, 1]


def test_with_a_wrong_motion_nothing_is_written(run, arm, tmp_path):
    motion, out = tmp_path / "motion.csv", tmp_path / "arm.html"
    motion.write_text("time, axis1\n0, 1\n")
    result = run("show", arm, "--motion", motion, "-o", out)
    assert (result.exit_code, out.exists()) == (2, False)
    assert "motion.csv:1: error: column 'axis1' is not a joint that moves; did you mean 'axis_1'" in result.stderr


@pytest.mark.slow
def test_pictures_are_written_without_the_viewer(run, arm, tmp_path, monkeypatch):
    monkeypatch.setattr(show, "viewer", lambda: 1 / 0)
    for name, start in (("a.png", b"\x89PNG"), ("a.SVG", b"<?xml")):
        out = tmp_path / name
        result = run("show", arm, "--q", "axis_2=0.5", "-o", out)
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr.startswith(f"wrote {out}")
        assert out.read_bytes().startswith(start)
    for option in (("--faces", "9"), ("--profile", "industrial"), ("--motion", "m.csv")):
        assert "only for files that end in .html" in run("show", arm, *option, "-o", tmp_path / "b.png").stderr
    assert (
        "--size: only for files that end in .png"
        in run("show", arm, "--size", "64", "48", "-o", tmp_path / "b.html").stderr
    )
    out = tmp_path / "small.png"
    assert run("show", arm, "--size", "64", "48", "--from", "-1", "0", "0.5", "-o", out).exit_code == 0
    assert struct.unpack(">2I", out.read_bytes()[16:24]) == (64, 48)
    assert "along z" in run("show", arm, "--from", "0", "0", "1", "-o", tmp_path / "b.png").stderr


def test_nothing_is_overwritten_without_force(run, arm, tmp_path, opened):
    out = tmp_path / "a.html"
    out.write_text("mine")
    result = run("show", arm, "-o", out)
    assert (result.exit_code, out.read_text()) == (2, "mine")
    assert "exists already" in result.stderr
    assert run("show", arm, "-o", out, "--force").exit_code == 0
    result = run("show", arm, "-o", arm, "--force")
    assert result.exit_code == 2
    assert opened == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "a.txt"), "legal endings are .html"),
        (("--faces", "0"), "0 is not in the range"),
        (("--profile", "none"), "none"),
        (("--q", "nosuch=1"), "no joint 'nosuch'"),
    ],
)
def test_what_is_refused(run, arm, options, message, opened):
    result = run("show", arm, *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert opened == []


@pytest.mark.slow
def test_shapes_of_a_missing_package_are_one_line_and_a_pose_outside_is_named(run, tmp_path):
    shape = '<visual><geometry><mesh filename="package://nowhere/{}.stl"/></geometry></visual>'
    text = ARM.replace("</link>", f"{shape.format('a')}{shape.format('b')}</link>", 1)
    (tmp_path / "arm.urdf").write_text(text)
    four = [f"--q=joint_{i}=50" for i in range(1, 5)]
    words = run("show", tmp_path / "arm.urdf", *four, "-o", tmp_path / "a.html").stderr.splitlines()
    assert sum("'nowhere' cannot be found" in line and "likewise 1 more shape [" in line for line in words) == 1
    listed = ", ".join(f"joint_{i} upper" for i in range(1, 5))
    assert words[1] == f"the configuration of --q is outside of {listed}"
    words = run("show", tmp_path / "arm.urdf", *four, "--q=joint_5=50", "-o", tmp_path / "b.html").stderr.splitlines()
    assert words[1] == f"the configuration of --q is outside of {listed} and 1 more"


@pytest.mark.slow
def test_closed_loops_are_moved_by_driven_joints_and_begin_closed(run, tmp_path):
    (tmp_path / "bars.xml").write_text(fourbar())
    out = tmp_path / "bars.html"
    assert run("show", tmp_path / "bars.xml", "-o", out).exit_code == 0
    first = robot_in(out)
    names = [joint["name"] for joint in first["joints"]]
    assert [names[i] for i in first["loops"]["closer"]["driven"]] == ["crank"]
    given = run("show", tmp_path / "bars.xml", "-o", out, "--force", "--driven", "rocker", "--q", "rocker=0.2")
    assert "note: loop 'pin' is open by" in given.stderr
    shown = robot_in(out)
    assert [names[i] for i in shown["loops"]["closer"]["driven"]] == ["rocker"]
    assert shown["q"] == [0.0, 0.0, 0.2]
    closed = ("--q", "rocker=0.2", "--loops", "closed", "--driven", "coupler,")
    assert run("show", tmp_path / "bars.xml", "-o", out, "--force", *closed).exit_code != 0  # there is no joint ""
    assert run("show", tmp_path / "bars.xml", "-o", out, "--force", *closed[:4]).exit_code == 0
    assert robot_in(out)["q"] != shown["q"]
    refused = run("show", tmp_path / "bars.xml", "-o", tmp_path / "bars.png", "--driven", "rocker")
    assert (refused.exit_code, (tmp_path / "bars.png").exists()) == (2, False)
    assert "--driven: only for files that end in .html" in refused.stderr
    free = run("show", tmp_path / "bars.xml", "-o", tmp_path / "no.html", "--driven", "crank,rocker")
    assert "driven joints depend on each other through loops: 'crank', 'rocker'" in free.stderr
    assert not (tmp_path / "no.html").exists()


@pytest.mark.slow
def test_pictures_of_a_robot_whose_loops_are_open_at_zero_are_drawn_closed(run, tmp_path):
    (tmp_path / "delta.xml").write_text(delta())
    result = run("show", tmp_path / "delta.xml", "-o", tmp_path / "delta.svg")
    assert result.exit_code == 0
    assert "open by" not in result.stderr
