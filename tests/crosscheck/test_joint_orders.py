"""Orders of joints and coordinates beside those of the programs that read the files."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import kinetree as kt
from kinetree.kinematics import joint_maps, joint_order
from support import at_length, example_robot_urdfs, random_q

pytestmark = pytest.mark.crosscheck

REFUSED = ("ur3", "alex_psyonic_hands")  # a xacro file; followers of joints that do not exist
FILES = [file for file in example_robot_urdfs() if file.stem not in REFUSED]
FEW = FILES[:: at_length(4, 1)]
WITHOUT = ("geometry", "extension", "sensor", "material", "dynamics", "unknown_mass")
MIXED = """<mujoco><worldbody>
  <body name="a"><freejoint name="free"/><geom size="0.1"/>
    <body name="b" pos="1 0 0"><joint name="ball" type="ball"/><geom size="0.1"/>
      <body name="c" pos="0 1 0"><joint name="slide" type="slide"/><geom size="0.1"/></body></body>
    <body name="d" pos="0 0 1"><joint name="hinge"/><geom size="0.1"/></body></body>
  <body name="e" pos="0 3 0"><joint name="last"/><geom size="0.1"/></body>
</worldbody></mujoco>"""


def of_mujoco(robot):
    """Return MuJoCo's model of the MJCF of a robot."""
    return mujoco.MjModel.from_xml_string(kt.text(robot, "mjcf", without=WITHOUT))


def check_poses(robot, model, maps, names):
    rng, data = np.random.default_rng(1), mujoco.MjData(model)
    q = random_q(robot, rng)
    data.qpos[:] = maps.q(q)
    mujoco.mj_kinematics(model, data)
    there = {model.body(i).name: np.r_[data.xmat[i], data.xpos[i]] for i in range(model.nbody)}
    common = [name for name in names if name in there]
    assert common
    for name, T in zip(common, kt.fk(robot, common)(q), strict=True):
        np.testing.assert_allclose(there[name], np.r_[T[:3, :3].ravel(), T[:3, 3]], atol=1e-9)
    np.testing.assert_allclose(maps.q_back(data.qpos), q, atol=1e-12)


@pytest.mark.sampled
@pytest.mark.parametrize("file", FEW, ids=lambda file: file.stem)
def test_mujoco(file):
    robot = kt.load(file, without=WITHOUT)
    model = of_mujoco(robot)
    assert joint_order(robot, "mujoco") == tuple(model.joint(i).name for i in range(model.njnt))
    check_poses(robot, model, joint_maps(robot, "mujoco"), [*robot.links])


@pytest.mark.parametrize("text", [MIXED, "planar", "floating"])
def test_mujoco_with_joints_of_several_numbers(text):
    if text == MIXED:
        robot = kt.load(text, format="mjcf")
    else:
        robot = kt.load(
            f"<robot name='r'><link name='world'/><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1'"
            f" izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='{text}'><parent link='world'/>"
            "<child link='a'/><origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><axis xyz='0 1 0'/></joint></robot>",
            format="urdf",
        )
    model, maps = of_mujoco(robot), joint_maps(robot, "mujoco")
    assert joint_order(robot, "mujoco") == tuple(model.joint(i).name for i in range(model.njnt))
    check_poses(robot, model, maps, [*robot.links])
    assert (maps.nq, maps.nv) == (model.nq, model.nv)
    q, v = random_q(robot, np.random.default_rng(2)), np.random.default_rng(3).normal(size=robot.nv)
    moved = np.zeros(model.nq)
    moved[:] = maps.q(q)
    step = 1e-7
    mujoco.mj_integratePos(model, moved, maps.v(v, q), step)
    np.testing.assert_allclose(maps.q_back(moved), kt.dynamics.integrate(robot)(q, step * v), atol=1e-12)


@pytest.mark.parametrize("file", FEW, ids=lambda file: file.stem)
def test_pinocchio(file, tmp_path):
    robot = kt.load(file, without=WITHOUT)
    kt.save(robot, tmp_path / "robot.urdf", without=WITHOUT)
    model = pin.buildModelFromUrdf(str(tmp_path / "robot.urdf"))
    maps = joint_maps(robot, "pinocchio")
    assert joint_order(robot, "pinocchio") == tuple(model.names)[1:]
    assert (maps.nq, maps.nv) == (model.nq, model.nv)
    q, data = random_q(robot, np.random.default_rng(1)), model.createData()
    pin.framesForwardKinematics(model, data, maps.q(q))
    links = [link for link in robot.links if model.existFrame(link, pin.FrameType.BODY)]
    for link, T in zip(links, kt.fk(robot, links)(q), strict=True):
        np.testing.assert_allclose(data.oMf[model.getFrameId(link, pin.FrameType.BODY)].homogeneous, T, atol=1e-9)


def test_isaac_as_published_for_the_g1():
    """The order of Unitree's policies, trained in Isaac Lab, in that of its motors (`joint_ids_map` in deploy.yaml)."""
    published = [
        0,
        6,
        12,
        1,
        7,
        13,
        2,
        8,
        14,
        3,
        9,
        15,
        22,
        4,
        10,
        16,
        23,
        5,
        11,
        17,
        24,
        18,
        25,
        19,
        26,
        20,
        27,
        21,
        28,
    ]
    file = next(file for file in FILES if file.name == "g1_29dof_rev_1_0.urdf")
    robot = kt.load(file)
    motors = robot.joint_names
    assert len(motors) == 29
    assert joint_order(robot, "isaac") == tuple(motors[i] for i in published)
    q = np.arange(29.0)
    np.testing.assert_array_equal(joint_maps(robot, "isaac").q(q), published)
