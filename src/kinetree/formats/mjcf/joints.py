"""Joints of a body, in a row from its parent to the body."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from kinetree.formats.defaults import DEFAULTS
from kinetree.formats.fields import float_of, vector_of
from kinetree.formats.mjcf.compiler import AUTO, keyword
from kinetree.formats.mjcf.context import Context, attributes_extension, name_or_free
from kinetree.formats.mjcf.poses import ZERO, unit
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import NO_AXES, Dynamics, Joint, Limit
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.numbers import format_numbers, numbers
from kinetree.syntax.xml.reader import Element

ASSUMED = DEFAULTS["mjcf"]
TYPES = {kind.mjcf: kind.name for kind in reversed(JOINT_TYPES.values()) if kind.mjcf}
"""MuJoCo's types to the model's; a hinge without a range is continuous."""
ROUNDED = 1e-3
"""Largest excess of a ref over its range, rad or m."""
KEPT = (
    *("group", "springdamper", "solreflimit", "solimplimit", "solreffriction", "solimpfriction"),
    *("actuatorgravcomp", "margin", "springyield", "user"),
)


@dataclass(frozen=True, slots=True)
class JointElement:
    """A joint element with its class resolved, and the pose (4, 4) of its <frame> in the body."""

    element: Element
    T_body_frame: Array


def read_joint(context: Context, placed: JointElement, body: str) -> Joint:
    """Return a joint without parent, child, ref and the body's pose; origin is its place in the body."""
    element, report = placed.element, context.report
    free = element.tag == "freejoint"
    kind = "free" if free else keyword(report, element, "type", TYPES) or "hinge"
    name = name_or_free(context, element, f"{body}_joint", context.names.joints)
    if free and element.get("align") == "true":
        message = "align: MuJoCo may move the frame of this body to its centre of mass; it is kept here as written"
        report.warning("compiler-setting", message, element, attribute="align")
    if kind == "free":
        joint = Joint(name, TYPES[kind], "", "", dynamics=_dynamics(context, element, kind), source=element.source)
        return replace(joint, extensions=attributes_extension(element, _kept(element)))
    R, p_frame = placed.T_body_frame[:3, :3], placed.T_body_frame[:3, 3]
    p = R @ vector_of(report, element, "pos", 3, ZERO) + p_frame
    at, back = frozen(se3.translation(p)), frozen(se3.translation(-p))
    limits, kept = _limits(context, element, kind)
    joint = Joint(
        name,
        TYPES[kind],
        "",
        "",
        at,
        NO_AXES,
        back,
        limits=limits,
        dynamics=_dynamics(context, element, kind),
        extensions=attributes_extension(element, kept),
        source=element.source,
    )
    if kind == "ball":
        return joint
    axis = unit(report, element, "axis", list(R @ vector_of(report, element, "axis", 3, ASSUMED.axis)))
    ref = context.refs[name] = _angle(context, element, kind, float_of(report, element, "ref", 0.0))
    joint = replace(joint, axes=frozen([axis]))
    outside = limits and not limits[0].lower - ROUNDED <= ref <= limits[0].upper + ROUNDED
    if "ref" in element.attributes and outside:
        message = f"ref={element.get('ref')!r} is outside of range={element.get('range')!r}, but the model starts there"
        report.warning("range", message, element, attribute="ref")
    if kind == "slide":
        return replace(joint, origin=se3.IDENTITY, child_origin=se3.IDENTITY)
    limited = bool(limits) and limits[0].lower > -inf
    return joint if limited else replace(joint, type="continuous")


def moved_to_zero(joints: list[Joint], refs: Mapping[str, float]) -> tuple[list[Joint], Array]:
    """Return the joints of a body drawn with its joints at `ref` as joints of the body drawn with all at zero.

    Also returns T_drawn_zero (4, 4), by which the body moves. With M(q) the motion of a joint in the axes of the body,
    M1(q1 - r1) M2(q2 - r2) is T M1'(q1) M2'(q2): T = M1(-r1) M2(-r2), and M' = S⁻¹ M S with S the M(-r) of all joints
    after it.
    """
    S = se3.IDENTITY
    moved = []
    for joint in reversed(joints):
        p = joint.origin[:3, 3]
        ref = refs.get(joint.name, 0.0) if joint.kind.single else 0.0
        M = joint.origin @ joint.kind.transform(joint.axes, 0.0, [-ref]) @ joint.child_origin if ref else se3.IDENTITY
        if not np.array_equal(S, se3.IDENTITY):
            if joint.type != "prismatic":
                p = S[:3, :3].T @ (p - S[:3, 3])
                joint = replace(joint, origin=frozen(se3.translation(p)), child_origin=frozen(se3.translation(-p)))
            joint = replace(joint, axes=frozen(joint.axes @ S[:3, :3]))
        moved.append(joint)
        S = M @ S
    return moved[::-1], S


