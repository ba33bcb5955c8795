"""Rules about masses and inertias beside the shapes of a link: too large, too small, elsewhere, or zero."""

import numpy as np

from kinetree.model.inertias import NOTHING
from kinetree.rules.masses.inertia import HEAVY, TUTORIAL, too_dense
from kinetree.rules.quality import HALF_EXTENTS, LinkQuality, Masses, Noted, grouped
from kinetree.rules.rule import Array, Bodies, Element, Found, Link, Robot, Threshold, fact, number, numbers
from kinetree.rules.shapes.bounds import MARKER, UNKNOWN, Bounds, shapes_of, size_of
from kinetree.rules.shapes.geometry import HUGE

FAR = Threshold(2.0, "m", "largest radius of gyration of a link; only INR-008 judges larger ones")
FEATHER = Threshold(5e-6, "kg", "smallest mass of a link whose radius of gyration is judged by its shapes")
BEYOND = Threshold(1.3, "", "largest radius of gyration, in distances from the centre to the furthest corner")
HOLLOW = Threshold(3.1, "", "largest sum of the moments, as a multiple of that of the only shape, if it were solid")
TIMES = Threshold(3.0, "", "largest distance of the centre of mass from the shapes, as a multiple of their size")
SPARSE = Threshold(0.1, "", "smallest sum of the moments, as a part of that of a solid box around the shapes")
SOLID = Threshold(0.7, "", "the same, as a part of that of the only shape, if its middle is the centre of mass")
WEIGHED = Threshold(0.01, "kg", "smallest mass of a link that is fixed to another and has too little inertia")
MIDDLE = Threshold(1e-3, "", "largest distance of the two that are one, in radii of gyration of the shape")
UNITS = {"g mm²": 1e9, "g cm²": 1e7, "kg mm²": 1e6, "kg cm²": 1e4, "g m²": 1e3}
"""Units of inertia, and how many of them are 1 kg m²."""
NEAR = Threshold(3.0, "", "largest factor between an inertia in a unit and that of a solid box of the size of the link")


class GyrationRadius(LinkQuality):
    """The radius of gyration of a link is at most two metres.

    The radius of gyration is the square root of inertia / mass. If it is larger, the inertia is probably in other
    units, about another point, or a placeholder.
    """

    code = "INR-008"
    thresholds = (FAR, HUGE, NEAR)
    evidence = "heuristic"
    clause = "inertia in kg m² about the centre of mass"
    good = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    bad = '<inertia ixx="101" ixy="0" ixz="0" iyy="102" iyz="0" izz="103"/>'

    def check(self, counted: Masses, robot: Robot, link_bounds: Bounds) -> Found:
        """A larger radius about some axis, and than the reach of the shapes, if these are not too large themselves."""
        for link, mass, moments in counted.where((counted.mass > 0) & (counted.moments[:, 2] > FAR**2 * counted.mass)):
            box = link_bounds.whole(shapes_of(link))
            reach = np.inf if box is None or size_of(box) > HUGE else np.abs(box - _centre(link)).max(axis=0)
            if moments[2] <= mass * np.square(reach).sum() < np.inf:
                continue
            found, most = numbers((np.sqrt(moments[2] / mass), FAR))
            message = f"the inertia, {number(moments[2])} kg m², is too large for the mass, {number(mass)} kg:"
            message += f" the radius of gyration is {found} m, more than {most} m"
            yield self.finding(message + _in_unit(link, moments, robot), link)


