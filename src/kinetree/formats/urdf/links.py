"""Links, shapes and materials of a URDF file."""

from functools import partial

from kinetree.formats import fields
from kinetree.formats.urdf.context import LATER, ZERO, Context, keep_others, read_origin
from kinetree.model.assemble import Parts
from kinetree.model.robot import Extension, Geometry, Inertial, Link, Material, Shape
from kinetree.spatial.se3 import frozen
from kinetree.syntax.xml.reader import Element, Report

TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
SHAPES: dict[str, dict[str, int]] = {  # shape: attribute: count of its numbers, or 0 for a text
    "box": {"size": 3},
    "cylinder": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
    "capsule": {"radius": 1, "length": 1},
    "mesh": {"filename": 0, "scale": 3},
}
UNUSED = {"visual": (), "collision": ("verbose",)}
"""Elements of the schema of urdfdom that no program reads."""


def read_link(context: Context, element: Element) -> Link:
    """Return a <link>."""
    report = context.report
    shape_tags = ("visual", "collision")
    once, others = fields.single_children(report, element, ("inertial", *shape_tags), shape_tags, ("name", "type"))
    if "type" in element.attributes:
        report.add("info", "no-effect", "type=… of a link has no effect, in no program; it is not kept", element)
    inertial = once.get("inertial")
    left: list[Extension] = []
    shapes: dict[str, list[Geometry]] = {tag: [] for tag in shape_tags}
    if others:
        read = partial(read_geometry, context, element)
        for tag in shapes:
            elements = [child for child in others if child.tag == tag]
            shapes[tag] = fields.optional_each(report, "urdf", elements, element, read, left)
        others = [child for child in others if child.tag not in shapes]
    return Link(
        fields.name_of(report, element),
        read_inertial(context, inertial, element) if inertial else None,
        tuple(shapes["visual"]),
        tuple(shapes["collision"]),
        (*keep_others(context, others, element), *left),
        element.source,
    )


