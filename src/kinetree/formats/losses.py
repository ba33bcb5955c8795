"""Parts of a robot that a format cannot represent; a writer refuses them unless the caller leaves them out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from math import inf
from types import MappingProxyType

from kinetree.errors import Finding, KinetreeError, Source, fail
from kinetree.formats.capabilities import CAPABILITIES, DEPENDS, Case, things_of
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Robot

PARTS = (
    *("extension", "geometry", "material", "inertial", "sensor", "force_torque", "limit", "velocity_limit"),
    *("coupled_limit", "dynamics", "safety", "calibration", "frame", "group", "order", "mimic"),
)
"""Parts of a robot that a caller may leave out by `without=…`, also if the format can represent some of them. Joints
and links are never left out. "order" is that of q; "force_torque" is the reading of such sensors."""


class Losses:
    """What a format cannot represent of a robot. format: its row in CAPABILITIES. without: parts that are left out."""

    def __init__(self, format: str, without: Collection[str]) -> None:
        unknown = [part for part in without if part not in PARTS]
        if unknown:
            raise fail("without", f"without={unknown!r}; legal are {', '.join(PARTS)}")
        self.format = format
        self.without = frozenset(without)
        self.findings: list[Finding] = []

    def pared(self, robot: Robot) -> Robot:
        """Return the robot without the followers, velocity limits and order of q that are left out."""
        if not self.without & {"mimic", "velocity_limit", "order"}:
            return robot
        parts = parts_of(robot)
        if "mimic" in self.without:
            freed = [joint.name for joint in parts.joints if joint.mimic and joint.kind.nq]
            parts.joints = [replace(joint, mimic=None) for joint in parts.joints]
            parts.joint_order = (*robot.joint_names, *freed)
        if "velocity_limit" in self.without:
            parts.joints = [
                replace(joint, limits=tuple(replace(limit, velocity=inf) for limit in joint.limits))
                for joint in parts.joints
            ]
        if "order" in self.without:
            parts.joint_order = None
        return build(parts)

    def find(self, robot: Robot, cases: Mapping[str, Case] = MappingProxyType({}), row: str | None = None) -> None:
        """Note what is lost by the table of capabilities and the writer's cases. row: of another format, if given."""
        cannot = CAPABILITIES[row or self.format].cannot
        assert all(cannot[part] is DEPENDS for part in cases)
        for part, cell in cannot.items():
            case = cases.get(part, DEPENDS) if cell is DEPENDS else cell
            if case is None:
                continue
            for element, thing, source in things_of(robot, part, self.without):
                for what in [case.format(thing)] if isinstance(case, str) else case(thing):
                    self.lose(part.rpartition(".")[2], element, what, source)

    def lose(self, part: str, element: str, what: str, source: Source | None = None) -> None:
        """Note that an element has a part that cannot be written. part: one of PARTS, or "joint" or "link"."""
        if part in self.without:
            return
        fix = f"pass without=({part!r},), or --without {part}, to leave such parts out" if part in PARTS else None
        message = f"{CAPABILITIES[self.format].title} cannot say {what}"
        self.findings.append(Finding(f"cannot-say-{part}", "error", message, source, element, fix))

    def check(self) -> None:
        """Raise KinetreeError if anything would be lost."""
        if self.findings:
            raise KinetreeError(self.findings)
