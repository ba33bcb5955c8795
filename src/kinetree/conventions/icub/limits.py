"""Limits of the model against those that the control boards keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import degrees, inf, radians
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from kinetree.conventions.icub.page import MOVING, IcubRule
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.robots.icub.families import families
from kinetree.robots.icub.limits import Interval, board_limits, robots

PAGES_ROBOT = "iCubGenova02"
"""The robot of which the page says that its files have the limits."""

CLOSE = radians(0.05)


class LimitsOutsideBoard(IcubRule):
    """A joint goes no further in the model than on its control board.

    Boards stop where their own limits are. A plan that uses more of the model's range is not carried out; limits of
    models are those of the mechanics. Where a range fits the board's better with the opposite sign, as hip_roll's in
    the published tables, the sign is likely to be wrong. The robot is known by the name of the model, of its file or of
    a folder above it; otherwise it is the page's, iCubGenova02, for a model of its family.
    """

    code = "ICUB-501"
    level = "SHOULD"
    evidence = "advice"
    clause = "columns Min and Max, from the files of iCubGenova02"
    url = "https://github.com/robotology/robots-configuration"
    good = 'lower="-0.5235987755982988"'
    bad = 'lower="-1"'
    base_options: ClassVar[Mapping[str, Any]] = MappingProxyType({"limits": PAGES_ROBOT})

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A range that reaches beyond the board's, or none at all."""
        name = known_robot(robot)
        known = board_limits(name) if name else {}
        for joint_name in (joint for joint in MOVING if joint in known):
            joint = robot.joints.get(joint_name)
            if joint is None or not joint.coordinated or joint.kind.angular != (True,):
                continue
            (low, high), limit = known[joint_name], joint.limit
            if limit.lower < low - CLOSE or limit.upper > high + CLOSE:
                message = f"{_range(limit.lower, limit.upper)}; the board of {name} keeps it {_range(low, high)}"
                opposite = -limit.upper, -limit.lower
                if _common(opposite, (low, high)) > _common((limit.lower, limit.upper), (low, high)) + CLOSE:
                    message += f"; with the opposite sign, {_range(*opposite)}, it fits better"
                yield self.finding(message, joint)


RULES = (LimitsOutsideBoard,)


def known_robot(robot: Robot) -> str | None:
    """The robot of limits.csv that a model is of, by its names; otherwise the page's, for a model of its family."""
    path = Path(robot.source.file) if robot.source else Path()
    names = (robot.name, path.stem, *reversed(path.parts))
    known = next((name for name in names if name in robots()), None)
    return known or (PAGES_ROBOT if "icub" in families(robot) else None)


def _common(a: Interval, b: Interval) -> float:
    """The length of what two ranges have in common."""
    return max(0.0, min(a[1], b[1]) - max(a[0], b[0]))


def _range(low: float, high: float) -> str:
    if low == -inf and high == inf:
        return "without limits"
    return f"from {_degrees(low)} to {_degrees(high)} deg"


def _degrees(angle: float) -> str:
    return f"{degrees(angle):.1f}".removesuffix(".0")
