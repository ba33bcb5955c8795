"""Inverse kinematics at corners and edges of the limits: is every target reached, and do the answers agree?

    python benchmarks/corners.py [--count 20000] [--quick]

Targets are poses of configurations inside the limits, a third each in the interior, on edges (about two joints in three
at an end of their range) and in corners (all joints at an end). So all can be reached. `ik` and `ik.reachable` answer
for all, `ik.solutions` for every tenth. Answers that contradict each other are counted.
"""

from __future__ import annotations

import numpy as np

import kinetree as kt
from machine import asked, describe

ARMS = {
    "iCub, hand from chest": ("icub", "l_hand", "chest"),
    "iCub, hand from root": ("icub", "r_hand", "root_link"),
    "Panda": ("example-robot-data:panda", "panda_hand", None),
    "UR5": ("example-robot-data:ur5", "tool0", None),
    "Talos, arm": ("example-robot-data:talos", "gripper_left_base_link", "torso_2_link"),
}
"""By name: the model, the frame and the base."""
PLACES = ("interior", "edges", "corners")


def configurations(robot: kt.Robot, names: tuple[str, ...], count: int, seed: int = 0) -> np.ndarray:
    """Return q (count, nq) inside the limits, in the order of PLACES. names: the coordinates that differ."""
    rng, limits = np.random.default_rng(seed), robot.limits
    moving = np.isin(robot.coordinate_names, names)
    ends = np.clip([limits.lower, limits.upper], -np.pi, np.pi)
    inside = rng.uniform(*ends, (count, robot.nq))
    share = np.array([0.0, 2 / 3, 1.0])[np.arange(count) * len(PLACES) // count, None]
    at_ends = np.where(rng.random(inside.shape) < 0.5, *ends)
    q = np.where(rng.random(inside.shape) < share, at_ends, inside)
    return np.asarray(limits.project(np.where(moving, q, limits.project(robot.q()))))


def answers(arm: str, count: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Return what is answered for each target (count,): "ik", "reachable", whether answers contradict each other, and
    whether the result of `ik` is wrong."""
    model, frame, base = ARMS[arm]
    robot = kt.load(model)
    ik, fk = kt.ik(robot, frame, base), kt.fk(robot, frame, base=base)
    T = fk(configurations(robot, ik.coordinate_names, count, seed))
    result, reachable = ik(T), np.asarray(ik.reachable(T))
    contradict = result.success != reachable
    contradict[::10] |= ik.solutions(T[::10]).mask.any(axis=1) != reachable[::10]
    off = np.abs(fk(result.q) - T).max(axis=(1, 2)) > 2e-6
    wrong = result.success & (off | ~robot.limits.contains(result.q))
    return {"ik": result.success, "reachable": reachable, "contradict": contradict, "wrong": wrong}


def main() -> None:
    count, _ = asked(__doc__, 20_000, 1, 600)
    print(f"{describe('kinetree', 'numpy', 'llvmlite')}\n{count} targets an arm\n")
    for arm in ARMS:
        found = answers(arm, count)
        bad = np.bincount(np.flatnonzero(~found["ik"]) * len(PLACES) // count, minlength=len(PLACES))
        where = ", ".join(f"{n} {place}" for place, n in zip(PLACES, bad, strict=True))
        print(
            f"{arm:22} ik {100 * found['ik'].mean():8.4f} % (failed: {where}), "
            f"reachable {100 * found['reachable'].mean():8.4f} %, {int(found['contradict'].sum())} contradictions, "
            f"{int(found['wrong'].sum())} wrong",
            flush=True,
        )


if __name__ == "__main__":
    main()
