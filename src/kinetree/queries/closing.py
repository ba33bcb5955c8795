"""Closing of loops: from the coordinates of driven joints to those of all joints, on the branch of a start."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kinetree.algorithms.closing import (
    HEAD,
    LEFT,
    MOST,
    SHARE,
    Roles,
    begun,
    closing_step,
    following_rates,
    loop_jacobian,
    room,
)
from kinetree.algorithms.gauge import gauged
from kinetree.algorithms.kinematics import loop_error
from kinetree.arguments import explain_type_errors
from kinetree.arrays import as_given
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port, checked, flat_results
from kinetree.compiler.program import trace
from kinetree.display import Displayable, some
from kinetree.errors import fail
from kinetree.model.limits import Limits, checked_q
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.joint_choice import Joints
from kinetree.queries.loop_roles import loop_roles, nearby, rank
from kinetree.queries.loop_start import DEAD, start_of
from kinetree.queries.query import memoise, origin, query, tolerance_of, tree
from kinetree.spatial.se3 import Array

TOLERANCE = (1e-6, 1e-6)
NEARLY = 1e-9
"""Share of the way that may be left at a dead centre at the end of it."""
CHANGES = 1e-5
"""Singular values of the loops' Jacobian below this part of the largest count as zero at a change point."""


@dataclass(frozen=True, eq=False, repr=False)
class ClosedLoops(Displayable):
    """Result of `LoopCloser`.

    q (…, nq): of all joints, the driven ones as given; without success the others are as at the last place on the way
    where the loops were closed. success (…): whether all loops are closed. gap (…, k, 2): how far each of `robot.loops`
    is open, m and rad. share (…): part of the way from the start that was gone, 1 with success. dead (…): whether q is
    at a dead centre or a change point, where driven joints do not determine how the others move.
    """

    q: Array
    success: Array | bool
    gap: Array
    share: Array | float
    dead: Array | bool
    why: str = ""
    """Of a single result, what is said above in words; else empty."""

    def __repr__(self) -> str:
        done = np.asarray(self.success)
        state = "closed" if done.all() else f"{int((~done).sum())} of {done.size} not closed"
        return f"ClosedLoops: {self.why or state}; largest gap {self.gap.max(initial=0.0):.2g}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LoopCloser:
    """Closes the loops of a robot, made by `kt.kinematics.close`.

    driven: the joints whose positions x (n,) are given; coordinate_names, velocity_names: of x and of its rates.
    following: the velocity coordinates that the loops determine. held: those that stay where the start has them.
    rates: kernel from a closed q (…, nq) to K (…, nv, n), the rates of all joints for those of the driven ones; NaN at
    a dead centre. roles: the same by numbers.
    """

    driven: tuple[str, ...]
    coordinate_names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    following: tuple[str, ...]
    held: tuple[str, ...]
    rates: Kernel
    roles: Roles
    _limits: Limits
    _start: Array
    _tolerance: Array
    _usual: int
    _begin: Kernel
    _walk: Kernel
    _end: Kernel
    _jacobian: Kernel

    def __repr__(self) -> str:
        return f"LoopCloser: {some(self.following)} follow {some(self.driven)}"

    def start(self, q0: Any = None) -> Array:
        """Return x (…, n) of the driven joints in q0 (…, nq), by default in the posture of the file."""
        start = self._start if q0 is None else checked_q(self._limits, q0, "q0")
        return start[..., list(self.roles.columns)]

    @as_given
    def __call__(self, x: Any, q0: Any = None) -> ClosedLoops:
        """Return the coordinates of all joints for those of the driven ones, x (…, n), m and rad.

        q0 (…, nq): the start, whose branch is followed while the driven joints go straight from there to x; by default
        the posture in the file. Loops that are open there are closed on the way. Limits of joints do not count. Raises
        KinetreeError for arrays of other shapes.
        """
        port = Port("x", (len(self.coordinate_names),), self.coordinate_names, "m, rad")
        (given,), _ = checked("close", [port], [x], {}, float)
        start = self._start if q0 is None else checked_q(self._limits, q0, "q0")
        try:
            np.broadcast_shapes(given.shape[:-1], start.shape[:-1])
        except ValueError:
            raise fail("q0", f"x has shape {given.shape} and q0 {start.shape}, which do not go together") from None
        found = self._walk(*self._begin(start, given))
        q = found[..., HEAD : HEAD + start.shape[-1]].copy()
        q[..., list(self.roles.columns)] = given
        gap, left = self._end(q)
        success = (gap <= self._tolerance).all(axis=(-2, -1)) & (found[..., SHARE] > 1.0 - NEARLY)
        share = np.where(success, 1.0, np.minimum(found[..., SHARE], 1.0 - NEARLY))
        dead = left < DEAD**2
        if success.ndim:
            return ClosedLoops(q, success, gap, share, dead)
        why = self._why(q, start, bool(success), float(share), bool(dead), bool(found[LEFT] > 0.0))
        return ClosedLoops(q, bool(success), gap, float(share), bool(dead), why)

    def _why(self, q: Array, start: Array, success: bool, share: float, dead: bool, patient: bool) -> str:
        if not np.isfinite(q).all():
            return "x or q0 is not finite"
        if success and dead:
            values = np.linalg.svdvals(self._jacobian.interpret(q).astype(float))
            lost = (values > CHANGES * values[0]).sum() < self._usual
            kind = "a change point, where branches of the loops meet" if lost else "a dead centre"
            return f"closed at {kind}: {some(self.driven)} do not determine how the other joints move there"
        if success:
            return ""
        columns = list(self.roles.columns)
        last = start[columns] + share * (q - start)[columns]
        where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.coordinate_names, last, strict=True))
        if not patient:
            return f"gave up after {MOST:.0f} corrections, at {where}"
        if self._end.interpret(start).left < DEAD**2:
            return f"the start is at a dead centre of {some(self.driven)}; expected another q0"
        return f"the loops cannot close beyond {where} on the branch of the start"


