"""The options with which a robot is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kinetree.arguments import Arguments
from kinetree.conventions.profiles import DEFAULT, PROFILES, rules_of
from kinetree.errors import fail
from kinetree.formats.registry import ReadOptions

if TYPE_CHECKING:
    from kinetree.conventions.rule import Rule
    from kinetree.model.robot import Robot

KINDS = {
    "arm": "a manipulator, or several on one foot",
    "mobile-base": "a vehicle on wheels",
    "mobile-manipulator": "a vehicle on wheels with arms",
    "humanoid": "two arms, with two legs or a neck",
    "legged": "a walking robot, with arms or without",
    "drone": "rotors in the air",
    "hand": "a hand or a gripper",
    "head": "a head, or a camera that turns",
    "object": "no joint moves",
    "other": "none of these",
}
"""Kinds of robots."""


def check_kind(kind: str | None) -> None:
    """Raise KinetreeError for an unknown kind of robot."""
    if kind is not None and kind not in KINDS:
        raise fail("kind", f"no kind of robot {kind!r}; legal are {', '.join(KINDS)}")


@dataclass(frozen=True)
class CheckOptions(Arguments):
    """How a robot is read and checked.

    profile: a key of PROFILES; by default DEFAULT. controller: a key of `kinetree.controllers`; by default the names
    in the model decide.
    select, ignore: beginnings of the codes that are reported alone, or left out.
    kind: a key of KINDS; by default the robot's structure, names and sizes decide.
    frames: where the controller has "base", "flange" and "tool0": a pose X Y Z R P Y (m, rad), or the name of a frame.
    also: files of other programs that name parts of the robot, such as its SRDF and the YAML of its controllers.
    read: how the robot is read; meshes are looked for only in its packages and its confinement.
    """

    profile: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    controller: str | None = None
    kind: str | None = None
    frames: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    read: ReadOptions = ReadOptions()

    @property
    def rules(self) -> tuple[type[Rule], ...]:
        """Rules of the profile. Raises KinetreeError for an unknown profile."""
        return rules_of(self.profile or DEFAULT)

    def rules_for(self, robot: Robot) -> tuple[type[Rule], ...]:
        """Return the rules of the profile without families about files that the robot lacks: to import them takes as
        long as to check an arm."""
        has = {"XAC": bool(robot.text and robot.text.files), "MVT": bool(self.also), "SRD": robot.semantic is not None}
        return rules_of(self.profile or DEFAULT, tuple(letters for letters in has if not has[letters]))

    @property
    def strict(self) -> bool:
        """Whether a missing frame is as grave as a wrong one."""
        return PROFILES[self.profile or DEFAULT].strict

    def wants(self, code: str) -> bool:
        """Return whether findings of a code are reported."""
        unwanted = bool(self.ignore) and code.startswith(self.ignore)
        return (not self.select or code.startswith(self.select)) and not unwanted
