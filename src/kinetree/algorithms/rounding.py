"""Numbers without the rounding errors that hide a decimal number or a right angle, for parameters that people read."""

from __future__ import annotations

from math import pi

ROUNDING = 1e-14
"""Lengths this close to a whole picometre, and angles this close to a right angle, are taken for them."""


def decimal(length: float) -> float:
    """A length in metres; the whole picometre that it is but for rounding."""
    nearest = round(length, 12) + 0.0
    return nearest if abs(length - nearest) < ROUNDING else length


def right_angle(angle: float) -> float:
    """An angle in radians; the multiple of a right angle that it is but for rounding."""
    nearest = round(angle / (pi / 2)) * (pi / 2)
    return nearest if abs(angle - nearest) < ROUNDING else angle
