"""Forces in a file that dynamics does not compute: noted when the file is read, refused where they count."""

import re
from collections.abc import Collection, Iterable, Iterator

from kinetree.errors import Finding
from kinetree.formats.defaults import DEFAULTS
from kinetree.model.robot import Extension, Joint, Link, Robot
from kinetree.syntax.numbers import format_numbers, numbers

GRAVITY = {format: ([0, 0, -9.81], [*(DEFAULTS[format].gravity or ())]) for format in ("mjcf", "sdf")}
"""Gravity that needs no note, m/s²: what dynamics takes, and the default of the format."""


def _given(names: str) -> str:
    return rf'\b({names})="(?![0. ]*")[^"]*"'  # with a value but zero


FORCES = (
    ("weight", "attributes", _given("gravcomp"), "a force against its weight is not computed", ""),
    (
        "passive",
        "attributes",
        _given("springdamper"),
        "a spring and damper that follow from its inertia are not computed",
        "",
    ),
    ("passive", "attributes", _given("stiffness|damping"), "only the linear part of its spring or damper is known", ""),
    ("passive", "tendon", _given("stiffness|damping"), "springs and dampers of tendons are not computed", ""),
    ("friction", "tendon", _given("frictionloss"), "friction of tendons is not computed", ""),
    ("armature", "tendon actuator default", _given("armature"), "armature is computed for joints alone", ""),
    ("passive", "actuator default", _given("damping"), "damping is computed for joints alone", ""),
    ("medium", "option", _given("density|viscosity"), "forces of a medium are not computed", ""),
    ("passive", "option", _given('(spring|passive)(?=="d)'), "it switches off springs that are computed", "stiffness"),
    ("passive", "option", _given('(damper|passive)(?=="d)'), "it switches off dampers that are computed", "damping"),
    ("weight", "gravity", r">\s*(false|0)\s*<", "its weight is computed, although the file gives it none", ""),
    ("medium armature", "inertial/fluid_added_mass", "[1-9]", "the mass of moved fluid is not computed", ""),
)
"""What depends on a force (`needs` of `force_query`), tags of extensions that have it, its pattern, a message, and the
property of joints without which it has no effect."""


STATIC = re.compile(r">\s*(true|1)\s*<", re.IGNORECASE)


def static_links(robot: Robot) -> frozenset[str]:
    """Return the links of static models of SDF: the world holds each of them, whatever its joints are."""
    static = [e.tag.rpartition("::") for e in robot.extensions if e.format == "sdf" and STATIC.search(e.text)]
    scopes = tuple(f"{scope}::" if scope else "" for scope, _, tag in static if tag == "static")
    return frozenset(name for name in robot.links if name.startswith(scopes))


def uncomputed(
    links: Iterable[Link], joints: Collection[Joint], extensions: Collection[Extension]
) -> Iterator[tuple[str, Finding]]:
    """Return what depends on each force that is not computed, and a warning that names the first part with it; and a
    warning, on which nothing depends, for each gravity that differs from what dynamics takes."""
    parts = [(f"link {link.name!r}", e) for link in links for e in link.extensions if e.format in GRAVITY]
    parts += [(f"joint {joint.name!r}", e) for joint in joints for e in joint.extensions if e.format in GRAVITY]
    parts += [("", e) for e in extensions if e.format in GRAVITY]
    for counts, tags, pattern, message, acts_on in FORCES:
        if acts_on and not any(getattr(row, acts_on) for joint in joints for row in joint.dynamics):
            continue
        found = [(name, e, m) for name, e in parts if e.tag in tags.split() and (m := re.search(pattern, e.text))]
        for name, e, match in found[:1]:
            start = e.text[: match.start()].rpartition("<")[2] + e.text[match.start() :].partition(">")[0].rstrip("/")
            message += (f": {start}" * ("=" in start)) + f"; there are {len(found)} such parts" * bool(found[1:])
            yield counts, Finding("not-computed", "warning", message, e.source, name or f"<{start.split()[0]}>")
    for e in (e for name, e in parts if not name and e.tag in ("option", "gravity")):
        given = re.findall(r'\bgravity(?:="|>)([^"<]+)', e.text)
        g = [0.0] * 3 if "disable" in given else numbers(" ".join(given[:1]))
        if g and g not in GRAVITY[e.format]:
            text = format_numbers(g)
            message = f"gravity is {text} in the file, and by default 0 0 -9.81 in dynamics"
            fix = f"pass gravity=({text.replace(' ', ', ')}) to functions of kt.dynamics, --gravity {text} to commands"
            yield "", Finding("not-computed", "warning", message, e.source, f"<{e.tag}>", fix=fix)
