"""Groups of joints from an SRDF."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import kinetree as kt
from kinetree.formats.registry import ReadOptions, srdf_text
from kinetree.formats.srdf import read, read_onto
from kinetree.model.semantic import (
    CollisionPair,
    EndEffector,
    Group,
    GroupState,
    JointProperty,
    JointValue,
    Member,
    PassiveJoint,
    Semantic,
    Sphere,
    SphereApproximation,
    UncheckedLink,
    VirtualJoint,
)
from support import example_robot_urdfs, in_words, sample, shared

URDF = """<robot name="r">
  <link name="base"/> <link name="a"/> <link name="b"/> <link name="c"/> <link name="tool"/> <link name="f"/>
  <joint name="ja" type="continuous"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/></joint>
  <joint name="jb" type="continuous"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint>
  <joint name="jc" type="continuous"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/></joint>
  <joint name="weld" type="fixed"><parent link="c"/><child link="tool"/></joint>
  <joint name="finger" type="continuous"><parent link="tool"/><child link="f"/><axis xyz="1 0 0"/>
    <mimic joint="jc"/></joint>
</robot>"""


def load(tmp_path: Path, body: str, name: str = "r") -> kt.Robot:
    (tmp_path / "r.urdf").write_text(URDF)
    (tmp_path / "r.srdf").write_text(f'<robot name="{name}">\n{body}\n</robot>')
    return kt.load(tmp_path / "r.urdf", srdf=tmp_path / "r.srdf")


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ('<joint name="jc"/><joint name="ja"/>', ("jc", "ja")),
        ('<link name="b"/><link name="base"/><link name="tool"/>', ("jb",)),
        ('<chain base_link="base" tip_link="f"/>', ("ja", "jb", "jc")),
        ('<chain base_link="a" tip_link="c"/>', ("jb", "jc")),
        ('<joint name="jb"/><chain base_link="base" tip_link="c"/>', ("jb", "ja", "jc")),
        ('<group name="other"/><joint name="ja"/>', ("jc", "ja")),
        ('<joint name="finger"/><joint name="weld"/><joint name="ja"/>', ("ja",)),
    ],
)
def test_members(tmp_path, members, expected):
    robot = load(tmp_path, f'<group name="g">{members}</group><group name="other"><joint name="jc"/></group>')
    assert robot.groups == {"g": expected, "other": ("jc",)}
    assert not robot.notes
    assert robot.order([*expected, *(n for n in robot.joint_names if n not in expected)]).joint_names[0] == expected[0]


FAULTS = [
    ('<group name="g"><joint name="jd"/></group>', "unknown-joint", "the joint 'jd' does not exist; did you mean"),
    ('<group name="g"><link name="bas"/></group>', "unknown-link", "did you mean 'base'"),
    ('<group name="g"><group name="h"/></group>', "unknown-group", "the group 'h' does not exist"),
    (
        '<group name="g"><chain base_link="b" tip_link="a"/></group>',
        "chain",
        "'a' is not below the base_link 'b'",
    ),
    ('<group name="g"><chain base_link="b"/></group>', "missing-attribute", "needs tip_link="),
    ('<group name="g"><group name="g"/></group>', "cycle", "contains itself: g -> g"),
    ("<group/>", "missing-attribute", "needs name="),
    ('<group name="g"/>\n<group name="g"/>', "duplicate-name", "already a group of this name on line 2"),
]


@pytest.mark.parametrize(("body", "code", "words"), FAULTS)
def test_faults_have_places(tmp_path, body, code, words):
    with pytest.raises(kt.KinetreeError) as caught:
        load(tmp_path, body)
    finding = caught.value.findings[0]
    assert finding.code == code
    assert words in finding.message
    assert finding.source.file == str(tmp_path / "r.srdf")
    assert finding.source.line == (3 if code == "duplicate-name" else 2)
    assert "~" in finding.excerpt


def test_the_whole_description_is_on_the_robot(tmp_path):
    body = """<virtual_joint name="v" type="planar" parent_frame="odom" child_link="base"/>
    <group name="arm"><joint name="v"/><chain base_link="base" tip_link="tool"/></group>
    <group name="hand"><link name="f"/></group>
    <group_state name="home" group="arm"><joint name="ja" value="0.5"/><joint name="v" value="1 2 3"/></group_state>
    <end_effector name="h" parent_link="tool" group="hand" parent_group="arm"/>
    <passive_joint name="finger"/>
    <joint_property joint_name="v" property_name="angular_distance_weight" value="0.1"/>
    <disable_default_collisions link="tool"/>
    <enable_collisions link1="tool" link2="a"/>
    <disable_collisions link1="a" link2="b" reason="Adjacent"/>
    <link_sphere_approximation link="a"><sphere center="0 0 0.1" radius="0.2"/></link_sphere_approximation>
    <rotor_params><joint name="ja" mass="1"/></rotor_params>"""
    robot = load(tmp_path, body)
    semantic = robot.semantic
    assert semantic == Semantic(
        "r",
        (
            Group("arm", (Member("joint", "v"), Member("chain", "base", "tool"))),
            Group("hand", (Member("link", "f"),)),
        ),
        (GroupState("home", "arm", (JointValue("ja", (0.5,)), JointValue("v", (1.0, 2.0, 3.0)))),),
        (EndEffector("h", "tool", "hand", "arm"),),
        (VirtualJoint("v", "planar", "odom", "base"),),
        (PassiveJoint("finger"),),
        (JointProperty("v", "angular_distance_weight", "0.1"),),
        (UncheckedLink("tool"),),
        (CollisionPair("tool", "a"),),
        (CollisionPair("a", "b", "Adjacent"),),
        (SphereApproximation("a", (Sphere((0.0, 0.0, 0.1), 0.2),)),),
        semantic.extensions,
    )
    assert str(semantic.end_effectors[0].source) == f"{tmp_path / 'r.srdf'}:6:5"
    assert robot.groups == {"arm": ("ja", "jb", "jc"), "hand": ()}
    assert [(note.code, note.severity) for note in robot.notes] == [("not-understood", "info")]
    text = kt.text(robot, "srdf")
    again = kt.load(URDF, format="urdf", srdf=text)
    assert again.semantic == replace(semantic, extensions=again.semantic.extensions)
    assert kt.text(again, "srdf") == text
    assert '<rotor_params><joint name="ja" mass="1"/></rotor_params>' in text


def test_names_that_do_not_exist_outside_of_groups_are_warnings(tmp_path):
    body = '<end_effector name="h" parent_link="tol" group="g"/><group name="g"/>'
    robot = load(tmp_path, body + '<disable_collisions link1="a" link2="bb"/><group_state name="s" group="k"/>')
    assert [(note.code, note.element) for note in robot.notes] == [
        ("unknown-name", "group_state 's'"),
        ("unknown-name", "end_effector 'h'"),
        ("unknown-name", "<disable_collisions>"),
    ]
    assert robot.notes[1].message.startswith("the link 'tol' does not exist; did you mean 'tool'")
    assert "~" in robot.notes[1].excerpt


def test_what_cannot_be_read_is_kept_with_a_warning(tmp_path):
    robot = load(tmp_path, '<end_effector name="h"/><group_state name="s"><joint name="ja" value="x"/></group_state>')
    assert [note.code for note in robot.notes] == ["left-out", "left-out"]
    assert "needs parent_link=…" in robot.notes[1].message
    assert [extension.tag for extension in robot.semantic.extensions] == ["group_state", "end_effector"]


def test_broken_files(tmp_path):
    for body in ("<group", "<!DOCTYPE x>"):
        with pytest.raises(kt.KinetreeError):
            load(tmp_path, body)
    (tmp_path / "s.srdf").write_text("<sdf/>")
    with pytest.raises(kt.KinetreeError, match="expected <robot>"):
        kt.load(tmp_path / "r.urdf", srdf=tmp_path / "s.srdf")
    with pytest.raises(kt.KinetreeError, match="cannot be read"):
        kt.load(tmp_path / "r.urdf", srdf=tmp_path / "nowhere.srdf")


@pytest.mark.slow
def test_groups_of_groups_of_groups(tmp_path):
    def nested(depth: int) -> str:
        groups = [f'<group name="g{i}"><group name="g{i + 1}"/><group name="g{i + 1}"/></group>' for i in range(depth)]
        return "".join([*groups, f'<group name="g{depth}"><joint name="ja"/></group>'])

    assert load(tmp_path, nested(60)).groups["g0"] == ("ja",)
    with pytest.raises(kt.KinetreeError, match="more than 100 deep"):
        load(tmp_path, nested(3000))


def test_of_very_many_unknown_names_a_thousand_are_errors(tmp_path):
    groups = "".join(f'<group name="g{i}"><joint name="nowhere{i}"/></group>' for i in range(1001))
    with pytest.raises(kt.KinetreeError) as refused:
        load(tmp_path, groups)
    codes = [finding.code for finding in refused.value.findings if finding.severity == "error"]
    assert codes == ["unknown-joint"] * 1000 + ["too-many"]


REMARKS = [
    '<group name="g" odd="1"><joint name="ja" odd="1"/><chain base_link="base" tip_link="c" odd="1"/></group>',
    '<group name="g"><joint/><link/><group/><chain/></group>',
    '<group name="g"><joint name="weld"/></group><end_effector/><group_state/><passive_joint/>',
    '<group name="g"><chain base_link="nowhere" tip_link="else"/></group>',
    '<group name="g"><chain base_link="a" tip_link="b"/><chain base_link="b" tip_link="a"/></group>',
    '<group name="g"><group name="h"/></group><group name="h"><group name="i"/></group><group name="i">'
    '<group name="g"/></group>',
    '<group name="g"><joint name="ja"><x/></joint></group>',
]


def test_every_word_that_is_said(tmp_path, golden):
    robot = kt.load(URDF, format="urdf")
    said = []
    for body in [*(body for body, _, _ in FAULTS), *REMARKS]:
        _, groups, findings = read_onto(robot, f'<robot name="other">\n{body}\n</robot>', "r.srdf")
        said.append(f"# {body}\n{dict(groups)}\n{in_words(findings)}")
    golden("srdf_findings.txt", "\n".join(said))


def plain(element: ElementTree.Element) -> tuple[object, ...]:
    """What an element says, without white space and ways to write a number."""

    def word(text: str) -> str:
        with suppress(ValueError):
            return " ".join(repr(float(part)) for part in text.split())
        return text

    attributes = sorted((name, word(value)) for name, value in element.attrib.items() if value)
    return element.tag, tuple(attributes), tuple(map(plain, element))


def check_read_and_written_back(path: Path, text: bytes) -> None:
    """Read again it is the same, and the standard library reads the same elements from both texts."""
    bare = kt.load('<robot name="r"><link name="a"/></robot>', format="urdf")
    semantic, findings = read(text, str(path))
    assert semantic is not None
    assert {finding.code for finding in findings} <= {"not-understood"}, path
    made = written(replace(bare, name=semantic.name, semantic=semantic))
    again, _ = read(made, "again.srdf")
    assert again is not None
    assert replace(again, extensions=()) == replace(semantic, extensions=()), path
    before, after = ElementTree.fromstring(text), ElementTree.fromstring(made)
    for inner in before.findall("group/passive_joint"):  # which has no effect there
        next(group for group in before if inner in group).remove(inner)
    assert sorted(map(plain, before), key=repr) == sorted(map(plain, after), key=repr), path


@pytest.mark.slow
def test_public_files_are_read_and_written_back():
    robots = next(path for path in example_robot_urdfs()[0].parents if path.name == "robots")
    files = sorted(robots.rglob("*.srdf"))
    assert len(files) > 30
    for path in sample(files, 4):
        check_read_and_written_back(path, path.read_bytes())


@pytest.mark.slow
def test_those_of_the_corpus_are_expanded_read_and_written_back():
    files = sorted(shared("corpus").rglob("*.srdf*"))
    expanded = 0
    for path in files:
        text, _, _ = srdf_text(ReadOptions(srdf=path, confined=True), {})
        if text is not None:
            expanded += 1
            check_read_and_written_back(path, text if isinstance(text, bytes) else text.text.encode())
    assert expanded > 0.8 * len(files)


def written(robot: kt.Robot) -> str:
    """The description as it is, although the robot has none of its groups."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["kinetree.formats.srdf.write"], "semantic_of", lambda robot: robot.semantic)
        return kt.text(robot, "srdf")
