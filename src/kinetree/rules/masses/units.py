"""Units in which an inertia that is too large may be written."""

import numpy as np

from kinetree.model.robot import Link, Robot
from kinetree.rules.quality import HALF_EXTENTS
from kinetree.rules.threshold import Threshold
from kinetree.spatial.se3 import Array

UNITS = {"g mm²": 1e9, "g cm²": 1e7, "kg mm²": 1e6, "kg cm²": 1e4, "g m²": 1e3}
"""Units of inertia, and how many of them are 1 kg m²."""
NEAR = Threshold(3.0, "", "largest factor between an inertia in a unit and that of a solid box of the size of the link")


def in_unit(link: Link, moments: Array, robot: Robot) -> str:
    """Return a question that names the unit in which moments (3,) are those of a body of the link's size, or ""; equal
    powers of ten are a placeholder rather."""
    assert link.inertial
    if np.ptp(moments) <= 1e-9 * moments.max() and f"{moments[0]:.9e}".startswith("1.000000000"):
        return ""
    shapes = [one.shape for one in (*link.visuals, *link.collisions) if one.shape.kind in HALF_EXTENTS]
    halves = [np.asarray(HALF_EXTENTS[shape.kind](shape.parameters)) for shape in shapes]
    size = max((2 * float(np.linalg.norm(half)) for half in halves), default=0.0)
    if not size:  # without them the size is that between the joints
        places = [joint.origin[:3, 3] for joint in robot.joints.values() if joint.parent == link.name]
        size = max(float(np.linalg.norm(place)) for place in (*places, 2 * link.inertial.origin[:3, 3]))
    solid = link.inertial.mass * size**2 / 6  # sum of the moments of a solid box by its diagonal
    times = float(moments.sum()) / solid if solid > 0 else 0.0
    unit = next((unit for unit, factor in UNITS.items() if factor / NEAR < times < factor * NEAR), "")
    return f"; is it in {unit}?" if unit else ""
