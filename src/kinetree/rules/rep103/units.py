"""Rule about numbers in units other than those of SI."""

from math import hypot, isclose, isfinite, pi
from typing import Any

import numpy as np

from kinetree.display import number as text
from kinetree.model.robot import Geometry, Joint, Link, Robot
from kinetree.rules.mjcf import Parts, radians_in
from kinetree.rules.quality import HALF_EXTENTS, Shapes, grouped, span
from kinetree.rules.rep103.clause import Rep103, Rpys
from kinetree.rules.rule import Found, Poses, Threshold
from kinetree.spatial.se3 import IDENTITY, Array
from kinetree.syntax.numbers import number

TURNS = Threshold(4 * pi, "rad", "largest limit of a joint that turns")
DEGREES = Threshold(720.0, "rad", "limit above which a joint that turns has none in any unit")
FAR = Threshold(20.0, "m", "largest distance of a joint, a shape or a centre of mass from its link")
CARRIED = Threshold(10.0, "", "largest travel of a sliding joint behind one that turns, in sizes of the robot")
GANTRY = Threshold(100.0, "", "largest travel of any sliding joint, in sizes of the robot")
SMALL = Threshold(1.0, "m", "size that is taken for that of a smaller robot")
NO_LIMIT = Threshold(1e4, "m", "travel from which on a sliding joint has no limit in any unit")
DENSE = Threshold(2e5, "kg/m³", "largest density of a link, ten times that of metals")
HEAVY = Threshold(10.0, "kg", "smallest mass for which the density of a link is judged")
ROUNDED = Threshold(1e-3, "rad", "largest excess of an rpy over a whole turn, since 6.2832 is a rounded turn")
MANY = Threshold(100.0, "rad", "angle from which on none is taken for a multiple of half a degree")
RATIO = Threshold(1e-3, "", "largest relative difference of the scales of one mesh from a ratio of two units of length")
Names = frozenset[str]
RATIOS = (10.0, 25.4, 39.37, 100.0, 1000.0)
"""Ratios of the units of length: millimetre, centimetre, inch, metre."""


