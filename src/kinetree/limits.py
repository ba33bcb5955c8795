"""Limits on configurations: boxes and rows G q <= h, files of them, guards, and which of them to widen."""

from kinetree.load import read_limits as read
from kinetree.model.limits import Limits as Limits
from kinetree.model.limits import LinearLimits as LinearLimits
from kinetree.queries.margin import margin as margin
from kinetree.solvers.guard.make import Guard as Guard
from kinetree.solvers.guard.make import Guarded as Guarded
from kinetree.solvers.guard.make import GuardState as GuardState
from kinetree.solvers.guard.make import guard as guard
from kinetree.solvers.guard.run import GuardEvent as GuardEvent
from kinetree.solvers.guard.run import GuardRun as GuardRun
from kinetree.solvers.guard.run import run_guard as run_guard
from kinetree.solvers.limits.widen import Widening as Widening
from kinetree.solvers.limits.widen import widen as widen

__all__ = [
    "Guard",
    "GuardEvent",
    "GuardRun",
    "GuardState",
    "Guarded",
    "Limits",
    "LinearLimits",
    "Widening",
    "guard",
    "margin",
    "read",
    "run_guard",
    "widen",
]
