"""Commands on worlds of Gazebo: what they print, and what a check of a folder reports."""

import json

import pytest

MODEL = """<sdf version="1.7"><model name="m"><link name="a"><inertial><mass>1</mass>
  <inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
  <link name="b"><inertial><mass>-1</mass></inertial></link>
  <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis/></joint></model></sdf>"""
CONFIG = '<model><name>m</name><sdf version="1.7">model.sdf</sdf></model>'


@pytest.fixture
def workspace(tmp_path):
    """A model, and two worlds that include it five times."""
    includes = "".join(f"<include><uri>model://m</uri><name>m{i}</name></include>" for i in range(5))
    for name, text in {
        "models/m/model.sdf": MODEL,
        "models/m/model.config": CONFIG,
        "worlds/one.world": f'<sdf version="1.7"><world name="w">{includes}</world></sdf>',
        "worlds/two.sdf": f'<sdf version="1.7"><world name="w">{includes}</world></sdf>',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_findings_about_an_included_model_stand_once_in_its_own_file(run, workspace):
    data = json.loads(run("check", workspace, "--package", f"m={workspace}/models/m", "--json").stdout)
    assert len(data["files"]) == 3
    found = data["findings"]
    assert sorted(finding["code"] for finding in found) == ["INR-004", "default-axis", "default-inertial"]
    assert {finding["checked"] for finding in found} == {str(workspace / "models/m/model.sdf")}


def test_a_world_alone_has_findings_of_a_model_once(run, workspace):
    world = workspace / "worlds/one.world"
    data = json.loads(run("check", world, "--package", f"m={workspace}/models/m", "--json").stdout)
    found = data["findings"]
    assert sorted(finding["code"] for finding in found) == ["INR-004", "default-axis", "default-inertial"]
    assert {finding["source"]["file"] for finding in found} == {str(workspace / "models/m/model.sdf")}


@pytest.mark.slow
def test_many_things_that_float_are_one_line(run, tmp_path):
    file = tmp_path / "w.sdf"
    things = "".join(f'<model name="box_{i}"><link name="l"/></model>' for i in range(60))
    file.write_text(f'<sdf version="1.7"><world name="w">{things}</world></sdf>')
    short, everything = run("inspect", file).stdout, run("inspect", file, "--all").stdout
    assert "~ 48 more float (--all)" in short
    assert "and 48 more that float (--all)" in short
    assert "box_59" not in short
    assert "box_59::l" in everything


def test_loops_are_shown_and_refuse_inverse_kinematics(run, tmp_path):
    file = tmp_path / "m.sdf"
    joints = "".join(
        f'<joint name="{a}{b}" type="revolute"><parent>{a}</parent><child>{b}</child>'
        "<axis><xyz>0 0 1</xyz></axis></joint>"
        for a, b in ("ab", "bc", "ac")
    )
    file.write_text(
        '<sdf version="1.7"><model name="m"><link name="a"/><link name="b"/>'
        f'<link name="c"><pose>0 1 0 0 0 0</pose></link>{joints}</model></sdf>'
    )
    assert "ac     revolute  a     c    0    0" in run("inspect", file).stdout
    refused = run("ik", file, "--frame", "c", "--pose", "0 1 0")
    assert "joint 'ac': closes a loop" in refused.stderr
    assert "reached" in run("ik", file, "--frame", "c", "--pose", "0 1 0", "--loops", "ignore").stdout
