"""Margins to limits, on any scalar."""

from typing import Any

import numpy as np

from kinetree.spatial.se3 import Array


def margin(q: Any, lower: Array, upper: Array, G: Array, h: Array) -> Array:
    """Return q - lower, upper - q and h - G q, (k,), without the entries whose bound is infinite."""
    slack = [q[i] - bound for i, bound in enumerate(lower) if np.isfinite(bound)]
    slack += [bound - q[i] for i, bound in enumerate(upper) if np.isfinite(bound)]
    for row, bound in zip(G, h, strict=True):
        if np.isfinite(bound):
            slack.append(bound - sum(row[i] * q[i] for i in np.flatnonzero(row)))
    return np.array(slack)
