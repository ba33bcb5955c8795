"""The figure of a frame: its lines are projected poses, and its names are there."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest

import kinetree as kt
from kinetree.viewing.frame_figure import frame_figure
from physics import everything
from support import all_frames, icub_urdfs, random_q, shared
from svg_figures import NS, camera_of, groups_of, lines_of, parsed, points_of, seen, words_of

RED, GREEN, BLUE = "#d1170d", "#0a7d1e", "#1f4fd8"


@pytest.fixture(scope="module")
def icub():
    return kt.load("icub")


def check_the_sensor(icub, q, T):
    root = parsed(frame_figure(icub, "imu_frame", icub.q(q)))
    camera = camera_of(root)
    scale = np.linalg.norm(camera[0, :3])
    assert np.allclose(camera[:, :3] @ camera[:, :3].T, scale**2 * np.eye(2), rtol=0, atol=1e-6 * scale**2)
    (frame,) = groups_of(root, "frame")
    for axis, name in enumerate("xyz"):
        (ends,) = lines_of(frame, name)
        tip = T[:3, 3] + T[:3, axis] * 95.0 / scale
        assert np.abs(ends - seen(camera, [T[:3, 3], tip])).max() < 1e-6 * scale  # 1e-6 m


def test_the_inertial_sensor_stands_where_its_page_says(icub):
    T = np.eye(4)  # the product of the page's matrices at zero, by hand: 32 + 223.3 + 9.5 + 110.8 = 375.6 mm upwards
    T[:3, 3] = 0.013, 0.0066, 0.3756
    check_the_sensor(icub, {}, T)


def test_the_inertial_sensor_in_other_poses_by_another_program(icub):
    rows = json.loads(shared("facts", "truth", "icub_inertial_sensor_v2.json").read_text())
    for row in rows["configs"]:
        check_the_sensor(icub, dict(zip(rows["joint_order"], row["q_rad"], strict=True)), np.array(row["T_root_imu"]))


def test_x_is_red_y_green_z_blue_and_each_has_its_letter_and_dashes(icub):
    (frame,) = groups_of(parsed(frame_figure(icub, "imu_frame")), "frame")
    assert frame.attrib["data-name"] == "imu_frame"
    looks = {line.attrib["class"]: line.attrib for line in frame.findall(f"{NS}polyline")}
    assert {name: look["stroke"] for name, look in looks.items()} == {"x": RED, "y": GREEN, "z": BLUE}
    assert len({look.get("stroke-dasharray") for look in looks.values()}) == 3
    letters = {text.text: text.attrib for text in frame.findall(f"{NS}text")}
    assert {name: look["fill"] for name, look in letters.items()} == {"x": RED, "y": GREEN, "z": BLUE}
    for name, look in letters.items():  # beside the tip of its axis
        tip = points_of(next(line for line in frame.findall(f"{NS}polyline") if line.attrib["class"] == name))[1]
        assert np.hypot(float(look["x"]) - tip[0], float(look["y"]) - tip[1]) < 22


def test_the_chain_goes_through_every_link_and_the_axes_along_every_joint(icub):
    q = random_q(icub, np.random.default_rng(4))
    root = parsed(frame_figure(icub, "l_hand", q))
    camera, T = camera_of(root), all_frames(icub, q)
    (chain,) = (points_of(line) for line in root.iter(f"{NS}polyline") if line.attrib.get("class") == "chain")
    joints = [joint for joint in icub.joints_to("l_hand") if joint.kind.nv]
    for link in ("root_link", *(joint.child for joint in icub.joints_to("l_hand"))):
        assert np.abs(chain - seen(camera, T[link])).max(axis=1).min() < 2e-3
    assert np.abs(chain[[0, -1]] - seen(camera, [T["root_link"], T["l_hand"]])).max() < 2e-3
    drawn = groups_of(root, "joint")
    assert len(drawn) == len(joints) == 10
    for group, joint in zip(drawn, joints, strict=True):
        (ends,) = lines_of(group, "axis")
        axis = camera[:, :3] @ T[joint.child][:3, :3] @ joint.axes[0]  # the axis does not move with its own joint
        along = ends[1] - ends[0]
        assert abs(np.linalg.det([along, axis])) < 1e-2 * np.linalg.norm(along) * max(np.linalg.norm(axis), 1.0)
        assert along @ axis > 0
        assert np.abs(ends.mean(axis=0) - seen(camera, T[joint.child])).max() < 2e-3


def test_names_values_title_and_numbers(icub):
    words = words_of(parsed(frame_figure(icub, "imu_frame", icub.q(torso_pitch=np.pi / 6))))
    joints = {joint.name for joint in icub.joints_to("head")}
    assert {*joints, "root_link", "imu_frame", "imu_frame of icub, with joints moved", "revolute, 30°"} <= {*words}
    T = kt.fk(icub, "imu_frame")(icub.q(torso_pitch=np.pi / 6))
    assert "T of imu_frame in root_link, m" in words
    assert [f"{value + 0.0:.6f}" for value in T.round(6).ravel()] == [w for w in words if w[-7:-6] == "."]
    assert "imu_frame of icub, at neutral" in words_of(parsed(frame_figure(icub, "imu_frame")))


def test_names_do_not_overlap_and_stay_in_the_picture(icub):
    for robot, frame in ((icub, "l_hand"), (icub, "root_link"), (long_robot(60), "l60")):
        root = parsed(frame_figure(robot, frame))
        y = sorted(float(e.attrib["y"]) for e in root.iter(f"{NS}text") if float(e.attrib["x"]) > 620.0)
        column = [v for v in y if v < float(root.attrib["height"]) - 165.0]
        assert min(np.diff(column), default=20.0) > 15.0
        assert column[0] > 52.0
    assert {"l60", "l0", "j7 (revolute, 0°)"} <= {*words_of(root)}


def test_lines_to_names_go_down_in_the_order_of_their_points(icub):
    for frame in ("l_hand", "imu_frame", "r_foot"):
        root = parsed(frame_figure(icub, frame))
        lines = [points_of(line) for line in root.iter(f"{NS}polyline") if line.attrib.get("class") == "leader"]
        ends = np.array([line[-1] for line in lines])[np.argsort([line[0][1] for line in lines])]
        assert np.diff(ends[:, 1]).min() > -12.1  # nearer ones are in the order of the chain


def test_the_axes_of_a_universal_joint_turn_as_it_does():
    robot = everything()
    q = random_q(robot, np.random.default_rng(8))
    root = parsed(frame_figure(robot, "branch2", q))
    camera, T, joint = camera_of(root), all_frames(robot, q), robot.joints["universal_b2"]
    lines = lines_of(groups_of(root, "joint")[-1], "axis")
    before = T[joint.parent] @ joint.origin
    after = T[joint.child] @ np.linalg.inv(joint.child_origin)
    for ends, pose, axis in zip(lines, (before, after), joint.axes, strict=True):
        reach = 48.0 / np.linalg.norm(camera[0, :3]) * (pose[:3, :3] @ axis)
        assert np.abs(ends - seen(camera, [after[:3, 3] - reach, after[:3, 3] + reach])).max() < 2e-3


def long_robot(n):
    joint = '<joint name="j{1}" type="revolute"><parent link="l{0}"/><child link="l{1}"/><origin xyz="0.1 0.01 0"/>'
    joint += '<axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>'
    links = "".join(f'<link name="l{i}"/>' for i in range(n + 1))
    text = f'<robot name="long">{links}{"".join(joint.format(i, i + 1) for i in range(n))}</robot>'
    return kt.load(text, format="urdf")


@pytest.mark.slow
def test_every_frame_of_a_robot_with_every_joint_type():
    robot = everything()
    q = random_q(robot, np.random.default_rng(5))
    T = all_frames(robot, q)
    for name in robot.frames:
        root = parsed(frame_figure(robot, name, q))
        camera = camera_of(root)
        (frame,) = groups_of(root, "frame")
        starts = [lines_of(frame, axis)[0][0] for axis in "xyz"]
        assert np.abs(starts - seen(camera, T[name])).max() < 2e-3
        kinds = [robot.joints[joint.name].type for joint in robot.joints_to(robot.frames[name].link)]
        assert len(groups_of(root, "joint")) == sum(kind != "fixed" for kind in kinds)
        assert len(groups_of(root, "robot")[0]) == len(robot.joints)


@pytest.mark.slow
def test_every_icub_and_its_deepest_frame():
    for path in icub_urdfs()[:4:3]:
        robot = kt.load(path)
        frame = max(robot.links, key=lambda link: len(robot.joints_to(link)))
        assert f"{frame} of {robot.name}, at neutral" in words_of(parsed(frame_figure(robot, frame)))


HOSTILE = "<&\"'>]]>\x1b\u202e" + "long " * 60


def test_hostile_names_are_escaped_and_cut():
    from dataclasses import replace

    from kinetree.model.assemble import Parts, build
    from kinetree.model.robot import Joint, Link

    joint = Joint(HOSTILE, "revolute", "base", f"{HOSTILE}!", axes=np.eye(3)[2:])
    robot = replace(build(Parts(HOSTILE, [Link("base"), Link(f"{HOSTILE}!")], [joint])), name=HOSTILE)
    text = frame_figure(robot, f"{HOSTILE}!")
    root = parsed(text)
    assert {element.tag.removeprefix(NS) for element in root.iter()} <= {
        *("svg", "title", "rect", "g", "polyline", "polygon", "circle", "text")
    }
    assert max(map(len, words_of(root))) < 130
    assert "<&\"'>]]>\\x1b\\u202elong …" in words_of(root)
    assert text == frame_figure(robot, f"{HOSTILE}!")


def test_errors(icub):
    with pytest.raises(kt.KinetreeError, match="no frame 'imu'; did you mean 'imu_frame'"):
        frame_figure(icub, "imu")
    with pytest.raises(kt.KinetreeError, match="poses are not finite"):
        frame_figure(everything(), "trunk5", np.full(everything().nq, 1e200))


def test_it_is_plain_text_that_stays_the_same(icub):
    text = frame_figure(icub, "imu_frame")
    assert text == frame_figure(kt.load("icub"), "imu_frame")
    assert len(text) < 60_000
    assert not [
        e for e in ElementTree.fromstring(text).iter() if "href" in "".join(e.attrib) or e.tag.endswith("script")
    ]
