"""Rules about colours, and about collision shapes beside what is seen."""

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from kinetree.errors import Source
from kinetree.model.robot import Geometry, Link, Material, Robot
from kinetree.rules.examples import CART
from kinetree.rules.quality import LinkQuality, Shapes, grouped
from kinetree.rules.rule import Bodies, Found, Poses, Threshold, number
from kinetree.rules.shapes.bounds import MARKER, Bounds, size_of
from kinetree.rules.shapes.meshes import MeshRule, Readings, file_of, first_uses

MANY_TRIANGLES = Threshold(100_000, "triangles", "smallest number of triangles of a mesh that is only for looks")
LARGER = Threshold(5.0, "", "largest size of the collision shapes, as a multiple of that of the visuals")
SLIDING = ("prismatic", "planar", "floating")
MOVED = Threshold(1e-3, "m", "largest distance between the two places")
TURNED = Threshold(0.02, "rad", "largest turn between the two places")
ALIKE = Threshold(0.02, "", "largest difference of boxes of two meshes, as a part of their size, that have one shape")
POSITION = re.compile(r"<pos>\s*((?:[-+.\deE]+\s*){3})</pos>")
SEEN_LARGER = Threshold(10.0, "", "largest size of the visuals, as a multiple of that of the collision shapes")
SCALED = Threshold(100.0, "", "largest ratio of the sizes where the smaller shape is a mesh that only marks a place")
AWAY = Threshold(0.8, "", "largest distance between the middles of the two, as a multiple of the size of the larger")


class Colour(LinkQuality):
    """The numbers of a colour are between 0 and 1.

    Programs cut them at 1 or refuse them; a colour of 0 to 255 becomes white.
    """

    code = "GEO-004"
    clause = "rgba: four numbers from 0 to 1"
    url = "http://wiki.ros.org/urdf/XML/link"
    good = '<material name="orange"><color rgba="1 0.5 0 1"/></material>'
    bad = '<material name="orange"><color rgba="255 128 0 1"/></material>'
    base = LinkQuality.base and LinkQuality.base.replace('<link name="base_link">', f'{good}<link name="base_link">')

    def check(self, robot: Robot, shapes: Shapes) -> Found:
        """A number below 0 or above 1; one finding for each colour."""
        found: list[tuple[Material, str, Source | None]] = [(m, "", m.source) for m in robot.materials.values()]
        for link, shape in shapes:
            if material := shape.material:
                place = material.source or (shape.source and shape.source.of("rgba")) or link.source
                found.append((material, f"link {link.name!r}", place))
        wrong = [one for one in found if (c := one[0].rgba) and (min(c) < 0 or max(c) > 1 + 1e-6)]
        for same in grouped(wrong, lambda one: (one[0].name, one[0].rgba)):
            material, about, place = same[0]
            rgba = material.rgba or (0.0, 0.0, 0.0, 1.0)
            is_of_255 = min(rgba) >= 0 and 2 <= max(rgba) <= 255
            fix = f'rgba="{" ".join(number(c / 255) for c in rgba[:3])} {number(min(rgba[3], 1.0))}"'
            message = f"the colour is {' '.join(map(number, rgba))}; expected numbers from 0 to 1"
            about = f"material {material.name!r}" if material.name or not about else about
            yield self.finding(message, about, source=place, fix=fix if is_of_255 else None)


class CollisionSize(LinkQuality):
    """The collision shapes of a link are where its visuals are, and about as large.

    Otherwise one of the two has another unit, scale or origin.
    """

    code = "GEO-005"
    thresholds = (LARGER, SEEN_LARGER, SCALED, AWAY, MARKER)
    evidence = "heuristic"
    clause = "the collision properties of a link"
    good = '<collision><origin xyz="0.25 0 0"/><geometry><box size="0.4 0.12 0.12"/></geometry></collision>'
    bad = '<collision><origin xyz="0.25 0 0"/><geometry><box size="4 1.2 1.2"/></geometry></collision>'

    def check(self, robot: Robot, bounds: Bounds, contact: bool) -> Found:
        """Collision shapes that are much larger than the visuals, or visuals that are than collision shapes, or far
        away. Small shapes may only mark a place. Mesh files of up to 0.5 MB, 2 MB in all, and STL files are read; if
        contact is tested, those of up to 10 MB."""
        size = bounds.whole if contact else bounds.part
        found = [
            (link, seen, felt)
            for link in robot.links.values()
            if link.visuals and link.collisions
            if (seen := size(link.visuals)) is not None and (felt := size(link.collisions)) is not None
        ]
        boxes, felt_boxes = (np.array([row[k] for row in found]).reshape(-1, 2, 3) for k in (1, 2))
        meshes = [[all(map(file_of, shapes)) for shapes in (link.visuals, link.collisions)] for link, *_ in found]
        wrong = _differences(boxes, felt_boxes, np.array(meshes, dtype=bool).reshape(-1, 2))[:3]
        for i in np.flatnonzero(np.any(wrong, axis=0)):
            link = found[i][0]
            whole, felt_whole = bounds.whole(link.visuals), bounds.whole(link.collisions)
            difference = _difference(whole, felt_whole, np.array(meshes[i]))
            if difference and not any(_displaced(bounds, link)):  # which GEO-006 names more exactly
                yield self.finding(difference, link)


