"""Inverse kinematics beside its peers, on random targets that can be reached.

    python benchmarks/ik.py [--count 10000] [--runs 3]

Every peer is called as its documentation says is best, one core, from Python. A target is solved if the answer's pose,
by Kinetree's interpreter, is within 1e-6 m and 1e-6 rad, and no joint is outside of its limits by more than 1e-6. Peers
take turns on portions of the targets, so that they meet the same machine; times are means over all targets, solved or
not, of the best run.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory

from machine import ONE_THREAD, asked, cores, describe, stay_on

os.environ.update(ONE_THREAD)

import numpy as np
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.model.assemble import build, parts_of

PORTION = 250
TOLERANCE = 1e-6 * (1 + 1e-6)
Solve = Callable[[np.ndarray], np.ndarray]


@dataclass
class Arm:
    """frame and base of a robot's file, and its limits besides."""

    name: str
    path: Path
    frame: str
    base: str
    limits: str | None = None


@dataclass
class Peer:
    """solve: poses (n, 4, 4) to joints (n, n_joints) in the order of names; most: at most so many targets."""

    name: str
    solve: Solve
    names: tuple[str, ...]
    most: int
    seconds: float = 0.0
    asked: int = 0
    solved: int = 0
    found: list[np.ndarray] = field(default_factory=list)


def arms() -> list[Arm]:
    robots = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
    import icub_models

    genova = next(
        Path(p) for p in Path(icub_models.__file__).parents[4].glob("share/iCub/robots/iCubGenova02/model.urdf")
    )
    return [
        Arm("UR5", robots / "ur_description/urdf/ur5_robot.urdf", "ee_link", "base_link"),
        Arm("Panda", robots / "panda_description/urdf/panda.urdf", "panda_link8", "panda_link0"),
        Arm(
            "Kinova j2s6, offset wrist",
            robots / "kinova_description/robots/kinova.urdf",
            "j2s6s200_end_effector",
            "base",
        ),
        Arm("iCub, arm and torso", genova, "l_hand", "root_link"),
        Arm("iCub, arm with tendons", genova, "l_hand", "chest", "tendons"),
    ]


def peers(arm: Arm, robot: kt.Robot, count: int) -> list[Peer]:
    solver = kt.ik(robot, arm.frame, arm.base)
    names = solver.coordinate_names
    every = robot.coordinate_names

    def one_by_one(T: np.ndarray) -> np.ndarray:
        return np.array([solver(target).q for target in T])

    found = [
        Peer("Kinetree, batch", lambda T: solver(T).q, every, count),
        Peer("Kinetree, one by one", one_by_one, every, min(count, 2000)),
    ]
    if arm.limits:
        return found  # nobody else knows limits over several joints
    for make in (_trac_ik, _eaik):
        try:
            found += make(arm, robot, names)
        except ImportError as error:
            print(f"  {error}; not measured", file=sys.stderr)
    return found


def _trac_ik(arm: Arm, robot: kt.Robot, names: tuple[str, ...]) -> list[Peer]:
    """TRAC-IK (PyPI's pytracik): 50 ms, 1e-7, begun in the middle of the ranges.

    It takes soft limits for the limits, which some files have at zero: so it gets a file without them.
    """
    from trac_ik import TracIK

    parts = parts_of(robot)
    parts.joints = [replace(joint, safety=None) for joint in parts.joints]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "arm.urdf"
        kt.save(build(parts), path, without=("group", "sensor", "extension"))
        peer = TracIK(arm.base, arm.frame, str(path), timeout=0.05, epsilon=1e-7, solver_type="Speed")
    columns = [robot.coordinate_names.index(name) for name in names]
    middle = (np.clip(robot.limits.lower, -np.pi, None) + np.clip(robot.limits.upper, None, np.pi))[columns] / 2

    def solve(T: np.ndarray) -> np.ndarray:
        found = [peer.ik(target[:3, 3], target[:3, :3], seed_jnt_values=middle) for target in T]
        return np.array([np.full(len(names), np.nan) if q is None else q for q in found])

    return [Peer("TRAC-IK, 50 ms, 1e-7", solve, names, 300)]


