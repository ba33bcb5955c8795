"""The options with which a robot is checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.arguments import Arguments
from kinetree.conventions.profiles import DEFAULT, PROFILES, rules_of
from kinetree.formats.registry import ReadOptions

if TYPE_CHECKING:
    from kinetree.conventions.rule import Rule


@dataclass(frozen=True)
class CheckOptions(Arguments):
    """How a robot is read and checked.

    profile: a key of PROFILES; by default DEFAULT. vendor: the key of the controller's maker; by default the names in
    the model decide.
    select, ignore: beginnings of the codes that are reported alone, or left out.
    read: how the robot is read; meshes are looked for only in its packages and its confinement.
    """

    profile: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    vendor: str | None = None
    read: ReadOptions = ReadOptions()

    @property
    def rules(self) -> tuple[type[Rule], ...]:
        """Rules of the profile. Raises KinetreeError for an unknown profile."""
        return rules_of(self.profile or DEFAULT)

    @property
    def strict(self) -> bool:
        """Whether a missing frame is as grave as a wrong one."""
        return PROFILES[self.profile or DEFAULT].strict

    def wants(self, code: str) -> bool:
        """Return whether findings of a code are reported."""
        unwanted = bool(self.ignore) and code.startswith(self.ignore)
        return (not self.select or code.startswith(self.select)) and not unwanted
