"""Ball joints as three revolute joints, for formats that have no ball joints."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.formats.losses.balls import without_balls
from kinetree.model.assemble import parts_of

TEXT = """<mujoco><worldbody><body name="upper" pos="1 2 3" euler="10 20 30">
  <joint name="shoulder" type="ball" pos="0.1 0.2 0.3" damping="2"/><geom size="0.1" pos="0.1 0 0"/><site name="s"/>
  <body name="lower" pos="0.5 0 0"><joint name="elbow" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/>
  <body name="hand" pos="0.5 0 0"><joint name="wrist" type="ball"/><geom size="0.05" pos="0.1 0 0"/></body></body>
  </body></worldbody><sensor><torque name="t" site="s"/></sensor></mujoco>"""


def made():
    robot = kt.load(TEXT, format="mjcf")
    return robot, kt.text(robot, "urdf", without=("ball", "sensor", "order"))


def values(rng):
    """Return the same posture with balls and with three angles each."""
    with_balls, with_angles = {}, {}
    for name in ("shoulder", "wrist"):
        turn = Rotation.random(random_state=rng)
        with_balls[name] = turn.as_quat()
        with_angles |= dict(zip((f"{name}_{axis}" for axis in "xyz"), turn.as_euler("XYZ"), strict=True))
    return with_balls | {"elbow": 0.4}, with_angles | {"elbow": 0.4}


@pytest.mark.slow
def test_all_poses_and_masses_stay():
    robot, text = made()
    again = kt.load(text, format="urdf")
    rng = np.random.RandomState(0)
    links = [*robot.links]
    for _ in range(5):
        balls, angles = values(rng)
        T = kt.fk(robot, links)(robot.q(balls))
        assert_allclose(kt.fk(again, links)(again.q(angles)), T, atol=1e-12)
        c = kt.center_of_mass(robot)(robot.q(balls))
        assert_allclose(kt.center_of_mass(again)(again.q(angles)), c, atol=1e-12)
    assert [*again.links][:1] == ["world"]
    assert again.links["shoulder_x_link"].inertial is None
    assert again.joints["shoulder_x"].dynamics[0].damping == 2


def test_without_the_option_the_error_names_it():
    with pytest.raises(
        kt.KinetreeError, match="cannot express a ball joint; without=\\('ball',\\), or --without ball, writes"
    ):
        kt.text(kt.load(TEXT, format="mjcf"), "urdf", without=("sensor",))


def test_what_names_the_joint_names_the_three():
    robot = kt.load(TEXT, format="mjcf", without=("ball",))
    (note,) = [note for note in robot.notes if note.code == "without"]
    assert "joint 'shoulder', joint 'wrist'; three revolute joints about x, y and z" in note.message
    names = [f"{name}_{axis}" for name in ("shoulder", "wrist") for axis in "xyz"]
    assert [*robot.joint_names] == [*names[:3], "elbow", *names[3:]]
    parts = parts_of(kt.load(TEXT, format="mjcf"))
    parts.groups, parts.joint_order = {"arm": ("shoulder", "elbow")}, ("elbow", "wrist", "shoulder")
    parts.sensors = [replace(sensor, joint="shoulder") for sensor in parts.sensors]
    changed = without_balls(parts)
    assert changed.groups == {"arm": (*names[:3], "elbow")}
    assert changed.joint_order == ("elbow", *names[3:], *names[:3])
    assert {sensor.joint for sensor in changed.sensors} == {"shoulder_z"}
    taken = TEXT.replace("lower", "shoulder_x_link").replace("elbow", "shoulder_y")
    robot = kt.load(taken, format="mjcf", without=("ball",))
    assert {"shoulder_x_link_", "shoulder_y_"} < {*robot.links, *robot.joints}


@pytest.mark.crosscheck
def test_pinocchio_and_mujoco_have_the_same_poses():
    pinocchio, mujoco = pytest.importorskip("pinocchio"), pytest.importorskip("mujoco")
    _, text = made()
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    ours = mujoco.MjModel.from_xml_string(TEXT)
    state = mujoco.MjData(ours)
    rng = np.random.RandomState(1)
    for _ in range(20):
        balls, angles = values(rng)
        q = pinocchio.neutral(model)
        for name, angle in angles.items():
            i = model.joints[model.getJointId(name)].idx_q
            q[i : i + 2] = np.cos(angle), np.sin(angle)
        pinocchio.framesForwardKinematics(model, data, q)
        for name, value in balls.items():
            at = ours.joint(name).qposadr[0]
            state.qpos[at : at + np.size(value)] = np.roll(value, 1) if np.size(value) == 4 else value
        mujoco.mj_kinematics(ours, state)
        mujoco.mj_comPos(ours, state)
        for name in ("upper", "lower", "hand"):
            T = data.oMf[model.getFrameId(name)]
            assert_allclose(T.translation, state.body(name).xpos, atol=1e-12)
            assert_allclose(T.rotation.ravel(), state.body(name).xmat, atol=1e-12)
        assert_allclose(pinocchio.centerOfMass(model, data, q), state.subtree_com[0], atol=1e-12)
