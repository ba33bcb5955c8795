"""Closing of loops: from the coordinates of driven joints to those of all joints, on the branch of a start."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from kinetree.algorithms import closing
from kinetree.algorithms.closing import HEAD, SHARE
from kinetree.algorithms.differential import difference, integrate
from kinetree.algorithms.factors import Factors
from kinetree.algorithms.gauge import gauged
from kinetree.algorithms.loops import Roles, demands, loop_jacobian
from kinetree.arguments import explain_type_errors
from kinetree.arrays import as_given
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import Program, trace
from kinetree.display import some
from kinetree.model.drawn import drawn_posture
from kinetree.model.robot import Robot
from kinetree.queries.joint_choice import Joints
from kinetree.queries.loop_roles import loop_roles, nearby, rank
from kinetree.queries.query import coordinates, memoise, origin, query, tolerance_of, tree
from kinetree.spatial.se3 import Array

TOLERANCE = (1e-6, 1e-6)
DEAD = 1e-5
"""Part of a column of the loops' Jacobian outside of the others, below which q counts as a dead centre; and part of the
largest singular value, below which others count as zero there."""
NEVER = 1e-14
"""Entry of Q below which it is a rounding error of zero."""
SLACK, STARTS = 1e-9, 200
"""Of limits, m and rad; and number of places from which a start is searched."""


@dataclass(frozen=True, eq=False, repr=False)
class ClosedLoops:
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
    """Of a single result, the reason in words; else empty."""

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
    a dead centre. roles: the same by numbers. start (nq,): the default start.
    """

    driven: tuple[str, ...]
    coordinate_names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    following: tuple[str, ...]
    held: tuple[str, ...]
    rates: Kernel
    roles: Roles
    start: Array
    _tolerance: Array
    _begin: Kernel
    _walk: Kernel
    _end: Kernel

    def __repr__(self) -> str:
        return f"LoopCloser: {some(self.following)} follow {some(self.driven)}"

    @as_given
    def __call__(self, x: Any, q0: Any = None) -> ClosedLoops:
        """Return the coordinates of all joints for those of the driven ones, x (…, n), m and rad.

        q0 (…, nq): the start, whose branch is followed while the driven joints go straight from there to x; by default
        `start`. Loops that are open there are closed on the way. Limits of joints do not count. Raises KinetreeError
        for arrays of other shapes.
        """
        begun = self._begin(self.start if q0 is None else q0, x)
        found, place = self._walk(*begun), slice(HEAD, HEAD + len(self.start))
        q, gap, room, J = self._end(found[..., place], x)
        success = (gap <= self._tolerance).all(axis=(-2, -1))
        share = np.where(success, 1.0, found[..., SHARE])
        dead = room < DEAD**2
        if success.ndim:
            return ClosedLoops(q, success, gap, share, dead)
        why = self._why(q, begun.state[place], J, bool(success), float(share), bool(dead))
        return ClosedLoops(q, bool(success), gap, float(share), bool(dead), why)

    def _why(self, q: Array, start: Array, J: Array, success: bool, share: float, dead: bool) -> str:
        if not np.isfinite(q).all():
            return "x or q0 is not finite"
        columns = list(self.roles.columns)
        if success and not dead:
            return ""
        if success:
            beside = start + 0.1 * np.cos(np.arange(len(start)))  # with nothing special
            lost = rank(J, DEAD) < rank(self._end(beside, beside[columns]).J, DEAD)
            kind = "a change point, where branches of the loops meet" if lost else "a dead centre"
            return f"closed at {kind}, where the motion of {some(self.driven)} does not determine that of others"
        if self._end(start, start[columns]).room < DEAD**2:
            return f"the start is at a dead centre of {some(self.driven)}; expected another q0"
        last = start[columns] + share * (q - start)[columns]
        where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.coordinate_names, last, strict=True))
        return f"the loops cannot close beyond {where} (m, rad) on the branch of the start"


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
        >>> link = '<body name="{0}" pos="{1} 0 0"><joint name="{0}"/><geom size="0.1"/>'.format
        >>> links = f'{link("crank", 0)}{link("coupler", 1)}</body></body>{link("rocker", 3)}</body>'
        >>> pin = '<equality><connect body1="coupler" body2="rocker" anchor="0.5 1 0"/></equality>'
        >>> bars = kt.load(f"<mujoco><worldbody>{links}</worldbody>{pin}</mujoco>", format="mjcf")
        >>> close = kt.kinematics.close(bars, ["crank"])
        >>> found = close([0.5])
        >>> found.q.round(3), found.success  # crank, coupler, rocker, rad
        (array([ 0.5  , -0.855, -0.173]), True)
        >>> far = close([2.5])
        >>> far.success, far.why.partition(' on ')[0]
        (False, 'the loops cannot close beyond crank = 1.32347 (m, rad)')
    """
    accepted = tolerance_of(tolerance)
    roles = loop_roles(robot, driven)
    return memoise(robot, ("close", roles.columns, accepted), lambda: _made(robot, roles, accepted))


def _made(robot: Robot, roles: Roles, tolerance: tuple[float, float]) -> LoopCloser:
    nq, nv, m, names = robot.nq, robot.nv, len(demands(tree(robot), robot.zero, roles.loops)), robot.velocity_names
    driven, model, ends = tuple(names[j] for j in roles.driven), gauged(tree(robot), roles.ends), roles.ends
    J = loop_jacobian(model, nearby(robot), roles.loops)[:, list(roles.following)].astype(float)
    places = [(j, i) for j, column in enumerate(Factors(J).Q) for i, x in enumerate(column) if abs(x) > NEVER]
    walk = (Port("state", (HEAD + 2 * nq + nv + len(places),)), Port("v", (nv,)), Port("e0", (m,)))
    x = Port("x", (len(roles.columns),), tuple(robot.coordinate_names[j] for j in roles.columns), "m, rad")
    end = (coordinates(robot), Port("gap", (len(roles.loops), 2)), Port("room", ()), Port("J", (m, nv)))
    K = Port("K", (nv, len(driven)), driven, "rates of all joints for those of the driven ones", names)

    def step() -> Program:
        return trace(partial(closing.closing_step, model, roles, places), *(port.shape for port in walk), repeated=True)

    made = LoopCloser(
        driven=roles.joints,
        coordinate_names=x.labels,
        velocity_names=driven,
        following=tuple(names[j] for j in roles.following),
        held=tuple(names[j] for j in roles.held),
        rates=query(
            robot, ("closed_rates", roles.key), ends, K, lambda model, q: closing.following_rates(model, roles, q)
        ),
        roles=roles,
        start=drawn_posture(robot),
        _tolerance=np.array(tolerance),
        _begin=query(
            robot,
            ("close_begin", roles.key),
            ends,
            walk,
            lambda model, *qx: closing.begun(model, roles, places, *qx),
            [x],
        ),
        _walk=Kernel("close", walk, walk[0], step, origin(robot, ("close", roles.key))),
        _end=query(
            robot, ("close_end", roles.key), ends, end, lambda model, *qx: closing.ended(model, roles, *qx), [x]
        ),
    )
    return replace(made, start=_start(robot, made))


def _start(robot: Robot, closer: LoopCloser) -> Array:
    """Return where the file draws the robot; or if that is outside of the limits or at a dead centre, the nearest
    closed posture inside. What is outside is in the middle of its range then."""
    drawn, limits, columns = closer.start, robot.limits, list(closer.roles.columns)
    outside = (drawn < limits.lower - SLACK) | (drawn > limits.upper + SLACK)
    if not outside.any() and closer._end.interpret(drawn, drawn[columns]).room > DEAD**2:
        return drawn
    middle = np.where(outside, robot.q(), drawn)
    v = np.zeros((STARTS, robot.nv))
    v[1:, closer.roles.following] = np.random.default_rng(0).uniform(-2, 2, (STARTS - 1, len(closer.following)))
    model = tree(robot)
    found = closer(middle[columns], np.array([integrate(model, middle, row) for row in v], dtype=float))
    inside = ((found.q >= limits.lower - SLACK) & (found.q <= limits.upper + SLACK)).all(axis=-1)
    good = found.q[np.asarray(found.success) & ~np.asarray(found.dead) & inside]
    far = [np.linalg.norm(difference(model, middle, q).astype(float)) for q in good]
    return good[np.argmin(far)] if far else drawn
