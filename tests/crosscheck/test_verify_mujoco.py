"""`kt.verify` by torques that MuJoCo computes for a robot with other masses and friction."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.lab.identify.correct import corrected
from test_verify_efforts import ARM, motion
from test_verify_fix import FAULTS, MJCF, fix

pytestmark = pytest.mark.crosscheck


def torques(model, q, qd, qdd):
    data, found = mujoco.MjData(model), np.empty_like(q)
    for row in range(len(q)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[row], qd[row], qdd[row]
        mujoco.mj_inverse(model, data)
        found[row] = data.qfrc_inverse
    return found


def log_of(change):
    model = mujoco.MjModel.from_xml_string(kt.text(ARM, "mjcf", without=("limit",)))
    change(model)
    rng = np.random.default_rng(0)
    t, q, qd, qdd = motion(ARM, rng)
    tau = torques(model, q, qd, qdd)
    tau += rng.normal(size=tau.shape) * 0.02 * np.sqrt((tau**2).mean(axis=0))
    return kt.verify(ARM, q, t=t, effort=tau)


def test_the_same_robot():
    assert log_of(lambda model: None).faults == ()


def test_a_heavier_link():
    def heavier(model):
        model.body_mass[-1] *= 1.25
        model.body_inertia[-1] *= 1.25

    (fault,) = log_of(heavier).faults
    assert (fault.kind, fault.element) == ("mass", "q3_link")
    assert abs(fault.value - 0.5) < 3 * fault.std < 0.1


def test_friction_and_armature():
    def rougher(model):
        model.dof_damping[0] += 0.4
        model.dof_armature[2] += 0.3

    found = log_of(rougher)
    assert {(fault.kind, fault.element) for fault in found.faults} == {("viscous friction", "q1"), ("armature", "q3")}
    values = {fault.kind: fault for fault in found.faults}
    assert abs(values["viscous friction"].value - 0.4) < 3 * values["viscous friction"].std
    assert abs(values["armature"].value - 0.3) < 3 * values["armature"].std


def test_a_centre():
    def moved(model):
        model.body_ipos[-1] += [0.03, 0, 0.02]

    (fault,) = log_of(moved).faults
    assert (fault.kind, fault.element) == ("centre", "q3_link")
    np.testing.assert_array_less(np.abs(fault.value - [0.03, 0, 0.02]), 3 * fault.std)


def readings(kinds, change, rng):
    """Return times, positions of joints, and what sensors of MuJoCo at the end of the arm read."""
    spec = mujoco.MjSpec.from_string(kt.text(ARM, "mjcf", without=("limit",)))
    site = spec.bodies[-1].add_site(name="sensor")
    for kind in kinds:
        spec.add_sensor(name=kind, type=getattr(mujoco.mjtSensor, f"mjSENS_{kind}"), objname=site.name, objtype=SITE)
    change(spec, site)
    model = spec.compile()
    data, (t, q, qd, qdd) = mujoco.MjData(model), motion(ARM, rng)
    y = np.empty((len(t), 6))
    for row in range(len(t)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[row], qd[row], qdd[row]
        mujoco.mj_inverse(model, data)
        y[row] = data.sensordata
    return t, q, y


SITE = mujoco.mjtObj.mjOBJ_SITE


def by_imu(change):
    rng = np.random.default_rng(0)
    t, q, y = readings(("GYRO", "ACCELEROMETER"), change, rng)
    y += rng.normal(size=y.shape) * np.repeat([0.005, 0.05], 3)
    return kt.verify(ARM, q, t=t, imu={"q3_link": y}).faults


@pytest.mark.nightly
def test_inertial_sensors():
    assert by_imu(lambda spec, site: None) == ()

    def moved(spec, site):
        site.pos = [0.1, -0.05, 0.02]
        site.quat = [np.cos(0.05), 0, np.sin(0.05), 0]

    (fault,) = by_imu(moved)
    assert (fault.kind, fault.element) == ("sensor pose", "q3_link")
    np.testing.assert_array_less(np.abs(fault.value - [0.1, -0.05, 0.02, 0, 0.1, 0]), 3 * fault.std)

    def longer(spec, site):
        spec.bodies[-1].pos[0] += 0.02

    (fault,) = by_imu(longer)
    assert (fault.kind, fault.element) == ("length", "q3")
    assert abs(fault.value - 0.02) < 3 * fault.std


def test_force_torque_sensors():
    """MuJoCo's read what the child exerts on the parent, at the joint, with the sign of the model's parent_on_child."""

    def found_by(change, sign=1.0):
        rng = np.random.default_rng(0)
        t, q, y = readings(("FORCE", "TORQUE"), change, rng)
        y = sign * y + [3, -2, 4, 0.2, 0.1, -0.3] + rng.normal(size=y.shape) * np.repeat([0.2, 0.02], 3)
        return kt.verify(ARM, q, t=t, wrenches={"q3": y}).faults

    signs = [name for sign in (1.0, -1.0) for name in found_by(lambda spec, site: None, sign)]
    assert [fault.kind for fault in signs] == ["wrench sign"]  # of one of the two alone
    sign = -1.0 if found_by(lambda spec, site: None) else 1.0

    def heavier(spec, site):
        spec.bodies[-1].mass *= 1.25
        spec.bodies[-1].fullinertia *= 1.25
        spec.bodies[-1].inertia *= 1.25

    (fault,) = found_by(heavier, sign)
    assert (fault.kind, fault.element) == ("mass", "q3_link")
    assert abs(fault.value - 0.5) < 3 * fault.std < 0.1


@each("kind", FAULTS)
def test_mujoco_reads_what_is_corrected(tmp_path, kind):
    """MuJoCo gives the edited text the poses and torques of the corrected robot."""
    file = tmp_path / "arm.xml"
    file.write_text(MJCF)
    wanted, _ = corrected(kt.load(file), [FAULTS[kind]])
    ((_, after),) = fix(file, FAULTS[kind]).after.items()
    model = mujoco.MjModel.from_xml_string(after.decode())
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, 5, 2))
    tau = torques(model, q, qd, qdd) - model.dof_frictionloss * np.sign(qd)  # which inverse_dynamics leaves out
    np.testing.assert_allclose(tau, kt.inverse_dynamics(wanted)(q, qd, qdd), rtol=0, atol=1e-7)
    data.qpos[:] = q[0]
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(data.site("tip").xpos, kt.fk(wanted, "tip")(q[0])[:3, 3], rtol=0, atol=1e-9)
