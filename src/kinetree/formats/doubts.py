"""What errors of a reader leave unknown of a robot, by the elements that they are about."""

from collections.abc import Iterator

from kinetree.errors import Doubt, Source
from kinetree.model.assemble import Parts
from kinetree.model.robot import Frame, Joint, Link, Sensor
from kinetree.syntax.xml.reader import Document, Element, Report

IN_JOINT = {
    **dict.fromkeys(("origin", "pose", "pos", "thread_pitch", "screw_thread_pitch"), "origin"),
    **dict.fromkeys(("axis", "axis2"), "axes"),
    **dict.fromkeys(("limit", "range", "limited", "actuatorfrcrange", "actuatorfrclimited"), "limits"),
    "mimic": "mimic",
    "type": "type",
    "name": "name",
    **dict.fromkeys(("dynamics", "safety_controller", "calibration", "damping", "stiffness"), "behaviour"),
    **dict.fromkeys(("springref", "armature", "frictionloss"), "behaviour"),
    **dict.fromkeys(("plugin", "physics", "gearbox_ratio", "gearbox_reference_body"), "extensions"),
}
IN_LINK = {
    "inertial": "inertial",
    **dict.fromkeys(("visual", "collision"), "geometry"),
    "geom": "body",  # which may give the mass
    "name": "name",
    **dict.fromkeys(("plugin", "projector", "battery", "light"), "extensions"),
}
PARTS = {"joint": IN_JOINT, "link": IN_LINK}
"""Tags and attributes in the element of a joint or a link, and the part of it that they are about."""
KINDS = {"body": "link", "freejoint": "joint", "site": "frame", "camera": "sensor"}
KINDS |= {kind: kind for kind in ("link", "joint", "frame", "sensor")}
POSE = frozenset(("pose", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"))
"""Tags and attributes of SDF and MJCF that say where a part of the robot is."""
HARMLESS = frozenset(
    ("material", "actuator", "contact", "keyframe", "custom", "visual", "option", "size", "statistic", "plugin")
)
"""Children of the root in which errors leave nothing unknown that a rule reads."""

Things = dict[Source | None, list[tuple[str, str]]]
"""Kinds and names of the parts of a robot by the places of their elements."""


def doubts_of(report: Report, parts: Parts, root: Element) -> list[Doubt]:
    """Return what the errors of a report leave unknown of these parts."""
    things: Things = {}
    every: list[Link | Joint | Frame | Sensor] = [*parts.links, *parts.joints, *parts.frames, *parts.sensors]
    for thing in every:
        things.setdefault(thing.source, []).append((type(thing).__name__.lower(), thing.name))
    above: dict[tuple[Document, int], Element] = {}
    for element in root.walk():
        above.update(((child.document, child.start), element) for child in element.children)
    found: dict[Doubt, None] = {}
    nothing = Doubt("robot", parts.name)
    for finding in report.findings:
        if finding.severity == "error" and (about := report.about.get(id(finding))) and finding.code != "too-many":
            found.update(dict.fromkeys(_doubts(parts, things, above, *about[1:])))
        elif finding.severity == "error":
            found[nothing] = None
    return list(found)


def _doubts(
    parts: Parts,
    things: Things,
    above: dict[tuple[Document, int], Element],
    element: Element,
    owner: Element | None,
    attribute: str | None,
) -> Iterator[Doubt]:
    """Yield what one error leaves unknown. The innermost part of the robot around its element is meant."""
    path = [attribute] if attribute else []
    at: Element | None = element
    while at is not None and at.source not in things and at.tag not in KINDS:
        outer = above.get((at.document, at.start))
        if outer is not None and outer.tag in ("robot", "mujoco") and at.tag in HARMLESS:
            yield Doubt(element.tag, element.get("name") or "")
            return
        if outer is not None and outer.tag == "equality":  # it can make one joint follow another
            yield Doubt("joint", element.get("joint1") or "", "mimic")
            return
        if outer is not None and outer.tag == "tendon":
            yield Doubt("coupled limit", at.get("name") or "")
            return
        path.append(at.tag)
        at = outer
    if at is None:
        at = owner
    if at is None or (at.source not in things and at.tag not in KINDS):
        yield Doubt("robot", parts.name, "name" if path == ["robot"] else "")
        return
    if at.source not in things:  # left out
        yield Doubt(KINDS[at.tag], at.get("name") or "")
        if KINDS[at.tag] != "sensor":
            yield Doubt("robot", parts.name, "names")
        return
    for kind, name in things[at.source]:
        table = PARTS.get(kind, {})
        part = next((table[tag] for tag in path if tag in table), "")
        yield Doubt(kind, name, part)
        if kind != "sensor" and not POSE.isdisjoint(path) and part in ("", "origin"):
            if b"relative_to" in at.document.data or b"attached_to" in at.document.data:  # then others may depend on it
                yield Doubt("robot", parts.name, "poses")
            elif kind == "link":
                yield Doubt("link", name, "pose")
