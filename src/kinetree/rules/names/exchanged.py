"""Rule about parts called left, right, front and rear that stand on the other side."""

import re

import numpy as np

from kinetree.rules.examples import CART
from kinetree.rules.rep103.axes import SIDES, WORLDS, carrying, pairs_of, way_between
from kinetree.rules.rule import Array, Bodies, Found, Poses, Robot, Rule, Threshold, others

ALONG = Threshold(0.9, "cosine", "largest angle between directions that are one")
OTHERS = Threshold(2, "pairs", "smallest number of other pairs that show the direction")
TURNED = re.compile(
    r"camera|stereo|sensor|imu|lens|eye|optical|lidar|laser|sonar|jaw|gripper|hand|light|led"
    r"|door|hatch|drawer|window|cabinet|cupboard|shelf|fridge|table|chair|wall|goal"
)
"""Parts that may look backwards, and have their own left and right, and furniture, as people before it see it."""
WORDS = re.compile(r"left|right|front|rear|back|hind|(?<![a-z0-9])[frbh]?[lr][frbh]?(?![a-z0-9])", re.IGNORECASE)
Way = tuple[str, str, Array]
"""Two links of opposite names, and the direction (3,) from the second to the first in the axes of the base."""


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

    def check(self, robot: Robot, poses: Poses, bodies: Bodies) -> Found:
        """Wheels of which the left one is at a smaller y than the right one, and on the side from which positive
        turning drives the robot to its right; a pair that stands the other way round than all others; and fronts that
        are where the left says the rear is. Sensors, hands, furniture and links that the base does not carry are not
        judged."""
        base = _base(robot)
        near = [name for name in robot.links if WORDS.search(name) and not TURNED.search(name.lower())]
        if base is None or len(near) < 2:
            return
        near = [name for name in near if bodies[base] in (bodies[name], carrying(bodies[name], bodies, robot))]
        T = poses[base]
        sides: list[list[Way]] = []
        for *_, words in SIDES:
            pairs = pairs_of(near, words)
            sides.append([(a, b, way) for a, b in pairs for way in way_between(T, poses[a], poses[b])])
        wrong = [*map(_alone, sides)]
        wrong[0] = wrong[0] or [way for way in sides[0] if _drives_back(way, robot, T, poses)]
        left, front = (_mean(ways) for ways in sides)
        if not any(wrong) and front[0] * left[1] - front[1] * left[0] < -ALONG:  # x forward, y left, so z up
            k = int(left[1] > 0)
            wrong[k] = sides[k]
        for (one, other, *_), ways in zip(SIDES, wrong, strict=True):
            for a, b, _ in ways[:1]:
                where = "behind" if one == "front" else f"on the {other} of"
                message = f"the {one} part {a!r} is {where} {b!r}; exchange their names or their places"
                rest = others([way[0] for way in ways[1:]])
                yield self.finding(message + rest, robot.parent_joint(a) or robot.links[a])


def _base(robot: Robot) -> str | None:
    """Return the link that has the axes of the robot; None for a world of several robots."""
    if "base_link" in robot.links or robot.root not in WORLDS:
        return "base_link" if "base_link" in robot.links else robot.root
    carried = [joint.child for joint in robot.joints.values() if joint.parent == robot.root]
    return carried[0] if len(carried) == 1 else None


def _mean(ways: list[Way]) -> Array:
    return np.mean([way for *_, way in ways], axis=0) if ways else np.zeros(3)


def _alone(ways: list[Way]) -> list[Way]:
    """Return the pairs that stand the other way round than all others, which agree."""
    rest, total = len(ways) - 1, sum((way for *_, way in ways), np.zeros(3))
    return [one for one in ways if rest >= OTHERS and float((total - one[2]) @ one[2]) < -ALONG * rest]


def _drives_back(way: Way, robot: Robot, T: Array, poses: Poses) -> bool:
    """Return whether a left wheel is at a smaller y than the right one, and against the axes of both."""
    joints = [robot.parent_joint(name) for name in way[:2]]
    axes = [poses[j.child][:3, :3] @ j.axis for j in joints if j is not None and j.axis is not None]
    back = len(axes) == len(joints) and all(float(axis @ T[:3, :3] @ way[2]) < -ALONG for axis in axes)
    return back and way[2][1] < -ALONG and "wheel" in way[0].lower()
