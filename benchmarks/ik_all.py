"""All solutions of a pose, the verdict whether it can be reached, and a start of one's own, for `ik.py`.

Targets of solutions can be reached; of those for verdicts, in a ball around the first axis, about half can. The counts
of peers are of branches, without the turns of wide ranges. jaik has arms of its own by name and gets poses of its own
UR5.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
from scipy.spatial.transform import Rotation

import kinetree as kt
from ik_peers import Chain, ssik
from machine import minima

Call = Callable[[], object]
BALLS = {"UR5": (0.09, 1.11), "Panda": (0.333, 0.97), "KUKA iiwa 14": (0.36, 0.95)}
"""Height of the center and radius, m, of the ball in which targets of verdicts are."""
ALONE = 300
"""Number of targets of a run that are solved one by one."""


def rows(name: str, chain: Chain, T: np.ndarray, runs: int) -> list[str]:
    """Return the rows of an arm, with the least time of each call, us a target. T (n, 4, 4): targets in reach."""
    ik = kt.ik(chain.robot, chain.frame, chain.base)
    some, start = T[:ALONE], np.array(chain.middle)
    calls: dict[tuple[str, str], tuple[Call, int]] = {}
    if ik._quick.ordered:
        calls["all solutions", "Kinetree, batch"] = (lambda: ik.solutions(T), len(T))
        calls["all solutions", "Kinetree, one by one"] = (lambda: [ik.solutions(t) for t in some], len(some))
        for peer, (call, count) in peers(chain, T).items():
            calls["all solutions", peer] = (call, count)
    if name in BALLS:
        ball = targets(*BALLS[name], len(T))
        share = f"verdict, {100 * np.mean(ik.reachable(ball)):.0f} % in reach"
        calls[share, "Kinetree, reachable"] = (lambda: ik.reachable(ball), len(ball))
        calls[share, "Kinetree, success of a call"] = (lambda: ik(ball[:ALONE]), len(ball[:ALONE]))
    calls["one solution", "Kinetree, one by one"] = (lambda: [ik(t) for t in some], len(some))
    calls["one solution", "Kinetree, one by one, q0"] = (lambda: [ik(t, q0=start) for t in some], len(some))
    for call, _ in calls.values():
        call()
    best = minima({str(key): call for key, (call, _) in calls.items()}, runs)
    return [
        f"| {name} | {question} | {solver} | {count} | {1e6 * best[str((question, solver))] / count:.2f} |"
        for (question, solver), (_, count) in calls.items()
    ]


def targets(height: float, radius: float, count: int) -> np.ndarray:
    """Return random poses (count, 4, 4) in a ball."""
    random = np.random.default_rng(0)
    direction = random.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    T = np.tile(np.eye(4), (count, 1, 1))
    T[:, :3, 3] = [0.0, 0.0, height] + radius * random.uniform(size=(count, 1)) ** (1 / 3) * direction
    T[:, :3, :3] = Rotation.random(count, random_state=random).as_matrix()
    return T


def peers(chain: Chain, T: np.ndarray) -> dict[str, tuple[Call, int]]:
    """Return the calls of the libraries that are here, with their number of targets."""
    found: dict[str, tuple[Call, int]] = {}
    for library in (_eaik, _ssik, _jaik):
        try:
            found |= library(chain, T)
        except Exception as error:  # not installed, or it does not take the arm
            print(f"{library.__name__[1:]} is not measured, {type(error).__name__}: {error}", file=sys.stderr)
    return found


def _eaik(chain: Chain, T: np.ndarray) -> dict[str, tuple[Call, int]]:
    from eaik.IK_URDF import UrdfRobot

    robot = UrdfRobot(str(chain.urdf))
    to_end = np.linalg.inv(chain.pose(np.zeros(6))) @ np.asarray(robot.fwdKin(np.zeros(6)))
    own = T @ to_end
    return {
        "EAIK, batch": (lambda: robot.IK_batched(own, 1), len(T)),
        "EAIK, one by one": (lambda: [robot.IK(t).Q for t in own[:ALONE]], len(T[:ALONE])),
    }


def _ssik(chain: Chain, T: np.ndarray) -> dict[str, tuple[Call, int]]:
    arm = ssik.built(chain)
    return {
        "ssik, one by one": (lambda: [arm.solve(t, enumerate_windings=False) for t in T[:ALONE]], len(T[:ALONE])),
    }


def _jaik(chain: Chain, T: np.ndarray) -> dict[str, tuple[Call, int]]:
    if "ur5" not in chain.robot.name:
        return {}
    import jaik
    import numba

    with redirect_stdout(StringIO()):
        forward, solve, _ = jaik.make_robot("ur5", solver="numba")
    q = np.random.default_rng(1).uniform(-np.pi, np.pi, (len(T), 6))
    poses = [forward(row) for row in q]
    R, p = (np.array(part) for part in zip(*poses, strict=True))

    @numba.njit
    def every(R, p):
        Q, valid = np.empty((len(R), 6, 8)), np.empty((len(R), 8), np.bool_)
        for i in range(len(R)):
            Q[i], valid[i] = solve(R[i], p[i])
        return Q, valid

    found = {"jaik, one by one": (lambda: [solve(*pose) for pose in poses[:ALONE]], len(poses[:ALONE]))}
    return {"jaik, batch": (lambda: every(R, p), len(T)), **found}
