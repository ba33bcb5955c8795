"""Robots that branch in ETS texts, and as mappings in Python."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.serial import serial_chain
from kinetree.formats import ets
from kinetree.formats.ets import Rx, Ry, Rz, robot_of, tx, ty, tz
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.robot import Frame, Inertial, Link
from physics import random_inertial, random_joint, random_pose, total_inertia
from support import all_frames, at_length, example_robot_urdfs, frames_differ_by, icub_urdfs, random_q

TWO_ARMS = """\
name = two_arms
base = pedestal
tip = chest
tz(0.5) Rz(waist) tz(0.4)
from chest: ty(0.2) Rx(l_shoulder) tz(-0.3) Rx(l_elbow) tz(-0.25) frame(l_hand)
from chest: ty(-0.2) Rx(r_shoulder) tz(-0.3) Rx(r_elbow) link(r_forearm) tz(-0.25) frame(r_hand)  # the right one
from r_hand: tx(10 mm) fixed(screws) link(tool) ty("the jaw") tz(0.1) frame("the tip") from r_forearm: frame(elbow)
"""


def test_two_arms():
    robot = kt.load(TWO_ARMS, format="ets")
    assert robot.notes == ()
    assert robot.root == "pedestal"
    assert robot.joint_names == ("waist", "l_shoulder", "l_elbow", "r_shoulder", "r_elbow", "the jaw")
    assert [*robot.links][-4:] == ["r_shoulder_link", "r_forearm", "tool", "the jaw_link"]
    assert (robot.joints["screws"].type, robot.frames["r_hand"].link) == ("fixed", "r_forearm")
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.06])
    chest = (tz(0.5) * Rz(0.1) * tz(0.4)).A()
    r_hand = chest @ (ty(-0.2) * Rx(0.4) * tz(-0.3) * Rx(0.5) * tz(-0.25)).A()
    expected = {
        "chest": chest,
        "l_hand": chest @ (ty(0.2) * Rx(0.2) * tz(-0.3) * Rx(0.3) * tz(-0.25)).A(),
        "r_hand": r_hand,
        "r_forearm": chest @ (ty(-0.2) * Rx(0.4) * tz(-0.3) * Rx(0.5)).A(),
        "elbow": chest @ (ty(-0.2) * Rx(0.4) * tz(-0.3) * Rx(0.5)).A(),
        "tool": r_hand @ tx(0.01).T(),
        "the tip": r_hand @ (tx(0.01) * ty(0.06) * tz(0.1)).A(),
    }
    frames = all_frames(robot, q)
    for name, T in expected.items():
        assert np.abs(frames[name] - T).max() < 1e-15, name
    assert [*robot.frames][-5:] == ["chest", "l_hand", "r_hand", "the tip", "elbow"]
    again = kt.load(ets.write(build(parts_of(robot))), format="ets")
    assert [*again.frames] == [*robot.frames]
    assert frames_differ_by(robot, again, q) < 1e-15


def test_the_arms_of_the_icub_by_hand():
    """Sequences of its chains, put together as text and as a mapping: the hands are where its DH tables put them."""
    icub = kt.load("icub")
    ways = {"chest": None, "head": "chest", "l_hand": "chest", "r_hand": "chest"}
    chains = {tip: ets.ets_of(serial_chain(icub, base, tip)) for tip, base in ways.items()}
    lines = [f"from {base or 'root_link'}: {chains[tip]} frame({tip})" for tip, base in ways.items()]
    text = kt.load("base = root_link\n" + "\n".join(lines), format="ets")
    built = robot_of({tip: (base or "root_link", chains[tip]) for tip, base in ways.items()}, "icub")
    assert built.name == "icub"
    arms = ("torso_pitch", "torso_roll", "torso_yaw")
    assert text.joint_names[:3] == built.joint_names[:3] == arms
    q = random_q(icub, np.random.default_rng(7))
    for robot in (text, built):
        frames = all_frames(robot, [q[icub.joint_names.index(name)] for name in robot.joint_names])
        for tip in ways:
            assert np.abs(frames[tip] - all_frames(icub, q)[tip]).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("which", ["icub", "V2_5", "talos_reduced.urdf"])
def test_a_humanoid_comes_back_whole(which):
    paths = example_robot_urdfs() if which.endswith(".urdf") else icub_urdfs()
    robot = kt.load(which if which == "icub" else next(path for path in paths if which in str(path)))
    lost = ("extension", "geometry", "material", "sensor", "limit", "coupled_limit", "dynamics", "group", "mimic")
    text = ets.write(robot, (*lost, "safety", "calibration"))
    again = kt.load(text, format="ets")
    assert (again.name, again.root, again.placed) == (robot.name, robot.root, robot.placed)
    assert {*again.links} == {*robot.links}
    assert [*again.frames][len(robot.links) :] == [*robot.frames][len(robot.links) :]
    assert frames_differ_by(robot, again, random_q(robot, np.random.default_rng(8))) < 1e-12


def test_a_mapping():
    hand = Inertial(0.5, 1e-4 * np.eye(3))
    robot = robot_of(
        {
            "chest": ("base", tz(0.3) * Rz("waist")),
            "l_hand": ("chest", ty(0.2) * Ry("l_shoulder") * tx(0.3) * Ry("l_elbow") * tx(0.2)),
            "r_hand": ("chest", ty(-0.2) * Ry("r_shoulder") * tx(0.3) * Ry("r_elbow") * tx(0.2), hand),
            "tool": ("r_hand", tx(0.1)),
            "camera": ("l_shoulder_link", Rz("pan")),
        },
        "two_arms",
    )
    assert [*robot.links] == [
        "base", "chest", "l_shoulder_link", "l_hand", "r_shoulder_link", "r_hand", "tool", "camera",
    ]  # fmt: skip
    assert (robot.joints["tool_joint"].type, robot.joints["r_elbow"].child) == ("fixed", "r_hand")
    assert robot.links["r_hand"].inertial is hand
    T = (tz(0.3) * Rz(0.1) * ty(-0.2) * Ry(0.4) * tx(0.3) * Ry(0.5) * tx(0.2) * tx(0.1)).A()
    q = robot.q(waist=0.1, r_shoulder=0.4, r_elbow=0.5, l_elbow=2.0, pan=1.0)
    assert np.abs(all_frames(robot, q)["tool"] - T).max() < 1e-15
    with pytest.raises(kt.KinetreeError, match="no link or frame 'hand' before this; did you mean 'l_hand'"):
        robot_of({"l_hand": ("base", Rz("a")), "tool": ("hand", tx(1))})
    with pytest.raises(kt.KinetreeError, match="there is already a link of this name"):
        robot_of({"a": ("base", Rz("a")), "base": ("a", tx(1))})
    assert [*robot_of({}).links] == ["base_link"]


@each(
    "text, frames",
    [
        ("Rz(q1) tx(1)", ["base_link", "q1_link", "tip"]),
        ("Rz(q1)", ["base_link", "q1_link", "tip"]),
        ("tip = end\nRz(q1) link(hand)", ["base_link", "hand", "end"]),
        ("tip = tip\nRz(q1) link(hand)", ["base_link", "hand", "tip"]),
        ("Rz(q1) link(hand) mass(1)", ["base_link", "hand"]),
        ("from base_link: Rz(q1) tx(1) mass(1)", ["base_link", "q1_link"]),
        ("Rz(q1) link(hand) mass(1) tx(1)", ["base_link", "hand", "tip"]),
        ("Rz(q1) tx(1) frame(hand)", ["base_link", "q1_link", "hand"]),
        ("Rz(q1) from base_link: Rz(q2)", ["base_link", "q1_link", "q2_link"]),
        ("tip = end\nRz(q1) from end: Rz(q2)", ["base_link", "q1_link", "q2_link", "end"]),
        ("mass(1)", ["base_link", "tip"]),
        ("from base_link: mass(1)", ["base_link"]),
    ],
)
def test_which_frames_a_text_has(text, frames):
    robot = kt.load(text, format="ets")
    assert [*robot.frames] == frames
    assert robot.notes == ()
    again = kt.load(ets.write(build(parts_of(robot))), format="ets")
    assert [*again.frames] == frames
    assert [link.inertial and link.inertial.mass for link in again.links.values()] == [
        link.inertial and link.inertial.mass for link in robot.links.values()
    ]


@pytest.mark.slow
def test_any_tree_comes_back():
    """Random poses on both sides of random axes, and random masses."""
    for seed in range(at_length(8, 100)):
        rng = np.random.default_rng(seed)
        links, joints = [Link("l0", random_inertial(rng))], []
        for i in range(1, 12):
            type = rng.choice(["continuous", "prismatic", "fixed"])
            joints.append(random_joint(rng, f"j{i}", type, f"l{rng.integers(i)}", f"l{i}"))
            joints[-1] = replace(joints[-1], limits=(), dynamics=())
            links.append(Link(f"l{i}", random_inertial(rng) if rng.random() < 0.7 else None))
        frames = [Frame(f"f{i}", f"l{rng.integers(12)}", random_pose(rng)) for i in range(4)]
        robot = build(Parts("tree", links, joints, frames))
        again, q = kt.load(ets.write(robot), format="ets"), rng.uniform(-2, 2, robot.nq)
        assert again.joint_names == robot.joint_names
        assert frames_differ_by(robot, again, q) < 1e-12
        assert np.abs(total_inertia(robot, q, "l0") - total_inertia(again, q, "l0")).max() < 1e-10
        few = {*kt.load(ets.write(robot, ("frame",)), format="ets").frames}
        leaves = {link for link in robot.links if not robot.child_joints(link)}
        assert few == {*robot.links, *{frame.link: frame.name for frame in frames if frame.link in leaves}.values()}


def test_names_of_all_kinds_come_back():
    names = ["a b", "c:d", 'e"f', "µ)", "from", "#g", "h/i.j-k", "link"]
    text = "\n".join(f'from base_link: Rz("j{i}") link({quoted}) frame({end})' for i, (quoted, end) in enumerate(
        (ets_quoted(name), ets_quoted(f"{name}!")) for name in names))  # fmt: skip
    robot = kt.load(text, format="ets")
    assert [*robot.links] == ["base_link", *names]
    again = kt.load(ets.write(build(parts_of(robot))), format="ets")
    assert [*again.frames] == [*robot.frames]


def ets_quoted(name: str) -> str:
    return '"' + name.replace('"', '\\"') + '"'


def test_an_axis_that_is_nearly_x_is_turned():
    """1e-8 off x: the other numbers are lost in its length, not in the pose."""
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
        '<child link="b"/><axis xyz="-1 1e-8 0"/></joint></robot>'
    )
    robot = kt.load(text, format="urdf")
    again = kt.load(ets.write(robot), format="ets")
    assert frames_differ_by(robot, again, np.array([1.3])) < 1e-15


@pytest.mark.parametrize("type", ["floating", "planar"])
def test_joints_of_several_coordinates_are_lost_aloud(type):
    joint = f'<joint name="j" type="{type}"><parent link="a"/><child link="b"/></joint>'
    robot = kt.load(f'<robot name="r"><link name="a"/><link name="b"/>{joint}</robot>', format="urdf")
    with pytest.raises(kt.KinetreeError, match=f"ETS cannot express a {type} joint"):
        ets.write(robot)


def test_a_sequence_is_no_robot():
    with pytest.raises(kt.KinetreeError, match="frame stands in the texts of robots alone"):
        ets.parse("Rz(q1) frame(a)")
    assert str(ets.parse("Rx(90°) Ry(-90°) Rz(180°) Rz(-pi) Rx(1)")) == "Rx(pi/2) Ry(-pi/2) Rz(pi) Rz(-pi) Rx(1)"
