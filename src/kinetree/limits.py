"""Limits on configurations: boxes and rows G q <= h, files of them, guards, and which of them to widen."""

from kinetree.load import read_limits as read
from kinetree.model.limits import Limits as Limits, LinearLimits as LinearLimits
from kinetree.queries.margin import margin as margin
from kinetree.solvers.guard.make import Guard as Guard, Guarded as Guarded, GuardState as GuardState, guard as guard
from kinetree.solvers.guard.run import GuardEvent as GuardEvent, GuardRun as GuardRun, run_guard as run_guard
from kinetree.solvers.limits.widen import Widening as Widening, widen as widen

__all__ = ["Guard", "GuardEvent", "GuardRun", "GuardState", "Guarded", "Limits", "LinearLimits", "Widening"]
__all__ += ["guard", "margin", "read", "run_guard", "widen"]
