"""Data of a calibration: measurements, explanations and fits."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from kinetree.controllers.controller import Active
from kinetree.lab import hand_eye as fitting
from kinetree.lab.calibrate.arm import ArmChain
from kinetree.lab.calibrate.readings import Fault, Reading
from kinetree.spatial import Array, se3

FEW = 12
"""Number of poses with which a search begins."""


@dataclass(frozen=True, eq=False)
class Data:
    """The measurements, in all their readings, and the robot's frames.

    joints: readings M (n, n) of the numbers shown (k, n), with q (j, k, nq) and T_foot_tip, T (j, k, 4, 4), m, of each.
    positions (k, 3), m, and rotations (k, 3, 3): readings. bases: T_base_foot, and tools: T_tip_tool0 (4, 4), m, by the
    robot's frame names. tolerance (2,): m and rad. active: the tool and the user frame of the measured poses.
    """

    arm: ArmChain
    joints: Sequence[Reading]
    shown: Array
    q: Array
    T: Array
    positions: Sequence[Reading]
    rotations: Sequence[Reading]
    bases: Mapping[str, Array]
    tools: Mapping[str, Array]
    tolerance: Array
    active: Active

    @cached_property
    def alike(self) -> list[tuple[int, int]]:
        """Pairs of joint and rotation readings with equal angles between any two poses, so that some X and Y fit."""
        of_model = fitting.angles(self.T[..., :3, :3])
        of_poses = fitting.angles(np.array([reading.value for reading in self.rotations]))
        off = np.abs(of_model[:, None] - of_poses).max(axis=-1)
        return [(int(j), int(r)) for j, r in np.argwhere(off <= 2 * self.tolerance[1])]

    @cached_property
    def likely(self) -> list[tuple[int, int, int]]:
        """Readings (joints, rotations, positions) with at most one fault."""
        kinds = self.joints, self.rotations, self.positions
        js, rs, ps = ([i for i, one in enumerate(kind) if len(one.faults) <= 1] for kind in kinds)
        return [one for one in product(js, rs, ps) if len(self.faults(*one)) <= 1]

    @cached_property
    def few(self) -> "Data":
        """Some of the poses, if there are many: an explanation that does not fit them need not be tried with all."""
        k = self.T.shape[1]
        rows = np.linspace(0, k - 1, min(k, FEW)).round().astype(int)
        return self if k <= FEW else self.only(rows)

    def only(self, rows: Array) -> "Data":
        """Return the data of some poses."""
        positions = [one._replace(value=one.value[rows]) for one in self.positions]
        rotations = [one._replace(value=one.value[rows]) for one in self.rotations]
        shown, q, T = self.shown[rows], self.q[:, rows], self.T[:, rows]
        return replace(self, shown=shown, q=q, T=T, positions=positions, rotations=rotations)

    def explanations(self, readings: Iterable[tuple[int, int, int]]) -> Iterator["Explanation"]:
        """Yield the explanations without zeros with these readings; each frame that is not the robot's own is a fault
        too."""
        for one, base, tool in product(readings, (*self.bases, None), (*self.tools, None)):
            yield self.explained(*one, base, tool)

    def explained(self, j: int, r: int, p: int, base: str | None, tool: str | None) -> "Explanation":
        """Return the explanation with these readings and these frames."""
        wrong = (base != self.arm.own[0]) + (tool != self.arm.own[1])
        return Explanation(self.faults(j, r, p), j, r, p, base, tool, (), len(self.faults(j, r, p)) + wrong)

    def faults(self, j: int, r: int, p: int) -> tuple[Fault, ...]:
        """Return the faults of these readings."""
        return (*self.joints[j].faults, *self.rotations[r].faults, *self.positions[p].faults)

    def poses(self, e: "Explanation") -> Array:
        """Return P (k, 4, 4), m, of tool0 in base, in an explanation's readings."""
        P = se3.poses_from(self.rotations[e.rotation].value, self.positions[e.position].value)
        return self.active.of_tool0(P)

    def off(self, residual: Array) -> Array:
        """Return the largest of residuals (…, k, 2), in tolerances."""
        return np.asarray((residual / self.tolerance).max(axis=(-2, -1)))


class Explanation(NamedTuple):
    """One explanation of the measurements.

    faults: of the numbers. joint, rotation, position: indices of readings in Data. base, tool: frames of X and Y by the
    robot's names, or None if they are unknown. zeros: indices of joints with unknown zeros. wrong: how many faults.
    """

    faults: tuple[Fault, ...]
    joint: int
    rotation: int
    position: int
    base: str | None
    tool: str | None
    zeros: tuple[int, ...]
    wrong: int

    @property
    def unknowns(self) -> int:
        """Number of unknown numbers."""
        return 6 * (self.base is None) + 6 * (self.tool is None) + len(self.zeros)


class Fit(NamedTuple):
    """How well an explanation fits. X is T_base_foot, Y is T_tip_tool0; offsets (n,): added to the joints for their
    zeros, rad and m; residual (k, 2): m and rad."""

    explanation: Explanation
    X: Array
    Y: Array
    offsets: Array
    residual: Array


def fit_of(data: Data, e: Explanation, X: Array, Y: Array, offsets: Array) -> Fit:
    """Return the fit with these numbers."""
    return Fit(e, X, Y, offsets, fitting.residuals(data.poses(e), model(data, e, X, Y, offsets)))


def model(data: Data, e: Explanation, X: Array, Y: Array, offsets: Array) -> Array:
    """Return the poses (k, 4, 4) of the model for these numbers."""
    T = data.arm.poses(data.q[e.joint], offsets) if offsets.any() else data.T[e.joint]
    return X @ T @ Y
