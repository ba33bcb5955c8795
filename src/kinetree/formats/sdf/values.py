"""Texts of SDF elements as names, truth values, numbers, vectors and poses; values that do not fit are reported."""

import re
from math import hypot, inf, isnan, nan, radians
from typing import NamedTuple

from kinetree.formats.fields import check_text, is_left_over, warn_empty
from kinetree.spatial import se3
from kinetree.spatial.se3 import IDENTITY, Array, frozen
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Element, Report

Version = tuple[int, int]

VERSIONS = tuple((1, minor) for minor in range(2, 13))
NO_BOUND = 1e16
"""Size from which a number means "no limit", as SDF wrote it before it had inf."""

CUSTOM_TYPE = "gz:type"
"""Attribute with Gazebo's type of a sensor of type "custom"."""

KNOWN = {"pose": ("relative_to", "frame", "degrees", "rotation_format"), "xyz": ("expressed_in",)}
"""Attributes of elements with a text."""
REQUIRED = frozenset(
    (
        *("ixx", "ixy", "ixz", "iyy", "iyz", "izz", "size", "radius", "length", "radii", "normal", "xyz", "lower"),
        *("upper", "spring_stiffness", "spring_reference", "multiplier", "offset", "reference"),
    )
)
"""Elements that libsdformat refuses if they are empty; of others it takes the default (`Param::SetFromString`)."""

TRUTH = {"true": True, "1": True, "false": False, "0": False}


def version_of(report: Report, root: Element) -> Version:
    """Return the version of an <sdf> element; with an error the nearest, if it is not one of 1.2 to 1.12."""
    text = (root.get("version") or "").strip()
    by_text = {f"{major}.{minor}": (major, minor) for major, minor in VERSIONS}
    if text not in by_text:
        legal = ", ".join(by_text)
        what = f"version={text!r} is not read" if text else f"<{root.tag}> needs version=…, which is missing"
        attribute = "version" if text else None
        fix = "convert the file with Gazebo's `gz sdf -p`" if text.startswith("1.0") else None
        report.error("sdf-version", f"{what}; expected {legal}", root, attribute=attribute, fix=fix)
        digits = re.match(r"(\d{1,4})(?:\.(\d{1,4}))?", text, re.ASCII)
        found = (int(digits[1]), int(digits[2] or 0)) if digits else (1, 7)
        return max(VERSIONS[0], min(found, VERSIONS[-1]))
    return by_text[text]


def text_of(report: Report, element: Element | None, owner: Element) -> str:
    """Return the text of an element without blanks around it; "" with an error if it has left-over xacro."""
    if element is None:
        return ""
    check_text(report, element, KNOWN.get(element.tag, ()), owner)
    text = element.text.strip()
    return "" if is_left_over(report, element, text, owner=owner) else text


def value_text(report: Report, element: Element | None, owner: Element, legal: str) -> str:
    """Return the text of an element that should have a value: of an empty one "", with a finding.

    legal: what is expected. An empty pose with relative_to is at this frame.
    """
    text = text_of(report, element, owner)
    if element is None or element.text.strip():
        return text
    if element.tag in REQUIRED:
        report.error("number", f"<{element.tag}> is empty; expected {legal}", element, owner=owner)
    elif not (element.get("relative_to") or element.get("frame")):
        warn_empty(report, element, owner)
    return text


def needed_text(report: Report, parent: Element, child: Element | None, tag: str, owner: Element) -> str:
    """Return the text of a required child; "" with an error if it is missing or empty."""
    text = text_of(report, child, owner)
    if not text and not (child and child.text.strip()):
        what = "is missing" if child is None else "is empty"
        report.error("missing-element", f"<{parent.tag}> needs <{tag}>, which {what}", child or parent, owner=owner)
    return text


def attribute_of(report: Report, element: Element, attribute: str, owner: Element | None = None) -> str:
    """Return an attribute; "" if it is missing or, with an error, if it has left-over xacro."""
    text = (element.get(attribute) or "").strip()
    left_over = is_left_over(report, element, text, attribute=attribute, owner=owner or element)
    return "" if left_over else text


def truth_of(report: Report, element: Element | None, default: bool, owner: Element) -> bool:
    """Return a truth value: true, false, 1 or 0."""
    text = value_text(report, element, owner, "true, false, 1 or 0").lower()
    if element is not None and text and text not in TRUTH:
        message = f"<{element.tag}> is {text!r}; expected true, false, 1 or 0"
        report.error("truth-value", message, element, owner=owner)
    return TRUTH.get(text, default)


