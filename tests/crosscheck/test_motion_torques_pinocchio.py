"""Torques along motions beside Pinocchio's, with dampers and a payload."""

import re

import numpy as np
import pytest

import kinetree as kt
from kinetree.motion import Motion, check, retime, through
from pinocchio_robot import PinocchioRobot
from support import example_robot_urdfs

pin = pytest.importorskip("pinocchio")
pytestmark = pytest.mark.crosscheck
ARMS = {"ur5_robot": ("tool0", 2.5), "panda": ("panda_link8", 1.5), "xarm7": ("link7", 1.0)}
"""A frame of each arm, and what it carries, kg."""


class Referee:
    """An arm in Pinocchio with a mass at a frame, which adds what dampers take."""

    def __init__(self, path, robot, frame, kg):
        self.peer = PinocchioRobot(pin, path, robot)
        model = self.peer.model
        place = model.frames[model.getFrameId(frame)]
        model.appendBodyToJoint(place.parentJoint, pin.Inertia(kg, np.zeros(3), np.zeros((3, 3))), place.placement)
        self.peer.data = model.createData()
        rows = [robot.joints[name].dynamics for name in robot.joint_names]
        self.damping = np.array([row[0].damping if row else 0.0 for row in rows])

    def torques(self, motion):
        """Return the torques (n, nv) of q, qd and qdd of a motion."""
        peer = self.peer
        samples = zip(peer.q(motion.q), motion.qd @ peer.G.T, motion.qdd @ peer.G.T, strict=True)
        tau = np.array([pin.rnea(peer.model, peer.data, *one) for one in samples]) @ peer.G
        return tau + motion.qd * self.damping


@pytest.fixture(scope="module", params=ARMS)
def case(request):
    """A robot, its payload, its referee, limits of torque and the fastest motion inside them on a random path."""
    frame, kg = ARMS[request.param]
    path = next(file for file in example_robot_urdfs() if file.name == f"{request.param}.urdf")
    robot = kt.load(path)
    arm = [name for name in robot.joint_names if name in {joint.name for joint in robot.joints_to(frame)}]
    referee, rng = Referee(path, robot, frame, kg), np.random.default_rng(5)
    points = 0.4 * robot.limits.sample(5, rng) + 0.6 * robot.q()
    others = [i for i, name in enumerate(robot.joint_names) if name not in arm]
    points[:, others] = robot.q()[others]
    way = through(robot, points)
    q = way(np.linspace(*way.s[[0, -1]], 400))
    still = referee.torques(Motion(way.names, None, q, (), robot, 0 * q, 0 * q))
    limit = 1.3 * np.abs(still).max(axis=0) + 2.0
    options = {"velocity": 20.0, "acceleration": False, "torque": limit, "payload": {frame: kg}}
    motion = retime(way, **options)
    return robot, {frame: kg}, referee, limit, retime(way, period=motion.times[-1] / 3000, **options)


def test_the_fastest_motion_uses_the_torques_and_no_more(case):
    _, _, referee, limit, motion = case
    share = np.abs(referee.torques(motion)) / limit
    assert share.max() <= 1 + 1e-6
    assert np.percentile(share.max(axis=1), 10) > 0.95  # nearly always some motor is close to its limit


def test_a_check_finds_the_torques_of_pinocchio(case):
    """Just above the largest torque of a joint there is no finding, below it one with its size and time."""
    robot, payload, referee, _, motion = case
    tau = np.abs(referee.torques(motion))
    largest = tau.max(axis=0)
    moving = [name for name, size in zip(robot.velocity_names, largest, strict=True) if size > 0.1]
    assert len(moving) >= 6
    for factor in (1 + 1e-5, 0.97):
        limits = {name: factor * largest[robot.velocity_names.index(name)] for name in moving}
        found = check(motion, velocity=False, acceleration=False, torque=limits, payload=payload, clearance=None)
        found = [one for one in found if one.code == "motion-torque"]
        assert [one.element for one in found] == ([] if factor > 1 else [f"joint {name!r}" for name in moving])
        for one, name in zip(found, moving, strict=factor < 1):
            i = robot.velocity_names.index(name)
            size, at = map(float, re.match(r"the torque is (\S+) N.*? at t = (\S+) s", one.message).groups())
            assert size == pytest.approx(largest[i], rel=5e-4)  # four digits
            assert tau[np.abs(motion.times - at).argmin(), i] == pytest.approx(largest[i], rel=1e-6)
            assert one.severity == "error"


def test_torques_that_are_estimated_from_q_alone(case):
    """Of a smooth motion; at the ends of the path, accelerations jump."""
    robot, payload, referee, _, _ = case
    t, rng = np.linspace(0, 2 * np.pi, 2001), np.random.default_rng(2)
    a = rng.uniform(0.1, 0.4, robot.nq) * (np.arange(robot.nq) < 7)
    q = robot.q() + a * np.sin(t)[:, None]
    exact = Motion(robot.coordinate_names, t, q, (), robot, a * np.cos(t)[:, None], -a * np.sin(t)[:, None])
    largest = np.abs(referee.torques(exact)).max(axis=0)
    names = [name for name, size in zip(robot.velocity_names, largest, strict=True) if size > 0.1]
    for factor in (1.001, 0.999):
        limits = {name: factor * largest[robot.velocity_names.index(name)] for name in names}
        bare = Motion(exact.names, t, q, (), robot)
        found = check(bare, velocity=False, acceleration=False, torque=limits, payload=payload, clearance=None)
        found = [one for one in found if one.code == "motion-torque"]
        assert [one.element for one in found] == ([] if factor > 1 else [f"joint {name!r}" for name in names])
        assert {one.severity for one in found} <= {"warning"}
