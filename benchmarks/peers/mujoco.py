"""MuJoCo: `mj_kinematics`, then what it left in `mjData`."""

from pathlib import Path

import mujoco
import numpy as np

import peers

COMPILER = '<mujoco><compiler fusestatic="false" balanceinertia="true"/></mujoco>'
"""Keeps links on fixed joints, such as tools, as bodies of their own."""


class Peer(peers.Peer):
    packages = ("mujoco", "numpy")
    about = (
        "`mj_kinematics` and `xpos`, `xmat`; `mj_jacBody` after `mj_comPos`; batches in a Python "
        "loop; `mj_inverse`, `mj_forward` without constraints, one call at a time, for robots without floating joint"
    )
    largest = 10_000

    def functions(self):
        if self.case.free:
            return {}  # the velocities of its free joint are in other axes
        text = Path(self.case.urdf).read_text()
        self.model = model = mujoco.MjModel.from_xml_string(text.replace("</robot>", f"{COMPILER}</robot>"))
        self.data = mujoco.MjData(model)
        self.joints = tuple(model.joint(i).name for i in range(model.njnt))
        bodies = [model.body(name).id for name in self.case.frames]
        found = self.dynamics()
        if len(bodies) > 1:
            found |= self.poses(np.array(bodies), (len(bodies),))
        if len(bodies) == 1:
            found |= {**self.poses(bodies[0], ()), **self.jacobian(bodies[0])}
        return found

    def dynamics(self):
        model, data = self.model, self.data
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        qpos, qvel, qacc, inverse = data.qpos, data.qvel, data.qacc, data.qfrc_inverse
        applied = data.qfrc_applied

        def rnea(q, qd, qdd):
            qpos[:], qvel[:], qacc[:] = q, qd, qdd
            mujoco.mj_inverse(model, data)
            return inverse.copy()

        def aba(q, qd, tau):
            qpos[:], qvel[:], applied[:] = q, qd, tau
            mujoco.mj_forward(model, data)
            return qacc.copy()

        return {"rnea one": rnea, "aba one": aba}

    def poses(self, bodies, k):
        model, data, kinematics = self.model, self.data, mujoco.mj_kinematics
        qpos, xpos, xmat = data.qpos, data.xpos, data.xmat.reshape(-1, 3, 3)

        def one(q):
            qpos[:] = q
            kinematics(model, data)
            T = np.zeros((*k, 4, 4))
            T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = xmat[bodies], xpos[bodies], 1
            return T

        def batch(Q):
            out = np.zeros((len(Q), *k, 4, 4))
            out[..., 3, 3] = 1
            R, p = out[..., :3, :3], out[..., :3, 3]
            for i, q in enumerate(Q):
                qpos[:] = q
                kinematics(model, data)
                R[i], p[i] = xmat[bodies], xpos[bodies]
            return out

        return {"fk one": one, "fk batch": batch}

    def jacobian(self, body):
        model, data, qpos = self.model, self.data, self.data.qpos

        def fill(q, J):
            qpos[:] = q
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_jacBody(model, data, J[:3], J[3:], body)

        def one(q):
            J = np.empty((6, model.nv))
            fill(q, J)
            return J

        def batch(Q):
            out = np.empty((len(Q), 6, model.nv))
            for q, J in zip(Q, out, strict=True):
                fill(q, J)
            return out

        return {"jacobian one": one, "jacobian batch": batch}
