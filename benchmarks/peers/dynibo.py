"""dynibo: a `Robot`, or a `FloatingRobot` with the state of its base apart."""

from dynibo import Robot

import peers


class Peer(peers.Peer):
    packages = ("dynibo", "numpy")
    about = "`inverse_dynamics`, `forward_dynamics`, `mass_matrix`, one call at a time, for robots without floating joint"

    def functions(self):
        if self.case.free:
            return {}  # the state of its base is an object of its own
        self.robot = robot = Robot.from_urdf(self.case.urdf)
        n = robot.joint_count
        return {
            "rnea one": robot.inverse_dynamics,
            "aba one": robot.forward_dynamics,
            "crba one": lambda q: robot.mass_matrix(q).reshape(n, n),
        }
