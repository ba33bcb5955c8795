"""Dynamics of robots whose loops are closed: what `force_query` asks instead, in the coordinates of driven joints."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.closing import Roles, following_rates
from kinetree.algorithms.dynamics.closed import closed_forward, closed_inverse, closed_mass, loop_wrenches
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.closed import closed, closer_of, rate_of_jacobian, rates_port
from kinetree.queries.joint_choice import Joints

ASKED = {
    "inverse_dynamics": (("xd", "xdd"), ("tau", "torques of the driven joints"), closed_inverse),
    "forward_dynamics": (("xd", "tau"), ("xdd", "accelerations of the driven joints"), closed_forward),
    "loop_wrenches": (("xd", "xdd"), None, loop_wrenches),
    "mass_matrix": ((), None, None),
}
"""Queries of which the answer for closed loops is known: names of their inputs after x, that of the output and what it
is (or None for the port of the query), and the algorithm."""


class Asked(NamedTuple):
    """Arguments of `force_query`, and what makes a query of its kernel."""

    key: tuple[Any, ...]
    loops: str
    motion: Sequence[Port]
    output: Any
    algorithm: Callable[..., Any]
    wrap: Callable[[Kernel], Any]


def closed_dynamics(robot: Robot, driven: Joints, key: tuple[Any, ...], output: Any, friction: bool) -> Asked:
    """Return what to ask of a robot with closed loops for the query with this key and output. Raises KinetreeError for
    a query that is not among `ASKED`."""
    if key[0] not in ASKED:
        message = f"{key[0]} is not computed for closed loops; expected {', '.join(ASKED)}"
        raise fail("loops", message, fix="kt.kinematics.close(robot, driven).rates maps rates to those of all joints")
    inputs, port, algorithm = ASKED[key[0]]
    closer = closer_of(robot, driven)
    if port:
        output = rates_port(closer, *port)
    run: Callable[..., Any] = partial(_run, algorithm, closer.roles, friction)
    if algorithm is None:
        packed = bool(key[1])
        n, names = len(closer.velocity_names), closer.velocity_names
        size = (n * (n + 1) // 2,) if packed else (n, n)
        output, run = Port("H", size, () if packed else names, output.about), partial(_mass, closer.roles, packed)
    motion = [rates_port(closer, name) for name in inputs]
    return Asked((*key, closer.roles.key), "closed", motion, output, run, partial(closed, closer))


def _run(algorithm: Any, roles: Roles, friction: bool, tree: Tree, given: Any, *motion: Any) -> Any:
    return algorithm(tree, roles, *motion, *given, rate_of_jacobian, friction)


def _mass(roles: Roles, packed: bool, tree: Tree, given: Any, q: Any) -> Any:
    H = closed_mass(tree, q, following_rates(tree, roles, q))
    return H[np.tril_indices(len(H))] if packed else H
