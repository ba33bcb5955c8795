"""A guard: it turns commands for joints into commands that keep all limits."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from kinetree.algorithms import guard as algorithm
from kinetree.algorithms.braking import Brakes, braking_step
from kinetree.algorithms.guard import FAR, Fence, guard_step
from kinetree.arguments import explain_type_errors
from kinetree.compiler.cache import digest
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.machine_code import SCALARS
from kinetree.compiler.port import Port, legal_type
from kinetree.compiler.program import trace
from kinetree.display import brief, counted, some
from kinetree.errors import fail, unknown_name
from kinetree.model.limits import Limits, coupled
from kinetree.model.robot import Robot
from kinetree.queries.joint_choice import with_moving_joints
from kinetree.queries.query import fixed_input
from kinetree.spatial import polytope
from kinetree.spatial.se3 import Array, frozen

SKIN = 1e-9
"""Least distance, rad or m, between a command and a limit; rounding may need more."""
MOST_SKIN = 1e-3
"""Largest distance that rounding may need; beyond it no guard is made."""
ROUNDING = 4.0
"""Units in the last place that a product and its sum may lose, with a margin."""


class GuardState(IntEnum):
    """State of a guard after a step.

    FREE: the command passes. NEAR: it passes, closer than `warn` to a limit. CHANGED: another command is allowed
    instead. OUTSIDE: the joints are outside of the limits and are led back. REFUSED: a position or a command is not
    finite or beyond 1e6, and the joints stop. BRAKING: no velocity near the command could be stopped inside, and the
    joints slow down as fast as they may.

    Examples:
        >>> import kinetree as kt
        >>> guard = kt.guard(kt.chain([{"axis": [0, 0, 1], "qlim": [-1, 1]}]))
        >>> [kt.limits.GuardState(guard([0.9], [command], dt=0.01).state).name for command in (0.8, 0.99, 1.4)]
        ['FREE', 'NEAR', 'CHANGED']
    """

    FREE = algorithm.FREE
    NEAR = algorithm.NEAR
    CHANGED = algorithm.CHANGED
    OUTSIDE = algorithm.OUTSIDE
    REFUSED = algorithm.REFUSED
    BRAKING = algorithm.BRAKING


STATES = tuple(state.name.lower() for state in GuardState)
"""Names of the states, by number."""
LABELS = ("distance", "nearest", "state")
"""Entries of a guard's result behind the command."""
SAFE = "a command that keeps all limits, its distance to the nearest one, negative outside, and which that is; m, rad"


