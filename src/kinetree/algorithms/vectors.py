"""Sums and products of lists of numbers, floats or symbolic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
