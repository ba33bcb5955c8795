"""The clauses of REP-199 about flange, to which end effectors are bolted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from kinetree.conventions.rep199.arms import Arm
from kinetree.conventions.rep199.clause import Rep199
from kinetree.conventions.rule import Rule
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array

ALONG = 1e-3
"""How far the cosine of two directions may be from 1 for them to be one."""


class FlangeAxis(Rep199):
    """X of flange points away from the last link.

    Grippers are modelled to be bolted on with their X outwards. Where flange points another way they hang sideways, in
    the model only.
    """

    code = "R199-403"
    level = "MUST"
    clause = "the X+ axis must always point away from the last link"
    good = """<origin xyz="0.09 0 0" rpy="0 0 0"/>"""
    bad = """<origin xyz="0.09 0 0" rpy="0 -1.5707963267948966 0"/>"""

    def check(
        self, robot: Robot, arms: tuple[Arm, ...], poses: Mapping[str, Array], bodies: Mapping[str, str]
    ) -> Iterator[Finding]:
        """X of a flange is not the axis of the last joint, away from the wrist."""
        for arm in arms:
            if arm.flange is None or bodies[arm.flange] != arm.end:
                continue
            x = poses[arm.flange][:3, 0]
            outwards = _outwards(arm, robot, poses)
            if outwards is not None and x @ outwards < 1 - ALONG:
                off = np.rad2deg(np.arccos(np.clip(x @ outwards, -1, 1)))
                message = f"X+ points {off:.4g} degrees off the way out of the last link, along {arm.moving[-1]!r}"
                yield self.finding(message, robot.links.get(arm.flange) or robot.frames[arm.flange])


def _outwards(arm: Arm, robot: Robot, poses: Mapping[str, Array]) -> Array | None:
    """The direction out of the last link: along the last joint's axis, away from the joint before; or as tool0's Z;
    or None where neither tells."""
    joint = robot.joints[arm.moving[-1]]
    if joint.axis is None or not joint.kind.angular[0]:
        return None
    T = poses[joint.parent] @ joint.origin
    axis = T[:3, :3] @ joint.axis
    before = robot.joints[arm.moving[-2]]
    wrist = (poses[before.parent] @ before.origin)[:3, 3]
    along = float(axis @ (poses[arm.flange or arm.end][:3, 3] - wrist))
    if abs(along) < 1e-6 and arm.tool0 is not None:
        along = float(axis @ poses[arm.tool0][:3, 2])
    return axis * np.sign(along) if abs(along) > 1e-6 else None


RULES: tuple[type[Rule], ...] = (FlangeAxis,)
