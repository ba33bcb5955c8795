"""<equality> and <tendon>: joints that follow others, and limits over several joints."""

from dataclasses import replace
from math import inf

from numpy.polynomial import Polynomial

from kinetree.display import number
from kinetree.errors import Finding, KinetreeError
from kinetree.formats.fields import float_of, name_of
from kinetree.formats.mjcf.compiler import keyword
from kinetree.formats.mjcf.context import EQUALITY, OPEN, Context, attributes_extension
from kinetree.formats.mjcf.joints import span_of
from kinetree.formats.mjcf.known import CHILDREN
from kinetree.formats.mjcf.loops import TYPES, read_loop
from kinetree.model.edit.motion import lock
from kinetree.model.mimic import leader_ranges, mimic_polynomial, resolve_mimic
from kinetree.model.robot import CoupledLimit, Joint, Mimic, Robot
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Element

SPATIAL = ("width", "material", "rgba")  # inherited from the class of a fixed tendon, which cannot have them
AGREE = 1e-9  # tolerance between two values of a fixed joint, in rad or m
TENDON_KEPT = (
    *("group", "actuatorfrclimited", "actuatorfrcrange", "solreflimit", "solimplimit", "solreffriction", "margin"),
    *("solimpfriction", "frictionloss", "springlength", "springyield", "stiffness", "damping", "armature", "user"),
)


def read_equality(context: Context, root: Element) -> list[Element]:
    """Make followers of the joints that an affine equality ties to another; return the other elements."""
    others = []
    for element in (e for section in root.find_all("equality") for e in section.children):
        known = element.tag in CHILDREN["equality"]
        full = context.classes.resolved(element, tag="equality") if known else element
        active = keyword(context.report, full, "active", ("false", "true")) != "false"
        if element.tag == "joint" and active:
            _follow(context, full)
            continue
        if element.tag in TYPES and active and read_loop(context, full):
            continue
        others.append(full)
        if active and element.tag not in TYPES:
            message = f"an equality <{element.tag}> is not supported; it is kept, but has no effect"
            context.report.add("info" if known else "warning", "equality", message, element)
        elif element.tag == "joint":
            message = "this equality is not active, so no joint follows; it is kept"
            context.report.add("info", "equality", message, element)
    return others


def _follow(context: Context, element: Element) -> None:
    """Make a follower by MuJoCo's y - y0 = a0 + a1 (x - x0) + …, with the joints at y0, x0 in the drawn model."""
    report = context.report
    follower = _scalar_joint(context, element, "joint1")
    leader = _scalar_joint(context, element, "joint2") if "joint2" in element.attributes else None
    text = element.get("polycoef") or ""
    given = numbers(text)
    if given is None or len(given) > 5:
        report.error("number", f"polycoef={text!r}; expected up to 5 finite numbers", element, attribute="polycoef")
        return
    a0, a1, *higher = [*given, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(given) :]]
    if follower is None or ("joint2" in element.attributes and leader is None):
        return
    if leader is None:
        _hold(context, element, follower.name, context.refs[follower.name] + a0)
        return
    offset = context.refs[follower.name] + a0 - a1 * context.refs[leader.name]
    if any(higher):  # about x0, in powers of x
        x = Polynomial([-context.refs[leader.name], 1.0])
        offset, a1, *higher = (Polynomial([context.refs[follower.name] + a0, a1, *higher])(x)).trim().coef.tolist()
    more = tuple(higher) if any(higher) else ()
    already = follower.mimic == Mimic(leader.name, a1, offset, more)
    if not already and a1 and not more and follower.mimic and not leader.mimic:
        follower, leader, a1, offset = leader, follower, 1 / a1, -offset / a1
    mimic = Mimic(leader.name, a1, offset, more)
    if follower.mimic and follower.mimic != mimic:
        message = f"joint {follower.name!r} follows joint {follower.mimic.joint!r} already; expected one leader"
        report.error("mimic", message, element)
        return
    kept = {name: value for name, value in element.attributes.items() if name in ("name", "solref", "solimp")}
    extensions = (*follower.extensions, *attributes_extension(element, kept, EQUALITY))
    follower = replace(follower, mimic=mimic, extensions=follower.extensions if already else extensions)
    context.parts.joints[_joint_at(context)[follower.name]] = follower


def _scalar_joint(context: Context, element: Element, attribute: str) -> Joint | None:
    name = name_of(context.report, element, attribute)
    joint = _joint(context, name)
    if joint is None or joint.type == "fixed":  # unknown names are reported elsewhere, all together
        return None
    if joint.kind.single:
        return joint
    message = f"joint {name!r} is a {joint.kind.mjcf} joint; expected a hinge or slide joint"
    context.report.error("joint-type", message, element, attribute=attribute)
    return None


def _is_curved(context: Context, name: str) -> bool:
    """Return whether a joint follows another by a polynomial, directly or through others."""
    joint, seen = _joint(context, name), set[str]()
    while joint and joint.mimic and joint.name not in seen:
        if joint.mimic.higher:
            return True
        seen.add(joint.name)
        joint = _joint(context, joint.mimic.joint)
    return False


