"""What is measured of dynamics, and what is to be reached."""

from __future__ import annotations

from works import ARMS, Target, Work, over_loop

QUERIES = ("rnea", "aba", "crba", "rnea_derivatives", "aba_derivatives")
ROBOTS = (*ARMS, "Solo12", "ANYmal", "iCub", "Talos")
PEERS = ("kinetree", "pinocchio", "pinocchio_cpp", "drake", "dynibo", "mujoco")

SLOW = ("aba_derivatives", "Talos")
"""What takes Kinetree too long to compile."""

WORKS = (
    *(Work(query, robot, "one") for query in QUERIES for robot in ROBOTS if (query, robot) != SLOW),
    *(Work(query, robot, "into", 10_000) for query in QUERIES for robot in ROBOTS if (query, robot) != SLOW),
)


def _batch(query: str, robot: str) -> Work:
    return Work(query, robot, "into", 10_000)


def _call(robot: str, goal: float) -> Target:
    work, text = Work("rnea", robot, "one"), f"rnea {robot}, one call: Kinetree over `pinocchio.rnea`"
    return Target(text, ("kinetree", work), ("pinocchio", work), goal, at_most=True)


TARGETS = (
    *(over_loop("rnea", robot, 25) for robot in ARMS),
    over_loop("rnea", "iCub", 20),
    *(
        Target(
            f"{robot}, 10,000 into `out=`: aba over rnea",
            ("kinetree", _batch("aba", robot)),
            ("kinetree", _batch("rnea", robot)),
            2,
            at_most=True,
        )
        for robot in ARMS
    ),
    *(over_loop("rnea_derivatives", robot, 20) for robot in ARMS),
    over_loop("rnea_derivatives", "iCub", 6),
    *(_call(robot, 0.35) for robot in ROBOTS if robot != "Talos"),
    _call("Talos", 0.45),
)
