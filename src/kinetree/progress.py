"""Progress of long work: loops report it, and it is shown as a bar or given to a function."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from kinetree.errors import fail

if TYPE_CHECKING:
    import rich.progress

T = TypeVar("T")

Progress = bool | Callable[[int, int], object]
"""True for a bar, or a function of the number of steps done and their total, which each part of the work calls."""
DELAY = 1.0
"""Time after which the first bar appears, s."""
EVERY = 0.1
"""Least time between two pictures of a bar, s."""

_report: ContextVar[Callable[[str, int, int], object] | None] = ContextVar("_report", default=None)


@contextmanager
def reporting(progress: Progress) -> Iterator[None]:
    """Report the progress of loops to a function, or as a bar on the standard error stream; False changes nothing."""
    if not progress:
        yield
        return
    if progress is not True and not callable(progress):
        raise fail("progress", f"progress is {progress!r}; expected True, False or a function (what, done, total)")
    bar = _Bar() if progress is True else None
    token = _report.set(bar.show if bar else lambda what, done, total: progress(done, total))  # type: ignore[operator]
    try:
        yield
    finally:
        _report.reset(token)
        if bar:
            bar.end()


def tracked(items: Iterable[T], what: str, total: int | None = None, step: int = 1) -> Iterator[T]:
    """Yield items, and report how much is done after each. Loops inside of the loop over them do not report.

    what: words beside the bar. total: of all items, by default their number. step: how much of it an item is.
    """
    report = _report.get()
    if report is None:
        yield from items
        return
    count = total if total is not None else len(items) if isinstance(items, Sized) else 0
    token = _report.set(None)
    try:
        for done, item in enumerate(items, 1):
            yield item
            report(what, min(done * step, count), count)
    finally:
        _report.reset(token)


class _Bar:
    """A bar of rich, imported when it is first shown."""

    def __init__(self) -> None:
        self.next = time.monotonic() + DELAY
        self.bar: rich.progress.Progress | None = None

    def show(self, what: str, done: int, total: int) -> None:
        """Show how much is done, and nothing any more once it is all."""
        now = time.monotonic()
        if done >= total:
            self.end()
        elif now >= self.next:
            self.next = now + EVERY
            if self.bar is None:
                self.bar = _made()
                self.bar.add_task(what, total=total)
                self.bar.start()
            self.bar.update(self.bar.task_ids[0], description=what, completed=done, total=total, refresh=True)

    def end(self) -> None:
        """Remove the bar."""
        if self.bar is not None:
            self.bar.stop()
            self.bar = None


def _made() -> rich.progress.Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
