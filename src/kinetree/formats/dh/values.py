"""Numbers in DH tables: units, multiples of pi, and ranges such as `-90 + (-39 -> 39)`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite

from kinetree.syntax.numbers import multiple_of_pi, number

LENGTH_COLUMNS = ("a", "d")
ANGLE_COLUMNS = ("alpha", "theta")
MAX_INTEGER = 10**15  # whole numbers up to here are exact as floats
MAX_TEXT = 200
NUMBER_HINT = "a number, a multiple of pi such as pi/2, or a range such as -90 + (-39 -> 39)"

_RANGE = re.compile(r"(?:(?P<middle>.*?)\+\s*\((?P<low>.*?)(?:->|→)(?P<high>.*)\)|(?P<lo>.*?)(?:->|→)(?P<hi>.*))")


@dataclass(frozen=True, slots=True)
class Cell:
    """A number as written, in its own unit, and the range of the joint if the cell has one."""

    value: float
    range: tuple[float, float] | None = None
    with_pi: bool = False


@dataclass(frozen=True, slots=True)
class Units:
    """The unit of each column, and of lengths and angles outside the rows (None if not declared)."""

    columns: Mapping[str, str]
    length: str | None
    angle: str | None

    def of_all(self) -> "Units":
        """Return the units with a unit that a and d, or alpha and theta, share as that of all lengths, or angles."""
        a, d, alpha, theta = map(self.columns.get, (*LENGTH_COLUMNS, *ANGLE_COLUMNS))
        length, angle = a if a == d else None, alpha if alpha == theta else None
        return Units(self.columns, self.length or length, self.angle or angle)


def parse_cell(raw: object) -> Cell | None:
    """Return the cell of a TOML value or a CSV text, or None if it is not a number."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int) and abs(raw) > MAX_INTEGER:
        return None
    if isinstance(raw, int | float):
        return Cell(float(raw)) if isfinite(raw) else None
    if not isinstance(raw, str) or len(raw) > MAX_TEXT:
        return None
    text = raw.replace("−", "-").strip()
    match = _RANGE.fullmatch(text)
    if match is None:
        return _parse_number(text)
    middle = _parse_number(match["middle"] or "0")
    low, high = _parse_end(match["low"] or match["lo"] or ""), _parse_end(match["high"] or match["hi"] or "")
    if middle is None or low is None or high is None:
        return None
    return Cell(middle.value, (low.value, high.value), middle.with_pi or low.with_pi or high.with_pi)


def _parse_end(text: str) -> Cell | None:
    """Return an end of a range, which may be open: -inf or inf."""
    open_ends = {"-inf": -inf, "inf": inf}
    return Cell(open_ends[text.strip()]) if text.strip() in open_ends else _parse_number(text)


def _parse_number(text: str) -> Cell | None:
    text = text.strip()
    turned = multiple_of_pi(text)
    if turned is not None:
        return Cell(turned, with_pi=True)
    value = number(text) if text else None
    return None if value is None else Cell(value)
