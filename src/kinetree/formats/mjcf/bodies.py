"""<worldbody> and its bodies: links, the joints between them, and what is fixed to them."""

from dataclasses import dataclass, field, replace
from functools import partial

from kinetree.formats.fields import extension, optional, vector_of
from kinetree.formats.mjcf.by_mujoco import FIX
from kinetree.formats.mjcf.compiler import keyword
from kinetree.formats.mjcf.context import WORLD, Context, attributes_extension, free, name_or_free
from kinetree.formats.mjcf.expand import MAKERS
from kinetree.formats.mjcf.geoms import STRETCHED, Geom, read_geom, weigh
from kinetree.formats.mjcf.inertia import bounded, inferred_inertial, written_inertial
from kinetree.formats.mjcf.joints import JointElement, moved_to_zero, read_joint
from kinetree.formats.mjcf.poses import fromto, pose, pose_attributes
from kinetree.model.robot import Extension, Frame, Geometry, Inertial, Joint, Link, Sensor
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.numbers import format_numbers, numbers
from kinetree.syntax.xml.reader import Element
from kinetree.syntax.xml.writer import attributes_text, element_text

POSE = ("pos", "quat", "axisangle", "xyaxes", "zaxis", "euler")
BODY_KEPT = ("gravcomp", "sleep", "simple", "user", "mocap", "fuse")
SITE_TYPES = ("sphere", *STRETCHED)
SITE_LOOK = ("type", "group", "material", "size", "rgba", "user")
CAMERA_KEPT = (
    *("projection", "fovy", "ipd", "resolution", "output", "focal", "focalpixel", "principal", "principalpixel"),
    *("sensorsize", "user"),
)
T_CAMERA_SENSOR = frozen([[0, -1, 0, 0], [0, 0, 1, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
"""MuJoCo's cameras look along -z with y up; sensors of the model along x with z up."""


@dataclass
class _Body:
    """Content of one body, frames resolved."""

    name: str
    joints: list[JointElement] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    extensions: list[Extension] = field(default_factory=list)
    inertial: Element | None = None
    weighed: bool = False  # whether its mass follows from its geoms
    bodies: list[tuple[Element, Array, str]] = field(default_factory=list)  # with T_body_frame and class


def read_bodies(context: Context, root: Element) -> None:
    """Add links, joints, frames and cameras of all <worldbody> sections to the parts."""
    world = _Body(WORLD)
    context.drawn[WORLD] = se3.IDENTITY
    sections = root.find_all("worldbody")
    for section in sections:
        _contents(context, section, world, se3.IDENTITY, "main")
    for element in (e for e in (world.inertial, *(p.element for p in world.joints)) if e is not None):
        context.report.error("world", f"the world cannot have <{element.tag}>", element)
    source = sections[0].source if sections else root.source
    visuals, collisions = _shapes(world.geoms)
    context.parts.links.append(Link(WORLD, None, visuals, collisions, tuple(world.extensions), source))
    stack = [(WORLD, *child) for child in reversed(world.bodies)]  # depth first, as MuJoCo numbers them
    while stack:
        parent, element, T_parent_frame, inherited = stack.pop()
        body = _body(context, element, parent, T_parent_frame, inherited)
        stack += [(body.name, *child) for child in reversed(body.bodies)]


def _body(context: Context, element: Element, parent: str, T_parent_frame: Array, inherited: str) -> _Body:
    report = context.report
    context.bodies += 1
    name = name_or_free(context, element, f"body_{context.bodies}", context.names.frames)
    T_parent_body = frozen(T_parent_frame @ pose(report, element, context.compiler.of(element)))
    infer = context.compiler.of(element).inertiafromgeom
    body = _Body(name, weighed=infer == "true" or (infer == "auto" and not _has_inertial(element)))
    context.drawn[name] = frozen(context.drawn[parent] @ T_parent_body)
    _contents(context, element, body, se3.IDENTITY, context.classes.named(element, "childclass", inherited))
    kept = {k: element.attributes[k] for k in BODY_KEPT if k in element.attributes}
    if keyword(report, element, "mocap", ("false", "true")) == "true":
        message = "a mocap body is moved from outside; it is fixed here where the file puts it"
        report.warning("mocap", message, element, attribute="mocap")
        context.mocap.add(name)
    visuals, collisions = _shapes(body.geoms)
    extensions = (*attributes_extension(element, kept), *body.extensions)
    joints = [read_joint(context, placed, name) for placed in body.joints]
    _check_joints(context, body, joints, parent)
    context.parts.joints += _connect(context, joints, parent, body, T_parent_body, element)
    inertial, why = _inertial(context, body, element)
    if why:
        message = f"its mass and inertia are unknown. {why}"
        context.report.add("info" if "only MuJoCo" in why else "warning", "unknown-inertia", message, element)
    else:
        inertial = bounded(inertial, context.compiler.of(element), T_parent_body)
    link = Link(name, inertial, visuals, collisions, extensions, element.source, why)
    context.parts.links.append(link)
    return body


def _connect(
    context: Context, joints: list[Joint], parent: str, body: _Body, T_parent_body: Array, element: Element
) -> list[Joint]:
    """Return the joints in a row, with a massless link, named after the joint, behind each but the last."""
    if not joints:
        name = free(f"{body.name}_fixed_joint", context.names.joints)
        return [Joint(name, "fixed", parent, body.name, T_parent_body, source=element.source)]
    if joints[0].type == "floating" and joints[0].name in context.counted:
        return [replace(joints[0], parent=parent, child=body.name, origin=T_parent_body)]
    if joints[0].type == "floating":
        place = attributes_text(pose_attributes(T_parent_body))  # its place before anything moves it
        initial = () if (T_parent_body == se3.IDENTITY).all() else (Extension("mjcf", "initial", place),)
        return [replace(joints[0], parent=parent, child=body.name, extensions=(*joints[0].extensions, *initial))]
    row = []
    joints, T_drawn_zero = moved_to_zero(joints, context.refs)
    T_parent_zero = T_parent_body @ T_drawn_zero
    for i, joint in enumerate(joints):
        last = i == len(joints) - 1
        child = body.name if last else free(f"{joint.name}_link", context.names.frames)
        if not last:
            context.parts.links.append(Link(child, source=joint.source))
        origin = frozen(T_parent_zero @ joint.origin) if i == 0 else joint.origin
        row.append(replace(joint, parent=parent, child=child, origin=origin))
        parent = child
    return row


def _check_joints(context: Context, body: _Body, joints: list[Joint], parent: str) -> None:
    ball = False
    for placed, joint in zip(body.joints, joints, strict=True):
        message = ""
        if joint.type == "floating" and (parent != WORLD or len(joints) > 1):
            message = "a free joint is legal only as the one joint of a body that stands in the world"
        elif ball and joint.type not in ("prismatic", "floating"):
            message = "a joint that turns cannot follow a ball joint in one body; expected a body between them"
        ball = ball or joint.type == "ball"
        if message:
            context.report.error("joint-order", message, placed.element)
    if sum(joint.kind.nv for joint in joints) > 6:
        context.report.error(
            "joint-order", "a body cannot have more than 6 degrees of freedom", body.joints[-1].element
        )


def _inertial(context: Context, body: _Body, element: Element) -> tuple[Inertial | None, str]:
    """Return the inertial of a body, and "" or why it is unknown."""
    compiler = context.compiler.of(element)
    infer = compiler.inertiafromgeom
    written = written_inertial(context.report, body.inertial, compiler) if body.inertial else None
    if infer == "false" or (infer == "auto" and body.inertial):
        return written, ""
    lumps = weigh(body.geoms)
    return (None, lumps) if isinstance(lumps, str) else (inferred_inertial(lumps) or written, "")


def _has_inertial(element: Element) -> bool:
    """Return whether a body, or a <frame> in it, has an <inertial>."""
    return any(e.tag == "inertial" or (e.tag == "frame" and _has_inertial(e)) for e in element.children)


def _shapes(geoms: list[Geom]) -> tuple[tuple[Geometry, ...], tuple[Geometry, ...]]:
    """Return visuals and collisions; a geom that is both is in both, its name and attributes only in the collisions."""
    shown = [(g, g.geometry) for g in geoms if g.geometry is not None]
    bare = [replace(shape, name=None, extensions=(), surface=None) if g.felt else shape for g, shape in shown if g.seen]
    return tuple(bare), tuple(shape for g, shape in shown if g.felt)


def _contents(context: Context, element: Element, body: _Body, T: Array, inherited: str) -> None:
    """Read the content of a body, or of a <frame> in it whose pose in the body is T (4, 4)."""
    report, classes = context.report, context.classes
    for child in element.children:
        if child.tag == "body":
            body.bodies.append((child, T, inherited))
        elif child.tag == "frame":
            T_frame = frozen(T @ pose(report, child, context.compiler.of(child)))
            _contents(context, child, body, T_frame, classes.named(child, "childclass", inherited))
        elif child.tag == "inertial":
            if body.inertial is not None:
                report.error("duplicate-element", "a body can have one <inertial>", child)
            body.inertial = child
        elif child.tag == "joint":
            body.joints.append(JointElement(classes.resolved(child, inherited), T))
        elif child.tag == "freejoint":
            body.joints.append(JointElement(child, T))
        elif child.tag == "geom":
            geom = read_geom(context, classes.resolved(child, inherited), T, element, body.weighed)
            body.geoms += [geom] if geom else []
        elif child.tag == "site":
            _site(context, classes.resolved(child, inherited), body, T)
        elif child.tag == "camera":
            resolved = classes.resolved(child, inherited)
            camera = optional(report, child, element, partial(_camera, context, resolved, body, T))
            if isinstance(camera, Sensor):
                context.parts.sensors.append(camera)
            elif camera is not None:
                body.extensions.append(camera)
        elif child.tag == "light":
            light = optional(report, child, element, partial(_light, context, classes.resolved(child, inherited), T))
            body.extensions += [light] if light else []
        elif child.tag in MAKERS:
            message = f"<{child.tag}> makes bodies that the file does not contain; it is read only if MuJoCo expands it"
            report.error("not-supported", message, child, fix=FIX)
        else:
            body.extensions.append(extension("mjcf", child))


def _site(context: Context, element: Element, body: _Body, T: Array) -> None:
    report = context.report
    kind = keyword(report, element, "type", SITE_TYPES) or "sphere"
    if "fromto" in element.attributes and kind not in STRETCHED:
        report.error("fromto", f"fromto cannot place a {kind}", element, attribute="fromto")
    look = {k: element.attributes[k] for k in SITE_LOOK if k in element.attributes}
    if "fromto" in element.attributes:
        T_frame_site, half = fromto(report, element)
        radius = [*(numbers(element.get("size") or "") or []), 0.005][0]  # MuJoCo's default
        look["size"] = format_numbers([radius, half] if kind in ("capsule", "cylinder") else [radius, radius, half])
    else:
        T_frame_site = pose(report, element, context.compiler.of(element))
    T_site = frozen(T @ T_frame_site)
    taken = "there is a body {!r} too, and links and frames share one name space"
    name = _name_here(context, element, f"{body.name}_site", context.names.frames, taken)
    context.parts.frames.append(Frame(name, body.name, T_site, element.source))
    if look:
        body.extensions.append(_element(element, {"name": name, **look}))


def _camera(context: Context, element: Element, body: _Body, T: Array) -> Sensor | Extension:
    """Return a camera as a sensor, or as it stands if it turns by itself."""
    report = context.report
    T_camera = frozen(T @ pose(report, element, context.compiler.of(element)))
    modes = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")
    if (keyword(report, element, "mode", modes) or "fixed") != "fixed":
        message = f"a camera that turns by itself (mode={element.get('mode')!r}) is not a sensor on a frame; it is kept"
        report.warning("camera-mode", message, element, attribute="mode")
        kept = {k: v for k, v in element.attributes.items() if k not in POSE} | pose_attributes(T_camera)
        return _element(element, kept)
    taken = "there is a sensor {!r} too, and cameras are sensors here"
    name = _name_here(context, element, f"{body.name}_camera", context.names.sensors, taken)
    kept = {k: element.attributes[k] for k in CAMERA_KEPT if k in element.attributes}
    origin = frozen(T_camera @ T_CAMERA_SENSOR)
    extensions = attributes_extension(element, kept)
    return Sensor(name, "camera", body.name, origin, extensions=extensions, source=element.source)


def _name_here(context: Context, element: Element, wanted: str, names: set[str], taken: str) -> str:
    """Return the name of a site or camera in the model, with a warning if it differs from that in the file."""
    name = name_or_free(context, element, wanted, names)
    new = context.names.here(element.tag, name)
    if new != name:
        message = f"{taken.format(name)}; it is called {new!r} here"
        context.report.add("info", "renamed", message, element, attribute="name")
    return new


def _light(context: Context, element: Element, T: Array) -> Extension:
    """Return a light, with its place and direction in the axes of the body."""
    p = T[:3, :3] @ vector_of(context.report, element, "pos", 3, (0.0, 0.0, 0.0)) + T[:3, 3]
    direction = T[:3, :3] @ vector_of(context.report, element, "dir", 3, (0.0, 0.0, -1.0))
    return _element(element, {**element.attributes, "pos": format_numbers(p), "dir": format_numbers(direction)})


def _element(element: Element, attributes: dict[str, str]) -> Extension:
    changed = Element(element.tag, attributes, element.document, element.start)
    return Extension("mjcf", element.tag, element_text(changed), element.source)