def _joint(context: Context, name: str) -> Joint | None:
    """Return the joint of that name, once all bodies have been read."""
    at = _joint_at(context).get(name)
    return None if at is None else context.parts.joints[at]


def _joint_at(context: Context) -> dict[str, int]:
    if not context.joint_at:
        context.joint_at.update((joint.name, i) for i, joint in enumerate(context.parts.joints))
    return context.joint_at


def _hold(context: Context, element: Element, joint: str, value: float) -> None:
    if context.held.setdefault(joint, (value, element))[0] != value:
        message = f"joint {joint!r} is held at {context.held[joint][0]:.6g} already; expected one value"
        context.report.error("mimic", message, element)
        return
    message = f"it holds joint {joint!r} at {value:.6g}, which is so a fixed joint here"
    context.report.warning("held-joint", message, element)


def note_split_ranges(context: Context, robot: Robot) -> Robot:
    """Return the robot with a note on each polynomial whose limits leave several ranges of the leader."""
    notes = []
    for joint in robot.joints.values():
        if joint.mimic and len(mimic_polynomial(robot, joint.name)[1]) > 2:
            leader, ranges = leader_ranges(robot, joint)
            if len(ranges) > 1:
                spans = " and ".join(f"from {number(low)} to {number(high)}" for low, high in ranges)
                message = f"its limits allow {leader!r} {spans} (rad, m)"
                message += "; the robot's limits have only the first of these"
                notes.append(Finding("split-range", "warning", message, joint.source, f"joint {joint.name!r}"))
    context.report.findings += notes
    return replace(robot, notes=(*robot.notes, *notes)) if notes else robot


def lock_held(context: Context, robot: Robot) -> Robot | None:
    """Return the robot with the joints that equalities fix, and their followers, locked; None if they contradict."""
    values: dict[str, float] = {}
    for joint, (value, element) in context.held.items():
        try:
            leader, multiplier, offset = resolve_mimic(robot, joint)
        except KinetreeError as error:
            context.report.error("mimic", error.findings[0].message, element)
            return None
        if multiplier:
            value = (value - offset) / multiplier
            apart = values.setdefault(leader, value) - value
        else:  # it does not move, whatever its leader does
            apart = offset - value
        if not abs(apart) <= AGREE:
            message = f"joint {joint!r} is held where the joint that it follows, {leader!r}, does not take it"
            context.report.error("mimic", message, element)
            return None
    if not values:
        return robot
    locked, known = lock(robot, values), set(robot.notes)
    context.report.findings += [note for note in locked.notes if note not in known]
    return replace(locked, text=robot.text, doubts=robot.doubts)


def read_tendons(context: Context, root: Element) -> list[Element]:
    """Make limits of the fixed tendons that have a range; return the tendons with anything beyond that."""
    others, count = [], 0
    for element in (e for section in root.find_all("tendon") for e in section.children):
        full = context.classes.resolved(element, tag="tendon") if element.tag in CHILDREN["tendon"] else element
        span = None
        if element.tag == "fixed":
            full.attributes = {k: v for k, v in full.attributes.items() if k not in SPATIAL or k in element.attributes}
            count += 1
            span = _fixed(context, full, count)
        elif span_of(context, full, "range", "limited"):
            message = "the limit of a spatial tendon is not linear in the joints; it is kept, but has no effect"
            context.report.warning("tendon", message, element)
        if span is None or any(name in full.attributes for name in TENDON_KEPT):
            others.append(full)
    return others


def _fixed(context: Context, element: Element, number: int) -> CoupledLimit | None:
    """Return the limit of a fixed tendon: a range on the sum of coef times coordinate, in radians and metres."""
    report = context.report
    coefficients: dict[str, float] = {}
    for term in element.find_all("joint"):
        joint = _scalar_joint(context, term, "joint")
        coefficient = float_of(report, term, "coef")
        if joint is not None and joint.name in coefficients:
            report.error("tendon", f"joint {joint.name!r} occurs twice in one tendon; expected once", term)
        elif joint is not None:
            coefficients[joint.name] = coefficient
    for other in (child for child in element.children if child.tag != "joint"):
        report.error("tendon", f"<{other.tag}> cannot be part of a fixed tendon; expected <joint>", other)
    if not element.children:
        report.error("tendon", "a fixed tendon needs <joint>, which is missing", element)
    span = span_of(context, element, "range", "limited")
    if span is None:
        return None
    if any(_is_curved(context, joint) for joint in coefficients):
        message = "a joint of it follows by a polynomial, so its limit is not linear; it is kept, but has no effect"
        report.warning("tendon", message, element)
        return None
    name = element.get("name") or f"tendon_{number}"
    low, high = (inf if end >= OPEN else -inf if end <= -OPEN else end for end in span)
    limit = CoupledLimit(name, coefficients, low, high, element.source)
    context.parts.coupled_limits.append(limit)
    return limit
