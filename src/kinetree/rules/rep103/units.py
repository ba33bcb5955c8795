"""Rule about numbers in units other than those of SI."""

from collections.abc import Iterator
from math import hypot, isclose, isfinite, pi
from typing import Any

import numpy as np

from kinetree.display import number as text
from kinetree.errors import Finding
from kinetree.model.robot import Geometry, Joint, Link, Robot
from kinetree.rules.facts import Poses
from kinetree.rules.quality import HALF_EXTENTS, Shapes, grouped, span
from kinetree.rules.rep103.clause import Rep103, Rpy
from kinetree.spatial.se3 import IDENTITY, Array
from kinetree.syntax.numbers import number

TURNS = 4 * pi
"""Largest turn of a revolute joint, rad."""
DEGREES = 720.0
"""Limits larger than this mean none in any unit."""
FAR = 20.0
"""Largest distance of a part from its parent, m."""
SLIDES = (10.0, 100.0)
"""Largest travel of a joint, in sizes of the robot: for one behind a turning joint, and for one on the floor, as the
axes of gantries."""
SMALL = 1.0
"""Size of a robot below which its frames may not show how large it is, as a rail with its carriage, m."""
NO_LIMIT = 1e4
"""Travel above which a joint has no limit in any unit, m."""
DENSE = 2e5
"""Ten times as dense as any metal, kg/m³."""
HEAVY = 10.0
"""Mass below which a link may have a small body for the sake of a simulation, kg."""
ROUNDED = 1e-3
"""How much more than one turn an rpy may be, rad: 6.2832 is a turn with its last digit rounded up."""
RATIOS = (10.0, 25.4, 39.37, 100.0, 1000.0)
"""Ratios of the units of length: millimetre, centimetre, inch, metre."""


class Units(Rep103):
    """Lengths are in metres, angles in radians, masses in kilograms.

    A file with limits and rpy in degrees, offsets in millimetres or a mass in grams loads, but describes another robot.
    The rule recognises such numbers by their size, so it may be wrong. It accepts poses of SDF with degrees="true".
    """

    code = "R103-002"
    of_robot = True
    evidence = "heuristic"
    clause = "We have chosen to standardize on SI units"
    good = 'upper="2.9"'
    bad = 'upper="166"'

    def check(
        self, robot: Robot, shapes: Shapes, rpys: tuple[Rpy, ...], angles: frozenset[str], poses: Poses
    ) -> Iterator[Finding]:
        """Sizes that a robot has in other units only."""
        size = _size(shapes, poses) if any(map(_reach, robot.joints.values())) else 0.0
        for joint in robot.joints.values():
            yield from self._turns(joint)
            yield from self._slides(joint, size, robot)
            placed = joint.parent == robot.root == "world"  # things may stand anywhere in a world
            if (far := _distance(joint.origin)) > FAR and not placed:
                yield self.finding(f"the origin is {text(far)} m from the parent link; is it in millimetres?", joint)
        turns = {text for text in angles if abs(number(text) or 0) > 2 * pi + ROUNDED}
        for rpy in rpys if turns else ():
            if large := [text for text in rpy.numbers if text in turns]:
                message = f"rpy {', '.join(large)} is more than a whole turn; is it in degrees?"
                yield self.finding(message, rpy.owner.label, source=rpy.place(large[0]))
        for link in robot.links.values():
            yield from self._link(link)
        yield from self._scales(shapes)

    def _turns(self, joint: Any) -> Iterator[Finding]:
        if joint.kind.name != "revolute":
            return
        ends = [end for end in (joint.limit.lower, joint.limit.upper) if isfinite(end)]
        if TURNS < max(map(abs, ends), default=0) <= DEGREES:
            yield self.finding(f"the limits {span(joint)} are more than two turns; are they in degrees?", joint)

    def _slides(self, joint: Joint, size: float, robot: Robot) -> Iterator[Finding]:
        """Yield a finding if a joint slides too far for a robot of a size, m; 0 if it is unknown."""
        times = _reach(joint) / max(size, SMALL)
        if times > SLIDES[1] or (times > SLIDES[0] and size and _turns_with(joint, robot)):
            beside = f"for a robot of {text(size, 2)} m" if size else "for a robot of unknown size"
            message = f"the limits {span(joint)} are too wide {beside}; are they in millimetres?"
            yield self.finding(message, joint)

    def _link(self, link: Link) -> Iterator[Finding]:
        parts = [part.origin for part in (*link.visuals, *link.collisions, link.inertial) if part is not None]
        if (far := max(map(_distance, parts), default=0.0)) > FAR:
            yield self.finding(f"a part of the link is {text(far)} m from its frame; is that in millimetres?", link)
        volume = _volume(link)
        if volume and link.inertial and link.inertial.mass > max(HEAVY, DENSE * volume):
            message = f"the mass is {text(link.inertial.mass)} kg in a volume of {text(volume * 1e3)} litres"
            yield self.finding(f"{message}; is it in grams?", link)

    def _scales(self, shapes: Shapes) -> Iterator[Finding]:
        """Yield a finding if the uses of one mesh file have scales in different units."""
        for uses in grouped((use for use in shapes if use[1].shape.kind == "mesh"), _mesh):
            scales: list[Any] = [geometry.shape.parameters.get("scale", (1.0,)) for _, geometry in uses]
            if len(set(scales)) == 1:
                continue
            sizes = [max(map(abs, scale)) for scale in scales]
            small, large = min(sizes), max(sizes)
            if small and any(isclose(large / small, ratio, rel_tol=1e-3) for ratio in RATIOS):
                link, geometry = uses[sizes.index(large)]
                message = (
                    f"the scale of the mesh {_mesh((link, geometry))!r} is {text(large, 4)} here and {text(small, 4)}"
                )
                yield self.finding(f"{message} elsewhere; is one in another unit?", link, source=geometry.source)


