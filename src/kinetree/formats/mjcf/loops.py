"""<connect> and <weld> equalities, which close loops: a ball joint and a fixed joint between two bodies. Two <connect>
whose sites the writer has made are a hinge."""

import re
from dataclasses import replace

import numpy as np

from kinetree.formats.fields import vector_of
from kinetree.formats.mjcf.context import FORMAT, WORLD, Context, attributes_extension, free
from kinetree.formats.mjcf.poses import ZERO
from kinetree.model.drawn import DRAWN
from kinetree.model.robot import Extension, Frame, Joint
from kinetree.spatial import se3
from kinetree.spatial.se3 import frozen
from kinetree.syntax.numbers import format_numbers, numbers
from kinetree.syntax.xml.reader import Element
from kinetree.syntax.xml.writer import attributes_text

TYPES = {"connect": "ball", "weld": "fixed"}
"""Equalities that close a loop, and the joint that each is."""
KEPT = ("solref", "solimp", "torquescale")
SITES = "sites"
"""Tag of the extension with the sites by which a file gives the two frames of a loop."""
MADE = "kinetree:loop:"
"""Beginning of the names of sites that exist for a loop alone."""
FIRST, SECOND = (f"{MADE}1:", f"{MADE}2:"), (f"{MADE}3:", f"{MADE}4:")
"""Of the origin of a loop in its parent and child, and of a point of its axis, 1 m from there, if it is a hinge."""


def read_loop(context: Context, element: Element) -> bool:
    """Add a loop to the parts, with a warning; return False for an equality that is kept as it stands."""
    report = context.report
    by_site = "site1" in element.attributes or "site2" in element.attributes
    frames = _site_frames(context, element) if by_site else _body_frames(context, element)
    if frames is None or frames[0].link == frames[1].link:
        return False
    first, second = frames
    if context.mocap & {first.link, second.link}:
        message = f"<{element.tag}> pulls at a mocap body, which is moved from outside; it is kept, but has no effect"
        report.warning("equality", message, element)
        return False
    name = element.get("name") or f"{first.link}_{second.link}_{element.tag}"
    kept = {key: element.attributes[key] for key in KEPT if key in element.attributes}
    names = [element.get(key) or "" for key in ("site1", "site2")]
    if second.link == WORLD:  # which no joint moves
        first, second, names = second, first, names[::-1]
    sites = attributes_text({"site1": names[0], "site2": names[1]})
    made = (element.get("site1") or "").startswith(MADE)
    if made and _is_axis(context, element, first):
        return True
    loop = Joint(
        free(name, context.names.joints),
        TYPES[element.tag],
        first.link,
        second.link,
        first.origin,
        child_origin=frozen(se3.inverse(second.origin)),
        extensions=(
            *attributes_extension(element, kept),
            *_drawn(context),
            *((Extension(FORMAT, SITES, f"<{SITES} {sites}/>", element.source),) if by_site and not made else ()),
        ),
        source=element.source,
    )
    context.parts.loops.append(loop)
    message = f"closes a loop between {first.link!r} and {second.link!r}; it is one of the robot's loops, "
    report.add("info", "loop", f"{message}and no part of the tree", element)
    return True


def _drawn(context: Context) -> list[Extension]:
    """Return where the file draws the joints that it does not draw at zero; there its loops are closed."""
    rows = [{"joint": name, "ref": format_numbers([ref])} for name, ref in context.refs.items() if ref]
    for joint in context.parts.joints:
        rows += [
            {"joint": joint.name, "ref": format_numbers(_place(one.text))}
            for one in joint.extensions
            if (one.format, one.tag) == (FORMAT, "initial")
        ]
    text = "".join(f"<joint {attributes_text(row)}/>" for row in rows)
    return [Extension(FORMAT, DRAWN, f"<{DRAWN}>{text}</{DRAWN}>")] if rows else []


def _place(text: str) -> list[float]:
    """Return x y z and the quaternion xyzw of attributes pos and quat."""
    found = {name: numbers(value) or [] for name, value in re.findall(r'(pos|quat)="([^"]*)"', text)}
    w, *xyz = found.get("quat", [1.0, 0.0, 0.0, 0.0])
    return [*found.get("pos", [0.0, 0.0, 0.0]), *xyz, w]


def _is_axis(context: Context, element: Element, point: Frame) -> bool:
    """Return whether an equality is about the axis of a loop, which so becomes a hinge."""
    name = (element.get("site1") or "").removeprefix(SECOND[0])
    loops = context.parts.loops
    loop = loops[-1] if loops else None  # the writer puts the two behind each other
    if loop is None or loop.name != name or loop.type != "ball":
        return False
    axis = (se3.inverse(loop.origin) @ point.origin)[:3, 3]
    length = np.linalg.norm(axis)
    if length > 0:
        loops[-1] = replace(loop, type="revolute", axes=frozen([axis / length]))
    return bool(length > 0)


def _site_frames(context: Context, element: Element) -> tuple[Frame, Frame] | None:
    """Return the frames of site1 and site2; unknown names are reported elsewhere."""
    names = [context.names.here("site", element.get(key) or "") for key in ("site1", "site2")]
    found = {frame.name: frame for frame in context.parts.frames if frame.name in names}
    made = {name for name in names if name.startswith(MADE)}
    context.parts.frames = [frame for frame in context.parts.frames if frame.name not in made]
    return (found[names[0]], found[names[1]]) if len({*names} & {*found}) == 2 else None


def _body_frames(context: Context, element: Element) -> tuple[Frame, Frame] | None:
    """Return the frames in body1 and body2 that an equality holds together, where the file draws the bodies."""
    first, second = element.get("body1") or "", element.get("body2") or "world"
    if not first:
        message = f"<{element.tag}> needs body1=… or site1=…, which is missing; it is kept, but has no effect"
        context.report.warning("equality", message, element)
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
