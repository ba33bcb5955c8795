"""Places that a frame reaches: within the joints' own ranges, within limits over several joints, in the safe box."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from kinetree.errors import fail
from kinetree.model.limits import Limits
from kinetree.model.robot import Robot
from kinetree.queries.motion import fk
from kinetree.solvers.ik.make import ik
from kinetree.solvers.limits.reach import configurations, cubes_of, middles
from kinetree.solvers.limits.report import BlockReport, report
from kinetree.spatial.se3 import Array

BAND = 0.1
"""Height of a band, m."""
SETS = ("ranges", "all limits", "safe box")
"""Within the ranges of single joints; with the limits over several joints, too; the largest boxes inside those."""


@dataclass(frozen=True, slots=True, eq=False)
class ReachedPlaces:
    """Places that the origin of a frame reaches, in cubes.

    frame. base: the link that the joints which move carry the frame from; all others stand at neutral. joints: those
    that move. cell: side of a cube, m. centers (k, 3): middles of the cubes that the ranges of single joints allow, m,
    in the root. reached (3, k): whether each of `SETS` reaches them.
    """

    frame: str
    base: str
    joints: tuple[str, ...]
    cell: float
    centers: Array
    reached: Array

    @property
    def volumes(self) -> Array:
        """Volume (3,) that each set reaches, m³."""
        return np.asarray(self.reached.sum(axis=1) * self.cell**3)

    def by_height(self) -> tuple[Array, Array]:
        """Return the lower ends (m,) of bands of height along z of the root, m, and volumes (3, m) there, m³."""
        band = np.floor(self.centers[:, 2] / BAND + 1e-9).astype(int)
        first = int(band.min())
        ends = BAND * np.arange(first, band.max() + 1)
        counts = [np.bincount(band[inside] - first, minlength=len(ends)) for inside in self.reached]
        return ends, np.array(counts) * self.cell**3


def places(robot: Robot, frame: str, *, samples: int = 400_000, cell: float = 0.03) -> ReachedPlaces:
    """Return the places that a frame reaches, and what limits over several joints and the largest safe boxes take away.

    The joints that move are those between the frame and the first joint on the way to it that a row couples, as for the
    hand of an iCub the arm without the torso. Cubes come from random configurations; those that a smaller set seems to
    miss are tried by inverse kinematics. cell: side of the cubes, m. Raises KinetreeError if no row couples a joint on
    the way to the frame.
    """
    limits, boxes = robot.limits, report(robot)
    coupled = {name for box in boxes for name in box.joints}
    way = robot.joints_to(robot.frames[frame].link)
    first = next((joint for joint in way if joint.name in coupled), None)
    if first is None:
        raise fail("reach", f"no limit over several joints is on the way to frame {frame!r}")
    ranges = replace(limits, G=limits.G[:0], h=limits.h[:0], row_names=())
    to = ik(robot, frame, first.parent, goal="position", limits=ranges)
    columns = np.array([robot.coordinate_names.index(name) for name in to.coordinate_names])
    every = [ranges, limits, _safe(robot, ranges, boxes)]
    position = fk(robot, frame, first.parent)
    T = fk(robot, first.parent)(robot.q())
    found = [
        np.unique(
            np.concatenate(
                [cubes_of(position(q)[:, :3, 3], cell) for q in configurations(robot, each, columns, samples)]
            )
        )
        for each in every
    ]
    all_cubes = np.unique(np.concatenate(found))
    reached = np.array([np.isin(all_cubes, cubes) for cubes in found])
    reached[0] = True
    reached[1] |= reached[2]
    corner = np.sqrt(3.0) / 2 * cell
    for inside, within in zip(reached[1:], every[1:], strict=True):
        solver = ik(robot, frame, first.parent, goal="position", tolerance=(corner, 1.0), limits=within)
        missing = np.flatnonzero(~inside)
        inside[missing] = solver(middles(all_cubes[missing], cell)).success
    centers = middles(all_cubes, cell) @ T[:3, :3].T + T[:3, 3]
    return ReachedPlaces(frame, first.parent, tuple(to.coordinate_names), cell, centers, reached)


def _safe(robot: Robot, ranges: Limits, boxes: Iterable[BlockReport]) -> Limits:
    """Return the ranges with the largest boxes that lie inside the limits over several joints."""
    lower, upper = ranges.lower.copy(), ranges.upper.copy()
    for box in boxes:
        where = [robot.q_slices[name].start for name in box.joints]
        lower[where], upper[where] = box.safe_lower, box.safe_upper
    return replace(ranges, lower=lower, upper=upper)
