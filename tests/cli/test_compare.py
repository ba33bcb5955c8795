"""The command `compare`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kinetree.cli.compare import command
from kinetree.viewing import page, show
from support import icub_urdfs
from unpacking import scene_of


def invoke(*words: str):
    return CliRunner().invoke(command, words)


def icub(name: str) -> str:
    return str(next(p for p in icub_urdfs() if p.parent.name == name))


@pytest.mark.slow
def test_the_same():
    result = invoke(icub("iCubGenova03"), icub("iCubGenova03"))
    assert result.exit_code == 0
    assert result.output == "the same robot\n"


@pytest.mark.slow
def test_different():
    result = invoke(icub("iCubGazeboV2_5"), icub("iCubGazeboV2_7"), "--json")
    assert result.exit_code == 1
    answer = json.loads(result.output)
    assert answer["same"] is False
    assert answer["same_mechanism"] is True
    assert answer["joints"]["l_elbow"] == "l_elbow"
    assert answer["differences"][0]["element"] == "frame 'imu_frame'"


def test_bad_input():
    result = invoke("nowhere.urdf", "nowhere.urdf")
    assert type(result.exception).__name__ == "KinetreeError"  # `main` prints it and exits with 2
    assert invoke("a", "b", "--tolerance", "0").exit_code == 2


ARM = """<robot name="arm"><link name="{root}"/><link name="a"/>
  <joint name="j" type="continuous"><parent link="{root}"/><child link="a"/><origin xyz="0 0 {z}"/>
  <axis xyz="1 0 0"/></joint>{more}</robot>"""


def arm(path: Path, root: str = "base", z: str = "0", more: str = "") -> Path:
    path.write_text(ARM.format(root=root, z=z, more=more))
    return path


def test_json_is_one_line_for_errors_too(tmp_path, run):
    good, bad = arm(tmp_path / "a.urdf"), arm(tmp_path / "b.urdf", more="<joint/>")
    result = run("compare", good, bad, "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert json.loads(result.stderr)["findings"][0]["source"]["file"] == str(bad)
    result = run("compare", good, good, "--json")
    assert result.exit_code == 0
    assert result.stdout.count("\n") == 1
    assert json.loads(result.stdout)["same"] is True


def test_both_models_are_read_with_the_options_of_every_command(tmp_path, run):
    good = arm(tmp_path / "a.urdf")
    other = tmp_path / "b.xacro"
    other.write_text(ARM.format(root="$(arg root)", z="0", more="").replace(
        "<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"').replace(
        '<link name="a"/>', '<xacro:include filename="$(find pkg)/a.xacro"/>'))  # fmt: skip
    (tmp_path / "a.xacro").write_text('<robot><link name="a"/></robot>')
    result = run("compare", good, other, "--arg", "root=base", "--package", f"pkg={tmp_path}")
    assert result.stdout == "the same robot\n"
    result = run("compare", good, good, "--arg", "root=base")
    assert result.exit_code == 2
    assert "arguments mean nothing to urdf" in result.stderr
    odd = arm(tmp_path / "a.txt")
    assert run("check", odd, "--format", "urdf", "--package", f"pkg={tmp_path}").exit_code == 0
    assert run("check", good, "icub", "--package", f"pkg={tmp_path}").exit_code == 0
    result = run("check", "icub", "--package", f"pkg={tmp_path}")
    assert (
        result.exit_code,
        "--package means something to mjcf and sdf and urdf and xacro alone" in result.stderr,
    ) == (2, True)
    assert run("compare", odd, odd, "--format", "urdf").exit_code == 0
    worlds = tmp_path / "two.sdf"
    worlds.write_text('<sdf version="1.8"><model name="m"><link name="a"/></model>'
                      '<model name="n"><link name="b"/><link name="c"/><joint name="j" type="revolute">'
                      '<parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz></axis></joint>'
                      '</model></sdf>')  # fmt: skip
    assert run("compare", worlds, worlds, "--model", "n").stdout == "the same robot\n"
    assert run("compare", good, worlds, "--model", "n").exit_code == 0
    both = run("compare", worlds, other, "--model", "n", "--arg", "root=base", "--package", f"pkg={tmp_path}")
    assert both.exit_code == 0
    assert "mean" in run("compare", good, worlds, "--model", "n", "--arg", "root=base").stderr


def test_any_base(tmp_path, run):
    one, other = arm(tmp_path / "a.urdf"), arm(tmp_path / "b.urdf", root="foot", z="0.5")
    result = run("compare", one, other)
    assert result.exit_code == 1
    assert result.stdout.startswith("not the same robot, but the same mechanism on another base\n")
    result = run("compare", one, other, "--any-base")
    assert result.exit_code == 0
    assert result.stdout.startswith("the same robot on another base\n")


@pytest.fixture
def viewer(monkeypatch):
    """A viewer that is not built."""
    monkeypatch.setattr(page, "viewer", lambda: "globalThis.viewer = 1;")
    monkeypatch.setattr(show, "viewer", lambda: "")


BOX = '<visual><geometry><box size="1 1 {}"/></geometry></visual>'


def test_a_page_is_written(tmp_path, run, viewer):
    texts = [ARM.format(root="base", z="0", more="").replace('"a"/>', f'"a">{BOX.format(z)}</link>', 1) for z in (1, 2)]
    one, other = tmp_path / "a.urdf", tmp_path / "b.urdf"
    for path, text in zip((one, other), texts, strict=True):
        path.write_text(text)
    out = tmp_path / "diff.html"
    result = run("compare", one, other, "-o", out)
    assert result.exit_code == 0
    said = "its visual shape measures 1 x 1 x 1, in the second robot 1 x 1 x 2"
    assert result.stdout == f"the same robot\n  remark: link 'a': {said}\n"
    assert result.stderr.startswith(f"wrote {out}: ")
    text = out.read_text("utf-8")
    content = scene_of(text)
    assert content["comparison"]["names"] == ["a.urdf", "b.urdf"]
    assert str(tmp_path) not in text + json.dumps(content)
    assert run("compare", one, other, "-o", out).exit_code == 2
    result = run("compare", one, arm(tmp_path / "c.urdf", z="1"), "-o", out, "--force", "--json")
    assert (result.exit_code, json.loads(result.stdout)["same"]) == (1, False)


def test_a_page_is_not_written_elsewhere(tmp_path, run, viewer):
    one = arm(tmp_path / "a.urdf")
    result = run("compare", one, one, "-o", tmp_path / "diff.png")
    assert (result.exit_code, "expected the ending .html" in result.stderr) == (2, True)
    odd = arm(tmp_path / "model.html")
    result = run("compare", one, odd, "--format", "urdf", "-o", odd, "--force")
    assert (result.exit_code, "is read by this command" in result.stderr) == (2, True)
    assert odd.read_text().startswith("<robot")


def test_meshes_that_are_missing_are_named(tmp_path, run, viewer):
    mesh = '<visual><geometry><mesh filename="none.stl"/></geometry></visual>'
    one, other = tmp_path / "a.urdf", arm(tmp_path / "b.urdf")
    one.write_text(other.read_text().replace('"a"/>', f'"a">{mesh}</link>', 1))
    result = run("compare", one, other, "-o", tmp_path / "diff.html")
    assert result.exit_code == 0
    assert "link 'a': the mesh file 'none.stl' does not exist [MSH-002]" in result.stderr


def test_confined_reads_the_workspace_alone(tmp_path, run):
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/kinetree.toml").write_text("")
    (tmp_path / "part.xacro").write_text('<robot><link name="a"/></robot>')
    xacro = ARM.format(root="base", z="0", more="").replace(
        '<link name="a"/>', '<xacro:include filename="../part.xacro"/>'
    )
    one = tmp_path / "ws/a.xacro"
    one.write_text(xacro.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"', 1))
    assert run("compare", one, one).stdout == "the same robot\n"
    result = run("compare", one, one, "--confined")
    assert (result.exit_code, "[confined]" in result.stderr) == (2, True)
    assert run("inspect", one, "--confined").exit_code == 2


@pytest.mark.slow
@pytest.mark.parametrize("option", [("--profile", "industrial"), ("--faces", "9"), ("--force",)])
def test_options_of_a_page_are_refused_without_one(run, option):
    result = run("compare", "icub", "icub", *option)
    assert result.exit_code == 2
    assert "are for a page" in result.stderr
