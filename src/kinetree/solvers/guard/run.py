"""Run a guard: read, guard and send at a fixed rate, with a log of what was changed and why."""

import csv
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.display import Brief
from kinetree.errors import fail
from kinetree.solvers.guard.make import Guard, GuardState
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array

SILENT = (GuardState.FREE, GuardState.NEAR)
"""States of commands that pass."""


@dataclass(frozen=True, slots=True, repr=False)
class GuardEvent(Brief):
    """A command that a guard changed.

    time: seconds since the start. state: why. limit: the one that is nearest to what the guard allows, and distance to
    it, rad or m. command, allowed (n,): what was read and what the guard allows, for `Guard.joints`, rad or m.

    Examples:
        >>> import kinetree as kt
        >>> guard = kt.guard(kt.chain([{"axis": [0, 0, 1], "qlim": [-1, 1]}]))
        >>> given, events = iter([([0.9], [1.4]), None]), []
        >>> run = kt.limits.run_guard(guard, lambda: next(given), print, period=0.01, log=events.append)
        [1.]
        >>> events[0].limit, events[0].state.name, events[0].command, events[0].allowed.round(3)
        ('q1 upper', 'CHANGED', array([1.4]), array([1.]))
    """

    time: float
    state: GuardState
    limit: str
    distance: float
    command: Array = field(repr=False)
    allowed: Array = field(repr=False)


@dataclass(frozen=True, slots=True)
class GuardRun:
    """Result of `run_guard`: its number of steps, those changed, and those that began late by a period or more."""

    steps: int
    changed: int
    late: int


@explain_type_errors
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
    period: seconds from the beginning of one step to that of the next; each step is guarded for that long. If one takes
    longer, the next begins at once, and a guard that brakes takes the velocity from the positions that were read.
    log: a new CSV file to be written, or a function, for each command that the guard changed.
    shadow: send every command as it was read, and only log what the guard would have changed. The guard then believes
    that the robot moves as it was commanded.

    Where a position is not finite, the last command is sent again. Raises KinetreeError for a period that is not above
    0, for a file that exists or cannot be written, for values of another shape, for a first position that is not
    finite, and what `guard` raises.

    Examples:
        >>> import kinetree as kt
        >>> guard = kt.guard(kt.chain([{"axis": [0, 0, 1], "qlim": [-1, 1]}]))
        >>> given = iter([([0.9], [0.95]), ([0.95], [1.4]), None])  # positions and commands, from the robot
        >>> run = kt.limits.run_guard(guard, lambda: next(given), print, period=0.01)  # sends to the screen
        [0.95]
        [1.]
        >>> run.steps, run.changed
        (2, 1)
    """
    if not 0 < period < math.inf:
        raise fail("period", f"period is {period!r}; expected finite seconds above 0")
    if log is None or callable(log):
        return _run(guard, read, send, period, log or (lambda event: None), shadow)
    with _new_file(Path(log)) as file:
        table = csv.writer(file, lineterminator="\n")
        names = [f"{name} {what}" for what in ("command", "allowed") for name in guard.joints]
        table.writerow(["time", "state", "limit", "distance", *names])

        def write(event: GuardEvent) -> None:
            values = [*event.command.tolist(), *event.allowed.tolist()]
            table.writerow([f"{event.time:.6f}", event.state.name.lower(), event.limit, event.distance, *values])
            file.flush()

        return _run(guard, read, send, period, write, shadow)


def _new_file(path: Path) -> TextIO:
    try:
        return path.open("x", encoding="utf-8", newline="")
    except FileExistsError:
        raise fail("exists", f"{path} exists already", fix="choose another name for the log") from None
    except OSError as error:
        raise fail("file", f"{path} cannot be written: {error.strerror}") from None


def _run(
    guard: Guard, read: Callable[[], Any], send: Callable[[Array], Any], period: float, log: Any, shadow: bool
) -> GuardRun:
    steps, changed, late, lasted = 0, 0, 0, 0.0
    qd, last, before = np.zeros(len(guard.joints)), None, None
    start = now = time.monotonic()
    while (given := read()) is not None:
        q, command = _checked(guard, given)
        if before is not None and lasted >= 2 * period:  # how far they came is known, not what they did
            late += 1
            qd = np.nan_to_num((q - before) / lasted, posinf=0.0, neginf=0.0)
        found = guard(q, command, period, qd if guard.brakes else None)
        allowed = found.command if np.isfinite(found.command).all() else last
        if allowed is None:
            raise fail("guard", "the first position that was read is not finite")
        send(command if shadow else allowed)
        steps += 1
        state = GuardState(int(found.state))
        if state not in SILENT:
            changed += 1
            limit = guard.limit_names[found.nearest]
            log(GuardEvent(now - start, state, limit, float(found.distance), command, allowed))
        if found.velocity is not None:
            qd = np.nan_to_num((command - q) / period, posinf=0.0, neginf=0.0) if shadow else found.velocity
        last, before, began = allowed, q, now
        time.sleep(max(0.0, now + period - time.monotonic()))
        now = time.monotonic()
        lasted = now - began
    return GuardRun(steps, changed, late)


def _checked(guard: Guard, given: Any) -> tuple[Array, Array]:
    n = len(guard.joints)
    try:
        q, command = (
            numbers(x, "guard", f"{what} is", guard.joints) for what, x in zip(("q", "command"), given, strict=True)
        )
    except (TypeError, ValueError):
        raise fail("guard", "read returned no pair; expected positions and a command, or None to end") from None
    if q.shape != (n,) or command.shape != (n,):
        raise fail("guard", f"read returned arrays of shapes {q.shape} and {command.shape}; expected ({n},)")
    return q, command
