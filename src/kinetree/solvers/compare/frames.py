"""Distances between the frames of two robots with equal joint values."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import degrees, pi, radians

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.model.robot import Joint
from kinetree.solvers.compare.difference import Sides
from kinetree.solvers.compare.motions import apart
from kinetree.spatial.se3 import Array

CONVENTION = radians(30)
"""Angle above which a frame differs by convention rather than by mistake."""


@dataclass(frozen=True, slots=True)
class Distance:
    """(m, rad) between a frame of the first robot and that of the same name in the second: with all joints at zero, and
    the largest of each, random configurations included."""

    at_zero: tuple[float, float]
    largest: tuple[float, float]


def frame_distances(sides: Sides, samples: int, only: Collection[str] = ()) -> dict[str, Distance]:
    """Return the distance for every frame name that both robots have, or for those among `only`.

    Poses are relative to the first robot's root if the second has that frame, else to each robot's root. Joints have
    equal values, within the ranges of both.
    """
    names = [name for name in sides.tree_a.frames if name in sides.tree_b.frames and (not only or name in only)]
    base = sides.robot_a.root if sides.robot_a.root in sides.tree_b.frames else sides.robot_b.root
    rng = np.random.default_rng(0)
    found = np.zeros((samples + 1, len(names), 2))
    for k in range(samples + 1):
        q_a, q_b = _configurations(sides, rng if k else None)
        poses_a = forward_kinematics(sides.tree_a, q_a, names, sides.robot_a.root)
        poses_b = forward_kinematics(sides.tree_b, q_b, names, base)
        for i, (A, B) in enumerate(zip(poses_a, poses_b, strict=True)):
            found[k, i] = apart(A, B)
    zero, largest = found[0].tolist(), found.max(axis=0).tolist()
    return {name: Distance((z[0], z[1]), (w[0], w[1])) for name, z, w in zip(names, zero, largest, strict=True)}


def distance_table(distances: Mapping[str, Distance], tolerance: float) -> list[str]:
    """Return the lines of a table, in mm and degrees, of the frames that are further apart than the tolerance.

    Frames with a large rotation come last: a link's own frame often follows another convention.
    """
    shown = {name: d for name, d in distances.items() if max(d.largest) > tolerance}
    if not shown:
        return []
    width = max(map(len, shown))
    lines = ["frames of the same name, joints at the same values", f"  {'':{width}}   all at zero         at most"]
    lines.append(f"  {'':{width}}      mm     deg      mm     deg")
    for name, distance in sorted(shown.items(), key=lambda item: item[1].at_zero[1] > CONVENTION):
        numbers = [(1000 * metres, degrees(radians)) for metres, radians in (distance.at_zero, distance.largest)]
        lines.append(f"  {name:{width}}" + "".join(f" {mm:7.2f} {deg:7.2f}" for mm, deg in numbers))
    rest = len(distances) - len(shown)
    return [*lines, f"  {rest} more agree"] if rest else lines


def _configurations(sides: Sides, rng: np.random.Generator | None) -> tuple[Array, Array]:
    """Return q of both robots with equal values for each pair of joints, all zero without `rng`. Joints without a
    partner or with several coordinates stay neutral."""
    q_a, q_b = sides.robot_a.q(), sides.robot_b.q()
    for pair in sides.leaders:
        if rng is None or sides.tree_a.joint_type[pair.a].nq != 1:
            continue
        joints = sides.robot_a.joints[sides.tree_a.joints[pair.a]], sides.robot_b.joints[sides.tree_b.joints[pair.b]]
        low, high = _range(*joints)
        q_a[sides.tree_a.q_slice[pair.a]] = q_b[sides.tree_b.q_slice[pair.b]] = rng.uniform(low, high)
    return q_a, q_b


def _range(a: Joint, b: Joint) -> tuple[float, float]:
    """Return the range that both joints allow, within half a turn or a metre to either side."""
    reach = pi if a.kind.angular[0] else 1.0
    low = max(a.limit.lower, b.limit.lower, -reach)
    high = min(a.limit.upper, b.limit.upper, reach)
    return (low, high) if low <= high else (0.0, 0.0)
