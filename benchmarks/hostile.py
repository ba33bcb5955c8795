"""Inverse kinematics where robots and limits are awkward: how many random reachable targets are solved.

    python benchmarks/hostile.py [--count 40] [--runs 1] [--quick]

A kind of robot is a chain of 1 to 9 joints whose types, axes, offsets (some zero, some 1e-9 m), ranges (wide, narrow,
tiny, of no width, one-sided, ±1e6, several turns) and rows of limits are drawn at random. Targets are poses of
configurations inside the limits: in the interior, with half of the joints at an end of their range, or with all of them
there. A target is solved if the interpreter places the frame of the answer within 1e-6 m and 1e-6 rad, and the answer
is inside all limits.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.model.limits import Limits
from machine import asked, describe

LENGTHS = range(1, 10)
TYPES = {"revolute": "r", "mixed": "rpc", "random": ""}
RANGES = ("wide", "narrow", "still", "huge", "one-sided", "turns", "any")
PLACES = ("interior", "limits", "corner")
TOLERANCE = 1e-6 * (1 + 1e-3)
FAR = 100.0
"""Longest way of a slide, m. Farther out, rounding of angles of 1e6 rad alone moves the frame by the tolerance."""
AXES = {
    "any": (0.5, 0.8),
    "square": (0.0, 0.8),
    "one point": (0.7, 0.9),
    "nearly one point": (0.7, 0.9),
    "flat": (0, 0),
}
"""Probability that an axis has any direction, and that or one along x, y or z; else it is the axis before it."""
OFFSETS = {
    "any": (1.0, 1.0, 0.0, 1e-9),
    "square": (1.0,),
    "one point": (0.0,),
    "nearly one point": (1e-9,),
    "flat": (1.0,),
}
"""Factors of the offsets from joint to joint, one drawn for each."""


@dataclass(frozen=True)
class Kind:
    """A kind of robot. types, ranges: of its joints. seed: of its numbers. rows: whether limits couple its joints."""

    joints: int
    types: str
    ranges: str
    seed: int
    rows: bool = False

    def __str__(self) -> str:
        rows = " and rows" if self.rows else ""
        return f"{self.joints} {self.types} joints, {self.ranges} ranges{rows}, seed {self.seed}"


def kinds() -> list[Kind]:
    """All 376 kinds."""
    every = [Kind(n, t, r, s) for s, n, t, r in product((0, 1), LENGTHS, TYPES, RANGES) if n > 1 or t != "mixed"]
    return every + [Kind(n, t, "any", 2, rows=True) for n, t in product((3, 5, 7, 9), TYPES)]


def ends_of(ranges: str, turns: bool, rng: np.random.Generator) -> tuple[float, float]:
    """Ends of the range of a joint, rad or m."""
    if ranges == "any":
        ranges = str(rng.choice(["wide", "narrow", "tiny", "still", "huge", "one-sided", "turns"]))
    if ranges == "still" and rng.random() < 0.5:
        ranges = "wide"
    unit = 1.0 if turns else 0.2
    middle, side = unit * rng.uniform(-2, 2), rng.random() < 0.5
    if ranges == "wide":
        return -unit * rng.uniform(1.5, 3.1), unit * rng.uniform(1.5, 3.1)
    if ranges == "one-sided":
        return (middle, np.inf) if side else (-np.inf, middle)
    if ranges in ("huge", "turns"):
        end = 1e6 if ranges == "huge" else float(rng.choice([2.0, 4.0])) * np.pi * unit
        return -end, end
    half = {"narrow": unit * rng.uniform(0.005, 0.2), "tiny": 5e-7, "still": 0.0}[ranges]
    return middle - half, middle + half


def robot_of(kind: Kind) -> tuple[kt.Robot, Limits]:
    """The robot of a kind, whose last frame is l1, l2 …, and its limits."""
    rng = np.random.default_rng([kind.seed, kind.joints, [*TYPES].index(kind.types), RANGES.index(kind.ranges)])
    letters = TYPES[kind.types] or "".join(rng.choice([*"rrpc"], kind.joints))
    shape = str(rng.choice([*AXES]))
    text, axis, ends = '<robot name="hostile"><link name="l0"/>', np.array([0.0, 0.0, 1.0]), []
    for i in range(kind.joints):
        letter = letters[i % len(letters)]
        choice = rng.random()
        if choice < AXES[shape][0]:
            axis = Rotation.random(random_state=rng).as_matrix()[0]
        elif choice < AXES[shape][1]:
            axis = np.eye(3)[rng.integers(3)]
        xyz = rng.uniform(-0.3, 0.3, 3) * rng.choice(OFFSETS[shape])
        ends.append((-np.inf, np.inf) if letter == "c" else ends_of(kind.ranges, letter == "r", rng))
        name = "prismatic" if letter == "p" else "continuous"
        text += f'<link name="l{i + 1}"/><joint name="j{i}" type="{name}"><parent link="l{i}"/><child link="l{i + 1}"/>'
        text += f'<origin xyz="{words(xyz)}"/><axis xyz="{words(axis)}"/>'
        text += '<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>'
    robot = kt.load(f"{text}</robot>", format="urdf")
    lower, upper = np.array(ends).T
    G = rng.normal(size=(2 * kind.rows, kind.joints))
    h = G @ np.clip(0.0, lower, upper) + rng.uniform(0.1, 1.0, len(G))
    return robot, Limits(robot.coordinate_names, lower, upper, G, h, ("a", "b")[: len(G)])


def words(x: np.ndarray) -> str:
    return " ".join(map(repr, x.tolist()))


def configurations(limits: Limits, slides: np.ndarray, place: str, count: int) -> np.ndarray:
    """Configurations inside the limits (count, n). slides (n,): which coordinates are in m. place: one of
    PLACES."""
    rng = np.random.default_rng(count)
    lower, upper = limits.lower, limits.upper
    low, high = (
        np.maximum(lower, np.minimum(-np.pi, upper - np.pi)),
        np.minimum(upper, np.maximum(np.pi, lower + np.pi)),
    )
    bounded = np.isfinite(lower) & np.isfinite(upper)
    low, high = np.where(bounded, lower, low), np.where(bounded, upper, high)
    low, high = np.where(slides, np.maximum(low, -FAR), low), np.where(slides, np.minimum(high, FAR), high)
    q = rng.uniform(low, high, (count, len(lower)))
    share = {"interior": 0.0, "limits": 0.5, "corner": 1.0}[place]
    ends = np.where(rng.random(q.shape) < 0.5, low, high)
    ends = np.where(np.isfinite(lower) & np.isfinite(upper), ends, np.where(np.isfinite(lower), lower, upper))
    ends = np.where(np.isfinite(ends), ends, q)
    return limits.project(np.where(rng.random(q.shape) < share, ends, q))


def solved(kind: Kind, count: int) -> tuple[dict[str, np.ndarray], float, int]:
    """Which targets of each place are solved (count,), the seconds taken, and how many answers are false."""
    robot, limits = robot_of(kind)
    frame = f"l{kind.joints}"
    ik, fk = kt.ik(robot, frame, limits=limits), kt.fk(robot, frame)
    slides = np.array([robot.joints[name].type == "prismatic" for name in robot.joint_names])
    q = np.concatenate([configurations(limits, slides, place, count) for place in PLACES])
    T = fk(q)
    start = time.perf_counter()
    result = ik(T) if kind.seed != 1 else ik(T, q0=np.roll(q, 1, axis=0))
    seconds = time.perf_counter() - start
    here = fk.interpret(result.q)
    off = np.linalg.norm(here[:, :3, 3] - T[:, :3, 3], axis=-1)
    turn = Rotation.from_matrix(np.swapaxes(here[:, :3, :3], -1, -2) @ T[:, :3, :3]).magnitude()
    right = (np.maximum(off, turn) <= TOLERANCE) & limits.contains(result.q)
    return dict(zip(PLACES, np.split(right, 3), strict=True)), seconds, int((result.success & ~right).sum())


def main() -> None:
    count, _ = asked(__doc__, 40, 1, 2)
    parts, worst, false, seconds = defaultdict(list), [], 0, 0.0
    for kind in kinds()[:: 8 if "--quick" in sys.argv else 1]:
        found, taken, wrong = solved(kind, count)
        for place, right in found.items():
            for part in ("all", place, f"{kind.joints} joints", f"{kind.ranges} ranges", f"{kind.types} joints"):
                parts[part].append(right.mean())
            if kind.rows:
                parts["rows"].append(right.mean())
        worst.append((float(np.mean([*found.values()])), str(kind), {p: f"{r.mean():.2f}" for p, r in found.items()}))
        false, seconds = false + wrong, seconds + taken
    print(f"{describe('kinetree', 'numpy', 'llvmlite')}\n{len(worst)} kinds, {3 * count} targets each\n")
    for part, shares in parts.items():
        print(f"{part:20} {100 * np.mean(shares):7.2f} % solved")
    print(f"\n{false} false answers; {seconds:.0f} s with compiling\n\nthe worst kinds:")
    for share, kind_name, places in sorted(worst)[:20]:
        print(f"{100 * share:7.2f} %  {kind_name}: {places}")


if __name__ == "__main__":
    main()
