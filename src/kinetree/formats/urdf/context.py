"""State that the parts of the URDF reader share: the report, the version of the file, and poses."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import hypot

from kinetree.formats.fields import check_leaf, extension, keep, vector_of
from kinetree.model.robot import Extension
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.xml.reader import Element, Report

ZERO = (0.0, 0.0, 0.0)
COUPLED = "kinetree_coupled_limit"
CARRIED = "kinetree_carried"
LATER = 'write <robot version="{}" …>'
"""Elements of Kinetree, which other readers ignore: limits over several joints, and what else URDF lacks."""


@dataclass(slots=True)
class Context:
    """State of one reading. `foreign`: whether instructions of xacro are elements of another tool, as to urdfdom;
    `poses`: those already read; `references`: materials that are only named."""

    report: Report
    version: str = "1.0"
    foreign: bool = False
    poses: dict[tuple[tuple[str, str], ...], Array] = field(default_factory=dict)
    references: list[Element] = field(default_factory=list)


def read_origin(context: Context, element: Element | None, owner: Element) -> Array:
    """Return T (4, 4) of an <origin>."""
    if element is None:
        return se3.IDENTITY
    key = tuple(element.attributes.items())
    # Visuals and collisions often have the same place; what is inside an element is reported for each.
    if key not in context.poses or element.children or element.text:
        failures = len(context.report.findings)
        T = _read_origin(context, element, owner)
        if len(context.report.findings) > failures:
            return T
        context.poses[key] = T
    return context.poses[key]


def _read_origin(context: Context, element: Element, owner: Element) -> Array:
    report = context.report
    check_leaf(report, element, {"xyz", "rpy", "quat_xyzw"})
    xyz = vector_of(report, element, "xyz", 3, ZERO, owner)
    if "quat_xyzw" not in element.attributes:
        return se3.pose_from_xyz_rpy(xyz, vector_of(report, element, "rpy", 3, ZERO, owner))
    if "rpy" in element.attributes:
        message = "<origin> has both rpy and quat_xyzw; expected one of them"
        report.error("two-rotations", message, element, attribute="quat_xyzw", owner=owner)
    elif context.version == "1.0":
        message = "quat_xyzw belongs to URDF 1.1; it is used, but other readers of a 1.0 file drop it"
        report.warning("urdf-version", message, element, attribute="quat_xyzw", owner=owner, fix=LATER.format("1.1"))
    quat = vector_of(report, element, "quat_xyzw", 4, (0.0, 0.0, 0.0, 1.0), owner)
    if not hypot(*quat) > se3.NO_DIRECTION:
        message = "quat_xyzw has length zero; expected a quaternion x y z w of length one"
        report.error("zero-quaternion", message, element, attribute="quat_xyzw", owner=owner)
        return se3.IDENTITY
    return frozen(se3.homogeneous(se3.rotation_from_quaternion(quat), xyz))


def keep_others(context: Context, elements: Iterable[Element], owner: Element | None = None) -> list[Extension]:
    """Return elements that are not understood as extensions; those left over from xacro are errors, if not foreign."""
    kept = []
    for element in elements:
        if element.tag.startswith("xacro:") and context.foreign:
            message = f"<{element.tag}> is an instruction of xacro, which is left out"
            context.report.warning("left-over-xacro", message, element, owner=owner)
            kept.append(extension("urdf", element))
        elif element.tag.startswith("xacro:"):
            message = f"<{element.tag}> is an instruction that xacro has not carried out"
            fix = "load the .xacro file, or expand it first"
            context.report.error("left-over-xacro", message, element, owner=owner, fix=fix)
        else:
            kept += keep(context.report, "urdf", [element], owner)
    return kept
