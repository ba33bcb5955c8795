"""The four example hierarchies of REP-199, as it prints them: they load, and no rule has anything to say of them."""

import re
from math import pi
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from arm_trees import RULES, arms
from each import each
from kinetree.rules.rep199.manual_clauses import CLAUSES
from support import shared

DOCS = Path(__file__).resolve().parents[2] / "docs"
PRINTED = {
    "one arm": "base_link ├ base └ link_1 └ .. └ link_N └ flange └ tool0",
    "one arm with a tool": (
        "base_link ├ base └ link_1 └ .. └ link_N └ flange ├ tool0 ├ eef_base_link │ └ .. │ └ eef_link_N └ eef_tcp"
    ),
    "an arm and a positioner": (
        "world ├ .. ├ robot_base_link │ ├ robot_base │ └ robot_link_1 │ └ .. │ └ robot_link_N │ └ robot_flange "
        "│ └ robot_tool0 └ positioner_base_link ├ positioner_base └ positioner_link_1 └ positioner_link_2 "
        "└ positioner_flange └ positioner_tool0"
    ),
    "two arms": (
        "base_link ├ base ├ left_base_link │ ├ left_base │ └ left_link_1 │ └ .. │ └ left_link_N │ └ left_flange "
        "│ └ left_tool0 └ right_base_link ├ right_base └ right_link_1 └ .. └ right_link_N └ right_flange └ right_tool0"
    ),
}
PREFIXES = {
    "one arm": [""],
    "one arm with a tool": [""],
    "an arm and a positioner": ["robot_", "positioner_"],
    "two arms": ["left_", "right_"],
}
FRAME = re.compile(r"(.*_)?(base|flange|tool\d|tcp)|world")
"""Names of links that are frames only."""
ALONG = {2: "0 0 0.2", 3: "0 0 0.4", 6: "0.1 0 0"}
"""Where a numbered link is in the one before, if not 0.2 m before it along x."""
ABOUT = {1: "0 0 1", 2: "0 1 0", 3: "0 1 0", 4: "1 0 0", 5: "0 1 0", 6: "1 0 0"}
"""The axis of a numbered link."""
TABLE = {"positioner_link_1": "0 1 0", "positioner_link_2": "0 0 1"}
"""The axes of a table that tilts and turns, whose flange therefore looks up."""
AT = {"left_base_link": "0 0.5 0", "right_base_link": "0 -0.5 0", "robot_base_link": "1 0 0", "eef_tcp": "0.15 0 0"}


def edges(printed: str) -> list[tuple[str, str]]:
    """Parent and child of each line of a tree that was printed with ├ before children that others follow."""
    root, *rest = re.findall(r"((?:│ )*)([├└]?) ?([\w.]+)", printed)
    above: list[tuple[int, str, str, str]] = [(0, "", root[2], "")]  # bars, mark, name, parent
    found = []
    for bars, mark, name in rest:
        depth = bars.count("│")
        while above[-1][0] > depth:
            above.pop()
        _, before, last, parent = above[-1]
        parent = parent if before == "├" and above[-1][0] == depth else last
        above.append((depth, mark, name, parent))
        found.append((parent, name))
    return found


def meant(printed: str, n: int = 6) -> list[tuple[str, str]]:
    """The edges with numbers for N and for the dots: n links of an arm, two of an end effector, a table."""
    text = printed.replace("├ .. ", "├ table ").replace("eef_link_N", "eef_link_2")
    text = re.sub(r"(\w+)_link_N", rf"\1_link_{n}", text).replace("└ link_N", f"└ link_{n}")
    text = text.replace("eef_base_link │ └ ..", "eef_base_link │ └ eef_link_1")
    between = re.compile(r"(\w*)link_1 ((?:│ )?)└ \.\.")
    dots = lambda match: f" {match[2]}└ ".join(f"{match[1]}link_{i}" for i in range(1, n))  # noqa: E731
    return edges(between.sub(dots, text))


def body(name: str) -> str:
    if FRAME.fullmatch(name):
        return f'<link name="{name}"/>'
    shape = '<origin xyz="0 0 0.05"/><geometry><box size="0.1 0.1 0.1"/></geometry>'
    inertia = '<inertia ixx="0.005" iyy="0.005" izz="0.005" ixy="0" ixz="0" iyz="0"/>'
    mass = "" if name == "base_link" else f'<inertial><origin xyz="0 0 0.05"/><mass value="3"/>{inertia}</inertial>'
    return f'<link name="{name}"><visual>{shape}</visual><collision>{shape}</collision>{mass}</link>'


