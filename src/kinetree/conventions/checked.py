"""A file that is to be checked, and what was found in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
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
    arguments: Mapping[str, Any] = MappingProxyType({})


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
    found = check(job.file, profile=job.profile, vendor=job.vendor, **selection, **job.arguments)
    return Checked(job.file, tuple(found))
