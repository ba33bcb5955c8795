"""Check many files on all cores, so that a file which fails does not stop the others.

Xacro files and large files are checked in child processes with limits of time and memory. The children are plain
processes that get jobs through a pipe, and not those of `multiprocessing`, which would run the caller's script once
more: this works in a script without a guard, in a notebook, in a test.
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
from time import monotonic
from typing import Any, ClassVar

from kinetree.checker.baseline import check_baseline
from kinetree.checker.checked import Checked, Excused, Job, fault
from kinetree.checker.protection import Protection, environment, readable, without_foreign_places
from kinetree.checker.worker import check_alone, receive, send
from kinetree.conventions.profiles import DEFAULT, check_codes, check_profile
from kinetree.errors import Finding, Source
from kinetree.formats.registry import FORMATS

SMALL = 300_000
"""Bytes of all files together, below which starting children takes longer than the work."""
START = 120
"""Seconds in which a child must have started."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
AHEAD = 2
"""Jobs that a child is given, with that which it is at."""
CHILD = "import sys; sys.path[:] = sys.argv[3:]; from kinetree.checker.worker import main; main(*sys.argv[1:3])"
"""It imports from where this process does, and not from the folder in which it stands."""

Task = tuple[int, str, bytes]
"""The number of a job, its file, and the job as bytes to be sent."""


def check_all(
    jobs: Sequence[Job], *, processes: int | None = None, seconds: float = 30, megabytes: int = 2048
) -> Iterator[Checked]:
    """Check files. Return the results in the order of the jobs, each as soon as it and those before it are ready.

    processes: how many children at a time; by default as many as there are cores.
    seconds, megabytes: what a child may take for one file, where the system lets a process be limited in memory. Few
        small files that are not xacro are checked in this process, without limits other than those of their readers.

    Whatever befalls a file is an error among its findings: "file" and the like where it cannot be read,
    "check-timeout", "check-memory", or "check-crashed" where the mistake is ours. Raises KinetreeError for an unknown
    profile or code, and for a baseline that is none, before anything is checked.
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
    """Return whether files are checked in child processes, within limits: all are, but a few small files that are not
    expanded."""
    return any(map(_is_expanded, jobs)) or sum(map(_size, jobs)) > SMALL


def protection() -> Protection:
    """Return what the system holds a child process to that checks the files of a workspace, on this machine."""
    child = _Child(START, 2048, [], environment([]))
    child.tell(b"")
    child.end()
    return child.protection


def _is_expanded(job: Job) -> bool:
    format = job.options.read.format
    return format == "xacro" or (format is None and job.file.lower().endswith(FORMATS["xacro"].suffixes))


def _size(job: Job) -> int:
    try:
        return os.path.getsize(job.file)
    except (OSError, ValueError):
        return 0


def _cores() -> int:
    """Return how many cores this process may use."""
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
    """Kill what takes too long, until all is over."""
    while not over.wait(0.1):
        for child in children:
            child.kill_if_late()


def _work(child: _Child, todo: queue.SimpleQueue[Task], done: queue.SimpleQueue[tuple[int, Checked]]) -> None:
    """Give a child one job after the other, until there are none left; the next before the answer to the last, so that
    it need not wait."""
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
    """A process that checks one file after another, and is replaced by a new one when a file was too much for it."""

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
        """Send a job, to a new process where there is none; that it cannot be sent is seen when no answer comes."""
        if self.process is None:
            self._start()
        with suppress(OSError, ValueError):
            send(self.process.stdin if self.process else None, job)

    def answer(self, file: str) -> Checked:
        """Return the result of the first job that has no answer yet, or what happened to the process."""
        try:
            checked: Checked = self._answer(self.seconds)
        except (EOFError, OSError):
            return self._befell(file)
        if self.late or any(finding.code == "check-memory" for finding in checked.findings):
            self.kill()
        return checked if self.readable is None else without_foreign_places(checked, self.readable)

    def kill(self) -> None:
        """End the process, if there is one; the next job gets a new one."""
        with self.lock:
            if self.process:
                self.process.kill()
                self.process.wait()
                for pipe in (self.process.stdin, self.process.stdout):
                    with suppress(OSError):  # what was left in it can no longer be written
                        pipe.close()  # type: ignore[union-attr]
            self.process = None

    def kill_if_late(self) -> None:
        """End the process if its answer is overdue."""
        with self.lock:
            if self.process and monotonic() > self.due:
                self.late = True
                self.process.kill()

    def end(self) -> None:
        """End the process for good."""
        self.ended = True
        self.kill()

    def _start(self) -> None:
        """Start a process; where it does not come to the point of saying so, once more without what the kernel adds,
        which some emulators of other machines do not bear. No job has been seen by then."""
        for restricted in (True, False):
            self._begin()
            with suppress(EOFError, OSError, TypeError):  # it is asked for the first job, and then that is an error
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
        """Return what a child sends next; at first, its protection. Raises EOFError or OSError where nothing comes."""
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
        """Return what happened to the process, as a finding."""
        late = self.late
        status = None if late else self._status()
        self.kill()
        if late or status == -getattr(signal, "SIGXCPU", 0) != 0:
            return fault(file, "check-timeout", f"takes more than {self.seconds:g} s to check, the most that is waited")
        why = signal.Signals(-status).name if status and status < 0 else f"exit status {status}"
        return fault(file, "check-crashed", f"the process that checked it ended with {why}; please tell us")

    def _status(self) -> int | None:
        """Return the exit status of the process, which has closed its pipe; None where it does not end."""
        with suppress(subprocess.TimeoutExpired):
            return self.process.wait(timeout=5) if self.process else None
        return None


class _Answer(pickle.Unpickler):
    """Unpickle findings and nothing else, so that a child which a file has taken over cannot take over its parent."""

    KNOWN: ClassVar = {(made.__module__, made.__qualname__): made for made in (Checked, Excused, Finding, Source)}

    def find_class(self, module: str, name: str) -> Any:
        """Return the class of a name, if it is one of these."""
        if (module, name) not in self.KNOWN:
            raise pickle.UnpicklingError(f"{module}.{name} is no finding")
        return self.KNOWN[module, name]
