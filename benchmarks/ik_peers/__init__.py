"""The libraries that Kinetree's inverse kinematics is measured beside: one file each, found by its name.

A file has PACKAGES, whose versions the benchmark states, and `make(chain)`, the rows of the table; it raises ImportError
where the library is not installed, and whatever it likes for a chain that the library does not take.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

import kinetree as kt
from kinetree.model.assemble import Parts, build
from kinetree.model.robot import Link

Solve = Callable[[np.ndarray], np.ndarray]


class RefusedError(Exception):
    """The library does not solve such a chain."""


@dataclass
class Peer:
    """solve: poses (n, 4, 4) to joints (n, n_joints) in the order of names, NaN where it found none; most: at most so
    many targets. seconds: of each run over all of them."""

    name: str
    solve: Solve
    names: tuple[str, ...]
    most: int
    seconds: list[float] = field(default_factory=list)
    found: list[np.ndarray] = field(default_factory=list)


@dataclass(frozen=True)
class Chain:
    """An arm as the peers get it: nothing but what is between base and frame.

    names: its joints from base to frame, the order of every library for a robot without branches. urdf: the file of it,
    without shapes and masses, in a folder that a peer may write to.
    """

    robot: kt.Robot
    base: str
    frame: str
    urdf: Path

    @property
    def names(self) -> tuple[str, ...]:
        return self.robot.coordinate_names

    @cached_property
    def ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper limits (n,), one turn for joints that turn further: where a search begins, rad."""
        limits = self.robot.limits
        return np.clip(limits.lower, -np.pi, None), np.clip(limits.upper, None, np.pi)

    @property
    def middle(self) -> np.ndarray:
        return sum(self.ranges) / 2

    def peer(self, name: str, solve_one: Callable[[np.ndarray], np.ndarray | None], most: int) -> Peer:
        """A row of a library that solves for one target, (4, 4) to (n,) or None."""
        none = np.full(len(self.names), np.nan)

        def solve(T: np.ndarray) -> np.ndarray:
            found = (solve_one(target) for target in T)
            return np.array([none if q is None else q for q in found])

        return Peer(name, solve, self.names, most)


def chain(robot: kt.Robot, base: str, frame: str, folder: Path) -> Chain:
    """The links and joints from base to frame. Soft limits are left out: TRAC-IK takes them for the limits, and some
    files have them at zero."""
    above = {joint.child: joint for joint in robot.joints.values()}
    joints, link = [], frame
    while link != base:
        joints.insert(0, replace(above[link], safety=None))
        link = joints[0].parent
    parts = Parts(robot.name, [Link(base), *(Link(joint.child) for joint in joints)], joints)
    short, urdf = build(parts), folder / "arm.urdf"
    kt.save(short, urdf, without=("extension", "calibration"))
    return Chain(short, base, frame, urdf)


def files() -> dict[str, ModuleType]:
    """The peers that there are, by name; importing a file does not import its library."""
    names = sorted(file.stem for file in Path(__file__).parent.glob("*.py") if file.stem != "__init__")
    return {name: import_module(f"ik_peers.{name}") for name in names}