class InertiaBeyondShape(LinkQuality):
    """The inertia of a link fits the size of its shapes.

    No mass of a body is outside of its shapes, so its radius of gyration is smaller than the shapes.
    """

    code = "INR-009"
    thresholds = (BEYOND, HOLLOW, FAR, FEATHER, MARKER, MIDDLE, NEAR, WEIGHED)
    evidence = "heuristic"
    clause = "inertia in kg m² about the centre of mass"
    good = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    bad = '<inertia ixx="10.1" ixy="0" ixz="0" iyy="10.2" iyz="0" izz="10.3"/>'

    def check(self, fitted: Masses, own_parts: Array, bounds: Bounds, bodies: Bodies, robot: Robot) -> Found:
        """A radius of gyration too large for the shapes of the body, or of a link that is fixed to another and carries
        no shapes without an inertial; one finding for all of the same mass and moments. A mesh is read whole only if a
        part of it is too small, up to 20 MB, in other formats than STL up to 2 MB. Or moments that no body inside of
        the only shape has, a box, cylinder, sphere or ellipsoid with the centre of mass in its middle; light links
        are left out."""
        most = np.maximum(fitted.moments[:, 2], 0) / np.maximum(fitted.mass, FEATHER)
        part = np.abs(own_parts - fitted.centres[:, None])
        reaches = BEYOND * np.linalg.norm(part.max(axis=1), axis=1)
        near = (fitted.mass >= FEATHER) & (most <= FAR**2) & (reaches > 0) & (reaches < np.sqrt(most))
        found = []
        for link, mass, moments in fitted.where(near):
            box = _whole(link, bounds, bodies)
            reach = float(np.linalg.norm(np.abs(box - _centre(link)).max(axis=0)))
            if 0 < BEYOND * reach < np.sqrt(max(moments[2], 0) / mass) and size_of(box) >= MARKER:
                found.append((link, mass, moments, reach))
        for same in grouped(found, lambda one: (one[1], tuple(one[2]))):
            link, mass, moments, reach = same[0]
            radius, far = number(np.sqrt(moments[2] / mass)), number(reach)
            message = f"the inertia is too large for the shapes: its radius of gyration is {radius} m,"
            message += f" but the shapes reach at most {far} m from the centre{_in_unit(link, moments, robot)}"
            yield from self.shared(message, [one[0] for one in same])
        judged = (fitted.mass >= WEIGHED) & (most <= FAR**2) & (reaches > BEYOND * MARKER / 2)
        judged &= (own_parts == bounds.parts_of_links(link.name for link in fitted.links)).all(axis=(1, 2))
        large = [(one, size) for one in fitted.where(judged) if (size := max(_solids(one[0]), default=0.0) * one[1])]
        known = {one[0].name for one in found}
        large = [(one, size) for one, size in large if one[2].sum() > HOLLOW * size and one[0].name not in known]
        for rows in grouped(large, lambda row: (row[0][1], tuple(row[0][2]))):
            own, solid = numbers((float(rows[0][0][2].sum()), rows[0][1]))
            message = "the inertia is too large for the shape:"
            message += f" the sum of the moments is {own} kg m², but {solid} kg m²"
            yield from self.shared(f"{message} for a solid body of this size", [one[0] for one, _ in rows])


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

    def check(self, fitted: Masses, own_parts: Array, bounds: Bounds, bodies: Bodies) -> Found:
        """A centre of mass that is too far from the shapes of the body; links that are fixed to others and meshes are
        treated as for INR-009."""
        low, high = own_parts.swapaxes(0, 1)
        out = np.linalg.norm(fitted.centres - np.clip(fitted.centres, low, high), axis=1)
        sizes = TIMES * np.linalg.norm(high - low, axis=1)
        for link, _, _ in fitted.where((fitted.mass != 0) & (out > sizes) & (sizes > 0)):
            box = _whole(link, bounds, bodies)
            away, size = float(np.linalg.norm(_centre(link) - np.clip(_centre(link), *box))), size_of(box)
            if away > TIMES * size and size >= MARKER:
                message = f"the centre of mass is {number(away)} m outside of the shapes, which are {number(size)} m"
                yield self.finding(f"{message} in size; check its unit and its frame", link)


