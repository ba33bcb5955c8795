"""Texts of angles that are fractions of π with too few digits."""

import re
from functools import lru_cache
from math import floor, pi

EXACT = 1e-5
"""Largest error of an exact angle, rad: 1.5708 is exact enough."""
FRACTIONS = {1: 2, 2: 2, 4: 3, 3: 3, 6: 3}
"""Parts of π, and the number of decimals above which an angle is not such a part by chance."""
OFF = 5e-3
"""Largest error of an angle that is meant to be a fraction, rad."""
PIS = (3.14, 3.1415, 3.142)
"""Texts for π that xacro files multiply and divide."""


@lru_cache(4096)
def exact(text: str) -> str | None:
    """Return the exact text, with its sign, of an angle that is a fraction of π with too few digits, such as
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
