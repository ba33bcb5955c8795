"""A document as it was read and checked: its robot, its findings, and the contents of all files behind it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from kinetree.checker.alone import examine_alone
from kinetree.checker.check import is_error_of_reader
from kinetree.checker.checked import Examined, Job
from kinetree.formats.opener import snapshot
from kinetree.lsp.names import Name, names_in
from kinetree.lsp.scan import Scan, scan
from kinetree.lsp.text import Text, decoded
from kinetree.model.robot import Robot

MOST_TEXTS = 64
"""Most texts whose tags and names are remembered."""


@dataclass(frozen=True, eq=False)
class Model:
    """Result of reading a document.

    jobs: how it is read and checked; several if the settings have several variants. examined: result of each. held:
    contents by path with links followed, of all files that were read or are open. read: the paths that were read.
    robot: of the first variant, after errors the latest one. encoding: in which the editor counts columns.
    """

    jobs: tuple[Job, ...]
    examined: tuple[Examined, ...]
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
        content = self.held.get(Path(os.path.realpath(file)))
        return None if content is None else text_of(content, self.encoding)

    def scan(self, file: str | Path) -> Scan | None:
        """Return the tags of such a file."""
        content = self.held.get(Path(os.path.realpath(file)))
        return None if content is None else scan_of(content, self.encoding, str(file))

    def names(self, file: str | Path) -> tuple[Name, ...]:
        """Return the names in such a file."""
        content = self.held.get(Path(os.path.realpath(file)))
        return () if content is None else names_of(content, self.encoding, str(file))

    def is_current(self, opened: Mapping[Path, bytes]) -> bool:
        """Return whether the files that were read are as they are open now. Files on the disk may have changed."""
        return all(self.held.get(path) == content for path, content in opened.items() if path in self.read)


def read_model(jobs: Sequence[Job], opened: Mapping[Path, bytes], encoding: str, before: Model | None = None) -> Model:
    """Read and check a document. opened: contents of open documents by path with links followed, which replace those on
    the disk. before: the latest model, whose robot stays if there is none now."""
    read: set[Path] = set()
    with snapshot(opened, read) as held:
        examined = tuple(examine_alone(job) for job in jobs)
    robot = next((one.robot for one in examined if one.robot and not _is_unknown(one.robot)), None)
    return Model(tuple(jobs), examined, held, frozenset(read), robot or (before and before.robot), encoding)


def _is_unknown(robot: Robot) -> bool:
    """Return whether nothing of a robot is known but its files."""
    return any(doubt.kind == "robot" and not doubt.part for doubt in robot.doubts)


@lru_cache(MOST_TEXTS)
def text_of(content: bytes, encoding: str) -> Text:
    """Return the text of a file."""
    return Text(decoded(content), encoding)


@lru_cache(MOST_TEXTS)
def scan_of(content: bytes, encoding: str, file: str) -> Scan:
    """Return the tags of a file."""
    return scan(text_of(content, encoding), file)


@lru_cache(MOST_TEXTS)
def names_of(content: bytes, encoding: str, file: str) -> tuple[Name, ...]:
    """Return the names in a file."""
    return names_in(scan_of(content, encoding, file))
