"""Checking of many files on all cores; a file that fails does not stop the others.

Xacro files and large files are checked in child processes with limits of time and memory; see `kinetree.isolated`.
"""

import os
import pickle
import queue
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from kinetree.checker.baseline import check_baseline
from kinetree.checker.in_child import check_alone
from kinetree.checker.job import CheckReport, Excuse, Job, fault
from kinetree.checker.protection import readable, without_foreign_places
from kinetree.errors import Finding, KinetreeError, Source
from kinetree.files.opener import read_file
from kinetree.formats.registry import FORMATS, holds_xacro
from kinetree.isolated import Child, ChildError, Protection, watched
from kinetree.isolated.child import START
from kinetree.isolated.protection import environment
from kinetree.rules.profiles import DEFAULT, check_codes, check_profile

SMALL = 300_000
"""Bytes of all files together below which starting children takes longer than the work."""
AHEAD = 2
"""Number of jobs that a child has, including the current one."""
CHECK = "kinetree.checker.in_child:check_alone"
"""Function of a child."""

Task = tuple[int, str, bytes]
"""Number of a job, its file, and the pickled job."""


def check_all(
    jobs: Sequence[Job], *, processes: int | None = None, seconds: float = 30, megabytes: int = 2048
) -> Iterator[CheckReport]:
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
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = min(processes or cores, len(jobs))
    given = readable(jobs)
    return _in_children(jobs, [_child(seconds, megabytes, given) for _ in range(count)])


def needs_children(jobs: Sequence[Job]) -> bool:
    """Return whether files are checked in child processes with limits: all but a few small files that are not
    expanded."""
    return sum(map(_size, jobs)) > SMALL or any(map(_is_expanded, jobs))


def protection() -> Protection:
    """Return the limits that this system enforces on a child process that checks files."""
    child = _child(START, 2048, [])
    child.start()
    child.end()
    return child.protection


def _child(seconds: float, megabytes: int, readable: list[str] | None) -> Child:
    return Child(
        CHECK,
        seconds=seconds,
        megabytes=megabytes,
        readable=readable,
        environment=environment(confined=readable is not None),
        known=(CheckReport, Excuse, Finding, Source),
    )


def _is_expanded(job: Job) -> bool:
    """Return whether a file is xacro, may be a URDF file with instructions of xacro, or is expanded by a library."""
    srdf = job.options.read.srdf
    if job.options.read.expand is not None or (isinstance(srdf, str) and srdf.lower().endswith(".xacro")):
        return True
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


def _in_children(jobs: Sequence[Job], children: Sequence[Child]) -> Iterator[CheckReport]:
    todo: queue.SimpleQueue[Task] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, CheckReport]] = queue.SimpleQueue()
    for index, job in enumerate(jobs):
        todo.put((index, job.file, pickle.dumps((job,))))
    for child in children:
        threading.Thread(target=_work, args=(child, todo, done), daemon=True).start()
    ready: dict[int, CheckReport] = {}
    with watched(children):
        for index in range(len(jobs)):
            while index not in ready:
                try:
                    at, checked = done.get(timeout=0.2)  # Windows looks for Ctrl-C only now and then
                except queue.Empty:
                    continue
                ready[at] = checked
            yield ready.pop(index)


def _work(child: Child, todo: queue.SimpleQueue[Task], done: queue.SimpleQueue[tuple[int, CheckReport]]) -> None:
    """Give a child one job after the other until none is left, each before the answer to the one before."""
    sent: deque[Task] = deque()  # the child is at the first
    while not child.ended:
        try:
            with suppress(queue.Empty):
                while len(sent) < AHEAD:
                    sent.append(todo.get_nowait())
                    child.send(sent[-1][2])
            if not sent:
                child.end()
                return
            checked = _answer(child, sent[0][1])
        except Exception as error:
            child.kill()
            checked = fault(sent[0][1], "check-crashed", f"no child process can check it: {error}")
        done.put((sent.popleft()[0], checked))
        if not child.process:
            while sent:  # it did not come to these
                todo.put(sent.popleft())


def _answer(child: Child, file: str) -> CheckReport:
    """Return the result of the oldest job of a child, or how the child failed."""
    try:
        checked: CheckReport = child.answer()
    except ChildError as error:
        if error.late:
            message = f"takes more than {child.seconds:g} s to check, the most that is waited"
            return fault(file, "check-timeout", message)
        return fault(file, "check-crashed", f"the process that checked it {error}; please tell us")
    if any(finding.code == "check-memory" for finding in checked.findings):
        child.kill()
    return checked if child.readable is None else without_foreign_places(checked, child.readable)
