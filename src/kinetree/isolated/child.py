"""The parent's side of child processes: it starts, feeds, watches and ends them.

These are plain processes that get pickled arguments through a pipe. Those of `multiprocessing` would run the caller's
script again; these work in a script without a guard, in a notebook and in a test.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from math import inf
from time import monotonic
from typing import Any

from kinetree.isolated import worker
from kinetree.isolated.job import OVER_TIME
from kinetree.isolated.protection import Protection, environment
from kinetree.isolated.worker import receive, send

START = 120
"""Seconds within which a child must start."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
CHILD = "import sys; sys.path[:] = sys.argv[4:]; from kinetree.isolated.worker import main; main(*sys.argv[1:4])"
"""Program of a child. It imports from the same places as this process, not from its working folder."""


class ChildError(Exception):
    """How a child failed to answer: in words that follow "the process", and whether it took longer than it may."""

    def __init__(self, why: str, late: bool = False) -> None:
        super().__init__(why)
        self.late = late


class Child:
    """A process that answers one call of a function after the other, and is replaced when a call exceeds its limits.

    function: "module:name". seconds, megabytes: limits of one call, if the system can limit memory. readable: files and
    folders that it may read besides those of the system and of Python; None for all. environment: its variables. known:
    the classes that its answers may contain.
    """

    def __init__(
        self,
        function: str,
        *,
        seconds: float,
        megabytes: int,
        readable: Sequence[str] | None,
        environment: Mapping[str, str],
        known: Sequence[type] = (),
    ) -> None:
        self.function, self.seconds, self.megabytes = function, seconds, megabytes
        self.readable, self.environment = readable, {**environment, **ONE_THREAD}
        self.known = known
        self.protection = Protection()
        self.process: subprocess.Popen[bytes] | None = None
        self.ended = self.late = False
        self.due = inf
        self.lock = threading.Lock()

    def send(self, arguments: bytes) -> None:
        """Send the pickled arguments of a call, to a new process if there is none. A failure to send them shows when
        no answer comes."""
        if self.process is None:
            self.start()
        with suppress(OSError, ValueError):
            send(self.process.stdin if self.process else None, arguments)

    def answer(self) -> Any:
        """Return the result of the oldest call without an answer. Raises ChildError if the process failed."""
        try:
            result = self._answer(self.seconds)
        except (EOFError, OSError):
            raise self._failure() from None
        except pickle.UnpicklingError as error:
            self.kill()
            raise ChildError(f"gives what is refused: {error}") from None
        if self.late:
            self.kill()
        return result

    def kill(self) -> None:
        """End the process if there is one; the next call gets a new one."""
        with self.lock:
            if self.process:
                self.process.kill()
                self.process.wait()
                for pipe in (self.process.stdin, self.process.stdout):
                    with suppress(OSError):  # what was left in it can no longer be written
                        pipe.close()  # type: ignore[union-attr]
            self.process = None

    def kill_if_late(self) -> None:
        with self.lock:
            if self.process and monotonic() > self.due:
                self.late = True
                self.process.kill()

    def end(self) -> None:
        """End the process for good."""
        self.ended = True
        self.kill()

    def start(self) -> None:
        """Start a process; if it does not answer, once more without the kernel's restrictions, which some emulators of
        other machines do not support. It has no call yet."""
        for restricted in (True, False):
            self._begin()
            with suppress(EOFError, OSError, TypeError, pickle.UnpicklingError):  # the first call then gets the error
                send(self.process.stdin if self.process else None, pickle.dumps((restricted, self.readable)))
                self.protection = Protection(*self._answer(START))
                return
            if self.ended or not restricted:
                return
            self.kill()

    def _begin(self) -> None:
        limits = (self.function, str(self.seconds), str(self.megabytes))
        command = [sys.executable, "-P", "-c", CHILD, *limits, *(path or os.getcwd() for path in sys.path)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        unseen = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # where this process has no window of a console on Windows
        with self.lock:
            self.late = False
            if not self.ended:
                self.process = subprocess.Popen(  # type: ignore[call-overload]
                    command, env=self.environment, creationflags=unseen, **pipes
                )

    def _answer(self, seconds: float) -> Any:
        """Return the next message of a child. Raises EOFError, OSError, or UnpicklingError for unknown classes."""
        process = self.process
        if process is None:
            raise EOFError
        self.due = monotonic() + seconds
        try:
            return Answer(receive(process.stdout, self.megabytes << 20), self.known).load()
        finally:
            with self.lock:
                self.due = inf

    def _failure(self) -> ChildError:
        late = self.late
        status = None if late else self._status()
        self.kill()
        over_time = OVER_TIME if sys.platform == "win32" else -signal.SIGXCPU
        if late or status == over_time:
            return ChildError(f"takes more than {self.seconds:g} s, the most that is waited", late=True)
        return ChildError(f"ended with {_named(status)}")

    def _status(self) -> int | None:
        """Return the exit status of the process, which has closed its pipe; None if it does not end."""
        with suppress(subprocess.TimeoutExpired):
            return self.process.wait(timeout=5) if self.process else None
        return None


def _named(status: int | None) -> str:
    return signal.Signals(-status).name if status and status < 0 else f"exit status {status}"


@contextmanager
def watched(children: Sequence[Child]) -> Iterator[None]:
    """Kill children that take too long, within the context, and end them all with it."""
    over = threading.Event()
    threading.Thread(target=_watch, args=(children, over), daemon=True).start()
    try:
        yield
    finally:
        over.set()
        for child in children:
            child.end()


def _watch(children: Sequence[Child], over: threading.Event) -> None:
    while not over.wait(0.1):
        for child in children:
            child.kill_if_late()


def call(function: str, *arguments: object, seconds: float, megabytes: int, readable: Sequence[str] | None) -> Any:
    """Return the result of one call of "module:function", made of numbers, texts and containers, from a child process;
    in a process that is such a child, call the function here.

    Raises ChildError for what `Child` refuses, and if `readable` cannot be enforced by this system.
    """
    here = worker.restricted
    child = Child(function, seconds=seconds, megabytes=megabytes, readable=readable, environment=environment(True))
    with watched([child]):
        if here is None:
            try:
                child.start()
            except OSError as error:
                raise ChildError(f"cannot be started: {error}") from None
        enforced = child.protection.reading if here is None else here.reading
        if readable is not None and not enforced:
            raise ChildError(
                "may read everything on this system, which a confined model forbids (Landlock of Linux limits it)"
            )
        if here is not None:
            return worker.function_of(function)(*arguments)
        child.send(pickle.dumps(arguments))
        return child.answer()


class Answer(pickle.Unpickler):
    """Unpickler of known classes only, so that a child that a file has taken over cannot take over its parent."""

    def __init__(self, content: bytes, known: Sequence[type]) -> None:
        super().__init__(BytesIO(content))
        self.known = {(made.__module__, made.__qualname__): made for made in known}

    def find_class(self, module: str, name: str) -> Any:
        """Return the class of a name if it is a known one."""
        if (module, name) not in self.known:
            raise pickle.UnpicklingError(f"{module}.{name} is not an answer")
        return self.known[module, name]
