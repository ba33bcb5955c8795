"""Pink: a frame task and the limits of the configuration, DAQP, up to 50 steps of 1 s, then another start.

It begins at a random configuration, and so do ten restarts. Joints may be as fast as they like: the steps are no motion.
"""

import numpy as np

from ik_peers import Chain, Peer

PACKAGES = ("pin-pink", "pin", "daqp")


def make(chain: Chain) -> list[Peer]:
    import pink
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(chain.urdf))
    model.velocityLimit[:] = 1e3
    data = model.createData()
    task = pink.tasks.FrameTask(chain.frame, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-6)
    random = np.random.default_rng(0)

    def descend(arm):
        for _ in range(50):
            if np.linalg.norm(task.compute_error(arm)) < 1e-6:
                return angles(model, arm.q)
            arm.integrate_inplace(pink.solve_ik(arm, [task], 1.0, solver="daqp"), 1.0)
        return None

    def solve(T):
        task.set_target(pin.SE3(T))
        for _ in range(11):
            start = pin.integrate(model, pin.neutral(model), random.uniform(*chain.ranges))
            try:
                q = descend(pink.Configuration(model, data, start, copy_data=False))
            except pink.PinkError:
                continue
            if q is not None:
                return q
        return None

    return [chain.peer("Pink, 10 restarts", solve, 100)]


def angles(model, q):
    """(n,) of Pinocchio's q, which has cosine and sine of a joint without limits."""
    return np.array([q[i] if n == 1 else np.arctan2(q[i + 1], q[i]) for i, n in zip(model.idx_qs[1:], model.nqs[1:])])
