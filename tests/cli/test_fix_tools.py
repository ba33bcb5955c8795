"""`kinetree fix --add-tool`: the frame of a tool, from a controller's numbers, beside tool0."""

import json
import re

import numpy as np
import pytest

import kinetree as kt
import pendants
from kinetree.checker.check import options_of
from kinetree.fixer.apply import Task
from kinetree.fixer.state import look
from kinetree.fixer.tools import add_tools
from kinetree.rules.profiles import rules_of

KUKA = "kuka:10, -20, 120, 30, 0, 90"
T = np.eye(4)  # X Y Z in mm; A about z, then B about y, then C about x
T[:3, :3] = [[np.cos(np.pi / 6), 0, np.sin(np.pi / 6)], [np.sin(np.pi / 6), 0, -np.cos(np.pi / 6)], [0, 1, 0]]
T[:3, 3] = [0.010, -0.020, 0.120]


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(pendants.urdf().replace("><", ">\n<"))
    return path


def test_a_tool_is_added_where_the_controller_has_it(run, arm):
    before = arm.read_text()
    result = run("fix", arm, "--add-tool", f"gripper_tcp={KUKA}")
    assert result.exit_code == 0, result.stderr
    assert "gripper_tcp added, 0 repaired" in result.stdout
    robot = kt.load(arm)
    assert robot.parent_joint("gripper_tcp").parent == robot.parent_joint("tool0").parent == "flange"
    q = robot.q() + 0.2
    assert np.allclose(kt.fk(robot, "gripper_tcp", base="tool0")(q), T, rtol=0, atol=1e-12)
    kept = [line for line in arm.read_text().split("\n") if line in before]
    assert len(kept) >= len(before.split("\n"))  # all that was there is there
    assert not [f for f in kt.check(arm, profile="industrial") if f.element and "gripper_tcp" in f.element]


def test_a_xacro_file_gets_it_in_its_own_text(run, tmp_path):
    text = pendants.urdf(name="arm").replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ', 1)
    path = tmp_path / "arm.xacro"
    path.write_text(
        text.replace("><", ">\n<").replace('name="arm">', 'name="arm">\n<xacro:property name="a" value="1"/>')
    )
    result = run("fix", path, "--add-tool", f"gripper_tcp={KUKA}", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["files"][0]["added"] == ["gripper_tcp"]
    assert "<xacro:property" in path.read_text()
    robot = kt.load(path)
    assert np.allclose(kt.fk(robot, "gripper_tcp", base="tool0")(robot.q()), T, rtol=0, atol=1e-12)


def test_diff_writes_nothing(run, arm):
    before = arm.read_bytes()
    result = run("fix", arm, "--diff", "--add-tool", f"gripper_tcp={KUKA}")
    assert '+<link name="gripper_tcp"/>' in result.stdout
    assert arm.read_bytes() == before


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        (f"flange={KUKA}", "there is already a frame 'flange'"),
        (f"a b={KUKA}", "is no name of a frame"),
        ("tcp=0,0,1", "is not of the form CONTROLLER:POSE"),
        ("tcp=acme:0,0,1,0,0,0", "no controller 'acme'"),
        ("tcp=kuka:0,0,1", "numbers"),
    ],
)
def test_what_is_no_tool_changes_nothing(run, arm, tool, said):
    before = arm.read_bytes()
    result = run("fix", arm, "--add-tool", tool)
    assert result.exit_code == 2
    assert said in result.stderr
    assert arm.read_bytes() == before


def test_of_two_arms_the_prefix_says_which(run, tmp_path):
    left, right = (kt.edit.prefix(pendants.ARM, prefix) for prefix in ("left_", "right_"))
    path = tmp_path / "two.urdf"
    cell = kt.load('<robot name="cell"><link name="world"/></robot>', format="urdf")
    kt.save(kt.edit.attach(kt.edit.attach(cell, left, "world"), right, "world"), path)
    assert run("fix", path, "--add-tool", f"right_gripper={KUKA}").exit_code == 0
    assert kt.load(path).parent_joint("right_gripper").parent == "right_flange"
    result = run("fix", path, "--add-tool", f"gripper={KUKA}")
    assert "'gripper' begins like none of left_tool0, right_tool0" in result.stderr


@pytest.mark.slow
def test_of_two_arms_that_one_macro_makes_the_prefix_says_which(run, tmp_path):
    body = pendants.urdf().split(">", 1)[1].removesuffix("</robot>")
    body = re.sub(r'(name|link)="', r'\1="${p}', body)
    path = tmp_path / "two.xacro"
    path.write_text(
        '<robot name="two" xmlns:xacro="http://www.ros.org/wiki/xacro">\n<link name="world"/>\n'
        f'<xacro:macro name="arm" params="p">{body}<joint name="${{p}}mount" type="fixed"><parent link="world"/>'
        '<child link="${p}base_link"/></joint></xacro:macro>\n'
        '<xacro:arm p="left_"/>\n<xacro:arm p="right_"/>\n</robot>\n'
    )
    result = run("fix", path, "--add-tool", f"right_gripper={KUKA}")
    assert "right_gripper added" in result.stdout, result.stderr
    robot = kt.load(path)
    assert robot.parent_joint("right_gripper").parent == "right_flange"
    assert np.allclose(kt.fk(robot, "right_gripper", base="right_tool0")(robot.q()), T, rtol=0, atol=1e-12)


def test_a_tool_stands_beside_the_tool0_that_a_repair_moves(run, tmp_path):
    """tool0 hangs on link_6, and its repair hangs it on flange; the tool follows."""
    rule = next(rule for rule in rules_of("industrial") if rule.code == "R199-505")
    path = tmp_path / "arm.urdf"
    path.write_text(rule.base.replace(rule.good, rule.bad))
    assert kt.load(path).parent_joint("tool0").parent != "flange"
    result = run("fix", path, "--profile", "industrial", "--add-tool", f"gripper_tcp={KUKA}")
    robot = kt.load(path)
    assert robot.parent_joint("tool0").parent == "flange", result.output
    assert robot.parent_joint("gripper_tcp").parent == "flange"


def test_a_robot_without_tool0(run, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(pendants.urdf(tool0=None))
    result = run("fix", path, "--add-tool", f"gripper_tcp={KUKA}", "--profile", "sim")
    assert result.exit_code == 2
    assert "there is no link tool0" in result.stderr


def test_tool0_must_be_fixed_to_a_link_of_a_text_of_urdf(tmp_path):
    text = '<robot name="r"><link name="tool0"/>{}</robot>'
    moved = '<link name="a"/><joint name="j" type="continuous"><parent link="{}"/><child link="{}"/></joint>'
    (tmp_path / "a.sdf").write_text('<sdf version="1.9"><model name="m"><link name="tool0"/></model></sdf>')
    for name, content, code, said in (
        ("root.urdf", text.format(""), "tool0", "tool0 is fixed to no link, so a tool has no place beside it"),
        ("moved.urdf", text.format(moved.format("a", "tool0")), "tool0", "tool0 is fixed to no link"),
        ("a.sdf", None, "fix", "tools are added to the texts of URDF and xacro files alone"),
    ):
        if content:
            (tmp_path / name).write_text(content)
        file = str(tmp_path / name)
        options = options_of(file, "industrial", (), (), None, {})
        with pytest.raises(kt.KinetreeError) as caught:
            add_tools(Task(file, options), look(file, options, {}), {"tcp": np.eye(4)})
        (finding,) = caught.value.findings
        assert (finding.code, finding.message[: len(said)]) == (code, said)
        assert finding.element == (None if name == "a.sdf" else "frame 'tcp'")
