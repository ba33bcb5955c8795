"""A controller's format of poses, frames and joint coupling, and the conversion of its numbers to poses and back."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kinetree.controllers.posture import Configuration
from kinetree.controllers.rotation import Rotation
from kinetree.errors import KinetreeError, UnverifiedWarning, fail, nearest_names, warn
from kinetree.labels import by_name
from kinetree.spatial.handedness import mirrored_pose
from kinetree.spatial.numbers import numbers, poses
from kinetree.spatial.se3 import IDENTITY, Array, poses_from

METRES = {"m": 1.0, "mm": 1e-3}
"""Units of position, in metres."""

COUPLED = (5, 6)
"""Numbers of joints of the arms that a controller may couple."""

FAR = 100.0
"""Largest position, m; a larger number is in another unit."""


@dataclass(frozen=True, slots=True)
class Coupling:
    """A coupled joint: model's joint = controller's joint + factor * leader.

    joint, leader: numbers from 1. factor: 0 if the joint is not coupled. models: the row is for robots whose name
    contains one of these, in lower-case letters and digits only; a digit at the end ends a number of the name.
    assumed: it is also for robots that no row of this joint names.
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
        """Return the length of the longest model name contained in a robot's name; 0 if none is."""
        name = str(model).lower()
        return max((len(known) for known in self.models if re.search(_pattern(known), name)), default=0)


