"""TRAC-IK (PyPI's pytracik): up to 50 ms, begun in the middle of the ranges, as in its own benchmark.

Its tolerance is of each coordinate: 5e-7 is at most 8.7e-7 m and rad. It races two threads; on two cores instead of one
it is no faster.
"""

from ik_peers import Chain, Peer

PACKAGES = ("pytracik",)


def make(chain: Chain) -> list[Peer]:
    from trac_ik import TracIK

    solver = TracIK(chain.base, chain.frame, str(chain.urdf), timeout=0.05, epsilon=5e-7, solver_type="Speed")
    middle = chain.middle

    def solve(T):
        return solver.ik(T[:3, 3], T[:3, :3], seed_jnt_values=middle)

    return [chain.peer("TRAC-IK, 50 ms, 5e-7", solve, 300)]