def carried(parent: str, child: str) -> str:
    number = re.fullmatch(r"(?!eef)(.*_)?link_(\d)", child)
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    if not number:
        rpy = f"0 {pi / 2} 0" if child.endswith("tool0") else "0 0 0"
        rpy = f"0 {-pi / 2} 0" if child == "positioner_flange" else rpy
        xyz = AT.get(child, "0.05 0 0" if child.endswith("flange") else "0 0 0")
        return f'<joint name="{child}_mount" type="fixed">{ends}<origin xyz="{xyz}" rpy="{rpy}"/></joint>'
    i = int(number[2])
    limit = f'<axis xyz="{TABLE.get(child, ABOUT[i])}"/><limit lower="-2.5" upper="2.5" velocity="2" effort="50"/>'
    name = child.replace("link", "joint")
    xyz = "0 0 0.1" if i == 1 else ALONG.get(i, "0.2 0 0")
    return f'<joint name="{name}" type="revolute">{ends}<origin xyz="{xyz}"/>{limit}</joint>'


def urdf(printed: str) -> str:
    pairs = meant(printed)
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return f'<robot name="cell">{"".join(map(body, names))}{"".join(carried(*pair) for pair in pairs)}</robot>'


@each("example", PRINTED)
@each("profile", ["industrial", "industrial-strict"])
def test_the_printed_trees_follow_the_rep(example, profile):
    robot = kt.load(urdf(PRINTED[example]), format="urdf")
    assert [arm.prefix for arm in arms(robot)] == PREFIXES[example]
    found = kt.check(
        robot, profile=profile, ignore=["R199-201", "GEO-007"]
    )  # about the controller; all parts are alike
    assert found == []


def test_they_are_printed_so():
    page = shared("seeds", "rep-0199-coordinate-frames-industrial-manipulators.txt").read_text("utf-8").splitlines()
    assert set(PRINTED.values()) <= set(page)


@each(
    "example, old, new, code",
    [
        ("one arm", "├ base └ link_1", "└ link_1", "R199-208"),
        ("one arm", "├ base └ link_1", "└ base └ link_1", None),  # which is allowed
        ("one arm", "└ tool0", "└ tip", "R199-501"),
        ("one arm with a tool", "├ tool0 ├ eef_base_link │ └ .. │ └ eef_link_N", "├ tool0", None),
        ("one arm with a tool", "├ tool0 ├ eef_base_link", "├ eef_base_link", "R199-501"),
        ("one arm with a tool", "└ eef_tcp", "└ tool1", "R199-601"),
        ("an arm and a positioner", "positioner_tool0", "tool0", "R199-702"),
        ("two arms", "left_link_N", "upper_link", "R199-701"),
    ],
)
def test_what_departs_from_them_is_found(example, old, new, code):
    assert old in PRINTED[example]
    robot = kt.load(urdf(PRINTED[example].replace(old, new)), format="urdf")
    codes = {finding.code for finding in kt.check(robot, profile="industrial")}
    assert (code in codes) if code else not codes


def test_base_is_reached_from_anywhere_in_the_chain_and_back():
    """The clause on base names two ways: from base to tool0, and from link_4 to base."""
    robot = kt.load(urdf(PRINTED["one arm"]), format="urdf")
    q = np.random.default_rng(0).uniform(-2, 2, (20, robot.nq))
    for frame in ("tool0", "link_4", "base_link", "flange"):
        there, back = (kt.fk(robot, *way).interpret(q) for way in ((frame, "base"), ("base", frame)))
        np.testing.assert_allclose(there @ back, np.broadcast_to(np.eye(4), there.shape), atol=1e-14)
        through = kt.fk(robot, "link_4", "base").interpret(q) @ kt.fk(robot, frame, "link_4").interpret(q)
        np.testing.assert_allclose(there, through, atol=1e-14)


