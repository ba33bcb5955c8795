"""Comparison of recorded transforms with those of a model at the same times, and causes: changes of it, tried alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from kinetree.display import number
from kinetree.errors import fail
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.base import POSES, TF, TF_STATIC, Poses, floating_joint, of_joint, poses_of
from kinetree.logs.ros.measured import Motions
from kinetree.logs.ros.motion import recording
from kinetree.model.mimic import resolve_mimic
from kinetree.model.robot import Robot
from kinetree.queries.motion import fk
from kinetree.queries.transforms import transforms
from kinetree.spatial import Array, se3
from kinetree.trajectories.motion import STILL, Motion, angular, filled, motion_of

SAMPLES = 400
"""Number of transforms of a pair of frames with which causes are tried."""
EXPLAINED = 0.02
"""Largest part of the largest difference that a cause leaves."""
LONGEST, STEP = 1.0, 0.005
"""Largest delay that is tried, and least step between two, s."""
UNKNOWN = 1e30
"""Error of a delay for which most joint values are unknown."""
MOST_CAUSES = 3


@dataclass(frozen=True, eq=False)
class Pair:
    """Recorded poses T (n, 4, 4) of a frame in its parent at times (n,), and the motion of the robot."""

    robot: Robot
    motions: Motions
    frame: str
    parent: str
    times: Array
    T: Array

    def some(self, most: int) -> "Pair":
        """Return the pair with at most so many of its poses."""
        rows = np.unique(np.linspace(0, len(self.times) - 1, min(most, len(self.times))).astype(int))
        return Pair(self.robot, self.motions, self.frame, self.parent, self.times[rows], self.T[rows])

    def model(self, q: Array) -> Array:
        """Return the poses (n, 4, 4) that the model has at q (n, nq)."""
        return np.asarray(fk(self.robot, self.frame, base=self.parent)(q))

    def coordinates(self) -> dict[int, float]:
        """Return the coordinates that move the frame in its parent, and the multiplier of a joint that follows each."""
        links = (self.robot.frames[name].link for name in (self.frame, self.parent))
        chains = [{joint.name for joint in self.robot.joints_to(link) if joint.kind.nq} for link in links]
        leaders = {leader: m for leader, m, _ in (resolve_mimic(self.robot, name) for name in chains[0] ^ chains[1])}
        names = [name for name in self.robot.joint_names for _ in self.robot.joints[name].kind.coordinates]
        return {i: leaders[name] for i, name in enumerate(names) if name in leaders}

    def singles(self) -> list[tuple[int, float]]:
        """Return those coordinates that are of joints with one coordinate."""
        names = self.robot.coordinate_names
        return [(i, multiplier) for i, multiplier in self.coordinates().items() if names[i] in self.robot.joints]


def deviation(T: Array, other: Array) -> Array:
    """Return the distances (n, 2) between poses (n, 4, 4), in mm and deg."""
    mm = 1e3 * np.linalg.norm(T[:, :3, 3] - other[:, :3, 3], axis=1)
    apart = np.linalg.norm(T[:, :3, :3] - other[:, :3, :3], axis=(1, 2))  # 2 sqrt(2) sin(angle / 2)
    return np.stack([mm, np.rad2deg(2 * np.arcsin(np.clip(apart / np.sqrt(8), 0, 1)))], -1)


def causes(pair: Pair, tolerance: tuple[float, float], delays: list[float]) -> tuple[str, ...]:
    """Return the causes, at most MOST_CAUSES, each of which explains the differences alone, the simplest first.

    tolerance: in mm and deg. delays: those found before, in s, which are tried first; a new one is added.
    """
    pair = pair.some(SAMPLES)
    q = pair.motions.at(pair.times)
    T = pair.model(q)

    def left(poses: Array, rows: Any = slice(None)) -> float:
        return float((deviation(poses[rows], pair.T[rows]) / tolerance).max())

    most = max(1.0, EXPLAINED * left(T))

    def fitting(tried: Iterator[tuple[str, Array]]) -> list[str]:
        return [text for text, poses in tried if left(poses) <= most]

    constant = fitting(_shifts(pair, q, T)) or fitting(_offsets(pair, T))[:1]
    return tuple([*constant, *fitting(_joints(pair, q)), *_delay(pair, q, left, most, delays)][:MOST_CAUSES])


def _shifts(pair: Pair, q: Array, T: Array) -> Iterator[tuple[str, Array]]:
    """Yield joints that turn or slide by a constant more."""
    turn = float(np.linalg.norm(se3.rotation_vectors(T[0, :3, :3].T @ pair.T[0, :3, :3])))
    slide = float(np.linalg.norm(pair.T[0, :3, 3] - T[0, :3, 3]))
    for i, multiplier in pair.singles():
        is_angle = angular(pair.robot)[i]
        for shift in np.array([1.0, -1.0]) * (turn if is_angle else slide) / max(abs(multiplier), 1e-6):
            size = f"{number(float(np.rad2deg(shift)))} deg" if is_angle else f"{number(1e3 * float(shift))} mm"
            text = f"joint {pair.robot.coordinate_names[i]} with its zero moved by {size}"
            yield text, pair.model(_with(q, i, q[:, i] + shift))


def _offsets(pair: Pair, T: Array) -> Iterator[tuple[str, Array]]:
    """Yield constant poses before the frame and behind it."""
    before, after = pair.T[0] @ se3.inverse(T[0]), se3.inverse(T[0]) @ pair.T[0]
    yield f"a constant offset of {_pose_text(before)} in the axes of {pair.parent}", before @ T
    yield f"a constant offset of {_pose_text(after)} in the axes of {pair.frame}", T @ after


def _joints(pair: Pair, q: Array) -> Iterator[tuple[str, Array]]:
    """Yield joints that move the other way, or as another joint does."""
    names, turning = pair.robot.coordinate_names, angular(pair.robot)
    for i, _ in pair.singles():
        yield f"joint {names[i]} with the other sign", pair.model(_with(q, i, -q[:, i]))
        for k in np.flatnonzero(np.ptp(q, axis=0) > STILL):
            if k != i and turning[k] == turning[i]:
                yield f"the values of joint {names[k]} instead of {names[i]}", pair.model(_with(q, i, q[:, k]))
                other = f"the values of joint {names[k]}, with the other sign, instead of {names[i]}"
                yield other, pair.model(_with(q, i, -q[:, k]))


def _delay(pair: Pair, q: Array, left: Callable[..., float], most: float, delays: list[float]) -> Iterator[str]:
    """Yield the delay of the stamps, if one explains the differences."""
    own = [i for i in pair.coordinates() if np.ptp(q[:, i]) > STILL]
    if not own:
        return

    def error(delay: float) -> float:
        late, rows = q.copy(), pair.motions.known(pair.times - delay)
        if 2 * rows.sum() < len(rows):
            return UNKNOWN
        for i in own:
            late[:, i] = pair.motions.column(i, pair.times - delay)
        return left(pair.model(late), rows)

    step = max(STEP, pair.motions.step)
    best = min(delays, key=error, default=0.0)
    if error(best) > most:
        best = min(np.arange(-LONGEST, LONGEST + step / 2, step), key=error)
        fine = minimize_scalar(error, bounds=(best - step, best + step), method="bounded", options={"xatol": 1e-5})
        best = float(fine.x if fine.fun < error(best) else best)
    if error(best) <= most and abs(best) > STEP / 10:
        if best not in delays:
            delays.append(best)
        yield f"stamps that are {number(abs(best))} s {'late' if best > 0 else 'early'}"


def _with(q: Array, column: int, values: Array) -> Array:
    changed = q.copy()
    changed[:, column] = values
    return changed


def _pose_text(T: Array) -> str:
    """Return a pose as a text: x, y, z in mm, and the rotation vector in deg, if they are not zero."""
    parts = (1e3 * T[:3, 3], "mm"), (np.rad2deg(se3.rotation_vectors(T[:3, :3])), "deg")
    said = [f"({', '.join(number(x) for x in np.round(v, 6))}) {unit}" for v, unit in parts if np.abs(v).max() > 1e-4]
    return " and ".join(said) or "nothing"


@dataclass(frozen=True, slots=True)
class Difference:
    """Recorded transform that differs from the model's.

    mm, deg: the largest differences. first, last: times in s from the first sample of the joint values between which
    differences are above the tolerance. differing, samples: how many transforms differ, and are compared. causes: what
    explains the differences, each alone.
    """

    frame: str
    parent: str
    mm: float
    deg: float
    first: float
    last: float
    differing: int
    samples: int
    causes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Comparison of the transforms of a bag with those of a model.

    compared: how many frames in their parents are compared. differences: those that differ. torn: frames with several
    parents in the bag, and these. missing: frames of the model that the bag lacks. unknown: frames and parents in the
    bag that are not both of the model, and how many transforms of them. valueless: frames that are not compared,
    because the bag has no values of a joint that moves them in their parents. untimed: frames that are not compared,
    because no joint values are near any of their transforms. outside: how many transforms are not compared for this
    reason. motion: the joint values of the bag.
    """

    compared: int
    differences: Sequence[Difference]
    torn: Mapping[str, Sequence[str]]
    missing: Sequence[str]
    unknown: Mapping[tuple[str, str], int]
    valueless: Sequence[str]
    untimed: Sequence[str]
    outside: int
    motion: Motion


