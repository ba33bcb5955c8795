"""Robots as Pinocchio has them, for the cross-checks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.model.mimic import resolve_mimic
from kinetree.model.tree import build_tree
from support import REFUSED, example_robot_urdfs


class PinocchioRobot:
    """A robot as Pinocchio has it. It builds no follower above its leader, so every joint has numbers of its own there,
    and `G` (nv there, nv here) says how they follow."""

    def __init__(self, pin: Any, path: Path, robot: kt.Robot, root: Any = None) -> None:
        """root: Pinocchio's joint that carries the robot, which `robot` has as "root_joint"."""
        self.pin, self.robot, self.tree = pin, robot, build_tree(robot)
        self.axes = {"base": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED, "frame": pin.ReferenceFrame.LOCAL}
        self.model = pin.buildModelFromUrdf(os.fspath(path), *([] if root is None else [root]))
        self.data = self.model.createData()
        self.G = np.zeros((self.model.nv, self.tree.nv))
        for name, moves, multiplier in zip(self.tree.joints, self.tree.v_slice, self.tree.multiplier, strict=True):
            place = self.model.joints[self.model.getJointId(name)]
            assert robot.joints[name].type != "planar"  # its x and y are the joint's axes here, the child's there
            self.G[place.idx_v : place.idx_v + place.nv, moves] = multiplier * np.eye(place.nv)

    def q(self, q: np.ndarray) -> np.ndarray:
        """Coordinates (…, nq) as Pinocchio has them."""
        qp = np.tile(self.pin.neutral(self.model), (*q.shape[:-1], 1))
        for joint in self.robot.joints.values():
            if joint.kind.nq:
                leader, multiplier, offset = resolve_mimic(self.robot, joint.name)
                value = multiplier * q[..., self.robot.q_slices[leader]] + offset
                place = self.model.joints[self.model.getJointId(joint.name)]
                if joint.type == "continuous":
                    value = np.concatenate([np.cos(value), np.sin(value)], axis=-1)
                qp[..., place.idx_q : place.idx_q + place.nq] = value
        return qp

    def frame(self, link: str) -> int:
        return int(self.model.getFrameId(link, self.pin.FrameType.BODY))


def loadable() -> list[Path]:
    return [path for path in example_robot_urdfs() if path.name not in REFUSED]
