"""What stands where in an XRDF, and its values with their places."""

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from kinetree.errors import Finding, Severity, Source, nearest_names
from kinetree.formats.xrdf.write import CSPACE, TOOLS
from kinetree.syntax.yaml import Yaml

ANY = "*"
"""Key of every name in a mapping."""
BUFFERED = {"geometry": str, "buffer_distance": {ANY: float}}
FRAME = {
    **dict.fromkeys(("frame_name", "parent_frame_name", "joint_name", "joint_type"), str),
    "fixed_transform": {"position": (float,) * 3, "orientation": {"w": float, "xyz": (float,) * 3}},
}
SHAPE: Mapping[str, Any] = {
    "format": str,
    "format_version": str,
    "modifiers": [{"set_base_frame": str, "add_frame": FRAME}],
    "default_joint_positions": {ANY: float},
    CSPACE: {"joint_names": [str], "acceleration_limits": [float], "jerk_limits": [float]},
    TOOLS: [str],
    "collision": BUFFERED,
    "self_collision": {**BUFFERED, "ignore": {ANY: [str]}},
    "geometry": {ANY: {"spheres": {ANY: [{"center": (float,) * 3, "radius": float}]}}},
}
"""What is where: a mapping of keys, a list of one kind, so many of a tuple, a text, or a finite number."""


class Name(str):
    """A text with its place."""

    source: Source

    def __new__(cls, text: str, source: Source) -> "Name":
        made = super().__new__(cls, text)
        made.source = source
        return made


class Values:
    """Reads values, and collects findings."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def add(self, severity: Severity, code: str, message: str, place: Any, element: str = "XRDF") -> None:
        self.findings.append(Finding(code, severity, message, place.source, element))

    def value(self, own: Yaml, shape: Any, where: str) -> Any:
        """Return a value in a shape, or an empty one after an error."""
        is_tuple = isinstance(shape, tuple)
        empty: Any = {}
        if isinstance(shape, Mapping):
            if not (own.text or own.values):
                return dict(self.pairs(own, shape, where))
            expected = "names with values, as in `name: value`"
        elif isinstance(shape, list | tuple):
            if not (own.text or own.items or (is_tuple and len(own.values) != len(shape))):
                return [self.value(one, shape[0], where) for one in own.values]
            empty, expected = [0.0] * len(shape) * is_tuple, f"{len(shape)} numbers" if is_tuple else "a list"
        elif shape is str:
            if own.text:
                return Name(own.text, own.source)
            empty, expected = Name("", own.source), "a name"
        else:
            if (number := own.number) is not None and isfinite(number):
                return number
            empty, expected = 0.0, "a finite number"
        self.add("error", "xrdf", f"expected {expected}{f', not {own.text!r}' if own.text else ''}", own, where)
        return empty

    def pairs(self, own: Yaml, shape: Mapping[str, Any], where: str) -> Iterator[tuple["Name", Any]]:
        """Yield the values of a mapping by key; sections that are not known are kept elsewhere."""
        names = [name for name, _ in own.items]
        for key, value in own.items:
            if names.count(key) > 1 and own.get(key) is value:
                self.add("error", "xrdf", f"{key!r} stands here {names.count(key)} times; expected one", value, where)
            if key in shape or ANY in shape:
                yield Name(key, value.source), self.value(value, shape.get(key, shape.get(ANY)), f"{where}: {key}")
            elif shape is not SHAPE:
                message = f"{key!r} is not understood and has no effect; {nearest_names(key, [*shape])}"
                self.add("warning", "not-understood", message, value, where)
