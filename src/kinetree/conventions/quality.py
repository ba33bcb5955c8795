"""What the families of rules share that hold for every robot: the arm of their examples, and measures of its bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from kinetree.conventions.examples import ARM
from kinetree.conventions.facts import fact
from kinetree.conventions.rule import Rule
from kinetree.model.robot import Geometry, Joint, Link, Robot
from kinetree.spatial.se3 import Array

T = TypeVar("T")

URDF_LINK = "http://wiki.ros.org/urdf/XML/link"
URDF_JOINT = "http://wiki.ros.org/urdf/XML/joint"

WITHOUT_MASSES = ("dh", "dh-csv", "ets")
"""Formats in which no body has a mass."""


class Quality(Rule):
    """A rule for every robot; its examples are pieces of an arm."""

    base: ClassVar[str | None] = ARM


def with_blocks(blocks: str) -> str:
    """The arm with more elements at its end."""
    return ARM.replace("</robot>", f"{blocks}\n</robot>")


Shapes = tuple[tuple[Link, Geometry], ...]


@fact
def shapes(robot: Robot) -> Shapes:
    """Every shape with its link; what a file writes once, as MuJoCo's geoms that are seen and felt, is there once."""
    return tuple((link, shape) for link in robot.links.values() for shape in _written_shapes(link))


def _written_shapes(link: Link) -> list[Geometry]:
    felt = {shape.source for shape in link.collisions if shape.source}
    return [*(shape for shape in link.visuals if shape.source not in felt), *link.collisions]


def grouped(things: Iterable[T], key: Callable[[T], object]) -> list[list[T]]:
    """Things of the same key together, in the order of the first of each."""
    groups: dict[object, list[T]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return list(groups.values())


def others(names: Sequence[str]) -> str:
    """A clause that names up to eight more things of which the same is true."""
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"; so has {', '.join(map(repr, names[:8]))}{more}" if names else ""


@fact
def noted(robot: Robot) -> frozenset[tuple[str, str | None]]:
    """(code, element) of what the reader has said already."""
    return frozenset((note.code, note.element) for note in robot.notes)


@fact
def ranged(robot: Robot) -> tuple[Joint, ...]:
    """The joints of one coordinate that have a limit."""
    return tuple(joint for joint in robot.joints.values() if joint.limits and joint.kind.nv == 1)


@fact
def moving(robot: Robot, bodies: Mapping[str, str]) -> Mapping[str, tuple[Link, ...]]:
    """Body that a joint moves to its links, which fixed joints hold together: the first is that of the joint."""
    found: dict[str, list[Link]] = {}
    for name in robot.placed:  # parents before children
        child = robot.joints[name].child
        if bodies[child] != robot.root:
            found.setdefault(bodies[child], []).append(robot.links[child])
    return {body: tuple(links) for body, links in found.items()}


def is_made(link: Link, robot: Robot) -> bool:
    """Return whether a reader made a link that the file does not write, as behind each but the last of a MuJoCo body's
    joints: it has the place in the file of the joint that moves it."""
    joint = robot.parent_joint(link.name)
    return joint is not None and joint.kind.nv > 0 and link.source is not None and link.source == joint.source


@fact
def weighed(robot: Robot, moving: Mapping[str, tuple[Link, ...]]) -> Mapping[str, tuple[Link, ...]]:
    """As `moving`, without links that a reader made, and without bodies of which a part has a mass that follows from
    its shapes, which the reader has said; none of a format that says no masses."""
    if robot.text and robot.text.format in WITHOUT_MASSES:
        return {}
    unknown = {note.source for note in robot.notes if note.code == "unknown-inertia"}
    found = {body: tuple(link for link in links if not is_made(link, robot)) for body, links in moving.items()}
    return {
        body: links
        for body, links in found.items()
        if links and not any(link.source in unknown or _is_auto(link) for link in links)
    }


def _is_auto(link: Link) -> bool:
    """Whether an SDF file leaves the inertial to simulators: the reader keeps it as it stands."""
    return any(extension.format == "sdf" and extension.tag == "inertial" for extension in link.extensions)


@dataclass(frozen=True, slots=True, eq=False)
class Masses:
    """The links with an inertial: mass (n,) in kg; moments (n, 3) in kg m², the principal ones, ascending."""

    links: tuple[Link, ...]
    mass: Array
    moments: Array

    @property
    def size(self) -> Array:
        """The largest moment (n,) of each, whatever its sign."""
        return np.asarray(np.abs(self.moments).max(axis=1, initial=0.0))

    def where(self, condition: Array) -> list[tuple[Link, float, Array]]:
        """Link, mass and moments (3,) of those for which a condition (n,) holds."""
        return [(self.links[i], float(self.mass[i]), self.moments[i]) for i in np.flatnonzero(condition)]


@fact
def masses(robot: Robot) -> Masses:
    """Mass and principal moments of all links that have an inertial."""
    links = tuple(link for link in robot.links.values() if link.inertial)
    inertials = [link.inertial for link in links if link.inertial]
    tensors = np.array([inertial.inertia for inertial in inertials]).reshape(-1, 3, 3)
    return Masses(links, np.array([inertial.mass for inertial in inertials]), np.linalg.eigvalsh(tensors))


@fact
def boxes(robot: Robot, bodies: Mapping[str, str]) -> Mapping[str, Array]:
    """Link to the lowest and the highest corner (2, 3) of its shapes, in its frame. Only links that have a mass and are
    fixed to no other, and that have nothing but simple shapes, since meshes are not read."""
    found = {}
    for link in robot.links.values():
        shapes = (*link.visuals, *link.collisions)
        if (
            shapes
            and link.inertial
            and bodies[link.name] == link.name
            and all(shape.shape.kind in HALF_EXTENTS for shape in shapes)
        ):
            corners = np.array([_corners(shape) for shape in shapes])
            found[link.name] = np.array((corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)))
    return found


HALF_EXTENTS: Mapping[str, Callable[[Mapping[str, object]], object]] = {
    "box": lambda p: np.abs(np.asarray(p["size"], dtype=float)) / 2,
    "sphere": lambda p: np.full(3, p["radius"], dtype=float),
    "cylinder": lambda p: np.array((p["radius"], p["radius"], float(str(p["length"])) / 2)),
    "capsule": lambda p: np.array((p["radius"], p["radius"], float(str(p["length"])) / 2 + float(str(p["radius"])))),
    "ellipsoid": lambda p: np.asarray(p["radii"], dtype=float),
}
"""Shape to half of its size (3,) along its axes."""


def _corners(geometry: Geometry) -> tuple[Array, Array]:
    """The lowest and the highest corner of a shape, in the frame of its link."""
    half = np.abs(geometry.origin[:3, :3]) @ np.asarray(HALF_EXTENTS[geometry.shape.kind](geometry.shape.parameters))
    center = geometry.origin[:3, 3]
    return center - half, center + half