class Guarded(NamedTuple):
    """Result of a guard's step.

    command (…, n): safe targets for the joints. distance (…,): of the command from the nearest limit, moved in by
    `keep`, in rad or m, negative outside. nearest (…,): its index in `Guard.limit_names`. state (…,): a `GuardState`.
    velocity (…, n): of this step, from a guard that brakes, for its next call; else None.

    Examples:
        >>> import kinetree as kt
        >>> guard = kt.guard(kt.chain([{"axis": [0, 0, 1], "qlim": [-1, 1]}]))
        >>> safe = guard([0.9], [1.4], dt=0.01)
        >>> safe.command.round(3), kt.limits.GuardState(safe.state).name, guard.limit_names[safe.nearest]
        (array([1.]), 'CHANGED', 'q1 upper')
    """

    command: Array
    distance: Array
    nearest: Array
    state: Array
    velocity: Array | None = None

    def __repr__(self) -> str:
        return brief(self)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Guard:
    """A guard of some joints, made by `guard`.

    joints: in the order of positions and commands. limit_names: the limits that it keeps.
    kernel: one step, from (…, n), (…, n) and (…,) to (…, n + 3): command, distance, nearest, state; of a guard that
    brakes from q, qd, command, dt to (…, 2 n + 3): command, velocity, distance, nearest, state.
    dtype: the precision of the kernel; a lower one is not safe. brakes: whether it keeps accelerations.

    Examples:
        >>> import kinetree as kt
        >>> guard = kt.guard(kt.load("icub"), "torso")
        >>> guard
        Guard of torso_yaw, torso_roll, torso_pitch: 6 limits, float64
        >>> guard.limit_names[:2]
        ('torso_yaw lower', 'torso_roll lower')
    """

    joints: tuple[str, ...]
    limit_names: tuple[str, ...]
    kernel: Kernel
    dtype: np.dtype[Any]
    brakes: bool = False

    def __repr__(self) -> str:
        return f"Guard of {some(self.joints)}: {counted(len(self.limit_names), 'limit')}, {self.dtype}"

    def __call__(self, q: Any, command: Any, dt: Any, qd: Any = None) -> Guarded:
        """Return the safe command for joints at q (…, n) that are sent to command (…, n), for a step of dt seconds.

        rad, m. From inside, the joints get nearly the point of the set nearest to the command, so that they slide along
        a limit; joints without coupling rows get it exactly. From outside (`GuardState.OUTSIDE`) they get a point on
        the shortest way back inside, at the guard's speed, whatever the command is. If q or the command is not finite
        or beyond 1e6, the result is q (`GuardState.REFUSED`).

        A guard that brakes wants qd (…, n), the velocity of the step before: `velocity` of its last answer, 0 at first.
        From a stop that ends inside, it returns a command after which such a stop still exists, and that no joint needs
        more than its acceleration for. If the command is not finite, the joints stop.

        Raises KinetreeError for a dt that is negative or not finite (or 0, if the guard brakes), for arrays of another
        shape, and for qd that is missing or has no meaning.
        """
        dt, n = np.asarray(dt, dtype=float), len(self.joints)
        if not np.all((dt > 0 if self.brakes else dt >= 0) & np.isfinite(dt)):
            legal = "above 0" if self.brakes else "from 0"
            wrong = dt[~((dt > 0 if self.brakes else dt >= 0) & np.isfinite(dt))].flat[0]
            raise fail("dt", f"dt is {wrong}; expected seconds {legal}, finite")
        if (qd is not None) != self.brakes:
            needed = "a guard with accelerations needs" if self.brakes else "a guard without accelerations does not use"
            raise fail("qd", f"{needed} the velocity qd")
        if not self.brakes:
            found = self.kernel(q, command, dt, dtype=self.dtype)
            command, velocity, found = found[..., :n], None, found[..., n:]
        else:
            found = self.kernel(q, qd, command, dt, dtype=self.dtype)
            command, velocity, found = found[..., :n], found[..., n : 2 * n], found[..., 2 * n :]
        return Guarded(command, found[..., 0], found[..., 1].astype(int), found[..., 2].astype(int), velocity)


@explain_type_errors
def guard(
    robot: Robot,
    joints: str | Sequence[str] | None = None,
    *,
    keep: float = 0.0,
    warn: float = math.radians(5.0),
    speed: float | Mapping[str, float] = 0.1,
    acceleration: float | Mapping[str, float] | None = None,
    sweeps: int = 16,
    dtype: DTypeLike = float,
    at: Any = None,
) -> Guard:
    """Return a guard of these joints: the name of a group, or names.

    joints: by default all joints with one coordinate that are not followers.
    at: a full q (nq,) at which all other joints stand; without it no limit may couple them to the joints.
    keep: distance from every limit, rad or m. warn: below this distance a limit is near (`GuardState.NEAR`).
    speed: of the way back for joints found outside, rad/s or m/s, one for all or one per joint; at most a joint's own
    velocity limit.
    acceleration: rad/s² or m/s², one for all or one per joint, with which joints may speed up and slow down. With it
    the guard brakes: it lets through only what can be stopped inside, and no more than a joint's own velocity limit.
    sweeps: rounds of projections; more bring the result nearer to the nearest point. Safety does not depend on them.
    dtype: float64 or float32, the precision; float32 stays some 1e-5 away from limits because of rounding.

    One step is straight-line code, the same at every call; `guard(…).kernel.c_source(dtype=…)` is C for firmware.
    Raises KinetreeError for names that are not such joints, for a limit that couples them to a joint outside the guard,
    and if no configuration is inside all limits.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> guard = kt.guard(kt.load("icub"), "left_arm")
        >>> q = np.radians([-85, 100, 30, 50, 0, 0, 0])
        >>> safe = guard(q, q + np.radians([0, 0, 50, 0, 0, 0, 0]), dt=0.01)
        >>> np.rad2deg(safe.command).round(1) + 0.0
        array([-80.7,  95.7,  75.7,  50. ,   0. ,   0. ,   0. ])
        >>> guard.limit_names[safe.nearest]
        'left_arm tendons 9 lower'
    """
    names = _names(robot, joints)
    robot = robot if at is None else with_moving_joints(robot, names, at)
    if fixed_input(robot):
        raise fail("at", "a guard has the joints that stand compiled in; expected a full q, not 'input'")
    for what, value in (("keep", keep), ("warn", warn)):
        if not 0 <= value < np.inf:
            raise fail(what, f"{what} is {value!r}; expected a finite distance from 0, in rad or m")
    if not isinstance(sweeps, int) or not 1 <= sweeps <= 1000:
        raise fail("sweeps", f"sweeps is {sweeps!r}; expected whole numbers from 1 to 1000")
    columns = np.array([robot.q_slices[name].start for name in names])
    rows, limit_names = _rows(robot.limits, names, columns)
    number = legal_type(dtype, SCALARS)
    eps = float(np.finfo(number).eps)
    velocities = [robot.joints[name].limit.velocity or 0.0 for name in names]
    own = np.array([velocity if velocity > 0 else np.inf for velocity in velocities])
    fastest = np.minimum(_per_joint("speed", speed, names), own)
    fence = _fence(*rows, keep, warn, fastest, sweeps, names, eps)
    brakes = None if acceleration is None else Brakes(_per_joint("acceleration", acceleration, names), own)
    kernel = _kernel(fence, brakes, names, limit_names)
    return Guard(names, limit_names, kernel, number, brakes is not None)


