"""Comparison of the model's limits with those of the control boards."""

from collections.abc import Iterator, Mapping
from math import degrees, inf, pi, radians
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from kinetree.conventions.icub.page import MOVING, IcubRule
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.robots.icub.boards import boards, families
from kinetree.robots.icub.limits import Interval, board_limits, robots

PAGES_ROBOT = "iCubGenova02"
"""The robot whose files have the page's limits, according to the page."""

CLOSE = radians(0.05)


class LimitsOutsideBoard(IcubRule):
    """A joint goes no further in the model than on its control board.

    Boards stop where their own limits are. A plan that uses more of the model's range is not carried out; limits of
    models are those of the mechanics. Where a range fits the board's better with the opposite sign, as hip_roll's in
    the published tables, the sign is likely to be wrong. The robot is known by the name of the model, of its file or of
    a folder above it; otherwise it is the page's, iCubGenova02, for a model of its family.
    """

    code = "ICUB-501"
    evidence = "advice"
    clause = "columns Min and Max, from the files of iCubGenova02"
    url = "https://github.com/robotology/robots-configuration"
    good = 'lower="-0.5235987755982988"'
    bad = 'lower="-1"'
    base_options: ClassVar[Mapping[str, Any]] = MappingProxyType({"limits": PAGES_ROBOT})

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A range that reaches beyond the board's, or none at all."""
        ranges = ranges_of(robot)
        if any(keeps_to(ranges, board_limits(name)) for name in robots()):
            return  # loaded with those, perhaps
        for joint, (low, high) in ranges.items():
            name, (lowest, highest) = board_of(robot, joint)
            if name and (low < lowest - CLOSE or high > highest + CLOSE):
                message = f"{_range(low, high)}; the board of {name} keeps it {_range(lowest, highest)}"
                opposite = -high, -low
                if _common(opposite, (lowest, highest)) > _common((low, high), (lowest, highest)) + CLOSE:
                    message += f"; with the opposite sign, {_range(*opposite)}, it fits better"
                yield self.finding(message, robot.joints[joint])


class LimitsInDegrees(IcubRule):
    """No joint goes beyond a full turn.

    None of the robot's can; such numbers are likely to be degrees where radians are meant.
    """

    code = "ICUB-502"
    level = "MUST"
    evidence = "heuristic"
    clause = "the range of motion of the axis"
    good = 'lower="-0.5235987755982988"'
    bad = 'lower="-30"'
    base_options: ClassVar[Mapping[str, Any]] = MappingProxyType({"limits": PAGES_ROBOT})

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A limit that no joint of the robot can have."""
        for joint, ends in ranges_of(robot).items():
            if any(2 * pi < abs(end) < inf for end in ends):
                message = f"{ends[0]:g} to {ends[1]:g} rad is more than a turn; are these degrees?"
                yield self.finding(message, robot.joints[joint])


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


def _range(low: float, high: float) -> str:
    if low == -inf and high == inf:
        return "without limits"
    return f"from {_degrees(low)} to {_degrees(high)} deg"


def _degrees(angle: float) -> str:
    return f"{degrees(angle):.1f}".removesuffix(".0")
