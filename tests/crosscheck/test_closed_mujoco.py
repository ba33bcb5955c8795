"""Closed loops against MuJoCo: positions by its constraints, accelerations and forces of loops by its matrices.

MuJoCo's own constraints are soft, so its accelerations are not those of closed loops. Its mass matrix, bias forces and
Jacobians of constraints are exact: H qdd + C = tau + Jᵀ y and J qdd + dJ/dt qd = 0 are solved here.
"""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from kinetree.spatial.se3 import rotation_from_quaternion
from linkages import LEG_DRIVEN, cassie_leg, delta, fourbar, gripper

pytestmark = pytest.mark.crosscheck
mujoco = pytest.importorskip("mujoco")

ARMS = ["arm0", "arm1", "arm2"]
ROBOTS = {
    "four-bar": (fourbar(), ["crank"], 3.0),
    "gripper": (gripper(), ["right_drive"], 0.5),
    "delta": (delta(), ARMS, 0.4),
    "leg of Cassie": (cassie_leg(), LEG_DRIVEN, 0.15),
}


class Simulated:
    """A model of MuJoCo with the numbers of a robot of Kinetree."""

    def __init__(self, text, robot):
        self.model, self.robot = mujoco.MjModel.from_xml_string(text), robot
        self.data = mujoco.MjData(self.model)

    def rows(self):
        """For each joint: q of Kinetree as (place, order), and that in MuJoCo's qpos and qvel."""
        for name, where in self.robot.q_slices.items():
            joint = self.model.joint(name)
            order = {1: [0], 4: [3, 0, 1, 2], 7: [0, 1, 2, 6, 3, 4, 5]}[where.stop - where.start]
            yield name, np.arange(where.start, where.stop)[order], joint.qposadr[0] + np.arange(len(order))

    def put(self, q):
        """Set qpos and compute everything; return V, which maps rates of Kinetree to MuJoCo's."""
        for _, ours, theirs in self.rows():
            self.data.qpos[theirs] = q[ours]
        for i in range(self.model.neq):  # followers have no number of their own
            if self.model.eq_type[i] == mujoco.mjtEq.mjEQ_JOINT:
                one, two = (self.model.joint(k).qposadr[0] for k in (self.model.eq_obj1id[i], self.model.eq_obj2id[i]))
                self.data.qpos[one] = self.data.qpos[two]
        mujoco.mj_forward(self.model, self.data)
        V, at = np.zeros((self.model.nv, self.robot.nv)), 0
        for name, ours, _ in self.rows():
            n, first = self.robot.joints[name].kind.nv, self.model.joint(name).dofadr[0]
            V[first : first + n, at : at + n] = np.eye(n)
            if len(ours) == 7:
                w, x, y, z = self.data.qpos[self.model.joint(name).qposadr[0] + 3 :][:4]
                V[first : first + 3, at : at + 3] = rotation_from_quaternion((x, y, z, w))
            at += n
        for i in range(self.model.neq):
            if self.model.eq_type[i] == mujoco.mjtEq.mjEQ_JOINT:
                one, two = (self.model.joint(k).dofadr[0] for k in (self.model.eq_obj1id[i], self.model.eq_obj2id[i]))
                V[one] = V[two]
        return V

    def constraints(self):
        """The Jacobian of the equalities (m, nv), and how far they are open."""
        m = self.data.ne
        J = np.zeros((m, self.model.nv))
        if mujoco.mj_isSparse(self.model):
            for i in range(m):
                first, count = self.data.efc_J_rowadr[i], self.data.efc_J_rownnz[i]
                J[i, self.data.efc_J_colind[first : first + count]] = self.data.efc_J[first : first + count]
        else:
            J[:] = self.data.efc_J.reshape(-1, self.model.nv)[:m]
        return J, self.data.efc_pos[:m].copy()


@pytest.fixture(params=ROBOTS)
def case(request):
    text, driven, reach = ROBOTS[request.param]
    robot = kt.load(text, format="mjcf")
    close = kt.kinematics.close(robot, driven)
    rng = np.random.default_rng(0)
    start = close.start[list(close.roles.columns)]
    places = start + rng.uniform(-reach, reach, (20, len(start)))
    found = close(places)
    assert found.success.mean() > 0.9
    return robot, driven, Simulated(text, robot), close, found.q[found.success], rng


