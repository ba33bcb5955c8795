"""Sums and products of lists of numbers, floats or symbolic; and lengths and angles without rounding errors."""

from collections.abc import Iterable, Sequence
from math import pi
from typing import Any

import numpy as np


def dot(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """Return a . b."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def cross(a: Any, b: Any) -> list[Any]:
    """Return a x b (3,)."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def largest(values: Sequence[Any]) -> Any:
    """Return the largest value, or NaN if one of them is NaN."""
    most = values[0]
    for value in values[1:]:
        most = np.maximum(most, value)
    return most


ROUNDING = 1e-14
"""Largest distance of a length from a whole picometre, or of an angle from a right angle, that is removed."""


def decimal(length: float) -> float:
    """Return a length in metres, rounded to a whole picometre if it is within rounding error of one."""
    nearest = round(length, 12) + 0.0
    return nearest if abs(length - nearest) < ROUNDING else length


def right_angle(angle: float) -> float:
    """Return an angle in radians, rounded to a multiple of a right angle if it is within rounding error of one."""
    nearest = round(angle / (pi / 2)) * (pi / 2)
    return nearest if abs(angle - nearest) < ROUNDING else angle