def _pattern(known: str) -> str:
    """Return the pattern of a model's name: separators may be anywhere, and irb660 is not in irb6600."""
    return "[^a-z0-9]*".join(known) + ("(?![0-9])" if known[-1].isdigit() else "")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Controller:
    """The controllers of one maker of robots; `kinetree.controllers` has them by their keys.

    components: names of a pose's numbers, three of position (in `position`: m or mm), then those of `rotation`.
    text: how programs and the pendant write poses, with <X> in the place of X; `written` uses the first.
    refused: patterns of texts that look like a pose but are not, with the reason. digits: decimals of positions and of
    the other numbers.
    frames: the controller's names of REP-199's base, tool0 and flange, of a tool, a user frame and the world; a frame
    without a name is missing.
    base_in_base_link, tool0_in_flange: orientation of these frames in models, as far as known, as (roll, pitch, yaw) in
    degrees; "height": base is as high as the second joint. outliers: other tool0_in_flange, by a part of the model's
    name.
    mirrored: the axis along which a left-handed system is mirrored, or "". couplings: of joints. serial: whether no arm
    of this maker couples joints. joint: what the pendant writes before the number of a joint; joint_names: its names of
    all joints, by their number, where they are no numbers. configuration: how it is written. points: files of constants
    by their endings: head, a line for a point, foot.
    confidence, sources: reliability and origin of this data; unverified: why confidence is not high; remarks: notes.
    """

    key: str
    name: str
    aliases: tuple[str, ...]
    components: tuple[str, ...]
    position: str
    rotation: Rotation
    text: tuple[str, ...]
    refused: Mapping[str, str] = field(default_factory=dict)
    digits: tuple[int, int]
    frames: Mapping[str, str]
    base_in_base_link: tuple[float, ...] | str = ()
    tool0_in_flange: tuple[float, ...] = ()
    outliers: Mapping[str, tuple[float, ...]]
    mirrored: str = ""
    couplings: tuple[Coupling, ...]
    serial: bool = False
    joint: str = "J"
    joint_names: Mapping[int, tuple[str, ...]]
    configuration: Configuration
    points: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    confidence: str
    unverified: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    sources: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.mirrored not in ("", "x", "y", "z"):
            raise fail("mirrored", f"mirrored is {self.mirrored!r}; expected '', 'x', 'y' or 'z'")

    def __repr__(self) -> str:
        return f"Controller {self.key}: {self.format}"

    @property
    def format(self) -> str:
        """Description of a pose: components, units and the formula of its rotation."""
        units = [self.position] * 3 + [self.rotation.unit] * len(self.rotation.names)
        parts = ", ".join(f"{name} ({one})" if one else name for name, one in zip(self.components, units, strict=True))
        return f"{parts}; R = {self.rotation.formula}"

    def to_pose(self, values: Any) -> Array:
        """Return T (…, 4, 4), m, of numbers (…, 6 or 7) in the controller's units and order.

        Raises KinetreeError for a wrong count, numbers that are not finite, positions beyond 100 m, angles out of range
        and quaternions without unit length. Warns with UnverifiedWarning if `confidence` is not high.
        """
        self._say_unverified()
        given = self._checked(values)
        T = poses_from(self.rotation.matrix(given[..., 3:]), given[..., :3] * METRES[self.position])
        return mirrored_pose(T, self.mirrored) if self.mirrored else T

    def from_pose(self, T: Any) -> Array:
        """Return the controller's numbers (…, 6 or 7) for poses T (…, 4, 4), m. Raises KinetreeError for an array that
        is not a pose, and for positions beyond 100 m. Warns as `to_pose` does."""
        self._say_unverified()
        T = poses(T)
        self._check_near(T[..., :3, 3])
        T = mirrored_pose(T, self.mirrored) if self.mirrored else T
        return np.concatenate([T[..., :3, 3] / METRES[self.position], self.rotation.values(T[..., :3, :3])], axis=-1)

    def names_of_joints(self, n: int) -> tuple[str, ...]:
        """Return the pendant's names of the n joints of an arm, from base to tool0."""
        return self.joint_names.get(n) or tuple(f"{self.joint}{i + 1}" for i in range(n))

    def coupling(self, model: str = "", n: int = 6) -> Array:
        """Return C (n, n) for a robot's name: the joints of the model are C times those of the controller. Only arms of
        five and six joints are coupled. A name that no row has gets the assumed coupling; see `check_model`."""
        C = np.eye(n)
        if n in COUPLED:
            for row in self._rows(model).values():
                C[row.joint - 1, row.leader - 1] = row.factor
        return C

    def coupling_doubt(self, model: str, n: int) -> str:
        """Return why the coupling of the n joints of a robot is not known, "" if it is.

        No row has the robot's name, or the row is about arms with another number of joints.
        """
        rows, named = self._rows(model).values(), self.names_model(model)
        coupled = any(row.factor for row in rows)
        if self.serial or n < 3 or (named and n in COUPLED) or (not coupled and (named or n not in (4, *COUPLED))):
            return ""
        how = ", ".join(map(str, rows)) or "no coupling"
        if n in COUPLED:
            return f"coupling not known for {model!r}, which is in no list of {self.name}; {how} is assumed"
        return f"coupling not known for the {n} joints of {model!r} ({self.name}); none is assumed"

    def check_model(self, model: str) -> None:
        """Raise KinetreeError for a model that no row of `couplings` has."""
        if not self.names_model(model):
            known = sorted(name for row in self.couplings for name in row.models)
            assumed = ", ".join(str(row) for row in self.couplings if row.assumed) or "joints are not coupled"
            near = f"; {nearest_names(model, known)}" if known else ""
            message = f"no model {model!r} among those whose joints {self.name} is known to couple or not{near}"
            raise fail("controller-model", message, fix=f"without it, {assumed}")

    def names_model(self, model: str) -> bool:
        """Return whether a row of `couplings` has this model."""
        return any(row.named_in(model) for row in self.couplings)

    def _rows(self, model: str) -> dict[int, Coupling]:
        """Return the row of each joint that a model has: the one with the longest name, else the assumed one."""
        rows = sorted(self.couplings, key=lambda row: (row.named_in(model), row.assumed))
        return {row.joint: row for row in rows if row.assumed or row.named_in(model)}

    def wrong(self, code: str, message: str) -> KinetreeError:
        """Return an error whose message ends with the legal format of a pose."""
        return fail(code, f"{message}; a pose of {self.name} is {self.format}")

    def _say_unverified(self) -> None:
        if self.confidence != "high":
            warn(f"{self.name}: {'; '.join(self.unverified)} (confidence: {self.confidence})", UnverifiedWarning)

    def _checked(self, values: Any) -> Array:
        values = by_name(values, self.components, "a pose")
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
    """Return a robot's name in lower-case letters and digits only, as in the makers' files."""
    return "".join(c for c in str(name).lower() if c.isalnum())


class Active(NamedTuple):
    """The tool T_tool0_tool and the user frame T_base_user (…, 4, 4), m, that are active on a controller."""

    tool: Array = IDENTITY
    user_frame: Array = IDENTITY

    def shown(self, T_base_tool0: Array) -> Array:
        """Return T_user_tool (…, 4, 4)."""
        return np.asarray(_inverse(self.user_frame) @ T_base_tool0 @ self.tool)

    def of_tool0(self, T_user_tool: Array) -> Array:
        """Return T_base_tool0 (…, 4, 4)."""
        return np.asarray(self.user_frame @ T_user_tool @ _inverse(self.tool))


def _inverse(T: Array) -> Array:
    """Return the inverse of poses (…, 4, 4)."""
    R = T[..., :3, :3]
    return poses_from(R.mT, -np.einsum("...ji,...j->...i", R, T[..., :3, 3]))
