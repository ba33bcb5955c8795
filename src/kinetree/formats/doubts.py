"""What errors of a reader leave unknown of a robot, by the elements that they are about."""

from collections.abc import Iterator
from itertools import takewhile

from kinetree.errors import Doubt, Source
from kinetree.model.assemble import Parts
from kinetree.model.robot import Frame, Joint, Link, Sensor
from kinetree.syntax.xml.reader import Document, Element, Report

INSIDE = frozenset(
    (
        *("limit", "range", "limited", "actuatorfrcrange", "actuatorfrclimited", "mimic", "safety_controller"),
        *("calibration", "dynamics", "damping", "stiffness", "springref", "armature", "frictionloss"),
        *("plugin", "physics", "gearbox_ratio", "gearbox_reference_body"),
    )
)
"""Tags and attributes of a joint without which its type and its place are known."""
KINDS = {"body": "link", "freejoint": "joint", "site": "frame", "camera": "sensor"}
KINDS |= {kind: kind for kind in ("link", "joint", "frame", "sensor")}
POSE = frozenset(("pose", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"))
"""Tags and attributes of SDF and MJCF that say where a part of the robot is."""
HARMLESS = ("equality", "tendon")
"""Children of the root of MJCF in which errors leave nothing unknown that a rule reads."""

Things = dict[Source | None, list[tuple[str, str]]]
"""Kinds and names of the parts of a robot by the places of their elements."""


def doubts_of(report: Report, parts: Parts, root: Element) -> list[Doubt]:
    """Return what the errors of a report leave unknown of these parts."""
    things: Things = {}
    every: list[Link | Joint | Frame | Sensor] = [*parts.links, *parts.joints, *parts.frames, *parts.sensors]
    for thing in every:
        things.setdefault(thing.source, []).append((type(thing).__name__.lower(), thing.name))
    above: dict[tuple[Document, int], Element | None] = {(root.document, root.start): None}
    for element in root.walk():  # elements that a reader made have the place of another, which comes first
        for child in element.children:
            above.setdefault((child.document, child.start), element)
    found: dict[Doubt, None] = {}
    for finding in report.findings:
        if finding.code == "sdf-version" and (at := report.about.get(id(finding))) and at[1].tag == "sdf":
            found[Doubt("robot", parts.name, "version")] = None  # read as the nearest version
        elif finding.severity == "error" and (about := report.about.get(id(finding))) and finding.code != "too-many":
            found.update(dict.fromkeys(_doubts(parts.name, things, above, *about[1:])))
        elif finding.severity == "error":
            found[Doubt("robot", parts.name)] = None
    return list(found)


def _doubts(
    robot: str,
    things: Things,
    above: dict[tuple[Document, int], Element | None],
    element: Element,
    owner: Element | None,
    attribute: str | None,
) -> Iterator[Doubt]:
    """Yield what one error leaves unknown. The innermost part of the robot around its element is meant."""
    path = [element]
    while outer := above.get((path[-1].document, path[-1].start)):
        path.append(outer)
    inner = [*takewhile(lambda one: one.source not in things and one.tag not in KINDS, path)]
    at = path[len(inner)] if len(inner) < len(path) else owner
    said = {attribute, *(one.tag for one in inner)}
    if len(inner) == len(path) > 1 and path[-1].tag == "mujoco" and path[-2].tag in HARMLESS:
        yield Doubt(element.tag, element.get("name") or "")
    elif at is None or (at.source not in things and at.tag not in KINDS):
        yield Doubt("robot", robot, "name" if said == {None, "robot"} else "")
    elif at.source not in things:  # left out
        yield Doubt(KINDS[at.tag], at.get("name") or "")
        if KINDS[at.tag] != "sensor":
            yield Doubt("robot", robot, "names")
    else:
        others = b"relative_to" in at.document.data or b"attached_to" in at.document.data  # which may depend on it
        for kind, name in things[at.source]:
            yield Doubt(kind, name, "inside" if kind == "joint" and not INSIDE.isdisjoint(said) else "")
            if kind != "sensor" and others and not POSE.isdisjoint(said):
                yield Doubt("robot", robot, "poses")
