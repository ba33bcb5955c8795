"""Loops as <connect> and <weld> equalities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinetree.formats.mjcf.context import FORMAT
from kinetree.formats.mjcf.loops import MADE, SITES, TYPES
from kinetree.formats.mjcf.writing import Job, attributes_of
from kinetree.formats.numbers import format_numbers
from kinetree.formats.xml import Report, parse
from kinetree.formats.xml_writer import XmlWriter
from kinetree.model.robot import Joint
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

TAGS = {kind: tag for tag, kind in TYPES.items()}
CLOSED = 1e-9
"""Metres, and entries of a rotation, up to which a loop is closed in the drawn model."""


def write_loops(xml: XmlWriter, job: Job) -> None:
    """Write the loops as equalities."""
    for loop in job.robot.loops.values():
        made = {f"site{i}": _made_name(loop, i) for i in (1, 2)} if _needs_sites(job, loop) else {}
        ends = _sites_of(job, loop) or made or _bodies_of(loop)
        xml.leaf(TAGS[loop.type], name=loop.name, **ends, **attributes_of(loop.extensions, job))


def made_sites(job: Job) -> Iterator[tuple[str, str, Array]]:
    """Yield the name, the link and the place of each site that is made for a loop."""
    for loop in job.robot.loops.values():
        if _needs_sites(job, loop):
            yield _made_name(loop, 1), loop.parent, loop.origin
            yield _made_name(loop, 2), loop.child, se3.inverse(loop.child_origin)


def _made_name(loop: Joint, which: int) -> str:
    return f"{MADE}{which}:{loop.name}"


def _needs_sites(job: Job, loop: Joint) -> bool:
    """Return whether a ball is open where the bodies are drawn: then no point of body1 gives that of body2."""
    if loop.type != "ball" or _sites_of(job, loop):
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
    for extension in loop.extensions:
        element = parse(extension.text, "", Report()) if (extension.format, extension.tag) == (FORMAT, SITES) else None
        ends = ((loop.parent, loop.origin), (loop.child, se3.inverse(loop.child_origin)))
        names = [] if element is None else [element.get("site1") or "", element.get("site2") or ""]
        if names and all(_is_frame(job, name, *end) for name, end in zip(names, ends, strict=True)):
            return {"site1": names[0], "site2": names[1]}
    return {}


def _is_frame(job: Job, name: str, link: str, T: Array) -> bool:
    frame = job.robot.frames.get(name) if "frame" not in job.losses.without else None
    return frame is not None and frame.link == link and np.allclose(frame.origin, T, rtol=0, atol=CLOSED)
