"""Inverse kinematics beside its peers, on random targets that can be reached.

    python benchmarks/ik.py [--count 10000] [--runs 3]

Every peer is called as its documentation says is best, one core, from Python; see its file in `ik_peers`. A target is
solved if the answer's pose, by Kinetree's interpreter, is within 1e-6 m and 1e-6 rad, and no joint is outside of its
limits by more than 1e-6. Peers take turns on portions of the targets, so that they meet the same machine; times are
means over all targets, solved or not, of the best run. Slow peers get the first targets only. A second table (`ik_all`)
has all solutions of a target, the verdict whether it can be reached, and starts of one's own.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory

from machine import ONE_THREAD, asked, cores, describe, stay_on

os.environ.update(ONE_THREAD)

import numpy as np
from scipy.spatial.transform import Rotation

import ik_all
import ik_peers
import kinetree as kt
from ik_peers import Peer, ranges
from kinetree.queries.six_axes import six_axes

PORTION = 1000
"""Targets in a call, and until the next peer has its turn; in smaller ones programs come cold from memory."""
TOLERANCE = 1e-6 * (1 + 1e-6)
ENOUGH = 95.0
"""Per cent of the targets that a peer solves to be compared with."""
CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"


@dataclass
class Arm:
    """frame and base of a robot's file, and its limits besides."""

    name: str
    path: Path
    frame: str
    base: str
    limits: str | None = None


def arms() -> list[Arm]:
    robots = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
    import icub_models

    genova = next(
        Path(p) for p in Path(icub_models.__file__).parents[4].glob("share/iCub/robots/iCubGenova02/model.urdf")
    )
    kinova = robots / "kinova_description/robots/kinova.urdf"
    lite = CORPUS / "Kinovarobotics+ros2_kortex/kortex_description/robots/gen3_lite.urdf"
    every = [
        Arm("UR5", robots / "ur_description/urdf/ur5_robot.urdf", "ee_link", "base_link"),
        Arm("Kinova j2s6, spherical wrist", kinova, "j2s6s200_end_effector", "base"),
        Arm("Kinova gen3 lite, offset wrist", lite, "end_effector_link", "base_link"),
        Arm("Panda", robots / "panda_description/urdf/panda.urdf", "panda_link8", "panda_link0"),
        Arm("KUKA iiwa 14", CORPUS / "dexsuite+dex-urdf/robots/arms/iiwa14/iiwa14.urdf", "ee_link", "link_0"),
        Arm("iCub, arm and torso", genova, "l_hand", "root_link"),
        Arm("iCub, arm with tendons", genova, "l_hand", "chest", "tendons"),
    ]
    for arm in every:
        if not arm.path.exists():
            print(f"{arm.name}: {arm.path} is not here", file=sys.stderr)
    return [arm for arm in every if arm.path.exists()]


def kinetree(arm: Arm, robot: kt.Robot, count: int) -> list[Peer]:
    solver, names = kt.ik(robot, arm.frame, arm.base), robot.coordinate_names
    search = kt.ik(robot, arm.frame, arm.base, closed_form=False)

    def one_by_one(T: np.ndarray) -> np.ndarray:
        return np.array([solver(target).q for target in T])

    alone = Peer("Kinetree, search alone", lambda T: search(T).q, names, count, in_batch=True)
    return [
        Peer("Kinetree, batch", lambda T: solver(T).q, names, count, in_batch=True),
        *([alone] if six_axes(robot, arm.frame, arm.base or robot.root) else []),
        Peer("Kinetree, one by one", one_by_one, names, 2000),
    ]


