"""The configuration that is served: a motion between its samples, and parameters inside all limits."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import kinetree as kt
from foxglove_client import ROBOT
from kinetree.logs import read_motion
from kinetree.serving.player import Player
from ros_bags import FLOATING


@pytest.fixture(scope="module")
def robot():
    return kt.load(ROBOT, format="urdf")


@pytest.fixture(scope="module")
def icub():
    return kt.load("icub")


def playing(robot, columns, **options):
    return Player(robot, robot.q(), read_motion(robot, columns), **{"rate": 100, **options})


def test_a_motion_is_followed_between_its_samples(robot):
    player = playing(robot, {"time": [5, 5.5, 7], "a": [0, 1, -0.5], "b": [0, 0.1, 0.1]})
    assert player.q[:2].tolist() == [0, 0]
    for time, a, b in ((0.25, 0.5, 0.05), (0.5, 1, 0.1), (1.25, 0.25, 0.1), (2.0, -0.5, 0.1), (9.0, -0.5, 0.1)):
        player.advance(time - player.time)
        assert player.q[:2] == pytest.approx([a, b], abs=1e-15)
    assert player.paused
    assert player.time == 2.0


def test_a_rotation_is_followed_the_shortest_way(robot):
    turns = Rotation.from_rotvec([[0.1, 0.2, -0.3], [-1.0, 0.4, 0.9]])
    names = ["d.qx", "d.qy", "d.qz", "d.qw"]
    player = playing(robot, {"time": [0, 1], **dict(zip(names, turns.as_quat().T, strict=True))})
    player.advance(0.3)
    expected = Slerp([0, 1], turns)(0.3)
    assert (Rotation.from_quat(player.q[-4:]) * expected.inv()).magnitude() < 1e-12


def test_a_floating_base_moves_as_in_tf():
    """Its position is linear between samples, also while it turns."""
    floating = kt.load(FLOATING, format="urdf")
    turns = Rotation.from_rotvec([[0, 0, 0], [0, 0, 2.0]])
    names = [f"free.{part}" for part in ("x", "y", "z", "qx", "qy", "qz", "qw")]
    values = np.hstack([[[0, 0, 0], [1, 0.5, 2]], turns.as_quat()])
    player = playing(floating, {"time": [0, 1], **dict(zip(names, values.T, strict=True))})
    player.advance(0.3)
    base = player.q[floating.q_slices["free"]]
    np.testing.assert_allclose(base[:3], [0.3, 0.15, 0.6], rtol=0, atol=1e-15)
    np.testing.assert_allclose(base[3:], Slerp([0, 1], turns)(0.3).as_quat(), rtol=0, atol=1e-12)


def test_speed_and_loop(robot):
    player = playing(robot, {"a": np.linspace(0, 1, 11)}, rate=10, speed=2, loop=True)
    player.advance(0.3)
    assert player.q[0] == pytest.approx(0.6)
    player.advance(0.3)
    assert player.q[0] == pytest.approx(0.2)
    assert not player.paused


def test_a_motion_is_paused_moved_and_begun_again(robot):
    player = playing(robot, {"time": [0, 1], "a": [0, 1]})
    assert player.set({"motion.paused": True, "motion.time": 0.5, "motion.speed": 0.5}) == []
    player.advance(1)
    assert player.q[0] == 0.5
    assert player.set({"joints.a": -0.5}) == []
    assert player.set({"motion.paused": False}) == []
    player.advance(2)
    assert (player.q[0], player.paused) == (1, True)
    player.set({"motion.paused": False})
    player.advance(0.5)
    assert player.q[0] == 0.25
    (fault,) = player.set({"joints.a": 0})
    assert fault == "joints.a is not set: the motion moves it; set motion.paused to true first"
    assert player.set({"joints.b": 0.1}) == []
    player.advance(0.25)
    assert player.q[:2].tolist() == [0.375, 0.1]
    for name, value in (("speed", 0), ("speed", True), ("time", 1.5), ("time", -1), ("time", None), ("paused", 1)):
        (fault,) = player.set({f"motion.{name}": value})
        assert fault.startswith(f"motion.{name} = {value!r} is not set; expected ")


@pytest.mark.parametrize("value", [True, None, "1", float("nan"), float("inf"), 10**400, [0.1], {}, 1e31])
def test_what_is_not_a_number_is_not_set(robot, value):
    player = Player(robot, robot.q(), None, rate=100)
    (fault,) = player.set({"joints.a": value, "joints.b": 0.1})
    assert "expected a finite number" in fault
    assert player.q.tolist() == robot.q().tolist()


def test_values_outside_of_limits_are_not_set(robot):
    player = Player(robot, robot.q(), None, rate=100)
    (fault,) = player.set({"joints.a": 1.5, "joints.b": 0.1})
    assert fault == "joints.a = 1.5, joints.b = 0.1 is not set: it is outside of limits: a upper by 0.5"
    assert player.q.tolist() == robot.q().tolist()
    (fault,) = player.set({"joints.b": 0.2})  # its follower has the limit 0.4 = 2 b + 0.1
    assert fault.endswith("outside of limits: c upper by 0.1; where the other joints are, expected -0.2 to 0.15")
    assert player.set({"joints.b": 0.15}) == []
    (fault,) = player.set({"joints.d.qw": 0})
    assert fault == "the quaternion of joint 'd' is not set: it would be zero"
    (fault,) = player.set({"limits.a": {"upper": 9}})
    assert fault == "limits.a cannot be set: it shows a limit of the model"
    assert player.parameters["limits.a"] == {"lower": -1.0, "upper": 1.0}
    assert player.parameters["limits.d.x"] == {}
    assert player.set({"x": 1, "joints.aa": 1})[1] == "1 more parameter is unknown"


def test_from_outside_the_limits_values_may_come_nearer(robot):
    player = Player(robot, robot.q(a=2.0), None, rate=100)
    assert player.set({"joints.a": 1.5}) == []
    assert "a upper by 0.6" in player.set({"joints.a": 1.6})[0]
    assert player.set({"joints.b": 0.1}) == []


@pytest.mark.slow
def test_tendons_of_the_icub_are_obeyed(icub):
    limits, rng = icub.limits, np.random.default_rng(1)
    tendons = limits.G[["tendons" in name for name in limits.row_names]]
    names = [name for name, used in zip(icub.joint_names, np.any(tendons != 0, axis=0), strict=True) if used]
    player = Player(icub, icub.limits.sample(1, seed=5)[0], None, rate=100)
    taken = refused_by_rows = 0
    for _ in range(300):
        name = rng.choice(names)
        i = icub.joint_names.index(name)
        q = player.q.copy()
        share = rng.choice([0.02, 0.98, rng.uniform()])
        q[i] = limits.lower[i] + share * (limits.upper[i] - limits.lower[i])  # inside of its own range
        value = float(q[i])
        faults, legal = player.set({f"joints.{name}": value}), bool(np.all(limits.G @ q <= limits.h))
        assert (faults == []) == legal
        assert np.all(limits.G @ player.q <= limits.h + 1e-12)
        taken, refused_by_rows = taken + legal, refused_by_rows + (not legal)
        if faults:
            assert "tendons" in faults[0]
            lower, upper = map(float, re.search(r"expected (\S+) to (\S+)$", faults[0]).groups())
            before = player.q.copy()
            for end in (lower, upper):
                assert player.set({f"joints.{name}": end}) == []
            assert player.set({f"joints.{name}": upper + 2e-4})
            player.q = before
    assert min(taken, refused_by_rows) > 20
