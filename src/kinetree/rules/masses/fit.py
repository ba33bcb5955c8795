"""Rules about masses and inertias beside the shapes of a link: too large, too small, elsewhere, or zero."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from kinetree.display import number, numbers
from kinetree.errors import Finding
from kinetree.model.inertias import NOTHING
from kinetree.model.robot import Geometry, Link, Robot
from kinetree.rules.facts import Bodies
from kinetree.rules.masses.inertia import FAR, HEAVY, LIGHT, TUTORIAL, Noted, too_dense
from kinetree.rules.masses.units import NEAR, in_unit
from kinetree.rules.quality import LinkQuality, Masses, grouped, others
from kinetree.rules.shapes.bounds import MARKER, Bounds, shapes_of, size_of
from kinetree.rules.shapes.geometry import HUGE
from kinetree.rules.threshold import Threshold
from kinetree.spatial.se3 import Array

BEYOND = Threshold(2.0, "", "largest radius of gyration, in distances from the centre to the furthest corner")
TIMES = Threshold(3.0, "", "largest distance of the centre of mass from the shapes, as a multiple of their size")
SPARSE = Threshold(0.1, "", "smallest sum of the moments, as a part of that of a solid box around the shapes")
SOLID = Threshold(0.7, "", "the same, as a part of that of the only shape, if its middle is the centre of mass")
WEIGHED = Threshold(0.01, "kg", "smallest mass of a link that is fixed to another and has too little inertia")
MIDDLE = Threshold(1e-3, "", "largest distance of the two that are one, as a part of the size of the shape")


class InertiaBeyondShape(LinkQuality):
    """The inertia of a link fits the size of its shapes.

    No mass of a body is outside of its shapes, so its radius of gyration is smaller than the shapes.
    """

    code = "INR-009"
    thresholds = (BEYOND, FAR, LIGHT, MARKER, NEAR)
    evidence = "heuristic"
    clause = "inertia in kg m² about the centre of mass"
    good = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    bad = '<inertia ixx="10.1" ixy="0" ixz="0" iyy="10.2" iyz="0" izz="10.3"/>'

    def check(self, counted: Masses, bounds: Bounds, bodies: Bodies, robot: Robot) -> Iterator[Finding]:
        """A radius of gyration that is too large for the shapes of the body; for a link that is fixed to another, for
        its own shapes, unless it carries shapes without an inertial. A mesh is read whole only if a part of it is too
        small, up to 20 MB, in other formats than STL up to 2 MB. One finding for all links of the same mass and
        moments."""
        most = np.maximum(counted.moments[:, 2], 0) / np.maximum(counted.mass, LIGHT)
        part = np.abs(_own_parts(counted, bounds, bodies, robot) - counted.centres[:, None])
        reaches = BEYOND * np.linalg.norm(part.max(axis=1), axis=1)
        near = (counted.mass >= LIGHT) & (most <= FAR**2) & (reaches > 0) & (reaches < np.sqrt(most))
        found = []
        for link, mass, moments in counted.where(near):
            radius = float(np.sqrt(max(moments[2], 0) / mass))
            box = _whole(link, bounds, bodies)
            if 0 < BEYOND * (reach := _reach(link, box)) < radius and size_of(box) >= MARKER:
                found.append((link, mass, moments, radius, reach))
        for same in grouped(found, lambda one: (one[1], tuple(one[2]))):
            link, _, moments, radius, reach = same[0]
            message = f"the inertia is too large for the shapes: its radius of gyration is {number(radius)} m,"
            message += f" but the shapes reach at most {number(reach)} m from the centre"
            question = in_unit(link, moments, robot)
            yield self.finding(f"{message}{question}{others([one[0].name for one in same[1:]])}", link)


class CentreOutside(LinkQuality):
    """The centre of mass of a link is near its shapes.

    A centre of mass far outside of the shapes is likely to be in millimetres, or in another frame.
    """

    code = "INR-010"
    thresholds = (TIMES, MARKER)
    evidence = "heuristic"
    clause = "the centre of mass, in metres, in the frame of the link"
    good = '<origin xyz="0.05 0 0.06"/>\n      <mass'
    bad = '<origin xyz="50 0 60"/>\n      <mass'

    def check(self, counted: Masses, bounds: Bounds, bodies: Bodies, robot: Robot) -> Iterator[Finding]:
        """A centre of mass that is too far from the shapes of the body; links that are fixed to others and meshes are
        treated as for INR-009."""
        low, high = _own_parts(counted, bounds, bodies, robot).swapaxes(0, 1)
        out = np.linalg.norm(counted.centres - np.clip(counted.centres, low, high), axis=1)
        sizes = TIMES * np.linalg.norm(high - low, axis=1)
        for link, _, _ in counted.where((counted.mass != 0) & (out > sizes) & (sizes > 0)):
            away, size = _distance(link, _whole(link, bounds, bodies))
            if away > TIMES * size and size >= MARKER:
                message = f"the centre of mass is {number(away)} m outside of the shapes, which are {number(size)} m"
                yield self.finding(f"{message} in size; check its unit and its frame", link)


class InertiaBelowShape(LinkQuality):
    """The inertia of a link is not far below that of its shapes.

    If the shapes were changed after the inertia was computed, or the inertia is in other units, the link turns too
    easily, and simulations of it vibrate.
    """

    code = "INR-018"
    thresholds = (SPARSE, SOLID, MIDDLE, MARKER, HUGE, HEAVY, WEIGHED)
    evidence = "heuristic"
    clause = "the inertia of the link"
    url = TUTORIAL
    good = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    bad = '<inertia ixx="0.06" ixy="0" ixz="0" iyy="0.061" iyz="0" izz="0.062"/>'

    def check(self, counted: Masses, bounds: Bounds, bodies: Bodies) -> Iterator[Finding]:
        """Moments far below those of a solid box around the visuals, and of one around the collision shapes; or less
        than those of the only shape, a box, cylinder, sphere or ellipsoid, with the centre of mass in its middle and no
        products of inertia. Light links that are fixed to others are not judged; INR-007 and INR-012 are about masses
        that are too large, GEO-003 about shapes. One finding for all links of the same mass and moments."""
        total = counted.moments.sum(axis=1)
        parts = [bounds.part(shapes_of(link)) for link in counted.links]
        squares = np.array([0.0 if part is None else np.square(part[1] - part[0]).sum() for part in parts])
        small = (
            (total > NOTHING)
            & (total < SOLID * counted.mass * squares / 6)
            & (squares >= MARKER**2)
            & (squares <= HUGE**2)
            & (counted.mass <= HEAVY)
        )
        found = []
        for link, mass, moments in counted.where(small & ~too_dense(counted)):
            whole = 0.0 if mass < WEIGHED and bodies[link.name] != link.name else mass
            expected = min(_solids(link), default=0.0) * whole
            if moments.sum() >= SOLID * expected:
                sizes = [size_of(bounds.whole(shapes)) for shapes in (link.visuals, link.collisions) if shapes]
                expected = min(sizes) ** 2 / 6 * whole
                if moments.sum() >= SPARSE * expected:
                    continue
            found.append((link, mass, moments, expected))
        for same in grouped(found, lambda one: (one[1], tuple(one[2]))):
            link, _, moments, expected = same[0]
            own, least = numbers((float(moments.sum()), expected))
            message = (
                f"the inertia is too small for the shapes: the sum of the moments is {own} kg m², but {least} kg m²"
            )
            rest = others([one[0].name for one in same[1:]])
            fix = "compute it from the shape and the mass, or check their units"
            yield self.finding(f"{message} for a solid body of this size{rest}", link, fix=fix)


SOLIDS: Mapping[str, Any] = {
    "box": lambda p: sum(side**2 for side in p["size"]) / 6,
    "cylinder": lambda p: p["radius"] ** 2 + p["length"] ** 2 / 6,
    "sphere": lambda p: 6 / 5 * p["radius"] ** 2,
    "ellipsoid": lambda p: 2 / 5 * sum(radius**2 for radius in p["radii"]),
}
"""Sum of the moments of a solid of each kind, as a part of its mass."""


def _solids(link: Link) -> list[float]:
    """Return the sums of the moments of a link's shapes by their mass, if each is a solid around the centre of mass."""
    assert link.inertial
    inertia, centre = link.inertial.inertia, link.inertial.origin[:3, 3]

    def is_around(geometry: Geometry) -> bool:
        off = np.linalg.norm(geometry.origin[:3, 3] - centre)
        return bool(off <= MIDDLE * np.sqrt(SOLIDS[geometry.shape.kind](geometry.shape.parameters)))

    shapes = shapes_of(link)
    if np.count_nonzero(inertia - np.diag(inertia.diagonal())) or len(link.visuals) > 1 or len(link.collisions) > 1:
        return []
    if not all(shape.shape.kind in SOLIDS and is_around(shape) for shape in shapes):
        return []
    return [SOLIDS[shape.shape.kind](shape.shape.parameters) for shape in shapes]