def _kernel(fence: Fence, brakes: Brakes | None, names: tuple[str, ...], limit_names: Sequence[str]) -> Kernel:
    vector, step = (len(names),), Port("dt", (), (), "seconds of this step")
    q = Port("q", vector, names, "where the joints are; m, rad")
    qd = Port("qd", vector, names, "their velocity in the step before; m/s, rad/s")
    command = Port("command", vector, names, "where they are sent; m, rad")
    numbers = [fence.A, fence.b, fence.center, fence.skin, fence.pad, fence.speed]
    if brakes is None:
        ports: tuple[Port, ...] = (q, command, step)
        labels = (*names, *LABELS)
        run: Any = lambda q, command, dt: guard_step(fence, q, command, dt[()])  # noqa: E731
    else:
        ports = (q, qd, command, step)
        labels = (*names, *(f"velocity of {name}" for name in names), *LABELS)
        run = lambda q, qd, command, dt: braking_step(fence, brakes, q, qd, command, dt[()])  # noqa: E731
        numbers += [brakes.acceleration, brakes.velocity]
    key = digest(repr((fence.blocks, fence.turns, fence.reach, fence.warn)), *(a.tobytes() for a in numbers))
    return Kernel(
        "guard",
        ports,
        Port("safe", (len(labels),), labels, SAFE, codes=(("nearest", tuple(limit_names)), ("state", STATES))),
        lambda: trace(run, *(port.shape for port in ports)),
        digest("guard", key),
        fused=False,
        of=f"joints {some(names)}",
    )


def _names(robot: Robot, joints: str | Sequence[str] | None) -> tuple[str, ...]:
    if joints is None:
        joints = [name for name in robot.joint_names if robot.joints[name].kind.single]
    elif isinstance(joints, str):
        joints = robot.groups[joints]
    names = tuple(joints)
    for name in names:
        if name not in robot.joints:
            raise unknown_name("joint", name, list(robot.joint_names))
        if name not in robot.joint_names or not robot.joints[name].kind.single:
            kind = "follows another" if robot.joints[name].mimic else f"is {robot.joints[name].type}"
            raise fail(
                "guard", f"{kind}; a guard is for joints of one coordinate of their own", element=f"joint {name!r}"
            )
    if not names or len(set(names)) < len(names):
        raise fail("guard", f"joints is {list(names)}; expected one or more different names")
    return names


def _per_joint(what: str, value: float | Mapping[str, float], names: Sequence[str]) -> Array:
    given = value if isinstance(value, Mapping) else dict.fromkeys(names, value)
    for name in given:
        if name not in names:
            raise unknown_name("joint", name, list(names))
    wrong = [name for name in names if not 0 < given.get(name, 0) < np.inf]
    if wrong:
        message = f"{what} is {value!r}; expected a finite {what} above 0 for every joint"
        raise fail(what, f"{message}, which {', '.join(wrong)} {'has' if len(wrong) == 1 else 'have'} not")
    return np.array([given[name] for name in names], dtype=float)


