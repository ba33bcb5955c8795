"""`kinetree srdf`: the file that it writes, what it prints, and what it refuses."""

import json
import re

import pytest

import kinetree as kt
from support import put

BALL = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
JOINT = (
    "<joint name='j{1}' type='{2}'><parent link='{0}'/><child link='{1}'/><origin xyz='0.3 0 0'/>"
    "<axis xyz='0 0 1'/><limit lower='-2' upper='2' effort='1' velocity='1'/></joint>"
)


def written(folder, joints, name="arm"):
    """A robot of balls; joints: parent, child and type in a line each."""
    rows = [line.split() for line in joints.strip().splitlines()]
    links = dict.fromkeys(link for row in rows for link in row[:2])
    text = "".join(f"<link name='{link}'>{BALL}</link>" for link in links)
    return put(
        folder / f"{name}.urdf", f"<robot name='{name}'>{text}{''.join(JOINT.format(*row) for row in rows)}</robot>"
    )


ARM = """
base_link upper_arm_link revolute
upper_arm_link forearm_link revolute
forearm_link flange fixed
flange finger prismatic
"""
FILE = """<?xml version="1.0"?>
<robot name="arm">
  <group name="arm">
    <chain base_link="base_link" tip_link="flange"/>
  </group>
  <group name="hand">
    <link name="finger"/>
  </group>
  <group_state name="bent" group="arm">
    <joint name="jupper_arm_link" value="0"/>
    <joint name="jforearm_link" value="1.5"/>
  </group_state>
  <end_effector name="hand" parent_link="flange" group="hand" parent_group="arm"/>
  <virtual_joint name="virtual_joint" type="fixed" parent_frame="world" child_link="base_link"/>
"""


@pytest.fixture
def arm(tmp_path):
    return written(tmp_path, ARM)


@pytest.mark.slow
def test_the_page(run, arm):
    result = run("srdf", arm)
    lines = result.stdout.splitlines()
    assert re.fullmatch(r"\d+ pairs of links need not be tested", lines[0])
    assert ["base_link", "upper_arm_link", "Adjacent", "neighbours"] in [line.split() for line in lines]
    assert result.exit_code == 0


def test_pairs_are_printed_with_the_evidence_or_as_json(run, tmp_path):
    file = written(tmp_path, "base_link arm_link revolute")
    page = run("srdf", file).stdout.splitlines()
    assert page[0] == "1 pair of links need not be tested"
    assert [word.strip() for word in page[1].split("  ") if word.strip()] == ["link", "link", "reason", "because"]
    assert page[-1].split() == ["base_link", "arm_link", "Adjacent", "neighbours"]
    own = "<robot name='arm'><disable_collisions link1='arm_link' link2='base_link' reason='User'/></robot>"
    srdf = put(tmp_path / "own.srdf", own)
    found = json.loads(run("srdf", file, "--srdf", srdf, "--json").stdout)
    assert (found["schema"], found["robot"], found["notes"]) == (1, "arm", [])
    (pair,) = found["disabled"]
    assert (pair["link1"], pair["link2"], pair["reason"]) == ("arm_link", "base_link", "User")
    assert list(pair) == ["link1", "link2", "reason", "evidence"]


