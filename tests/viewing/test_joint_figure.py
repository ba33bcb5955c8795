"""The figure of a joint: two frames, the constant between them, the axis and the motion, where the numbers say."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.kinematics import joint_origin
from kinetree.viewing.joint_figure import _some_motion, joint_figure
from physics import everything
from support import all_frames, random_q
from svg_figures import NS, camera_of, groups_of, lines_of, parsed, points_of, seen, words_of

RED, BLUE = "#c8102e", "#1f4fd8"
ROBOT = everything()
ARM = kt.load(
    """<robot name="arm"><link name="base_link"/><link name="upper_arm"/><link name="forearm"/><link name="slider"/>
  <joint name="elbow" type="revolute"><parent link="upper_arm"/><child link="forearm"/>
    <origin xyz="0.1 0 0.4"/><axis xyz="0 1 0"/><limit lower="-0.3" upper="2.5" velocity="3" effort="40"/></joint>
  <joint name="shoulder" type="revolute"><parent link="base_link"/><child link="upper_arm"/>
    <axis xyz="0 0 1"/><limit lower="-0.5" upper="0.2" velocity="3" effort="40"/></joint>
  <joint name="lift" type="prismatic"><parent link="forearm"/><child link="slider"/><origin xyz="0 0 0.5"/>
    <axis xyz="1 0 0"/><limit lower="-0.25" upper="0.1" velocity="3" effort="40"/></joint></robot>""",
    format="urdf",
)


def area(root):
    return next(element for element in root.iter(f"{NS}svg") if "data-camera" in element.attrib)


def numbers(root):
    """The matrices at the bottom, by the first word of their titles."""
    words = [element.text for element in root.findall(f"{NS}text")]
    titles = [i for i, word in enumerate(words) if word.split()[0] in ("Ts", "v(q)", "C", "A(q)")]
    return {words[i].split()[0]: np.array(words[i + 1 : i + 17], dtype=float).reshape(4, 4) for i in titles}


@pytest.mark.slow
@each("name", list(ROBOT.joints))
def test_frames_and_transforms_of_every_type_stand_where_fk_says(name):
    joint, q = ROBOT.joints[name], random_q(ROBOT, np.random.default_rng(3))
    T = all_frames(ROBOT, q)
    A = np.linalg.inv(T[joint.parent]) @ T[joint.child]
    root = parsed(joint_figure(ROBOT, name, q))
    camera, Ts = camera_of(root), joint.origin
    assert not any("drawn apart" in words for words in words_of(root))
    scale = np.linalg.norm(camera[0, :3])
    for kind, pose in (("parent", np.eye(4)), ("link", A)):
        (frame,) = groups_of(root, f"frame {kind}")
        for axis, letter in enumerate("xyz"):
            (ends,) = lines_of(frame, letter)
            tip = pose[:3, 3] + pose[:3, axis] * 100.0 / scale
            assert np.abs(ends - seen(camera, [pose[:3, 3], tip])).max() < 2e-3
    (arrow,) = lines_of(area(root), "Ts")
    assert np.abs(arrow - seen(camera, [np.zeros(3), Ts[:3, 3]])).max() < 2e-3
    (constant,) = lines_of(area(root), "constant")
    assert np.abs(constant - seen(camera, [(A @ np.linalg.inv(joint.child_origin)), A])).max() < 2e-3
    moved = A @ np.linalg.inv(joint.child_origin)
    axes = lines_of(area(root), "axis")
    assert len(axes) == len(joint.axes)
    for line, axis, pose in zip(axes, joint.axes, (Ts, moved), strict=False):  # the second turns with the first
        tips = Ts[:3, 3] + np.outer((-125.0 / scale, 125.0 / scale), pose[:3, :3] @ axis)
        assert np.abs(line - seen(camera, tips)).max() < 2e-3
    shown = numbers(root)
    assert np.abs(shown["Ts"] - Ts).max() < 6e-4
    assert np.abs(shown["C"] - joint.child_origin).max() < 6e-4
    assert np.abs(shown["A(q)"] - A).max() < 6e-4
    assert np.abs(shown["Ts"] @ shown["v(q)"] @ shown["C"] - A).max() < 1e-2
    moves = lines_of(area(root), "v")
    assert len(moves) == {"fixed": 0, "screw": 2, "planar": 2, "floating": 2}.get(joint.type, 1)
    if np.abs(moved[:3, 3] - Ts[:3, 3]).max() > 1e-9:
        assert np.abs(moves[0][[0, -1]] - seen(camera, [Ts, moved])).max() < 2e-3
    if joint.kind.turns:
        assert np.linalg.norm(moves[-1] - seen(camera, moved), axis=1).max() <= 70.01


def test_a_turn_is_an_arc_from_the_axis_to_the_moved_axis():
    q = 1.2
    root = parsed(joint_figure(ARM, "elbow", ARM.q(elbow=q)))
    camera = camera_of(root)
    radius = 70.0 / np.linalg.norm(camera[0, :3])
    (arc,) = lines_of(area(root), "v")
    t = np.linspace(0.0, q, len(arc))
    points = np.array([0.1, 0.0, 0.4]) + radius * np.stack([np.cos(t), 0 * t, -np.sin(t)], axis=1)  # y takes x to -z
    assert len(arc) > 10
    assert np.abs(arc - seen(camera, points)).max() < 2e-3
    (axis,) = lines_of(area(root), "axis")
    assert np.abs(np.linalg.det([axis[1] - axis[0], camera[:, 1]])) < 1e-2 * np.linalg.norm(camera[:, 1])
    assert "revolute, 68.75°" in words_of(root)


def test_a_slide_is_an_arrow_along_the_axis():
    root = parsed(joint_figure(ARM, "lift", ARM.q(lift=-0.2)))
    camera = camera_of(root)
    (arrow,) = lines_of(area(root), "v")
    assert np.abs(arrow - seen(camera, [[0.0, 0.0, 0.5], [-0.2, 0.0, 0.5]])).max() < 2e-3
    assert "prismatic, -200 mm" in words_of(root)


def test_without_q_a_joint_moves_within_its_limits():
    for name, value in (
        ("elbow", "revolute, 40°"),
        ("shoulder", "revolute, -28.65°"),
        ("lift", "prismatic, -250 mm"),
    ):
        assert value in words_of(parsed(joint_figure(ARM, name)))


def test_red_is_of_the_link_and_blue_of_its_parent():
    root = parsed(joint_figure(ARM, "elbow"))
    (parent,) = groups_of(root, "frame parent")
    blue = [line.attrib["stroke"] for line in parent.findall(f"{NS}polyline")]
    every = [line.attrib["stroke"] for line in area(root).iter(f"{NS}polyline")]
    assert blue == [BLUE] * 3
    assert sorted(every) == sorted(blue + [RED] * (len(every) - 3))
    names = {text.text: text.attrib["fill"] for text in root.iter(f"{NS}text")}
    assert names["{p(k)}"] == names["upper_arm"] == BLUE
    assert names["{k}"] == names["forearm"] == RED
    assert {"Ts", "v(q)", "A(q) = Ts v(q)", "Joint elbow of arm", "blue: of the parent link, red: of the link"} <= {
        *names
    }


def test_frames_that_coincide_are_drawn_apart_with_a_note():
    root = parsed(joint_figure(ARM, "shoulder"))
    assert "{p(k)} is drawn apart: Ts moves it 0 mm" in words_of(root)
    assert not joint_origin(ARM, "shoulder")[:3, 3].any()
    start, end = lines_of(area(root), "Ts")[0]
    assert np.linalg.norm(end - start) > 150
    assert np.abs(end - seen(camera_of(root), np.zeros(3))).max() < 2e-3
    assert "drawn apart" not in joint_figure(ARM, "elbow")


def test_a_follower_has_its_own_numbers():
    q = ROBOT.q(revolute_0=0.4)
    words = words_of(parsed(joint_figure(ROBOT, "finger", q)))
    thumb = -0.5 * 0.4 + 0.2
    assert f"revolute, {np.rad2deg(2.0 * thumb + 0.1):.4g}°" in words
    assert f"prismatic, {1000 * thumb:.4g} mm" in words_of(parsed(joint_figure(ROBOT, "thumb", q)))


def test_a_quaternion_and_its_opposite_are_one_turn():
    q = random_q(ROBOT, np.random.default_rng(3))
    for name in ("ball_b3", "floating_b4"):
        opposite = q.copy()
        opposite[ROBOT.q_slices[name]][ROBOT.joints[name].kind.quaternion] *= -1.0
        assert joint_figure(ROBOT, name, q) == joint_figure(ROBOT, name, opposite)


@pytest.mark.slow
def test_letters_stay_in_the_drawing_and_off_each_other():
    for robot in (ARM, ROBOT, kt.load("icub")):
        for name in robot.joints:
            text = joint_figure(robot, name)
            root = parsed(text)
            places = [(float(e.attrib["x"]), float(e.attrib["y"])) for e in area(root).iter(f"{NS}text")]
            assert all(0 < x < 960 and 52 < y < 600 for x, y in places), name
            two = [np.array(p) for p, e in zip(places, area(root).iter(f"{NS}text"), strict=True) if "k" in e.text]
            assert np.linalg.norm(two[0] - two[1]) > 30, name
            assert text == joint_figure(robot, name)


def test_errors():
    with pytest.raises(kt.KinetreeError, match="no joint 'elbo'; did you mean 'elbow'"):
        joint_figure(ARM, "elbo")
    with pytest.raises(kt.KinetreeError, match="poses are not finite"):
        joint_figure(ARM, "lift", np.full(3, 1e200))
    assert len(points_of(next(area(parsed(joint_figure(ARM, "elbow", np.full(3, 1e9)))).iter(f"{NS}polyline")))) == 2


def test_a_floating_joint_moves_and_turns_about_all_axes():
    joint = next(one for one in ROBOT.joints.values() if one.type == "floating")
    q = _some_motion(joint, 2.0)
    assert q[[i for i in range(7) if i < 3]] == pytest.approx(1.2)
    assert q[3:] == pytest.approx([*3 * [np.sin(np.pi / 9) / np.sqrt(3)], np.cos(np.pi / 9)])
    assert _some_motion(joint, 0.0)[0] == 0.1