def read_inertial(context: Context, element: Element, link: Element) -> Inertial:
    """Return an <inertial>."""
    report = context.report
    once, others = fields.single_children(report, element, {"origin", "mass", "inertia"})
    fields.ignore(report, (e for e in others if not e.tag.startswith("xacro:")), link)
    keep_others(context, (e for e in others if e.tag.startswith("xacro:")), link)
    (mass,) = _numbers(report, element, once.get("mass"), ("value",), link)
    xx, xy, xz, yy, yz, zz = _numbers(report, element, once.get("inertia"), TENSOR, link)
    tensor = frozen(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    return Inertial(mass, tensor, read_origin(context, once.get("origin"), link))


def _numbers(
    report: Report, inertial: Element, element: Element | None, names: tuple[str, ...], link: Element
) -> list[float]:
    """Return the attributes of <mass> or <inertia>; missing ones are 0, with a warning: poses do not depend on them."""
    attributes = element.attributes if element else {}
    if missing := [name for name in names if name not in attributes]:
        tag = "mass" if names == ("value",) else "inertia"
        what = f"<{tag}> without {', '.join(missing)}" if element else f"<{tag}> is missing"
        message = f"{what}: taken as 0, but URDF requires {'it' if len(missing) == 1 or element is None else 'them'}"
        report.warning("default-inertia", message, element or inertial, owner=link)
    if element is None:
        return [0.0] * len(names)
    fields.check_leaf(report, element, names)
    return [fields.float_of(report, element, name, 0.0, link) for name in names]


def read_geometry(context: Context, link: Element, element: Element) -> Geometry:
    """Return a <visual> or <collision>."""
    report = context.report
    once, others = fields.single_children(report, element, {"origin", "geometry"}, {"material"}, {"name"})
    extensions = [fields.extension("urdf", child) for child in others if child.tag in UNUSED[element.tag]]
    others = [child for child in others if child.tag not in UNUSED[element.tag]]
    materials = [child for child in others if child.tag == "material"]
    shape = Shape("none", {})
    extensions += keep_others(context, (child for child in others if child.tag != "material"), link)
    for child in materials[1:]:  # only looks: no reason to refuse a robot
        message = f"<{element.tag}> has a second <material>; the first is used, as urdfdom does"
        report.warning("duplicate-element", message, child, owner=link)
        extensions.append(fields.extension("urdf", child))
    if "geometry" in once:
        shape, more = read_shape(context, once["geometry"], link)
        extensions += more
    else:
        report.error("missing-element", f"<{element.tag}> needs <geometry>, which is missing", element, owner=link)
    name = element.get("name") or None
    if name and "$" in name:
        fields.is_left_over(report, element, name, attribute="name", owner=link)
    first: list[Material] = []
    if materials:
        look, before = partial(read_material, context, anonymous=True), len(context.references)
        first = fields.optional_each(report, "urdf", materials[:1], link, look, extensions)
        if element.tag == "collision":  # nobody sees it
            del context.references[before:]
        elif materials[0].get("name") is None:
            message = "its <material> has no name, so urdfdom, and RViz with it, refuses the link"
            report.warning("material-without-name", message, materials[0], owner=link)
    origin = read_origin(context, once.get("origin"), link)
    return Geometry(shape, origin, name, first[0] if first else None, tuple(extensions), element.source)


def read_shape(context: Context, element: Element, link: Element) -> tuple[Shape, list[Extension]]:
    """Return the shape of a <geometry>, and its other elements."""
    report = context.report
    fields.check_outer(report, element)
    known = [child for child in element.children if child.tag in SHAPES]
    foreign = [child for child in element.children if child.tag not in SHAPES]
    if not known:
        legal = ", ".join(f"<{tag}>" for tag in SHAPES)
        but = f", only {', '.join(f'<{child.tag}>' for child in foreign)}" if foreign else ""
        report.error("geometry", f"<geometry> needs one of {legal}; it has none{but}", element, owner=link)
        return Shape("none", {}), keep_others(context, (e for e in foreign if e.tag.startswith("xacro:")), link)
    others = keep_others(context, foreign, link)
    child = known[0]
    for other in known[1:]:
        message = f"<geometry> has <{child.tag}> and <{other.tag}>; the first is used"
        report.warning("contradiction", message, other, owner=link)
        others.append(fields.extension("urdf", other))
    fields.check_leaf(report, child, SHAPES[child.tag].keys())
    if child.tag == "capsule" and context.version == "1.0":
        message = "<capsule> belongs to URDF 1.1; it is used, but urdfdom drops it and all shapes after it in 1.0 files"
        report.warning("urdf-version", message, child, owner=link, fix=LATER.format("1.1"))
    parameters: dict[str, float | str | tuple[float, ...]] = {}
    for name, count in SHAPES[child.tag].items():
        if count == 0:
            parameters[name] = fields.name_of(report, child, name, link)
        elif count == 1:
            parameters[name] = fields.float_of(report, child, name, owner=link)
        elif name == "scale":
            parameters[name] = tuple(fields.vector_of(report, child, name, 3, (1.0, 1.0, 1.0), link))
        elif child.get(name) is None:
            report.error("missing-attribute", f"<{child.tag}> needs {name}=…", child, owner=link)
        else:
            parameters[name] = tuple(fields.vector_of(report, child, name, count, ZERO, link))
    return Shape(child.tag, parameters), others


def read_material(context: Context, element: Element, anonymous: bool = False) -> Material:
    """Return a material. anonymous: whether it is inside of a visual, where it may have no name."""
    report = context.report
    name = (element.get("name") or "") if anonymous else fields.name_of(report, element)
    if anonymous and "$" in name:
        fields.is_left_over(report, element, name, attribute="name")
    if not element.children:
        context.references.append(element)
    once, others = fields.single_children(report, element, {"color", "texture"}, attributes={"name"})
    fields.ignore(report, others, element)
    rgba = None
    if color := once.get("color"):
        fields.check_leaf(report, color, {"rgba"})
        r, g, b, a = fields.vector_of(report, color, "rgba", 4, (0.0, 0.0, 0.0, 1.0), element)
        rgba = (r, g, b, a)
    texture = once["texture"].get("filename") if "texture" in once else None
    if "texture" in once:
        fields.check_leaf(report, once["texture"], {"filename"})
    if "texture" in once and not texture:
        report.warning("no-texture", "<texture> names no file and has no effect", once["texture"], owner=element)
    return Material(name, rgba, texture or None, element.source)


def check_references(context: Context, parts: Parts) -> None:
    """Warn of visuals that name an undefined material."""
    used = [v.material for link in parts.links for v in link.visuals if v.material]
    defined = {m.name for m in (*parts.materials, *used) if m.rgba or m.texture}
    for element in context.references:
        if element.get("name") not in defined:
            message = "no visual and nothing beside the links defines it; its colour is unknown"
            context.report.warning("unknown-material", message, element)