class InertiaBelowShape(LinkQuality):
    """The inertia of a link is not far below that of its shapes.

    The shapes may have changed since. Such a link turns too easily, and simulations of it vibrate.
    """

    code = "INR-018"
    thresholds = (SPARSE, SOLID, MIDDLE, MARKER, HUGE, HEAVY, WEIGHED)
    evidence = "heuristic"
    clause = "the inertia of the link"
    url = TUTORIAL
    good = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    bad = '<inertia ixx="0.06" ixy="0" ixz="0" iyy="0.061" iyz="0" izz="0.062"/>'

    def check(self, fitted: Masses, bounds: Bounds, bodies: Bodies) -> Found:
        """Moments far below those of a solid box around the visuals, and of one around the collision shapes; or less
        than those of the only shape, a box, cylinder, sphere or ellipsoid, with the centre of mass in its middle and no
        products of inertia. Light links that are fixed to others are not judged; INR-007 and INR-012 are about masses
        that are too large, GEO-003 about shapes. One finding for all links of the same mass and moments."""
        total = fitted.moments.sum(axis=1)
        low, high = bounds.parts_of_links(link.name for link in fitted.links).swapaxes(0, 1)
        squares = np.square(high - low).sum(axis=1)  # not numbers without shapes
        fits = (squares >= MARKER**2) & (squares <= HUGE**2) & (fitted.mass <= HEAVY) & (total > NOTHING)
        small = fits & (total < SOLID * fitted.mass * squares / 6)
        found = []
        for link, mass, moments in fitted.where(small & ~too_dense(fitted)):
            if mass < WEIGHED and bodies[link.name] != link.name:
                continue
            expected = min(_solids(link), default=0.0) * mass
            if moments.sum() >= SOLID * expected:
                sizes = [size_of(bounds.whole(shapes)) for shapes in (link.visuals, link.collisions) if shapes]
                expected = min(sizes) ** 2 / 6 * mass
                if moments.sum() >= SPARSE * expected:
                    continue
            found.append((link, mass, moments, expected))
        for same in grouped(found, lambda one: (one[1], tuple(one[2]))):
            _, _, moments, expected = same[0]
            own, least = numbers((float(moments.sum()), expected))
            message = f"the inertia is too small for the shapes: the sum of the moments is {own} kg m²,"
            message += f" but {least} kg m² for a solid body of this size"
            fix = "compute it from the shape and the mass, or check their units"
            yield from self.shared(message, [one[0] for one in same], fix=fix)


SOLIDS = {"box": (2 / 3, 2 / 3), "cylinder": (1 / 2, 2 / 3), "sphere": (2 / 5, 2 / 5), "ellipsoid": (2 / 5, 2 / 5)}
"""Moments of a solid of each kind by its mass: how much the squared half extents across z and along z add to them."""


def _solids(link: Link) -> list[float]:
    """Return the sums of the moments of a link's shapes by their mass, if each is a solid around the centre of mass."""
    assert link.inertial
    inertia, shapes, sums = link.inertial.inertia, shapes_of(link), []
    if np.count_nonzero(inertia - np.diag(inertia.diagonal())) or len(link.visuals) > 1 or len(link.collisions) > 1:
        return []
    for kind, one in ((one.shape.kind, one) for one in shapes if one.shape.kind in SOLIDS):
        x, y, z = np.square(np.asarray(HALF_EXTENTS[kind](one.shape.parameters))).tolist()
        total = SOLIDS[kind][0] * (x + y) + SOLIDS[kind][1] * z
        if np.linalg.norm(one.origin[:3, 3] - _centre(link)) <= MIDDLE * np.sqrt(total):
            sums.append(total)
    return sums if len(sums) == len(shapes) else []


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

    def check(self, robot: Robot, counted: Masses, bounds: Bounds, bodies: Bodies, noted: Noted) -> Found:
        """A mass and moments of zero as written, and another link of the body has mass, or the body is the root's; one
        finding for all. Shapes that mark a place are not judged; INR-005 and INR-015 are about other links."""
        heavy = {bodies[link.name] for link in robot.links.values() if link.inertial and link.inertial.mass}
        zero = counted.where((counted.mass == 0) & (counted.size <= NOTHING))
        found = [link for link, _, _ in zero if link.collisions and bodies[link.name] in heavy]
        found = [link for link in found if ("default-inertia", f"link {link.name!r}") not in noted]
        found = [link for link in found if size_of(bounds.part(shapes_of(link))) >= MARKER]
        fix = "write its mass and inertia, or leave out its <inertial>"
        yield from self.shared("the link has a collision shape, but its mass is 0", found, fix=fix)