def truth_attribute(report: Report, element: Element, attribute: str, owner: Element) -> bool:
    """Return a truth value in an attribute; false if it is missing."""
    text = attribute_of(report, element, attribute, owner).lower()
    if text and text not in TRUTH:
        message = f"{attribute}={text!r} is not a boolean; expected true, false, 1 or 0"
        report.error("truth-value", message, element, attribute=attribute, owner=owner)
    elif not (element.get(attribute, "false") or "").strip():
        message = f"{attribute}='' is empty; its default is used"
        report.warning("empty-value", message, element, attribute=attribute, owner=owner)
    return TRUTH.get(text, False)


def number_of(report: Report, element: Element | None, default: float, owner: Element) -> float:
    """Return the finite number in an element; `default` if it is missing, or empty with a finding."""
    values = vector_of(report, element, 1, (default,), owner)
    return values[0]


def bound_of(report: Report, element: Element | None, default: float, owner: Element) -> float:
    """Return a limit: a number or ±inf; numbers from 1e16 on are infinite."""
    text = value_text(report, element, owner, "one number, inf or -inf")
    if element is None or not text:
        return default
    try:
        value = float(text) if text.isascii() and "_" not in text else nan
    except ValueError:
        value = nan
    if isnan(value):
        message = f"<{element.tag}> is {text!r}; expected one number, inf or -inf"
        report.error("number", message, element, owner=owner)
        return default
    return value if abs(value) < NO_BOUND else inf if value > 0 else -inf


def vector_of(
    report: Report, element: Element | None, count: int, default: tuple[float, ...], owner: Element
) -> tuple[float, ...]:
    """Return `count` finite numbers in an element; `default` if it is missing, or empty with a finding."""
    legal = "one finite number" if count == 1 else f"{count} finite numbers separated by blanks"
    text = value_text(report, element, owner, legal)
    if element is None or not text:
        return default
    values = numbers(text)
    if values is None or len(values) != count:
        report.error("number", f"<{element.tag}> is {text[:80]!r}; expected {legal}", element, owner=owner)
        return default
    return tuple(values)


class Pose(NamedTuple):
    """A <pose>: T (4, 4) in the frame named by `relative_to`, "" for the default; its element."""

    T: Array
    relative_to: str
    element: Element | None


NO_POSE = Pose(IDENTITY, "", None)


def pose_of(report: Report, element: Element | None, version: Version, owner: Element) -> Pose:
    """Return a <pose>: x y z and roll pitch yaw, or a quaternion x y z w, in metres and radians or degrees."""
    if element is None:
        return NO_POSE
    relative_to = _relative_to(report, element, version, owner)
    return Pose(_transform(report, element, owner), relative_to, element)


def _relative_to(report: Report, element: Element, version: Version, owner: Element) -> str:
    relative_to = attribute_of(report, element, "relative_to", owner)
    if version >= (1, 7):
        if element.get("frame"):
            message = "attribute 'frame' of <pose> has no effect since SDF 1.7; use relative_to"
            report.warning("sdf-version", message, element, attribute="frame", owner=owner)
        return relative_to
    if relative_to:
        message = "relative_to belongs to SDF 1.7; it is used, but readers of older versions drop it"
        report.warning("sdf-version", message, element, attribute="relative_to", owner=owner)
    return relative_to or attribute_of(report, element, "frame", owner)


def _transform(report: Report, element: Element, owner: Element) -> Array:
    form = attribute_of(report, element, "rotation_format", owner) or "euler_rpy"
    degrees = truth_attribute(report, element, "degrees", owner)
    if form not in ("euler_rpy", "quat_xyzw"):
        message = f"rotation_format={form!r} is not legal; expected euler_rpy or quat_xyzw"
        report.error("rotation-format", message, element, attribute="rotation_format", owner=owner)
        return IDENTITY
    if form == "quat_xyzw":
        if degrees:
            message = "degrees has no effect on a quaternion; expected only one of degrees and quat_xyzw"
            report.error("rotation-format", message, element, attribute="degrees", owner=owner)
        return _quaternion_pose(report, element, owner)
    x, y, z, *rpy = vector_of(report, element, 6, (0.0,) * 6, owner)
    return se3.pose_from_xyz_rpy((x, y, z), [radians(angle) for angle in rpy] if degrees else rpy)


def _quaternion_pose(report: Report, element: Element, owner: Element) -> Array:
    x, y, z, *quat_xyzw = vector_of(report, element, 7, (0.0,) * 6 + (1.0,), owner)
    if not hypot(*quat_xyzw) > se3.NO_DIRECTION:
        message = "its quaternion has length zero; expected a quaternion x y z w of length one"
        report.error("zero-quaternion", message, element, owner=owner)
        return IDENTITY
    return frozen(se3.homogeneous(se3.rotation_from_quaternion(quat_xyzw), (x, y, z)))