def main() -> None:
    count, runs = asked(__doc__, 10_000, 3, quick=50)
    stay_on(cores()[:1])
    print(describe("kinetree", "numpy", "llvmlite", *ik_peers.installed()), end="\n\n")
    print("| robot | joints | solver | targets | solved, % | outside | us each | times Kinetree's batch |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    more: list[str] = []
    comparisons = [measure(arm, count, runs, more) for arm in arms()]
    print("", *comparisons, "", "| robot | question | solver | targets | us each |", sep="\n")
    print("| --- | --- | --- | ---: | ---: |", *more, sep="\n")


def measure(arm: Arm, count: int, runs: int, more: list[str]) -> str:
    """Prints the rows of an arm; a line that compares them. more: gets the rows of `ik_all`."""
    robot = kt.load(arm.path, limits=arm.limits)
    limits, random = robot.limits, np.random.default_rng(1)
    q = limits.sample(count, seed=1) if arm.limits else random.uniform(*ranges(limits), (count, robot.nq))
    T = kt.fk(robot, arm.frame, arm.base)(q)
    with TemporaryDirectory() as folder:
        ours = kinetree(arm, robot, count)
        # Nobody else knows limits over several joints.
        theirs = [] if arm.limits else ik_peers.rows(arm.name, robot, arm.base, arm.frame, Path(folder))
        take_turns([*ours, *theirs], T, runs)
        if not arm.limits:
            whole = ik_peers.chain(robot, arm.base, arm.frame, Path(folder))
            more += ik_all.rows(arm.name, whole, T[: 10 * PORTION], 3 * runs)
    n = len(kt.ik(robot, arm.frame, arm.base).coordinate_names)
    for peer in (*ours, *theirs):
        judge(peer, arm, robot, T)
        print(f"| {arm.name} | {n} | {peer.name} | {peer.targets} | {peer.solved:.2f} | {peer.outside}", end="")
        print(f" | {peer.each:.2f} | {peer.each / ours[0].each:.2f} |", flush=True)
    return f"- {arm.name}: {comparison(ours, theirs)}"


def take_turns(peers: list[Peer], T: np.ndarray, runs: int) -> None:
    for peer in peers:
        peer.solve(T[:3])
    for run in range(runs):
        for peer in peers:
            peer.seconds.append(0.0)
        for start in range(0, len(T), PORTION):
            for peer in peers:
                portion = T[start : min(start + PORTION, peer.most)]
                if not len(portion):
                    continue
                began = time.perf_counter()
                found = peer.solve(portion)
                peer.seconds[-1] += time.perf_counter() - began
                if run == 0:
                    peer.found.append(found)


def judge(peer: Peer, arm: Arm, robot: kt.Robot, T: np.ndarray) -> None:
    """How many answers are right and inside, and how many are right and outside."""
    answers = np.concatenate(peer.found)
    n, target = len(answers), T[: len(answers)]
    q = np.tile(robot.limits.project(robot.q()), (n, 1))
    q[:, [robot.coordinate_names.index(name) for name in peer.names]] = answers
    given = np.isfinite(answers).all(axis=1)
    here = kt.fk(robot, arm.frame, arm.base).interpret(np.where(given[:, None], q, 0.0))
    turn = Rotation.from_matrix(target[:, :3, :3] @ np.swapaxes(here[:, :3, :3], 1, 2)).magnitude()
    off = np.linalg.norm(target[:, :3, 3] - here[:, :3, 3], axis=1)
    right = given & (off <= TOLERANCE) & (turn <= TOLERANCE)
    inside = (robot.limits.margin(np.nan_to_num(q)) >= -1e-6).all(axis=1)
    peer.solved, peer.outside = 100 * (right & inside).sum() / n, int((right & ~inside).sum())


def comparison(ours: list[Peer], theirs: list[Peer]) -> str:
    """The fastest of those that solve enough, in times of Kinetree's first row, in batch, and its last, one by one."""
    able = [peer for peer in theirs if peer.solved >= ENOUGH]
    if not able:
        return f"no peer solves {ENOUGH:.0f} %" if theirs else "no peer takes it"
    alone = [peer for peer in able if not peer.in_batch] or able
    ways = {"in batch": (ours[0], able), "one by one": (ours[-1], alone)}
    best = {way: (it, min(peers, key=lambda peer: peer.each)) for way, (it, peers) in ways.items()}
    return "; ".join(
        f"{way} {peer.name} takes {peer.each / it.each:.1f} times as long" for way, (it, peer) in best.items()
    )


if __name__ == "__main__":
    main()
