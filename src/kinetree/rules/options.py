"""The options with which a robot is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kinetree.arguments import Arguments
from kinetree.formats.registry import ReadOptions
from kinetree.rules.profiles import DEFAULT, PROFILES, rules_of

if TYPE_CHECKING:
    from kinetree.model.robot import Robot
    from kinetree.rules.rule import Rule


@dataclass(frozen=True)
class CheckOptions(Arguments):
    """How a robot is read and checked.

    profile: a key of PROFILES; by default DEFAULT. controller: a key of `kinetree.controllers`; by default the names
    in the model decide.
    select, ignore: beginnings of the codes that are reported alone, or left out.
    kind: a key of KINDS; by default the robot's structure, names and sizes decide.
    frames: where the controller has "base", "flange" and "tool0": a pose X Y Z R P Y (m, rad), or the name of a frame.
    contact: whether links are tested for contact, which takes up to a second; so they are if `select` names such rules.
    also: files of other programs that name parts of the robot, such as its SRDF and the YAML of its controllers.
    read: how the robot is read; meshes are looked for only in its packages and its confinement.
    """

    profile: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    controller: str | None = None
    kind: str | None = None
    frames: Mapping[str, str] = field(default_factory=dict)
    contact: bool = False
    also: tuple[str, ...] = ()
    read: ReadOptions = ReadOptions()

    @property
    def rules(self) -> tuple[type[Rule], ...]:
        """Rules of the profile. Raises KinetreeError for an unknown profile."""
        return rules_of(self.profile or DEFAULT)

    def rules_for(self, robot: Robot) -> tuple[type[Rule], ...]:
        """Return the rules of the profile without families about files that the robot lacks: to import them takes as
        long as to check an arm."""
        has_srdf = robot.semantic is not None and robot.semantic.source is not None  # not only pairs of an MJCF
        has = {"XAC": bool(robot.text and robot.text.files), "MVT": bool(self.also), "SRD": has_srdf}
        has["CON"] = self.tests_contact
        return rules_of(self.profile or DEFAULT, tuple(letters for letters in has if not has[letters]))

    @property
    def strict(self) -> bool:
        """Whether a missing frame is as grave as a wrong one."""
        return PROFILES[self.profile or DEFAULT].strict

    @property
    def tests_contact(self) -> bool:
        """Whether links are tested for contact: if `contact` or `select` says so, and `ignore` does not."""
        asked = self.contact or any(code.startswith("CON") for code in self.select)
        return asked and not any("CON".startswith(code) for code in self.ignore)

    def wants(self, code: str) -> bool:
        """Return whether findings of a code are reported."""
        unwanted = bool(self.ignore) and code.startswith(self.ignore)
        return (not self.select or code.startswith(self.select)) and not unwanted
