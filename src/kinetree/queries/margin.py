"""How far a configuration is from its limits, and how far loops are open."""

from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np

from kinetree.algorithms import kinematics
from kinetree.algorithms.guard import least as least_of
from kinetree.algorithms.kinematics import path_between
from kinetree.algorithms.vectors import margin as margin_of
from kinetree.arguments import explain_type_errors
from kinetree.compiler.cache import digest
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.model.limits import limits_about
from kinetree.model.robot import Joint, Robot
from kinetree.model.tree import Tree
from kinetree.queries.options import JointOptions, robot_query
from kinetree.queries.query import fixed_input, one_of, query, tree


@robot_query
def margin(robot: Robot, *, nearest: bool = False, **options: Unpack[JointOptions]) -> Kernel:
    """Return a kernel from q (…, nq) to the signed slack to each limit (…, k), negative outside.

    The numbers are those of `robot.limits.margin`, without infinite ends and thus without quaternions; the output's
    labels name them. Units are m or
    rad, or those of a row. nearest: return three arrays: margin (…, k), the least of them (…,), and its index among the
    labels (…,). joints, at: see `kinetree.kinematics`. Raises KinetreeError for a robot without limits.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> margin = kt.margin(icub, nearest=True)
        >>> found = margin(icub.q({"l_elbow": 120}, unit="deg"))
        >>> margin.outputs[0].labels[int(found.nearest)], float(found.least.round(3))  # outside, rad
        ('l_elbow upper', -0.244)
    """
    still = fixed_input(robot)
    limits = still.robot.limits if still else robot.limits
    finite = np.flatnonzero(np.isfinite(np.r_[limits.lower, limits.upper, limits.h]))
    kept = finite[limits_about(limits, np.arange(robot.nq))[finite]] if still else finite
    if not len(kept):
        raise fail("no-limits", "it has no limits", element=f"robot {robot.name!r}")
    labels = tuple(limits.names[i] for i in kept)
    output = Port("margin", (len(kept),), labels, "slack to each limit; m, rad")
    least = Port("least", (), (), "the slack to the nearest limit; m, rad")
    index = Port("nearest", (), (), "index of the nearest limit in margin")
    one_of("nearest", nearest, (True, False))
    numbers = digest(*(a.tobytes() for a in (limits.lower, limits.upper, limits.G, limits.h)))

    def algorithm(model: Tree, q: Any) -> Any:
        slack = margin_of(q, limits.lower, limits.upper, limits.G, limits.h)[np.searchsorted(finite, kept)]
        return (slack, *map(np.asarray, least_of(slack))) if nearest else slack

    return query(robot, ("margin", numbers, nearest), [], (output, least, index) if nearest else output, algorithm)


CHOICES = ("refuse", "ignore")
"""What is done about loops that an answer does not obey."""


@explain_type_errors
def loop_error(robot: Robot) -> Kernel:
    """Return how far the loops of a robot are open: a kernel from q (…, nq) to (…, k, 2), m and rad.

    A distance and an angle for each of the k joints in `robot.loops`, in this order. A loop is closed if both are 0.
    For a revolute joint they are the distance of the two points and the angle between the two axes; for a ball joint
    the distance, and 0; for a fixed joint the distance and the angle of the rotation.

    Examples:
        >>> import kinetree as kt
        >>> text = '<mujoco><worldbody><body name="crank"><joint name="turn" axis="0 0 1"/></body></worldbody>'
        >>> text += '<equality><connect name="pin" body1="crank" anchor="1 0 0"/></equality></mujoco>'
        >>> robot = kt.load(text, format="mjcf")  # a pin at 1 m, which closes a loop with the world
        >>> kt.kinematics.loop_error(robot)([0.3]).round(3)  # 2 sin(0.15) m
        array([[0.299, 0.   ]])
    """
    closing = tuple(robot.loops.values())
    output = Port("error", (len(closing), 2), ("distance", "angle"), f"of {', '.join(robot.loops)}; m, rad")
    numbers = (array.tobytes() for loop in closing for array in (loop.origin, loop.axes, loop.child_origin))
    key = digest(repr([(loop.parent, loop.child, loop.type, loop.pitch) for loop in closing]), *numbers)

    def algorithm(model: Tree, q: Any) -> Any:
        return kinematics.loop_error(model, q, closing)

    frames = [end for loop in closing for end in (loop.parent, loop.child)]
    return query(robot, ("loop_error", key), frames, output, algorithm)


def refuse_loops(robot: Robot, columns: Iterable[int], what: str, choice: str) -> None:
    """Raise KinetreeError if a loop restricts some of these coordinates of q, unless the choice is "ignore".

    It restricts those that move its two ends against each other. what: the answer that would be wrong.
    """
    one_of("loops", choice, CHOICES)
    if choice == "ignore":
        return
    wanted = {int(column) for column in columns}
    faults = [_fault(loop, what) for loop in robot.loops.values() if wanted & coordinates_of(robot, loop)]
    if faults:
        raise KinetreeError(faults)


def coordinates_of(robot: Robot, loop: Joint) -> set[int]:
    """Return the coordinates of q that move the two ends of a closing joint against each other."""
    model = tree(robot)
    up, down = path_between(model, model.frame(loop.parent)[0], model.frame(loop.child)[0])
    columns: set[int] = set()
    for i in (*up, *down):
        if model.multiplier[i] or model.higher[i]:
            columns |= {*range(*model.q_slice[i].indices(model.nq))}
    return columns


def _fault(loop: Joint, what: str) -> Finding:
    message = f"closes a loop over joints in between, which {what} would not keep closed"
    fix = 'pass loops="ignore", or --loops ignore; kt.kinematics.loop_error(robot) is how far the loop is open, and '
    fix += "kt.kinematics.close(robot, driven) closes it"
    fix += "; kt.ik(…, driven=…), or --driven, keeps it closed" if what == "inverse kinematics" else ""
    return Finding("loop", "error", message, loop.source, f"joint {loop.name!r}", fix)
