"""Forces in a file that dynamics does not compute: noted when the file is read, refused where they count."""

import re
from collections.abc import Collection, Iterable, Iterator

from kinetree.errors import Finding
from kinetree.formats.numbers import format_numbers, numbers
from kinetree.model.names import kind_of
from kinetree.model.robot import Extension, Joint, Link

DEFAULTS = {"mjcf": ([0, 0, -9.81],), "sdf": ([0, 0, -9.81], [0, 0, -9.8])}
"""Gravity that needs no note, m/s²: what dynamics takes, and the default of the format."""


def _given(names: str) -> str:
    """Return the pattern of an attribute of one of these names with a value but zero."""
    return rf'\b({names})="(?![0. ]*")[^"]*"'


BOTH = r'springdamper(?!="(-|[0.]+ |\S+ +(-|[0.]+")))'  # without effect unless both of its numbers are positive
FORCES = (
    ("weight", "attributes", _given("gravcomp"), "a force against its weight is not computed", ""),
    ("passive", "attributes", _given(BOTH), "a spring and damper that follow from its inertia are not computed", ""),
    ("passive", "tendon", _given("stiffness|damping"), "springs and dampers of tendons are not computed", ""),
    ("friction", "tendon", _given("frictionloss"), "friction of tendons is not computed", ""),
    ("armature", "tendon actuator default", _given("armature"), "armature is computed for joints alone", ""),
    ("passive", "actuator default", _given("damping"), "damping is computed for joints alone", ""),
    ("medium", "option", _given("density|viscosity"), "forces of a medium are not computed", ""),
    (
        "passive",
        "option",
        _given('(spring|passive)(?=="d)'),
        "it switches off springs, which are computed",
        "stiffness",
    ),
    ("passive", "option", _given('(damper|passive)(?=="d)'), "it switches off dampers, which are computed", "damping"),
    ("weight", "gravity", r">\s*(false|0)\s*<", "its weight is computed, although the file gives it none", ""),
    ("medium armature", "inertial/fluid_added_mass", "[1-9]", "the mass of moved fluid is not computed", ""),
)
"""What depends on a force (`needs` of `force_query`), tags of extensions that have it, its pattern, a message, and the
property of joints without which it has no effect."""


def uncomputed(
    links: Iterable[Link], joints: Collection[Joint], extensions: Collection[Extension]
) -> Iterator[tuple[str, Finding]]:
    """Return what depends on each force that is not computed, and a warning that names the first part with it; and a
    warning, on which nothing depends, for each gravity that differs from what dynamics takes."""
    parts = [(f"{kind_of(part)} {part.name!r}", e) for part in (*links, *joints) for e in part.extensions]
    parts += [("", e) for e in extensions]
    for counts, tags, pattern, message, acts_on in FORCES:
        if acts_on and not any(getattr(row, acts_on) for joint in joints for row in joint.dynamics):
            continue
        likely = ((name, e) for name, e in parts if e.format in DEFAULTS and e.tag in tags.split())
        found = [(name, e, match) for name, e in likely if (match := re.search(pattern, e.text))]
        for name, e, match in found[:1]:
            start = e.text[: match.start()].rpartition("<")[2] + e.text[match.start() :].partition(">")[0].rstrip("/")
            what = f": {start}" if "=" in match[0] else ""
            more = f"; there are {len(found)} such parts" if found[1:] else ""
            element = name or f"<{start.split()[0]}>"
            yield counts, Finding("not-computed", "warning", f"{message}{what}{more}", e.source, element)
    for e in extensions:
        own = {("mjcf", "option"): r'\bgravity="([^d"]*)"', ("sdf", "gravity"): ">([^<]*)<"}.get((e.format, e.tag))
        match = re.search(own, e.text) if own else None
        g = [0.0] * 3 if own and 'gravity="disable"' in e.text else match and numbers(match[1])
        if g and g not in DEFAULTS[e.format]:
            message = f"gravity is {format_numbers(g)} in the file, and by default 0 0 -9.81 in dynamics"
            fix = f"pass gravity=({', '.join(format_numbers(g).split())}) to the functions of kt.dynamics"
            yield "", Finding("not-computed", "warning", message, e.source, f"<{e.tag}>", fix=fix)
