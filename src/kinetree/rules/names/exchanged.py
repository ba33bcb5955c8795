"""Rule about parts called left, right, front and rear that stand on the other side."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.rules.examples import CART
from kinetree.rules.facts import Bodies, Poses
from kinetree.rules.quality import others
from kinetree.rules.rep103.axes import SIDES, WORLDS, carrying, pairs_of, way_between
from kinetree.rules.rule import Rule
from kinetree.rules.threshold import Threshold
from kinetree.spatial.se3 import Array

ALONG = Threshold(0.9, "cosine", "largest angle between directions that are one")
OTHERS = Threshold(2, "pairs", "smallest number of other pairs that show the direction")
TURNED = re.compile(r"camera|stereo|sensor|imu|lens|eye|optical|lidar|laser|sonar|jaw|gripper|hand|light|led")
"""Parts that may look backwards, and have their own left and right."""
WORDS = re.compile(r"left|front|(?<![a-z0-9])[frbh]?l[frbh]?(?![a-z0-9])", re.IGNORECASE)


class Pair(NamedTuple):
    """Two links of opposite names, and the direction (3,) from the other to the one in the axes of the base."""

    one: str
    other: str
    way: Array


class Exchanged(Rule):
    """Parts called left and right, or front and rear, stand where their names say.

    If two wheels are exchanged, the robot turns right when it is told to turn left.
    """

    code = "NAM-013"
    thresholds = (ALONG, OTHERS)
    of_robot = True
    evidence = "heuristic"
    clause = "x forward, y left, z up"
    url = "https://www.ros.org/reps/rep-0103.html"
    base = CART
    good = '<origin xyz="0 0.2 0"/>'
    bad = '<origin xyz="0 -0.5 0"/>'

    def check(self, robot: Robot, poses: Poses, bodies: Bodies) -> Iterator[Finding]:
        """Wheels of which the left one is at a smaller y than the right one, and on the side from which positive
        turning drives the robot to its right; a pair that stands the other way round than all others; and fronts that
        are where the left says the rear is. Sensors, hands, and links that the base does not carry, are not judged."""
        base = _base(robot)
        if base is None or not any(WORDS.search(name) for name in robot.links):
            return
        body = bodies[base]
        near = [name for name in robot.links if not TURNED.search(name.lower())]
        near = [name for name in near if body in (bodies[name], carrying(bodies[name], bodies, robot))]
        sides = [_ways(near, words, poses[base], poses) for *_, words in SIDES]
        alone = [[pair for pair in pairs if _is_alone(pair, pairs)] for pairs in sides]
        alone[0] = alone[0] or [pair for pair in sides[0] if _drives_back(pair, robot, poses[base], poses)]
        left, front = (_mean([pair.way for pair in pairs]) for pairs in sides)
        if not any(alone) and np.cross(front, left)[2] < -ALONG:  # x forward, y left, so z up
            k = int(left[1] > 0)
            alone[k] = sides[k]
        for (one, other, *_), pairs in zip(SIDES, alone, strict=True):
            if pairs:
                message = f"the {one} part {pairs[0].one!r} is on the {other} of {pairs[0].other!r}"
                about = robot.parent_joint(pairs[0].one) or robot.links[pairs[0].one]
                rest = others([pair.one for pair in pairs[1:]])
                yield self.finding(message + rest, about, fix="exchange their names, or their places")


def _base(robot: Robot) -> str | None:
    """Return the link that has the axes of the robot; None for a world of several robots."""
    if "base_link" in robot.links or robot.root not in WORLDS:
        return "base_link" if "base_link" in robot.links else robot.root
    carried = [joint.child for joint in robot.joints.values() if joint.parent == robot.root]
    return carried[0] if len(carried) == 1 else None


def _ways(names: list[str], words: Iterable[tuple[str, str]], T: Array, poses: Poses) -> list[Pair]:
    pairs = [(a, b) for a, b in pairs_of(names, words)]
    return [Pair(a, b, way) for a, b in pairs for way in way_between(T, poses[a], poses[b])]


def _mean(ways: list[Array]) -> Array:
    return np.mean(ways, axis=0) if ways else np.zeros(3)


def _is_alone(pair: Pair, pairs: list[Pair]) -> bool:
    """Return whether a pair stands the other way round than all others, which agree."""
    rest = [other.way for other in pairs if other is not pair]
    return len(rest) >= OTHERS and float(np.linalg.norm(_mean(rest))) > ALONG and float(_mean(rest) @ pair.way) < -ALONG


def _drives_back(pair: Pair, robot: Robot, T: Array, poses: Poses) -> bool:
    """Return whether a left wheel is at a smaller y than the right one, and against the axes of both."""
    joints = [robot.parent_joint(name) for name in (pair.one, pair.other)]
    if pair.way[1] > -ALONG or "wheel" not in pair.one.lower():
        return False
    axes = [T[:3, :3].T @ poses[j.child][:3, :3] @ j.axis for j in joints if j is not None and j.axis is not None]
    return len(axes) == len(joints) and all(float(axis @ pair.way) < -ALONG for axis in axes)
