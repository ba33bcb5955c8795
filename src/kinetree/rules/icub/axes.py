"""Axes at the zero configuration, the direction of the root, and the order of the torso."""

from collections.abc import Mapping
from math import degrees

import numpy as np

from kinetree.errors import Severity
from kinetree.robots.icub.boards import boards, boards_of
from kinetree.robots.icub.naming import AxisRow, Entry, naming
from kinetree.rules.icub.page import IcubRule
from kinetree.rules.rule import Array, Found, Poses, Robot, Threshold, fact, number

ALIGNED = Threshold(0.1, "degrees", "largest angle between equal axes")
LEANING = Threshold(15.1, "degrees", "largest angle to the same axis, since arms and later feet lean by 15 degrees")
PAGE = "that of the naming conventions"
TURNED: Array = np.diag([-1.0, -1.0, 1.0])
"""Half a turn about z, from a root with x forwards to the iCub's, with x backwards."""


class RootLooksBackwards(IcubRule):
    """The x axis of root_link points out of the robot's back.

    The iCub's root frame has x backwards, y to the right, z up. Models of iCub 3 and ergoCub have x forwards, as in
    REP-103; positions in one frame are wrong in the other by half a turn about z. The rule compares the axes of the
    joints, most of which are then opposite to those of the page.
    """

    code = "ICUB-301"
    thresholds = (LEANING,)
    level = "MUST"
    evidence = "heuristic"
    clause = "axes are expressed in the iCub's root frame"
    good = "base = { matrix = [[0, -1, 0, 0], [0, 0, -1, 0], [1, 0, 0, 0], [0, 0, 0, 1]] }"
    bad = "base = { matrix = [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]] }"
    base_format = "dh"

    def check(self, robot: Robot, looks_forwards: bool) -> Found:
        """Most axes are the page's after half a turn."""
        if looks_forwards:
            message = "x points forwards, as on iCub 3 and ergoCub; expected backwards (other rules allow for it)"
            yield self.finding(message, robot.links["root_link"])


class AxisDirection(IcubRule):
    """Every joint turns about its axis in the naming conventions, all joints at zero.

    A reversed axis is a sign error in every controller. Where the naming conventions are known to be wrong, a correct
    model gets a remark. They neglect that the arms lean by 15 degrees.
    """

    code = "ICUB-302"
    thresholds = (ALIGNED, LEANING)
    level = "MUST"
    clause = "columns Axis (x), (y), (z), in the root frame, all joints at zero"
    good = '<axis xyz="0 0 1"/>'
    bad = '<axis xyz="0 0 -1"/>'
    requires = ("ICUB-001", "ICUB-204")

    def check(self, robot: Robot, axes: Mapping[str, Array], looks_forwards: bool) -> Found:
        """An axis that departs from the page."""
        R = TURNED if looks_forwards else np.eye(3)
        for entry in naming().axes:
            name = entry.correct.joint
            if entry.correct.axis is not None and name in axes:
                message, severity = self.judged(entry, R @ axes[name])
                if message:
                    yield self.finding(message, robot.joints[name], severity=severity)

    def judged(self, entry: Entry[AxisRow], axis: Array) -> tuple[str, Severity]:
        """Return the message on an axis, and its severity."""
        joint, correct = entry.correct.joint, entry.correct.axis
        assert correct is not None
        page = entry.printed.axis if entry.printed and entry.printed.axis else correct
        angle = angle_between(page, axis)
        if angle <= ALIGNED and page == correct:
            return "", "info"
        if angle <= ALIGNED:
            return f"the axis is {_vector(page)}, {PAGE}, which are wrong here: {_why(entry)}", "error"
        said = f"the axis is {_vector(axis)}, {number(angle)} degrees off {_vector(page)}, {PAGE}"
        if angle_between(correct, axis) <= ALIGNED:
            return f"{said}, which are wrong here: {_why(entry)}", "info"
        if angle_between(naming().leaning.get(joint, correct), axis) <= ALIGNED:
            return f"{said}, which neglect that the arms lean", "info"
        if angle_between(naming().later_feet.get(joint, correct), axis) <= ALIGNED:
            return f"{said}, as on robots with the later feet, KIT_007", "warning"
        opposite = 180 - angle_between(correct, axis) <= LEANING
        return f"{said}; reverse it" if opposite else said, "error"


