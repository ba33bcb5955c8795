"""Run a guard: read, guard and send at a fixed rate, with a log of what was changed and why."""

import csv
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.arguments import explained
from kinetree.errors import fail
from kinetree.solvers.guard.make import Guard, GuardState
from kinetree.spatial.se3 import Array

SILENT = (GuardState.FREE, GuardState.NEAR)
"""States of commands that pass."""


@dataclass(frozen=True, slots=True)
class GuardEvent:
    """A command that a guard changed.

    time: seconds since the start. state: why. limit: the one that is nearest to what the guard allows, and distance to
    it, rad or m. command, allowed (n,): what was read and what the guard allows, for `Guard.joints`, rad or m.
    """

    time: float
    state: GuardState
    limit: str
    distance: float
    command: Array = field(repr=False)
    allowed: Array = field(repr=False)


@dataclass(frozen=True, slots=True)
class GuardRun:
    """What a run of a guard did: its number of steps, those changed, and those that began late by a period or more."""

    steps: int
    changed: int
    late: int


@explained
def run_guard(
    guard: Guard,
    read: Callable[[], tuple[Any, Any] | None],
    send: Callable[[Array], Any],
    *,
    period: float,
    log: str | Path | Callable[[GuardEvent], Any] | None = None,
    shadow: bool = False,
) -> GuardRun:
    """Read positions and a command, guard the command and send it, once in a period, until `read` returns None.

    read: returns q (n,) and command (n,), rad or m, in the order of `guard.joints`; or None to end.
    send: takes the command (n,) that the guard allows.
    period: seconds from the beginning of one step to that of the next. If a step takes longer, the next one begins at
    once, and its `dt` is how long the last one really was.
    log: a CSV file to be written, or a function, for each command that the guard changed.
    shadow: send every command as it was read, and only log what the guard would have changed. The guard then believes
    that the robot moves as it was commanded.

    Raises KinetreeError for a period that is not above 0, and what `guard` raises.
    """
    if not 0 < period < math.inf:
        raise fail("period", f"period is {period!r}; legal are finite seconds above 0")
    if log is None or callable(log):
        return _run(guard, read, send, period, log or (lambda event: None), shadow)
    with Path(log).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        names = [f"{name} {what}" for what in ("command", "allowed") for name in guard.joints]
        table.writerow(["time", "state", "limit", "distance", *names])

        def write(event: GuardEvent) -> None:
            numbers = [*event.command.tolist(), *event.allowed.tolist()]
            table.writerow([f"{event.time:.6f}", event.state.name.lower(), event.limit, event.distance, *numbers])
            file.flush()

        return _run(guard, read, send, period, write, shadow)


def _run(
    guard: Guard, read: Callable[[], Any], send: Callable[[Array], Any], period: float, log: Any, shadow: bool
) -> GuardRun:
    n, steps, changed, late = len(guard.joints), 0, 0, 0
    qd = np.zeros(n)
    start = time.monotonic()
    now, dt = start, period
    while (given := read()) is not None:
        q, command = (np.asarray(x, dtype=float) for x in given)
        found = guard(q, command, dt, qd if guard.brakes else None)
        send(command if shadow else found.command)
        steps += 1
        state = GuardState(int(found.state))
        if state not in SILENT:
            changed += 1
            limit = guard.limit_names[found.nearest]
            log(GuardEvent(now - start, state, limit, float(found.distance), command, found.command))
        if found.velocity is not None:
            qd = np.nan_to_num((command - q) / dt, posinf=0.0, neginf=0.0) if shadow else found.velocity
        time.sleep(max(0.0, now + period - time.monotonic()))
        before, now = now, time.monotonic()
        dt = now - before
        late += dt >= 2 * period
    return GuardRun(steps, changed, late)
