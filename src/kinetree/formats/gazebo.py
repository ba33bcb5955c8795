"""Words of <gazebo> blocks in URDF, and the elements of SDF that sdformat's own conversion makes of them.

Source: "Extensions to URDF" (http://sdformat.org/tutorials?tut=sdformat_urdf_extensions) and the answers of
libsdformat 12.3, which has <provide_feedback> in <ode> as well, where SDF does not define it. An element that is not
in these tables stands as it is in the link, joint or model.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from kinetree.model.robot import Surface
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Element


class Word(NamedTuple):
    """A word of a block. places: paths in SDF, from the element that it is about. kind: "number", "size" (a number from
    0), "vector", "truth", "opposite" or "text"."""

    places: tuple[str, ...]
    kind: str = "number"


LINK = {
    "turnGravityOff": Word(("gravity",), "opposite"),
    "dampingFactor": Word(("velocity_decay/linear", "velocity_decay/angular")),
    "selfCollide": Word(("self_collide",), "truth"),
}
COLLISION = {
    "mu1": Word(("surface/friction/ode/mu",), "size"),
    "mu2": Word(("surface/friction/ode/mu2",), "size"),
    "fdir1": Word(("surface/friction/ode/fdir1",), "vector"),
    "kp": Word(("surface/contact/ode/kp",), "size"),
    "kd": Word(("surface/contact/ode/kd",), "size"),
    "maxVel": Word(("surface/contact/ode/max_vel",)),
    "minDepth": Word(("surface/contact/ode/min_depth",)),
    "laserRetro": Word(("laser_retro",)),
    "maxContacts": Word(("max_contacts",)),
}
VISUAL = {"material": Word(("material/script/name",), "text")}
JOINT = {
    "stopCfm": Word(("physics/ode/limit/cfm",)),
    "stopErp": Word(("physics/ode/limit/erp",)),
    "fudgeFactor": Word(("physics/ode/fudge_factor",)),
    "provideFeedback": Word(("physics/provide_feedback",), "truth"),
    "implicitSpringDamper": Word(("physics/ode/implicit_spring_damper", "physics/ode/cfm_damping"), "truth"),
    "cfmDamping": Word(("physics/ode/implicit_spring_damper", "physics/ode/cfm_damping"), "truth"),
}
SPRINGS = {"springReference": "reference", "springStiffness": "stiffness"}
"""Words of a joint to the fields of `Dynamics`, which SDF has in its <axis>."""
MODEL = {"static": Word(("static",), "truth")}
WORDS = {"collision": COLLISION, "visual": VISUAL, "link": LINK, "joint": JOINT, "model": MODEL}
"""The tables by the element of SDF. Those of collisions and visuals hold for all of the link in the block."""
LUMPING = ("disableFixedJointLumping", "preserveFixedJoint", "canonicalBody")
"""Words that need nothing, for fixed joints are written as they are."""
SURFACE = {
    "surface/friction/ode/mu": "mu",
    "surface/friction/ode/mu2": "mu2",
    "surface/bounce/restitution_coefficient": "restitution",
    "surface/contact/ode/kp": "stiffness",
    "surface/contact/ode/kd": "damping",
}
"""Paths in a <collision> of SDF to the fields of `Surface`."""
SENSOR_TYPES = (
    *("air_flow", "air_pressure", "air_speed", "altimeter", "boundingbox", "boundingbox_camera", "camera"),
    *("contact", "custom", "depth", "depth_camera", "force_torque", "gps", "gpu_lidar", "gpu_ray", "imu"),
    *("lidar", "logical_camera", "magnetometer", "multicamera", "navsat", "ray", "rfid", "rfidtag", "rgbd"),
    *("rgbd_camera", "segmentation", "segmentation_camera", "sonar", "thermal", "thermal_camera"),
    *("wideanglecamera", "wireless_receiver", "wireless_transmitter"),
)
"""Types of sensors of SDF."""
SCRIPTS = "file://media/materials/scripts/gazebo.material"
"""File of the materials that <material> names."""
TRUE, FALSE = ("true", "yes", "1"), ("false", "no", "0")


def converted(word: Word, element: Element) -> str | None:
    """Return the value of a word, its attribute or else its text, as SDF has it, or None if it is not legal."""
    text = (element.get("value") or element.text).strip()
    if word.kind in ("number", "size", "vector"):
        found = numbers(text)
        is_legal = found is not None and len(found) == (3 if word.kind == "vector" else 1)
        return text if found and is_legal and (word.kind != "size" or found[0] >= 0.0) else None
    if word.kind in ("truth", "opposite"):
        return str(text.lower() in (TRUE if word.kind == "truth" else FALSE)).lower()
    return text or None


def leaves(element: Element, path: str = "") -> dict[str, Element] | None:
    """Return the innermost elements of an element by path, itself included; None if tags repeat, or carry attributes
    on the way, so that paths do not describe it."""
    found: dict[str, Element] = {}
    at = path + element.tag
    if not element.children:
        return {at: element}
    if element.attributes or element.text.strip() or len({e.tag for e in element.children}) < len(element.children):
        return None
    for child in element.children:
        inside = leaves(child, f"{at}/")
        if inside is None:
            return None
        found |= inside
    return found


def surface_of(found: dict[str, Element], surface: Surface | None = None) -> tuple[Surface | None, list[str]]:
    """Return the surface that the leaves of a <surface> describe, over another, and the paths that it covers."""
    values: dict[str, float] = {}
    covered = []
    for path, leaf in found.items():
        number = numbers(leaf.text)
        if path in SURFACE and number and len(number) == 1 and number[0] >= 0.0 and not leaf.attributes:
            values[SURFACE[path]] = number[0]
            covered.append(path)
    return (replace(surface or Surface(), **values) if values else surface), covered


def springs_of(blocks: Iterable[Element]) -> dict[str, dict[str, float]]:
    """Return the fields of `Dynamics` that blocks give to each joint, by the name of the joint."""
    found: dict[str, dict[str, float]] = {}
    for block in blocks:
        for child in (child for child in block.children if child.tag in SPRINGS):
            if text := converted(Word(()), child):
                found.setdefault(block.get("reference") or "", {})[SPRINGS[child.tag]] = float(text)
    return found


def surfaces_of(blocks: Iterable[Element]) -> dict[str, Surface]:
    """Return what blocks say of the surface of each link's shapes, by the name of the link."""
    found: dict[str, Surface | None] = {}
    for block in blocks:
        link = block.get("reference") or ""
        for child in sorted(block.children, key=lambda child: child.tag != "collision"):
            surface = found.get(link)
            if child.tag in COLLISION and (place := COLLISION[child.tag].places[0]) in SURFACE:
                text = converted(COLLISION[child.tag], child)
                values = {} if text is None else {SURFACE[place]: float(text)}
                surface = replace(surface or Surface(), **values) if values else surface
            elif child.tag == "collision":
                for inner in child.children:
                    inside = leaves(inner) if inner.tag == "surface" else None
                    surface, _ = surface_of(inside or {}, surface)
            found[link] = surface
    return {link: surface for link, surface in found.items() if link and surface}
