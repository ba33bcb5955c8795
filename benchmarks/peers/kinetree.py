"""Kinetree: kernels, whose NumPy functions take any shape."""

import numpy as np

import kinetree as kt
import peers


class Peer(peers.Peer):
    packages = ("kinetree", "numpy", "llvmlite")
    about = "kernels: `fk(q)`, `fk(Q)`, `fk(Q, out=T)`, with `dtype=np.float32`, with `threads=2`"

    def functions(self):
        robot, frames = kt.load(self.case.urdf), self.case.frames
        self.joints = robot.joint_names
        kernels = {"fk": kt.fk(robot, frames[0] if len(frames) == 1 else frames)}
        if len(frames) == 1:
            kernels["jacobian"] = kt.jacobian(robot, frames[0])
            kernels["hessian"] = kt.hessian(robot, frames[0])
            kernels["manipulability"] = kt.manipulability(robot, frames[0])
        found = {}
        for query, kernel in kernels.items():
            found[f"{query} one"] = found[f"{query} batch"] = kernel
            found[f"{query} into"] = lambda Q, out, kernel=kernel: kernel(Q, out=out)
            found[f"{query} float32"] = lambda Q, out, kernel=kernel: kernel(Q, out=out, dtype=np.float32)
            found[f"{query} two threads"] = lambda Q, out, kernel=kernel: kernel(Q, out=out, threads=2)
        return found
