"""Checking of many files on all cores; a file that fails does not stop the others.

Xacro files and large files are checked in child processes with limits of time and memory. These are plain processes
that get jobs through a pipe. Those of `multiprocessing` would run the caller's script again; these work in a script
without a guard, in a notebook and in a test.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from kinetree.checker.baseline import check_baseline
from kinetree.checker.checked import Checked, Excused, Job, fault
from kinetree.checker.protection import Protection, environment, readable, without_foreign_places
from kinetree.checker.worker import check_alone, receive, send
from kinetree.conventions.profiles import DEFAULT, check_codes, check_profile
from kinetree.errors import Finding, KinetreeError, Source
from kinetree.formats.opener import read_file
from kinetree.formats.registry import FORMATS, holds_xacro

SMALL = 300_000
"""Bytes of all files together below which starting children takes longer than the work."""
START = 120
"""Seconds within which a child must start."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
AHEAD = 2
"""Number of jobs that a child has, including the current one."""
CHILD = "import sys; sys.path[:] = sys.argv[3:]; from kinetree.checker.worker import main; main(*sys.argv[1:3])"
"""Program of a child. It imports from the same places as this process, not from its working folder."""

Task = tuple[int, str, bytes]
"""Number of a job, its file, and the pickled job."""


def check_all(
    jobs: Sequence[Job], *, processes: int | None = None, seconds: float = 30, megabytes: int = 2048
) -> Iterator[Checked]:
    """Check files and return the results in the order of the jobs, each as soon as it and those before it are ready.

    processes: number of children at a time; by default the number of cores.
    seconds, megabytes: limits of a child for one file, if the system can limit memory. A few small files that are not
    xacro are checked in this process, with only the limits of their readers.

    Every failure of a file is an error among its findings: "file" and the like if it cannot be read, "check-timeout",
    "check-memory", or "check-crashed" for a mistake of Kinetree. Raises KinetreeError before anything is checked for an
    unknown profile or code, and for a file that is not a baseline.
    """
    for profile, select, ignore in dict.fromkeys((o.profile, o.select, o.ignore) for o in (j.options for j in jobs)):
        check_profile(profile or DEFAULT)
        check_codes(None, select, ignore)  # settings have codes for jobs of several profiles
    for baseline in dict.fromkeys(job.baseline for job in jobs if job.baseline is not None):
        check_baseline(baseline)
    if not needs_children(jobs):
        return map(check_alone, jobs)
    count = min(processes or _cores(), len(jobs))
    given = readable(jobs), environment(jobs)
    return _in_children(jobs, [_Child(seconds, megabytes, *given) for _ in range(count)])


def needs_children(jobs: Sequence[Job]) -> bool:
    """Return whether files are checked in child processes with limits: all but a few small files that are not
    expanded."""
    return sum(map(_size, jobs)) > SMALL or any(map(_is_expanded, jobs))


def protection() -> Protection:
    """Return the limits that this system enforces on a child process that checks files."""
    child = _Child(START, 2048, [], environment([]))
    child.tell(b"")
    child.end()
    return child.protection


def _is_expanded(job: Job) -> bool:
    """Return whether a file is xacro, or may be a URDF file with instructions of xacro."""
    format, name = job.options.read.format, job.file.lower()
    if format is not None or name.endswith(FORMATS["xacro"].suffixes):
        return format in (None, "xacro")
    if not name.endswith((*FORMATS["urdf"].suffixes, ".xml")):
        return False
    try:
        return holds_xacro(read_file(Path(job.file)))
    except KinetreeError:  # the check says why
        return False


def _size(job: Job) -> int:
    try:
        return os.path.getsize(job.file)
    except (OSError, ValueError):
        return 0


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _in_children(jobs: Sequence[Job], children: Sequence[_Child]) -> Iterator[Checked]:
    todo: queue.SimpleQueue[Task] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Checked]] = queue.SimpleQueue()
    over = threading.Event()
    for index, job in enumerate(jobs):
        todo.put((index, job.file, pickle.dumps(job)))
    for child in children:
        threading.Thread(target=_work, args=(child, todo, done), daemon=True).start()
    threading.Thread(target=_watch, args=(children, over), daemon=True).start()
    ready: dict[int, Checked] = {}
    try:
        for index in range(len(jobs)):
            while index not in ready:
                try:
                    at, checked = done.get(timeout=0.2)  # Windows looks for Ctrl-C only now and then
                except queue.Empty:
                    continue
                ready[at] = checked
            yield ready.pop(index)
    finally:
        over.set()
        for child in children:
            child.end()


def _watch(children: Sequence[_Child], over: threading.Event) -> None:
    """Kill children that take too long, until `over` is set."""
    while not over.wait(0.1):
        for child in children:
            child.kill_if_late()