def test_positions(case):
    """Newton's method with MuJoCo's own constraints, from beside, comes back to the same places."""
    robot, _, simulated, close, places, rng = case
    following = list(close.roles.following)
    add, away = kt.dynamics.integrate(robot), kt.dynamics.difference(robot)
    balls = [i for i, name in enumerate(robot.velocity_names) if robot.joints[name.partition(".")[0]].type == "ball"]
    for q in places:
        simulated.put(q)
        assert np.abs(simulated.constraints()[1]).max() < 1e-9
        v = np.zeros(robot.nv)
        v[following] = rng.uniform(-0.01, 0.01, len(following))
        there = add(q, v)
        for _ in range(6):
            V = simulated.put(there)
            J, gap = simulated.constraints()
            v[following] = -np.linalg.lstsq((J @ V)[:, following], gap)[0]
            there = add(there, v)
        off = np.abs(away(q, there))
        off[balls] = 0.0  # a rod may have turned about its own axis
        assert off.max() < 1e-9


def test_accelerations_and_forces_of_loops(case):
    robot, driven, simulated, close, places, rng = case
    n, held = len(close.velocity_names), list(close.roles.held)
    qdd, tau = kt.forward_dynamics(robot, driven=driven), kt.inverse_dynamics(robot, driven=driven)
    wrenches, add = kt.dynamics.loop_wrenches(robot, driven=driven), kt.dynamics.integrate(robot)
    columns = list(close.roles.driven)
    loops = list(robot.loops.values())
    T_loop = kt.fk(robot, [loop.parent for loop in loops])
    for q in places[:8]:
        xd, torque = rng.normal(size=n), rng.normal(size=n)
        x, v = q[list(close.roles.columns)], close.rates(q) @ xd
        sides = []
        for h in (-1e-5, 1e-5):
            V = simulated.put(add(q, h * v))
            sides.append(simulated.constraints()[0] @ V)
        V = simulated.put(q)
        simulated.data.qvel[:] = V @ v
        mujoco.mj_forward(simulated.model, simulated.data)
        H = np.zeros((simulated.model.nv, simulated.model.nv))
        mujoco.mj_fullM(simulated.model, simulated.data, H)
        C = simulated.data.qfrc_bias - simulated.data.qfrc_passive
        drift = _free_drift(robot, q, v)
        J = np.vstack([simulated.constraints()[0] @ V, np.eye(robot.nv)[held]])
        J_dot = np.vstack([(sides[1] - sides[0]) / 2e-5, np.zeros((len(held), robot.nv))])
        applied = np.zeros(robot.nv)
        applied[columns] = torque
        m = len(J)
        # MuJoCo's rates are V v; dV/dt v is the drift of free bodies, whose linear velocity is in the world's axes
        A = np.block([[V.T @ H @ V, -J.T], [J, np.zeros((m, m))]])
        b = np.r_[applied - V.T @ (C + H @ V @ drift), -J_dot @ v]
        solved = np.linalg.lstsq(A, b, rcond=1e-13)[0]
        found = qdd(x, xd, torque, q0=q)
        scale = 1 + np.abs(solved[: robot.nv]).max()
        np.testing.assert_allclose(found, solved[columns], atol=1e-8 * scale)
        np.testing.assert_allclose(tau(x, xd, found, q0=q), torque, atol=1e-9 * (1 + np.abs(torque).max()))
        rnea = kt.inverse_dynamics(robot, loops="ignore")(q, v, solved[: robot.nv])
        np.testing.assert_allclose(close.rates(q).T @ rnea, torque, atol=1e-8 * (1 + np.abs(rnea).max()))
        W = wrenches(x, xd, found, q0=q)
        force = -solved[robot.nv :][: 3 * len(loops)].reshape(-1, 3)  # on the second body, in the world's axes
        R = T_loop(q)[:, :3, :3] @ np.array([loop.origin[:3, :3] for loop in loops])
        ours = np.einsum("kij,kj->ki", R, W[:, :3])
        np.testing.assert_allclose(ours, force, atol=1e-7 * (1 + np.abs(force).max()))


def _free_drift(robot, q, v):
    """What the accelerations of Kinetree gain seen from the world's axes: w x u of free bodies, in their own axes."""
    found, at = np.zeros(robot.nv), 0
    for name in robot.joint_names:
        kind = robot.joints[name].kind
        found[at : at + kind.nv] = kind.drift(v[at : at + kind.nv], v[at : at + kind.nv])
        at += kind.nv
    return found
