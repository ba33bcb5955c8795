"""Inverse kinematics of known arms: ten thousand random targets each, the answers verified by Pinocchio."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Joint, Link
from physics import floated
from pinocchio_robot import PinocchioRobot, loadable
from support import icub_urdfs, random_q, sample, shared

pytestmark = pytest.mark.crosscheck
COUNT = 10_000


@pytest.fixture(scope="module")
def pin() -> Any:
    return pytest.importorskip("pinocchio")


def example(stem: str) -> Path:
    return next(path for path in loadable() if path.stem == stem)


def genova() -> Path:
    return next(path for path in icub_urdfs() if path.parent.name == "iCubGenova02")


def gen3_lite() -> Path:
    return shared("corpus", "Kinovarobotics+ros2_kortex", "kortex_description", "robots", "gen3_lite.urdf")


def iiwa() -> Path:
    return shared("corpus", "dexsuite+dex-urdf", "robots", "arms", "iiwa14", "iiwa14.urdf")


ARMS = {
    "ur5": (lambda: example("ur5_robot"), "ee_link", "base_link", 0.9999),
    "ur5 by search": (lambda: example("ur5_robot"), "ee_link", "base_link", 0.9999),
    "panda": (lambda: example("panda"), "panda_link8", "panda_link0", 0.9999),
    "iiwa": (iiwa, "ee_link", "link_0", 0.9999),
    "a wrist": (lambda: example("kinova"), "j2s6s200_end_effector", "base", 0.9999),
    "an offset wrist": (gen3_lite, "end_effector_link", "base_link", 0.999),
    "icub": (genova, "l_hand", "root_link", 0.999),
    "tendons": (genova, "l_hand", "chest", 0.999),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ARMS)
def test_random_targets(pin: Any, name: str) -> None:
    find, frame, base, share = ARMS[name]
    path = find()
    robot = kt.load(path, limits="tendons" if name == "tendons" else None)
    limits = robot.limits
    if name == "tendons":
        assert len(robot.coupled_limits) == 28
        q = limits.sample(COUNT, seed=6)
    else:
        wide = np.clip(limits.lower, -np.pi, None), np.clip(limits.upper, None, np.pi)
        q = np.random.default_rng(6).uniform(*wide, (COUNT, robot.nq))
    T = kt.fk(robot, frame, base)(q)
    result = kt.ik(robot, frame, base, closed_form="search" not in name)(T)
    peer = PinocchioRobot(pin, path, robot)
    data, model = peer.data, peer.model
    worst = np.zeros((COUNT, 2))
    inside = np.ones(COUNT, dtype=bool)
    for i in range(COUNT):
        pin.framesForwardKinematics(model, data, peer.q(result.q[i]))
        here = data.oMf[peer.frame(base)].actInv(data.oMf[peer.frame(frame)])
        off = pin.log6(pin.SE3(T[i]).actInv(here))
        worst[i] = np.linalg.norm(here.translation - T[i, :3, 3]), np.linalg.norm(off.angular)
        inside[i] = np.all(limits.margin(result.q[i]) >= 0)
    assert inside.all()
    assert worst[result.success].max() <= 1e-6 * (1 + 1e-6)
    assert worst == pytest.approx(result.residual, abs=1e-9)
    assert result.success.mean() >= share


def poses(pin: Any, peer: PinocchioRobot, frame: str, base: str | None, q: np.ndarray) -> np.ndarray:
    """Pinocchio's poses of a frame in a base, or in the world, (…, 4, 4)."""
    result = np.empty((len(q), 4, 4))
    there, here = peer.frame(frame), None if base is None else peer.frame(base)
    for i, one in enumerate(peer.q(q)):
        pin.framesForwardKinematics(peer.model, peer.data, one)
        place = peer.data.oMf[there]
        result[i] = (place if here is None else peer.data.oMf[here].actInv(place)).homogeneous
    return result


