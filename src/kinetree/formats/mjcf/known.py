"""Search for what MJCF does not have, by the table `known.toml`."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from kinetree.formats.fields import check_attributes, ignore, stray_text
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Element, Report

_TABLE: Mapping[str, Any] = tomllib.loads(files(__package__).joinpath("known.toml").read_text("utf-8"))
_SETS = {key: frozenset(_TABLE[key].split()) for key in ("classed", "keeping", "elsewhere", "words", "numbers")}
ATTRIBUTES: Mapping[str, frozenset[str]] = {path: frozenset(row.split()) for path, row in _TABLE["attributes"].items()}
CHILDREN: Mapping[str, frozenset[str]] = {path: frozenset(row.split()) for path, row in _TABLE["children"].items()}


def check_known(report: Report, root: Element) -> None:
    """Report all that MJCF does not have in the elements that are read, with its place in the file.

    Unknown attributes, and children that are not kept, are taken out, so that nothing of them is written again.
    """
    stack = [("", root)]
    while stack:
        outer, element = stack.pop()
        tag = element.tag
        attributes = ATTRIBUTES.get(f"{outer}/{tag}", ATTRIBUTES.get(tag))
        if attributes is None:  # kept as it stands, or reported by the readers
            continue
        if tag in _SETS["classed"] and outer not in ("default", "fixed", "spatial", "mujoco"):
            attributes |= {"class"}
        if not element.attributes.keys() <= attributes:
            check_attributes(report, element, attributes)
            element.attributes = {name: value for name, value in element.attributes.items() if name in attributes}
        stray_text(report, element)
        for name in (_SETS["words"] | _SETS["numbers"]) & element.attributes.keys():
            text = element.attributes[name]
            if not text.strip():
                message = f"{name}={text!r} is empty; MuJoCo reads it as missing, or refuses it"
                report.warning("empty-value", message, element, attribute=name)
            elif name in _SETS["numbers"] and numbers(text) is None:
                message = f"{name}={text[:40]!r}; expected finite numbers, if any; it is kept unchanged"
                report.warning("not-understood", message, element, attribute=name)
        of_class = outer == "default" != tag
        known = CHILDREN[tag] if tag in CHILDREN and not of_class else frozenset()
        read = tag in _SETS["elsewhere"] and not of_class
        unknown = [] if read else [child for child in element.children if child.tag not in known]
        if tag in _SETS["keeping"] and not of_class:
            for child in unknown:
                message = f"<{child.tag}> in {element.label} is not understood; it is kept unchanged"
                report.warning("not-understood", message, child)
        elif unknown:
            ignore(report, unknown, element)
            element.children = [child for child in element.children if child.tag in known]
        stack += [(tag, child) for child in reversed(element.children)]
