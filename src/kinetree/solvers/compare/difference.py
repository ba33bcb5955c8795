"""A difference between two robots, and two robots with their bodies paired."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import degrees

import numpy as np

from kinetree.display import number as as_text
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.solvers.compare.bodies import Pair, apart
from kinetree.spatial.se3 import Array


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two robots.

    kind: "joint", "axis", "mimic", "loop", "sign", "zero", "order", "base", "limit", "inertia", "frame", "sensor",
    "dynamics", "surface", "actuator" or "posture".
    element: what it is about, named as in the first robot. amount: its size, in SI and rad, if it is one number.
    counts: whether it makes them different robots; if not, it is a remark, such as on data that one of them lacks.
    names: frames or sensors that only one robot has, if it is a remark on these.
    """

    kind: str
    element: str
    message: str
    amount: float | None = None
    counts: bool = True
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.element}: {self.message}"


def of_one(kind: str, element: str, has: Sequence[bool], message: str) -> list[Difference]:
    """Return a remark if only one robot has something: a message with {} for "first" or "second"."""
    which = "first" if has[0] else "second"
    return [Difference(kind, element, message.format(which), counts=False)] if has[0] != has[1] else []


@dataclass(frozen=True, eq=False)
class Sides:
    """Two robots with their bodies paired; tolerance in m and rad, relative for everything else."""

    robot_a: Robot
    robot_b: Robot
    tree_a: Tree
    tree_b: Tree
    pairs: list[Pair]
    tolerance: float
    relative: float
    by_a: dict[int, Pair] = field(init=False)
    by_b: dict[int, Pair] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_a", {pair.a: pair for pair in self.pairs})
        object.__setattr__(self, "by_b", {pair.b: pair for pair in self.pairs})

    @property
    def moving(self) -> list[Pair]:
        """Pairs of bodies that joints carry."""
        return self.pairs[1:]

    @property
    def joints(self) -> dict[str, str]:
        """Mapping from joints of the first robot to those of the second."""
        return {self.tree_a.joints[pair.a]: self.tree_b.joints[pair.b] for pair in self.moving}

    @property
    def leaders(self) -> list[Pair]:
        """Pairs whose joints both have coordinates of their own."""
        names_a, names_b = set(self.robot_a.joint_names), set(self.robot_b.joint_names)
        return [
            pair
            for pair in self.moving
            if self.tree_a.joints[pair.a] in names_a
            and self.tree_b.joints[pair.b] in names_b
            and self.tree_a.joint_type[pair.a].nq == self.tree_b.joint_type[pair.b].nq
        ]

    def parent(self, pair: Pair) -> Pair:
        """Return the pair of bodies that carries this one."""
        return self.by_a[self.tree_a.parent[pair.a]]

    def joint_label(self, pair: Pair) -> str:
        """Return a joint's name for messages: `joint 'elbow'`, with its other name if it has one."""
        a, b = self.tree_a.joints[pair.a], self.tree_b.joints[pair.b]
        return f"joint {a!r}" if a == b else f"joint {a!r} ({b!r})"

    def coordinate_map(self) -> tuple[Array, Array]:
        """Return S (nq_b, nq_a) and d (nq_b): q_b = S q_a + d for paired joints; the others stay at zero."""
        S, d = np.zeros((self.tree_b.nq, self.tree_a.nq)), self.robot_b.zero.copy()
        for pair in self.leaders:
            to, of = self.tree_b.q_slice[pair.b], self.tree_a.q_slice[pair.a]
            S[to, of] = pair.sign * np.eye(of.stop - of.start)
            d[to] = pair.offset
        return S, d

    def q_b(self, q_a: Array) -> Array:
        """Return q (nq_b,) at which the second robot has the poses of the first at q_a (nq_a,)."""
        S, d = self.coordinate_map()
        return np.asarray(S @ q_a + d)


def elsewhere(T_a: Array, T_b: Array, tolerance: float) -> tuple[str, float]:
    """Return the distance between two poses as text, and the larger of its two numbers."""
    metres, radians = apart(T_a, T_b)
    said = [f"is {as_text(metres, 6)} m away"] if metres > tolerance else []
    said += [f"is turned by {as_text(degrees(radians), 6)} deg"] if radians > tolerance else []
    return " and ".join(said) or "is elsewhere", max(metres, radians)
