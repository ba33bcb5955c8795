"""Lengths and angles in texts: their units, and multiples of pi."""

from __future__ import annotations

import re
from math import isfinite, pi, radians

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
