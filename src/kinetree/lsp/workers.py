"""Limited child processes that read models for the server; each serves the documents that may read the same folders."""

from __future__ import annotations

import asyncio
import pickle
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import Any

from kinetree.checker.job import Job
from kinetree.checker.protection import readable
from kinetree.confine import is_in
from kinetree.isolated import Child, ChildError, watched
from kinetree.isolated.protection import environment
from kinetree.lsp.answers import KNOWN, Look, Refusal

FUNCTION = "kinetree.lsp.child:answer"
"""Function of a child."""
SECONDS, MEGABYTES = 30.0, 2048
"""Limits of a question, those of `kinetree check`."""
MOST = 4
"""Most processes at a time."""
PATIENCE = 1.0
"""Seconds after which outdated work is ended with its process; before, it may finish."""


class Worker:
    """A child process, and the thread that sends it questions one by one. It starts with the first."""

    def __init__(self, folders: list[str] | None) -> None:
        self.child = Child(
            FUNCTION,
            seconds=SECONDS,
            megabytes=MEGABYTES,
            readable=folders,
            environment=environment(confined=folders is not None),
            known=KNOWN,
        )
        self._stack = ExitStack()
        self._stack.enter_context(watched([self.child]))
        self._thread = ThreadPoolExecutor(1)
        self._now: tuple[str, float] | None = None  # document and start of the check that runs

    async def ask(self, question: str, path: str, *arguments: object) -> Any:
        """Return the answer of the child, `Refusal` if it fails."""
        content = pickle.dumps((question, path, *arguments))
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._ask, question, path, content)

    def _ask(self, question: str, path: str, content: bytes) -> Any:
        self._now = (path, monotonic()) if question == "check" else None
        try:
            if self.child.process and self.child.process.poll() is not None:
                self.child.kill()  # it has ended since, and the question is not to blame
            self.child.send(content)
            found = self.child.answer()
            if isinstance(found, Look) and any(
                m.code == "check-memory" for marks in found.marks.values() for m in marks
            ):
                self.child.kill()
            return found
        except (ChildError, OSError) as error:
            late = isinstance(error, ChildError) and error.late
            return Refusal(f"the process that reads it {error}", "check-timeout" if late else "check-crashed")
        finally:
            self._now = None

    def drop(self, path: str) -> None:
        """End the process if it has checked an old text of a document for some time; the next question starts one."""
        now = self._now
        if now and now[0] == path and monotonic() - now[1] > PATIENCE:
            self.child.kill()

    def end(self) -> None:
        """End the process for good."""
        self._stack.close()
        self._thread.shutdown(wait=False, cancel_futures=True)


class Workers:
    """The latest processes, by what they may read."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, ...] | None, Worker] = OrderedDict()

    def of(self, jobs: Sequence[Job]) -> Worker:
        """Return a process that may read what jobs need."""
        folders = readable(jobs)
        key = None if folders is None else tuple(folders)
        for known in reversed(self._known):
            if known == key or (known and key and all(is_in(folder, map(Path, known)) for folder in key)):
                key = known
                break
        else:
            self._known[key] = Worker(folders)
        self._known.move_to_end(key)
        while len(self._known) > MOST:
            self._known.popitem(last=False)[1].end()
        return self._known[key]

    def drop(self, path: str) -> None:
        """End processes that have checked an old text of a document for some time."""
        for worker in self._known.values():
            worker.drop(path)

    def end(self) -> None:
        """End all processes for good."""
        for worker in self._known.values():
            worker.end()
