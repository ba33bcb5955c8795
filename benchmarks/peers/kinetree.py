"""Kinetree: kernels, whose NumPy functions take any shape."""

import numpy as np

import kinetree as kt
import peers

DYNAMICS = {
    "rnea": kt.inverse_dynamics,
    "aba": kt.forward_dynamics,
    "crba": kt.mass_matrix,
    "rnea_derivatives": kt.dynamics.inverse_dynamics_derivatives,
    "aba_derivatives": kt.dynamics.forward_dynamics_derivatives,
}


class Peer(peers.Peer):
    packages = ("kinetree", "numpy", "llvmlite")
    about = (
        "kernels: `fk(q)`, `fk(Q)`, `fk(Q, out=T)`, with `dtype=np.float32`, with `threads=2`; "
        "`inverse_dynamics(robot)(q, qd, qdd)` and so on"
    )

    def functions(self):
        robot, frames = kt.load(self.case.urdf), self.case.frames
        self.joints = robot.joint_names
        kernels = {"fk": kt.fk(robot, frames[0] if len(frames) == 1 else frames)} if frames else {}
        if len(frames) == 1:
            kernels["jacobian"] = kt.jacobian(robot, frames[0])
            kernels["hessian"] = kt.hessian(robot, frames[0])
            kernels["manipulability"] = kt.manipulability(robot, frames[0])
        kernels |= dynamics(robot)
        found = {}
        for query, kernel in kernels.items():
            found[f"{query} one"] = found[f"{query} batch"] = kernel
            found[f"{query} into"] = lambda *Q, kernel=kernel: kernel(*Q[:-1], out=Q[-1])
            found[f"{query} float32"] = lambda Q, out, kernel=kernel: kernel(Q, out=out, dtype=np.float32)
            found[f"{query} two threads"] = lambda Q, out, kernel=kernel: kernel(Q, out=out, threads=2)
        for query in ("rnea_derivatives", "aba_derivatives") if "rnea" in kernels else ():
            found[f"{query} into"] = flat(kernels[query])
        return found


def dynamics(robot):
    """The kernels of dynamics; none of a robot without masses, which they refuse."""
    has_mass = any(link.inertial for link in robot.links.values())
    return {query: ask(robot) for query, ask in DYNAMICS.items()} if has_mass else {}


def flat(kernel):
    """Of a kernel with several outputs, which writes them one after the other."""
    return lambda *Q: kernel(*Q[:-1], out=Q[-1].reshape(len(Q[-1]), -1))
