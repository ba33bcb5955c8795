"""EAIK: all solutions in closed form; there is no start. Of those inside the limits Python chooses one, if there is an
exact one, that. Arms of six joints only.

What is quickest chooses: lists for one target, NumPy for many. The raw call takes the first solution, inside or not.
"""

from math import tau

import numpy as np

from ik_peers import Chain, Peer, RefusedError

PACKAGES = ("EAIK",)


def make(chain: Chain) -> list[Peer]:
    from eaik.IK_URDF import UrdfRobot

    if len(chain.names) != 6:
        raise RefusedError("it has only arms of six joints")
    robot = UrdfRobot(str(chain.urdf))
    if not robot.hasKnownDecomposition():
        raise RefusedError(f"it has no closed form for {robot.getKinematicFamily()}")
    to_end = np.linalg.inv(chain.pose(np.zeros(6))) @ np.asarray(robot.fwdKin(np.zeros(6)))
    lower, upper = chain.robot.limits.lower, chain.robot.limits.upper
    bounds = list(zip(lower.tolist(), upper.tolist(), strict=True))

    def chosen(T):
        found, spare = robot.IK(T @ to_end), None
        for row, is_rough in zip(found.Q.tolist(), found.is_LS, strict=True):
            q = turned(row, bounds)
            if q and not is_rough:
                return q
            spare = spare or q
        return spare

    def chosen_of_many(T):
        found = robot.IK_batched(T @ to_end, 1)
        rows = [each.Q.reshape(-1, 6) for each in found]
        q, rough = np.concatenate(rows), np.concatenate([each.is_LS for each in found])
        q += tau * ((q < lower) * 1.0 - (q > upper))
        outside = ((q < lower) | (q > upper)).any(axis=1)
        of_target = np.repeat(np.arange(len(T)), [len(row) for row in rows])
        worst_first = np.argsort(-(2 * outside + rough), kind="stable")
        answers = np.full((len(T), 6), np.nan)
        answers[of_target[worst_first]] = q[worst_first]  # the last one stays
        return answers

    def first(T):
        q = robot.IK(T @ to_end).Q
        return q[0] if len(q) else None

    return [
        Peer("EAIK, batch and choose", chosen_of_many, chain.names, 10_000, in_batch=True),
        chain.peer("EAIK, all and choose", chosen, 2000),
        chain.peer("EAIK, raw call", first, 2000),
    ]


def turned(row, bounds):
    """Angles by whole turns into their limits, or None."""
    q = []
    for x, (lower, upper) in zip(row, bounds, strict=True):
        x += tau * ((x < lower) - (x > upper))
        if not lower <= x <= upper:
            return None
        q.append(x)
    return q
