"""Inertial and force/torque sensors against MuJoCo's, on a robot in a known motion."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt

pytestmark = pytest.mark.crosscheck

mujoco = pytest.importorskip("mujoco")

SITE = '<site name="s{0}" pos="0.1 0.02 -0.03" euler="20 -30 40"/>'
GEOM = '<geom type="box" size="0.1 0.2 0.05" pos="0.05 0.1 -0.2" euler="10 20 30" mass="{0}"/>'


def body(i: int, joint: str, inner: str = "") -> str:
    place = 'pos="0.3 -0.1 0.2" euler="15 25 -35"'
    return f'<body name="b{i}" {place}>{joint}{GEOM.format(i + 1)}{SITE.format(i)}{inner}</body>'


HINGE = '<joint name="h{0}" axis="0.2 0.5 0.7" pos="0.05 0.02 0.01" armature="0.3" damping="0.2" stiffness="2"/>'
SLIDE = '<joint name="x" type="slide" axis="0.4 -0.3 0.2"/>'
ARM = body(1, HINGE.format(1), body(2, "", body(3, SLIDE + HINGE.format(3), body(4, '<joint name="u" type="ball"/>'))))
OTHER = body(5, HINGE.format(5))
SENSORS = "".join(
    f'<{kind} name="{kind}{i}" site="s{i}"/>'
    for i in range(1, 6)
    for kind in ("gyro", "accelerometer", "force", "torque")
)
TEXT = """<mujoco><option gravity="0.5 -1 -9.81"/><compiler angle="degree"/><worldbody>{}</worldbody>
  <sensor>{}</sensor></mujoco>"""
ROBOTS = {
    "fixed": TEXT.format(ARM + OTHER, SENSORS),
    "floating": TEXT.format(f'<body name="root"><freejoint name="free"/>{GEOM.format(3)}{ARM}{OTHER}</body>', SENSORS),
}


def states(robot: kt.Robot, model, rng: np.random.Generator):
    """q, qd and qdd of ours and of theirs: their quaternions are wxyz, and a free joint's linear velocity and its rate
    are in the world's axes."""
    q, qd, qdd = robot.q(), rng.uniform(-1, 1, robot.nv), rng.uniform(-2, 2, robot.nv)
    theirs = [np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)]
    at = 0
    for name, where in robot.q_slices.items():
        joint, kind = model.joint(name), robot.joints[name].kind
        v, at = slice(at, at + kind.nv), at + kind.nv
        q[where] = rng.uniform(-1, 1, kind.nq)
        if kind.quaternion:
            xyzw = q[where][kind.quaternion] = rng.normal(size=4)
            xyzw /= np.linalg.norm(xyzw)
            q[where] = [*q[where][: kind.nq - 4], *xyzw]
        own = q[where]
        turned = [*own[:-4], own[-1], *own[-4:-1]] if kind.quaternion else own
        first, start = joint.qposadr[0], joint.dofadr[0]
        theirs[0][first : first + kind.nq] = turned
        rates = [qd[v].copy(), qdd[v].copy()]
        if kind.nv == 6:
            R = kt.fk(robot, robot.joints[name].child)(q)[:3, :3]
            rates[1][:3] = R @ (rates[1][:3] + np.cross(rates[0][3:], rates[0][:3]))
            rates[0][:3] = R @ rates[0][:3]
        for array, numbers in zip(theirs[1:], rates, strict=True):
            array[start : start + kind.nv] = numbers
    return (q, qd, qdd), theirs


@pytest.mark.parametrize("name", ROBOTS)
def test_readings_with_contacts(name):
    robot, rng = kt.load(ROBOTS[name], format="mjcf"), np.random.default_rng(20261123)
    model = mujoco.MjModel.from_xml_string(ROBOTS[name])
    gravity = (0.5, -1.0, -9.81)
    for _ in range(20):
        data = mujoco.MjData(model)
        ours, (data.qpos, data.qvel, data.qacc) = states(robot, model, rng)
        frames, w = ["b2", "b4"], rng.normal(size=(2, 6))
        qacc = data.qacc.copy()
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        data.qacc = qacc
        for frame, one in zip(frames, w, strict=True):
            R, p = data.body(frame).xmat.reshape(3, 3), data.body(frame).xpos
            com = data.body(frame).xipos
            f = R @ one[:3]
            data.body(frame).xfrc_applied = [*f, *(R @ one[3:] + np.cross(p - com, f))]
        mujoco.mj_rnePostConstraint(model, data)
        mujoco.mj_sensorVel(model, data)
        mujoco.mj_sensorAcc(model, data)
        for i in range(1, 6):
            expected = np.concatenate([data.sensor(f"{kind}{i}").data for kind in ("gyro", "accelerometer")])
            reading = kt.dynamics.imu_reading(robot, f"gyro{i}", gravity=gravity)(*ours)
            np.testing.assert_allclose(reading, expected, rtol=0, atol=1e-10)
            expected = np.concatenate([data.sensor(f"{kind}{i}").data for kind in ("force", "torque")])
            reading = kt.dynamics.sensor_reading(robot, f"force{i}", frames, gravity=gravity)(*ours, w)
            np.testing.assert_allclose(reading, expected, rtol=0, atol=1e-10, err_msg=str(i))
