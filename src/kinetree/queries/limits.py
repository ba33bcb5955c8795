"""Distance of a configuration from the limits."""

from typing import Any

import numpy as np

from kinetree.algorithms.limits import margin as margin_of
from kinetree.arguments import explained
from kinetree.compiler.cache import digest
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.query import query


@explained
def margin(robot: Robot) -> Kernel:
    """Return a kernel from q (…, nq) to the signed slack to each limit (…, k), negative outside.

    The numbers are those of `robot.limits.margin`, without infinite ends; the output's labels name them. Units are m or
    rad, or those of a row. Raises KinetreeError for a robot without limits.
    """
    limits = robot.limits
    kept = np.flatnonzero(np.isfinite(np.r_[limits.lower, limits.upper, limits.h]))
    if not len(kept):
        raise fail("no-limits", "it has no limits", element=f"robot {robot.name!r}")
    labels = tuple(limits.names[i] for i in kept)
    output = Port("margin", (len(kept),), labels, "slack to each limit; m, rad")
    numbers = digest(*(a.tobytes() for a in (limits.lower, limits.upper, limits.G, limits.h)))

    def algorithm(model: Tree, q: Any) -> Any:
        return margin_of(q, limits.lower, limits.upper, limits.G, limits.h)

    return query(robot, ("margin", numbers), [], output, algorithm)