def compared(
    robot: Robot, file: Path, tolerance: tuple[float, float], joints: str | None = None, odometry: str | None = None
) -> Comparison:
    """Return the comparison of the transforms in a bag with those of a robot.

    tolerance: in mm and deg. joints, odometry: topics. The pose of a floating base is compared with odometry, if the
    bag has it. Raises KinetreeError for a bag that cannot be read, or has no transforms.
    """
    found = recording(robot, file, joints, odometry, also=POSES)
    motion, floating = motion_of(robot, found.columns, "rad"), floating_joint(robot)
    base = (robot.q_slices[floating.name], of_joint(floating, found.base)) if floating and found.base else None
    motions = Motions(found.stamps, filled(robot, motion, robot.q()), base)
    known = {i for i, name in enumerate(robot.coordinate_names) if name in motion.names}
    recorded = [*_recorded(robot, found.topics, TF), *_recorded(robot, found.topics, TF_STATIC)]
    if not recorded:
        raise fail("topic", f"{file.name} has no transforms to compare; expected topics {TF} and {TF_STATIC}")
    skipped = floating.child if floating and (found.base is None or found.base.topic == TF) else None
    static = transforms(robot, which="static")
    constant = dict(zip(zip(static.names, static.parents, strict=True), static.T, strict=True))
    parents: dict[str, list[str]] = {}
    unknown: dict[tuple[str, str], int] = {}
    differences: list[Difference] = []
    delays: list[float] = []
    valueless: list[str] = []
    done: list[str] = []
    untimed: list[str] = []
    outside = 0
    for poses, is_static in recorded:
        parents.setdefault(poses.child, []).append(poses.parent)
        if not {poses.child, poses.parent} <= robot.frames.keys():
            unknown[poses.child, poses.parent] = len(poses.stamps)
        elif poses.child != skipped:
            pair = _pair(robot, motions, poses, is_static)
            if not pair.coordinates().keys() <= known:
                valueless.append(poses.child)
                continue
            outside += 0 if is_static else len(poses.stamps) - len(pair.times)
            (done if len(pair.times) else untimed).append(poses.child)
            T = constant.get((poses.child, poses.parent))
            differences += _differences(pair, T, is_static, tolerance, delays)
    torn = {child: sorted({*above}) for child, above in parents.items() if len({*above}) > 1}
    missing = [n for n in transforms(robot, motions.q[0]).names if n not in parents and n != skipped]
    untimed = [name for name in untimed if name not in done]
    return Comparison(len(done), differences, torn, missing, unknown, valueless, untimed, outside, motion)


