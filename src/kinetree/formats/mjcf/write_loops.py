"""Loops as <connect> and <weld> equalities; a hinge is two points of its axis that stay together."""

from collections.abc import Iterator

import numpy as np

from kinetree.formats.mjcf.context import FORMAT
from kinetree.formats.mjcf.loops import FIRST, SECOND, SITES, TYPES
from kinetree.formats.mjcf.writing import Job, attributes_of
from kinetree.model.edit.extensions import kept_elements
from kinetree.model.loops import CLOSED
from kinetree.model.robot import Joint
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import format_numbers
from kinetree.syntax.xml.writer import XmlWriter

TAGS = {**{kind: tag for tag, kind in TYPES.items()}, "revolute": "connect", "continuous": "connect"}


def write_loops(xml: XmlWriter, job: Job) -> None:
    """Write the loops as equalities."""
    for loop in job.robot.loops.values():
        made = _ends(loop, FIRST) if _needs_sites(job, loop) else {}
        ends = made or _sites_of(job, loop) or _bodies_of(loop)
        more = attributes_of(loop.extensions, job)
        xml.leaf(TAGS[loop.type], name=loop.name, **ends, **more)
        if loop.kind.turns and loop.kind.axes:
            xml.leaf("connect", **_ends(loop, SECOND), **more)


def made_sites(job: Job) -> Iterator[tuple[str, str, Array]]:
    """Yield the name, the link and the place of each site that is made for a loop."""
    for loop in job.robot.loops.values():
        if _needs_sites(job, loop):
            ends = ((loop.parent, loop.origin), (loop.child, se3.inverse(loop.child_origin)))
            along = se3.translation(loop.axes[0]) if len(loop.axes) else se3.IDENTITY
            for which, T in ((FIRST, se3.IDENTITY), (SECOND, along))[: 1 + len(loop.axes)]:
                for name, (link, T_link) in zip(_ends(loop, which).values(), ends, strict=True):
                    yield name, link, T_link @ T


def _ends(loop: Joint, numbers: tuple[str, str]) -> dict[str, str]:
    """Return the two sites that are made for a loop."""
    return {f"site{i}": f"{number}{loop.name}" for i, number in enumerate(numbers, 1)}


def _needs_sites(job: Job, loop: Joint) -> bool:
    """Return whether a ball is open where the bodies are drawn, so that no point of body1 gives that of body2, or it is
    a hinge, whose axis is between two sites."""
    if loop.type != "ball":
        return loop.type != "fixed"
    if _sites_of(job, loop):
        return False
    T = job.drawn()
    first, second = T[loop.parent] @ loop.origin, T[loop.child] @ se3.inverse(loop.child_origin)
    return not np.allclose(first[:3, 3], second[:3, 3], rtol=0, atol=CLOSED)


def _bodies_of(loop: Joint) -> dict[str, str]:
    ends = {"body1": loop.parent, "body2": loop.child}
    if loop.type == "ball":
        return {**ends, "anchor": format_numbers(loop.origin[:3, 3])}
    x, y, z, w = se3.quaternion_from_rotation((loop.origin @ loop.child_origin)[:3, :3])
    anchor = se3.inverse(loop.child_origin)[:3, 3]
    return {**ends, "anchor": format_numbers(anchor), "relpose": format_numbers((*loop.origin[:3, 3], w, x, y, z))}


def _sites_of(job: Job, loop: Joint) -> dict[str, str]:
    """Return the sites that the file named, if they are still the two frames of the loop."""
    for _, element in kept_elements(loop.extensions, FORMAT, SITES):
        ends = ((loop.parent, loop.origin), (loop.child, se3.inverse(loop.child_origin)))
        names = [element.get("site1") or "", element.get("site2") or ""]
        if all(_is_frame(job, name, *end) for name, end in zip(names, ends, strict=True)):
            return {"site1": names[0], "site2": names[1]}
    return {}


def _is_frame(job: Job, name: str, link: str, T: Array) -> bool:
    frame = job.robot.frames.get(name) if "frame" not in job.losses.without else None
    return frame is not None and frame.link == link and np.allclose(frame.origin, T, rtol=0, atol=CLOSED)
