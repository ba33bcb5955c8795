"""Sums, products and margins of numbers, floats or symbolic; and lengths and angles without rounding errors."""

from collections.abc import Iterable, Sequence
from math import pi
from typing import Any

import numpy as np

from kinetree.spatial.se3 import Array


def is_zero(x: Any) -> bool:
    """Return whether a number, float or symbolic, is known to be zero."""
    value = getattr(x, "value", x)
    return value is not None and bool(value == 0.0)


def dot(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """Return a . b."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def squared(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """Return the squared distance from b to a."""
    return sum((x - y) * (x - y) for x, y in zip(a, b, strict=True))


def cross(a: Any, b: Any) -> list[Any]:
    """Return a x b (3,)."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def margin(q: Any, lower: Array, upper: Array, G: Array, h: Array) -> Array:
    """Return q - lower, upper - q and h - G q, (k,), without the entries whose bound is infinite."""
    slack = [q[i] - bound for i, bound in enumerate(lower) if np.isfinite(bound)]
    slack += [bound - q[i] for i, bound in enumerate(upper) if np.isfinite(bound)]
    for row, bound in zip(G, h, strict=True):
        if np.isfinite(bound):
            slack.append(bound - sum(row[i] * q[i] for i in np.flatnonzero(row)))
    return np.array(slack)


def wrapped(angle: Any) -> Any:
    """Return an angle plus whole turns, from -pi to pi."""
    return angle - 2.0 * pi * np.floor(angle / (2.0 * pi) + 0.5)


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


def solved_symmetric(A: Sequence[Sequence[Any]], b: Sequence[Any]) -> list[Any]:
    """Return x of A x = b for a positive definite A given by its lower half: L D L.T (Golub & Van Loan, Matrix
    Computations, section 4.1)."""
    m = len(b)
    L: list[list[Any]] = []
    D: list[Any] = []
    for i in range(m):
        L.append([])
        for k in range(i):
            L[i].append((A[i][k] - sum(L[i][p] * L[k][p] * D[p] for p in range(k))) / D[k])
        D.append(A[i][i] - sum(L[i][p] * L[i][p] * D[p] for p in range(i)))
    x = list(b)
    for i in range(m):
        x[i] = x[i] - sum(L[i][p] * x[p] for p in range(i))
    x = [a / d for a, d in zip(x, D, strict=True)]
    for i in reversed(range(m)):
        x[i] = x[i] - sum(L[p][i] * x[p] for p in range(i + 1, m))
    return x
