"""The elements of MJCF files, and numbers in them that MuJoCo reads without a word."""

from collections.abc import Iterator

from kinetree.files.opener import Files
from kinetree.model.edit.extensions import kept_elements
from kinetree.repairs.fixes import exact
from kinetree.rules.rule import Robot, fact
from kinetree.rules.shapes.addresses import Confined
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import DerivedText, Element, Report, parse

Parts = tuple[Element, ...]
Fault = tuple[str, Element, str]  # a message, its element and attribute
RANGES = ("ctrlrange", "forcerange", "actrange", "lengthrange", "actuatorfrcrange", "range")
NOT_NEGATIVE = {
    "option": ("timestep", "impratio", "density", "viscosity", "tolerance", "iterations"),
    "geom": ("friction", "mass", "density"),
    **dict.fromkeys(("spatial", "fixed", "tendon"), ("damping", "stiffness", "frictionloss")),
    **dict.fromkeys(("position", "velocity", "intvelocity", "damper"), ("kp", "kv")),
    "cylinder": ("timeconst", "area", "diameter"),
}
"""Tags to attributes whose numbers are 0 or more."""
MAKERS = ("composite", "flexcomp", "replicate", "attach")
"""Elements that make bodies, of which a file does not have the number."""
STATELESS = ("motor", "position", "velocity", "damper", "adhesion", "general")
"""Actuators without activation if they have no `dyntype` and no `timeconst`."""


@fact
def mjcf_parts(robot: Robot, confined: Confined) -> Parts:
    """Return the elements of the MJCF file from which the robot was read and of the files that it includes; none for
    other formats."""
    if robot.text is None or robot.text.format != "mjcf" or robot.source is None:
        return ()
    from kinetree.formats.mjcf.include import expand  # of few files

    report = Report()
    root = parse(DerivedText(robot.text.text, robot.text.origins), robot.source.file, report)
    if root is not None:
        expand(report, root, Files({}, confined or None))
    return tuple(root.walk()) if root is not None else ()


def in_degrees(elements: Parts) -> bool:
    """Return whether the angles of an MJCF file are in degrees."""
    said = [angle for element in elements if element.tag == "compiler" and (angle := element.get("angle"))]
    return not said or said[-1] == "degree"


def radians_in(elements: Parts) -> Iterator[Fault]:
    """Yield the angles that are fractions of π, exact or rounded, in a file in degrees, once for each kind of element
    and attribute: euler, axisangle, and the range and ref of a hinge."""
    classes = [part for element in elements if element.tag == "default" for part in element.find_all("joint")]
    slides = any(part.get("type", "hinge") != "hinge" for part in classes)
    seen, usual = set(), "unknown" if slides else "hinge"
    for element in elements if in_degrees(elements) else ():
        names = ("range", "ref") if element.tag == "joint" and element.get("type", usual) == "hinge" else ()
        for name in ("euler", "axisangle", *names):
            texts = (element.get(name) or "").split()[3 if name == "axisangle" else 0 :]
            if any(map(_is_fraction, texts)) and (element.tag, name) not in seen:
                seen.add((element.tag, name))
                message = f"{name} is {' '.join(texts)}° here, a fraction of π; is it in radians?"
                yield f'{message} Then write <compiler angle="radian"/>', element, name


def numbers_out_of_range(elements: Parts) -> Iterator[Fault]:
    """Yield ranges in the other order and negative numbers of actuators, tendons, geoms, options and their classes. The
    reader and JNT-004 report those of joints."""
    classes = {part for element in elements if element.tag == "default" for part in element.children}
    for element in elements:
        ranges = RANGES if element.tag != "joint" or element in classes else ()
        for name in (*ranges, *NOT_NEGATIVE.get(element.tag, ())):
            values = numbers(element.get(name) or "") or ()
            if len(values) == 2 and values[0] > values[1] and name in RANGES:
                yield f"{name} is {element.attributes[name]!r}; expected the lower number first", element, name
            elif min(values, default=0) < 0 and name not in RANGES:
                yield f"{name} is {element.attributes[name]!r}; expected 0 or more", element, name


def keyframe_faults(robot: Robot, elements: Parts) -> Iterator[Fault]:
    """Yield the lists of numbers in keyframes whose length is not that of the model. In a scene that others
    include, without settings, classes and actuators, longer postures are those of the whole."""
    keys = [element for element in elements if element.tag == "key"]
    order = next((root.children for _, root in kept_elements(robot.extensions, "mjcf", "keyframe")), None)
    if order is None or any(element.tag in MAKERS for element in elements):
        return  # the key of the neutral posture is not kept if its numbers fit
    nq, nv = (sum(int(part.attributes.get(name, 0)) for part in order) for name in ("nq", "nv"))
    moved = sum(element.get("mocap") == "true" for element in elements if element.tag == "body")
    actuators = [part for element in elements if element.tag == "actuator" for part in element.children]
    classes = [part for element in elements if element.tag == "default" for part in element.children]
    counts = {"qpos": nq, "qvel": nv, "ctrl": len(actuators), "mpos": 3 * moved, "mquat": 4 * moved}
    states = [{"dyntype", "timeconst"} & {*part.attributes} for part in (*actuators, *classes)]
    if not any(states) and all(part.tag in STATELESS for part in actuators):
        counts["act"] = 0
    scene = {element.tag for element in elements}.isdisjoint(("compiler", "option", "default", "actuator"))
    for key, name in ((key, name) for key in keys for name in counts):
        found = len((key.get(name) or "").split())
        if found not in (0, counts[name]) and not (scene and found > counts[name] and name in ("qpos", "qvel")):
            yield f"{name} has length {found}; expected {counts[name]}, that of the model", key, name


def _is_fraction(text: str) -> bool:
    value = (numbers(text) or (0.0,))[0]
    return any(exact(form) is not None for form in (text, f"{value:.3f}"))
