"""EAIK: all closed-form solutions; one that is exact and inside the limits is chosen in Python. Arms of six joints only.

It begins nowhere. The raw call takes the first of its solutions, inside the limits or not.
"""

import numpy as np

import kinetree as kt
from ik_peers import Chain, Peer, RefusedError

PACKAGES = ("EAIK",)


def make(chain: Chain) -> list[Peer]:
    from eaik.IK_URDF import UrdfRobot

    if len(chain.names) != 6:
        raise RefusedError("only arms of six joints")
    robot = UrdfRobot(str(chain.urdf))
    if not robot.hasKnownDecomposition():
        raise RefusedError("no known decomposition")
    T0 = kt.fk(chain.robot, chain.frame, chain.base)(np.zeros(6))
    to_end = np.linalg.inv(T0) @ np.asarray(robot.fwdKin(np.zeros(6)))
    limits = chain.robot.limits

    def chosen(T):
        solutions = robot.IK(T @ to_end)
        q, rough = np.asarray(solutions.Q), np.asarray(solutions.is_LS)
        if not len(q):
            return None
        q = q[~rough] if (~rough).any() else q
        q = np.where(q < limits.lower, q + 2 * np.pi, np.where(q > limits.upper, q - 2 * np.pi, q))
        return q[((q >= limits.lower) & (q <= limits.upper)).all(axis=1).argmax()]

    def first(T):
        q = robot.IK(T @ to_end).Q
        return q[0] if len(q) else None

    return [chain.peer("EAIK, all and choose", chosen, 2000), chain.peer("EAIK, raw call", first, 2000)]
