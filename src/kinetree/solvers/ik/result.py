"""What inverse kinematics answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kinetree.model.limits import Limits, limits_about
from kinetree.spatial.se3 import Array

CLOSE = 1e-6
"""A limit is active below this margin, in its own units."""


@dataclass(frozen=True, eq=False)
class IKResult:
    """What `IK` answers.

    q (…, nq): inside all limits, whatever happens. success (…): whether all goals are reached within the tolerances.
    residual (…, 2): how far the frames are from there, m and rad; of several goals the largest. iterations (…): steps.
    """

    q: Array
    success: Array | bool
    residual: Array
    iterations: Array | int
    _limits: Limits = field(repr=False)
    _columns: Array = field(repr=False)

    @cached_property
    def active_limits(self) -> Array:
        """Which limits of the joints that were moved q stands at, (…, k) of bool, in the order of
        `robot.limits.names`."""
        return np.asarray((self._limits.margin(self.q) <= CLOSE) & limits_about(self._limits, self._columns))


class IKInterrupted(KeyboardInterrupt):
    """Somebody interrupted; `result` has what was solved, and no success for the rest."""

    def __init__(self, result: IKResult) -> None:
        super().__init__("inverse kinematics was interrupted; what was solved is in .result")
        self.result = result
