"""Results of inverse kinematics."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import kind_of
from kinetree.display import Displayable, counted, number as as_text
from kinetree.model.limits import Limits
from kinetree.solvers.ik.apart import named
from kinetree.solvers.ik.step import active_limits, in_a_line
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.contact.collisions import Collisions


@dataclass(frozen=True, eq=False, repr=False)
class IKResult(Displayable):
    """Result of `IK`.

    q (…, nq): always inside all limits, in single precision where these have room for its numbers. success (…): whether
    all hard goals are reached within their tolerances; without any, whether the search has converged. residual (…, 2):
    distance of the frames from their targets, m and rad; the largest of several goals, of hard ones if there are any;
    NaN for a target of a batch that is not finite or not rigid, whose q is the start. iterations (…): steps. cost (…):
    the sum of weight² times squared errors of soft goals.

    Examples:
        >>> import kinetree as kt
        >>> solve = kt.ik(kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)"), "tip", goal="position")
        >>> near, far = solve([0.4, 0.3, 0.0]), solve([1.0, 0.0, 0.0])
        >>> near.success, bool(near.residual.max() < 1e-6)
        (True, True)
        >>> far.success, far.residual.round(3)  # the arm is 0.7 m long; m, rad
        (False, array([0.3, 0. ]))
    """

    q: Array
    success: Array | bool
    residual: Array
    iterations: Array | int
    _limits: Limits
    _columns: Array
    _contact: "tuple[Collisions, Array] | None" = None
    cost: Array | float = 0.0

    def __repr__(self) -> str:
        state = "reached" if np.asarray(self.success).all() else "not reached"
        if not np.ndim(self.success) and self.cost:  # of soft goals, which are not reached
            state = f"{'converged' if self.success else state}, cost {as_text(float(self.cost))}"
        state = f"reached, but {self.why}" if self.why else f"{state} in {counted(self.iterations, 'step')}"
        touching = int(self._contact[1].sum()) if self._contact else 0
        return in_a_line(self, state, f", {touching} in contact" if touching else "")

    @property
    def touching(self) -> Any:
        """Whether all goals are reached, but links are nearer than `clearance` of `kt.ik` allows, in this q and in all
        others that were found (…,); False without that option."""
        mask = self._contact[1] if self._contact else np.zeros(np.shape(self.success), bool)
        kind = kind_of([self.q]) if mask.ndim else None
        return kind.give(mask) if kind else mask if mask.ndim else bool(mask)

    @property
    def why(self) -> str:
        """Which links are in contact at q of a single target that is `touching`, in words; else empty."""
        is_one = self._contact and not self._contact[1].ndim and self._contact[1]
        return named(self._contact[0], np.asarray(self.q)) if self._contact and is_one else ""

    @cached_property
    def active_limits(self) -> Any:
        """Limits of the moved joints that q is at, (…, k) of bool, in the order of `robot.limits.names`."""
        return active_limits(self.q, self._limits, self._columns)


class IKInterrupted(KeyboardInterrupt):
    """Interruption by the user; `result` has what was solved, with no success for the rest."""

    def __init__(self, result: IKResult) -> None:
        super().__init__("inverse kinematics was interrupted; what was solved is in .result")
        self.result = result
