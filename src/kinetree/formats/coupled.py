"""Limits over several joints, in an element of Kinetree in URDF and SDF: <… name lower upper>, with <joint name
coefficient/> for each joint; in radians and metres; a bound that is left out is infinite."""

from math import inf, isfinite

from kinetree.formats.fields import check_leaf, check_outer, float_of, name_of
from kinetree.model.robot import CoupledLimit
from kinetree.syntax.numbers import format_number
from kinetree.syntax.xml.reader import Element, Report


def coupled_limit(report: Report, element: Element) -> CoupledLimit | None:
    """Return the limit in an element; None with errors in `report` if it is not legal."""
    before = len(report.findings)
    check_outer(report, element, {"name", "lower", "upper"})
    terms: dict[str, float] = {}
    for child in element.children:
        if child.tag != "joint":
            report.error(
                "coupled-limit", f"<{child.tag}> is not part of it; expected <joint name=… coefficient=…>", child
            )
            continue
        check_leaf(report, child, {"name", "coefficient"})
        joint = name_of(report, child)
        if joint in terms:
            report.error("coupled-limit", f"joint {joint!r} occurs twice; expected once", child)
        terms[joint] = float_of(report, child, "coefficient", owner=element)
    if not element.children:
        report.error("coupled-limit", "it names no joint", element)
    ends = {"lower": -inf, "upper": inf}
    for end in ends:
        if element.get(end) is not None:
            ends[end] = float_of(report, element, end)
    if any(finding.severity == "error" for finding in report.findings[before:]):
        return None
    return CoupledLimit(name_of(report, element), terms, ends["lower"], ends["upper"], element.source)


def coupled_limit_attributes(limit: CoupledLimit) -> dict[str, str]:
    """Return the attributes of the element of a limit; its joints are not among them."""
    ends = {"lower": limit.lower, "upper": limit.upper}
    return {"name": limit.name} | {end: format_number(value) for end, value in ends.items() if isfinite(value)}
