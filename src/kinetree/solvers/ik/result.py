"""Results of inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kinetree.model.limits import Limits, limits_about
from kinetree.spatial.se3 import Array

CLOSE = 1e-6
"""Margin up to which a limit is active, in its own units."""


@dataclass(frozen=True, eq=False)
class IKResult:
    """Result of `IK`.

    q (…, nq): always inside all limits. success (…): whether all goals are reached within the tolerances. residual (…,
    2): distance of the frames from their targets, m and rad; the largest of several goals. iterations (…): steps.
    """

    q: Array
    success: Array | bool
    residual: Array
    iterations: Array | int
    _limits: Limits = field(repr=False)
    _columns: Array = field(repr=False)

    @cached_property
    def active_limits(self) -> Array:
        """Limits of the moved joints that q is at, (…, k) of bool, in the order of `robot.limits.names`."""
        return np.asarray((self._limits.margin(self.q) <= CLOSE) & limits_about(self._limits, self._columns))


class IKInterrupted(KeyboardInterrupt):
    """Interruption by the user; `result` has what was solved, with no success for the rest."""

    def __init__(self, result: IKResult) -> None:
        super().__init__("inverse kinematics was interrupted; what was solved is in .result")
        self.result = result
