"""Visuals, collisions, their shapes and materials: SDF elements to the model."""

from functools import partial

from kinetree.formats.fields import check_outer, ignore, optional_each, single_children
from kinetree.formats.gazebo import leaves, surface_of
from kinetree.formats.sdf.context import COLLISION_OTHERS, MATERIAL_OTHERS, VISUAL_OTHERS, Context
from kinetree.formats.sdf.frames import Entry
from kinetree.formats.sdf.values import attribute_of, needed_text, truth_of, value_text, vector_of
from kinetree.model.robot import Extension, Geometry, Material, Shape, Surface
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Element

SHAPES: dict[str, dict[str, tuple[float, ...]]] = {
    "box": {"size": (1.0, 1.0, 1.0)},
    "sphere": {"radius": (1.0,)},
    "cylinder": {"radius": (1.0,), "length": (1.0,)},
    "capsule": {"radius": (0.5,), "length": (1.0,)},
    "cone": {"radius": (1.0,), "length": (1.0,)},
    "ellipsoid": {"radii": (1.0, 1.0, 1.0)},
    "plane": {"normal": (0.0, 0.0, 1.0), "size": (1.0, 1.0)},
    "mesh": {"scale": (1.0, 1.0, 1.0)},
}
"""Sizes of each shape, with SDF's defaults; a mesh also has its <uri>."""
AS_IT_STANDS = ("heightmap", "image", "polyline", "empty")
"""Shapes of which the model has only the name; their element is kept unchanged."""
NAMESPACES = {
    "kinetree": "urn:kinetree",
    "gz": "http://gazebosim.org/schema",
    "ignition": "http://ignitionrobotics.org/schema",
}
MATERIAL_NAME = "kinetree:name"
MATERIAL = "kinetree:material"
COUPLED = "kinetree:coupled_limit"
CARRIED = "kinetree:carried"  # what SDF lacks
"""Names with a prefix, which SDF allows for other tools: these keep names of materials, which SDF lacks."""


def geometry(context: Context, link: Entry, element: Element) -> Geometry:
    """Return a <visual> or <collision> of a link."""
    report = context.report
    once, others = single_children(report, element, ("pose", "geometry", "material", MATERIAL), (), ("name",))
    known = VISUAL_OTHERS if element.tag == "visual" else COLLISION_OTHERS
    surface, rest, others = _surface(others) if element.tag == "collision" else (None, [], others)
    extensions = [*rest, *context.keep(others, known, link.element)]
    shape = Shape("empty", {})
    if "geometry" in once:
        shape, more = _shape(context, once["geometry"], link, element.tag)
        extensions += more
    else:
        report.warning("missing-element", f"<{element.tag}> without <geometry> is taken as empty", element)
    looks = [once[tag] for tag in ("material", MATERIAL) if tag in once][:1]  # SDF has no <material> in a <collision>
    path = "material/" if element.tag == "visual" else f"{MATERIAL}/"
    look = partial(material_of, context, link.element, path=path)
    made = optional_each(report, "sdf", looks, link.element, look, extensions)
    for _, more in made:
        extensions += more
    return Geometry(
        shape,
        context.pose(once.get("pose"), link, link, link.element),
        attribute_of(report, element, "name") or None,
        next((material for material, _ in made if material.name or material.rgba), None),
        tuple(extensions),
        element.source,
        surface,
    )


def _surface(elements: list[Element]) -> tuple[Surface | None, list[Extension], list[Element]]:
    """Return the surface of a shape, what else is in its <surface>, and its other elements."""
    found = [element for element in elements if element.tag == "surface"]
    inside = leaves(found[0]) if len(found) == 1 else None
    if not inside or "surface" in inside:
        return None, [], elements
    surface, covered = surface_of(inside)
    rest = [Extension("sdf", path, e.kept, e.source) for path, e in inside.items() if path not in covered]
    return surface, rest, [element for element in elements if element is not found[0]]


def _shape(context: Context, element: Element, link: Entry, role: str) -> tuple[Shape, list[Extension]]:
    report, owner = context.report, link.element
    check_outer(report, element)
    known = [child for child in element.children if child.tag in SHAPES or child.tag in AS_IT_STANDS]
    others = [child for child in element.children if child not in known]
    extensions = context.keep(others, (), owner, "geometry/")
    if known and all(child.tag in AS_IT_STANDS and child.tag == known[0].tag for child in known):
        return Shape(known[0].tag, {}), [*extensions, *context.keep(known, AS_IT_STANDS, owner, "geometry/")]
    if not known:
        legal = ", ".join(f"<{tag}>" for tag in (*SHAPES, *AS_IT_STANDS))
        message = f"<geometry> should have one of {legal}; it has none and is taken as empty"
        report.warning("geometry", message, element, owner=owner)
        return Shape("empty", {}), extensions
    child = known[0]
    if len(known) > 1:
        message = f"<geometry> has {', '.join(f'<{shape.tag}>' for shape in known)}; the first is used"
        report.warning("contradiction", message, known[1], owner=owner)
        if child.tag in AS_IT_STANDS:
            return Shape(child.tag, {}), [*extensions, *context.keep(known, AS_IT_STANDS, owner, "geometry/")]
    sizes = SHAPES[child.tag]
    once, others = single_children(report, child, (*sizes, "uri", "submesh") if child.tag == "mesh" else tuple(sizes))
    extensions += context.keep(others, ("convex_decomposition", "filename"), owner, f"geometry/{child.tag}/")
    parameters: dict[str, float | str | tuple[float, ...]] = {}
    if child.tag == "mesh":
        file = once.get("uri") or (child.find("filename") if link.version < (1, 3) else None)
        parameters["filename"] = needed_text(report, child, file, "uri", owner)
    if "submesh" in once:
        inside, others = single_children(report, once["submesh"], ("name", "center"))
        extensions += context.keep(others, (), owner, "geometry/mesh/submesh/")
        parameters["submesh"] = needed_text(report, once["submesh"], inside.get("name"), "name", owner)
        if truth_of(report, inside.get("center"), False, owner):
            parameters["center"] = "true"
    for name, default in sizes.items():
        values = vector_of(report, once.get(name), len(default), default, owner)
        parameters[name] = values if len(values) > 1 else values[0]
        if name not in once and name != "scale" and (role, child.tag, name) != ("collision", "plane", "size"):
            message = f"<{child.tag}> without <{name}> has SDF's default {' '.join(map(str, default))}"
            report.warning("default-size", message, child, owner=owner)
    return Shape(child.tag, parameters), extensions


def material_of(context: Context, owner: Element, element: Element, path: str = "") -> tuple[Material, list[Extension]]:
    """Return a material of the diffuse colour, and all else as extensions, unchanged. path: its place in its owner,
    or "" if nothing else is kept."""
    report = context.report
    once, others = single_children(report, element, ("diffuse",), (), (MATERIAL_NAME,))
    rgba = None
    if "diffuse" in once:
        text = value_text(report, once["diffuse"], owner, "3 or 4 finite numbers")
        values = numbers(text)
        if values is None or len(values) not in (0, 3, 4):
            message = f"<diffuse> is {text!r}; expected 3 or 4 finite numbers: red, green, blue, opacity"
            report.error("number", message, once["diffuse"], owner=owner)
        elif values:
            r, g, b, a = (*values, 1.0)[:4]
            rgba = (r, g, b, a)
    extensions = context.keep(others, MATERIAL_OTHERS, owner, path) if path else []
    ignore(report, () if path else others, element)
    return Material(element.get(MATERIAL_NAME) or "", rgba, None, element.source), extensions
