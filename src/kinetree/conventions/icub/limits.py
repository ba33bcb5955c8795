"""Limits of the model against those that the control boards keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import degrees, radians
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from kinetree.conventions.icub.page import MOVING, IcubRule
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.robots.icub.limits import Interval, board_limits, robots

PAGES_ROBOT = "iCubGenova02"
"""The robot of which the page says that its files have the limits."""

CLOSE = radians(0.05)


class LimitsOutsideBoard(IcubRule):
    """A joint goes no further in the model than on its control board.

    Boards stop where their own limits are. A plan that uses more of the model's range is not carried out; limits of
    models are those of the mechanics. Where a range fits the board's better with the opposite sign, as hip_roll's in
    the published tables, the sign is likely to be wrong. The robot is known by the name of the model, of its file or of
    a folder above it; otherwise it is the page's, iCubGenova02.
    """

    code = "ICUB-501"
    level = "SHOULD"
    evidence = "advice"
    clause = "columns Min and Max, from the files of iCubGenova02"
    good = 'lower="-0.5235987755982988"'
    bad = 'lower="-1"'
    base_options: ClassVar[Mapping[str, Any]] = MappingProxyType({"limits": PAGES_ROBOT})

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A range that reaches beyond the board's, or none at all."""
        name = known_robot(robot)
        known = board_limits(name)
        for joint_name in MOVING:
            joint = robot.joints.get(joint_name)
            if joint is None or joint_name not in known or joint.kind.nq != 1:
                continue
            (low, high), limit = known[joint_name], joint.limit
            if limit.lower < low - CLOSE or limit.upper > high + CLOSE:
                message = (
                    f"goes from {_degrees(limit.lower)} to {_degrees(limit.upper)} deg; the board of {name} keeps it "
                    f"between {_degrees(low)} and {_degrees(high)}"
                )
                opposite = -limit.upper, -limit.lower
                if _common(opposite, (low, high)) > _common((limit.lower, limit.upper), (low, high)) + CLOSE:
                    message += (
                        f"; with the opposite sign, {_degrees(opposite[0])} to {_degrees(opposite[1])}, it fits better"
                    )
                yield self.finding(message, joint)


RULES = (LimitsOutsideBoard,)


def known_robot(robot: Robot) -> str:
    """The robot of limits.csv that a model is of, by its names, or the page's."""
    path = Path(robot.source.file) if robot.source else Path()
    names = (robot.name, path.stem, *reversed(path.parts))
    return next((name for name in names if name in robots()), PAGES_ROBOT)


def _common(a: Interval, b: Interval) -> float:
    """The length of what two ranges have in common."""
    return max(0.0, min(a[1], b[1]) - max(a[0], b[0]))


def _degrees(angle: float) -> str:
    return f"{degrees(angle):.1f}".removesuffix(".0")
