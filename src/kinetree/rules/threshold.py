"""Numbers on which findings of rules depend."""

from math import acos, asin, degrees
from typing import Self

from kinetree.display import number


class Threshold(float):
    """A number on which a finding depends, with its unit and its meaning.

    unit: "" for a ratio; "cosine" or "sine" for that of an angle; the name of the things for a count, which is an int.
    meaning: a noun phrase that says what the number bounds.
    """

    unit: str
    meaning: str
    counts: bool

    def __new__(cls, value: float, unit: str, meaning: str) -> Self:
        """Return the number."""
        made = super().__new__(cls, value)
        made.unit, made.meaning, made.counts = unit, meaning, isinstance(value, int)
        return made

    @property
    def text(self) -> str:
        """The number with its unit; an angle in degrees, too."""
        own = f"{number(self, 5)} {self.unit}".rstrip()
        angles = {"cosine": acos, "sine": asin, "rad": float}
        turn = f"{number(degrees(angles[self.unit](self)))} degrees" if self.unit in angles else ""
        return f"{own}, {turn}" if self.unit == "rad" else turn or own
