"""Joints of a URDF file."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf, sqrt
from typing import TypeVar

from kinetree.formats import fields
from kinetree.formats.defaults import DEFAULTS
from kinetree.formats.urdf.context import LATER, Context, keep_others, read_origin
from kinetree.model.joints import JOINT_TYPES, JointType
from kinetree.model.robot import NO_AXES, RATES, Calibration, Dynamics, Extension, Joint, Limit, Mimic, Safety
from kinetree.spatial.se3 import NO_DIRECTION, Array, frozen
from kinetree.syntax.xml.reader import Element

V = TypeVar("V")
TYPES = {row.urdf: row for row in JOINT_TYPES.values() if row.urdf}
ASSUMED = DEFAULTS["urdf"]
LIMITS = {name: getattr(ASSUMED, name) for name in ("lower", "upper", "velocity", "effort")}
"""Attributes of <limit> in URDF 1.0 and 1.1, with their defaults. 1.0 and 1.1 require the last two."""
LIMITS_1_2 = {"lower": -inf, "upper": inf, "velocity": inf, "effort": inf, **dict.fromkeys(RATES, inf)}
"""Those in URDF 1.2. The default of deceleration is acceleration."""
DEFAULT_AXES = frozen((ASSUMED.axis,))
"""Axis of a joint without <axis>, by URDF's definition."""
AXIS_FIX = 'write <axis xyz="1 0 0"/> if it is x, <axis xyz="0 0 1"/> if it is z'
UNLIMITED = 1.797693134862315e308
"""Number in a file from which it means no limit, where URDF requires one: the largest double, rounded down to the 16
digits with which sdformat passes it on, which would round it up to no double."""
CHILDREN = frozenset(
    ("parent", "child", "origin", "axis", "limit", "mimic", "dynamics", "safety_controller", "calibration")
)


def read_joint(context: Context, element: Element) -> Joint:
    """Return a <joint>; one of an unknown type is fixed, with an error."""
    report = context.report
    name = fields.name_of(report, element)
    once, others = fields.single_children(report, element, CHILDREN, attributes=("name", "type"))
    type_name = element.get("type")
    if type_name is None:
        fields.name_of(report, element, "type")
    kind = TYPES.get(type_name or "", JOINT_TYPES["fixed"])
    if type_name not in TYPES:  # of which all that depends on the type is unknown
        _ = type_name is None or fields.choice_of(report, element, "type", type_name, TYPES, "joint-type")
        once = {tag: once[tag] for tag in ("parent", "child", "origin") if tag in once}
    for end in ("parent", "child"):
        if end not in once:
            report.error("missing-element", f"a joint needs <{end} link=…>, which is missing", element)
        else:
            fields.check_leaf(report, once[end], {"link"})
    mimic = once.get("mimic")
    if mimic is not None and not kind.single:
        message = f"<mimic> has no effect on a {kind.name} joint; it needs a joint with one coordinate"
        report.warning("mimic", message, mimic, owner=element)
        mimic = None
    left: list[Extension] = []
    return Joint(
        name,
        kind.name,
        fields.name_of(report, once["parent"], "link", element) if "parent" in once else "",
        fields.name_of(report, once["child"], "link", element) if "child" in once else "",
        read_origin(context, once.get("origin"), element),
        _axes_of(context, once.get("axis"), element, kind),
        limits=read_limits(context, once.get("limit"), element, kind.name),
        mimic=read_mimic(context, mimic, element) if mimic else None,
        dynamics=read_dynamics(context, once.get("dynamics"), element),
        safety=_optional(context, once.get("safety_controller"), element, read_safety, left),
        calibration=_optional(context, once.get("calibration"), element, read_calibration, left),
        extensions=(*keep_others(context, others, element), *left),
        source=element.source,
    )


def _axes_of(context: Context, element: Element | None, joint: Element, kind: JointType) -> Array:
    """Return the axes of a joint; an <axis> of a type without axes is only checked."""
    if not kind.axes:
        if element is not None:
            fields.check_leaf(context.report, element, {"xyz"})
            read = partial(fields.vector_of, context.report, element, "xyz", 3, (0.0, 0.0, 0.0), joint)
            fields.optional(context.report, element, joint, read)
        return NO_AXES
    return read_axes(context, element, joint, kind)


def read_axes(context: Context, element: Element | None, joint: Element, kind: JointType) -> Array:
    """Return the unit axis (1, 3) of a joint."""
    report = context.report
    if element is None:
        message = f"a joint of type {kind.name} without <axis> has URDF's default, x (1 0 0)"
        report.warning("default-axis", message, joint, fix=AXIS_FIX)
        return DEFAULT_AXES
    fields.check_leaf(report, element, {"xyz"})
    if "xyz" not in element.attributes:
        message = "<axis> needs xyz=…, 3 finite numbers; without them the axis is unknown"
        report.error("missing-attribute", message, element, owner=joint, fix=AXIS_FIX)
        return NO_AXES
    x, y, z = fields.vector_of(report, element, "xyz", 3, ASSUMED.axis, joint)
    length = sqrt(x * x + y * y + z * z)
    if not length > NO_DIRECTION:
        message = f"<axis xyz={element.get('xyz')!r}> has no direction; expected any vector but zero"
        report.error("zero-axis", message, element, attribute="xyz", owner=joint)
        return NO_AXES
    return frozen(((x / length, y / length, z / length),))