def _recorded(robot: Robot, topics: Mapping[str, Topic], name: str) -> Iterator[tuple[Poses, bool]]:
    """Yield the transforms of a topic, and whether they are static."""
    if name in topics:
        for poses in poses_of(topics[name], lambda *frames: {*frames} <= robot.frames.keys()).values():
            yield poses, name == TF_STATIC


def _pair(robot: Robot, motions: Motions, poses: Poses, is_static: bool) -> Pair:
    """Return the poses at times for which joint values are known; a static one at all samples of these."""
    T = poses.T
    if is_static:
        times, T = motions.times, np.broadcast_to(T[-1], (len(motions.times), 4, 4))
    else:
        times = (poses.stamps - motions.start) / 1e9
        known = motions.known(times)
        times, T = times[known], T[known]
    return Pair(robot, motions, poses.child, poses.parent, times, T)


def _differences(
    pair: Pair, constant: Array | None, is_static: bool, tolerance: tuple[float, float], delays: list[float]
) -> Iterator[Difference]:
    """Yield the difference between recorded and model's transforms. constant: the model's, if no joint moves it."""
    if constant is not None and is_static:
        pair = pair.some(1)
    if not len(pair.times):
        return
    T = pair.model(pair.motions.at(pair.times)) if constant is None else np.tile(constant, (len(pair.times), 1, 1))
    off = deviation(T, pair.T)
    wrong = np.flatnonzero((off > tolerance).any(axis=1))
    if not len(wrong):
        return
    found = causes(pair, tolerance, delays)
    if is_static and constant is None and np.ptp(T, axis=0).max() > 1e-6:
        found = ("a static transform of a frame that joints move", *found)
    first, last = (float(pair.times[wrong[k]]) for k in (0, -1))
    mm, deg = (float(x) for x in off.max(axis=0))
    yield Difference(pair.frame, pair.parent, mm, deg, first, last, len(wrong), len(off), found)