class MasslessShape(LinkQuality):
    """A link with collision shapes and an inertial has a mass above zero.

    Its weight is missing from the body. Simulators that keep fixed joints refuse the link, or hold it still.
    """

    code = "INR-019"
    thresholds = (MARKER,)
    clause = "the mass of the link"
    good = '<link name="flange"/>'
    bad = (
        '<link name="flange"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision><inertial>'
        '<mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>'
    )

    def check(self, robot: Robot, counted: Masses, bounds: Bounds, bodies: Bodies, noted: Noted) -> Iterator[Finding]:
        """A mass and moments of zero as written, and another link of the body has mass, or the body is the root's; one
        finding for all. Shapes that mark a place are not judged; INR-005 and INR-015 are about other links."""
        heavy = {bodies[link.name] for link in robot.links.values() if link.inertial and link.inertial.mass}
        found = [
            link
            for link, _, _ in counted.where((counted.mass == 0) & (counted.size <= NOTHING))
            if link.collisions
            and bodies[link.name] in heavy
            and ("default-inertia", f"link {link.name!r}") not in noted
            and size_of(bounds.part(shapes_of(link))) >= MARKER
        ]
        if found:
            message = f"the link has a collision shape, but its mass is 0{others([link.name for link in found[1:]])}"
            yield self.finding(message, found[0], fix="write its mass and inertia, or leave out its <inertial>")