def _rows(limits: Limits, names: Sequence[str], columns: Array) -> tuple[tuple[Array, Array], tuple[str, ...]]:
    """Return A, b of the limits on these coordinates alone, with rows of length one, and their names."""
    others = np.setdiff1d(np.arange(len(limits.lower)), columns)
    about = np.flatnonzero(limits.G[:, columns].any(axis=1))
    for i in about[limits.G[np.ix_(about, others)].any(axis=1)]:
        outside = ", ".join(limits.coordinate_names[j] for j in others if limits.G[i, j])
        message = f"couples them to {outside}; a guard is for all joints of such a limit together"
        raise fail("guard", message, element=f"limit {limits.row_names[i]!r}")
    eye = np.eye(len(columns))
    A = np.vstack([-eye, eye, limits.G[np.ix_(about, columns)]])
    b = np.r_[-limits.lower[columns], limits.upper[columns], limits.h[about]]
    ends = [f"{name} {end}" for end in ("lower", "upper") for name in names]
    bounded = np.isfinite(b)
    labels = tuple(np.array([*ends, *(limits.row_names[i] for i in about)])[bounded].tolist())
    if not labels:
        raise fail("no-limits", f"{', '.join(names)} have no limits, which a guard could keep")
    lengths = np.linalg.norm(A[bounded], axis=1)
    return (A[bounded] / lengths[:, None], b[bounded] / lengths), labels


def _fence(
    A: Array, b: Array, keep: float, warn: float, speed: Array, sweeps: int, names: Sequence[str], eps: float
) -> Fence:
    """Return the rows A x <= b moved in by `keep`, with everything that a step needs."""
    bounds, n = b - keep, A.shape[1]
    ranges = [_range(A, bounds, j) for j in range(n)]
    size = np.array([np.abs(ends).max() for ends in ranges])
    pad = ROUNDING * eps * (np.count_nonzero(A, axis=1) + 4) * (np.abs(bounds) + np.abs(A) @ size)
    skin = SKIN + 4 * pad
    if skin.max() > MOST_SKIN:
        row = int(np.argmax(skin))
        about = ", ".join(names[int(j)] for j in np.flatnonzero(A[row]))
        message = f"rounding could cost {skin[row]:.2g} rad or m, as there is no range for all of {about}"
        raise fail("guard", message, fix="compute in double precision")
    center, once, again, blocks = np.zeros(n), [], [], []
    for columns in coupled(A):
        rows = np.flatnonzero(A[:, columns].any(axis=1))
        blocks.append((tuple(columns.tolist()), tuple(rows.tolist())))
        own, inner = A[np.ix_(rows, columns)], (bounds - skin)[rows]
        center[columns] = _center(own, inner, [ranges[j] for j in columns], [names[j] for j in columns])
        if len(columns) == 1:
            once += rows.tolist()
        else:
            again += np.delete(rows, polytope.redundant_rows(own, inner)).tolist()
    reach = min(4.0 * max(float(np.ptp(ends)) for ends in ranges), FAR)
    turns = (*once, *again * sweeps)
    A, bounds, center, skin, pad, speed = map(frozen, (A, bounds, center, skin, pad, speed))
    return Fence(A, bounds, tuple(blocks), center, skin, pad, turns, reach, speed, float(warn))


def _range(A: Array, b: Array, j: int) -> Array:
    """Return the ends (2,) of coordinate j by rows on it alone; ±FAR if there are none."""
    lower, upper = -FAR, FAR
    for row, bound in zip(A, b, strict=True):
        if row[j] and np.count_nonzero(row) == 1:
            lower, upper = (lower, min(upper, bound)) if row[j] > 0 else (max(lower, -bound), upper)
    return np.array([lower, upper])


def _center(A: Array, b: Array, ranges: Sequence[Array], names: Sequence[str]) -> Array:
    """Return the centre of the largest ball inside; for joints without a range, near the ranges that exist."""
    lower, upper = np.transpose(ranges)
    eye = np.eye(len(names))
    sizes = [abs(end) for end in (*lower, *upper) if abs(end) < FAR]
    for far in (4.0 * max(sizes, default=1.0), FAR):
        box = np.r_[-np.maximum(lower, -far), np.minimum(upper, far)]
        ball = polytope.chebyshev_ball(np.vstack([A, -eye, eye]), np.r_[b, box])
        if ball.radius > SKIN:
            return ball.center
    message = f"their limits leave no room that a guard could keep them in; the largest ball has {ball.radius:.3g}"
    raise fail("empty", message, element=f"joints {', '.join(names)}")
