"""Numbers as texts, the same in every format; lengths and angles with units, and multiples of pi."""

import re
from math import isfinite, pi, radians

import numpy as np


def number(text: str) -> float | None:
    """Return the finite decimal number in `text`, or None. Stricter than float(): no `1_000`, `nan`, `inf`."""
    if "_" in text or not text.isascii():
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


def numbers(text: str) -> list[float] | None:
    """Return the finite numbers in `text`, separated by white space, or None if one of them is not such a number."""
    if "_" in text or not text.isascii():
        return None
    try:
        values = list(map(float, text.split()))
    except ValueError:
        return None
    return values if all(map(isfinite, values)) else None


def whole_number(text: str) -> int | None:
    """Return the number of a text of one to nine digits 0 to 9, or None. `str.isdigit` is true of "²", which `int`
    refuses, as it does digits by the thousand."""
    return int(text) if len(text) <= 9 and text.isascii() and text.isdigit() else None


def format_number(value: float) -> str:
    """Return the shortest text that reads back as the same double; whole numbers without a point, no negative zero."""
    value = float(value) + 0.0
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def format_numbers(values: object) -> str:
    """Return numbers separated by blanks, each as `format_number` writes it."""
    return " ".join(format_number(v) for v in np.asarray(values, dtype=float).ravel())


PER_METRE = {"m": 1.0, "cm": 100.0, "mm": 1000.0}
ANGLES = ("rad", "deg")
PI_WORDS = ("pi", "π")

_PI = re.compile(r"([+-]?)\s*(\d+(?:\.\d*)?|\.\d+)?\s*\*?\s*(?:pi|π)(?:\s*/\s*(\d+(?:\.\d*)?))?")


def to_si(value: float, unit: str) -> float:
    """Return metres or radians. Millimetres are divided, so that 32 mm is the double nearest to 0.032."""
    if unit in PER_METRE:
        return value / PER_METRE[unit]
    return radians(value) if unit in ("deg", "°") else value


def multiple_of_pi(text: str) -> float | None:
    """Return the value of a text such as `-pi/2` or `3*pi/4`, or None if it is not a multiple of pi."""
    match = _PI.fullmatch(text)
    if match is None or (match[3] is not None and float(match[3]) == 0.0):
        return None
    value = float(match[2] or 1.0) * pi / float(match[3] or 1.0)
    return None if not isfinite(value) else -value if match[1] == "-" else value
