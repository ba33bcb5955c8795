"""dynibo: a `Robot` with a fixed base."""

import xml.etree.ElementTree as ET

from dynibo import Robot

import peers


class Peer(peers.Peer):
    packages = ("dynibo", "numpy")
    tolerance = 1e-3  # its gravity is 9.80665 m/s², that of the others 9.81
    about = (
        "`inverse_dynamics`, `forward_dynamics`, `mass_matrix`, one call at a time, for robots without floating joint"
    )

    def functions(self):
        if self.case.free:
            return {}  # the state of its base is an object of its own
        self.joints = breadth_first(self.case)
        self.robot = robot = Robot.from_urdf(self.case.urdf)
        n = robot.joint_count
        return {
            "rnea one": robot.inverse_dynamics,
            "aba one": robot.forward_dynamics,
            "crba one": lambda q: robot.mass_matrix(q).reshape(n, n),
        }


def breadth_first(case):
    """The moving joints in dynibo's order."""
    joints = [
        (j.find("parent").get("link"), j.get("name"), j.find("child").get("link"))
        for j in ET.parse(case.urdf).findall("joint")
    ]
    found, links = [], [case.root]
    for link in links:
        below = [(name, child) for parent, name, child in joints if parent == link]
        found += [name for name, _ in below if name in case.joints]
        links += [child for _, child in below]
    return tuple(found)
