"""The deepest frame of every URDF of example-robot-data and icub-models, drawn where Pinocchio says."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.viewing.frame_figure import frame_figure
from kinetree.viewing.joint_figure import joint_figure
from pinocchio_robot import PinocchioRobot, loadable
from support import icub_urdfs, random_q, sample
from svg_figures import camera_of, groups_of, lines_of, parsed, seen

pytestmark = pytest.mark.crosscheck


def test_every_robot_is_drawn_where_pinocchio_says():
    pin = pytest.importorskip("pinocchio")
    paths = [*icub_urdfs(), *loadable()]
    assert len(paths) > 80
    for path in sample(paths, 3):
        robot = kt.load(path)
        if any(joint.type == "planar" for joint in robot.joints.values()):
            continue
        other = PinocchioRobot(pin, path, robot)
        q = random_q(robot, np.random.default_rng(6))
        pin.framesForwardKinematics(other.model, other.data, other.q(q))
        frame = max(robot.links, key=lambda link: len(robot.joints_to(link)))
        T = other.data.oMf[other.frame(frame)].homogeneous
        root = parsed(frame_figure(robot, frame, q))
        camera = camera_of(root)
        scale = np.linalg.norm(camera[0, :3])
        (drawn,) = groups_of(root, "frame")
        for axis, letter in enumerate("xyz"):
            (ends,) = lines_of(drawn, letter)
            assert np.abs(ends - seen(camera, [T[:3, 3], T[:3, 3] + T[:3, axis] * 95.0 / scale])).max() < 2e-3, path


def test_every_joint_of_every_robot_is_drawn():
    for path in sample(loadable(), 4):
        robot = kt.load(path)
        for name, joint in robot.joints.items():
            root = parsed(joint_figure(robot, name))
            assert len(groups_of(root, "frame link")) == len(groups_of(root, "frame parent")) == 1
            assert len(groups_of(root, "frame joint")) == bool(joint.kind.nq)
