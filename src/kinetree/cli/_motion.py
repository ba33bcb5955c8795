"""What commands say about motions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from kinetree.cli._findings import print_findings
from kinetree.cli._say import remark, say
from kinetree.display import number as as_text
from kinetree.logs import Motion
from kinetree.model.robot import Robot
from kinetree.solvers.limits.report import Violation, units
from kinetree.spatial.se3 import Array

FEW = 8
"""Most coordinates without a column that are listed by name."""


def report_motion(robot: Robot, motion: Motion, file: Path, missing: bool = False, placed: Sequence[str] = ()) -> None:
    """Print the notes of a motion, and if `missing` the coordinates that neither it nor `placed` has, to the error
    stream."""
    print_findings(motion.notes)
    still = [name for name in robot.coordinate_names if name not in (*motion.names, *placed)]
    if missing and still:
        which = ", ".join(still) if len(still) <= FEW else f"{len(still)} of {robot.nq} coordinates"
        remark(f"{file}: without a column, and staying as they are: {which}")


def print_violations(
    robot: Robot, file: Path, found: Sequence[Violation], times: Array | None, samples: int, unit: Literal["rad", "deg"]
) -> None:
    """Print when, by which limit and by how much a motion leaves the limits. file: that of the motion."""
    from kinetree.logs.read import is_bag

    kinds = dict(zip(robot.limits.names, units(robot), strict=True))
    for violation in found:
        when = " to ".join(_when(i, times) for i in dict.fromkeys((violation.first, violation.last)))
        in_degrees = unit == "deg" and kinds[violation.limit] == "rad"
        depth = np.rad2deg(violation.depth) if in_degrees else violation.depth
        by = f"{as_text(depth, 6)} {'deg' if in_degrees else kinds[violation.limit]}"
        say(f"{when}: outside of {violation.limit}, by {by} at {_when(violation.worst, times)}")
    turned = [v for v in found if v.depth > 2 * np.pi and kinds[v.limit] == "rad"]
    if turned and unit == "rad" and not is_bag(file):
        remark("are the angles in degrees? then add --deg")
    say(f"samples: {samples}, " + (f"stretches outside of a limit: {len(found)}" if found else "all inside"))


def _when(sample: int, times: Array | None) -> str:
    return f"sample {sample}" if times is None else f"t = {times[sample]:g}"
