"""Attributes and texts of XML elements as names, numbers and vectors; values that do not fit are reported.

What is an error, in all readers: only what would make a frame, a joint or a mass a guess. Everything else is a warning,
by name, and what it concerns is left out, or taken as the format's definition says. So a shape, a material, a sensor or
an element of another tool never ends a robot: `optional` reads it, and leaves it out if it cannot be read. Of elements
that may stand once, the first is taken, as urdfdom and sdformat do; the checker makes an error of it if they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from kinetree.errors import Severity, nearest_names
from kinetree.formats.known_extensions import PROGRAMS
from kinetree.model.robot import Extension
from kinetree.syntax.numbers import number, numbers
from kinetree.syntax.xml.reader import Element, Report

V = TypeVar("V")

LEFT_OVER_FIX = "load the .xacro file instead, or expand it first"


def name_of(report: Report, element: Element, attribute: str = "name", owner: Element | None = None) -> str:
    """Return a required, non-empty attribute without left-over xacro; "" with an error otherwise."""
    text = element.attributes.get(attribute)
    if text is None or not text.strip():
        what = "is missing" if text is None else "is empty"
        report.error("missing-attribute", f"<{element.tag}> needs {attribute}=…, which {what}", element, owner=owner)
        return ""
    label = f"{attribute}="
    return "" if is_left_over(report, element, text, label, attribute=attribute, owner=owner) else text


def is_left_over(report: Report, element: Element, text: str, label: str = "", **more: str | Element | None) -> bool:
    """Return whether a text has left-over xacro, with an error; label: the beginning of the message."""
    left_over = "${" in text or "$(" in text
    if left_over:
        message = f"{label}{text!r} contains an expression that xacro has not replaced"
        report.error("left-over-xacro", message, element, fix=LEFT_OVER_FIX, **more)
    return left_over


def float_of(
    report: Report, element: Element, attribute: str, default: float | None = None, owner: Element | None = None
) -> float:
    """Return a finite number, else `default`, with an error if it is not legal; without a default 0 with an error."""
    text = element.attributes.get(attribute)
    if text is None:
        if default is None:
            report.error("missing-attribute", f"<{element.tag}> needs {attribute}=…, a number", element, owner=owner)
            return 0.0
        return default
    value = number(text)
    if value is None:
        _bad_number(report, element, attribute, text, "one finite number, such as 0.5 or 1e-3", owner)
        return 0.0 if default is None else default
    return value


def vector_of(
    report: Report,
    element: Element,
    attribute: str,
    count: int,
    default: tuple[float, ...],
    owner: Element | None = None,
) -> list[float]:
    """Return `count` finite numbers separated by blanks, else `default`, with an error if they are not legal."""
    text = element.attributes.get(attribute)
    if text is None:
        return list(default)
    values = numbers(text)
    if values is None or len(values) != count:
        _bad_number(report, element, attribute, text, f"{count} finite numbers separated by blanks", owner)
        return list(default)
    return values


def _bad_number(report: Report, element: Element, attribute: str, text: str, legal: str, owner: Element | None) -> None:
    xacro = "${" in text or "$(" in text
    report.error(
        "left-over-xacro" if xacro else "number",
        f"<{element.tag}> has {attribute}={text!r}; expected {legal}",
        element,
        attribute=attribute,
        owner=owner,
        fix=LEFT_OVER_FIX if xacro else None,
    )


def choice_of(report: Report, element: Element, attribute: str, text: str, legal: Collection[str], code: str) -> bool:
    """Return whether `text`, the value of an attribute, is one of `legal`, with an error if not."""
    if text in legal:
        return True
    near = nearest_names(text, list(legal))
    report.error(code, f"{attribute}={text!r} is not legal; {near}", element, attribute=attribute)
    return False


def check_attributes(report: Report, element: Element, known: Collection[str], owner: Element | None = None) -> None:
    """Warn of attributes that are not understood, and note those of other programs; none of them is kept."""
    for attribute in element.attributes:
        if attribute in known or attribute == "xmlns" or attribute.startswith("xmlns:"):
            continue
        said, severity = _how_known(attribute, element.tag)
        message = f"attribute {attribute!r} of <{element.tag}> {said} and has no effect"
        report.add(severity, "not-understood", message, element, attribute=attribute, owner=owner)


def check_outer(report: Report, element: Element, known: Collection[str] = ()) -> None:
    """Warn of attributes that are not understood, and of text, in an element whose children are read elsewhere."""
    check_attributes(report, element, known)
    if element.text:
        stray_text(report, element)


def check_text(report: Report, element: Element, known: Collection[str] = (), owner: Element | None = None) -> None:
    """Warn of all that is not understood in an element that should have only a text, and attributes."""
    check_attributes(report, element, known, owner)
    if element.children:
        ignore(report, element.children, element)


def check_leaf(report: Report, element: Element, known: Collection[str]) -> None:
    """Warn of all that is not understood in an element that should have only attributes."""
    check_attributes(report, element, known)
    if element.children or element.text:  # calls cost time where there are many elements
        ignore(report, element.children, element)
        stray_text(report, element)


def warn_empty(report: Report, element: Element, owner: Element) -> None:
    """Warn of an element without a text, of which the format has a default."""
    report.warning("empty-value", f"<{element.tag}> is empty; its default is used", element, owner=owner)


def header_of(root: Element, *names: str) -> dict[str, str]:
    """Return the attributes of a root element that are written back: those named, and declarations of name spaces."""
    return {k: v for k, v in root.attributes.items() if k in names or k == "xmlns" or k.startswith("xmlns:")}


def stray_text(report: Report, element: Element) -> None:
    """Warn of text in an element that should have only child elements."""
    if element.text:
        report.warning("not-understood", f"the text {element.text.strip()[:40]!r} has no meaning here", element)


def single_children(
    report: Report,
    element: Element,
    known: Collection[str],
    many: Collection[str] = (),
    attributes: Collection[str] = (),
) -> tuple[dict[str, Element], list[Element]]:
    """Return the children that may stand once, by tag, and the others in order: those of `many` and unknown ones.

    Of a child of `known` that stands twice, the first is taken, with a warning. Other attributes than those in
    `attributes`, and text, are reported.
    """
    check_outer(report, element, attributes)
    once: dict[str, Element] = {}
    others: list[Element] = []
    for child in element.children:
        tag = child.tag
        if tag in many or tag not in known:
            others.append(child)
        elif tag not in once:
            once[tag] = child
        elif same(once[tag], child):
            report.warning("duplicate-element", f"<{tag}> occurs twice with the same content", child, owner=element)
        else:
            before = once[tag].source.line
            message = f"<{tag}> occurs twice with different contents; the first, on line {before}, is used"
            report.warning("contradiction", message, child, owner=element)
    return once, others


def optional(
    report: Report, element: Element, owner: Element, read: Callable[[], V], then: str = "is left out"
) -> V | None:
    """Return the result of `read`, or None if it finds errors, which become warnings that `element` is left out.

    owner: what the warnings name besides the element. then: what they say of the element.
    """
    errors, first = report.count["error"], len(report.findings)
    value = read()
    if report.count["error"] == errors:
        return value
    report.downgrade(first, f"{element.label} {then}", owner)
    return None


def optional_each(
    report: Report,
    format: str,
    elements: Iterable[Element],
    owner: Element | None,
    read: Callable[[Element], V | None],
    left: list[Extension],
) -> list[V]:
    """Return what `read` makes of each element; what it cannot read is added to `left`, as it stands.

    owner: what the warnings name besides the element; by default the element.
    """
    found = []
    for element in elements:
        errors, first = report.count["error"], len(report.findings)
        value = read(element)
        if value is not None and report.count["error"] == errors:
            found.append(value)
        else:
            report.downgrade(first, f"{element.label} is left out", owner or element)
            left.append(extension(format, element))
    return found


def same(a: Element, b: Element) -> bool:
    """Return whether two elements have the same tag, attributes, text and children."""
    return (
        a.tag == b.tag
        and a.attributes == b.attributes
        and a.text.strip() == b.text.strip()
        and len(a.children) == len(b.children)
        and all(same(x, y) for x, y in zip(a.children, b.children, strict=True))
    )


def ignore(report: Report, elements: Iterable[Element], owner: Element) -> None:
    """Warn of each element that is not understood and is not kept in the model; note those of other programs."""
    for element in elements:
        said, severity = _how_known(element.tag, owner.tag)
        message = f"<{element.tag}> in {owner.label} {said}; it has no effect"
        report.add(severity, "not-understood", message, element)


def _how_known(name: str, inside: str) -> tuple[str, Severity]:
    """Return a clause about an element or attribute that no reader knows, and how grave that is."""
    program = PROGRAMS.get(f"{inside}/{name}")
    is_foreign = ":" in name and not name.startswith("xacro:")
    return f"belongs to {program}" if program else "is not understood", "info" if program or is_foreign else "warning"


def keep(report: Report, format: str, elements: Iterable[Element], owner: Element | None = None) -> list[Extension]:
    """Return elements that are not understood as extensions, unchanged, with a warning each; those of other programs
    with a remark."""
    kept = []
    for element in elements:
        where = f" in {owner.label}" if owner else ""
        said, severity = _how_known(element.tag, owner.tag if owner else "robot")
        report.add(severity, "not-understood", f"<{element.tag}>{where} {said}; it is kept unchanged", element)
        kept.append(extension(format, element))
    return kept


def extension(format: str, element: Element) -> Extension:
    """Return an element of another tool as an extension, unchanged."""
    return Extension(format, element.tag, element.kept, element.source)


def read_each(elements: Iterable[Element], read: Callable[[Element], V | None]) -> list[V]:
    """Return the results of `read` for each element, without those that are None."""
    return [value for element in elements if (value := read(element)) is not None]
