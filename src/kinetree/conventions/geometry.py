"""Rules about shapes."""

from collections.abc import Iterator, Mapping

from kinetree.conventions.facts import fact
from kinetree.conventions.quality import LinkQuality, Quality, Shapes
from kinetree.errors import Finding, Severity
from kinetree.model.robot import Geometry, Link

HUGE, TINY = 100.0, 1e-5
Size = tuple[Link, Geometry, str, tuple[float, ...]]
"""A link, its shape, the name of one of the shape's sizes, and its numbers, m."""


class NoCollision(LinkQuality):
    """What a joint moves and one can see can also be hit.

    Planners and simulators see collision shapes only: through this body everything passes.
    """

    code = "GEO-001"
    clause = "the collision properties of a link"
    good = '<collision><origin xyz="0.25 0 0"/><geometry><box size="0.4 0.12 0.12"/></geometry></collision>'
    bad = ""

    def check(self, moving: Mapping[str, tuple[Link, ...]]) -> Iterator[Finding]:
        """A moved body with visuals and without collision shapes."""
        for links in moving.values():
            seen = [link for link in links if link.visuals]
            if seen and not any(link.collisions for link in links):
                yield self.finding("a joint moves it, and it has visuals but no collision shape", seen[0])


class NoSize(LinkQuality):
    """Sizes are larger than zero.

    Simulators refuse a shape without volume; negative sizes turn it inside out.
    """

    code = "GEO-002"
    level = "MUST"
    clause = "the size of the shape"
    good = '<box size="0.4 0.12 0.12"/>'
    bad = '<box size="0.4 0 0.12"/>'

    def check(self, sizes: tuple[Size, ...]) -> Iterator[Finding]:
        """A size, a radius or a length of zero or less, or a scale of zero; no error where it is zero and only seen."""
        for link, geometry, name, size in sizes:
            if min(size) > 0 or (name == "scale" and all(size)):
                continue
            message = f"<{geometry.shape.kind}> has the {name} {' '.join(f'{s:g}' for s in size)}"
            seen = min(size) == 0 and geometry in link.visuals
            severity: Severity | None = "warning" if seen else None
            yield self.finding(message, link, source=geometry.source, severity=severity)


class AbsurdSize(Quality):
    """Sizes are between a hundredth of a millimetre and a hundred metres.

    Others are likely to be in other units.
    """

    code = "GEO-003"
    evidence = "heuristic"
    clause = "metres"
    url = "https://www.ros.org/reps/rep-0103.html"
    good = '<box size="0.4 0.12 0.12"/>'
    bad = '<box size="400 120 120"/>'

    def check(self, sizes: tuple[Size, ...]) -> Iterator[Finding]:
        """A size above 100 m or below 1e-5 m; scales of meshes are no sizes."""
        for link, geometry, name, size in sizes:
            if name != "scale" and any(s > HUGE or 0 < s < TINY for s in size):
                message = f"<{geometry.shape.kind}> has the {name} {' '.join(f'{s:g}' for s in size)} m"
                yield self.finding(message, link, source=geometry.source)


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
