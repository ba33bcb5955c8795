"""Motions by which unknown numbers of a model are found best: sums of sines inside all limits.

Swevers, Ganseman, Tükel, De Schutter & Van Brussel, Optimal robot excitation and identification, 1997. Measurements
depend on r combinations of the numbers; of these a motion should determine the worst one as well as it can.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.contact.make import collisions
from kinetree.display import number
from kinetree.errors import Finding, KinetreeError, fail, unknown_name
from kinetree.model.robot import Robot
from kinetree.queries.dynamics import inertial_regressor, inverse_dynamics
from kinetree.queries.motion import fk
from kinetree.spatial.plucker import motion_transform
from kinetree.spatial.se3 import Array
from kinetree.trajectories.bounds import Bounds, bounds_of, followers_of
from kinetree.trajectories.check import check
from kinetree.trajectories.motion import Motion
from kinetree.trajectories.timing import samples

KINDS = ("inertia", "friction", "geometry")
K = np.arange(1.0, 6.0)
"""Harmonics."""
SAMPLES = 100
"""Number of samples by which candidates are compared."""
WIDE = np.pi
"""How far a joint without limits goes to each side, rad or m."""
INSIDE, SMALLER, STEPS = 0.98, 0.8, 12
"""Share of each limit that is used, for rates between samples are a little higher; the factor by which a motion shrinks
that is beyond torques or limits of several joints, or in contact; and how often."""
REST = 1e-9
"""Rates below are zero but for rounding, so they have no sign, rad/s or m/s."""
LEAST = 1e-8
"""Smallest singular value of a combination, beside the largest one, on which measurements depend."""

Rates = tuple[Array, Array, Array]  # q, qd, qdd (n, nq)
Box = tuple[Array, Array]  # lower, upper (nq,)


class _Sines(NamedTuple):
    """Amplitudes (2, 5, nq) of sines and cosines, and the configuration (nq,) in which the motion begins and ends."""

    amplitudes: Array
    start: Array

    def at(self, t: Array, duration: float) -> Rates:
        """Return q, qd and qdd at times t (n,); the rates are 0 at both ends."""
        a, b = self.amplitudes
        a, b = a - np.outer(K, K @ a) / (K @ K), b - np.outer(K**2, K**2 @ b) / (K**2 @ K**2)
        w = 2 * np.pi / duration * K
        s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
        return self.start + s @ a + (c - 1) @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b


@explain_type_errors
def excite(
    robot: Robot,
    unknown: Collection[str] = ("inertia", "friction"),
    *,
    frame: str | None = None,
    duration: float = 10.0,
    period: float = 0.01,
    velocity: Bounds = True,
    acceleration: Bounds = True,
    torque: Bounds = True,
    clearance: float | None = 0.0,
    tries: int = 200,
    seed: int = 0,
) -> Motion:
    """Return a motion inside all limits whose log determines unknown numbers of a model well, with qd and qdd.

    It begins and ends at rest in one configuration, so that it can be repeated. A note has how many combinations of the
    numbers it determines, and the ratio of the best determined one to the worst (condition number); others have what
    could not be checked. Joints without limits of position go up to pi, rad or m, to each side of neutral.

    unknown: "inertia" and "friction" (with armature), which torques show; "geometry" (zeros, lengths and poses of
    joints), which poses of `frame` show. duration, s, is cut into equal periods of at most `period`. velocity,
    acceleration, torque: limits as in `kt.motion.retime`, but 0 in the model counts as unknown. clearance: distance of
    links to be kept, m; None for no test. tries: how many motions are compared.

    Raises KinetreeError for robots with joints of several coordinates, and if no motion is inside the limits.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4) Rx(q2) ty(0.3)")
        >>> motion = kt.motion.excite(arm, ["geometry"], frame="tip", duration=4, clearance=None, tries=20)
        >>> print(motion.notes[0].message)
        the motion determines 14 combinations of the unknown numbers, with a condition number of 2.2
    """
    _check(robot, unknown, frame, duration, period, tries, seed)
    count, frame = samples(duration, period), robot.frames[frame].name if frame is not None else None
    given = {"velocity": velocity, "acceleration": acceleration, "torque": torque}
    limits = [_bounds(robot, option, bound) for option, bound in given.items()]
    rng, box, t = np.random.default_rng(seed), _box(robot), np.linspace(0.0, duration, SAMPLES, endpoint=False)
    may, seen = _allowed(robot, limits[2], clearance), _seen(robot, unknown, frame, limits[2], box, rng)
    best, value = None, np.array([0.0])
    for i in range(tries):
        one = _inside(_drawn(box, rng, None if i < tries // 2 else best), box, limits, duration, may, t)
        if one and (found := seen(one.at(t, duration)))[-1] > max(value[-1], LEAST * found[0]):
            best, value = one, found
    if best is None:
        what = f"none of {tries} motions is inside the limits and determines all combinations of the unknown numbers"
        raise fail("excite", what, fix="a longer duration=, or more tries=")
    times = np.linspace(0.0, duration, count + 1)
    for _ in range(STEPS):
        q, qd, qdd = best.at(times, duration)
        motion = Motion(robot.coordinate_names, times, q, robot=robot, qd=qd, qdd=qdd)
        faults = check(motion, velocity=velocity, acceleration=acceleration, torque=torque, clearance=clearance)
        if all(one.severity == "info" for one in faults):
            break
        best = best._replace(amplitudes=SMALLER * best.amplitudes)
    else:
        raise fail("excite", f"the motion is not inside the limits: {faults[0].message}")
    value = seen(best.at(t, duration))
    ratio = number(value[0] / value[-1], 2)
    text = f"the motion determines {len(value)} combinations of the unknown numbers, with a condition number of {ratio}"
    return replace(motion, notes=(Finding("excitation", "info", text), *faults))


def _check(
    robot: Robot, unknown: Collection[str], frame: str | None, duration: float, period: float, tries: int, seed: int
) -> None:
    if isinstance(unknown, str) or not unknown:
        raise fail("excite", f"unknown is {unknown!r}; expected a list of some of {', '.join(KINDS)}")
    for name in unknown:
        if name not in KINDS:
            raise unknown_name("kind of numbers", name, KINDS)
    if "geometry" in unknown and frame is None:
        raise fail("excite", "geometry is found by poses of a frame", fix='pass frame=, such as "tool0"')
    several = [name for name in robot.joint_names if not robot.joints[name].kind.single]
    if several or not (robot.limits.lower < robot.limits.upper).any():
        what = f"joint {several[0]!r} has several coordinates" if several else "no joint moves"
        raise fail("excite", f"{what}; expected joints that turn or slide", fix="cut out an arm with kt.edit.cut")
    if robot.limits.impossible:
        raise fail("empty", "no configuration fulfils this limit", element=f"limit {robot.limits.impossible!r}")
    if not (0 < period <= duration / 20 < np.inf and tries >= 1 and seed >= 0):
        legal = "a period of at most a twentieth of the duration, s, at least one try, and a seed from 0"
        raise fail("excite", f"duration={duration}, period={period}, tries={tries}, seed={seed}; expected {legal}")


def _bounds(robot: Robot, option: str, given: Bounds) -> Array:
    """Return the bounds (nv,) of rates, below which joints that follow by a factor keep theirs, too."""
    followers = followers_of(robot)
    bound = bounds_of(robot, followers, option, given, "effort" if option == "torque" else option)
    bound = np.where(bound > 0, bound, np.inf)
    for one, most in zip(followers, bound[robot.nv :], strict=True):
        if option != "torque" and len(one.coefficients) == 2 and one.coefficients[1]:
            bound[one.leader] = min(bound[one.leader], most / abs(one.coefficients[1]))
    return bound[: robot.nv]


def _box(robot: Robot) -> Box:
    """Return where the coordinates may be; joints without limits turn by half a turn to each side of neutral."""
    lower, upper, neutral = robot.limits.lower, robot.limits.upper, robot.q()
    lower = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * WIDE, neutral - WIDE))
    return lower, np.where(np.isfinite(upper), upper, lower + 2 * WIDE)


def _drawn(box: Box, rng: np.random.Generator, near: _Sines | None) -> _Sines:
    """Return any sines, or some near those that are best so far."""
    lower, upper = box
    step = 1.0 if near is None else 10.0 ** rng.uniform(-2.0, 0.0)
    middle, before = ((lower + upper) / 2, 0.0) if near is None else (near.start, near.amplitudes)
    start = middle + step * rng.uniform(-0.25, 0.25, len(lower)) * (upper - lower)
    size = step * (upper - lower) / 4
    return _Sines(before + size * rng.normal(size=(2, len(K), len(lower))), start.clip(lower, upper))


def _inside(
    one: _Sines, box: Box, limits: list[Array], duration: float, may: Callable[[Rates], bool], t: Array
) -> _Sines | None:
    """Return sines as large as the limits of each joint let them be, and smaller where torques or others forbid."""
    (lower, upper), (q, qd, qdd) = box, one.at(t, duration)
    with np.errstate(divide="ignore"):
        most = np.min(
            [
                (upper - one.start) / (q - one.start).max(axis=0).clip(1e-12),
                (one.start - lower) / (one.start - q).max(axis=0).clip(1e-12),
                limits[0] / np.abs(qd).max(axis=0),
                limits[1] / np.abs(qdd).max(axis=0),
            ],
            axis=0,
        )
    one = one._replace(amplitudes=one.amplitudes * INSIDE * most)
    for _ in range(STEPS):
        if may(one.at(t, duration)):
            return one
        one = one._replace(amplitudes=SMALLER * one.amplitudes)
    return None


def _allowed(robot: Robot, torque: Array, clearance: float | None) -> Callable[[Rates], bool]:
    """Return what decides whether samples are inside the limits of torques and of several joints, and apart."""
    try:
        contact = None if clearance is None else collisions(robot, margin=clearance)
    except KinetreeError as error:
        if error.findings[0].code not in ("contact-shape", "contact-pairs", "margin"):
            raise
        contact = None  # which `check` reports
    weighed = any(link.inertial or link.unweighed for link in robot.links.values())
    dynamics = inverse_dynamics(robot) if weighed and np.isfinite(torque).any() else None

    def may(rates: Rates) -> bool:
        fits = bool(robot.limits.contains(rates[0]).all())
        if fits and dynamics:
            fits = bool((np.abs(dynamics(*rates)) <= INSIDE * torque).all())
        return fits and not (contact and np.asarray(contact(rates[0][::4])).any())

    return may


def _seen(
    robot: Robot, unknown: Collection[str], frame: str | None, torque: Array, box: Box, rng: np.random.Generator
) -> Callable[[Rates], Array]:
    """Return what gives the singular values of samples, largest first: how well each combination is determined.

    Columns are in units of their size over random samples, and torques in shares of the limits, where there are some.
    """
    columns = _columns(robot, unknown, frame, 1.0 / np.where(np.isfinite(torque), torque, 1.0))
    q = rng.uniform(*box, (SAMPLES, robot.nq))
    any_ = columns((q, *((box[0] < box[1]) * rng.normal(size=(2, SAMPLES, robot.nv)))))
    size = np.linalg.norm(any_, axis=0)
    size[size < LEAST * size.max()] = np.inf
    _, values, V = np.linalg.svd(any_ / size, full_matrices=False)
    base = V[values > LEAST * values[0]].T / size[:, None]

    def seen(rates: Rates) -> Array:
        W = columns(rates) @ base
        squares = np.linalg.eigvalsh(W.T @ W)[::-1]  # ten times as quick as the singular values of W
        return np.asarray(np.sqrt(squares.clip(1e-300)))

    return seen


def _columns(robot: Robot, unknown: Collection[str], frame: str | None, share: Array) -> Callable[[Rates], Array]:
    """Return what gives the columns (m, c) by which measurements change with the unknown numbers."""
    regressor = inertial_regressor(robot) if "inertia" in unknown else None
    places = [robot.root, *(robot.joints[name].child for name in robot.placed if robot.joints[name].kind.nv)]
    poses = [fk(robot, place, base=frame) for place in places] if frame and "geometry" in unknown else []

    def columns(rates: Rates) -> Array:
        (q, qd, qdd), parts = rates, list[Array]()
        if regressor:
            parts.append(regressor(q, qd, qdd) * share[:, None])
        if "friction" in unknown:
            moving = np.where(np.abs(qd) > REST, np.sign(qd), 0.0)
            parts += [x[..., None] * np.diag(share) for x in (qd, moving, qdd)]
        found = [np.concatenate(parts, axis=-1).reshape(q.shape[0] * robot.nv, -1)] if parts else []
        if poses:
            seen = np.concatenate([motion_transform(np.asarray(pose(q))) for pose in poses], axis=-1)
            found.append(seen.reshape(-1, seen.shape[-1]))
        width = [part.shape[1] for part in found]
        return np.vstack([np.pad(own, ((0, 0), (sum(width[:i]), sum(width[i + 1 :])))) for i, own in enumerate(found)])

    return columns
