"""Robotics Toolbox: `ik_LM`, Chan's way with k = 0.1, begun in the middle of the ranges, then at random places.

Its tolerance is of half the squared error: 1e-13 is 4.5e-7 m and rad; its default, 1e-6, would be 1.4 mm.
"""

import numpy as np

from ik_peers import Chain, Peer, ranges

PACKAGES = ("roboticstoolbox-python",)
FEW = 20
"""Targets where it makes another robot of the file, as of joints whose axis is not x, y or z; it finds none of them."""


def make(chain: Chain) -> list[Peer]:
    from roboticstoolbox import Robot
    from roboticstoolbox.models.URDF.URDFRobot import URDF_read

    links, name, _ = URDF_read(chain.urdf)
    ets, middle = Robot(links, name=name).ets(start=chain.base, end=chain.frame), chain.middle

    def solve(T):
        found = ets.ik_LM(T, q0=middle, tol=1e-13, method="chan", k=0.1)
        return found.q if found.success else None

    q = np.random.default_rng(0).uniform(*ranges(chain.robot.limits))
    if np.allclose(ets.eval(q), chain.pose(q), atol=1e-6):
        return [chain.peer("Robotics Toolbox, ik_LM", solve, 1000)]
    return [chain.peer("Robotics Toolbox, ik_LM, another robot", solve, FEW)]
