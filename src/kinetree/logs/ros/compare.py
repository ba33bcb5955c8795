"""Comparison of recorded transforms with those of a model at the joint values of the same times."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinetree.errors import fail
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.base import TF, TF_STATIC, Poses, floating_joint, of_joint, poses_of
from kinetree.logs.ros.explain import Motions, Pair, causes, deviation
from kinetree.logs.ros.motion import recording
from kinetree.model.robot import Robot
from kinetree.queries.transforms import transforms
from kinetree.spatial.se3 import Array
from kinetree.trajectories.motion import Motion, filled, motion_of


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
    found = recording(robot, file, joints, odometry, keep_transforms=True)
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
