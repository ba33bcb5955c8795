"""Arrays from what a user gave."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.se3 import Array


def numbers(values: Any, code: str, what: str) -> Array:
    """An array of floats, or a KinetreeError; what: its name and verb, such as "a pose is"."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise fail(code, f"{what} no array of numbers: {str(values)[:60]!r}") from None
