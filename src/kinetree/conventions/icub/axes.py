"""Axes at the zero configuration, the way the root looks, and the order of the torso."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import degrees, radians

import numpy as np

from kinetree.conventions.icub.page import IcubRule
from kinetree.conventions.rule import angle_between
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.robots.icub.naming import AxisRow, Entry, naming
from kinetree.spatial.se3 import Array

ALIGNED = radians(0.1)
LEANING = radians(15.1)
"""How far an axis may be from the page's and be meant to be the same: the arms lean by 15 degrees, and later feet."""

TURNED: Array = np.diag([-1.0, -1.0, 1.0])
"""By half a turn about z: from a root that looks along +x to the iCub's, which looks along -x."""


class RootLooksBackwards(IcubRule):
    """The x axis of root_link points out of the robot's back.

    The iCub's root frame has x backwards, y to the right, z up. Models of iCub 3 and ergoCub have x forwards, as
    REP-103 asks; numbers of one are wrong on the other by half a turn about z. Told by the axes of the joints, most of
    which are then opposite to the page's.
    """

    code = "ICUB-301"
    level = "MUST"
    evidence = "heuristic"
    clause = "axes are expressed in the iCub's root frame"
    good = "base = { matrix = [[0, -1, 0, 0], [0, 0, -1, 0], [1, 0, 0, 0], [0, 0, 0, 1]] }"
    bad = "base = { matrix = [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]] }"
    base_format = "dh"

    def check(self, robot: Robot, poses: Mapping[str, Array]) -> Iterator[Finding]:
        """Most axes are the page's after half a turn."""
        if looks_forwards(robot, poses):
            message = "x points forwards, as on iCub 3 and ergoCub; the page has it backwards. Axes are judged as if \
this link were turned by 180 deg about z"
            yield self.finding(message, robot.links["root_link"])


class AxisDirection(IcubRule):
    """Every joint turns about the page's axis, all joints at zero.

    A reversed axis is a sign error in every controller. Where the page is known to be wrong a model that is right is
    told so, and the arms lean by 15 degrees, which the page admits to neglect.
    """

    code = "ICUB-302"
    level = "MUST"
    clause = "columns Axis (x), (y), (z), in the root frame, all joints at zero"
    good = '<axis xyz="0 0 1"/>'
    bad = '<axis xyz="0 0 -1"/>'

    def check(self, robot: Robot, poses: Mapping[str, Array]) -> Iterator[Finding]:
        """An axis that departs from the page."""
        R = TURNED if looks_forwards(robot, poses) else np.eye(3)
        for entry in naming().axes:
            name = entry.correct.joint
            axis = axis_in_root(robot, poses, name)
            if entry.correct.axis is None or axis is None:
                continue
            said = self.departure(entry, R @ axis)
            if said:
                message, grave = said
                yield self.finding(message, robot.joints[name], severity=None if grave else "info")

    def departure(self, entry: Entry[AxisRow], axis: Array) -> tuple[str, bool] | None:
        """What to say of an axis, and whether it is a fault of the model."""
        right = entry.correct.axis
        assert right is not None
        page = entry.printed.axis if entry.printed and entry.printed.axis else right
        angle, true_angle = angle_between(np.array(page), axis), angle_between(np.array(right), axis)
        if angle <= ALIGNED:
            wrong = page != right
            return (f"is {_vector(page)} as on the page, which is wrong here: {_why(entry)}", True) if wrong else None
        said = f"is {_vector(axis)}, {degrees(angle):.1f} deg from the page's {_vector(page)}"
        if true_angle <= ALIGNED:
            return f"{said}, which is wrong there: {_why(entry)}", False
        lean = naming().leaning.get(entry.correct.joint)
        if lean and angle_between(np.array(lean), axis) <= ALIGNED:
            return f"{said}, which neglects that the arms lean", False
        if "_ankle_roll" in entry.correct.joint and true_angle <= LEANING:
            return f"{said}; feet of the later kind, KIT_007, are so", True
        return f"{said}: the opposite direction" if np.pi - true_angle <= LEANING else said, True


class TorsoOrder(IcubRule):
    """The torso bends in pitch, then roll, then yaw.

    The control board counts them the other way round: yaw, roll, pitch. On iCub 3 and ergoCub the chain and the board
    are both roll, pitch, yaw. Whoever hands three numbers over without names gets a wrong pose.
    """

    code = "ICUB-303"
    level = "MUST"
    clause = "torso_1, torso_2 and chest hang on one another by torso_pitch, torso_roll, torso_yaw"
    good = 'torso = ["torso_yaw", "torso_roll", "torso_pitch"]'
    bad = 'torso = ["torso_pitch", "torso_roll", "torso_yaw"]'
    base_format = "dh"

    def check(self, robot: Robot) -> Iterator[Finding]:
        """Another order of the chain, or of the group."""
        chain = ("torso_pitch", "torso_roll", "torso_yaw")
        there = [name for name in robot.placed if name in chain]
        if len(there) == len(chain) and tuple(there) != chain:
            known = "as on iCub 3 and ergoCub" if there[0] == "torso_roll" else "as on no iCub"
            message = f"turn in the order {', '.join(there)}, {known}; the page has {', '.join(chain)}"
            yield self.finding(message, robot.joints[there[0]])
        board = tuple(entry.correct.joint for entry in naming().joints if entry.correct.board == "torso")
        group = robot.groups.get("torso")
        if tuple(there) == chain and group and set(group) == set(board) and group != board:
            message = f"lists {', '.join(group)}; the control board's order is {', '.join(board)}"
            yield self.finding(message, "group 'torso'")


RULES = (RootLooksBackwards, AxisDirection, TorsoOrder)


def axis_in_root(robot: Robot, poses: Mapping[str, Array], name: str) -> Array | None:
    """The axis (3,) of a joint at the zero configuration in root_link, or None for a joint without one."""
    joint = robot.joints.get(name)
    if joint is None or len(joint.axes) != 1 or "root_link" not in poses:
        return None
    R_root = poses["root_link"][:3, :3]
    R_joint = poses[joint.parent][:3, :3] @ joint.origin[:3, :3]  # about its own axis a joint does not turn it
    return np.asarray(R_root.T @ R_joint @ joint.axes[0])


def looks_forwards(robot: Robot, poses: Mapping[str, Array]) -> bool:
    """Whether more of the axes that are not vertical fit the page after half a turn about z than before."""
    before = after = 0
    for entry in naming().axes:
        right = entry.correct.axis
        axis = axis_in_root(robot, poses, entry.correct.joint)
        if right is None or axis is None or abs(right[2]) > 0.5:
            continue
        before += angle_between(np.array(right), axis) <= LEANING
        after += angle_between(np.array(right), TURNED @ axis) <= LEANING
    return after > before


def _vector(axis: Array | tuple[float, ...]) -> str:
    return "(" + ", ".join(f"{x:.3f}".rstrip("0").rstrip(".") if abs(x) > 5e-4 else "0" for x in axis) + ")"


def _why(entry: Entry[AxisRow]) -> str:
    deviation = naming().deviations[entry.deviations[0]]
    return f"{_vector(entry.correct.axis or ())} holds (deviation {deviation.number}: {deviation.why.rstrip('.')})"