def off(found: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Distances and angles (…, 2) between poses."""
    R = found[:, :3, :3] - T[:, :3, :3]
    angle = 2 * np.arcsin(np.minimum(np.linalg.norm(R, axis=(1, 2)) / np.sqrt(8), 1.0))
    return np.stack([np.linalg.norm(found[:, :3, 3] - T[:, :3, 3], axis=1), angle], axis=-1)


def arm(name: str) -> tuple[Path, kt.Robot, np.ndarray]:
    """The robot, and random configurations inside its limits."""
    path = ARMS[name][0]()
    robot = kt.load(path, limits="tendons" if name == "tendons" else None)
    if name == "tendons":
        return path, robot, robot.limits.sample(COUNT, seed=6)
    wide = np.clip(robot.limits.lower, -np.pi, None), np.clip(robot.limits.upper, None, np.pi)
    return path, robot, np.random.default_rng(6).uniform(*wide, (COUNT, robot.nq))


ONCE = [name for name in ARMS if "search" not in name]


@pytest.mark.parametrize("name", ONCE)
def test_chosen_joints(pin: Any, name: str) -> None:
    """All joints but the second and the last, in reverse order; the others stand at a random configuration."""
    path, robot, q = arm(name)
    _, frame, base, _ = ARMS[name]
    joints = kt.ik(robot, frame, base).coordinate_names[::-1]
    joints = [x for i, x in enumerate(joints) if i not in (0, len(joints) - 2)]
    columns, at = [robot.coordinate_names.index(x) for x in joints], q[0]
    chosen = np.tile(at, (COUNT, 1))
    chosen[:, columns] = q[:, columns]
    chosen = chosen[robot.limits.contains(chosen)]
    peer = PinocchioRobot(pin, path, robot)
    T = poses(pin, peer, frame, base, chosen)
    result = kt.ik(robot, frame, base, joints=joints, at=at)(T)
    assert result.q.shape == (len(T), len(joints))
    assert result.success.mean() >= 0.999
    chosen[:, columns] = result.q
    assert robot.limits.contains(chosen).all()
    worst = off(poses(pin, peer, frame, base, chosen), T)
    assert worst[result.success].max() <= 1e-6 * (1 + 1e-6)
    assert worst == pytest.approx(result.residual, abs=1e-9)


@pytest.mark.parametrize("name", ONCE)
def test_floating_bases(pin: Any, name: str) -> None:
    """The pose of a frame and the position of the root link in the world, both at once."""
    path, fixed, q = arm(name)
    _, frame, _, _ = ARMS[name]
    robot, rng = floated(fixed), np.random.default_rng(9)
    q = np.concatenate([rng.uniform(-2, 2, (COUNT, 3)), rng.normal(size=(COUNT, 4)), q], axis=1)
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    peer = PinocchioRobot(pin, path, robot, pin.JointModelFreeFlyer())
    T, root = poses(pin, peer, frame, None, q), q[:, :3]
    result = kt.ik(robot, (frame, fixed.root), goal=("pose", "position"))(T, root)
    assert result.success.mean() >= 0.999
    assert robot.limits.contains(result.q).all()
    np.testing.assert_allclose(np.linalg.norm(result.q[:, 3:7], axis=1), 1.0, rtol=0, atol=1e-12)
    worst = off(poses(pin, peer, frame, None, result.q), T)
    worst[:, 0] = np.maximum(worst[:, 0], np.linalg.norm(result.q[:, :3] - root, axis=1))
    assert worst[result.success].max() <= 1e-6 * (1 + 1e-6)
    assert worst == pytest.approx(result.residual, abs=1e-9)


@pytest.mark.sampled
@pytest.mark.parametrize("name", ONCE)
def test_several_solutions(pin: Any, name: str) -> None:
    """Each of the solutions of every target: all of an arm with a closed form, some of the others."""
    path, robot, q = arm(name)
    _, frame, base, _ = ARMS[name]
    peer = PinocchioRobot(pin, path, robot)
    T = poses(pin, peer, frame, base, q)
    found = kt.ik(robot, frame, base).solutions(T, most=4)
    right = found.q[found.mask]
    assert found.mask.any(axis=-1).mean() >= 0.999
    assert np.isnan(found.q[~found.mask]).all()
    assert robot.limits.contains(right).all()
    owner = np.nonzero(found.mask)[0]
    worst = off(poses(pin, peer, frame, base, right), T[owner])
    assert worst.max() <= 1e-6 * (1 + 1e-6)


@pytest.mark.parametrize("name", ["ur5", "a wrist", "panda"])
@pytest.mark.sampled(1)
def test_solutions_and_verdicts(pin: Any, name: str) -> None:
    """All solutions of ten thousand targets, 300 of an arm without a closed form; and no reachable target is denied."""
    find, frame, base, _ = ARMS[name]
    path = find()
    robot = kt.load(path)
    wide = np.clip(robot.limits.lower, -np.pi, None), np.clip(robot.limits.upper, None, np.pi)
    q = np.random.default_rng(8).uniform(*wide, (COUNT, robot.nq))
    T = kt.fk(robot, frame, base)(q)
    ik = kt.ik(robot, frame, base, tolerance=(1e-9, 1e-9) if name != "panda" else (1e-6, 1e-6))
    assert ik.reachable(T).all()
    count, tolerance = (COUNT, 1e-9) if name != "panda" else (300, 1e-6)
    found = ik.solutions(T[:count])
    assert found.mask.any(axis=-1).mean() >= 0.9999
    assert robot.limits.contains(found.q[found.mask]).all()
    peer = PinocchioRobot(pin, path, robot)
    data, model = peer.data, peer.model
    for i, k in np.argwhere(found.mask):
        pin.framesForwardKinematics(model, data, peer.q(found.q[i, k]))
        here = data.oMf[peer.frame(base)].actInv(data.oMf[peer.frame(frame)])
        assert np.linalg.norm(here.translation - T[i, :3, 3]) <= tolerance * (1 + 1e-6)
        assert np.linalg.norm(here.rotation - T[i, :3, :3]) <= np.sqrt(2) * tolerance * (1 + 1e-6)


@pytest.mark.nightly
def test_random_trees_of_the_package(pin: Any) -> None:
    """Every robot: from one of its frames to another; false successes and answers outside are none."""
    rng, asked = np.random.default_rng(7), 0
    paths = sample(loadable(), 3)
    for path in paths:
        robot = kt.load(path)
        links = list(robot.links)
        for _ in range(2 if len(links) > 1 else 0):
            frame, base = rng.choice(links, 2, replace=False)
            try:
                solver = kt.ik(robot, frame, base, descents=8)
            except kt.KinetreeError as error:
                assert error.findings[0].code in ("ik", "empty", "unbounded"), (path, error)
                continue
            q = robot.limits.project(random_q(robot, rng))
            T = np.stack([kt.fk(robot, frame, base)(q)] * 2)
            T[1, 0, 3] += 0.3
            result = solver(T)
            again = kt.fk(robot, frame, base).interpret(result.q)
            off = np.linalg.norm(again[:, :3, 3] - T[:, :3, 3], axis=-1)
            assert off == pytest.approx(result.residual[:, 0], abs=1e-8), path
            outside = ~robot.limits.contains(result.q)
            assert not (outside & result.success).any(), path
            asked += 1
    assert asked >= len(paths)


WALKERS = {
    "talos_reduced": ["left_sole_link", "right_sole_link", "gripper_left_base_link"],
    "anymal": ["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT", "base"],
    "anymal-kinova": ["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT", "j2s6s200_end_effector"],
    "solo12": ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT", "base_link"],
}
"""Feet, and what reaches: a hand, or the trunk."""


@pytest.mark.parametrize("stem", WALKERS)
@pytest.mark.sampled(1)
def test_walkers_reach_with_their_feet_held(pin: Any, stem: str) -> None:
    """Humanoids by the poses of soles and a hand, quadrupeds by the places of feet and the pose of the trunk."""
    path, frames = example(stem), WALKERS[stem]
    parts = parts_of(kt.load(path))
    parts.joints.insert(0, Joint("root_joint", "floating", "above", kt.load(path).root))
    parts.links.insert(0, Link("above"))
    parts.joint_order = None
    robot = build(parts)
    rng, base = np.random.default_rng(8), robot.q_slices["root_joint"]
    wide = np.clip(robot.limits.lower, -np.pi, None), np.clip(robot.limits.upper, None, np.pi)
    q = rng.uniform(*wide, (COUNT, robot.nq))
    q[:, base] = np.concatenate([rng.uniform(-5, 5, (COUNT, 3)), rng.normal(size=(COUNT, 4))], axis=1)
    T = kt.fk(robot, frames)(q)
    goals = ["pose"] * 3 if len(frames) == 3 else [*["position"] * 4, "pose"]
    targets = [T[:, i, :3, 3] if goal == "position" else T[:, i] for i, goal in enumerate(goals)]
    result = kt.ik(robot, frames, goal=goals)(*targets)
    assert robot.limits.contains(result.q).all()
    np.testing.assert_allclose(np.linalg.norm(result.q[:, base][:, 3:], axis=1), 1.0, rtol=0, atol=1e-12)
    peer = PinocchioRobot(pin, path, robot, pin.JointModelFreeFlyer())
    worst = np.zeros((COUNT, 2))
    for i in range(COUNT):
        pin.framesForwardKinematics(peer.model, peer.data, peer.q(result.q[i]))
        for k, (frame, goal) in enumerate(zip(frames, goals, strict=True)):
            here = peer.data.oMf[peer.frame(frame)]
            turn = pin.log3(here.rotation.T @ T[i, k, :3, :3]) if goal == "pose" else np.zeros(3)
            off = np.linalg.norm(here.translation - T[i, k, :3, 3]), np.linalg.norm(turn)
            worst[i] = np.maximum(worst[i], off)
    assert worst[result.success].max() <= 1e-6 * (1 + 1e-6)
    assert worst == pytest.approx(result.residual, abs=1e-9)
    assert result.success.mean() >= 0.999
