"""What is measured, and what is to be reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """One query of one robot. form: as in `peers.Peer.functions`; n: how many configurations at once."""

    query: str
    robot: str
    form: str
    n: int = 1

    @property
    def label(self) -> str:
        """As a row of a table."""
        count = "one call" if self.form == "one" else f"{self.n:,}"
        return f"{self.robot}, {count}{FORMS[self.form]}"


FORMS = {
    "one": "",
    "batch": "",
    "into": ", `out=`",
    "float32": ", `out=`, single precision",
    "two threads": ", `out=`, two threads",
}
"""What to say of each form."""

ARMS = ("UR5", "Panda")

WORKS = (
    *(Work("fk", robot, "one") for robot in (*ARMS, "iCub")),
    *(Work("fk", robot, form, 10_000) for robot in (*ARMS, "iCub") for form in ("batch", "into", "float32")),
    *(Work("fk", robot, form, 100_000) for robot in (*ARMS, "iCub") for form in ("batch", "into")),
    *(Work("fk", robot, form, 1_000_000) for robot in ARMS for form in ("batch", "into")),
    *(Work("fk", robot, "two threads", 100_000) for robot in ("UR5", "iCub")),
    *(Work("jacobian", robot, "one") for robot in ARMS),
    *(Work("jacobian", robot, form, 10_000) for robot in ARMS for form in ("batch", "into", "float32")),
    *(Work("jacobian", robot, form, 100_000) for robot in ARMS for form in ("batch", "into")),
    *(Work(query, robot, "one") for query in ("hessian", "manipulability") for robot in ARMS),
    *(
        Work(query, robot, form, 10_000)
        for query in ("hessian", "manipulability")
        for robot in ARMS
        for form in ("batch", "into")
    ),
)

Side = tuple[str, Work]
"""A peer at its work."""


@dataclass(frozen=True)
class Target:
    """How many times as long one thing takes as another, and what that is to be."""

    text: str
    slow: Side
    fast: Side
    goal: float
    at_most: bool = False

    def value(self, ratio: Callable[[str, Work], float | None]) -> float | None:
        """What was reached, from the ratios to the unit; None where one of the two was not measured."""
        slow, fast = (ratio(*side) for side in (self.slow, self.fast))
        return None if slow is None or fast is None else slow / fast

    def reached(self, value: float) -> bool:
        """Whether the value is good enough."""
        return value <= self.goal if self.at_most else value >= self.goal


def _kinetree(query: str, robot: str, form: str, n: int = 1) -> Side:
    return "kinetree", Work(query, robot, form, n)


def over_loop(query: str, robot: str, goal: float, form: str = "into") -> Target:
    """How many times as long as Kinetree's batch of 10,000 Pinocchio's loop in C++ takes."""
    given = "into `out=`" if form == "into" else "fresh arrays"
    text = f"{query} {robot}, 10,000 {given}: Pinocchio's C++ loop over Kinetree"
    loop = ("pinocchio_cpp", Work(query, robot, "into", 10_000))
    return Target(text, loop, _kinetree(query, robot, form, 10_000), goal)


def _over(peer: str, query: str, robot: str, form: str, goal: float, n: int = 1) -> Target:
    count = "one call" if form == "one" else f"{n:,}"
    work = Work(query, robot, form, n)
    return Target(f"{query} {robot}, {count}: {peer} over Kinetree", (peer, work), ("kinetree", work), goal)


TARGETS = (
    *(over_loop("fk", robot, 20, form) for robot in ARMS for form in ("into", "batch")),
    *(over_loop("fk", "iCub", 15, form) for form in ("into", "batch")),
    *(over_loop("jacobian", robot, 12, form) for robot in ARMS for form in ("into", "batch")),
    *(
        _over(peer, "fk", robot, "batch", goal, 10_000)
        for peer, goal in (("pinocchio", 80), ("roboticstoolbox", 60), ("pytorch_kinematics", 200))
        for robot in ARMS
    ),
    Target(
        "fk UR5, a pose of a million into `out=` over one of ten thousand",
        _kinetree("fk", "UR5", "into", 1_000_000),
        _kinetree("fk", "UR5", "into", 10_000),
        1.3,
        at_most=True,
    ),
    *(
        Target(
            f"{query} {robot}, one call: Kinetree over pinocchio",
            _kinetree(query, robot, "one"),
            ("pinocchio", Work(query, robot, "one")),
            0.3,
            at_most=True,
        )
        for query in ("fk", "jacobian")
        for robot in ARMS
    ),
    *(_over("roboticstoolbox", query, robot, "one", 25) for query in ("fk", "jacobian") for robot in ARMS),
    *(
        Target(
            f"fk {robot}, 100,000 into `out=`: one thread over two",
            _kinetree("fk", robot, "into", 100_000),
            _kinetree("fk", robot, "two threads", 100_000),
            goal,
        )
        for robot, goal in (("iCub", 1.7), ("UR5", 1.25))
    ),
)
