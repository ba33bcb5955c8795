"""Open documents of an editor, and when they are checked: once nothing was typed for a while."""

from __future__ import annotations

import asyncio
import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from kinetree.checker.files import is_model, is_srdf
from kinetree.checker.job import Job
from kinetree.checker.plan import jobs
from kinetree.confine import is_shared
from kinetree.errors import Finding, KinetreeError
from kinetree.files.plain_file import open_plain
from kinetree.lsp.answers import Look, Mark, Refusal
from kinetree.lsp.diagnostics import mark_of
from kinetree.lsp.text import Text, encoded
from kinetree.lsp.workers import Workers

WAIT = 0.15
"""Seconds after the last key before a document is checked."""
SETTINGS = ("kinetree.toml", "pyproject.toml", "package.xml")
"""Files on which the checks of all documents depend."""

Publish = Callable[[str, tuple[Mark, ...]], None]
"""Function that shows the marks of a file, by its path with links followed."""


@dataclass(frozen=True)
class Document:
    """An open document. path: as the editor names it. version: of its text, as the editor counts."""

    uri: str
    path: str
    text: Text
    version: int | None

    @cached_property
    def content(self) -> bytes:
        """Bytes of the text; in UTF-8 if it declares UTF-16 and the file on the disk is not in it, an error."""
        content = encoded(self.text.content)
        if content.startswith(BOM_UTF16_LE):
            with suppress(OSError, ValueError), open_plain(Path(self.path)) as file:
                if file.read(2) not in (BOM_UTF16_LE, BOM_UTF16_BE):
                    return self.text.content.encode("utf-8", "surrogatepass")
        return content


class Session:
    """Open documents by path with links followed, their latest marks, and the checks that wait or run."""

    def __init__(self, publish: Publish, folders: Iterable[str] = (), encoding: str = "utf-16") -> None:
        self.publish, self.encoding = publish, encoding
        self.folders: list[str] = []
        self.enter(folders)
        self.documents: dict[str, Document] = {}
        self.looks: dict[str, Look] = {}
        self.workers = Workers()
        self._checks: dict[str, asyncio.Task[None]] = {}

    def enter(self, folders: Iterable[str]) -> None:
        """Take the folders of the editor, in which models may read, without those that contain everything."""
        self.folders = [f for f in folders if not (is_shared(os.path.abspath(f)) or is_shared(real(f)))]

    def open(self, document: Document) -> None:
        """Take a document that was opened, and check it now."""
        path = real(document.path)
        self.documents[path] = document
        self._changed(path, 0)
        if not os.path.exists(path):  # others may have missed it
            self.saved((), new=True)

    def change(self, document: Document) -> None:
        """Take a new text of a document, and check it once nothing was typed for a while."""
        self.documents[real(document.path)] = document
        self._changed(real(document.path), WAIT)

    def close(self, path: str) -> None:
        """Forget a document; what stands on the disk is valid again."""
        path = real(path)
        if task := self._checks.pop(path, None):
            task.cancel()
        self._show(path, None)  # under the name that the editor has for it, which may be a link
        self.documents.pop(path, None)
        self._changed(path, 0)

    def saved(self, paths: Iterable[str], new: bool = False) -> None:
        """Check again what depends on files that have changed on the disk. new: whether some are new or gone, so that
        any document may depend on them."""
        paths = [real(path) for path in paths]
        if new or any(os.path.basename(path) in SETTINGS for path in paths):
            for other in self.documents:
                self._schedule(other, WAIT)
            return
        for path in paths:
            if path not in self.documents:
                self._changed(path, WAIT)

    def end(self) -> None:
        """End everything."""
        for task in self._checks.values():
            task.cancel()
        self.workers.end()

    async def ask(self, question: str, path: str, *arguments: object) -> Any:
        """Return the answer to a question about an open document, None if it is no robot description. `Refusal` has the
        reason why there is none."""
        document = self.documents.get(real(path))
        if document is None or not is_description(document):
            return None
        try:
            made = await asyncio.to_thread(jobs, [document.path], within=self.folders)
        except KinetreeError as error:
            return Refusal(error.findings[0].message)
        return await self._ask(question, real(path), made, *arguments)

    async def _ask(self, question: str, path: str, made: Sequence[Job], *arguments: object) -> Any:
        opened = {Path(key): one.content for key, one in self.documents.items()}
        return await self.workers.of(made).ask(question, path, made, opened, self.encoding, *arguments)

    def _changed(self, path: str, wait: float) -> None:
        """Check a document, and all others that read its file."""
        self.workers.drop(path)
        for other in self.documents:
            if other == path or (other in self.looks and path in self.looks[other].read):
                self._schedule(other, wait)

    def _schedule(self, path: str, wait: float) -> None:
        if before := self._checks.pop(path, None):
            before.cancel()
        task = self._checks[path] = asyncio.get_running_loop().create_task(self._check(path, wait))
        task.add_done_callback(partial(self._done, path))

    def _done(self, path: str, task: asyncio.Task[None]) -> None:
        if self._checks.get(path) is task:
            del self._checks[path]
        if not task.cancelled() and (error := task.exception()):
            raise error

    async def _check(self, path: str, wait: float) -> None:
        await asyncio.sleep(wait)
        document = self.documents.get(path)
        if document is None or not is_description(document):
            return self._show(path, None)
        try:
            made = await asyncio.to_thread(jobs, [document.path], within=self.folders)
            answer = await self._ask("check", path, made)
        except KinetreeError as error:  # of the settings
            return self._show(path, look_of(error.findings, path, everywhere=True))
        if isinstance(answer, Refusal):
            before = self.looks.get(path)
            failed = look_of((Finding(answer.code, "error", answer.why),), path)
            answer = failed._replace(read=before.read) if before else failed
        return self._show(path, answer)

    def _show(self, path: str, look: Look | None) -> None:
        """Publish the marks of all files of which a document has other marks now, its own last."""
        before = self.looks.pop(path, None)
        if look is not None:
            self.looks[path] = look
        others = {**(before.marks if before else {}), **(look.marks if look else {})}.keys() - {path}
        for file in (*others, path):
            found = (mark for one in self.looks.values() for mark in one.marks.get(file, ()))
            self.publish(file, tuple(dict.fromkeys(found)))


def look_of(findings: Iterable[Finding], path: str, everywhere: bool = False) -> Look:
    """Return marks of findings whose files were not read for them. everywhere: whether those of other files are also
    marked at the top of the document, which was not checked."""
    marks: dict[str, tuple[Mark, ...]] = {}
    for finding in findings:
        file, line = path, 0
        if finding.source:
            file, line = real(finding.source.file), (finding.source.line or 1) - 1
        mark = replace(mark_of(finding, None, False), span=((line, 0), (line, 1000)))
        marks[file] = (*marks.get(file, ()), mark)
        if everywhere and file != path:
            where = f"{file}, line {line + 1}: {mark.message}"
            top = replace(mark, span=((0, 0), (0, 1000)), message=f"this file is not checked: {where}")
            marks[path] = (*marks.get(path, ()), top)
    return Look(marks, (path,))


def is_description(document: Document) -> bool:
    """Return whether a document is a robot description, by the ending of its name, or for .xml by its root element."""
    return is_srdf(document.path) or is_model(Path(document.path), document.text.content)


def real(path: str) -> str:
    """Return a path with links followed."""
    return os.path.realpath(path)
