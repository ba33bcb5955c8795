"""A file that is to be checked, and what was found in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinetree.conventions.check import check
from kinetree.errors import Finding, Source


@dataclass(frozen=True)
class Job:
    """A file and how to check it; see `kinetree.check`. arguments: what `kinetree.load` takes besides the file."""

    file: str
    profile: str
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    vendor: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Excused:
    """A finding that the file itself excuses, why, and where it says so."""

    finding: Finding
    reason: str
    source: Source


@dataclass(frozen=True)
class Checked:
    """What was found in a file."""

    file: str
    findings: tuple[Finding, ...]
    excused: tuple[Excused, ...] = ()


def check_job(job: Job) -> Checked:
    """Check one file. Raises KinetreeError where there is nothing to read."""
    selection = {"select": job.select, "ignore": job.ignore}
    file = Path(job.file) if job.arguments.get("format") else job.file  # a str with a format is the text itself
    found = check(file, profile=job.profile, vendor=job.vendor, **selection, **job.arguments)
    return Checked(job.file, tuple(found))


def fault(file: str, code: str, message: str) -> Checked:
    """A file of which nothing else can be said than this error."""
    return Checked(file, (Finding(code, "error", message, Source(file)),))
