"""REP-199's rules: the REP's own examples, arms as people would find them, and what real models have."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

import kinetree as kt
from kinetree.conventions.check import ask, rules_of
from kinetree.conventions.examples import ARM
from kinetree.conventions.rep199.arms import Arm
from kinetree.conventions.rep199.makers import maker
from kinetree.conventions.rep199.people import CLAUSES
from kinetree.conventions.subject import Subject
from kinetree.errors import Finding, KinetreeError
from kinetree.load import examine
from support import shared

RULES = [rule for rule in rules_of("industrial") if rule.code.startswith("R199")]


def arms(robot: kt.Robot) -> tuple[Arm, ...]:
    return Subject(robot).facts(lambda arms: None)["arms"]


def found(robot: kt.Robot, *, remarks: bool = False, **told: object) -> Counter[str]:
    """How often each rule has something to say."""
    return Counter(f.code for f in ask(robot, RULES, **told) if remarks or f.severity != "info")


def tree(*lines: str) -> kt.Robot:
    """A robot of lines `parent child`, where a joint turns if a star is before the child."""
    links = dict.fromkeys(word.strip("*") for line in lines for word in line.split())
    parts = [f'<link name="{name}"/>' for name in links]
    for line in lines:
        parent, child = line.split()
        kind = "continuous" if child.startswith("*") else "fixed"
        x = 0.1 if kind == "continuous" else 0.0
        parts.append(
            f'<joint name="{child.strip("*")}_joint" type="{kind}"><parent link="{parent.strip("*")}"/>'
            f'<child link="{child.strip("*")}"/><origin xyz="{x} 0 0"/><axis xyz="1 0 0"/></joint>'
        )
    return kt.load(f'<robot name="r">{"".join(parts)}</robot>', format="urdf")


def chain(prefix: str, foot: str, n: int = 6) -> list[str]:
    links = [f"{prefix}{foot}", *(f"*{prefix}link_{i + 1}" for i in range(n))]
    return [f"{a.strip('*')} {b}" for a, b in pairwise(links)]


def single(prefix: str = "", n: int = 6) -> list[str]:
    """The REP's example of a single manipulator."""
    return [
        f"{prefix}base_link {prefix}base",
        *chain(prefix, "base_link", n),
        f"{prefix}link_{n} {prefix}flange",
        f"{prefix}flange {prefix}tool0",
    ]


EXAMPLES = {
    "single": (single(), [""]),
    "with an end effector": (
        [
            *single(),
            "flange eef_base_link",
            "eef_base_link *eef_link_1",
            "eef_base_link *eef_link_2",
            "flange welding_tcp",
        ],
        [""],
    ),
    "an arm and a positioner": (
        ["world robot_base_link", "world positioner_base_link", *single("robot_"), *single("positioner_", 2)],
        ["robot_", "positioner_"],
    ),
    "two arms": (
        [
            "base_link base",
            "base_link left_base_link",
            "base_link right_base_link",
            *single("left_"),
            *single("right_"),
        ],
        ["left_", "right_"],
    ),
}
"""The example hierarchies of REP-199, and the prefixes of their arms."""
UNABLE = ("R199-105", "R199-306")
"""What a tree without shapes and with all axes along x cannot follow."""
FRIENDS = ("camera_flange", "mounting_flange", "tool_flange", "sensor_tool0", "joint4_flange")
"""What is called like a frame of REP-199, and is none."""
WORDS = {1: "shoulder_link", 2: "upper_arm_link", 3: "forearm_link", 4: "wrist_1_link", 5: "wrist_2_link"}


def in_words(match: re.Match[str]) -> str:
    """A link_N by a maker's own name."""
    return WORDS.get(int(match[0][-1]), "wrist_3_link")