def _eaik(arm: Arm, robot: kt.Robot, names: tuple[str, ...]) -> list[Peer]:
    """EAIK: all closed-form solutions, one exact and inside the limits chosen in Python; arms of six joints only."""
    from eaik.IK_URDF import UrdfRobot

    if arm.name != "UR5":
        return []
    peer, T0 = UrdfRobot(str(arm.path)), kt.fk(robot, arm.frame, arm.base)(robot.q())
    columns = [robot.coordinate_names.index(name) for name in names]
    to_end = np.linalg.inv(np.linalg.inv(np.asarray(peer.fwdKin(np.zeros(6)))) @ T0)
    lower, upper = robot.limits.lower[columns], robot.limits.upper[columns]

    def chosen(solution: object) -> np.ndarray:
        q, rough = np.asarray(solution.Q), np.asarray(solution.is_LS)
        if not len(q):
            return np.full(6, np.nan)
        q = q[~rough] if (~rough).any() else q
        q = np.where(q < lower, q + 2 * np.pi, np.where(q > upper, q - 2 * np.pi, q))
        inside = ((q >= lower) & (q <= upper)).all(axis=1)
        return q[inside.argmax()]

    return [
        Peer("EAIK, all and choose", lambda T: np.array([chosen(peer.IK(t @ to_end)) for t in T]), names, 2000),
        Peer(
            "EAIK, raw call",
            lambda T: np.array(
                [(s.Q[0] if len(s.Q) else np.full(6, np.nan)) for s in (peer.IK(t @ to_end) for t in T)]
            ),
            names,
            2000,
        ),
    ]


def main() -> None:
    count, runs = asked(__doc__, 10_000, 3, quick=100)
    stay_on(cores()[:1])
    print(describe("kinetree", "numpy", "llvmlite"), end="\n\n")
    print("| robot | joints | solver | targets | solved, % | outside | us each |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    for arm in arms():
        measure(arm, count, runs)


def measure(arm: Arm, count: int, runs: int) -> None:
    robot = kt.load(arm.path, limits=arm.limits)
    limits = robot.limits
    lower, upper = np.clip(limits.lower, -np.pi, None), np.clip(limits.upper, None, np.pi)
    q = (
        limits.sample(count, seed=1)
        if arm.limits
        else np.random.default_rng(1).uniform(lower, upper, (count, robot.nq))
    )
    T = kt.fk(robot, arm.frame, arm.base)(q)
    field_ = peers(arm, robot, count)
    for peer in field_:
        peer.solve(T[:3])
    best = {peer.name: np.inf for peer in field_}
    for run in range(runs):
        for peer in field_:
            peer.seconds = 0.0
        for start in range(0, count, PORTION):
            for peer in field_:
                portion = T[start : min(start + PORTION, peer.most)]
                if len(portion):
                    began = time.perf_counter()
                    found = peer.solve(portion)
                    peer.seconds += time.perf_counter() - began
                    if run == 0:
                        peer.found.append(found)
        for peer in field_:
            best[peer.name] = min(best[peer.name], peer.seconds / min(peer.most, count))
    n = len(kt.ik(robot, arm.frame, arm.base).coordinate_names)
    for peer in field_:
        solved, outside = verified(arm, robot, peer, T)
        asked = min(peer.most, count)
        share, each = 100 * solved / asked, 1e6 * best[peer.name]
        print(f"| {arm.name} | {n} | {peer.name} | {asked} | {share:.2f} | {outside} | {each:.2f} |")


def verified(arm: Arm, robot: kt.Robot, peer: Peer, T: np.ndarray) -> tuple[int, int]:
    """How many answers are right and inside, and how many are right and outside."""
    answers = np.concatenate(peer.found)
    q = np.tile(robot.limits.project(robot.q()), (len(answers), 1))
    q[:, [robot.coordinate_names.index(name) for name in peer.names]] = answers
    given = np.isfinite(answers).all(axis=1)
    here = kt.fk(robot, arm.frame, arm.base).interpret(np.where(given[:, None], q, 0.0))
    target = T[: len(answers)]
    turn = Rotation.from_matrix(target[:, :3, :3] @ np.swapaxes(here[:, :3, :3], 1, 2)).magnitude()
    off = np.linalg.norm(target[:, :3, 3] - here[:, :3, 3], axis=1)
    right = given & (off <= TOLERANCE) & (turn <= TOLERANCE)
    inside = (robot.limits.margin(np.nan_to_num(q)) >= -1e-6).all(axis=1)
    return int((right & inside).sum()), int((right & ~inside).sum())


if __name__ == "__main__":
    main()
