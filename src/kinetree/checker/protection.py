"""What a child process that checks files may read."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from kinetree.checker.job import CheckReport, Job
from kinetree.confine import RealPaths, confinement_of, is_in, real
from kinetree.errors import Finding, Source
from kinetree.files.packages import searched


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


def without_foreign_places(checked: CheckReport, readable: Sequence[str]) -> CheckReport:
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
        named = (read.srdf, read.limits, job.baseline, *job.options.also)
        yield from (real_of(path) for path in (job.file, *named) if isinstance(path, str | os.PathLike))
        yield from map(real, (read.packages or {}).values())
        folder = os.path.dirname(os.path.abspath(job.file))
        if folder not in folders:
            folders.add(folder)
            yield from map(real, searched(folder))
