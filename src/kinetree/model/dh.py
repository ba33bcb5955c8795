"""Denavit-Hartenberg tables as data, in SI, from a DH file or from an extraction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from kinetree.display import Brief
from kinetree.errors import Source
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import CoupledLimit, Dynamics, Frame, Inertial, Joint, Limit, Link, Mimic, Sensor
from kinetree.spatial.dh import x_screw, z_screw
from kinetree.spatial.se3 import IDENTITY, Array, frozen

Convention = Literal["dh", "mdh"]
CONVENTIONS: tuple[Convention, ...] = ("dh", "mdh")
ROW_TYPES = ("revolute", "continuous", "prismatic", "fixed")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DHRow(Brief):
    """One row. With Z = Rz(theta) Tz(d) and X = Rx(alpha) Tx(a) it is Z X in convention "dh" and X Z in "mdh".

    theta, d: their values at q = 0; a revolute joint adds q to theta, a prismatic one to d. flip: q counts backwards.
    type "fixed" is a constant row without a joint. link: name of the link that the joint moves;
    link_frame (4, 4): that link's own frame in the frame of the joint after its motion.
    frame: a name for the frame at the end of the row. inertial: of the link that the joint moves, in this frame.
    """

    a: float = 0.0
    d: float = 0.0
    alpha: float = 0.0
    theta: float = 0.0
    type: str = "revolute"
    joint: str = ""
    flip: bool = False
    limits: tuple[Limit, ...] = ()
    dynamics: tuple[Dynamics, ...] = ()
    mimic: Mimic | None = None
    link: str = ""
    link_frame: Array = field(default_factory=lambda: IDENTITY)
    frame: str | None = None
    inertial: Inertial | None = None
    source: Source | None = None

    @property
    def axes(self) -> Array:
        """(1, 3): z of the frame before the motion, or its opposite."""
        return frozen(((0.0, 0.0, -1.0 if self.flip else 1.0),))

    def constants(self, convention: Convention) -> tuple[Array, Array]:
        """Return the constant transforms before and after the motion, two T (4, 4)."""
        Z, X = z_screw(self.theta, self.d), x_screw(self.alpha, self.a)
        return (IDENTITY, np.asarray(Z @ X)) if convention == "dh" else (X, Z)

    def transform(self, convention: Convention, q: Any = 0.0) -> Array:
        """Return T (4, 4) of the row at q, which a fixed row ignores. Runs on symbolic scalars."""
        before, after = self.constants(convention)
        axes = self.axes if JOINT_TYPES[self.type].axes else np.zeros((0, 3))
        return np.asarray(before @ JOINT_TYPES[self.type].transform(axes, 0.0, [q]) @ after)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DHChain(Brief):
    """Base, rows, tool. It starts at frame `on` (the root if None), or at the joint of its first row if that is known.

    has_base: whether the file has a base. tip: a name for the frame at its end. frames: whether the frame of every row
    and the end get names of their own if they have none.
    """

    name: str
    convention: Convention
    rows: tuple[DHRow, ...]
    base: Array = field(default_factory=lambda: IDENTITY)
    tool: Array = field(default_factory=lambda: IDENTITY)
    on: str | None = None
    has_base: bool = True
    tip: str | None = None
    frames: bool = True
    source: Source | None = None

    @property
    def joints(self) -> tuple[DHRow, ...]:
        """The rows that move."""
        return tuple(row for row in self.rows if row.type != "fixed")

    def transform(self, q: Sequence[Any] | Array) -> Array:
        """Return T_base_tip (4, 4) for one number a joint. Runs on symbolic scalars."""
        T, values = self.base, iter(q)
        for row in self.rows:
            T = T @ row.transform(self.convention, 0.0 if row.type == "fixed" else next(values))
        return np.asarray(T @ self.tool)


USES, BOTH = ("visual", "collision"), "both"
"""What a shape is for."""


@dataclass(frozen=True, slots=True, eq=False)
class DHShape:
    """A simple shape: a cylinder between two points of frame `on`, with a sphere at each end if `capped`.

    start, end: (3,), m; end may be the name of a frame behind `on`, whose origin it is with all joints at zero, or None
    for a sphere at `start`. use: one of USES, or BOTH.
    """

    on: str
    radius: float
    start: Array
    end: Array | str | None = None
    capped: bool = True
    use: str = "visual"
    source: Source | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DHTable(Brief):
    """A robot of one or several chains, with the fixed joints, frames, sensors and groups that a file may add.

    fixed: joints that cut links of the chains in two: what was fixed to `parent` is fixed to `child`, in place.
    order: of q, if it is not that of the rows. links: inertias in a frame, by its name.
    """

    name: str
    root: str
    chains: tuple[DHChain, ...]
    frames: tuple[Frame, ...] = ()  # each on any frame before it
    sensors: tuple[Sensor, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    fixed: tuple[Joint, ...] = ()
    coupled_limits: tuple[CoupledLimit, ...] = ()
    shapes: tuple[DHShape, ...] = ()
    links: tuple[Link, ...] = ()
    source: Source | None = None