def read_limits(context: Context, element: Element | None, joint: Element, kind: str) -> tuple[Limit, ...]:
    """Return the <limit> of a joint, or ()."""
    report = context.report
    if element is None:
        if kind in ("revolute", "prismatic") and context.version == "1.2":
            report.error("missing-element", f"a {kind} joint needs <limit lower=… upper=…/> in URDF 1.2", joint)
        elif kind in ("revolute", "prismatic"):
            message = f"a {kind} joint needs <limit>; it is taken as unlimited"
            report.warning("no-limit", message, joint)
        return ()
    fields.check_leaf(report, element, LIMITS_1_2.keys())
    defaults = LIMITS_1_2 if context.version == "1.2" else LIMITS
    for name in (name for name in RATES if name in element.attributes and defaults is LIMITS):
        message = f"{name} belongs to URDF 1.2; in a {context.version} file it has no effect, as in urdfdom"
        report.warning("urdf-version", message, element, attribute=name, owner=joint, fix=LATER.format("1.2"))
    numbers = {name: fields.float_of(report, element, name, default, joint) for name, default in defaults.items()}
    if "deceleration" not in element.attributes and defaults is LIMITS_1_2:
        numbers["deceleration"] = numbers["acceleration"]
    limit = Limit(**{name: inf * value if abs(value) >= UNLIMITED else value for name, value in numbers.items()})
    if kind not in ("revolute", "prismatic", "continuous"):
        if any(numbers[name] != default for name, default in defaults.items()):
            message = f"<limit> on a {kind} joint has no defined meaning; it is not used"
            report.add("warning" if any(numbers.values()) else "info", "no-effect", message, element, owner=joint)
        return ()
    bounds = () if kind == "continuous" else ("lower", "upper")
    if defaults is LIMITS:
        _note_defaults(context, element, joint, bounds)
    else:
        for name in (name for name in bounds if name not in element.attributes):
            message = f"<limit> of a {kind} joint needs {name}=… in URDF 1.2"
            report.error("missing-attribute", message, element, owner=joint)
    if not bounds and any(name in element.attributes and numbers[name] for name in ("lower", "upper")):
        message = "lower and upper of a continuous joint have no effect"
        report.warning("no-effect", message, element, owner=joint)
    return (limit,) if bounds else (replace(limit, lower=-inf, upper=inf),)


def _note_defaults(context: Context, element: Element, joint: Element, bounds: tuple[str, ...]) -> None:
    """Warn of limits that a file of version 1.0 or 1.1 leaves out. bounds: those that the joint has of its position."""
    report = context.report
    locked = bool(bounds) and not {"lower", "upper"} & element.attributes.keys()
    if locked:
        message = "<limit> has neither lower nor upper, so both are 0, URDF's default, and the joint is locked"
        report.warning("default-limit", message, element, owner=joint)
    for name in (*(() if locked else bounds), "velocity", "effort"):
        if name not in element.attributes:
            what = f"{name}='0', URDF's default" if name in bounds else f"no limit on {name}, though URDF requires one"
            report.warning("default-limit", f"<limit> without {name}=… means {what}", element, owner=joint)


def read_mimic(context: Context, element: Element, joint: Element) -> Mimic:
    """Return a <mimic>."""
    report = context.report
    fields.check_leaf(report, element, {"joint", "multiplier", "offset"})
    return Mimic(
        fields.name_of(report, element, "joint", joint),
        fields.float_of(report, element, "multiplier", 1.0, joint),
        fields.float_of(report, element, "offset", 0.0, joint),
    )


def read_dynamics(context: Context, element: Element | None, joint: Element) -> tuple[Dynamics, ...]:
    """Return a <dynamics>, or ()."""
    if element is None:
        return ()
    fields.check_leaf(context.report, element, {"damping", "friction"})
    damping = fields.float_of(context.report, element, "damping", ASSUMED.damping, joint)
    return (Dynamics(damping, fields.float_of(context.report, element, "friction", 0.0, joint)),)


def _optional(
    context: Context,
    element: Element | None,
    joint: Element,
    read: Callable[[Context, Element, Element], V],
    left: list[Extension],
) -> V | None:
    """Return what `read` makes of an element on which no motion depends; None if it is missing, or added to `left`."""
    if element is None:
        return None
    found = fields.optional_each(context.report, "urdf", [element], joint, partial(read, context, joint), left)
    return found[0] if found else None


def read_safety(context: Context, joint: Element, element: Element) -> Safety:
    """Return a <safety_controller>."""
    report = context.report
    fields.check_leaf(report, element, {"k_velocity", "k_position", "soft_lower_limit", "soft_upper_limit"})
    return Safety(
        fields.float_of(report, element, "k_velocity", owner=joint),
        fields.float_of(report, element, "k_position", 0.0, joint),
        fields.float_of(report, element, "soft_lower_limit", 0.0, joint),
        fields.float_of(report, element, "soft_upper_limit", 0.0, joint),
    )


def read_calibration(context: Context, joint: Element, element: Element) -> Calibration:
    """Return a <calibration>."""
    fields.check_leaf(context.report, element, {"rising", "falling"})
    rising, falling = (
        fields.float_of(context.report, element, name, owner=joint) if name in element.attributes else None
        for name in ("rising", "falling")
    )
    return Calibration(rising, falling)
