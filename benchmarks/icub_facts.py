"""What becomes of the models of the PyPI package icub-models: what the check finds, and how far they stand from the
built-in tables. `icub_table.py` makes the page of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from math import degrees
from pathlib import Path

import icub_models

import kinetree as kt
from kinetree.checker.check import check
from kinetree.errors import Finding
from kinetree.queries.query import tree
from kinetree.rules.icub.page import MOVING
from kinetree.rules.icub.ranges import CLOSE, board_of
from kinetree.solvers.compare.bodies import BASE, Pair
from kinetree.solvers.compare.comparison import Distance, frame_distances
from kinetree.solvers.compare.difference import Sides
from kinetree.spatial.se3 import IDENTITY

Range = tuple[float, float]

FRAMES = ("l_hand_dh_frame", "r_hand_dh_frame", "l_forearm_dh_frame", "l_foot_dh_frame", "imu_frame")
"""Those that are compared with the tables."""

BODIES = ("1.0", "1.7", "2.0", "3.0")
"""Versions of the tables that differ in the arms or the rest of the body."""

SAMPLES = 20
"""As `kt.compare` takes by default."""

SAME = 1e-6
"""In m and rad: frames that are no further apart stand alike."""


@dataclass(frozen=True, eq=False)
class Model:
    """A model of the package and what the check says of it."""

    name: str
    robot: kt.Robot
    findings: Sequence[Finding]

    @property
    def is_part(self) -> bool:
        return bool(self.of("ICUB-001"))

    @property
    def stated_version(self) -> str | None:
        """The version that its name says."""
        found = re.search(r"V(\d+)_(\d+)", self.name)
        return f"{found[1]}.{found[2]}" if found else None

    def of(self, code: str, words: str = "") -> list[Finding]:
        """The findings of a rule, those with these words in the message."""
        return [finding for finding in self.findings if finding.code == code and words in finding.message]


@dataclass(frozen=True)
class Axis:
    """What the check says of an axis: where it points, how many degrees from the page's, and what of that."""

    joint: str
    severity: str
    axis: str
    page: str
    angle: float
    said: str


@dataclass(frozen=True)
class Reach:
    """The range of a joint in a model and on its board, in degrees.

    beyond: by how much the model goes further, at the end where that is more. short: whether the board goes further.
    """

    joint: str
    model: Range
    board: Range
    beyond: float
    short: bool


def load_all() -> list[Model]:
    """Every model of the package, robots and parts, in alphabetical order."""
    paths = sorted(Path(icub_models.get_models_path()).rglob("*.urdf"))
    robots = {path.parent.name: kt.load(path) for path in paths}
    return [Model(name, robot, check(robot, profile="icub")) for name, robot in robots.items()]


def axes_of(model: Model) -> list[Axis]:
    """What the check finds of the axes."""
    found = []
    for finding in model.of("ICUB-302"):
        said = re.fullmatch(
            r"the axis is (\(.*?\)), ([\d.]+) degrees off (\(.*?\)), that of the naming conventions[,;]? ?(.*)",
            finding.message,
        )
        assert said, finding
        found.append(Axis(name_in(finding), finding.severity, said[1], said[3], float(said[2]), said[4]))
    return found


def reaches_of(model: Model) -> list[Reach]:
    """The joints whose range is not that of the board with which the check compares it."""
    found = []
    for name in MOVING:
        (low, high), limit = board_of(model.robot, name)[1], model.robot.joints[name].limit
        beyond = max(low - limit.lower, limit.upper - high)
        short = limit.lower > low + CLOSE or limit.upper < high - CLOSE
        if beyond > CLOSE or short:
            ranges = (degrees(limit.lower), degrees(limit.upper)), (degrees(low), degrees(high))
            found.append(Reach(name, *ranges, degrees(beyond) if beyond > CLOSE else 0.0, short))
    return found


def distances(a: kt.Robot, b: kt.Robot, samples: int = SAMPLES, only: Collection[str] = ()) -> dict[str, Distance]:
    """`kt.compare(a, b).frames`, or some of these, for robots whose joints have the same names: without the search for
    those that belong together under other names, which takes a second."""
    tree_a, tree_b = tree(a), tree(b)
    number = {name: j for j, name in enumerate(tree_b.joints)}
    pairs = [Pair(BASE, BASE, IDENTITY)]
    for pair in pairs:  # grows while it is walked
        carried = [i for i, parent in enumerate(tree_a.parent) if parent == pair.a and tree_a.joints[i] in number]
        pairs += [Pair(i, number[tree_a.joints[i]], IDENTITY) for i in carried]
    found = frame_distances(Sides(a, b, tree_a, tree_b, pairs, SAME, SAME), samples)
    return {name: distance for name, distance in found.items() if not only or name in only}


@cache
def from_table(version: str, model: Model, samples: int = SAMPLES) -> dict[str, Distance]:
    """How far FRAMES of a model stand from those of a version's tables, where both have them."""
    return distances(built_in(version), model.robot, samples, FRAMES)


@cache
def built_in(version: str) -> kt.Robot:
    """The iCub of the published tables."""
    return kt.load(f"icub:{version}")


@cache
def stands_like(model: Model, other: Model) -> bool:
    """Whether every frame that two models have by name stands alike."""
    for samples, only in ((0, FRAMES), (3, ())):  # most that differ do so at once
        found = distances(model.robot, other.robot, samples, only)
        if "imu_frame" not in found or any(max(distance.largest) > SAME for distance in found.values()):
            return False
    return True


def version_of(model: Model, models: Sequence[Model]) -> tuple[str, str]:
    """The version of the tables that a model is to be compared with, and why."""
    if model.stated_version:
        return model.stated_version, "its name"
    twins = [other for other in models if other.stated_version and stands_like(model, other)]
    if twins:
        twin = max(twins, key=lambda other: len(set(other.robot.frames) & set(model.robot.frames)))
        return str(twin.stated_version), f"same frames as {twin.name}"
    hands = {v: max(from_table(v, model)[hand].largest[0] for hand in FRAMES[:2]) for v in BODIES}
    nearest = min(hands, key=lambda v: hands[v])
    return nearest, f"nearest hands, within {1000 * hands[nearest]:.2f} mm"


def name_in(finding: Finding) -> str:
    """The name of the element that a finding is about."""
    return (finding.element or "").partition("'")[2].rstrip("'")