def _own_parts(masses: Masses, bounds: Bounds, bodies: Bodies, robot: Robot) -> Array:
    """Return the boxes (n, 2, 3) of parts of the bodies of which links are the tops, and of other links of their own
    parts; not numbers for links without shapes, and for those that carry shapes without an inertial."""
    own = (link.name if bodies[link.name] == link.name and shapes_of(link) else "" for link in masses.links)
    boxes = bounds.parts_of_bodies(own)
    carrying = {
        joint.parent
        for joint in robot.joints.values()
        if not joint.kind.nv and not robot.links[joint.child].inertial and shapes_of(robot.links[joint.child])
    }
    for i, link in enumerate(masses.links):
        if bodies[link.name] != link.name and link.name not in carrying:
            part = bounds.part(shapes_of(link))
            boxes[i] = boxes[i] if part is None else part
    return boxes


def _whole(link: Link, bounds: Bounds, bodies: Bodies) -> Array | None:
    """Return the box around the shapes of the body of which a link is the top, or around its own."""
    return bounds.whole_body(link.name) if bodies[link.name] == link.name else bounds.whole(shapes_of(link))


def _reach(link: Link, box: Array | None) -> float:
    """Return how far the furthest corner of a box is from a link's centre of mass, m; 0 without a box."""
    if box is None or link.inertial is None:
        return 0.0
    return float(np.linalg.norm(np.abs(box - link.inertial.origin[:3, 3]).max(axis=0)))


def _distance(link: Link, box: Array | None) -> tuple[float, float]:
    """Return how far a link's centre of mass is outside of a box, and the diagonal of the box, m; 0 without a box."""
    if box is None or link.inertial is None:
        return 0.0, 0.0
    centre = link.inertial.origin[:3, 3]
    return float(np.linalg.norm(centre - np.clip(centre, *box))), size_of(box)
