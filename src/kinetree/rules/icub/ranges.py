"""Comparison of the model's limits with those of the control boards."""

from collections.abc import Mapping
from math import degrees, inf, pi, radians
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from kinetree.robots.icub.board_limits import Interval, board_limits, robots
from kinetree.robots.icub.boards import boards, families
from kinetree.rules.icub.page import MOVING, IcubRule
from kinetree.rules.quality import span
from kinetree.rules.rule import Found, Robot, Threshold, numbers

PAGES_ROBOT = "iCubGenova02"
"""The robot whose files have the page's limits, according to the page."""
CLOSE = Threshold(radians(0.05), "rad", "largest excess over the range of the board")


class LimitsOutsideBoard(IcubRule):
    """The range of a joint is inside the range of its control board.

    A board stops the joint at its own limits, so a plan that uses more of the model's range fails; the limits of models
    are those of the mechanics. If a range fits better with the opposite sign, as that of hip_roll in the published
    tables, the sign is probably wrong. The robot is found by the name of the model, of its file or of a folder above
    it; otherwise it is the page's, iCubGenova02, for a model of its family.
    """

    code = "ICUB-501"
    thresholds = (CLOSE,)
    evidence = "advice"
    clause = "columns Min and Max, from the files of iCubGenova02"
    url = "https://github.com/robotology/robots-configuration"
    good = 'lower="-0.5235987755982988"'
    bad = 'lower="-1"'
    base_options: ClassVar[Mapping[str, Any]] = MappingProxyType({"limits": PAGES_ROBOT})

    def check(self, robot: Robot) -> Found:
        """A range that reaches beyond the board's, or none at all."""
        ranges = ranges_of(robot)
        if any(keeps_to(ranges, board_limits(name)) for name in robots()):
            return  # loaded with those, perhaps
        for joint, (low, high) in ranges.items():
            name, (lowest, highest) = board_of(robot, joint)
            if name and (low < lowest - CLOSE or high > highest + CLOSE):
                own, allowed, turned = _ranges((low, high), (lowest, highest), (-high, -low))
                message = f"the range is {own}, but the board of {name} allows {allowed}"
                opposite = -high, -low
                if _common(opposite, (lowest, highest)) > _common((low, high), (lowest, highest)) + CLOSE:
                    message += f"; with the opposite sign, {turned}, it fits better"
                yield self.finding(message, robot.joints[joint])


class LimitsInDegrees(IcubRule):
    """No joint has a limit beyond a full turn.

    No joint of the robot can turn so far; such numbers are probably degrees instead of radians.
    """

    code = "ICUB-502"
    level = "MUST"
    evidence = "heuristic"
    clause = "the range of motion of the axis"
    good = 'lower="-0.5235987755982988"'
    bad = 'lower="-30"'
    base_options: ClassVar[Mapping[str, Any]] = MappingProxyType({"limits": PAGES_ROBOT})

    def check(self, robot: Robot) -> Found:
        """A limit that no joint of the robot can have."""
        for joint, ends in ranges_of(robot).items():
            if any(2 * pi < abs(end) < inf for end in ends):
                found = robot.joints[joint]
                yield self.finding(f"the limits {span(found)} are more than a turn; are they in degrees?", found)


def ranges_of(robot: Robot) -> dict[str, Interval]:
    """Return the lowest and highest position of those of the 32 joints that are revolute and not followers."""
    joints = (robot.joints[name] for name in MOVING if name in robot.joints)
    return {j.name: (j.limit.lower, j.limit.upper) for j in joints if j.coordinated and j.kind.angular == (True,)}


def keeps_to(ranges: Mapping[str, Interval], board: Mapping[str, Interval]) -> bool:
    """Return whether the ranges of all joints equal the limits of a board."""
    return all(name in board and np.allclose(own, board[name], rtol=0, atol=1e-6) for name, own in ranges.items())


def board_of(robot: Robot, joint: str) -> tuple[str | None, Interval]:
    """Return the robot whose board limits a joint, and that range. It is the robot of limits.csv that the model
    represents, otherwise the page's, for a model of its family."""
    candidates = (known_robot(robot), PAGES_ROBOT if "icub" in families(robot) else None)
    for name in candidates:
        if name and joint in (known := board_limits(name)):
            return name, known[joint]
    return None, (-inf, inf)


def known_robot(robot: Robot) -> str | None:
    """Return the robot of limits.csv that a model represents, by its names, if it is of the same family."""
    path = Path(robot.source.file) if robot.source else Path()
    names = (robot.name, path.stem, *reversed(path.parts))
    return next((name for name in names if name in robots() and boards().robots[name] in families(robot)), None)


def _common(a: Interval, b: Interval) -> float:
    """Return the length of the intersection of two ranges."""
    return max(0.0, min(a[1], b[1]) - max(a[0], b[0]))


def _ranges(*ranges: Interval) -> list[str]:
    ends = numbers(degrees(end) for one in ranges for end in one)
    texts = [f"{low} to {high} degrees" for low, high in zip(ends[::2], ends[1::2], strict=True)]
    return ["unlimited" if text == "-inf to inf degrees" else text for text in texts]
