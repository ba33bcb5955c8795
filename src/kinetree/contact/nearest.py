"""How far links are apart: what `Collisions` answers about distances."""

from typing import Any, NamedTuple


class Bounds(NamedTuple):
    """Bounds (…,) of the least distance, m: lower <= distance <= upper."""

    lower: Any
    upper: Any


class Witness(NamedTuple):
    """Where two links are nearest: `pair`, its number in `pairs` (…,); `distance` (…,), m, 0 in contact; and
    the nearest `points` (…, 2, 3) of both in the root frame, m, not numbers in contact."""

    pair: Any
    distance: Any
    points: Any
