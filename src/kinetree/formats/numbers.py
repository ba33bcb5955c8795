"""Numbers as texts, the same in every format."""

from __future__ import annotations

from math import isfinite

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


def format_number(value: float) -> str:
    """Return the shortest text that reads back as the same double; whole numbers without a point, no negative zero."""
    value = float(value) + 0.0
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def format_numbers(values: object) -> str:
    """Return numbers separated by blanks, each as `format_number` writes it."""
    return " ".join(format_number(v) for v in np.asarray(values, dtype=float).ravel())
