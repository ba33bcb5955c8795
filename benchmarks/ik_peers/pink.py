"""Pink: a frame task and the configuration's limits, DAQP, up to 50 steps; ten more attempts where they lead nowhere.

Each begins at a random configuration. Joints may be as fast as they like: the steps are no motion.
"""

import numpy as np

from ik_peers import Chain, Peer, ranges

PACKAGES = ("pin-pink", "pin", "daqp")


def make(chain: Chain) -> list[Peer]:
    import pink
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(chain.urdf))
    model.velocityLimit[:] = 1e3
    data, zero = model.createData(), pin.neutral(model)
    task = pink.tasks.FrameTask(chain.frame, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-6)
    random, (lower, upper) = np.random.default_rng(0), ranges(chain.robot.limits)

    def descend(arm):
        for _ in range(50):
            if np.linalg.norm(task.compute_error(arm)) < 1e-6:
                return pin.difference(model, zero, arm.q)  # angles, also of joints with cosine and sine
            arm.integrate_inplace(pink.solve_ik(arm, [task], 1.0, solver="daqp"), 1.0)
        return None

    def solve(T):
        task.set_target(pin.SE3(T))
        for _ in range(11):
            start = pin.integrate(model, zero, random.uniform(lower, upper))
            try:
                q = descend(pink.Configuration(model, data, start, copy_data=False))
            except pink.PinkError:
                continue
            if q is not None:
                return q
        return None

    return [chain.peer("Pink, 10 restarts", solve, 100)]
