"""Queries of robots whose loops are closed first: from the positions of driven joints to an answer."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from kinetree.algorithms.closing import following_rates
from kinetree.algorithms.differential import coordinate_rates
from kinetree.algorithms.dynamics.closed import closed_forward, closed_inverse, closed_motion, loop_wrenches
from kinetree.algorithms.dynamics.inverse import rnea
from kinetree.arrays import as_given
from kinetree.compiler.expr import rate
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import objects
from kinetree.errors import fail
from kinetree.model.limits import checked_q
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.closing import LoopCloser, close
from kinetree.queries.joint_choice import Joints
from kinetree.queries.query import UNITS, fixed_input, origin_input, query


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClosedQuery:
    """A query of a robot whose loops are closed, made by `driven=` of `kt.fk`, `kt.jacobian` and others.

    close: closes the loops. kernel: gives the answer for a closed q; its first input is q, the others are as here.
    """

    close: LoopCloser
    kernel: Kernel

    def __repr__(self) -> str:
        inputs = ", ".join(port.name for port in self.kernel.inputs[1:])
        return f"ClosedQuery {self.kernel.name}: x of {', '.join(self.close.driven)}{inputs and ', ' + inputs}"

    @as_given
    def __call__(self, x: Any, *others: Any, q0: Any = None) -> Any:
        """Return the answer for positions x (…, n) of the driven joints, and the other inputs of the kernel in order.

        q0 (…, nq): the start, as for `close`; in a loop the last q, `close(x, q0).q`, is the fastest. Where the loops
        cannot be closed the answer is NaN, and at a dead centre what depends on rates; `close(x, q0).why` says so.
        """
        found = self.close(x, q0)
        answer = self.kernel(found.q, *others)
        closed = np.reshape(found.success, (*np.shape(found.success), *[1] * len(self.kernel.output.shape)))
        return np.where(closed, answer, np.nan)


def closed(closer: LoopCloser, kernel: Kernel) -> Kernel:
    """Return the query that closes loops and calls a kernel, and has its type, as it is called in the same way."""
    return cast("Kernel", ClosedQuery(closer, kernel))


def closed_q(robot: Robot, driven: Joints, x: Any, q0: Any) -> Any:
    """Return q (…, nq) with closed loops, NaN where they cannot be; x is by default as in q0."""
    closer = closer_of(robot, driven)
    start = closer.start if q0 is None else checked_q(robot.limits, q0, "q0")
    found = closer(start[..., list(closer.roles.columns)] if x is None else x, q0)
    return np.where(np.asarray(found.success)[..., None], found.q, np.nan)


def closed_jacobian(robot: Robot, driven: Joints, kernel: Kernel, key: tuple[Any, ...]) -> Kernel:
    """Return the Jacobian (…, n) for the rates of driven joints of that for all rates. key: of its arguments."""
    closer = closer_of(robot, driven)
    roles, names = closer.roles, closer.velocity_names
    shape = (*kernel.output.shape[:-1], len(names))

    def algorithm(model: Tree, q: Any) -> Any:
        graph = q[0].graph
        J = objects(kernel.program.run([*q], graph.constant, graph.apply)).reshape(kernel.output.shape)
        return J @ following_rates(model, roles, q)

    output = replace(kernel.output, shape=shape, labels=names)
    return closed(closer, query(robot, ("closed_jacobian", *key, roles.key), roles.ends, output, algorithm))


def closer_of(robot: Robot, driven: Joints) -> LoopCloser:
    """Return what closes the loops of a robot. Raises KinetreeError for one in which joints or poses are an input."""
    if origin_input(robot):
        raise fail("origins", "origins= and driven= do not go together; expected loops='ignore', without driven=")
    if fixed_input(robot):
        raise fail("at", "at='input' and driven= do not go together; expected a full q as at, or q0 of the call")
    return close(robot, driven)


ASKED: dict[str, tuple[tuple[str, ...], str, str, Callable[..., Any]]] = {
    "inverse_dynamics": (("xd", "xdd"), "tau", "torques of the driven joints", closed_inverse),
    "forward_dynamics": (("xd", "tau"), "xdd", "accelerations of the driven joints", closed_forward),
    "loop_wrenches": (("xd", "xdd"), "", "", loop_wrenches),
}
"""Dynamics that are known for closed loops: names of inputs after x, name and description of the output (the query's,
if it has no name), algorithm."""


def closed_dynamics(robot: Robot, driven: Joints, name: str, output: Any, friction: bool) -> Any:
    """Return what closes the loops of a robot, and motion, output and algorithm of `force_query` for that. Raises
    KinetreeError for a query that is not among `ASKED`."""
    if name not in ASKED:
        message = f"{name} is not computed for closed loops; expected {', '.join(ASKED)}"
        raise fail("loops", message, fix="kt.kinematics.close(robot, driven).rates maps rates to those of all joints")
    inputs, result, what, algorithm = ASKED[name]
    closer = closer_of(robot, driven)

    def run(tree: Tree, given: Any, q: Any, xd: Any, last: Any) -> Any:
        def torques(qd: Any, qdd: Any) -> Any:
            return rnea(tree, q, qd, qdd, *given, friction=friction)

        def rate_of(J: Any, qd: Any) -> Any:
            return rate(J, q, coordinate_rates(tree, q, qd))  # J depends on q alone

        return algorithm(closed_motion(tree, closer.roles, q, xd, rate_of, torques), last)

    motion = [_rates_port(closer, name) for name in inputs]
    return closer, motion, _rates_port(closer, result, what) if result else output, run


def _rates_port(closer: LoopCloser, name: str, what: str = "") -> Port:
    unit = UNITS[name.replace("x", "q")]
    return Port(name, (len(closer.velocity_names),), closer.velocity_names, f"{what}; {unit}" if what else unit)