class TestArms:
    @pytest.mark.parametrize(
        "hand", [["link_6 *jaw"], ["link_6 *claw", "claw *claw_tip"], ["link_6 *finger_1", "link_6 *finger_2"]]
    )
    def test_a_gripper_is_no_part_of_the_arm(self, hand):
        (arm,) = arms(tree(*chain("", "base_link"), *hand))
        assert (arm.end, len(arm.moving)) == ("link_6", 6)

    @pytest.mark.parametrize("name", EXAMPLES)
    def test_the_examples_of_the_rep_follow_it(self, name):
        lines, prefixes = EXAMPLES[name]
        robot = tree(*lines)
        assert [arm.prefix for arm in arms(robot)] == prefixes
        assert not set(found(robot, remarks=True, strict=True)) - set(UNABLE)
        for arm in arms(robot):
            assert arm.base_link == f"{arm.prefix}base_link"
            assert arm.tool0 == f"{arm.prefix}tool0"
            assert arm.moving == tuple(
                f"{arm.prefix}link_{i + 1}_joint" for i in range(2 if "positioner" in arm.prefix else 6)
            )

    def test_two_arms_on_a_waist_begin_behind_it(self):
        sides = [line for side in ("left_", "right_") for line in ("waist " + side + "base_link", *single(side))]
        robot = tree("base_link *waist", *sides)
        assert [(arm.prefix, len(arm.moving), arm.foot) for arm in arms(robot)] == [
            ("left_", 6, "waist"),
            ("right_", 6, "waist"),
        ]

    @pytest.mark.parametrize("friend", ["fanuc_flange", "hand_flange", "link_6_flange", "link_flange"])
    def test_false_friends_make_no_arm_of_their_own(self, friend):
        robot = tree(*single(), f"flange {friend}")
        (arm,) = arms(robot)
        assert (arm.prefix, arm.flange) == ("", "flange")
        lonely = tree(*single()[:-2], f"link_6 {friend}")
        (arm,) = arms(lonely)
        assert (arm.prefix, arm.flange, arm.base_link) == ("", None, "base_link")
        (missing,) = [f for f in ask(lonely, RULES) if f.code == "R199-401"]
        assert missing.severity == "warning"
        assert f"'{friend}' is something else" in missing.message

    @pytest.mark.parametrize("friend", [*FRIENDS, "link_3_flange", "forearm_flange"])
    @pytest.mark.parametrize("names", ["link", "word"])
    def test_a_false_friend_on_a_link_before_the_last_is_no_end(self, names, friend):
        lines = single() if names == "link" else [re.sub(r"link_\d", in_words, line) for line in single()]
        robot, hung = tree(*lines), tree(*lines, f"{lines[3].split()[1].strip('*')} {friend}")
        assert arms(hung)[0].end == arms(robot)[0].end
        assert found(hung) == found(robot)

    @pytest.mark.parametrize("prefix", ["", "left_"])
    def test_a_bare_flange_on_a_middle_link_is_none_of_an_arm_with_a_prefix(self, prefix):
        (arm,) = arms(tree(*single("left_"), "left_link_3 flange", "left_link_3 left_hand_flange"))
        assert (arm.prefix, arm.end, arm.flange) == ("left_", "left_link_6", "left_flange")

    @pytest.mark.parametrize("names", ["link", "word"])
    @pytest.mark.parametrize(
        ("wrong", "expected"),
        [
            ({"link_6 flange": "link_5 flange"}, {"R199-404": "flange", "R199-504": "tool0"}),
            (
                {"link_6 flange": "link_5 flange", "link_5 *link_6": "flange *link_6"},
                {"R199-404": "flange", "R199-504": "tool0"},
            ),
            ({"flange tool0": "link_5 tool0"}, {"R199-504": "tool0"}),
            ({"flange tool0": "link_2 tool0"}, {"R199-504": "tool0"}),
            ({"link_6 flange": "link_5 flange", "flange tool0": "link_6 tool0"}, {"R199-404": "flange"}),
            ({"link_6 flange": "link_6 *flange"}, {"R199-404": "flange"}),
            ({"flange tool0": "flange *tool0"}, {"R199-504": "tool0"}),
        ],
    )
    def test_frames_that_are_not_on_the_last_link_are_blamed_and_nothing_else(self, wrong, expected, names):
        lines = [wrong.get(line, line) for line in single()]
        if names == "word":
            lines = [re.sub(r"link_\d", in_words, line) for line in lines]
        robot = tree(*lines)
        faults = {f.code: f for f in ask(robot, RULES) if f.code not in (*UNABLE, "R199-301") and f.severity != "info"}
        assert {code: f.element for code, f in faults.items()} == {c: f"link '{name}'" for c, name in expected.items()}
        assert {f.severity for f in faults.values()} == {"error"}

    def test_the_chain_goes_on_to_no_finger_behind_its_flange(self):
        fingers = tree(*single(), "flange palm", "palm *link_7", "palm *link_8")
        assert [arm.end for arm in arms(fingers)] == ["link_6"]
        short = tree(*single(n=5), "link_5 *link_6", "link_6 *link_7", "link_6 *link_8")
        assert [arm.end for arm in arms(short)] == ["link_6"]

    def test_a_friend_does_not_shorten_an_arm_without_base_link(self):
        robot = tree(*(line.replace("base_link", "foot") for line in single()), "link_5 tool_flange")
        assert [(arm.end, len(arm.moving)) for arm in arms(robot)] == [("link_6", 6)]

    @pytest.mark.parametrize("names", ["link", "word"])
    def test_a_base_link_that_moves_with_the_chain_is_said_and_nothing_else(self, names):
        lines = [line.replace("base_link", "foot") for line in single()] + ["link_1 base_link"]
        if names == "word":
            lines = [re.sub(r"link_\d", in_words, line) for line in lines]
        (fault,) = [f for f in ask(tree(*lines), RULES) if f.code not in (*UNABLE, "R199-301") and f.severity != "info"]
        assert (fault.code, fault.severity, fault.element) == ("R199-101", "error", "link 'base_link'")
        assert fault.message.endswith("but the arm begins on 'foot'")

    def test_an_arm_on_a_carriage_begins_there(self):
        (arm,) = arms(tree("plant *carriage", "carriage base_link", *single()))
        assert (arm.base_link, arm.foot, len(arm.moving)) == ("base_link", "carriage", 6)
        robot = tree("plant *carriage", "carriage base_link", *single()[1:], "plant base")
        (fault,) = [f for f in ask(robot, RULES) if f.severity == "error"]
        assert (fault.code, fault.message) == ("R199-203", "is fixed to 'plant', which moves against 'base_link'")
        assert not {"R199-205", "R199-201"} & set(found(robot, vendor="fanuc"))

    def test_an_arm_may_stand_on_another(self):
        robot = tree(*single("gantry_", 3), "gantry_flange robot_base_link", *single("robot_"))
        assert [(arm.prefix, len(arm.moving)) for arm in arms(robot)] == [("gantry_", 3), ("robot_", 6)]
        hand = tree(*single(), "flange hand_base_link", "hand_base_link hand_flange", "hand_flange hand_tool0")
        assert [arm.prefix for arm in arms(hand)] == [""]

    def test_a_chain_without_names_is_an_arm_up_to_its_fingers(self):
        robot = tree(*(f"j{i} *j{i + 1}" for i in range(6)), "j6 palm", "palm *finger_a", "palm *finger_b")
        (arm,) = arms(robot)
        assert (arm.prefix, arm.end, len(arm.moving)) == ("", "j6", 6)
        assert {"R199-101", "R199-208", "R199-301", "R199-401", "R199-501"} <= set(found(robot))

    def test_legs_are_no_arms(self):
        robot = tree(*(f"{'body' if i == 0 else f'leg{n}_{i}'} *leg{n}_{i + 1}" for n in range(4) for i in range(5)))
        assert arms(robot) == ()
        (nothing,) = ask(robot, RULES)
        assert (nothing.code, nothing.severity) == ("R199-001", "warning")

    def test_a_base_with_a_shape_is_a_body_not_the_controllers_frame(self):
        text = ARM.replace('"base"', '"frame"').replace('"base_link"', '"base"')
        (arm,) = arms(kt.load(text, format="urdf"))
        assert arm.base is None
        assert {"R199-101", "R199-208"} <= set(found(kt.load(text, format="urdf")))

    def test_what_is_missing_is_an_error_where_the_profile_is_strict(self):
        robot = kt.load(ARM.replace('"tool0"', '"tool_centre"'), format="urdf")
        for profile, severity in (("industrial", "warning"), ("industrial-strict", "error")):
            assert {f.severity for f in kt.check(robot, profile=profile) if f.code == "R199-501"} == {severity}