@explain_type_errors
def close(robot: Robot, driven: Joints = None, *, tolerance: tuple[float, float] = TOLERANCE) -> LoopCloser:
    """Return what closes the loops of a robot: a callable from x (…, n) of the driven joints to `ClosedLoops`.

    driven: names of the joints whose positions are given, in the order of x, or the name of a group; the loops
    determine the others, and joints outside of loops that are not driven stay. tolerance: largest gap, m and rad, of a
    loop that counts as closed; the search goes on to rounding error.

    `driven=` of `kt.fk`, `kt.jacobian` and others uses this. Raises KinetreeError for driven joints that leave others
    undetermined or that depend on each other, and for loops of screw joints.

    Examples:
        >>> import kinetree as kt
        >>> crank = {"axis": [0, 0, 1], "xyz": [0, 0, 0]}
    """
    accepted = tolerance_of(tolerance)
    roles = loop_roles(robot, driven)
    return memoise(robot, ("close", roles.columns, accepted), lambda: _made(robot, roles, accepted))


def _made(robot: Robot, roles: Roles, tolerance: tuple[float, float]) -> LoopCloser:
    nq, nv, loops = robot.nq, robot.nv, roles.loops
    key, ends = ("close", roles.key), roles.ends
    model, drawn = gauged(tree(robot), ends), loop_jacobian(tree(robot), nearby(robot), loops).astype(float)
    names = robot.velocity_names
    driven = tuple(names[j] for j in roles.driven)
    walk = [Port("state", (HEAD + 2 * nq + nv,)), Port("v", (nv,)), Port("e0", (len(drawn),))]
    start = [Port("q0", (nq,)), Port("x", (len(roles.columns),))]
    gap, left = Port("gap", (len(loops), 2)), Port("left", ())
    K = Port("K", (nv, len(driven)), driven, "rates of all joints for those of the driven ones", names)

    def traced(step: Any, ports: list[Port], **more: Any) -> Any:
        return lambda: trace(partial(step, model, roles), *(port.shape for port in ports), **more)

    def begin(model: Tree, roles: Roles, q: Any, x: Any) -> Any:
        return flat_results(walk, begun, model, roles, q, x)

    def ended(model: Tree, q: Any) -> Any:
        return loop_error(model, q, loops), room(model, roles, q)

    return LoopCloser(
        driven=roles.joints,
        coordinate_names=tuple(robot.coordinate_names[j] for j in roles.columns),
        velocity_names=driven,
        following=tuple(names[j] for j in roles.following),
        held=tuple(names[j] for j in roles.held),
        rates=query(robot, ("closed_rates", *key), ends, K, lambda model, q: following_rates(model, roles, q)),
        roles=roles,
        _limits=robot.limits,
        _start=start_of(robot, roles),
        _tolerance=np.array(tolerance),
        _usual=rank(drawn),
        _begin=Kernel("begin", tuple(start), tuple(walk), traced(begin, start), origin(robot, ("begin", key))),
        _walk=Kernel(
            "close", tuple(walk), walk[0], traced(closing_step, walk, repeated=True), origin(robot, ("walk", key))
        ),
        _end=query(robot, ("closed_end", *key), ends, (gap, left), ended),
        _jacobian=query(
            robot,
            ("loop_jacobian", *key),
            ends,
            Port("J", drawn.shape),
            lambda model, q: loop_jacobian(model, q, loops),
        ),
    )
