"""Child process of `kinetree.isolated.child`, which calls a function within limits."""

from __future__ import annotations

import gc
import math
import os
import pickle
import queue
import signal
import struct
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from itertools import count
from typing import IO, TYPE_CHECKING, Any

from kinetree.isolated.job import Job, limited
from kinetree.isolated.protection import JOB

if TYPE_CHECKING:
    from kinetree.isolated.restrict import Restrictions

HEAD = struct.Struct("<Q")

COLLECTED = 10
"""Number of calls after which garbage is collected."""

restricted: Restrictions | None = None
"""Restrictions by the kernel of this process, if it is a child."""
job: Job | None = None
"""Job object of this process, if it is a child on Windows."""


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


def main(function: str, seconds: str, megabytes: str) -> None:
    """Answer calls of "module:function" until the process that sends them has gone. The first message contains whether
    the kernel shall restrict this process, and the files and folders that it may read; the answer to it contains the
    limits in force. Arguments are a pickled tuple; an exception ends the process."""
    from kinetree.isolated.restrict import Restrictions, restrict  # not for the parent, which imports this file

    global restricted
    called = function_of(function)  # while every file may be read
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent has it too, and ends us
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text is not an answer
    os.dup2(2, 0)  # a library of Windows that looks at its standard input would wait for a thread that reads from it
    sys.dont_write_bytecode = True
    held = _limit(int(megabytes))
    wanted, readable = pickle.loads(receive(asked))
    restricted = restrict(readable) if wanted else Restrictions()  # before there is another thread
    gc.freeze()  # NumPy need not be scanned
    gc.disable()  # nor a model while it is made, which takes a quarter of all the time
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked, jobs), daemon=True).start()
    send(answers, pickle.dumps((held, *restricted)))
    with suppress(BaseException):
        for done in count(1):
            content = jobs.get()
            _allow(float(seconds))
            send(answers, pickle.dumps(called(*pickle.loads(content))))
            if done % COLLECTED == 0:
                gc.collect()
    os._exit(1)  # an ordinary end would wait for the thread that listens


def function_of(name: str) -> Callable[..., Any]:
    """Return the function of "module:function"."""
    module, _, function = name.partition(":")
    called: Callable[..., Any] = getattr(import_module(module), function)
    return called


def _listen(asked: IO[bytes], jobs: queue.SimpleQueue[bytes]) -> None:
    """Take jobs while another is worked on, and end with the parent however it ends."""
    with suppress(EOFError, OSError):
        while True:
            jobs.put(receive(asked))
    os._exit(0)


def _limit(megabytes: int) -> tuple[str, ...]:
    """Limit the memory of this process, forbid it to write files, even a core dump, and return the limits in force. On
    Windows, limit its memory, and forbid other processes."""
    global job
    tempfile.gettempdir()  # finds it by writing, and remembers it; packages are not looked for in it
    if job := limited(megabytes):
        return (JOB,)
    limits = {"RLIMIT_AS": megabytes << 20, "RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0}
    return tuple(limit for limit, value in limits.items() if _set(limit, value, for_good=True))


def _allow(seconds: float) -> None:
    """Limit the time from now on, for work during which the listening thread cannot see the parent end."""
    most = math.ceil(sum(os.times()[:2]) + seconds) + 1
    if job:
        job.allow(most)
    else:
        _set("RLIMIT_CPU", most)


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
