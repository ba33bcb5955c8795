"""Actuators to <actuator>, in the order of the controls of the file."""

from collections.abc import Iterator, Sequence
from math import inf

from kinetree.formats.mjcf.actuators import KEPT, RANGES, TAG, TAGS, Attributes
from kinetree.formats.mjcf.context import OPEN
from kinetree.formats.mjcf.writing import Job
from kinetree.model.actuator import Actuator
from kinetree.syntax.numbers import format_number, format_numbers
from kinetree.syntax.xml.reader import Element
from kinetree.syntax.xml.writer import XmlWriter, element_text


def in_order(job: Job, sections: Sequence[Element]) -> Iterator[tuple[Actuator | None, Element | None]]:
    """Yield the actuators in the order of their controls in the file, each with its kept element if there is one; None
    with the element of one that is no Actuator."""
    own = job.robot.actuators
    left = dict(own.items())
    for element in (element for section in sections for element in section.children):
        if element.tag not in TAGS or element.attributes.keys() - {"name", *KEPT}:
            yield None, element
        elif (one := left.pop(element.get("name") or "", None)) is not None:
            yield one, element
    yield from ((one, None) for one in left.values())


def write_actuators(xml: XmlWriter, job: Job, sections: Sequence[Element], has_defaults: bool) -> None:
    """Write the kept elements, those of actuators of the robot with all that these have, and then the other actuators.

    has_defaults: whether elements may inherit attributes, so that each is written with all of its own.
    """
    if found := [*in_order(job, sections)]:
        with xml.open(TAG):
            for one, element in found:
                if one is not None:
                    _write(xml, one, has_defaults, element.attributes if element is not None else {})
                elif element is not None:
                    xml.raw(*element_text(element).splitlines())


def _write(xml: XmlWriter, one: Actuator, has_defaults: bool, more: Attributes) -> None:
    gear = format_number(one.gear) if one.gear != 1 or has_defaults else None
    attributes: dict[str, str | None] = {**more, "name": one.name, "joint": one.joint, "gear": gear}
    for field, (attribute, switch) in RANGES.items():
        lower, upper = getattr(one, field) or (-inf, inf)
        if lower > -inf or upper < inf:
            attributes[attribute] = format_numbers((max(lower, -OPEN), min(upper, OPEN)))
        elif has_defaults:
            attributes[switch] = "false"
    gains = {"kp": one.kp, "kv": one.kv} if one.kind == "position" else {"kv": one.kv}
    attributes |= {k: None if v is None or one.kind == "motor" else format_number(v) for k, v in gains.items()}
    xml.leaf(one.kind, **attributes)