class Units(Rep103):
    """Lengths are in metres, angles in radians, masses in kilograms.

    A file with limits and rpy in degrees, offsets in millimetres or a mass in grams loads, but describes another robot.
    The rule recognises such numbers by their size, so it may be wrong. It accepts poses of SDF with degrees="true".
    Angles of MJCF are in the unit of its compiler, degrees by default.
    """

    code = "R103-002"
    thresholds = (TURNS, DEGREES, FAR, CARRIED, GANTRY, SMALL, NO_LIMIT, DENSE, HEAVY, ROUNDED, MANY, RATIO)
    of_robot = True
    evidence = "heuristic"
    clause = "We have chosen to standardize on SI units"
    good = 'upper="2.9"'
    bad = 'upper="166"'

    def check(
        self, robot: Robot, shapes: Shapes, rpys: Rpys, angles: Names, poses: Poses, scenery: Names, mjcf_parts: Parts
    ) -> Found:
        """Sizes that a robot has in other units only. Equal travel to both sides means none. What stands in a world may
        be far, and static models have parts that are far apart. In MJCF in degrees, fractions of π. An angle of many
        digits that is an exact fraction of π was computed in radians. What carries a whole robot of MJCF goes far."""
        reaches = {joint.name: reach for joint in robot.joints.values() if (reach := _reach(joint))}
        size = _size(shapes, poses) if reaches else 0.0
        for joint in robot.joints.values():
            if joint.type == "revolute":
                yield from self._turns(joint)
            if joint.name in reaches:
                yield from self._slides(joint, reaches[joint.name] / max(size, SMALL), size, robot)
            placed = joint.parent == robot.root == "world" or joint.child in scenery  # anywhere in a world
            if (far := _distance(joint.origin)) > FAR and not placed:
                yield self.finding(f"the origin is {text(far)} m from the parent link; is it in millimetres?", joint)
        turns = {text for text in angles if abs(x := number(text) or 0) > 2 * pi + ROUNDED and not _is_computed(x)}
        for rpy in rpys if turns else ():
            if large := [text for text in rpy.numbers if text in turns]:
                message = f"{rpy.name} {', '.join(large)} is more than a whole turn; is it in degrees?"
                yield self.finding(message, rpy.owner, source=rpy.place(large[0]))
        for link in robot.links.values():
            yield from self._link(link) if link.name not in scenery else ()
        for message, element, name in radians_in(mjcf_parts):
            yield self.finding(message, element, source=element.place(name))
        yield from self._scales(shapes)

    def _turns(self, joint: Any) -> Found:
        ends = [end for end in (joint.limit.lower, joint.limit.upper) if isfinite(end)]
        if TURNS < max(map(abs, ends), default=0) <= DEGREES:
            message = f"the limits {span(joint)} are more than two turns; are they in degrees?"
            yield self.finding(message, joint, attribute="range")

    def _slides(self, joint: Joint, times: float, size: float, robot: Robot) -> Found:
        """Yield a finding if a joint slides too far: several times the size of the robot, m, which is 0 if unknown."""
        if _is_free(joint, robot):
            return
        if times > GANTRY or (times > CARRIED and size and _turns_with(joint, robot)):
            beside = f"for a robot of {text(size, 2) + ' m' if size else 'unknown size'}; are they in millimetres?"
            yield self.finding(f"the limits {span(joint)} are too wide {beside}", joint, attribute="range")

    def _link(self, link: Link) -> Found:
        parts = [part.origin for part in (*link.visuals, *link.collisions, link.inertial) if part is not None]
        if (far := max(map(_distance, parts), default=0.0)) > FAR:
            yield self.finding(f"a part of the link is {text(far)} m from its frame; is that in millimetres?", link)
        volume = _volume(link)
        if volume and link.inertial and link.inertial.mass > max(HEAVY, DENSE * volume):
            message = f"the mass is {text(link.inertial.mass)} kg in a volume of {text(volume * 1e3)} litres"
            yield self.finding(f"{message}; is it in grams?", link)

    def _scales(self, shapes: Shapes) -> Found:
        """Yield a finding if the uses of one mesh file have scales in different units."""
        for uses in grouped((use for use in shapes if use[1].shape.kind == "mesh"), _mesh):
            scales: list[Any] = [geometry.shape.parameters.get("scale", (1.0,)) for _, geometry in uses]
            if len(set(scales)) == 1:
                continue
            sizes = [max(map(abs, scale)) for scale in scales]
            small, large = min(sizes), max(sizes)
            if small and any(isclose(large / small, ratio, rel_tol=RATIO) for ratio in RATIOS):
                link, geometry = uses[sizes.index(large)]
                message = f"the scale of the mesh {_mesh((link, geometry))!r} is {text(large, 4)} here and"
                message += f" {text(small, 4)}"
                yield self.finding(f"{message} elsewhere; is one in another unit?", link, source=geometry.source)


def _is_free(joint: Joint, robot: Robot) -> bool:
    """Return whether a joint of MJCF carries a whole robot, which goes where it likes: only bodies without shapes are
    before it."""
    while joint.parent != robot.root and not robot.links[joint.parent].collisions + robot.links[joint.parent].visuals:
        joint = robot.parent_joint(joint.parent)  # type: ignore[assignment]  # not of the root
    return joint.parent == robot.root and robot.text is not None and robot.text.format == "mjcf"


def _is_computed(angle: float) -> bool:
    """Return whether an angle is a multiple of half a degree, to the last digits, in radians: a number of degrees with
    few digits never is."""
    return abs(angle) < MANY and isclose(angle * 360 / pi, round(angle * 360 / pi), rel_tol=1e-9, abs_tol=0)


def _reach(joint: Joint) -> float:
    """Return the travel of a joint, m, if it is suspicious, else 0. Equal travel to both sides means no limit, as for
    mobile bases."""
    if joint.type != "prismatic":
        return 0.0
    lower, upper = joint.limit.lower, joint.limit.upper
    slides = joint.coordinated and lower != -upper
    return upper - lower if slides and CARRIED * SMALL < upper - lower < NO_LIMIT else 0.0


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
