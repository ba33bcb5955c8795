"""Everything that a robot has, as text: each field that differs from its default."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass

import numpy as np

from kinetree.errors import Finding, KinetreeError
from kinetree.formats.registry import WRITTEN
from kinetree.model.robot import Inertial, Robot
from kinetree.spatial.se3 import IDENTITY
from support import in_words

OF_ROBOTS = ("notes", "text", "placed", "places", "source")
"""Fields that are not shown."""
DIGITS = 9
LONG = re.compile(r"-?\b\d+(?:\.\d{9,}(?:e-?\d+)?|(?:\.\d+)?e-\d+)")
"""Numbers that may end in other digits on another machine."""


def whole(robot: Robot) -> str:
    """Return a robot as lines: one for each link, joint, frame …; a pose is its first three rows."""
    return "".join(f"{line}\n" for line in _lines(robot))


def reading(robot: Robot | None, findings: list[Finding]) -> str:
    """Return all findings of a reader and the robot."""
    return (in_words(findings) if findings else "") + (whole(robot) if robot else "")


def written(robot: Robot, format: str, without: tuple[str, ...] = ()) -> str:
    """Return a robot as it is written, after all remarks on that; or why it is not written."""
    notes: list[Finding] = []
    try:
        text = WRITTEN[format].write(robot, without, notes)
    except KinetreeError as error:
        return in_words(error.findings)
    return (in_words(notes) if notes else "") + LONG.sub(lambda found: one_line(float(found[0])), text)


def _lines(robot: Robot) -> Iterator[str]:
    for field in fields(robot):
        value = getattr(robot, field.name)
        if field.name in OF_ROBOTS or _is_default(field, value):
            continue
        if isinstance(value, Mapping):
            own = {*robot.links} if field.name == "frames" else ()
            yield from (f"{field.name} {name}: {one_line(one)}" for name, one in value.items() if name not in own)
        elif isinstance(value, tuple) and is_dataclass(value[0]):
            yield from (f"{field.name}: {one_line(one)}" for one in value)
        else:
            yield f"{field.name}: {one_line(value)}"


def one_line(value: object) -> str:
    """Return a value with all of its fields that differ from their defaults."""
    if isinstance(value, Inertial):  # its axes may be turned without another meaning
        R, com = value.origin[:3, :3], value.origin[:3, 3]
        return f"mass={one_line(value.mass)} inertia={one_line(R @ value.inertia @ R.T)} at {one_line(com)}"
    if is_dataclass(value):
        shown = [(f.name, getattr(value, f.name)) for f in fields(value) if not _is_default(f, getattr(value, f.name))]
        return " ".join(
            [f"{name}={one_line(one)}" for name, one in shown if name != "source"] + [_place(value)]
        ).strip()
    if isinstance(value, np.ndarray):
        rows = value[:3] if value.shape == (4, 4) else value
        return f"[{(', ' if rows.ndim > 1 else ' ').join(one_line(row).strip('[]') for row in rows)}]"
    if isinstance(value, float):
        return f"{round(value, DIGITS) + 0.0:.{DIGITS}g}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {one_line(one)}' for key, one in value.items())}}}"
    if isinstance(value, tuple):
        return f"({', '.join(f'{{{one_line(one)}}}' if is_dataclass(one) else one_line(one) for one in value)})"
    return repr(value)


def _is_default(field: Field, value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.size == 0 or (value.shape == (4, 4) and np.array_equal(value, IDENTITY))
    default = field.default if field.default_factory is MISSING else field.default_factory()
    return value == default or (default is MISSING and value in ((), {}, None))


def _place(value: object) -> str:
    source = getattr(value, "source", None)
    return f"@{source.line}:{source.column}" if source else ""
