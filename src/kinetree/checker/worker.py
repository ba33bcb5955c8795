"""Child process of `kinetree.checker.run`, which checks files within limits."""

from __future__ import annotations

import gc
import math
import os
import pickle
import queue
import signal
import stat
import struct
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import IO, Any

from kinetree.checker.checked import Checked, Examined, Job, examine_job, fault
from kinetree.errors import KinetreeError, Source

HEAD = struct.Struct("<Q")


COLLECTED = 10
"""Number of files after which garbage is collected."""


def check_alone(job: Job) -> Checked:
    """Check one file; every failure becomes a finding."""
    return examine_alone(job).checked


def examine_alone(job: Job) -> Examined:
    """Read and check one file; every failure becomes a finding."""
    try:
        if special := _special(job.file):
            return Examined(fault(job.file, "file", f"is {special}, not a file; only files are checked"))
        return examine_job(job)
    except KinetreeError as error:
        placed = tuple(replace(f, source=f.source or Source(job.file)) for f in error.findings)
        return Examined(Checked(job.file, placed))
    except MemoryError:
        message = "takes more memory to check than there is, or than is allowed"
        return Examined(fault(job.file, "check-memory", message))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({os.path.basename(where.filename)}:{where.lineno})"
        return Examined(fault(job.file, "check-crashed", f"the checker stumbles over it; please tell us: {said}"))


def _special(file: str) -> str | None:
    """Return the kind of a path that is neither a file nor a folder; reading it might never end, or have an effect."""
    try:
        mode = os.stat(file).st_mode
    except (OSError, ValueError):
        return None  # reading it raises with the reason
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    return "a named pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"


def send(stream: IO[bytes] | None, content: bytes) -> None:
    """Write content after its length."""
    assert stream is not None
    stream.write(HEAD.pack(len(content)) + content)
    stream.flush()


def receive(stream: IO[bytes] | None, most: float = math.inf) -> bytes:
    """Return the next content. Raises EOFError if the other side has gone, or sends more than `most` bytes."""
    assert stream is not None
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    (count,) = HEAD.unpack(head)
    content = stream.read(count) if count <= most else b""
    if len(content) < count:
        raise EOFError
    return content


def main(seconds: str, megabytes: str) -> None:
    """Answer jobs until the process that sends them has gone. The first message contains whether the kernel shall
    restrict this process, and the files and folders that it may read; the answer to it contains the limits in force."""
    from kinetree.checker.sandbox import Restricted, restrict  # not for the parent, which imports this file

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent has it too, and ends us
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text is not an answer
    sys.dont_write_bytecode = True
    held = _limit(int(megabytes))
    wanted, readable = pickle.loads(receive(sys.stdin.buffer))
    restricted = restrict(readable) if wanted else Restricted()  # before there is another thread
    gc.freeze()  # NumPy need not be scanned
    gc.disable()  # nor a model while it is made, which takes a quarter of all the time
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(jobs,), daemon=True).start()
    send(answers, pickle.dumps((held, *restricted)))
    done = count(1)
    while True:
        content = jobs.get()
        _allow(float(seconds))
        send(answers, pickle.dumps(check_alone(pickle.loads(content))))
        if next(done) % COLLECTED == 0:
            gc.collect()


def _listen(jobs: queue.SimpleQueue[bytes]) -> None:
    """Take jobs while another is worked on, and end with the parent however it ends."""
    with suppress(EOFError, OSError):
        while True:
            jobs.put(receive(sys.stdin.buffer))
    os._exit(0)


def _limit(megabytes: int) -> tuple[str, ...]:
    """Limit the memory of this process, forbid it to write files, even a core dump, and return the limits in force."""
    tempfile.gettempdir()  # finds it by writing, and remembers it; packages are not looked for in it
    limits = {"RLIMIT_AS": megabytes << 20, "RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0}
    return tuple(limit for limit, value in limits.items() if _set(limit, value, for_good=True))


def _allow(seconds: float) -> None:
    """Limit the time from now on, for work during which the listening thread cannot see the parent end."""
    used = sum(os.times()[:2])
    _set("RLIMIT_CPU", math.ceil(used + seconds) + 1)


def _set(limit: str, value: int, *, for_good: bool = False) -> bool:
    """Set a limit of this process and return whether it is in force. for_good: it cannot be raised again."""
    try:
        import resource
    except ImportError:  # Windows
        return False
    number: Any = getattr(resource, limit, None)
    if number is not None:
        hard = resource.getrlimit(number)[1]
        with suppress(ValueError, OSError):  # macOS does not take all of them
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(number, (value, value if for_good else hard))
            return True
    return False