class TorsoOrder(IcubRule):
    """The torso bends in pitch, then roll, then yaw.

    The control board has the reverse order: yaw, roll, pitch. On iCub 3 and ergoCub both the chain and the board are
    roll, pitch, yaw. Three numbers without names then give a wrong pose.
    """

    code = "ICUB-303"
    level = "MUST"
    clause = "torso_1, torso_2 and chest hang on one another by torso_pitch, torso_roll, torso_yaw"
    good = """convention = "dh"
units = { length = "mm", angle = "deg" }
rows = [
  { joint = "torso_pitch", a = 32, d = 0,      alpha = 90,  theta = 0 },
  { joint = "torso_roll",  a = 0,  d = -5.5,   alpha = 90,  theta = -90 },
  { joint = "torso_yaw",   a = 0,  d = -223.3, alpha = -90, theta = -90 },
]
"""
    bad = """convention = "dh"
units = { length = "mm", angle = "deg" }
rows = [
  { joint = "torso_roll",  a = 72.5, d = 0,      alpha = -90, theta = 0 },
  { joint = "torso_pitch", a = 0,    d = 0,      alpha = 90,  theta = -90 },
  { joint = "torso_yaw",   a = -4.9, d = -263.8, alpha = -90, theta = 180 },
]
"""
    base = None
    base_format = "dh"
    requires = ("ICUB-001", "ICUB-204")

    def check(self, robot: Robot) -> Found:
        """Another order of the chain; and a remark on a group that is no board."""
        chains = boards().torsos
        placed = tuple(name for name in robot.placed if name in chains["icub"])
        if len(placed) < len(chains["icub"]):
            return  # ICUB-101 reports it
        if placed != chains["icub"]:
            known = ", as on iCub 3 and ergoCub" if placed == chains["icub3"] else ""
            message = f"the order is {', '.join(placed)}{known}; expected {', '.join(chains['icub'])}"
            yield self.finding(message, "torso", source=robot.joints[placed[0]].source)
            return
        board, group = boards_of("icub")["torso"].axes, robot.groups.get("torso", ())
        if set(group) == set(board) and group != board:
            message = f"the order is {', '.join(group)}; expected that of the control board, {', '.join(board)}"
            yield self.remark(message, "group 'torso'")


def angle_between(u: Array | tuple[float, ...], v: Array) -> float:
    """Return the angle, degrees, between two vectors (3,); exact for small angles too."""
    return degrees(np.arctan2(np.linalg.norm(np.cross(u, v)), np.dot(u, v)))


@fact
def axes(robot: Robot, poses: Poses) -> dict[str, Array]:
    """Return the axis (3,) of each joint that has one, at the zero configuration, in root_link."""
    if "root_link" not in poses:
        return {}
    R_root = poses["root_link"][:3, :3]
    return {
        joint.name: R_root.T @ poses[joint.parent][:3, :3] @ joint.origin[:3, :3] @ joint.axes[0]
        for joint in robot.joints.values()
        if len(joint.axes) == 1  # about which the joint's own motion does not turn it
    }


@fact
def looks_forwards(axes: Mapping[str, Array]) -> bool:
    """Return whether most of the axes that are not vertical match the page's after half a turn about z."""
    rows = [entry.correct for entry in naming().axes]
    judged = [(np.array(row.axis), axes[row.joint]) for row in rows if row.axis and row.joint in axes]
    level = [(right, axis) for right, axis in judged if abs(right[2]) < 0.5]
    turned = sum(angle_between(right, TURNED @ axis) <= LEANING for right, axis in level)
    return 2 * turned > len(level)


def _vector(axis: Array | tuple[float, ...]) -> str:
    return "(" + ", ".join(f"{round(x, 3) + 0.0:.3f}".rstrip("0").rstrip(".") for x in axis) + ")"


def _why(entry: Entry[AxisRow]) -> str:
    deviation = naming().deviations[entry.deviations[0]]
    return f"{_vector(entry.correct.axis or ())} is right (deviation {deviation.number}: {deviation.why.rstrip('.')})"
