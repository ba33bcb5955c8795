"""Base of the rules for every robot, with the arm of their examples and measures of its bodies."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np

from kinetree.errors import Source
from kinetree.model.robot import Geometry, Joint, Link, Robot
from kinetree.rules.examples import ARM
from kinetree.rules.rule import Array, Bodies, Rule, fact, numbers

T = TypeVar("T")

KINEMATIC = ("dh", "dh-csv", "ets")
"""Formats of kinematics, in which no link has a mass as a rule."""


class Quality(Rule):
    """A rule for every robot; its examples are pieces of an arm."""

    base: ClassVar[str | None] = ARM


class LinkQuality(Quality):
    """A rule about links and their parts."""

    url: ClassVar[str] = "http://wiki.ros.org/urdf/XML/link"


class JointQuality(Quality):
    """A rule about joints."""

    url: ClassVar[str] = "http://wiki.ros.org/urdf/XML/joint"


def with_blocks(blocks: str) -> str:
    """Return the arm with more elements at its end."""
    return ARM.replace("</robot>", f"{blocks}\n</robot>")


Shapes = tuple[tuple[Link, Geometry], ...]


@fact
def shapes(robot: Robot) -> Shapes:
    """Return every shape with its link; one that is both visual and collision in the file, such as MuJoCo's geoms,
    occurs once."""
    return tuple((link, shape) for link in robot.links.values() for shape in _written_shapes(link))


def _written_shapes(link: Link) -> list[Geometry]:
    felt = {shape.source for shape in link.collisions if shape.source}
    return [*(shape for shape in link.visuals if shape.source not in felt), *link.collisions]


def grouped(things: Iterable[T], key: Callable[[T], object]) -> list[list[T]]:
    """Return things grouped by key, in the order of the first of each."""
    groups: dict[object, list[T]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return list(groups.values())


STATIC = re.compile(r"(<gazebo>.*)?<static>\s*(true|1)\s*<", re.IGNORECASE | re.DOTALL)
FREE = 6
"""Degrees of freedom of a floating joint."""


def span(joint: Joint) -> str:
    """Return the limits of a joint of one coordinate with their unit."""
    return spans(joint, joint.limit.lower, joint.limit.upper)[1]


def spans(joint: Joint, low: float, high: float) -> tuple[str, str]:
    """Return a range of a joint of one coordinate, and its limits, with their unit."""
    a, b, lower, upper = numbers((low, high, joint.limit.lower, joint.limit.upper))
    return f"{a} to {b} {unit(joint)}", f"{lower} to {upper} {unit(joint)}"


def unit(joint: Joint) -> str:
    """Return the unit of the position of a joint of one coordinate."""
    return "rad" if joint.kind.angular == (True,) else "m"


Noted = frozenset[tuple[str, str | None]]


@fact
def noted(robot: Robot) -> Noted:
    """Return (code, element) of the reader's notes."""
    return frozenset((note.code, note.element) for note in robot.notes)


@fact
def ranged(robot: Robot) -> tuple[Joint, ...]:
    """Return the joints of one coordinate that have a limit."""
    return tuple(joint for joint in robot.joints.values() if joint.limits and joint.kind.nv == 1)


@fact
def moving(robot: Robot, bodies: Bodies) -> Mapping[str, tuple[Link, ...]]:
    """Return the links of each moving body, which fixed joints connect; the first is the joint's child."""
    found: dict[str, list[Link]] = {}
    for name in robot.placed:  # parents before children
        child = robot.joints[name].child
        if bodies[child] != robot.root:
            found.setdefault(bodies[child], []).append(robot.links[child])
    return {body: tuple(links) for body, links in found.items()}


def is_made(link: Link, robot: Robot) -> bool:
    """Return whether a reader made a link that the file lacks, as between several joints of a MuJoCo body: its source
    is that of the joint that moves it."""
    joint = robot.parent_joint(link.name)
    return joint is not None and joint.kind.nv > 0 and link.source == joint.source and not is_free(joint, robot)


def is_free(joint: Joint, robot: Robot) -> bool:
    """Return whether a reader made a joint that the file lacks, with which a body of a world floats: its source is that
    of the body, or there is none."""
    return joint.kind.nv == FREE and joint.source == robot.links[joint.child].source


@fact
def assumed(robot: Robot) -> frozenset[Source | None]:
    """Return the places of links without an inertial in the file, to which SDF gives 1 kg."""
    return frozenset(note.source for note in robot.notes if note.code == "no-inertial")


