"""The fastest motion along a path inside limits of velocities, accelerations and torques."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.reachability import FREE
from kinetree.arguments import explain_type_errors
from kinetree.display import listed, number
from kinetree.errors import fail, wrong_type
from kinetree.model.robot import Inertial, Robot
from kinetree.queries.dynamics import inverse_dynamics
from kinetree.queries.forces import check_masses
from kinetree.queries.motion import velocity as velocity_of
from kinetree.spatial.se3 import Array
from kinetree.trajectories.along import Along, Grid, along, grid_of, pieces_of
from kinetree.trajectories.bounds import Bounds, Follower, bounds_of, check_moving, followers_of
from kinetree.trajectories.motion import Motion
from kinetree.trajectories.passes import StuckError, fastest
from kinetree.trajectories.path import Path
from kinetree.trajectories.payload import with_payload
from kinetree.trajectories.reasons import check_inside, reason, s_of
from kinetree.trajectories.rows import Limited, Torques, gentle_speed, rows_of, slowing, torques_of
from kinetree.trajectories.timing import Timing

LANES = 192
"""Paths that are computed at once."""
ROUNDS = (1e300, 2.0, 1.5, 1.2, 1.1, 1.05, 1.02)
"""By how much x may grow in each round, where joints are damped; each is about the speed of the one before."""
SLOWED = 20
"""How often at most a whole motion is made slower where a slower one asks for more torque."""
EASED, CLOSE = 2, 0.995
"""In intervals where limits would need a speed below the second number, less of the limits is used, this often."""
LIFTED = 0.1
"""Part of the x of its neighbours that a point gets at least where the fastest way to it would end at rest."""


class Options(NamedTuple):
    """Limits as a caller gives them; see `retime`."""

    velocity: Bounds
    acceleration: Bounds
    torque: Bounds
    payload: Mapping[str, float | Inertial] | None
    speed: Mapping[str, float] | None = None


@explain_type_errors
def retime(
    path: Path | Sequence[Path],
    *,
    velocity: Bounds = True,
    acceleration: Bounds = True,
    torque: Bounds = False,
    payload: Mapping[str, float | Inertial] | None = None,
    speed: Mapping[str, float] | None = None,
    position: bool = True,
    points: int = 1000,
    period: float | None = None,
    threads: int = 1,
) -> Any:
    """Return the fastest Motion along a path from rest to rest; for several paths of one robot, a list of motions.

    The method is TOPP-RA (Pham & Pham, 2018), with limits at both ends of each interval; then the motion is made slower
    as a whole, most often by less than 1e-4, so that all limits hold between the points, too.

    velocity, acceleration, torque: True takes the limits of the model; a number, an array in the order of qd (nv,), or
    a mapping by name replaces them; False means none. rad, m, s, N m, N. URDF before 1.2 has no accelerations: then
    `acceleration=` or `torque=` is needed. Speeds and accelerations of followers are limited by the model, or by name.
    Torques are those of `kt.inverse_dynamics`, dampers included, friction not.
    payload: masses at frames by name of the frame: a mass in kg at its origin, or an Inertial in its axes.
    speed: largest speeds of the origins of frames in the root, m/s, by name of the frame, such as {"tool0": 0.25}.
    position: whether to test that the path is inside `robot.limits`, coupled ones included.
    points: intervals of the path; more are more exact. A motion stops where the direction of a path jumps.
    period: s, from sample to sample; the motion then lasts a multiple of it. By default the samples are at the ends of
    the intervals, with q, qd and qdd.
    threads: share several paths.

    Raises KinetreeError, with place and joint, for a path outside of the limits, for joints that move without a limit,
    and where no motion keeps the limits, as where a motor cannot bear the weight.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")
        >>> path = kt.motion.through(arm, [[0, 0], [1, 0.5]])
        >>> motion = kt.motion.retime(path, acceleration=4.0)
        >>> motion.times[-1].round(6)  # half of the way 0.5 rad with 4 rad/s², half with -4: 2 sqrt(1 / 4) s
        np.float64(1.0)
    """
    paths = [path] if isinstance(path, Path) else list(path)
    if not paths:
        return []
    for one in paths:
        if not isinstance(one, Path):
            raise wrong_type("path", f"a path is a {type(one).__name__}; expected kt.motion.Path or a list of them")
        if one.robot is not paths[0].robot:
            raise fail("path", "the paths are of different robots; expected paths of one robot")
        if position:
            check_inside(one)
        if not one.coefficients[:-1].any():
            raise fail("path", "the path stands still everywhere; expected one that moves")
    if not isinstance(points, (int, np.integer)) or points < 2:
        raise fail("retime", f"points is {points}; expected a whole number from 2")
    options = Options(velocity, acceleration, torque, payload, speed)
    if threads < 1:
        raise fail("threads", f"threads is {threads}; expected a whole number from 1")
    count = 2 * max((points + 1) // 2, *(len(one.s) - 1 for one in paths))
    lanes = min(LANES, -(-len(paths) // threads))
    parts = [paths[start : start + lanes] for start in range(0, len(paths), lanes)]
    from concurrent.futures import ThreadPoolExecutor  # not with each import of kinetree

    def timed(part: Sequence[Path]) -> list[Motion]:
        return _timed(part, count, options).motions(period)

    with ThreadPoolExecutor(threads) as pool:
        found = [motion for part in (map if threads == 1 else pool.map)(timed, parts) for motion in part]
    return found[0] if isinstance(path, Path) else found


def _timed(paths: Sequence[Path], count: int, options: Options) -> Timing:
    """Return the fastest motions along some paths, each of `count` intervals."""
    robot = paths[0].robot
    followers = followers_of(robot)
    pieces = pieces_of(paths)
    grid = grid_of(pieces, count)
    at, step = along(robot, followers, pieces, grid), grid.step
    limited = checked_limits(robot, limited_by(robot, followers, options), at)
    torques = torques_of(limited, at)
    at, limited = _with_speeds(robot, at, limited, options.speed or {})
    try:
        x, part = _best(limited, at, torques, grid)
    except StuckError as stuck:
        raise reason(stuck, paths[stuck.path], at, grid, stuck.path, limited, followers) from None
    if (still := np.argwhere(x[1:] + x[:-1] <= 0.0)).size:
        i, k = still[0]
        where = number(s_of(paths[k], grid, i, k), 6)
        raise fail("retime", f"the limits leave no speed at s = {where}", fix="larger limits, or another path")
    for _ in range(SLOWED if limited.is_damped and torques else 0):  # slower, braking may bear less of a damper's part
        again = slowing(limited, at, torques, x * part**2, step).min(axis=0)
        part = part * again
        if again.min() >= 1.0 - 1e-9:
            break
    if part.min() <= 0.0:
        message = "a motor can bear the weight at the points of the path, but not everywhere between them"
        raise fail("retime", message, fix="a larger torque=, or another path; in Python, more points=")
    return Timing(paths, grid, at, x * part**2)


def _with_speeds(robot: Robot, at: Along, limited: Limited, speeds: Mapping[str, float]) -> tuple[Along, Limited]:
    """Return paths and limits with the distance that the origin of each frame goes as one more coordinate."""
    for frame, most in speeds.items():
        way = np.linalg.norm(velocity_of(robot, frame)(at.q, at.first[..., : robot.nv])[..., :3], axis=-1)[..., None]
        if not (isinstance(most, (int, float, np.number)) and most > 0) or isinstance(most, bool):
            raise fail("retime", f"speed of {frame!r} is {most!r}; expected a number above 0, m/s")
        first, second = np.append(at.first, way, axis=-1), np.append(at.second, 0.0 * way, axis=-1)
        own = [np.append(bound, one) for bound, one in zip(limited[:3], (most, np.inf, np.inf), strict=True)]
        at = at._replace(first=first, second=second)
        limited = limited._replace(velocity=own[0], acceleration=own[1], deceleration=own[2])
    return at, limited


def _best(limited: Limited, at: Along, torques: Torques | None, grid: Grid) -> tuple[Array, Array]:
    """Return the squares x (n + 1, p) of the speed of the fastest motions found, and the part (p,) of the speed at
    which limits hold between the points, too."""
    n, p = grid.step.shape
    rest, x, floor, ease = np.arange(p), np.zeros((n + 1, p)), np.zeros((n + 1, p)), np.ones((n, p))
    part, least = np.ones(p), np.full(p, np.inf)
    for k in range(EASED + 1):
        step, own, pull = grid.step, at, torques
        if k:
            step, own, pull = step[:, rest], at.of(rest), torques and torques.of(rest)
        try:
            found = _profile(limited, own, pull, step, grid.stops[:, rest], ease[:, rest], floor[:, rest])
        except StuckError as stuck:
            if not k:
                raise
            rest = np.delete(rest, stuck.path)  # what it had before is kept
        else:
            share, speed = slowing(limited, own, pull, found, step), np.sqrt(found)
            slowest = share.min(axis=0)
            with np.errstate(divide="ignore"):
                duration = (step / (speed[1:] + speed[:-1])).sum(axis=0) / np.where(slowest > 0.0, slowest, 1e-300)
            better = duration < least[rest] if k else np.ones(p, bool)
            to = rest[better]
            x[:, to], part[to], least[to] = found[:, better], slowest[better], duration[better]
            ease[:, rest] *= share**2
            lift = np.where(grid.stops[1:-1, rest] | (found[1:-1] > 0.0), 0.0, np.maximum(found[:-2], found[2:]))
            floor[1:-1, rest] += LIFTED * lift
            rest = rest[(slowest < CLOSE) | np.isinf(duration)]
        if not rest.size:
            break
    return x, part


def limited_by(robot: Robot, followers: Sequence[Follower], options: Options) -> Limited:
    """Return the limits of a robot, and the kernel of its torques if they count."""
    velocity = bounds_of(robot, followers, "velocity", options.velocity, "velocity")
    acceleration = bounds_of(robot, followers, "acceleration", options.acceleration, "acceleration")
    deceleration = bounds_of(robot, followers, "acceleration", options.acceleration, "deceleration")
    deceleration = np.where(np.isfinite(deceleration), deceleration, acceleration)
    torque = bounds_of(robot, (), "torque", options.torque, "effort")
    if options.torque is False:
        if options.payload:
            raise fail("payload", "a payload changes torques alone; expected torque=True with payload=")
        return Limited(velocity, acceleration, deceleration, torque, None, False)
    check_masses(robot)  # a payload alone would hide that there are none
    loaded = with_payload(robot, options.payload or {})
    damped = any(row.damping for joint in robot.joints.values() for row in joint.dynamics)
    return Limited(velocity, acceleration, deceleration, torque, inverse_dynamics(loaded), damped)


def checked_limits(robot: Robot, limited: Limited, at: Along) -> Limited:
    """Return the limits of velocity and acceleration that count, those of coordinates that move on some path; raise
    KinetreeError for joints that move without a limit of acceleration or torque."""
    nv = robot.nv
    some = np.abs(at.first).max(axis=(0, 1, 2)) > 0.0
    moves = some[:nv]
    free = moves & np.isinf(limited.acceleration[:nv]) & np.isinf(limited.torque)
    check_moving(robot, "velocity", limited.velocity, moves)
    check_moving(robot, "acceleration", limited.acceleration, moves)
    if free.any():
        names = listed(name for name, is_free in zip(robot.velocity_names, free, strict=True) if is_free)
        message = f"no limit of acceleration or torque for {names}, without which a motion could be infinitely fast"
        fix = "pass acceleration=, such as 5, or torque=True; in Python, also numbers by name"
        raise fail("retime", message, fix=fix)
    velocity, up, down = (np.where(some, x, np.inf) for x in limited[:3])
    return limited._replace(velocity=velocity, acceleration=up, deceleration=down)


def _profile(
    limited: Limited, at: Along, torques: Torques | None, step: Array, stops: Array, ease: Array, floor: Array
) -> Array:
    """Return the squares x (n + 1, p) of the largest speed at the ends of all intervals, from `floor`; ease: see
    `rows_of`."""
    most = _most(limited, at, stops)
    top, speed, x = most, [], most
    if limited.is_damped and torques:
        gentle = gentle_speed(limited, torques)[::2]
    for growth in ROUNDS if limited.is_damped else ROUNDS[:1]:
        if limited.is_damped:
            if growth < FREE:
                top = np.where(stops, 0.0, np.minimum(most, growth * x))
            pace, largest = (np.stack([one[:-1], one[1:]]) for one in (x, top))
            pace = np.maximum(np.sqrt(pace), 1e-3 * gentle) if growth < FREE else gentle
            speed = [pace, np.where(largest < FREE, np.sqrt(largest), 0.0)]
        rows, bounds = rows_of(limited, at, torques, step, ease, speed)
        least, upper = floor.copy(), top.copy()
        for k, ends in enumerate((slice(-1), slice(1, None))):
            np.maximum(least[ends], bounds[k, ..., 0], out=least[ends])
            np.minimum(upper[ends], bounds[k, ..., 1], out=upper[ends])
        lane = 0 if rows.shape[2] == 1 else slice(None)  # calls of kernels with single arrays are faster
        x = fastest(rows[:, :, lane], step[:, lane], least[:, lane], upper[:, lane]).reshape(most.shape)
    return x


def _most(limited: Limited, at: Along, stops: Array) -> Array:
    """Return the largest squares x (n + 1, p) of the speed that velocities and stops allow."""
    most, counted = np.full(stops.shape, FREE), list(limited.counted.velocity)
    if counted:
        share = np.abs(at.first[::2, ..., counted] / limited.velocity[counted]).max(axis=-1)
        with np.errstate(divide="ignore", over="ignore"):
            share = 1.0 / share**2
        most[:-1], most[1:] = np.minimum(most[:-1], share[0]), np.minimum(most[1:], share[1])
    return np.where(stops, 0.0, most)
