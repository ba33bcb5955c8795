"""The numbers of the viewer's JavaScript, in Node, against those of kinetree."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.spatial import se3
from kinetree.viewing.scene.make import described_controllers

RANDOM = 300
VIEWER = Path(__file__).parents[2] / "viewer" / "src"
pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
SCRIPT = """
import * as poses from "{viewer}/poses.js";
import {{ numbersOf }} from "{viewer}/controllers.js";
const {{ controllers, poses: all, others }} = JSON.parse(await new Response(process.stdin).text());
console.log(JSON.stringify({{
  controllers: controllers.map((one) => all.map((T) => numbersOf(one, T))),
  rpy: all.map((T) => poses.poseOf([T[3], T[7], T[11]], poses.rpy(T))),
  angles: all.map((T) => poses.fromQuaternion(poses.toQuaternion(poses.rpy(T)))),
  quaternion: all.map((T) => poses.fromQuaternion(poses.quaternion(T))),
  between: all.map((T, i) => poses.multiply(poses.inverse(T), others[i])),
  rotation: all.map((T, i) => poses.rotationBetween(T, others[i])),
}}));
"""


def awkward_poses():
    """Random poses, the 24 turns of a cube, and poses close to them and to gimbal lock."""
    rng = np.random.default_rng(0)
    cube = np.pi / 2 * np.array(list(np.ndindex(4, 4, 4)))
    near = cube + rng.normal(0, 1e-9, cube.shape)
    turns = [Rotation.random(RANDOM, rng), *(Rotation.from_euler("ZYX", angles) for angles in (cube, near))]
    R = Rotation.concatenate(turns).as_matrix()
    return np.array([se3.homogeneous(one, rng.uniform(-2, 2, 3)) for one in R])


def flat(T):
    return T.reshape(-1, 16).tolist()


@pytest.fixture(scope="module")
def answers():
    T = awkward_poses()
    others = T[np.random.default_rng(1).permutation(len(T))]
    given = {"controllers": described_controllers(), "poses": flat(T), "others": flat(others)}
    script = SCRIPT.format(viewer=VIEWER.as_uri())
    node = ["node", "--input-type=module", "--eval", script]
    done = subprocess.run(node, input=json.dumps(given), capture_output=True, text=True, check=True, timeout=60)
    found = json.loads(done.stdout)
    return T, others, {name: values if name == "controllers" else np.array(values) for name, values in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rpy", "angles", "quaternion"])
def test_rotations_go_there_and_back(answers, name):
    T, _, found = answers
    np.testing.assert_allclose(found[name].reshape(-1, 4, 4)[:, :3, :3], T[:, :3, :3], rtol=0, atol=1e-12)


@pytest.mark.slow
def test_poses_between_frames(answers):
    T, others, found = answers
    np.testing.assert_allclose(found["between"].reshape(-1, 4, 4), np.linalg.inv(T) @ others, rtol=0, atol=1e-12)
    turned = Rotation.from_rotvec(found["rotation"]).as_matrix() @ T[:, :3, :3]
    np.testing.assert_allclose(turned, others[:, :3, :3], rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kinetree.errors.UnverifiedWarning")
@pytest.mark.parametrize("number", range(11))
def test_controllers_write_poses_as_kinetree_does(answers, number):
    T, _, found = answers
    controller = list(kt.controllers.values())[number]
    values = np.array(found["controllers"][number])
    np.testing.assert_allclose(controller.to_pose(values), T, rtol=0, atol=1e-9)
    np.testing.assert_allclose(values[:RANDOM], controller.from_pose(T)[:RANDOM], rtol=0, atol=1e-8)
