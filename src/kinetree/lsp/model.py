"""A document as it was read and checked: its robot, its findings, and the contents of all files behind it."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kinetree.checker.check import is_error_of_reader
from kinetree.checker.in_child import examine_alone
from kinetree.checker.job import Examination, Job
from kinetree.files.opener import snapshot
from kinetree.lsp.names import Name, names_in
from kinetree.lsp.scan import Scan, scan
from kinetree.lsp.text import Text, decoded
from kinetree.model.robot import Robot

MOST_FILES = 300
"""Most files whose tags and names are remembered."""


@dataclass(frozen=True, eq=False)
class Model:
    """Result of reading a document.

    jobs: how it is read and checked; several if the settings have several variants. examined: result of each. held:
    contents by path with links followed, of all files that were read or are open. read: the paths that were read.
    robot: of the first variant, after errors the latest one. encoding: in which the editor counts columns.
    """

    jobs: tuple[Job, ...]
    examined: tuple[Examination, ...]
    held: Mapping[Path, bytes]
    read: frozenset[Path]
    robot: Robot | None
    encoding: str

    @property
    def file(self) -> str:
        """Name of the document, as the jobs have it."""
        return self.jobs[0].file

    @cached_property
    def failed(self) -> bool:
        """Whether a variant has errors of its reader."""
        return any(is_error_of_reader(f) for one in self.examined for f in one.checked.findings)

    def text(self, file: str | Path) -> Text | None:
        """Return the text of a file that was read or is open."""
        found = self._file(file)
        return found.text if found else None

    def scan(self, file: str | Path) -> Scan | None:
        """Return the tags of such a file."""
        found = self._file(file)
        return found.scan if found else None

    def names(self, file: str | Path) -> tuple[Name, ...]:
        """Return the names in such a file."""
        found = self._file(file)
        return found.names if found else ()

    def _file(self, file: str | Path) -> File | None:
        path = os.path.realpath(file)
        content = self.held.get(Path(path))
        return None if content is None else _file_of(path, content, self.encoding)

    def is_current(self, opened: Mapping[Path, bytes]) -> bool:
        """Return whether the files that were read are as they are open now. Files on the disk may have changed."""
        return all(self.held.get(path) == content for path, content in opened.items() if path in self.read)


def read_model(jobs: Sequence[Job], opened: Mapping[Path, bytes], encoding: str, before: Model | None = None) -> Model:
    """Read and check a document. opened: contents of open documents by path with links followed, which replace those on
    the disk. before: the latest model, whose robot stays if there is none now."""
    read: set[Path] = set()
    with snapshot(opened, read) as held:
        examined = tuple(examine_alone(job.without_contact) for job in jobs)  # a key must not wait for it
    robot = next((one.robot for one in examined if one.robot and not _is_unknown(one.robot)), None)
    robot = robot or (before.robot if before else None)
    return Model(tuple(jobs), examined, held, frozenset(read), robot, encoding)


def _is_unknown(robot: Robot) -> bool:
    """Return whether nothing of a robot is known but its files."""
    return any(doubt.kind == "robot" and not doubt.part for doubt in robot.doubts)


@dataclass(frozen=True, eq=False)
class File:
    """A file as it was read or is open, with its text, tags and names."""

    path: str
    content: bytes
    encoding: str

    @cached_property
    def text(self) -> Text:
        """Its text."""
        return Text(decoded(self.content), self.encoding)

    @cached_property
    def scan(self) -> Scan:
        """Its tags."""
        return scan(self.text, self.path)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Its names."""
        return names_in(self.scan)


_files: OrderedDict[str, File] = OrderedDict()
"""The latest files by path; of each only the latest content."""


def _file_of(path: str, content: bytes, encoding: str) -> File:
    known = _files.get(path)
    if known is None or known.content != content or known.encoding != encoding:
        known = _files[path] = File(path, content, encoding)
    _files.move_to_end(path)
    while len(_files) > MOST_FILES:
        _files.popitem(last=False)
    return known