class TestMakers:
    @pytest.mark.parametrize(
        ("mesh", "key"),
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
        recognised = Subject(kt.load(text, format="urdf")).facts(lambda maker: None)["maker"].controller
        assert (recognised.key if recognised else None) == key

    def test_what_the_caller_says_comes_first(self):
        robot = kt.load(ARM.replace('name="arm"', 'name="abb"'), format="urdf")
        assert maker(robot, None).name == "ABB"
        assert maker(robot, "kuka").name == "KUKA"
        with pytest.raises(KinetreeError, match="no controller 'kukka'; did you mean 'kuka'"):
            kt.check(robot, profile="industrial", vendor="kukka")


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


def name_of(element: ET.Element) -> str:
    return element.get("name", "")


class Text:
    """A URDF text that faults are planted in."""

    def __init__(self, text: str) -> None:
        self.root = ET.fromstring(text)

    def joint_of(self, child: str) -> ET.Element:
        return next(
            j for j in self.root.iter("joint") if j.find("child") is not None and j.find("child").get("link") == child
        )

    def rename(self, old: str, new: str) -> None:
        for element in self.root.iter():
            for key, value in element.attrib.items():
                if value == old and (key != "name" or element.tag == "link"):
                    element.set(key, new)

    def place(self, child: str, *, xyz: str | None = None, rpy: str | None = None) -> None:
        joint = self.joint_of(child)
        origin = joint.find("origin")
        origin = ET.SubElement(joint, "origin") if origin is None else origin
        for key, value in (("xyz", xyz), ("rpy", rpy)):
            if value is not None:
                origin.set(key, value)

    def hang(self, child: str, parent: str) -> None:
        self.joint_of(child).find("parent").set("link", parent)

    def turning(self, child: str) -> None:
        joint = self.joint_of(child)
        joint.set("type", "continuous")
        ET.SubElement(joint, "axis", xyz="1 0 0")

    def shape(self, link: str) -> None:
        element = next(e for e in self.root.findall("link") if name_of(e) == link)
        ET.SubElement(ET.SubElement(ET.SubElement(element, "visual"), "geometry"), "sphere", radius="0.01")

    def add(self, link: str, parent: str) -> None:
        ET.SubElement(self.root, "link", name=link)
        joint = ET.SubElement(self.root, "joint", name=f"{link}_mount", type="fixed")
        ET.SubElement(joint, "parent", link=parent)
        ET.SubElement(joint, "child", link=link)

    def between(self, link: str, child: str) -> None:
        """A link between a child and its parent."""
        self.add(link, self.joint_of(child).find("parent").get("link"))
        self.hang(child, link)


QUARTER = "1.5707963267948966"
FAULTS = {
    "R199-101": (lambda t: t.rename("base_link", "foot"), set()),
    "R199-106": (lambda t: t.place("base", rpy="0 0 3.141592653589793"), set()),
    "R199-201": (lambda t: t.place("base", xyz="0 0 0.1"), set()),
    "R199-203": (lambda t: t.hang("base", "link_1"), {"R199-205", "R199-201"}),
    "R199-205": (lambda t: t.between("mount", "base"), set()),
    "R199-206": (lambda t: t.shape("base"), set()),
    "R199-208": (lambda t: t.rename("base", "frame"), set()),
    "R199-301": (lambda t: t.rename("link_3", "elbow"), set()),
    "R199-302": (lambda t: t.rename("link_6", "link_8"), set()),
    "R199-401": (lambda t: t.rename("flange", "hand"), set()),
    "R199-403": (lambda t: t.place("flange", rpy=f"0 {QUARTER} 0"), set()),
    "R199-404": (lambda t: t.turning("flange"), {"R199-301", "R199-403", "R199-406"}),
    "R199-406": (lambda t: t.between("adapter", "flange"), set()),
    "R199-408": (lambda t: t.shape("flange"), set()),
    "R199-501": (lambda t: t.rename("tool0", "tip"), {"R199-602"}),
    "R199-503": (lambda t: t.place("tool0", xyz="0 0 0.1"), set()),
    "R199-504": (lambda t: t.turning("tool0"), {"R199-404", "R199-301", "R199-403", "R199-501"}),
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
            assert not Subject(robot).facts(lambda maker: None)["maker"].controller, name
            continue
        assert code in codes, name
        assert codes <= {code} | implied, (name, codes)


def test_findings_have_their_places():
    text = ARM.replace('rpy="0 1.5707963267948966 0"', 'rpy="0 0 0"')
    (finding,) = [f for f in ask(kt.load(text, format="urdf"), RULES, vendor="abb") if f.code == "R199-501"]
    line = next(i for i, line in enumerate(text.splitlines(), 1) if '<link name="tool0"' in line)
    assert isinstance(finding, Finding)
    assert (finding.severity, finding.source.line) == ("warning", line)
    assert "90 degrees off" in finding.message


@pytest.mark.parametrize(("rpy", "faults"), [(f"0 {QUARTER} 0", 0), (f"0 -{QUARTER} 0", 1), ("0 0 0", 1)])
def test_without_a_flange_tool0_is_judged_by_the_way_out_of_the_last_link(rpy, faults):
    text = Text(ARM)
    text.hang("tool0", "link_6")
    text.place("tool0", xyz="0.09 0 0", rpy=rpy)
    text.rename("flange", "hand")
    robot = kt.load(ET.tostring(text.root, encoding="unicode"), format="urdf")
    assert found(robot, vendor="abb")["R199-501"] == faults
    assert found(robot)["R199-501"] == 0