@fact
def fitted(counted: Masses, robot: Robot, document: Element | None) -> Masses:
    """Return `counted` without 1 kg with 1 kg m² in a URDF without joints that move and blocks of Gazebo, which is not
    for simulation, unless it is one link alone that collides."""
    plain = document and not any(joint.kind.nv for joint in robot.joints.values()) and not document.find("gazebo")
    ones = (counted.mass == 1) & (counted.moments == 1).all(axis=1) & bool(plain)
    kept = [i for i, link in enumerate(counted.links) if not ones[i] or (link.collisions and not robot.joints)]
    return Masses(tuple(counted.links[i] for i in kept), counted.mass[kept], counted.moments[kept])


@fact
def own_parts(fitted: Masses, bounds: Bounds, bodies: Bodies, robot: Robot) -> Array:
    """Return the boxes (n, 2, 3) of parts of the bodies of which links are the tops, and of other links of their own
    parts; not numbers for links without shapes, and for those that carry shapes without an inertial."""
    bare = {name for name, link in robot.links.items() if not link.inertial and shapes_of(link)}
    carrying = {joint.parent for joint in robot.joints.values() if not joint.kind.nv and joint.child in bare}
    is_top = np.array([bodies[link.name] == link.name for link in fitted.links], dtype=bool)
    tops = bounds.parts_of_bodies(link.name if shapes_of(link) else "" for link in fitted.links)
    own = bounds.parts_of_links("" if link.name in carrying else link.name for link in fitted.links)
    return np.where(is_top[:, None, None], tops, own)


def _whole(link: Link, bounds: Bounds, bodies: Bodies) -> Array:
    """Return the box around the shapes of the body of which a link is the top, or around its own, or UNKNOWN."""
    box = bounds.whole_body(link.name) if bodies[link.name] == link.name else bounds.whole(shapes_of(link))
    return UNKNOWN if box is None else box


def _centre(link: Link) -> Array:
    assert link.inertial
    return link.inertial.origin[:3, 3]


def _in_unit(link: Link, moments: Array, robot: Robot) -> str:
    """Return a question with the unit in which moments (3,) are those of a body of the link's size, or ""."""
    assert link.inertial
    if np.ptp(moments) <= 1e-9 * moments.max() and f"{moments[0]:.9e}".startswith("1.000000000"):
        return ""  # a placeholder
    shapes = [one.shape for one in (*link.visuals, *link.collisions) if one.shape.kind in HALF_EXTENTS]
    halves = [np.asarray(HALF_EXTENTS[shape.kind](shape.parameters)) for shape in shapes]
    size = max((2 * float(np.linalg.norm(half)) for half in halves), default=0.0)
    if not size:  # without them the size is that between the joints
        places = [joint.origin[:3, 3] for joint in robot.joints.values() if joint.parent == link.name]
        size = max(float(np.linalg.norm(place)) for place in (*places, 2 * link.inertial.origin[:3, 3]))
    solid = link.inertial.mass * size**2 / 6  # sum of the moments of a solid box by its diagonal
    times = float(moments.sum()) / solid if solid > 0 else 0.0
    unit = next((unit for unit, factor in UNITS.items() if factor / NEAR < times < factor * NEAR), "")
    return f"; is it in {unit}?" if unit else ""
