"""The libraries that Kinetree's inverse kinematics is measured beside: one file each, found by its name.

A file has PACKAGES, whose versions the benchmark states, and `make(chain)`, its rows of the table. That raises
ImportError where the library is not installed, RefusedError or what the library raises where it does not take the arm.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path
from types import ModuleType

import numpy as np

import kinetree as kt
from kinetree.model.assemble import Parts, build
from kinetree.model.limits import Limits
from kinetree.model.robot import Link

Solve = Callable[[np.ndarray], np.ndarray]


class RefusedError(Exception):
    """The library does not solve such a chain."""


@dataclass
class Peer:
    """A row of the table.

    solve: poses (n, 4, 4) to joints (n, n_joints) in the order of names, NaN where it finds none. most: at most so many
    targets. in_batch: whether it is given many at once. Then what became of it: seconds of each run; what it found in
    the first; of that, in %, how much was solved, and how many were right but outside of the limits.
    """

    name: str
    solve: Solve
    names: tuple[str, ...]
    most: int
    in_batch: bool = False
    seconds: list[float] = field(default_factory=list)
    found: list[np.ndarray] = field(default_factory=list)
    solved: float = 0.0
    outside: int = 0

    @property
    def targets(self) -> int:
        return sum(map(len, self.found))

    @property
    def each(self) -> float:
        """Microseconds a target, in the best run."""
        return 1e6 * min(self.seconds) / self.targets


@dataclass(frozen=True)
class Chain:
    """An arm as the peers get it: nothing but what is between base and frame, or they would move the rest as well.

    names: its joints from base to frame, which is every library's order for a robot without branches. urdf: its file,
    without shapes and masses; a peer may write to that folder.
    """

    robot: kt.Robot
    base: str
    frame: str
    urdf: Path

    @property
    def names(self) -> tuple[str, ...]:
        return self.robot.coordinate_names

    @property
    def middle(self) -> np.ndarray:
        """(n,): of the ranges, rad."""
        return np.mean(ranges(self.robot.limits), axis=0)

    def pose(self, q: np.ndarray) -> np.ndarray:
        """(4, 4): of the frame, as seen from the base."""
        return kt.fk(self.robot, self.frame, self.base)(q)

    def peer(self, name: str, solve: Callable[[np.ndarray], np.ndarray | None], most: int) -> Peer:
        """A row of a library that is given one target after the other, (4, 4) to (n,) or None."""
        none = np.full(len(self.names), np.nan)

        def every(T: np.ndarray) -> np.ndarray:
            found = (solve(target) for target in T)
            return np.array([none if q is None else q for q in found])

        return Peer(name, every, self.names, most)


def chain(robot: kt.Robot, base: str, frame: str, folder: Path) -> Chain:
    """The links and joints from base to frame. Soft limits are left out: TRAC-IK takes them for the limits, and some
    files have them at zero."""
    above = {joint.child: joint for joint in robot.joints.values()}
    joints, link = [], frame
    while link != base:
        joints.insert(0, replace(above[link], safety=None))
        link = joints[0].parent
    links = [Link(base), *(Link(joint.child) for joint in joints)]
    short, urdf = build(Parts(robot.name, links, joints)), folder / "arm.urdf"
    kt.save(short, urdf, without=("extension",))
    return Chain(short, base, frame, urdf)


def ranges(limits: Limits) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper limits (n,), rad, of one turn at most: where targets lie and searches begin."""
    return np.clip(limits.lower, -np.pi, None), np.clip(limits.upper, None, np.pi)


def rows(name: str, robot: kt.Robot, base: str, frame: str, folder: Path) -> list[Peer]:
    """Of every library that is here and takes the arm; name: of the arm. The others say why not on stderr."""
    arm, found = chain(robot, base, frame, folder), []
    for library, file in files().items():
        try:
            with warnings.catch_warnings(action="ignore"):
                found += file.make(arm)
        except Exception as error:
            print(f"{name}: {library} is not measured, {type(error).__name__}: {error}", file=sys.stderr)
    return found


def files() -> dict[str, ModuleType]:
    """Those that there are, by name. They import their libraries when they are asked for rows."""
    names = sorted(file.stem for file in Path(__file__).parent.glob("*.py") if file.stem != "__init__")
    return {name: import_module(f"ik_peers.{name}") for name in names}


def installed() -> list[str]:
    """The packages of theirs that are here."""
    here = {package.name.lower() for package in distributions()}
    packages = dict.fromkeys(package for file in files().values() for package in file.PACKAGES)
    return [package for package in packages if package.lower() in here]
