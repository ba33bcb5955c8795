"""Texts of angles that are meant to be fractions of π, and lack some digits."""

from __future__ import annotations

import re
from functools import lru_cache
from math import floor, pi

EXACT = 1e-5
"""How far an angle may be from what it is meant to be, rad: 1.5708 is exact enough."""
FRACTIONS = {1: 2, 2: 2, 4: 3, 3: 3, 6: 3}
"""Parts of π, and how many decimals an angle needs so that it is such a part, and not there by chance."""
OFF = 5e-3
"""How far an angle may be from what it is meant to be, and still be meant to be that, rad."""
PIS = (3.14, 3.1415, 3.142)
"""What is written for π, and then multiplied and divided in xacro files."""


@lru_cache(4096)
def exact(text: str) -> str | None:
    """The exact text, with its sign, of an angle that is a fraction of π with too few digits, such as
    "1.5707963267948966" for "1.57"; None for any other text."""
    match = re.fullmatch(r"([+-]?)(\d*\.\d+)", text)
    if not match:
        return None
    value, decimals = float(match[2]), len(match[2].rstrip("0").partition(".")[2])
    if abs(value - round(value * 12 / pi) * pi / 12) > OFF:
        return None  # near no fraction
    for parts, at_least in FRACTIONS.items():
        times = round(value * parts / pi)
        true = times * pi / parts
        if not 0 < times <= 2 * parts or abs(value - true) <= EXACT:
            continue
        cut_off = decimals >= at_least and value in (round(true, decimals), _truncated(true, decimals))
        if cut_off or any(abs(value - inexact * times / parts) < 1e-9 for inexact in PIS):
            return f"{match[1]}{true!r}"
    return None


def _truncated(value: float, decimals: int) -> float:
    return floor(value * 10.0**decimals) / 10.0**decimals