class OneShapeOnePlace(LinkQuality):
    """A shape that a link has as visual and as collision stands at one place.

    Otherwise an origin was changed in one of the two only, and the link collides beside what is seen.
    """

    code = "GEO-006"
    thresholds = (MOVED, TURNED, MARKER, ALIKE)
    clause = "the collision properties of a link"
    evidence = "heuristic"
    good = '<collision><origin xyz="0.25 0 0"/><geometry><box size="0.4 0.12 0.12"/></geometry></collision>'
    bad = '<collision><origin xyz="0.25 0 0.05"/><geometry><box size="0.4 0.12 0.12"/></geometry></collision>'

    def check(self, robot: Robot, bounds: Bounds) -> Found:
        """The only visual and the only collision shape of a link that are one mesh in one scale, or of one kind and
        size, of which one is moved, or turned so that its box is another; or meshes of one name in two formats, and of
        one size, that are moved. Small shapes may be moved."""
        for link in robot.links.values():
            for message, one in _displaced(bounds, link):
                yield self.finding(message, link, source=one.source)


def _displaced(bounds: Bounds, link: Link) -> Iterator[tuple[str, Geometry]]:
    """Yield the collision shapes of a link that stand beside the same shape as visual, each with a message."""
    for one in link.collisions if link.visuals else ():
        same = [[s for s in some if _is_same(s, one)] for some in (link.visuals, link.collisions)]
        if [len(some) for some in same] == [1, 1] and (moved := _moved(bounds, same[0][0], one)):
            shape = f"mesh {file_of(one)!r}" if file_of(one) else one.shape.kind
            yield f"the collision {shape} {moved}; expected the origin of the same shape as visual", one
        seen_files = link.visuals if file_of(one) and not same[0] else ()
        for distance, seen in [(d, s) for s in seen_files if (d := _twin_away(bounds, s, one))][:1]:
            message = f"the collision mesh {file_of(one)!r} is {number(distance)} m from the visual"
            yield f"{message} {file_of(seen)!r}", one


class PartsApart(LinkQuality):
    """Parts of one shape stand at different places.

    A part that was copied and kept its origin is inside of the first one, which pushes it away in simulation.
    """

    code = "GEO-007"
    thresholds = (MARKER,)
    of_robot = True
    evidence = "heuristic"
    clause = "origin: the transform from the parent link to the child link"
    base = CART
    good = '<origin xyz="0 -0.2 0"/>'
    bad = '<origin xyz="0 0.2 0"/>'

    def check(self, robot: Robot, poses: Poses, bodies: Bodies, bounds: Bounds, scenery: frozenset[str]) -> Found:
        """Links on one body whose shapes, those of collisions if they have some, are equal and at one place with all
        joints at zero. Joints that slide bring parts together, free ones have no place of their own, small shapes
        only mark a place, and nothing pushes what stands still for ever."""
        alike: dict[object, list[Link]] = {}
        joints = [one for one in robot.joints.values() if one.child not in scenery and one.type not in SLIDING]
        links = [(robot.links[joint.child], bodies[joint.parent]) for joint in joints]
        looks = [(at, frozenset(map(file_of, link.collisions or link.visuals))) for link, at in links]
        often = Counter(looks)  # most links have meshes that no other has, and need no places
        for (link, body), look in zip(links, looks, strict=True):
            shapes = link.collisions or link.visuals
            if shapes and often[look] > 1 and not 0 < size_of(bounds.part(shapes)) < MARKER:
                placed = [(s.shape.kind, repr(s.shape.parameters), poses[link.name] @ s.origin) for s in shapes]
                key = frozenset((kind, text, (T.round(6) + 0.0).tobytes()) for kind, text, T in placed)
                alike.setdefault((body, key), []).append(link)
        for first, *others in alike.values():
            message = f"the link has the shapes and the place of {first.name!r}; check its <origin>"
            yield from self.shared(message, others)


def _twin_away(bounds: Bounds, seen: Geometry, felt: Geometry) -> float:
    """Return how far the middles of two meshes are apart, m, if their files have one name in two formats, and they have
    one size; 0 if they are at one place, or others."""
    names = {file_of(shape).lower().rpartition("/")[2].rpartition(".")[0] for shape in (seen, felt)}
    if len(names) > 1 or "" in names or (seen.origin == felt.origin).all():
        return 0.0
    if np.allclose(seen.origin, felt.origin, atol=MOVED):
        return 0.0
    one, other = bounds.whole((seen,)), bounds.whole((felt,))
    slack = max(MOVED, ALIKE * size_of(one))
    if one is None or other is None or not np.allclose(np.ptp(one, axis=0), np.ptp(other, axis=0), atol=slack):
        return 0.0
    away = float(np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)))
    return away if away > slack and size_of(one) >= MARKER else 0.0


