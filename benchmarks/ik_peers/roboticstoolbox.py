"""Robotics Toolbox: `ik_LM`, Chan's method with k = 0.1, begun at a random configuration as it does by itself.

Its tolerance is of half the squared error: 1e-13 is 4.5e-7 m and rad; the default of 1e-6 would be 1.4 mm.
"""

import sys

import numpy as np

import kinetree as kt
from ik_peers import Chain, Peer

PACKAGES = ("roboticstoolbox-python",)


def make(chain: Chain) -> list[Peer]:
    from roboticstoolbox import Robot

    ets = Robot.URDF(str(chain.urdf)).ets(start=chain.base, end=chain.frame)

    def solve(T):
        found = ets.ik_LM(T, tol=1e-13, method="chan", k=0.1)
        return found.q if found.success else None

    q = np.random.default_rng(0).uniform(*chain.ranges)
    off = np.abs(ets.eval(q) - kt.fk(chain.robot, chain.frame, chain.base)(q)).max()
    return [chain.peer("Robotics Toolbox, ik_LM", solve, 1000 if off < 1e-6 else 20)]
