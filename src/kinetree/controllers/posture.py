"""Configurations in the words of controllers: which of the solutions of a pose a controller means.

A file says what decides each part, as "J5 < 0": the angle of a joint on the pendant, deg, or where the wrist center is,
`shoulder`: in front of axis 1, and `elbow`: in front of the line from axis 2 to axis 3, behind if negative.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.errors import fail, shortened
from kinetree.spatial.se3 import Array

SIDES = ("shoulder", "elbow")
"""Columns before those of the joints; angles, deg, that are zero where the side changes."""
BESIDE = r"[\s,;(){}'\"]"
"""What may be beside a configuration where nothing else is."""
BITS = 6
"""Bits of a part at most, of which some say nothing about joints."""
ROUNDED = 6
"""Decimals of angles, deg, so that the noise of a zero has no sign."""


def _aside(x: Array) -> Array:
    rest = 180.0 - (180.0 - x) % 360.0  # in (-180, 180]
    return ~((rest > -90.0) & (rest <= 90.0))


MEASURES: Mapping[str, Callable[[Array], Array]] = {
    "< 0": lambda x: x < 0.0,
    ">= 0": lambda x: x >= 0.0,
    "beyond 90": _aside,
    "beyond 180": lambda x: (x <= -180.0) | (x > 180.0),
    "quadrant": lambda x: np.floor(x / 90.0),
    "turn": lambda x: np.sign(x) * np.floor((np.abs(x) + 180.0) / 360.0),
}
"""Whole numbers of an angle, deg, by their words in the files. beyond 90: of the angle without whole turns."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a configuration. kind: number; bits, a number whose bits, the lowest first, are the measures; digits,
    hexadecimal, likewise; or words, for the values 0 and 1. measures: (column, row of MEASURES) of each."""

    kind: str
    measures: tuple[tuple[int, str], ...]
    words: tuple[str, ...] = ()

    def written(self, values: Sequence[int]) -> str:
        """Return the values of the measures as the controller writes them."""
        if self.words:
            return self.words[values[0]]
        if self.kind == "number":
            return str(values[0])
        base = 2 if self.kind == "bits" else 16
        return str(sum(value % base * base**i for i, value in enumerate(values)))

    def read(self, text: str) -> list[int | None]:
        """Return the values of the measures; None for those that a text leaves open."""
        if self.words:
            spelled = [word.lower() for word in self.words]
            return [spelled.index(text.lower()) if text.lower() in spelled else None]
        number = _number(text)
        if self.kind == "number":
            return [number]
        if self.kind == "bits":
            if number >= 1 << max(len(self.measures), BITS):
                raise fail("configuration", f"{text} is no part of a configuration; expected at most {BITS} bits")
            return [number >> i & 1 for i in range(len(self.measures))]
        digits = [number >> 4 * i & 15 for i in range(len(self.measures))]
        return [digit - 16 * (digit > 7) for digit in digits]


def _number(text: str) -> int:
    """Return a whole number as written: 22, 'B10110', 'H16', &B10110, &H16."""
    digits = text.strip("'&")
    base = {"B": 2, "H": 16}.get(digits[0].upper(), 10)
    return int(digits if base == 10 else digits[1:], base)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Tell how a controller writes the configuration of an arm with six joints.

    text: as written, with <X> in the place of part X. pattern: of texts that are read, with a group for each part; one
    that is missing is open. pose: how a pose with its <configuration> is written. parts: by their names.
    unverified: what the sources do not say. missing: why a maker has none here. sources: of the definition.
    """

    text: str = ""
    pattern: str = ""
    pose: str = ""
    parts: Mapping[str, Part]
    unverified: tuple[str, ...] = ()
    missing: str = ""
    sources: tuple[str, ...] = ()

    @property
    def measures(self) -> list[tuple[int, str]]:
        """Return the measures of all parts, in order."""
        return [measure for part in self.parts.values() for measure in part.measures]

    def values(self, angles: Array) -> Array:
        """Return the values (…, m) of all measures, for angles (…, 8), deg, of SIDES and J1 to J6."""
        angles = np.round(angles, ROUNDED) + 0.0
        return np.stack([MEASURES[kind](angles[..., i]) for i, kind in self.measures], axis=-1).astype(int)

    def matches(self, angles: Array, wanted: Sequence[int | None], within: float) -> Array:
        """Return whether angles (…, 8) have the wanted values, (…) of bool; `within` deg of a change both count."""
        near = [self.values(angles + off) for off in (-within, 0.0, within)]
        is_given = np.array([value is not None for value in wanted])
        value = np.array([value or 0 for value in wanted])
        return np.asarray((np.any([x == value for x in near], axis=0) | ~is_given).all(axis=-1))

    def written(self, values: Sequence[int]) -> str:
        """Return the values (m,) of all measures as the controller writes them."""
        text, first = self.text, 0
        for name, part in self.parts.items():
            last = first + len(part.measures)
            text, first = text.replace(f"<{name}>", part.written(values[first:last])), last
        return text

    def found(self, text: str) -> re.Match[str] | None:
        """Return where a text has a configuration."""
        return re.search(self.pattern, text, re.IGNORECASE) if self.pattern else None

    def read(self, text: str) -> list[int | None]:
        """Return the values (m,) of all measures, None where a text leaves them open. Raises KinetreeError for a text
        without a configuration."""
        match = self.found(text) if isinstance(text, str) else None
        rest = re.sub(BESIDE, "", text.replace(match[0], "", 1)) if match else ""
        if match is None or rest:
            legal = self.pattern and f"; expected {self.text}"
            also = f", for {shortened(repr(rest), 40)} beside {match[0]!r}" if match else ""
            raise fail("configuration", f"{shortened(repr(text), 100)} is no configuration{also}{legal}")
        groups = match.groupdict()
        return [
            value
            for name, part in self.parts.items()
            for value in (part.read(groups[name]) if groups.get(name) else [None] * len(part.measures))
        ]


def configuration_of(table: Mapping[str, Any]) -> Configuration:
    """Return the configuration that a maker's file has."""
    parts = {}
    for name, row in table.get("parts", {}).items():
        kind, said = next((kind, row[kind]) for kind in ("number", "bits", "digits", "words") if kind in row)
        words = tuple(said) if kind == "words" else ()
        of = row["of"] if words else said
        parts[name] = Part(kind, tuple(_measure(one) for one in ([of] if isinstance(of, str) else of)), words)
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return Configuration(**(given | {"parts": parts}))


def _measure(text: str) -> tuple[int, str]:
    column, _, kind = text.partition(" ")
    if kind not in MEASURES:
        raise fail("configuration", f"{text!r} measures nothing; expected a column and one of {', '.join(MEASURES)}")
    return SIDES.index(column) if column in SIDES else len(SIDES) + int(column[1:]) - 1, kind
