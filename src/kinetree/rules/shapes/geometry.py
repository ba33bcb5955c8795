"""Rules about shapes."""

import re
from collections.abc import Mapping

import numpy as np

from kinetree.errors import Severity
from kinetree.model.robot import Geometry, Link, Robot
from kinetree.rules.quality import HALF_EXTENTS, LinkQuality, Quality, Shapes
from kinetree.rules.rule import Found, Threshold, fact, number, numbers

HUGE = Threshold(100.0, "m", "largest size of a shape")
TINY = Threshold(1e-5, "m", "smallest size of a shape")
THIN = Threshold(1.0, "m", "thickness below which a wide shape is a ground")
FLAT = Threshold(0.1, "", "largest thickness of a ground of a model without joints that move, in widths")
MOST = Threshold(0.75, "", "share of the bodies that move above which those without collision shapes may be meant")
LEFT_OUT = re.compile(r"(collision|geom)\b.* is left out")
Size = tuple[Link, Geometry, str, tuple[float, ...]]
"""A link, its shape, the name of one of the shape's sizes, and its numbers, m."""


class NoCollision(LinkQuality):
    """A moving link with visuals has a collision shape.

    Planners and simulators use collision shapes only: everything passes through this link.
    """

    code = "GEO-001"
    thresholds = (MOST,)
    clause = "the collision properties of a link"
    good = '<collision><origin xyz="0.25 0 0"/><geometry><box size="0.4 0.12 0.12"/></geometry></collision>'
    bad = ""

    def check(self, robot: Robot, moving: Mapping[str, tuple[Link, ...]]) -> Found:
        """A body that a joint moves, with visuals that are not transparent, and without collision shapes, unless the
        reader leaves one out. If most bodies are so, which may be meant, it is a remark, and one finding."""
        notes = [note for note in robot.notes if note.code == "left-out" and LEFT_OUT.search(note.message)]
        left = {(note.element or "").partition(" ")[2] for note in notes}  # of a link, or of a body of MJCF
        own = [(links, [one for one in links if not all(map(_is_invisible, one.visuals))]) for links in moving.values()]
        seen = [(links, shown[0]) for links, shown in own if shown]
        bare = [link for links, link in seen if not any(one.collisions or repr(one.name) in left for one in links)]
        meant = len(seen) > len(bare) > MOST * len(seen)
        for links in [bare] if meant else [[link] for link in bare]:
            message = "the link moves and has visuals, but no collision shape"
            yield from self.shared(message, links, severity="info" if meant else None)


def _is_invisible(visual: Geometry) -> bool:
    return bool(visual.material and visual.material.rgba and visual.material.rgba[3] == 0)


class NoSize(LinkQuality):
    """The sizes of a shape are greater than zero.

    Simulators refuse a shape without volume. A negative size turns the shape inside out.
    """

    code = "GEO-002"
    level = "MUST"
    clause = "the size of the shape"
    good = '<box size="0.4 0.12 0.12"/>'
    bad = '<box size="0.4 0 0.12"/>'

    def check(self, sizes: tuple[Size, ...]) -> Found:
        """A size, a radius or a length of zero or less, or a scale of zero; no error where it is zero and only seen,
        nor for a ball of zero, which Drake takes for a point of contact; a remark where nothing is meant to be seen."""
        for link, geometry, name, size in sizes:
            if min(size) > 0 or (name == "scale" and all(size)):
                continue
            expected = "expected no zeros" if name == "scale" else "expected numbers above 0"
            message = f"the {name} of <{geometry.shape.kind}> is {' '.join(map(number, size))}; {expected}"
            harmless = min(size) == 0 and (geometry in link.visuals or geometry.shape.kind == "sphere")
            severity: Severity | None = "warning" if harmless else None
            if geometry in link.visuals and not any(size):
                severity = "info"
            yield self.finding(message, link, source=geometry.source, severity=severity)


class AbsurdSize(Quality):
    """The sizes of a shape are between 0.01 mm and 100 m.

    Other sizes are likely to be in other units.
    """

    code = "GEO-003"
    thresholds = (HUGE, TINY, THIN, FLAT)
    evidence = "heuristic"
    clause = "metres"
    url = "https://www.ros.org/reps/rep-0103.html"
    good = '<box size="0.4 0.12 0.12"/>'
    bad = '<box size="400 120 120"/>'

    def check(self, robot: Robot, sizes: tuple[Size, ...], scenery: frozenset[str]) -> Found:
        """A larger or a smaller size. Scales of meshes are no sizes. Collision spheres may be smaller, as points of
        contact. Grounds may be larger: what is wide and so thin that it would be nothing in millimetres, or is flat in
        a model that has no joints that move. So may static scenery, but for boxes and cylinders that are large in all
        directions."""
        still = not any(joint.kind.nv for joint in robot.joints.values())
        for link, geometry, name, size in sizes:
            if max(size) > HUGE and _may_be_huge(geometry, link.name in scenery, still):
                continue
            is_point = geometry.shape.kind == "sphere" and geometry in link.collisions
            if name != "scale" and any(s > HUGE or (0 < s < TINY and not is_point) for s in size):
                message = f"the {name} of <{geometry.shape.kind}> is {' '.join(numbers((*size, HUGE))[:-1])} m"
                unit = "is it in millimetres?" if max(size) > HUGE else "expected metres"
                place = geometry.source and geometry.source.of("size")
                yield self.finding(f"{message}; {unit}", link, source=place)


def _may_be_huge(geometry: Geometry, stands: bool, still: bool) -> bool:
    """Return whether a shape may be a ground or scenery. stands: whether its link does for ever. still: whether no
    joint of its model moves."""
    kind = geometry.shape.kind
    if kind not in HALF_EXTENTS:
        return stands
    low, wide, _ = sorted(2 * np.asarray(HALF_EXTENTS[kind](geometry.shape.parameters)))
    flat = wide > HUGE and (low < THIN or (still and low <= FLAT * wide))
    return bool(flat or (stands and (low <= HUGE or kind not in ("box", "cylinder"))))


@fact
def sizes(shapes: Shapes) -> tuple[Size, ...]:
    """Return each size of each shape; planes are infinite and have none."""
    return tuple(
        (link, geometry, name, value if isinstance(value, tuple) else (value,))
        for link, geometry in shapes
        if geometry.shape.kind != "plane"
        for name, value in geometry.shape.parameters.items()
        if not isinstance(value, str)
    )
