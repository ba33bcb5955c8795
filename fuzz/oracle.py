"""What every case must fulfil: nothing but KinetreeError, under 5 seconds of computing, under 1 GB.

Time is that of the process, so that a busy machine makes no case too slow. `fuzz.attempt` ends what only waits.
"""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from kinetree.errors import KinetreeError

SECONDS = 5.0
BYTES = 1 << 30


class TooSlowError(BaseException):
    """A case has had its time; no `except Exception` of what is tested can hide it."""


@dataclass(frozen=True)
class Fault:
    """What a case has shown. key: the same for cases that fail in the same way at the same place."""

    key: str
    text: str


def judge(run: Callable[[], object]) -> Fault | None:
    """Run a case; return what is wrong with it, or None."""
    start = time.process_time()
    try:
        with _alarm(SECONDS):
            run()
    except KinetreeError as error:
        if not error.findings or not all(finding.message for finding in error.findings):
            return Fault("KinetreeError without a message", str(error))
    except (Exception, TooSlowError, RecursionError) as error:
        return Fault(_key(error), "".join(traceback.format_exception(error)))
    taken = time.process_time() - start
    return Fault("too slow", f"took {taken:.1f} s") if taken > SECONDS else None


def _key(error: BaseException) -> str:
    """The kind of the error and the last place in the package that it went through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "kinetree" in Path(frame.filename).parts] or frames
    place = f"{'/'.join(Path(ours[-1].filename).parts[-2:])}:{ours[-1].lineno}" if ours else "?"
    message = f" ({error})" if isinstance(error, AssertionError) else ""
    return f"{type(error).__name__} at {place}{message}"[:160]


def limit_memory(more: int = BYTES) -> None:
    """Allow this process so many bytes of addresses besides those that it has; Linux only."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError):
        return
    most = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    if not hasattr(signal, "setitimer"):  # Windows: the time is measured afterwards
        yield
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlowError(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
