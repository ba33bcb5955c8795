"""Sums and products of lists of numbers, which may be traced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def dot(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """a . b."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def cross(a: Any, b: Any) -> list[Any]:
    """a x b (3,)."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def largest(values: Sequence[Any]) -> Any:
    """The largest, or NaN if one of them is none."""
    most = values[0]
    for value in values[1:]:
        most = np.maximum(most, value)
    return most
