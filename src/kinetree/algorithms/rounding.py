"""Removal of rounding errors that hide a decimal number or a right angle, for readable parameters."""

from __future__ import annotations

from math import pi

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
