"""TRAC-IK (PyPI's pytracik): 50 ms, 1e-7, begun in the middle of the ranges, as in its own benchmark.

It races two threads, here on the one core that everybody has.
"""

from ik_peers import Chain, Peer

PACKAGES = ("pytracik",)


def make(chain: Chain) -> list[Peer]:
    from trac_ik import TracIK

    solver = TracIK(chain.base, chain.frame, str(chain.urdf), timeout=0.05, epsilon=1e-7, solver_type="Speed")
    middle = chain.middle
    return [
        chain.peer(
            "TRAC-IK, 50 ms, 1e-7",
            lambda T: solver.ik(T[:3, 3], T[:3, :3], seed_jnt_values=middle),
            most=300,
        )
    ]