def _angle(context: Context, element: Element, kind: str, value: float) -> float:
    return context.compiler.of(element).angle(value) if kind in ("hinge", "ball") else value


def _kept(element: Element) -> dict[str, str]:
    kept = {name: element.attributes[name] for name in KEPT if name in element.attributes}
    return kept | {name: element.attributes[name] for name in ("stiffness", "damping") if _is_polynomial(element, name)}


def _limits(context: Context, element: Element, kind: str) -> tuple[tuple[Limit, ...], dict[str, str]]:
    """Return the limits, and the attributes that are kept unchanged."""
    kept = _kept(element)
    span = span_of(context, element, "range", "limited")
    if kind == "ball":
        if span is not None:
            message = "the limit of a ball joint has no place among the limits; it is kept as an attribute"
            context.report.warning("ball-limit", message, element, attribute="range")
            kept["range"] = format_numbers([0.0, context.compiler.of(element).angle(span[1])])
            kept |= {"limited": "true"} if span[1] <= 0 else {}
        return (), kept
    effort, force = inf, span_of(context, element, "actuatorfrcrange", "actuatorfrclimited")
    if force is not None and force[0] == -force[1]:
        effort = force[1]
    elif force is not None:
        message = "a force limit that is not the same in both directions has no place among the limits; it is kept"
        context.report.warning("force-limit", message, element, attribute="actuatorfrcrange")
        kept["actuatorfrcrange"] = format_numbers(force)
    if span is None:
        return ((Limit(effort=effort),) if effort < inf else ()), kept
    lower, upper = (_angle(context, element, kind, value) for value in span)
    return (Limit(lower, upper, effort=effort),), kept


def span_of(context: Context, element: Element, attribute: str, switch: str) -> tuple[float, float] | None:
    """Return a range if it is active: limited="true", or "auto" with a range and the compiler's autolimits."""
    report = context.report
    limited = keyword(report, element, switch, AUTO) or "auto"
    lower, upper = vector_of(report, element, attribute, 2, (0.0, 0.0))
    given = lower != 0 or upper != 0
    if limited == "false" and given:
        message = f"{attribute}={element.get(attribute)!r} has no effect, for {switch}='false'"
        report.add("info", "range", message, element, attribute=switch)
    if limited == "false" or (limited == "auto" and not given):
        return None
    if limited == "auto" and not context.compiler.of(element).autolimits:
        message = f"there is {attribute} without {switch}, while autolimits is 'false'; expected {switch}='true'"
        report.error("autolimits", message, element, attribute=attribute)
    ball = element.get("type") == "ball"  # may have no range, such as one that inherits limited="true" from a class
    if attribute not in element.attributes and not ball:
        report.error("range", f"{switch}='true' needs {attribute}=…, which is missing", element)
    elif not lower < upper and (limited == "auto" or not ball):
        message = f"{attribute}={element.get(attribute)!r}; expected a first number smaller than the second"
        if limited == "auto":
            report.warning("range", f"{message}; it has no effect, in MuJoCo neither", element, attribute=attribute)
            return None
        report.error("range", message, element, attribute=attribute if given else None)
    return lower, upper


def _is_polynomial(element: Element, attribute: str) -> bool:
    """Return whether stiffness or damping has coefficients beyond the linear one."""
    return any((numbers(element.get(attribute, "") or "") or [])[1:])


def _dynamics(context: Context, element: Element, kind: str) -> tuple[Dynamics, ...]:
    if element.tag == "freejoint":
        return ()
    report = context.report
    found = Dynamics(
        _linear(context, element, "damping"),
        float_of(report, element, "frictionloss", 0.0),
        _linear(context, element, "stiffness"),
        _angle(context, element, kind, float_of(report, element, "springref", 0.0)),
        float_of(report, element, "armature", 0.0),
    )
    return (found,) if found != Dynamics() else ()


def _linear(context: Context, element: Element, attribute: str) -> float:
    text = element.get(attribute)
    if text is None:
        return ASSUMED.damping if attribute == "damping" else 0.0
    values = numbers(text)
    if not values or len(values) > 3:
        message = f"{attribute}={text!r}; expected one to three finite numbers"
        context.report.error("number", message, element, attribute=attribute)
        return 0.0
    return values[0]