def _is_same(one: Geometry, other: Geometry) -> bool:
    known = one.shape.parameters or one.shape.kind == "heightmap"
    return bool(known) and one.shape.kind == other.shape.kind and one.shape.parameters == other.shape.parameters


def _moved(bounds: Bounds, seen: Geometry, felt: Geometry) -> str:
    """Return how a shape is moved from where the same one is seen, "" if it is not."""
    if (seen.origin == felt.origin).all() and felt.shape.kind != "heightmap":  # whose place is in its shape
        return ""
    way = felt.origin[:3, 3] - seen.origin[:3, 3] + _position(felt) - _position(seen)
    is_turned = not np.allclose(_directions(felt), _directions(seen), atol=TURNED)
    if is_turned:
        one, other = bounds.whole((seen,)), bounds.whole((felt,))
        if one is None or other is None or np.allclose(one, other, atol=MOVED + TURNED * size_of(one)):
            return ""
    elif 0 < size_of(bounds.part((felt,))) < MARKER:
        return ""
    away = float(np.linalg.norm(way))
    if away > MOVED:
        return f"is {number(away)} m from the visual"
    return "is turned against the visual" if is_turned else ""


def _directions(geometry: Geometry) -> np.ndarray:
    """Return the directions that say how a shape is turned: none of a sphere, the axis of what is round about it."""
    R = geometry.origin[:3, :3]
    if geometry.shape.kind == "sphere":
        return np.zeros(0)
    return np.outer(R[:, 2], R[:, 2]) if geometry.shape.kind in ("cylinder", "capsule") else R


def _position(geometry: Geometry) -> np.ndarray:
    """Return the <pos> of a height map of SDF (3,), m; zeros for other shapes."""
    texts = [POSITION.search(one.text) for one in geometry.extensions] if geometry.shape.kind == "heightmap" else []
    return np.array(next((match[1].split() for match in texts if match), (0, 0, 0)), float)


class CollisionMesh(MeshRule):
    """A mesh for collisions has fewer than 100,000 triangles.

    Planners and simulators test every one of them at every step. A simplified mesh, a convex hull or a few boxes are as
    good for them and much faster.
    """

    code = "MSH-007"
    thresholds = (MANY_TRIANGLES,)
    clause = "use simplified meshes for collisions"
    url = "http://wiki.ros.org/urdf/XML/link"
    evidence = "heuristic"

    good = "link_4.stl"
    bad = "many_triangles.stl"

    def check(self, robot: Robot, readings: Readings) -> Found:
        """A binary STL file of so many triangles or more. MuJoCo takes the convex hull of a mesh instead."""
        if robot.text and robot.text.format == "mjcf":
            return
        seen = {file_of(shape) for link in robot.links.values() for shape in link.visuals}
        used = first_uses(tuple((link, shape) for link in robot.links.values() for shape in link.collisions))
        for name, (link, geometry) in used.items():
            facts = readings.get(name)
            if facts is not None and facts.triangles >= MANY_TRIANGLES:
                also = ", and is that of the visuals" if name in seen else ""
                message = f"the collision mesh {name!r} has {number(facts.triangles)} triangles{also}"
                yield self.finding(f"{message}; use a simplified one", link, source=geometry.source)


def _difference(seen: np.ndarray | None, felt: np.ndarray | None, meshes: np.ndarray) -> str | None:
    """Return how the box of collision shapes differs from that of visuals, None if it does not, or
    one is not known."""
    if seen is None or felt is None:
        return None
    is_larger, is_smaller, is_away, large, small, away = (value.item() for value in _differences(seen, felt, meshes))
    if is_larger or is_smaller:
        return f"the collision shapes are {number(large)} m large, the visuals {number(small)} m"
    if is_away:
        return f"the collision shapes are {number(away)} m away from the visuals, which are {number(small)} m large"
    return None


def _differences(seen: np.ndarray, felt: np.ndarray, meshes: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return whether boxes (..., 2, 3) of collision shapes are too large, too small, or too far from those of visuals,
    the sizes of both, and how far their middles are apart. meshes (..., 2): whether visuals and collision shapes are
    meshes."""
    large, small = (np.linalg.norm(box[..., 1, :] - box[..., 0, :], axis=-1) for box in (felt, seen))
    between = np.maximum(seen[..., 0, :] - felt[..., 1, :], felt[..., 0, :] - seen[..., 1, :]).max(axis=-1)
    away = np.linalg.norm(seen.mean(axis=-2) - felt.mean(axis=-2), axis=-1)
    known = (large > 0) & (small > 0)
    wide = known & (large > LARGER * small) & ((small >= MARKER) | (meshes[..., 0] & (large > SCALED * small)))
    narrow = known & (small > SEEN_LARGER * large) & ((large >= MARKER) | (meshes[..., 1] & (small > SCALED * large)))
    apart = (small >= MARKER) & (large >= MARKER) & (between > 0) & (away > AWAY * np.maximum(large, small))
    return wide, narrow, apart, large, small, away
