"""What a rule is: one class, which explains itself and yields findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.errors import Finding, Severity, Source
from kinetree.model.robot import Frame, Joint, Link, Robot, Sensor
from kinetree.queries import tree
from kinetree.spatial.se3 import Array

Level = Literal["MUST", "SHOULD", "MAY"]
Evidence = Literal["certain", "heuristic", "advice"]

_BY_LEVEL: dict[Level, Severity] = {"MUST": "error", "SHOULD": "warning", "MAY": "info"}
_AT_MOST: dict[Evidence, Severity] = {"certain": "error", "heuristic": "warning", "advice": "info"}
ORDER: tuple[Severity, ...] = ("error", "warning", "info")
"""From the gravest."""


@dataclass(frozen=True)
class Subject:
    """What rules look at; a rule names in its `check` those fields and properties that it wants."""

    robot: Robot

    @cached_property
    def poses(self) -> dict[str, Array]:
        """T_root_frame (4, 4) of every frame, all coordinates at zero (quaternions at identity)."""
        names = list(self.robot.frames)
        return dict(zip(names, forward_kinematics(tree(self.robot), self.robot.q(), names), strict=True))


class Rule:
    """Base of all rules. The first line of a rule's docstring is its title, the rest says why.

    code: letters and three digits; never changes its meaning.
    level: how strongly the convention asks for it. evidence: how surely the rule can tell; the severity of its
        findings is that of the level, but no graver than the evidence allows.
    clause: what the convention says, in a few words of its own. link: where it says so.
    good, bad: a text that is fine and one that is not. With `base` they are pieces of a text: that of a robot that
        comes with the package, loaded with `base_options` and written in `base_format`, where the bad one takes every
        place of the good one.
    requires: codes of rules; where one of them has an error, this one is not asked.
    """

    code: ClassVar[str]
    level: ClassVar[Level]
    evidence: ClassVar[Evidence] = "certain"
    clause: ClassVar[str]
    link: ClassVar[str]
    good: ClassVar[str]
    bad: ClassVar[str]
    base: ClassVar[str | None] = None
    base_format: ClassVar[str] = "urdf"
    base_options: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    requires: ClassVar[tuple[str, ...]] = ()

    check: ClassVar[Any]
    """A method that yields findings. It takes fields of `Subject` by name."""

    @classmethod
    def title(cls) -> str:
        """What the convention asks for, in one line."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    @classmethod
    def severity(cls) -> Severity:
        """Of the rule's findings, unless one says that it is less grave."""
        return max(_BY_LEVEL[cls.level], _AT_MOST[cls.evidence], key=ORDER.index)

    def ask(self, subject: Subject) -> Iterator[Finding]:
        """The findings of the rule in a subject."""
        code = self.check.__func__.__code__
        wanted = code.co_varnames[1 : code.co_argcount]
        yield from self.check(**{name: getattr(subject, name) for name in wanted})

    def finding(
        self,
        message: str,
        about: Link | Joint | Frame | Sensor | str | None = None,
        *,
        source: Source | None = None,
        fix: str | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        """One finding; `about` gives it its element, and its place where `source` does not."""
        if about is None or isinstance(about, str):
            element = about
        else:
            element, source = f"{type(about).__name__.lower()} {about.name!r}", source or about.source
        return Finding(self.code, severity or self.severity(), message, source, element, fix)


def angle_between(u: Array, v: Array) -> float:
    """In radians, of two vectors (3,); exact for small angles too."""
    return float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))
