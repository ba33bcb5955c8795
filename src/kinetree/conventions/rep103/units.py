"""Numbers that look as if they were in other units than SI's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import hypot, isclose, isfinite, pi
from typing import Any

from kinetree.conventions.rep103.clause import Rep103, Rpy
from kinetree.conventions.rule import Rule
from kinetree.errors import Finding
from kinetree.formats.numbers import number
from kinetree.model.robot import Geometry, Link, Robot
from kinetree.spatial.se3 import IDENTITY, Array

TURNS = 4 * pi
"""No revolute joint turns further, rad."""
DEGREES = 720.0
"""What is larger still is in no unit, but says that there is no limit."""
FAR = 20.0
"""No part of a robot is further from where it is fixed, m."""
DENSE = 2e5
"""Ten times as dense as any metal, kg/m³."""
HEAVY = 10.0
"""What is lighter may have a small body only for the sake of a simulation, kg."""
RATIOS = (10.0, 25.4, 39.37, 100.0, 1000.0)
"""Between units of length: millimetre, centimetre, inch, metre."""


class Units(Rep103):
    """Lengths are in metres, angles in radians, masses in kilograms.

    With limits and rpy in degrees, offsets in millimetres or a mass in grams a file loads, and the robot is another
    one. The rule knows such numbers by their size, so it may be wrong.
    """

    code = "R103-002"
    level = "SHOULD"
    evidence = "heuristic"
    clause = "We have chosen to standardize on SI units"
    good = 'upper="2.9"'
    bad = 'upper="166"'

    def check(self, robot: Robot, rpys: tuple[Rpy, ...]) -> Iterator[Finding]:
        """Sizes that a robot has in other units only."""
        for joint in robot.joints.values():
            yield from self._turns(joint)
            if (far := _distance(joint.origin)) > FAR:
                yield self.finding(f"lies {far:g} m from the frame of its parent; are these millimetres?", joint)
        for owner, origin, numbers in rpys:
            if large := [text for text in numbers if abs(number(text) or 0) > 2 * pi]:
                message = f"rpy {', '.join(large)} is more than a turn; are these degrees?"
                yield self.finding(message, owner.label, source=origin.place("rpy"))
        for link in robot.links.values():
            yield from self._link(link)
        yield from self._scales(robot)

    def _turns(self, joint: Any) -> Iterator[Finding]:
        ends = [end for end in (joint.limit.lower, joint.limit.upper) if isfinite(end)]
        if joint.kind.name == "revolute" and TURNS < max(map(abs, ends), default=0) <= DEGREES:
            message = f"turns from {joint.limit.lower:g} to {joint.limit.upper:g} rad; are these degrees?"
            yield self.finding(message, joint)

    def _link(self, link: Link) -> Iterator[Finding]:
        parts = [part.origin for part in (*link.visuals, *link.collisions, link.inertial) if part is not None]
        if (far := max(map(_distance, parts), default=0.0)) > FAR:
            yield self.finding(f"has a part {far:g} m from its frame; are these millimetres?", link)
        volume = _volume(link)
        if volume and link.inertial and link.inertial.mass > max(HEAVY, DENSE * volume):
            yield self.finding(f"{link.inertial.mass:g} kg in {volume * 1e3:.3g} litres; are these grams?", link)

    def _scales(self, robot: Robot) -> Iterator[Finding]:
        """Of one mesh file, by its uses."""
        uses: dict[Any, list[tuple[float, Link, Geometry]]] = defaultdict(list)
        for link in robot.links.values():
            for geometry in (*link.visuals, *link.collisions):
                if geometry.shape.kind == "mesh":
                    scale: Any = geometry.shape.parameters.get("scale", (1.0,))
                    uses[geometry.shape.parameters["filename"]].append((max(map(abs, scale)), link, geometry))
        for file, of_file in uses.items():
            small = min(size for size, _, _ in of_file)
            large, link, geometry = max(of_file, key=lambda use: use[0])
            if small and any(isclose(large / small, ratio, rel_tol=1e-3) for ratio in RATIOS):
                message = f"{file} is {large:g} times as large as its mesh here, {small:g} times elsewhere; which unit?"
                yield self.finding(message, f"link {link.name!r}", source=geometry.source or link.source)


def _distance(origin: Array) -> float:
    return 0.0 if origin is IDENTITY else hypot(*origin[:3, 3].tolist())


def _volume(link: Link) -> float | None:
    """Of all that is felt of a link, or else seen, m³; None where a mesh or another shape has a part in it."""
    volumes: list[float] = []
    for geometry in link.collisions or link.visuals:
        sizes: Any = geometry.shape.parameters
        match geometry.shape.kind:
            case "box":
                x, y, z = sizes["size"]
                volumes.append(x * y * z)
            case "cylinder":
                volumes.append(pi * sizes["radius"] ** 2 * sizes["length"])
            case "sphere":
                volumes.append(4 / 3 * pi * sizes["radius"] ** 3)
            case _:
                return None
    return sum(volumes)


RULES: tuple[type[Rule], ...] = (Units,)