def test_a_left_handed_frame_is_no_transform_of_a_right_handed_one():
    """A rotation has determinant 1; the matrix that mirrors an axis is refused, not made a frame."""
    text = """convention = "dh"
units = { length = "m", angle = "deg" }
base = { matrix = [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]] }
rows = [{ joint = "q1", a = 1, d = 0, alpha = 0, theta = 0 }]
"""
    with pytest.raises(kt.KinetreeError) as refused:
        kt.load(text, format="dh")
    assert refused.value.findings[0].code == "not-a-rotation"


def test_an_end_effector_is_attached_to_flange_as_it_is():
    """Its own root stands where flange does, without a turn, which on tool0 it would need; and the rules agree."""
    arm = kt.load(urdf(PRINTED["one arm"]), format="urdf")
    hand = kt.load(f'<robot name="hand">{body("base_link")}</robot>', format="urdf")
    cell = kt.edit.attach(arm, hand, "flange", prefix="eef_")
    q = np.random.default_rng(1).uniform(-2, 2, cell.nq)
    assert np.array_equal(kt.fk(cell, "eef_base_link", base="flange")(q), np.eye(4))
    turned = kt.fk(cell, "eef_base_link", base="tool0")(q)[:3, :3]
    assert np.trace(turned) == pytest.approx(1)  # a quarter turn
    assert kt.check(cell, profile="industrial") == []
    wrong = kt.check(kt.edit.attach(arm, hand, "tool0", prefix="eef_"), profile="industrial")
    assert {"R199-401", "R199-508"} & {finding.code for finding in wrong}


@pytest.mark.slow
def test_two_arms_are_put_into_a_cell_by_their_shared_base_link():
    arms_ = kt.load(urdf(PRINTED["two arms"]), format="urdf")
    assert arms_.root == "base_link"
    hall = kt.load('<robot name="hall"><link name="hall"/></robot>', format="urdf")
    T = np.eye(4)
    T[:3, 3] = 3, 2, 1
    whole = kt.edit.attach(hall, arms_, "hall", T)
    q = np.random.default_rng(2).uniform(-2, 2, arms_.nq)
    for frame in ("base", "left_tool0", "right_tool0"):
        np.testing.assert_allclose(kt.fk(whole, frame)(q), T @ kt.fk(arms_, frame)(q), atol=1e-14)


@pytest.mark.slow
def test_a_tool0_that_was_moved_is_found_by_comparison():
    upstream = kt.load(urdf(PRINTED["one arm"]), format="urdf")
    text = urdf(PRINTED["one arm"])
    at = text.index('<child link="tool0"/><origin xyz="0 0 0"')
    moved = kt.load(text[:at] + text[at:].replace('xyz="0 0 0"', 'xyz="0 0 0.001"', 1), format="urdf")
    comparison = kt.compare(upstream, moved)
    assert not comparison.same
    assert [(found.kind, found.element) for found in comparison.differences] == [("frame", "frame 'tool0'")]
    assert kt.compare(upstream, upstream).same


def test_every_clause_is_quoted_from_the_text():
    """Rules and questions quote REP-199 word by word, with … for what they leave out."""
    path = shared("seeds", "rep-0199-coordinate-frames-industrial-manipulators.txt")
    lines = [line.replace(" [1]", "").replace("(s)", "s") for line in path.read_text("utf-8").splitlines()]
    quoted = {row.code: row.clause for row in (*RULES, *CLAUSES)}
    assert len(quoted) == 50
    for code, clause in quoted.items():
        parts = [re.escape(part.strip(" ,")) for part in clause.replace(" [1]", "").split("…")]
        assert any(re.search(".*".join(parts), line) for line in lines), (code, clause)


def test_the_page_says_what_the_rep_is():
    """Where a sentence of the REP asks for nothing, the page of its clauses says the same."""
    lines = shared("seeds", "rep-0199-coordinate-frames-industrial-manipulators.txt").read_text("utf-8").splitlines()
    page = " ".join((DOCS / "reference" / "rep199.md").read_text("utf-8").split())
    for line, printed, said in (
        (6, "Status: | Draft", "draft"),
        (7, "Type: | Informational", "informational draft"),
        (13, "this is not an official REP", "that never became official"),
        (22, "No further special treatment", "The REP asks nothing of base_link beyond these clauses."),
        (93, "public domain", "It is in the public domain."),
    ):
        assert printed in lines[line - 1]
        assert said in page
