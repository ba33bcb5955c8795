"""Texts that a robot keeps: of its file, with the places of its elements, and of elements of other tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kinetree.display import Brief
from kinetree.errors import Source


@dataclass(frozen=True, slots=True, repr=False)
class Text(Brief):
    """The text that a robot was read from, as long as the robot is not edited; the places of its elements, in order,
    and the texts of the files by name, if it was made of other files. parts: what the robot has of it (`in_text`); with
    other parts it is another robot, whose text this is not."""

    format: str
    text: str
    origins: Sequence[Source | None] = field(default=(), repr=False)
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    parts: list[object] = field(default_factory=list, init=False, repr=False, compare=False)


def in_text(robot: object) -> list[object]:
    """Return what a robot has of the text of its file."""
    names = ("name", "links", "joints", "frames", "sensors", "groups", "materials", "loops", "coupled_limits")
    return [getattr(robot, name) for name in (*names, "actuators")]


@dataclass(frozen=True, slots=True)
class Extension:
    """An element of another tool, kept unchanged and written back to its own format."""

    format: str
    tag: str
    text: str
    source: Source | None = None
