"""Mass and inertia of SDF links: as written, SDF's defaults, or computed from collision shapes as libsdformat does."""

import re
from typing import Any

import numpy as np

from kinetree.display import listed, number
from kinetree.errors import KinetreeError
from kinetree.formats.defaults import DEFAULTS
from kinetree.formats.fields import single_children
from kinetree.formats.sdf.context import INERTIAL_OTHERS, Context
from kinetree.formats.sdf.frames import Entry
from kinetree.formats.sdf.values import number_of, pose_of, truth_attribute
from kinetree.formats.solids import SOLIDS, Lump, inertial_of_lumps, lump_of, lump_of_mesh
from kinetree.model.robot import Extension, Geometry, Inertial
from kinetree.spatial.se3 import frozen
from kinetree.syntax.numbers import number as number_in
from kinetree.syntax.xml.reader import Element

MASS, MOMENT, DENSITY = DEFAULTS["sdf"].mass, DEFAULTS["sdf"].inertia, DEFAULTS["sdf"].density
INERTIA = {"ixx": MOMENT, "ixy": 0.0, "ixz": 0.0, "iyy": MOMENT, "iyz": 0.0, "izz": MOMENT}
ASSUMED = {"mass": f"{MASS:g} kg", "inertia": f"{MOMENT:g} kg m² about each axis"}
NO_SOLIDS = "It follows from its collisions, which are none, or not all simple shapes"


def inertial_of(
    context: Context, element: Element | None, link: Entry, shapes: tuple[Geometry, ...], is_static: bool
) -> tuple[Inertial | None, list[Extension], str]:
    """Return the inertial of a link, elements that are kept, and "" or, without an inertial, why its mass is unknown.

    element: its <inertial>. shapes: its collisions; none if one of them could not be read. is_static: whether its model
    is.
    """
    report, owner = context.report, link.element
    if element is None:
        message = f"the link has no <inertial>; SDF gives it {' and '.join(ASSUMED.values())}"
        report.add("info" if is_static else "warning", "no-inertial", message, owner)
        return Inertial(MASS, frozen(MOMENT * np.eye(3))), [], ""
    if truth_attribute(report, element, "auto", owner):
        return _computed(context, element, link, shapes)
    once, others = single_children(report, element, ("pose", "mass", "inertia"), attributes=("auto",))
    extensions = context.keep(others, INERTIAL_OTHERS, owner, "inertial/")
    mass = number_of(report, once.get("mass"), MASS, owner)
    missing = [name for name in ASSUMED if name not in once]
    numbers = dict(INERTIA)
    if inertia := once.get("inertia"):
        given, more = single_children(report, inertia, tuple(INERTIA))
        extensions += context.keep(more, (), owner, "inertial/inertia/")
        numbers = {name: number_of(report, given.get(name), value, owner) for name, value in INERTIA.items()}
        missing += [name for name, value in INERTIA.items() if value and name not in given]
    if missing:
        has = list(dict.fromkeys(ASSUMED.get(name, f"{MOMENT:g} kg m²") for name in missing))
        lacks = listed((f"<{name}>" for name in missing), len(missing))
        message = f"<inertial> without {lacks} has SDF's default{'s' * (len(has) > 1)}, {' and '.join(has)}"
        report.add("info" if is_static else "warning", "default-inertial", message, element, owner=owner)
    xx, xy, xz, yy, yz, zz = numbers.values()
    tensor = frozen(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    pose = pose_of(report, once.get("pose"), link.version, owner)  # T_link_com: always relative to the link
    if pose.relative_to and pose.element is not None:
        message = f"the pose of an <inertial> is relative to its link; {pose.relative_to!r} has no effect"
        report.warning("inertial-pose", message, pose.element, owner=owner)
    return Inertial(mass, tensor, pose.T), extensions, ""


def _computed(
    context: Context, element: Element, link: Entry, shapes: tuple[Geometry, ...]
) -> tuple[Inertial | None, list[Extension], str]:
    """Return the inertial of <inertial auto="true">: that of the collision shapes, each of its own density, else of the
    link's, else of 1000 kg/m³; a <mass> is that of all together (libsdformat's Link::ResolveAutoInertials)."""
    report, owner = context.report, link.element
    once, others = single_children(report, element, ("pose", "mass", "inertia", "density"), attributes=("auto",))
    shared = number_of(report, once.get("density"), DENSITY, owner)
    lumps: list[Lump] = []
    why = NO_SOLIDS if not shapes or any(shape.shape.kind not in (*SOLIDS, "mesh") for shape in shapes) else ""
    for shape in () if why else shapes:
        density = _density(context, shape, shared, element, owner)
        try:
            is_mesh = shape.shape.kind == "mesh"
            lumps.append(_mesh(context, shape, density) if is_mesh else lump_of(shape.shape, shape.origin, density))
        except (KinetreeError, ValueError) as error:
            said = error.findings[0].message if isinstance(error, KinetreeError) else str(error)
            why = f"It follows from the mesh {shape.shape.parameters.get('filename', '')!r}: {said}"
            break
    if why:
        report.warning("unknown-inertia", f"its mass and inertia are unknown. {why}", element, owner=owner)
        return None, context.keep([element], ("inertial",), owner), why
    for tag in ("pose", "inertia"):
        if tag in once:
            message = f'<{tag}> beside auto="true" has no effect: the inertia is computed from the collision shapes'
            report.warning("no-effect", message, once[tag], owner=owner)
    made = inertial_of_lumps(lumps, number_of(report, once.get("mass"), MASS, owner) if "mass" in once else None)
    message = f"its inertia is computed from its collision shapes ({len(lumps)}): {number(made.mass)} kg"
    report.add("info", "auto-inertia", message, element, owner=owner)
    return made, context.keep(others, INERTIAL_OTHERS, owner, "inertial/"), ""


def _mesh(context: Context, shape: Geometry, density: float) -> Lump:
    """Return the mass of a mesh. Raises KinetreeError or ValueError if its volume is unknown."""
    given: Any = shape.shape.parameters
    if "submesh" in given:
        raise ValueError(f"the volume of its part {given['submesh']!r} is not computed")
    vertices, triangles = context.mesh(given["filename"], shape.source.file if shape.source else "")
    scale = np.array(given["scale"])
    turned = scale.prod() < 0  # a mirrored mesh is inside out
    return lump_of_mesh(vertices * scale, triangles[:, ::-1] if turned else triangles, shape.origin, density)


def _density(context: Context, shape: Geometry, shared: float, inertial: Element, owner: Element) -> float:
    """Return the density of a collision, kg/m³; one that is no number above 0 counts as 0, as libsdformat takes it."""
    text = next((e.text for e in shape.extensions if e.tag == "density"), None)
    density = shared if text is None else number_in(re.sub(r"<[^>]*>", "", text).strip())
    if density is None or density <= 0:
        message = f"the density of collision {shape.name!r} is no number above 0, so it weighs nothing"
        context.report.warning("no-effect", message, inertial, owner=owner)
    return max(density or 0.0, 0.0)
