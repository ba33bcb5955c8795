"""mink: a frame task and the configuration's limits, DAQP, up to 50 steps; ten more attempts where they lead nowhere.

Each begins at a random configuration. The gain of the limits is Pink's 0.5: with mink's 0.95 joints stick to their
limits, and it takes up to five times as long.
"""

import numpy as np

from ik_peers import Chain, Peer, ranges

PACKAGES = ("mink", "mujoco", "daqp")
COMPILER = '<mujoco><compiler fusestatic="false" boundmass="1" boundinertia="1"/></mujoco>'
"""Keeps links on fixed joints, such as tools, as bodies of their own; gives masses to links, which MuJoCo wants."""


def make(chain: Chain) -> list[Peer]:
    import mink
    import mujoco

    model = mujoco.MjModel.from_xml_string(chain.urdf.read_text().replace("</robot>", f"{COMPILER}</robot>"))
    arm, limits = mink.Configuration(model), [mink.ConfigurationLimit(model, gain=0.5)]
    task = mink.FrameTask(chain.frame, "body", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-6)
    random, (lower, upper) = np.random.default_rng(0), ranges(chain.robot.limits)

    def descend():
        for _ in range(50):
            if np.linalg.norm(task.compute_error(arm)) < 1e-6:
                return arm.q.copy()
            arm.integrate_inplace(mink.solve_ik(arm, [task], 1.0, "daqp", limits=limits), 1.0)
        return None

    def solve(T):
        task.set_target(mink.SE3.from_matrix(T))
        for _ in range(11):
            arm.update(random.uniform(lower, upper))
            try:
                q = descend()
            except mink.NoSolutionFound:
                continue
            if q is not None:
                return q
        return None

    return [chain.peer("mink, 10 restarts", solve, 100)]
