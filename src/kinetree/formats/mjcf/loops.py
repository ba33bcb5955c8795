"""<connect> and <weld> equalities, which close loops: a ball joint and a fixed joint between two bodies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinetree.formats.fields import check_attributes, vector_of
from kinetree.formats.mjcf.context import FORMAT, Context, attributes_extension, free
from kinetree.formats.mjcf.poses import ZERO
from kinetree.formats.mjcf.writing import WORLD, Job, attributes_of
from kinetree.formats.numbers import format_numbers
from kinetree.formats.xml import Element, Report, parse
from kinetree.formats.xml_writer import XmlWriter, attributes_text
from kinetree.model.robot import Extension, Frame, Joint
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen

TYPES = {"connect": "ball", "weld": "fixed"}
"""Equalities that close a loop, and the joint that each is."""
TAGS = {kind: tag for tag, kind in TYPES.items()}
KEPT = ("solref", "solimp", "torquescale")
SITES = "sites"
"""Tag of the extension with the sites by which a file gives the two frames of a loop."""
MADE = "kinetree:loop:"
"""Beginning of the names of sites that exist for a loop alone."""
CLOSED = 1e-9
"""Metres, and entries of a rotation, up to which a loop is closed in the drawn model."""


def read_loop(context: Context, element: Element) -> bool:
    """Add a loop to the parts, with a warning; return False for an equality that is kept as it stands."""
    report = context.report
    known = ("name", "class", "active", *KEPT, "body1", "body2", "anchor", "relpose", "site1", "site2")
    check_attributes(report, element, known)
    by_site = "site1" in element.attributes or "site2" in element.attributes
    frames = _site_frames(context, element) if by_site else _body_frames(context, element)
    if frames is None or frames[0].link == frames[1].link:
        return False
    first, second = frames
    if context.mocap & {first.link, second.link}:
        message = f"<{element.tag}> pulls at a mocap body, which is moved from outside; it is kept, not obeyed"
        report.warning("equality", message, element)
        return False
    name = element.get("name") or f"{first.link}_{second.link}_{element.tag}"
    kept = {key: element.attributes[key] for key in KEPT if key in element.attributes}
    sites = attributes_text({key: value for key, value in element.attributes.items() if key in ("site1", "site2")})
    made = (element.get("site1") or "").startswith(MADE)
    loop = Joint(
        free(name, context.names.joints),
        TYPES[element.tag],
        first.link,
        second.link,
        first.origin,
        child_origin=frozen(se3.inverse(second.origin)),
        extensions=(
            *attributes_extension(element, kept),
            *((Extension(FORMAT, SITES, f"<{SITES} {sites}/>", element.source),) if by_site and not made else ()),
        ),
        source=element.source,
    )
    context.parts.loops.append(loop)
    message = f"closes a loop between {first.link!r} and {second.link!r}; it is one of the robot's loops, "
    report.warning("loop", f"{message}and no part of the tree", element)
    return True


def _site_frames(context: Context, element: Element) -> tuple[Frame, Frame] | None:
    """Return the frames of site1 and site2; unknown names are reported elsewhere."""
    names = [context.names.here("site", element.get(key) or "") for key in ("site1", "site2")]
    found = {frame.name: frame for frame in context.parts.frames if frame.name in names}
    made = {name for name in names if name.startswith(MADE)}
    context.parts.frames = [frame for frame in context.parts.frames if frame.name not in made]
    return (found[names[0]], found[names[1]]) if len({*names} & {*found}) == 2 else None


def _body_frames(context: Context, element: Element) -> tuple[Frame, Frame] | None:
    """Return the frames in body1 and body2 that an equality holds together, where the file draws the bodies."""
    first, second = element.get("body1") or "", element.get("body2") or WORLD
    if first not in context.drawn or second not in context.drawn:
        return None
    T_12 = se3.inverse(context.drawn[first]) @ context.drawn[second]
    anchor = se3.translation(vector_of(context.report, element, "anchor", 3, ZERO))
    if element.tag == "connect":  # the anchor is a point of body1
        return Frame("", first, anchor), Frame("", second, frozen(se3.inverse(T_12) @ anchor))
    x, y, z, *quat_wxyz = vector_of(context.report, element, "relpose", 7, (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    if not any(quat_wxyz):  # MuJoCo's default: as drawn
        return Frame("", first, frozen(T_12 @ anchor)), Frame("", second, anchor)
    w, *xyz = (number / max(map(abs, quat_wxyz)) for number in quat_wxyz)
    T = se3.homogeneous(se3.rotation_from_quaternion((*xyz, w)), (x, y, z))
    return Frame("", first, frozen(T)), Frame("", second, anchor)  # the place of relpose is that of the anchor


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
