"""Faults that converters to OpenUSD make, planted in the USD of real robots: `compare` or `check` names each."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest

import kinetree as kt
from each import each
from support import example_robot_urdfs

pytestmark = pytest.mark.slow

ROBOTS = ("panda", "anymal", "solo12", "talos_reduced", "go2", "xarm7", "z1", "hyq_no_sensors", "g1_29dof_rev_1_0")
WITHOUT = ("geometry", "material", "extension", "safety", "calibration", "group", "sensor", "coupled_limit")
NUMBER = r"[-+\d.einf]+"


@cache
def written(name: str) -> tuple[kt.Robot, str]:
    """Return a robot and its USD as other writers make it: inertias by principal moments and axes alone."""
    file = next(path for path in example_robot_urdfs() if path.stem == name)
    text = kt.text(kt.load(file), "usd", without=WITHOUT)
    text = re.sub(r"\n *(double\[\] newton:inertia|custom quatd kinetree:inertiaAxes) = .*", "", text)
    return kt.load(text, format="usd"), text


def edited(text: str, head: str, pattern: str, change) -> str:
    """Return a text in which the first match of a pattern below the line `head` is changed. change: of its groups."""
    start = text.index(head)
    found = re.compile(pattern).search(text, start)
    assert found is not None
    new = found[0]
    for i in range(found.re.groups, 0, -1):
        low, high = found.start(i) - found.start(), found.end(i) - found.start()
        new = new[:low] + change(found[i]) + new[high:]
    assert new != found[0]
    return text[: found.start()] + new + text[found.end() :]


def numbers(change):
    """Return a change of a text of numbers between commas. change: from a list of floats to another."""
    return lambda text: ", ".join(f"{x:.9g}" for x in change([float(one) for one in text.split(",")]))


def joint_of(robot: kt.Robot, rng: random.Random) -> str:
    """Return a joint that turns between limits, and carries something with mass or joints behind it."""
    return rng.choice([one.name for one in robot.joints.values() if one.type == "revolute" and one.mimic is None])


def link_of(robot: kt.Robot, rng: random.Random) -> str:
    """Return a link whose moments differ and whose principal axes are not its own."""

    def is_turned(link: kt.model.robot.Link) -> bool:
        inertial = link.inertial
        if inertial is None or inertial.mass < 0.05 or link.name == robot.root:
            return False
        R, moments = inertial.origin[:3, :3], inertial.inertia.diagonal()
        full = R @ inertial.inertia @ R.T
        return abs(full[[0, 0, 1], [1, 2, 2]]).max() > 1e-3 * moments.max()

    return rng.choice([one.name for one in robot.links.values() if is_turned(one)])


JOINT, LINK = 'def PhysicsRevoluteJoint "{}"', 'def Xform "{}"'
PLANTED = {
    "axis": (joint_of, JOINT, r'physics:axis = "(.)"', lambda axis: {"X": "Y", "Y": "Z", "Z": "X"}[axis]),
    "limit in radians": (joint_of, JOINT, rf"upperLimit = ({NUMBER})", numbers(lambda x: [x[0] * 0.017453 + 1e-3])),
    "joint frame": (
        joint_of,
        JOINT,
        r"localPos0 = \((.*)\)",
        numbers(lambda p: [p[0] + 0.01, p[1] + 0.01, p[2] - 0.01]),
    ),
    "principal axes": (link_of, LINK, r"principalAxes = \((.*)\)", numbers(lambda q: [q[0], -q[1], -q[2], -q[3]])),
    "moments": (link_of, LINK, r"diagonalInertia = \((.*)\)", numbers(lambda m: [m[1] * 1.01, m[2], m[0]])),
    "mass": (link_of, LINK, rf"physics:mass = ({NUMBER})", numbers(lambda m: [m[0] * 1.01])),
    "centre": (link_of, LINK, r"centerOfMass = \((.*)\)", numbers(lambda c: [c[0] + 2e-4, c[1], c[2]])),
}
"""Where a fault is, its line and pattern, and what becomes of what the groups match."""
KINDS = {
    "axis": ("axis",),
    "limit in radians": ("limit",),
    "joint frame": ("axis", "zero", "frame", "inertia"),
}
"""Kinds of the differences that name a fault; "inertia" if there is none."""


@each("name", ROBOTS)
@each("fault", PLANTED)
@pytest.mark.nightly
def test_of_a_part_is_named_with_it(fault, name):
    robot, text = written(name)
    choose, head, pattern, change = PLANTED[fault]
    part = choose(robot, random.Random(f"{name} {fault}"))
    wrong = kt.load(edited(text, head.format(part), pattern, change), format="usd")
    result = kt.compare(robot, wrong)
    assert not result.same
    kinds = KINDS.get(fault, ("inertia",))
    carried = robot.joints[part].child if part in robot.joints else part
    named = [one for one in result.differences if one.counts and one.kind in kinds]
    about = [one for one in named if f"'{part}'" in str(one) or f"'{carried}'" in str(one)]
    assert about or f"'{carrier(robot, part)}'" in str(named), result
    others = {one.kind for one in result.differences if one.counts} - {*kinds, "frame"}
    assert not others, result
    if fault == "joint frame":
        apart = [note for note in wrong.notes if note.code == "usd-apart"]
        assert [note.element.rpartition("/")[2] for note in apart] == [part]


def carrier(robot: kt.Robot, link: str) -> str:
    """Return the link of the body to which a link belongs, above all fixed joints."""
    above = {joint.child: joint for joint in robot.joints.values()}
    while link in above and above[link].type == "fixed":
        link = above[link].parent
    return link


@each("name", ROBOTS)
@each("key, factor", [("metersPerUnit", 0.01), ("kilogramsPerUnit", 1000.0)])
@pytest.mark.nightly
def test_of_units_is_named_by_every_number_of_it(key, factor, name):
    robot, text = written(name)
    result = kt.compare(robot, kt.load(edited(text, "(", rf"{key} = (1)", lambda _: f"{factor:g}"), format="usd"))
    differ = {one.kind for one in result.differences if one.counts}
    assert "inertia" in differ
    bodies = [one for one in result.differences if one.kind == "inertia"]
    assert len(bodies) >= sum(
        1 for joint in robot.joints.values() if joint.type != "fixed" and robot.links[joint.child].inertial
    )
    if key == "metersPerUnit":
        assert {"axis", "frame"} & differ


@each("name", ROBOTS)
def test_of_a_scale_is_found_by_the_check(name):
    robot, text = written(name)
    link = robot.joints[joint_of(robot, random.Random(name))].child
    scaled = "\n        float3 xformOp:scale = (2, 2, 2)\n"
    wrong = edited(
        text,
        LINK.format(link),
        r'(\n *uniform token\[\] xformOpOrder = \[)"xformOp:translate", "xformOp:orient"()',
        lambda one: f"{scaled}{one}" if one else ', "xformOp:scale"',
    )
    notes = [note for note in kt.load(wrong, format="usd").notes if note.code == "usd-scaled"]
    assert [note.element.rpartition("/")[2] for note in notes] == [link]