def _reach(joint: Joint) -> float:
    """Return the travel of a joint, m, if it is suspicious, else 0. Equal travel to both sides means no limit, as for
    mobile bases."""
    lower, upper = joint.limit.lower, joint.limit.upper
    slides = joint.kind.name == "prismatic" and joint.coordinated and lower != -upper
    return upper - lower if slides and SLIDES[0] * SMALL < upper - lower < NO_LIMIT else 0.0


def _size(shapes: Shapes, poses: Poses) -> float:
    """Return the diagonal of the box around all frames and shapes except meshes, m."""
    points = [T[:3, 3] for T in poses.values()]
    for link, geometry in shapes:
        if half := HALF_EXTENTS.get(geometry.shape.kind):
            T = poses[link.name] @ geometry.origin
            reach = np.abs(T[:3, :3]) @ np.asarray(half(geometry.shape.parameters))
            points += [T[:3, 3] - reach, T[:3, 3] + reach]
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def _turns_with(joint: Joint, robot: Robot) -> bool:
    """Return whether a joint between the root and this one turns."""
    carrier = robot.parent_joint(joint.parent)
    while carrier is not None and not carrier.kind.turns:
        carrier = robot.parent_joint(carrier.parent)
    return carrier is not None


def _mesh(use: tuple[Link, Geometry]) -> Any:
    return use[1].shape.parameters["filename"]


def _distance(origin: Array) -> float:
    return 0.0 if origin is IDENTITY else hypot(origin.item(3), origin.item(7), origin.item(11))


def _volume(link: Link) -> float | None:
    """Return the volume of a link's collisions, or else visuals, m³; None if one is a mesh or another shape."""
    volumes: list[float] = []
    for geometry in link.collisions or link.visuals:
        sizes: Any = geometry.shape.parameters
        match geometry.shape.kind:
            case "box":
                x, y, z = sizes["size"]
                volumes.append(x * y * z)
            case "cylinder":
                volumes.append(pi * sizes["radius"] * sizes["radius"] * sizes["length"])
            case "sphere":
                radius = sizes["radius"]
                volumes.append(4 / 3 * pi * radius * radius * radius)  # infinite if it is huge, where ** would raise
            case _:
                return None
    return sum(volumes)
