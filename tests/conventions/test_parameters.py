"""YAML files of limits and controllers that are found in a folder: checked alone, and with the robots they fit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from each import each
from kinetree.checker.files import files_of, once_in_all, without_parts
from kinetree.checker.job import check_job
from kinetree.checker.parameters import MAX_BYTES, words_of
from kinetree.checker.plan import jobs_of
from kinetree.errors import KinetreeError
from kinetree.files.opener import snapshot
from kinetree.rules.options import CheckOptions
from rule_cases.builders import joint, limit, link, robot

LIMITS = "joint_limits:\n  pan_joint: {has_velocity_limits: true, max_velocity: 5}\n  tilt_joint: {max_velocity: 1}\n"
WRONG = "steering:\n  limits:\n    min: 3.1415\n    max: -3.1415\n"
OPTIONS = CheckOptions(select=("MVT",))


def head(velocity: float = 3, *more: str, first: str = "pan_joint") -> str:
    """Two joints that move, of which the first has a limit of velocity."""
    links = [link(name) for name in ("base", "neck", "Head")]
    joints = joint(first, "base", "neck", limit(velocity=velocity), kind="revolute")
    return robot(*links, joints, joint("tilt_joint", "neck", "Head", limit(), kind="revolute"), *more)


@pytest.fixture
def found(tmp_path, monkeypatch):
    """What is found in a folder of these files: names of files, lines, severities, codes and elements."""

    def check(files: dict[str, str], *paths: str) -> list[str]:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        monkeypatch.chdir(tmp_path)
        asked, named = jobs_of(list(paths or (".",)), None, OPTIONS)
        results = [check_job(job) for job in asked]
        results = once_in_all([one if named.get(one.file, True) else without_parts(one, [*named]) for one in results])
        return [
            f"{Path(f.source.file).as_posix()}:{f.source.line} {f.severity} {f.code} {f.element}"
            for one in results
            for f in one.findings
        ]

    return check


def test_limits_of_one_of_many_models_are_judged_with_that_model(found, tmp_path):
    """Three or more folders with a file of one name are those of models; a robot, or its file, has the name of one."""
    files = {f"config/{name}/limits.yaml": LIMITS for name in ("r3", "r5", "r10")}
    wrong = ["config/r5/limits.yaml:2 warning MVT-004 joint 'pan_joint'"]
    assert found(files | {"urdf/r5_arm.urdf": head()}) == wrong
    (tmp_path / "urdf/r5_arm.urdf").rename(tmp_path / "urdf/r51.urdf")
    assert found({}) == []
    (tmp_path / "config/r10/limits.yaml").unlink()
    assert found({}) == [wrong[0].replace("r5/", "r3/"), *wrong]  # of two


def test_yaml_without_a_robot_is_checked_by_itself(found):
    assert found({"config/a.yml": WRONG}) == ["config/a.yml:3 warning MVT-003 key 'min'"]
    assert found({}, "config/a.yml") == ["config/a.yml:3 warning MVT-003 key 'min'"]


def test_an_interface_that_another_argument_gives_is_offered(found):
    """A file of macros chooses the interface; what it never gives is missing, and what it gives by no condition."""
    choice = '<xacro:{0} value="${{mode == \'a\'}}"><command_interface name="velocity"/></xacro:{0}>'
    names = "<command_interface name='effort'/><state_interface name='position'/>"
    hardware = f'<joint name="pan_joint">{{}}{names}</joint>'
    more = f'<xacro:property name="mode" value="b"/><ros2_control name="h" type="system">{hardware}</ros2_control>'
    yaml = "head_controller:\n  ros__parameters: {{joints: [pan_joint, tilt_joint], command_interfaces: [{}]}}\n"

    def codes(inside: str, name: str, extra: str = "") -> list[str]:
        text = head(3, more.format(inside), extra).replace("<robot ", '<robot xmlns:xacro="http://ros.org/wiki/xacro" ')
        return [line.split()[2] for line in found({"r.xacro": text, "c.yaml": yaml.format(name)})]

    assert codes(choice.format("if"), "velocity") == []
    assert codes("", "velocity", "<!--" + choice.format("unless").replace("==", "!=") + "-->") == []
    assert codes(choice.format("if"), "position") == ["MVT-009"]
    never = '<xacro:if value="1"><state_interface name="x"/></xacro:if>'
    other = f'<joint name="tilt_joint">{never}<command_interface name="velocity"/></joint>'
    assert codes("", "velocity", f'<ros2_control name="t" type="system">{other}</ros2_control>') == ["MVT-009"]


KEYS = ("a_controller", "arm_controllers", "my_limits", "left_joint", "x: {ros__parameters", "limit", "start_positions")


@each("key", KEYS)
def test_the_keys_of_a_file_show_that_it_has_parameters(tmp_path, key):
    for text, is_one in ((f"  {key}: 1\n", True), (f"# {key}: 1\n", False), (f"{key}1: 1\n", False)):
        file = tmp_path / f"{len([*tmp_path.iterdir()])}.yaml"
        file.write_text(text)
        assert (words_of(str(file)) is not None) == is_one, text


def test_words_are_those_of_the_file_as_it_is_now(tmp_path, monkeypatch):
    (file := tmp_path / "a.yaml").write_text(LIMITS)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    assert "pan_joint" in words_of("a.yaml")
    assert words_of("a.yaml") is words_of("a.yaml")  # remembered
    file.write_text(LIMITS.replace("pan", "yaw"))  # as long as before
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))
    assert "yaw_joint" in words_of("a.yaml")
    with snapshot({file: b"limits: {unsaved: 1}"}):
        assert "unsaved" in words_of("a.yaml")
    assert "unsaved" not in words_of("a.yaml")
    (tmp_path / "other/a.yaml").write_text(LIMITS.replace("pan", "nod"))
    os.utime("other/a.yaml", ns=(0, file.stat().st_mtime_ns))
    monkeypatch.chdir("other")
    assert "nod_joint" in words_of("a.yaml")
    assert [words_of(name) for name in ("b.yaml", "a\0.yaml")] == [None, None]


def test_other_yaml_is_no_description(tmp_path, found):
    for text in ("services: {web: {image: a}}\n", "<limits: 1\n", WRONG + "#" * MAX_BYTES):
        with pytest.raises(KinetreeError, match="no robot descriptions in this folder"):
            found({f"{len(text)}/a.yaml": text}, f"{len(text)}")
    (tmp_path / "short.yaml").write_text(WRONG + "#" * (MAX_BYTES - len(WRONG)))
    assert words_of(str(tmp_path / "short.yaml")) is not None
    (tmp_path / "config").mkdir()
    (tmp_path / "config/a.yaml").write_text(WRONG)
    with pytest.raises(KinetreeError, match="no robot descriptions in this folder"):
        files_of(["config"])  # as `kinetree fix` asks


def test_a_file_is_checked_with_the_robot_whose_joints_it_names(found):
    there = {"urdf/head.urdf": head(), "config/limits.yaml": LIMITS}
    assert found(there) == ["config/limits.yaml:2 warning MVT-004 joint 'pan_joint'"]
    assert found({"urdf/head.urdf": head(5)}) == []


def test_one_joint_of_a_robot_is_not_enough(found):
    assert found({"head.urdf": head(first="yaw_joint"), "limits.yaml": LIMITS}) == []
    fixed = joint("pan_joint", "Head", "tip")
    too_fast = LIMITS.replace("max_velocity: 1}", "has_velocity_limits: true, max_velocity: 9}")
    assert found({"head.urdf": head(3, link("tip"), fixed, first="yaw_joint"), "limits.yaml": too_fast}) == []


def test_at_most_half_of_the_joints_are_of_others(found):
    for others, is_found in (("ab", True), ("abc", False)):
        rows = "".join(f"  {name}: {{max_velocity: 1}}\n" for name in others)
        assert bool(found({"head.urdf": head(), "limits.yaml": LIMITS + rows})) == is_found


def test_nothing_is_certain_of_a_file_that_nobody_named(found):
    """A joint of a part that the robot lacks is no fault, a slip is a warning."""
    rows = "  gripper: {max_velocity: 1}\n  tilt_jiont: {max_velocity: 1}\n"
    there = found({"head.urdf": head(9), "limits.yaml": LIMITS + rows})
    assert there == ["limits.yaml:5 warning MVT-002 joint 'tilt_jiont'"]


def test_a_finding_stays_once_if_all_robots_give_it(found):
    files = {"a.urdf": head(3), "b.urdf": head(3), "limits.yaml": LIMITS}
    assert found(files) == ["limits.yaml:2 warning MVT-004 joint 'pan_joint'"]
    assert found({"b.urdf": head(6)}) == []
    assert found({"a.urdf": head(6), "b.urdf": head(3)}) == []
    assert found({"a.urdf": head(3), "b.urdf": head(6, first="yaw_joint")}) == [
        "limits.yaml:2 warning MVT-004 joint 'pan_joint'"
    ]


def test_a_robot_that_cannot_be_read_takes_no_file(found):
    broken = head(3, link("tip"), joint("tip_joint", "Haed", "tip"))
    assert [line for line in found({"head.urdf": broken, "limits.yaml": LIMITS}) if "MVT" in line] == []


def test_files_of_other_workspaces_are_not_taken(found):
    manifest = "<package><name>p</name></package>"
    files = {"one/p/package.xml": manifest, "one/p/head.urdf": head(), "two/q/limits.yaml": LIMITS}
    assert found(files) == []
    assert found({"three/urdf/head.urdf": head()}) == []
    assert found({"one/q/limits.yaml": LIMITS}) == ["one/q/limits.yaml:2 warning MVT-004 joint 'pan_joint'"]