def _work(child: _Child, todo: queue.SimpleQueue[Task], done: queue.SimpleQueue[tuple[int, Checked]]) -> None:
    """Give a child one job after the other until none is left; the next before the answer to the last, to avoid
    waiting."""
    sent: deque[Task] = deque()  # the child is at the first
    while not child.ended:
        try:
            with suppress(queue.Empty):
                while len(sent) < AHEAD:
                    sent.append(todo.get_nowait())
                    child.tell(sent[-1][2])
            if not sent:
                child.end()
                return
            checked = child.answer(sent[0][1])
        except Exception as error:
            child.kill()
            checked = fault(sent[0][1], "check-crashed", f"no child process can check it: {error}")
        done.put((sent.popleft()[0], checked))
        if not child.process:
            while sent:  # it did not come to these
                todo.put(sent.popleft())


class _Child:
    """A process that checks one file after another, and is replaced when a file exceeds its limits."""

    def __init__(
        self, seconds: float, megabytes: int, readable: list[str] | None, environment: Mapping[str, str]
    ) -> None:
        self.seconds, self.megabytes = seconds, megabytes
        self.readable, self.environment = readable, {**environment, **ONE_THREAD}
        self.protection = Protection()
        self.process: subprocess.Popen[bytes] | None = None
        self.ended = self.late = False
        self.due = inf
        self.lock = threading.Lock()

    def tell(self, job: bytes) -> None:
        """Send a job, to a new process if there is none. A failure to send it shows when no answer comes."""
        if self.process is None:
            self._start()
        with suppress(OSError, ValueError):
            send(self.process.stdin if self.process else None, job)

    def answer(self, file: str) -> Checked:
        """Return the result of the oldest job without an answer, or how the process failed."""
        try:
            checked: Checked = self._answer(self.seconds)
        except (EOFError, OSError):
            return self._befell(file)
        if self.late or any(finding.code == "check-memory" for finding in checked.findings):
            self.kill()
        return checked if self.readable is None else without_foreign_places(checked, self.readable)

    def kill(self) -> None:
        """End the process if there is one; the next job gets a new one."""
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

    def _start(self) -> None:
        """Start a process; if it does not answer, once more without the kernel's restrictions, which some emulators of
        other machines do not support. It has no job yet."""
        for restricted in (True, False):
            self._begin()
            with suppress(EOFError, OSError, TypeError):  # the first job then gets the error
                send(self.process.stdin if self.process else None, pickle.dumps((restricted, self.readable)))
                self.protection = Protection(*self._answer(START))
                return
            if self.ended or not restricted:
                return
            self.kill()

    def _begin(self) -> None:
        limits = (str(self.seconds), str(self.megabytes))
        command = [sys.executable, "-P", "-c", CHILD, *limits, *(path or os.getcwd() for path in sys.path)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with self.lock:
            self.late = False
            if not self.ended:
                self.process = subprocess.Popen(command, env=self.environment, **pipes)  # type: ignore[call-overload]

    def _answer(self, seconds: float) -> Any:
        """Return the next message of a child, its protection at first. Raises EOFError or OSError if none comes."""
        process = self.process
        if process is None:
            raise EOFError
        self.due = monotonic() + seconds
        try:
            return _Answer(BytesIO(receive(process.stdout, self.megabytes << 20))).load()
        except pickle.UnpicklingError as error:
            raise EOFError from error
        finally:
            with self.lock:
                self.due = inf

    def _befell(self, file: str) -> Checked:
        late = self.late
        status = None if late else self._status()
        self.kill()
        if late or status == -getattr(signal, "SIGXCPU", 0) != 0:
            return fault(file, "check-timeout", f"takes more than {self.seconds:g} s to check, the most that is waited")
        why = signal.Signals(-status).name if status and status < 0 else f"exit status {status}"
        return fault(file, "check-crashed", f"the process that checked it ended with {why}; please tell us")

    def _status(self) -> int | None:
        """Return the exit status of the process, which has closed its pipe; None if it does not end."""
        with suppress(subprocess.TimeoutExpired):
            return self.process.wait(timeout=5) if self.process else None
        return None


class _Answer(pickle.Unpickler):
    """Unpickler of findings only, so that a child which a file has taken over cannot take over its parent."""

    KNOWN: ClassVar = {(made.__module__, made.__qualname__): made for made in (Checked, Excused, Finding, Source)}

    def find_class(self, module: str, name: str) -> Any:
        """Return the class of a name if it is a known one."""
        if (module, name) not in self.KNOWN:
            raise pickle.UnpicklingError(f"{module}.{name} is no finding")
        return self.KNOWN[module, name]
