"""REP-199's rules: every clause, makers, and what real models have."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from arm_trees import RULES, Text, arms, found, single, tree
from each import each
from kinetree.errors import Finding, KinetreeError
from kinetree.load import examine
from kinetree.rules.examples import ARM
from kinetree.rules.facts import Subject
from kinetree.rules.options import CheckOptions
from kinetree.rules.rep199.controller_frames import controller_frames
from kinetree.rules.rep199.manual_clauses import CLAUSES
from kinetree.rules.rep199.places import places
from support import ask, shared


class TestControllers:
    @each(
        "mesh, key",
        [
            ("package://fanuc_m10ia_support/meshes/base.stl", "fanuc"),
            ("package://motoman_gp12_support/a.stl", "yaskawa"),
            ("package://ur_description/meshes/ur5e/base.dae", "universal_robots"),
            ("package://my_robots/meshes/base.stl", None),
            ("package://cell/abb_irb120_on_a_kuka_kl.stl", None),
        ],
    )
    def test_known_by_the_names_of_meshes(self, mesh, key):
        text = ARM.replace('<box size="0.3 0.3 0.3"/>', f'<mesh filename="{mesh}"/>')
        recognised = (
            Subject(kt.load(text, format="urdf")).facts(lambda controller_frames: None)["controller_frames"].controller
        )
        assert (recognised.key if recognised else None) == key

    def test_what_the_caller_says_comes_first(self):
        robot = kt.load(ARM.replace('name="arm"', 'name="abb"'), format="urdf")
        assert controller_frames(robot, None, {}).name == "ABB"
        assert controller_frames(robot, "kuka", {}).name == "KUKA"
        with pytest.raises(KinetreeError, match="no controller 'kukka'; did you mean 'kuka'"):
            kt.check(robot, profile="industrial", controller="kukka")


def test_every_clause_of_the_rep_is_a_rule_or_a_question():
    facts = shared("facts", "industrial", "rep199-rules.md").read_text("utf-8")
    levels = dict(re.findall(r"^\| (R199-\d+) \| ([MSOAH])", facts, re.MULTILINE))
    ours = {row.code: row.level for row in (*RULES, *CLAUSES) if row.code != "R199-001"}
    assert set(levels) == set(ours)
    assert len(ours) + 1 == len(RULES) + len(CLAUSES)
    words = {"M": "MUST", "S": "SHOULD", "O": "MAY"}
    for code, letter in levels.items():
        assert letter == "H" or ours[code] == words.get(letter), code
    assert all(clause.question or clause.level in (None, "MAY") for clause in CLAUSES)
    assert all(clause.because for clause in CLAUSES)


# Real models of the makers


def real(repository: str) -> list[tuple[Path, kt.Robot]]:
    """The robots with four joints or more that the files of a repository make without arguments."""
    robots = []
    for path in sorted(p for p in shared("corpus", repository).rglob("*") if p.suffix in (".urdf", ".xacro")):
        try:
            robot, _ = examine(path)
        except KinetreeError:
            continue
        if robot is not None and robot.nq >= 4:
            robots.append((path, robot))
    return robots


@pytest.mark.slow
def test_three_flanges_of_yaskawa_point_the_wrong_way_and_no_other():
    accused = {
        path.name for path, robot in real("Yaskawa-Global+motoman_ros2_support_packages") if found(robot)["R199-403"]
    }
    assert accused == {"gp165r.xacro", "gp165r_equipped.xacro", "hc30pl.xacro"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("repository", "clean", "of"),
    [
        ("ros-industrial+abb_experimental", 21, 21),
        ("ros-industrial+fanuc", 30, 33),
        ("ros-industrial+kuka_experimental", 13, 18),
        ("Yaskawa-Global+motoman_ros2_support_packages", 39, 48),
        ("Mitsubishi-Electric-Asia+melfa_ros2_driver", 0, 18),
    ],
)
def test_how_many_models_follow_the_rep(repository, clean, of):
    robots = real(repository)
    assert len(robots) == of
    assert sum(not found(robot) for _, robot in robots) == clean


# One fault planted at a time


QUARTER = "1.5707963267948966"
FAULTS = {
    "R199-101": (lambda t: t.rename("base_link", "foot"), set()),
    "R199-106": (lambda t: t.place("base", rpy="0 0 3.141592653589793"), set()),
    "R199-201": (lambda t: t.place("base", xyz="0 0 0.1"), set()),
    "R199-203": (lambda t: t.hang("base", "link_1"), set()),
    "R199-205": (lambda t: t.between("mount", "base"), set()),
    "R199-206": (lambda t: t.shape("base"), set()),
    "R199-208": (lambda t: t.rename("base", "frame"), set()),
    "R199-301": (lambda t: t.rename("link_3", "elbow"), set()),
    "R199-302": (lambda t: t.rename("link_6", "link_8"), set()),
    "R199-401": (lambda t: t.rename("flange", "hand"), set()),
    "R199-403": (lambda t: t.place("flange", rpy=f"0 {QUARTER} 0"), set()),
    "R199-404": (lambda t: t.turning("flange"), set()),
    "R199-406": (lambda t: t.between("adapter", "flange"), set()),
    "R199-408": (lambda t: t.shape("flange"), set()),
    "R199-501": (lambda t: t.rename("tool0", "tip"), {"R199-602"}),
    "R199-503": (lambda t: t.place("tool0", xyz="0 0 0.1"), set()),
    "R199-504": (lambda t: t.turning("tool0"), set()),
    "R199-505": (lambda t: t.hang("tool0", "link_6"), {"R199-501", "R199-503"}),
    "R199-508": (lambda t: t.add("torch_tip", "tool0"), set()),
    "R199-509": (lambda t: t.shape("tool0"), set()),
    "R199-601": (lambda t: t.add("tool1", "flange"), set()),
    "R199-602": (lambda t: t.add("new_frame", "flange"), set()),
    "R199-603": (lambda t: t.add("welding-torch", "flange"), set()),
    "R199-604": (lambda t: t.add("torch_tcp", "link_6"), set()),
}
"""Code: what plants the fault, and what it implies besides."""
CLEAN = [
    ("ros-industrial+abb_experimental", 21),
    ("ros-industrial+fanuc", 30),
]


@cache
def clean_models() -> list[tuple[str, str]]:
    """Name and text of real models without findings, with six links."""
    texts = []
    for repository, _ in CLEAN:
        for path, robot in real(repository):
            one = [arm for arm in arms(robot) if len(arm.moving) == 6 and not arm.prefix]
            if len(one) == 1 and len(arms(robot)) == 1 and not found(robot) and robot.text:
                texts.append((path.name, robot.text.text))
    return texts


@pytest.mark.slow
@pytest.mark.parametrize("code", FAULTS)
def test_a_planted_fault_is_named_by_its_rule(code):
    plant, implied = FAULTS[code]
    models = clean_models()[::2]
    assert len(models) >= 20
    for name, text in models:
        planted = Text(text)
        plant(planted)
        robot = kt.load(ET.tostring(planted.root, encoding="unicode"), format="urdf")
        codes = set(found(robot))
        if code == "R199-201" and "R199-201" not in codes:
            assert not Subject(robot).facts(lambda controller_frames: None)["controller_frames"].controller, name
            continue
        assert code in codes, name
        assert codes <= {code} | implied, (name, codes)


def test_findings_have_their_places():
    text = ARM.replace('rpy="0 1.5707963267948966 0"', 'rpy="0 0 0"')
    found = ask(kt.load(text, format="urdf"), RULES, CheckOptions(controller="abb"))
    (finding,) = [f for f in found if f.code == "R199-501"]
    line = next(i for i, line in enumerate(text.splitlines(), 1) if '<link name="tool0"' in line)
    assert isinstance(finding, Finding)
    assert (finding.severity, finding.source.line) == ("warning", line)
    assert "rotated 90 degrees" in finding.message


def planted(*faults: Callable[[Text], None]) -> kt.Robot:
    text = Text(ARM)
    for fault in faults:
        fault(text)
    return kt.load(ET.tostring(text.root, encoding="unicode"), format="urdf")


def about(axis: str) -> Callable[[Text], None]:
    """Turns the axis of the last joint."""
    return lambda text: text.joint_of("link_6").find("axis").set("xyz", axis)


class TestWayOut:
    """Whether X of flange, or tool0, lies along the last axis, and whether it points away, are two questions."""

    @each("axis, faults", [("1 0 0", 0), ("-1 0 0", 0), ("0 1 0", 1), ("0 0 1", 1)])
    def test_a_flange_across_the_last_axis_is_wrong_though_no_way_along_it_is_out(self, axis, faults):
        assert found(planted(about(axis)))["R199-403"] == faults

    @each("rpy, faults", [("0 0 0", 0), (f"0 0 {QUARTER}", 1), (f"0 {QUARTER} 0", 1), (f"0 -{QUARTER} 0", 1)])
    def test_a_flange_in_the_wrist_itself_is_judged_by_the_axis(self, rpy, faults):
        robot = planted(lambda t: t.place("link_6", xyz="0 0 0"), lambda t: t.place("flange", xyz="0 0 0", rpy=rpy))
        assert found(robot)["R199-403"] == faults

    @each(
        "rpy, faults",
        [(f"0 {QUARTER} 0", 0), (f"0 -{QUARTER} 0", 1), ("0 0 0", 1), (f"{QUARTER} 0 0", 1), (f"-{QUARTER} 0 0", 1)],
    )
    @each("wrist", ["0.02 0 0", "0 0 0"])
    def test_without_a_flange_tool0_is_judged_by_where_it_is_itself(self, wrist, rpy, faults):
        robot = planted(
            lambda t: t.place("link_6", xyz=wrist),
            lambda t: t.hang("tool0", "link_6"),
            lambda t: t.place("tool0", xyz="0.09 0 0", rpy=rpy),
            lambda t: t.rename("flange", "hand"),
        )
        assert found(robot, controller="abb")["R199-501"] == faults
        assert found(robot)["R199-501"] == 0

    @each("rpy, faults", [(f"0 {QUARTER} 0", 0), (f"0 -{QUARTER} 0", 1), ("0 0 0", 1), (f"{QUARTER} 0 0", 1)])
    @each("quill, of_a_scara", [("0 0 1", True), ("0 0 -1", True), ("0 1 0", False)])
    def test_a_quill_is_a_last_axis_and_another_slide_is_none(self, quill, of_a_scara, rpy, faults):
        kinds = ["revolute"] * 3 + ["prismatic"]
        axes = ["0 0 1"] * 3 + [quill]
        limit = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'
        links = ["base_link", *(f"link_{i + 1}" for i in range(4))]
        joints = "".join(
            f'<link name="link_{i + 1}"/><joint name="joint_{i + 1}" type="{kind}"><parent link="{links[i]}"/>'
            f'<child link="link_{i + 1}"/><origin xyz="0.2 0 0"/><axis xyz="{axis}"/>{limit}</joint>'
            for i, (kind, axis) in enumerate(zip(kinds, axes, strict=True))
        )
        flange = '<joint name="f" type="fixed"><parent link="link_4"/><child link="flange"/>'
        text = f'{joints}<link name="flange"/>{flange}<origin xyz="0 0 -0.3" rpy="{rpy}"/></joint>'
        robot = kt.load(f'<robot name="scara"><link name="base_link"/>{text}</robot>', format="urdf")
        assert found(robot)["R199-403"] == (faults if of_a_scara else 0)


@pytest.mark.parametrize("which", ["flange", "tool0"])
def test_a_place_in_millimetres_is_refused(which):
    with pytest.raises(KinetreeError, match=r"20 m from .*; is it in millimetres[?]"):
        places(which, "20 0 0 0 0 0")
    assert np.allclose(places(which, "0.02 0 0 0 0 0")[""][:3, 3], [0.02, 0, 0])
    assert np.allclose(places("base", "20 0 0 0 0 0")[""][:3, 3], [20, 0, 0])  # on a long rail


def solid(link: str, on: str) -> Callable[[Text], None]:
    """A body with a shape."""

    def plant(text: Text) -> None:
        text.add(link, on)
        text.shape(link)

    return plant


class TestEndEffectors:
    @each("place, code", [("link_6", "R199-401"), ("tool0", "R199-508")])
    @each("name", ["gripper", "suction_cup", "spindle", "robotiq_base", "scapula"])
    def test_a_body_beside_flange_is_one(self, name, place, code):
        (fault,) = ask(planted(solid(name, place)), RULES)
        assert (fault.code, fault.severity, fault.element) == (code, "warning", f"link {name!r}")
        assert f"is attached to {place!r}; attach it to 'flange'" in fault.message

    @each("name", ["wrist_cover", "cable_guide", "camera", "left-cover2"])
    def test_what_belongs_to_the_arm_is_none(self, name):
        assert not found(planted(solid(name, "link_6")))
        assert found(planted(solid(name, "tool0"))) == {"R199-508": 1}
        assert found(planted(solid(name, "link_6"), solid("gripper", name)))["R199-401"] == 1

    @each("fingers, joints", [(2, 1), (5, 3)])
    @each("palm", ["palm", "cover"])
    def test_a_gripper_with_fingers_is_one_fault(self, palm, fingers, joints):
        hand = [f"{f'f{i}_{k}' if k else palm} *f{i}_{k + 1}" for i in range(fingers) for k in range(joints)]
        robot = tree(*single(), f"link_6 {palm}", *hand)
        assert [f.element for f in ask(robot, RULES) if f.code == "R199-401"] == [f"link {palm!r}"]
        assert not found(tree(*single(), f"flange {palm}", *hand))["R199-401"]

    def test_a_body_between_the_last_link_and_flange_is_none_and_what_hangs_on_it_is(self):
        adapter = lambda text: text.between("adapter", "flange")  # noqa: E731
        assert not found(planted(adapter, lambda t: t.shape("adapter")))["R199-401"]
        assert found(planted(adapter, lambda t: t.shape("adapter"), solid("gripper", "adapter")))["R199-401"] == 1