def test_a_robot_without_joints_that_move_is_refused(run, tmp_path):
    result = run("srdf", written(tmp_path, "base_link arm_link fixed"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "robot 'arm': no joint moves, so that no two links are tested [contact-pairs]" in result.stderr


def test_the_file(run, arm, tmp_path):
    """It has the groups, and MoveIt's parts by kind of robot; with --srdf it is completed."""
    out = tmp_path / "arm.srdf"
    options = ["--group", "arm=base_link:flange", "--state", "bent=arm", "--q", "jforearm_link=1.5"]
    result = run("srdf", arm, *options, "-o", out)
    assert result.stderr.startswith(f"wrote {out}: ")
    text = out.read_text()
    assert text.startswith(FILE)
    robot = kt.load(arm, srdf=out)
    assert robot.groups == {"arm": ("jupper_arm_link", "jforearm_link"), "hand": ("jfinger",)}
    assert not [note for note in robot.notes if note.source and note.source.file.endswith(".srdf")]
    more = tmp_path / "more.srdf"
    run("srdf", arm, "--srdf", out, "--state", "home=arm", "-o", more)
    added = '  <group_state name="home" group="arm">\n' + "".join(
        f'    <joint name="{name}" value="0"/>\n' for name in robot.groups["arm"]
    )
    assert more.read_text() == text.replace("  <end_effector", added + "  </group_state>\n  <end_effector")


@pytest.mark.slow
def test_a_group_below_the_tip_of_another_is_its_end_effector(run, arm, tmp_path):
    out, more = tmp_path / "arm.srdf", tmp_path / "more.srdf"
    run("srdf", arm, "--group", "arm=base_link:flange", "--group", "gripper=flange:finger", "-o", out)
    semantic = kt.load(arm, srdf=out).semantic
    assert [group.name for group in semantic.groups] == ["arm", "gripper"]
    assert '<end_effector name="gripper" parent_link="flange" group="gripper" parent_group="arm"/>' in out.read_text()
    bare = put(tmp_path / "bare.srdf", re.sub("  <end_effector.*\n", "", out.read_text()))
    for given in (out, bare):
        run("srdf", arm, "--srdf", given, "-o", more, "--force")
        assert more.read_text() == out.read_text()
    run(
        "srdf",
        arm,
        "--group",
        "lower=base_link:upper_arm_link",
        "--group",
        "gripper=flange:finger",
        "-o",
        more,
        "--force",
    )
    assert "end_effector" not in more.read_text()  # more than the gripper moves below this tip


@pytest.mark.slow
def test_json_and_findings(run, arm, tmp_path):
    srdf = put(
        tmp_path / "own.srdf", "<robot name='arm'><disable_collisions link1='base_link' link2='finger'/></robot>"
    )
    found = json.loads(run("srdf", arm, "--srdf", srdf, "--json").stdout)
    assert (found["schema"], found["robot"]) == (1, "arm")
    assert {
        "link1": "upper_arm_link",
        "link2": "forearm_link",
        "reason": "Adjacent",
        "evidence": "neighbours",
    } in found["disabled"]
    first = found["disabled"][0]
    assert (first["link2"], first["reason"]) == ("finger", "")
    assert first["evidence"].startswith("Never: proved: ")
    assert found["notes"] == []
    fat = put(tmp_path / "fat.urdf", arm.read_text().replace("radius='0.1'", "radius='0.2'"))
    result = run("srdf", fat, "--srdf", srdf)
    assert result.exit_code == 0
    assert (
        "links 'base_link' and 'finger': the pair is disabled without a reason, but in contact at --deg"
        in result.stderr
    )


@pytest.mark.slow
def test_parts_by_kind_of_robot(run, tmp_path):
    """A vehicle moves in the plane, and its wheels are passive; the root that is the world needs no joint."""
    wheels = "\n".join(f"base_link {side}_wheel continuous" for side in ("left", "right"))
    base = written(tmp_path, wheels, "rover")
    out = tmp_path / "rover.srdf"
    run("srdf", base, "-o", out)
    text = out.read_text()
    assert '<virtual_joint name="virtual_joint" type="planar" parent_frame="odom" child_link="base_link"/>' in text
    assert text.count("<passive_joint ") == 2
    own = put(tmp_path / "own.srdf", "<robot name='rover'><passive_joint name='jleft_wheel'/></robot>")
    run("srdf", base, "--srdf", own, "-o", out, "--force")
    assert out.read_text().count("<passive_joint ") == 1
    run("srdf", written(tmp_path, "world arm_link revolute\narm_link b revolute", "fixed"), "-o", tmp_path / "f.srdf")
    assert "virtual_joint" not in (tmp_path / "f.srdf").read_text()


def test_refusals(run, arm, tmp_path):
    out = put(tmp_path / "there.srdf", "<robot name='arm'><group name='arm'><joint name='jfinger'/></group></robot>")
    for options, message in (
        (["-o", tmp_path / "arm.xml"], "cannot write an SRDF to 'arm.xml'; expected the ending .srdf"),
        (["-o", out], f"{out} exists already"),
        (["--srdf", out, "-o", out, "--force"], f"{out} is read by this command, so it is not replaced"),
        (["--group", "arm=flange"], "--group is arm=flange; expected NAME=BASE:TIP, such as arm=base_link:tool0"),
        (["--group", "arm=flange:flange"], "--group is arm=flange:flange, which has no joint; expected two links"),
        (["--group", "arm=base_link:hand"], "the link 'hand' does not exist"),
        (["--group", "arm=flange:base_link"], "the tip_link 'base_link' is not below the base_link 'flange'"),
        (["--srdf", out, "--group", "arm=base_link:flange"], "there is already a group 'arm'; expected another name"),
        (["--state", "home=arm"], "--state is home=arm; expected a group: none yet: add one with --group"),
        (["--srdf", out, "--state", "home=leg"], "--state is home=leg; expected a group: arm"),
    ):
        result = run("srdf", arm, *options)
        assert (result.exit_code, message in " ".join(result.stderr.split())) == (2, True), (options, result.stderr)
    assert "group name='arm'" in out.read_text()


@pytest.mark.slow
def test_a_link_that_cannot_be_read_is_skipped(run, arm):
    text = arm.read_text().replace(
        f"<link name='finger'>{BALL}",
        "<link name='finger'>" + BALL.replace("<sphere radius='0.1'/>", "<mesh filename='no.stl'/>"),
    )
    arm.write_text(text)
    assert "link 'finger': its collision shape cannot be used" in run("srdf", arm).stderr
    result = run("srdf", arm, "--skip", "finger")
    assert result.exit_code == 0
    assert "finger" not in result.stdout


def test_pairs_hold_for_all_joints(run, arm):
    """What is proved with some joints still does not hold in the file."""
    result = run("srdf", arm, "--joints", "jfinger")
    assert (result.exit_code, "--joints" in result.stderr) == (2, True)


@pytest.mark.slow
def test_each_line_of_the_srdf_stays_and_is_judged(run, arm, tmp_path):
    """Two lines about a pair; and what is read is warned of."""
    fat = put(tmp_path / "fat.urdf", arm.read_text().replace("radius='0.1'", "radius='0.2'"))
    line = "<disable_collisions link1='{}' link2='{}' reason='{}'/>"
    pair = line.format("base_link", "finger", "Never") + line.format("finger", "base_link", "Adjacent")
    srdf = put(tmp_path / "own.srdf", f"<robot name='arm'>{pair}{line.format('nope', 'finger', 'User')}</robot>")
    out = tmp_path / "out.srdf"
    result = run("srdf", fat, "--srdf", srdf, "-o", out)
    said = " ".join(result.stderr.split())
    assert "links 'base_link' and 'finger': the pair is disabled as Never, but in contact at --deg" in said
    assert "the link 'nope' does not exist" in said
    text = out.read_text()
    assert '<disable_collisions link1="base_link" link2="finger" reason="Never"/>' in text
    assert '<disable_collisions link1="finger" link2="base_link" reason="Adjacent"/>' in text


def test_neighbours_alone_are_exported(run, tmp_path):
    """Two links that need no test have an <exclude>, and spheres for planners; an existing file is refused first."""
    two = written(tmp_path, "base_link arm_link revolute", "two")
    close = put(tmp_path / "close.urdf", two.read_text().replace("xyz='0.3 0 0'", "xyz='0.15 0 0'"))
    run("convert", close, tmp_path / "two.mjcf", "--exclude")
    assert '<exclude body1="base_link" body2="arm_link"/>' in (tmp_path / "two.mjcf").read_text()
    run("convert", close, tmp_path / "two.xrdf", "--slack", "5cm")
    text = (tmp_path / "two.xrdf").read_text()
    assert 'base_link:\n      - "arm_link"  # Adjacent: neighbours' in text.replace('"base_link"', "base_link")
    assert text.count("radius") == 2
    again = run("convert", close, tmp_path / "two.xrdf", "--slack", "5cm")
    assert (again.exit_code, "exists already" in again.stderr, "random configurations" in again.stderr) == (
        2,
        True,
        False,
    )
