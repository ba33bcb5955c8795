"""MJCF that MuJoCo expands, against the model that MuJoCo itself compiles from the file."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.robot import Robot
from support import example_robot_urdfs, random_q

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.crosscheck

PART = """<mujoco model="part">
  <compiler angle="radian" eulerseq="zyx" meshdir="shapes"/>
  <default> <default class="turns"> <joint axis="1 2 3" pos="0.1 0 0"/> </default> </default>
  <asset> <mesh name="wedge" file="wedge.obj"/> </asset>
  <worldbody>
    <body name="a" pos="0.1 0.2 0.3" euler="0.4 0.5 0.6"> <joint name="j" class="turns"/>
      <geom type="mesh" mesh="wedge"/>
      <frame euler="1 0 0"> <body name="b" pos="0 0.3 0"> <joint name="k" type="ball"/>
        <geom size="0.1 0.2" type="capsule"/> <site name="tip" pos="0.1 0.1 0.1"/> </body> </frame> </body>
  </worldbody>
</mujoco>"""
WEDGE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0.5\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
CELL = """<mujoco>
  <asset> <model name="part" file="parts/part.xml"/> </asset>
  <worldbody>
    <replicate count="2" offset="0 0 2" euler="0 0 30">
      <body name="base"> <freejoint name="f"/> <geom size="0.1"/> </body> </replicate>
    <body name="stand" euler="10 20 30"> <joint name="s" type="slide" ref="0.2"/> <geom size="0.1"/>
      <attach model="part" body="a" prefix="one/"/>
      <frame pos="1 0 0" euler="0 90 0"> <attach model="part" body="a" prefix="two/"/> </frame>
      <flexcomp name="rope" type="grid" count="4 1 1" spacing="0.1 0.1 0.1" dim="1" euler="0 30 0"> <pin id="0"/>
      </flexcomp>
    </body>
  </worldbody>
</mujoco>"""


@pytest.fixture
def both(tmp_path) -> tuple[Robot, mujoco.MjModel]:
    (tmp_path / "parts" / "shapes").mkdir(parents=True)
    (tmp_path / "parts" / "shapes" / "wedge.obj").write_text(WEDGE)
    (tmp_path / "parts" / "part.xml").write_text(PART)
    (tmp_path / "cell.xml").write_text(CELL)
    return kt.load(tmp_path / "cell.xml", expand="mujoco"), mujoco.MjModel.from_xml_path(str(tmp_path / "cell.xml"))


@pytest.mark.filterwarnings("ignore:.*flex 'rope'")
def test_poses_and_masses(both):
    """Bodies by name, q by the order that both have, for the joints of a rope have no names in MuJoCo."""
    robot, model = both
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    bodies = [model.body(i).name for i in range(model.nbody)]
    sites = [model.site(i).name for i in range(model.nsite)]
    assert (len(bodies), sites) == (11, ["one/tip", "two/tip"])
    fk = kt.fk(robot, [*bodies, *sites])
    for _ in range(10):
        q = random_q(robot, rng)
        data.qpos[:] = np.concatenate([as_in_mujoco(robot, name, q) for name in robot.joint_names])
        mujoco.mj_kinematics(model, data)
        T = fk(q)
        assert np.abs(T[:, :3, 3] - np.vstack([data.xpos, data.site_xpos])).max() < 1e-12
        assert np.abs(T[:, :3, :3].reshape(-1, 9) - np.vstack([data.xmat, data.site_xmat])).max() < 1e-12
    for i, name in enumerate(bodies[1:], 1):
        inertial, R = robot.links[name].inertial, np.zeros(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[i])
        R = R.reshape(3, 3)
        ours = inertial.origin[:3, :3] @ inertial.inertia @ inertial.origin[:3, :3].T
        assert inertial.mass == pytest.approx(model.body_mass[i], rel=1e-12)
        assert np.abs(inertial.origin[:3, 3] - model.body_ipos[i]).max() < 1e-12
        assert np.abs(ours - R @ np.diag(model.body_inertia[i]) @ R.T).max() <= 1e-12 * model.body_inertia[i].max()


def as_in_mujoco(robot: Robot, joint: str, q: np.ndarray) -> np.ndarray:
    values = q[robot.q_slices[joint]]
    return (
        np.roll(values, 1)
        if robot.joints[joint].type == "ball"
        else (np.r_[values[:3], np.roll(values[3:], 1)] if robot.joints[joint].type == "floating" else values)
    )


def test_meshes_of_an_attached_file_are_found_beside_it(both):
    robot, _ = both
    (shape,) = (geometry.shape for geometry in robot.links["one/a"].collisions)
    assert shape.parameters["filename"] == "parts/shapes/wedge.obj"


@pytest.mark.parametrize("name", ["ur5_robot.urdf", "panda.urdf"])
def test_a_robot_that_is_attached_twice_moves_as_it_did(name, tmp_path):
    """A UR5 and a Panda, written as MJCF, on two stands; against their URDF."""
    arm = kt.load(next(path for path in example_robot_urdfs() if path.name == name))
    left_out = ("geometry", "velocity_limit", "safety", "inertial", "extension", "material")
    kt.save(arm, tmp_path / "arm.xml", without=left_out)
    text = (
        '<mujoco> <asset> <model name="arm" file="arm.xml"/> </asset> <worldbody>'
        f'<frame pos="1 2 3" euler="10 20 30"> <attach model="arm" body="{arm.root}" prefix="a_"/> </frame>'
        f'<attach model="arm" body="{arm.root}" prefix="b_"/> </worldbody> </mujoco>'
    )
    (tmp_path / "cell.xml").write_text(text)
    cell = kt.load(tmp_path / "cell.xml", expand="mujoco")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "cell.xml"))
    data, rng, fk = mujoco.MjData(model), np.random.default_rng(0), kt.fk(arm, list(arm.links))
    mujoco.mj_kinematics(model, data)
    for _ in range(5):
        for prefix in ("a_", "b_"):
            q = random_q(arm, rng)
            moved = cell.q({prefix + joint: q[arm.q_slices[joint]] for joint in arm.joint_names})
            T = kt.fk(cell, [prefix + link for link in arm.links], base=prefix + arm.root)(moved)
            assert np.abs(T - fk(q)).max() < 1e-12
    root = data.body(f"a_{arm.root}")
    T = kt.fk(cell, f"a_{arm.root}")(cell.q())
    assert max(np.abs(T[:3, 3] - root.xpos).max(), np.abs(T[:3, :3].ravel() - root.xmat).max()) < 1e-12
