"""What a maker's controller says of poses and joints, and its numbers as poses and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.controllers.rotation import Rotation
from kinetree.errors import KinetreeError, UnverifiedWarning, fail, nearest_names, warn
from kinetree.spatial.handedness import mirrored_pose
from kinetree.spatial.numbers import numbers, poses
from kinetree.spatial.se3 import Array

METRES = {"m": 1.0, "mm": 1e-3}
"""A unit of position."""

COUPLED = (5, 6)
"""How many joints an arm has that a controller may couple."""

FAR = 100.0
"""No controller has positions farther away, m; what is written so is in another unit."""


@dataclass(frozen=True, slots=True)
class Coupling:
    """A joint whose number on the controller is not the model's: model's joint = controller's joint + factor * leader.

    joint, leader: numbers from 1. factor: 0 where the joint is not coupled. models: holds of robots whose name has one
    of these in it, small letters and digits alone. assumed: and of those that no row of this joint names.
    """

    joint: int
    leader: int
    factor: float
    models: tuple[str, ...]
    assumed: bool = False

    def __str__(self) -> str:
        term = f" {'+' if self.factor > 0 else '-'} J{self.leader}" if self.factor else ""
        return f"joint {self.joint} of the model = J{self.joint}{term}"

    def named_in(self, model: str) -> int:
        """How many letters of a robot's name are those of one of the models."""
        return max((len(name) for name in self.models if name in plain(model)), default=0)


@dataclass(frozen=True, slots=True, eq=False)
class Controller:
    """One maker's controllers; `kinetree.controllers` has them by their keys.

    components: names of the numbers of a pose, three of position (`position`: m or mm) and those of `rotation`.
    text: how poses are written in programs and on the pendant, the first as `print` does, with <X> where X stands;
    refused: what looks like a pose and is none, and why. digits: behind the point, of positions and of the others.
    frames: the controller's names of REP-199's base, tool0 and flange, of a tool, a user frame and the world; one that
    it has no name for is missing. base_in_base_link, tool0_in_flange: where models have these frames, as far as it
    is known, (roll, pitch, yaw) in degrees; "height": base is as high as the second joint; outliers: of models whose
    name has this in it, tool0_in_flange. mirrored: the axis across which a left-handed system is mirrored, or "".
    couplings: of joints. confidence, sources: how well all this is known; unverified: why confidence is not high;
    remarks: what else one should know.
    """

    key: str
    name: str
    aliases: tuple[str, ...]
    components: tuple[str, ...]
    position: str
    rotation: Rotation
    text: tuple[str, ...]
    refused: Mapping[str, str]
    digits: tuple[int, int]
    frames: Mapping[str, str]
    base_in_base_link: tuple[float, ...] | str
    tool0_in_flange: tuple[float, ...]
    outliers: Mapping[str, tuple[float, ...]]
    mirrored: str
    couplings: tuple[Coupling, ...]
    confidence: str
    unverified: tuple[str, ...]
    remarks: tuple[str, ...]
    sources: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.mirrored not in ("", "x", "y", "z"):
            raise fail("mirrored", f"mirrored is {self.mirrored!r}; legal are '', 'x', 'y' and 'z'")

    def __repr__(self) -> str:
        return f"Controller {self.key}: {self.format}"

    @property
    def format(self) -> str:
        """What a pose is, in words."""
        units = [self.position] * 3 + [self.rotation.unit] * len(self.rotation.names)
        parts = ", ".join(
            f"{name} ({unit})" if unit else name for name, unit in zip(self.components, units, strict=True)
        )
        return f"{parts}; R = {self.rotation.formula}"

    def to_pose(self, values: Any) -> Array:
        """T (…, 4, 4), m, of numbers (…, 6 or 7) in the controller's units and order.

        Raises KinetreeError for another count, numbers that are not finite, angles out of range and quaternions that
        are not of unit length. Warns with UnverifiedWarning where `confidence` is not high.
        """
        self._say_unverified()
        given = self._checked(values)
        T = np.zeros((*given.shape[:-1], 4, 4))
        T[..., :3, :3] = self.rotation.matrix(given[..., 3:])
        T[..., :3, 3] = given[..., :3] * METRES[self.position]
        T[..., 3, 3] = 1.0
        return mirrored_pose(T, self.mirrored) if self.mirrored else T

    def from_pose(self, T: Any) -> Array:
        """Numbers (…, 6 or 7), of poses T (…, 4, 4), m.

        Raises KinetreeError for what is no pose, and for positions that are in another unit.
        """
        self._say_unverified()
        T = poses(T)
        self._check_near(T[..., :3, 3])
        T = mirrored_pose(T, self.mirrored) if self.mirrored else T
        return np.concatenate([T[..., :3, 3] / METRES[self.position], self.rotation.values(T[..., :3, :3])], axis=-1)

    def coupling(self, model: str = "", n: int = 6) -> Array:
        """C (n, n) of a robot by its name: the joints of the model are C times those of the controller. Only arms of
        five and six joints are coupled. Of a name that no row has, what is assumed holds: see `check_model`."""
        C = np.eye(n)
        if n in COUPLED:
            rows = sorted(self.couplings, key=lambda row: (row.named_in(model), row.assumed))
            for row in rows:  # the last of a joint holds: the longest name, else what is assumed
                if row.assumed or row.named_in(model):
                    C[row.joint - 1, row.leader - 1] = row.factor
        return C

    def check_model(self, model: str) -> None:
        """Refuse the name of a model on which the coupling depends and that no row has."""
        if self.couplings and not any(row.named_in(model) for row in self.couplings):
            known = sorted(name for row in self.couplings for name in row.models)
            assumed = ", ".join(str(row) for row in self.couplings if row.assumed)
            message = f"no model {model!r} among those whose joints {self.name} is known to couple or not"
            raise fail("controller-model", f"{message}; {nearest_names(model, known)}", fix=f"without it, {assumed}")

    def wrong(self, code: str, message: str) -> KinetreeError:
        """The error that says what is legal here."""
        return fail(code, f"{message}; a pose of {self.name} is {self.format}")

    def _say_unverified(self) -> None:
        if self.confidence != "high":
            warn(f"{self.name}: {'; '.join(self.unverified)} (confidence: {self.confidence})", UnverifiedWarning)

    def _checked(self, values: Any) -> Array:
        try:
            given = numbers(values, "pose", "a pose is")
        except KinetreeError:
            raise self.wrong("pose", f"{str(values)[:60]!r} are no numbers") from None
        if given.ndim == 0 or given.shape[-1] != len(self.components):
            count = given.shape[-1] if given.ndim else 0
            raise self.wrong("pose", f"{count} numbers, where there are {len(self.components)}")
        if not np.isfinite(given).all():
            raise self.wrong("pose", "a number is not finite")
        self._check_near(given[..., :3] * METRES[self.position])
        fault = self.rotation.fault(given[..., 3:])
        if fault:
            raise self.wrong("pose", fault)
        return given

    def _check_near(self, metres: Array) -> None:
        if (np.abs(metres) > FAR).any():
            raise self.wrong("pose", f"a position is beyond {FAR:g} m, so that its unit is another")


def plain(name: str) -> str:
    """A robot's name as the makers' files have it: small letters and digits alone."""
    return "".join(c for c in str(name).lower() if c.isalnum())
