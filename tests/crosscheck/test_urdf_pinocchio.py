"""Every URDF of icub-models and example-robot-data against Pinocchio: the pose of every frame at 20 configurations."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.mimic import resolve_mimic
from support import REFUSED, all_frames, example_robot_urdfs, icub_urdfs, random_q

pytestmark = pytest.mark.crosscheck


def pinocchio_poses(path: Path, robot: kt.Robot, q: np.ndarray) -> dict[str, np.ndarray]:
    """T_root_link by Pinocchio. Followers are given their values, as it builds no follower above its leader."""
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromUrdf(os.fspath(path))
    qp = pin.neutral(model)
    for joint in robot.joints.values():
        if not joint.kind.nq:
            continue
        leader, multiplier, offset = resolve_mimic(robot, joint.name)
        value = multiplier * q[robot.q_slices[leader]] + offset
        place = model.joints[model.getJointId(joint.name)]
        if joint.type == "continuous":
            value = np.concatenate([np.cos(value), np.sin(value)])
        assert place.nq == len(value)
        qp[place.idx_q : place.idx_q + place.nq] = value
    data = model.createData()
    pin.framesForwardKinematics(model, data, qp)
    return {name: data.oMf[model.getFrameId(name, pin.FrameType.BODY)].homogeneous for name in robot.links}


def disagreement(path: Path) -> float:
    robot, rng = kt.load(path), np.random.default_rng(20261120)
    worst = 0.0
    for _ in range(20):
        q = random_q(robot, rng)
        expected, poses = pinocchio_poses(path, robot, q), all_frames(robot, q)
        worst = max(worst, *(float(np.abs(poses[name] - T).max()) for name, T in expected.items()))
    return worst


def test_icub_models():
    paths = icub_urdfs()
    assert len(paths) == 16
    for path in paths:
        assert disagreement(path) < 1e-12, path


def test_example_robot_data():
    paths = example_robot_urdfs()
    assert len(paths) == 69
    for path in paths:
        if path.name in REFUSED:
            with pytest.raises(kt.KinetreeError) as caught:
                kt.load(path)
            finding = caught.value.findings[0]
            assert (finding.code, finding.source and finding.source.line) == REFUSED[path.name]
        else:
            assert disagreement(path) < 1e-12, path
