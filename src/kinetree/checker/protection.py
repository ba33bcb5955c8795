"""Limits of a child process that checks files: what it may read and see, and what this machine enforces."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from kinetree.checker.checked import Checked, Job
from kinetree.confine import RealPaths, confinement_of, is_in, real
from kinetree.errors import Finding, Source
from kinetree.formats.packages import searched

KEPT = frozenset(
    (
        *("HOME", "USERPROFILE", "PATH", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "SYSTEMROOT", "WINDIR", "COMSPEC"),
        *("APPDATA", "LOCALAPPDATA", "VIRTUAL_ENV", "XDG_CACHE_HOME", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"),
        *("SDF_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH"),
    )
)
KEPT_PREFIXES = ("PYTHON", "LC_", "LD_", "DYLD_", "KINETREE_")
"""Variables that a child needs to run and to find packages. Models never see their values."""


@dataclass(frozen=True)
class Protection:
    """Limits that the system enforces on a child process, as reported by that process.

    limits: names of its POSIX limits. landlock: version of Landlock, 0 for none. reading: whether Landlock limits
    reading. calls: whether seccomp filters system calls.
    """

    limits: tuple[str, ...] = ()
    landlock: int = 0
    reading: bool = False
    calls: bool = False

    def __str__(self) -> str:
        kernel = self.landlock or self.calls
        by = " and ".join([*([f"Landlock {self.landlock}"] if self.landlock else []), *(["seccomp"] * self.calls)])
        none = "not enforced by the system"
        size = "RLIMIT_FSIZE" in self.limits
        rows = {
            "memory": "limited" if "RLIMIT_AS" in self.limits and sys.platform != "darwin" else none,
            "time": "the process is ended",
            "writing files": f"refused by {by}" if kernel else "no byte is written; " + none if size else none,
            "reading elsewhere": f"refused by Landlock {self.landlock}" if self.reading else none,
            "starting programs": f"refused by {by}" if kernel else none,
            "starting processes": "refused by seccomp" if self.calls else none,
            "network": "refused by seccomp" if self.calls else "TCP is refused" if self.landlock >= 4 else none,
            "signals to others": f"refused by {by}" if self.calls or self.landlock >= 6 else none,
            "rights and times of files": "refused by seccomp" if self.calls else none,
        }
        return "\n".join(f"{name + ':':27}{what}" for name, what in rows.items())


def readable(jobs: Sequence[Job]) -> list[str] | None:
    """Return the files and folders that a child may read for some jobs, or None if one of them is not confined. They
    include all folders in which packages are searched for, because those are searched before it is known which packages
    are needed."""
    if not all(job.options.read.confined for job in jobs):
        return None
    found: list[str] = []
    for path in sorted(set(_wanted(jobs))):
        if not found or not is_in(path, [Path(found[-1])]):
            found.append(path)
    return found


def environment(jobs: Sequence[Job]) -> Mapping[str, str]:
    """Return the variables of a child for some jobs: all of them if a job is not confined."""
    if not all(job.options.read.confined for job in jobs):
        return os.environ
    return {k: v for k, v in os.environ.items() if k.upper() in KEPT or k.upper().startswith(KEPT_PREFIXES)}


def without_foreign_places(checked: Checked, readable: Sequence[str]) -> Checked:
    """Return a child's result without lines of files that it may not read, because reports print these lines."""
    folders = [Path(path) for path in readable]

    @cache
    def is_foreign(file: str) -> bool:
        return not is_in(real(file), folders) and os.path.exists(file)

    def kept(finding: Finding) -> Finding:
        foreign = finding.source is not None and finding.source.line is not None and is_foreign(finding.source.file)
        return replace(finding, source=Source(finding.source.file)) if foreign and finding.source else finding

    excused = tuple(replace(one, finding=kept(one.finding)) for one in checked.excused)
    findings, known = tuple(map(kept, checked.findings)), tuple(map(kept, checked.known))
    return replace(checked, findings=findings, excused=excused, known=known)


def _wanted(jobs: Sequence[Job]) -> Iterator[str]:
    folders: set[str] = set()
    real_of = RealPaths()
    for job in jobs:
        read = job.options.read
        confined = confinement_of(job.file, read.confined)
        yield from map(real, confined.folders if confined else ())
        named = (read.srdf, read.limits, job.baseline)
        yield from (real_of(path) for path in (job.file, *named) if isinstance(path, str | os.PathLike))
        yield from map(real, (read.packages or {}).values())
        folder = os.path.dirname(os.path.abspath(job.file))
        if folder not in folders:
            folders.add(folder)
            yield from map(real, searched(folder))