@fact
def scenery(robot: Robot) -> frozenset[str]:
    """Return the links that stand still for ever: those of static models of SDF, and of URDF with a <gazebo> block that
    says so, the root `world`, and what is fixed to it and carries no joint that moves."""
    said = [one.tag for one in robot.extensions if STATIC.match(one.text)]
    scopes = tuple(tag.removesuffix("static").removesuffix("gazebo") for tag in said)
    found = {name for name in robot.links if name.startswith(scopes)}
    if robot.root == "world":
        carriers = {joint.parent for joint in robot.joints.values() if joint.kind.nv}
        joints = [robot.joints[name] for name in robot.placed]  # parents before children
        for joint in reversed(joints):
            carriers |= {joint.parent} if joint.child in carriers else set()
        found.add("world")
        for joint in joints:
            if joint.parent in found and not joint.kind.nv and joint.child not in carriers:
                found.add(joint.child)
    return frozenset(found)


@fact
def weighed(
    robot: Robot, moving: Mapping[str, tuple[Link, ...]], assumed: frozenset[Source | None]
) -> Mapping[str, tuple[Link, ...]]:
    """Return `moving` as the file has it: without links that a reader made and inertials that it assumes, and without
    bodies of which a part has a mass that follows from its shapes; nothing for robots without masses in a format of
    kinematics. The link of a row has the source of its joint, too, but is one of the file if some rows have masses."""
    if robot.text and robot.text.format in KINEMATIC and not any(link.inertial for link in robot.links.values()):
        return {}
    made = [link.name for link in robot.links.values() if is_made(link, robot)]
    made = [] if any(robot.links[name].inertial for name in made) else made
    found = {body: tuple(link for link in links if link.name not in made) for body, links in moving.items()}
    return {
        body: tuple(replace(link, inertial=None) if link.source in assumed else link for link in links)
        for body, links in found.items()
        if links and not any(link.unweighed for link in links)
    }


@fact
def loose(
    robot: Robot,
    bodies: Bodies,
    scenery: frozenset[str],
    assumed: frozenset[Source | None],
    weighed: Mapping[str, tuple[Link, ...]],
) -> tuple[tuple[Link, ...], ...]:
    """Return the bodies of `weighed`, and that at the root of a free model of SDF, which no joint moves."""
    links = tuple(link for link in robot.links.values() if bodies[link.name] == robot.root)
    is_free = robot.text is not None and robot.text.format == "sdf" and robot.root not in scenery
    known = is_free and not any(link.unweighed or link.source in assumed for link in links)
    return (*weighed.values(), *([links] if known else []))


@dataclass(frozen=True, slots=True, eq=False)
class Masses:
    """Links with an inertial: mass (n,) in kg, and principal moments (n, 3) in kg m², ascending."""

    links: tuple[Link, ...]
    mass: Array
    moments: Array

    @property
    def centres(self) -> Array:
        """Centres of mass (n, 3) in the frames of the links."""
        found = [link.inertial.origin[:3, 3] for link in self.links if link.inertial]
        return np.array(found).reshape(-1, 3)

    @property
    def size(self) -> Array:
        """Largest absolute moment (n,) of each link."""
        return np.asarray(np.abs(self.moments).max(axis=1, initial=0.0))

    def where(self, condition: Array) -> list[tuple[Link, float, Array]]:
        """Return link, mass and moments (3,) where a condition (n,) is true."""
        return [(self.links[i], float(self.mass[i]), self.moments[i]) for i in np.flatnonzero(condition)]


@fact
def masses(robot: Robot, assumed: frozenset[Source | None]) -> Masses:
    """Return mass and principal moments of all links that have an inertial in the file."""
    links = tuple(link for link in robot.links.values() if link.inertial and link.source not in assumed)
    inertials = [link.inertial for link in links if link.inertial]
    tensors = np.array([inertial.inertia for inertial in inertials]).reshape(-1, 3, 3)
    return Masses(links, np.array([inertial.mass for inertial in inertials]), np.linalg.eigvalsh(tensors))


@fact
def counted(masses: Masses, scenery: frozenset[str]) -> Masses:
    """Return `masses` without links that stand still for ever, whose masses no simulator uses."""
    kept = [i for i, link in enumerate(masses.links) if link.name not in scenery]
    return Masses(tuple(masses.links[i] for i in kept), masses.mass[kept], masses.moments[kept])


HALF_EXTENTS: Mapping[str, Callable[[Mapping[str, object]], object]] = {
    "box": lambda p: np.abs(np.asarray(p["size"], dtype=float)) / 2,
    "sphere": lambda p: np.full(3, p["radius"], dtype=float),
    "cylinder": lambda p: np.array((p["radius"], p["radius"], float(str(p["length"])) / 2)),
    "capsule": lambda p: np.array((p["radius"], p["radius"], float(str(p["length"])) / 2 + float(str(p["radius"])))),
    "ellipsoid": lambda p: np.asarray(p["radii"], dtype=float),
}
"""Half of the size (3,) of each kind of shape along its axes."""
