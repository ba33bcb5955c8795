"""Robotics Toolbox for Python: elementary transform sequences, whose functions are compiled."""

import xml.etree.ElementTree as ET

import roboticstoolbox as rtb

import peers


class Peer(peers.Peer):
    packages = ("roboticstoolbox-python", "numpy")
    about = "of the end's `ets`: `eval`, for a batch too; `jacob0`, `hessian0`, `manipulability`"

    def functions(self):
        if len(self.case.frames) != 1:
            return {}
        robot = rtb.Robot.URDF(self.case.urdf)
        moving = sorted((link for link in robot.links if link.isjoint), key=lambda link: link.jindex)
        joint_of = {j.find("child").get("link"): j.get("name") for j in ET.parse(self.case.urdf).iter("joint")}
        self.joints = tuple(joint_of[link.name] for link in moving)
        ets = robot.ets(start=self.case.root, end=self.case.frames[0])
        return {
            "fk one": ets.eval,
            "fk batch": ets.eval,
            "jacobian one": ets.jacob0,
            "hessian one": ets.hessian0,
            "manipulability one": ets.manipulability,
        }
