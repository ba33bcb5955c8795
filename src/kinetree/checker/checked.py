"""A file that is to be checked, and what was found in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinetree.checker.baseline import GONE, Model, model_key, of_gone_models, subtract
from kinetree.checker.check import answers, by_severity, is_error_of_reader, is_wanted
from kinetree.checker.excuses import excuse
from kinetree.checker.per_file import PerFile, is_left_out
from kinetree.confine import Confinement, confinement_of
from kinetree.conventions.profiles import ALWAYS
from kinetree.errors import Finding, Source
from kinetree.load import examine, is_packaged
from kinetree.model.robot import Robot


@dataclass(frozen=True)
class Job:
    """A file and how to check it; see `kinetree.check`. arguments: what `kinetree.load` takes besides the file.

    name: which of several variants of the file it is, "" where there is one. per_file: codes that are left out for
    some files. baseline: a file of findings that are known. confined: what it may read; see `kinetree.load`.
    """

    file: str
    profile: str
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    vendor: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    per_file: tuple[PerFile, ...] = ()
    baseline: str | None = None
    confined: bool | Confinement = False


@dataclass(frozen=True)
class Excused:
    """A finding that the file itself excuses, why, and where it says so."""

    finding: Finding
    reason: str
    source: Source


@dataclass(frozen=True)
class Checked:
    """What was found in a file; name: of the variant. known: findings that its baseline has, which are no news."""

    file: str
    findings: tuple[Finding, ...]
    excused: tuple[Excused, ...] = ()
    name: str = ""
    known: tuple[Finding, ...] = ()


def check_job(job: Job) -> Checked:
    """Check one file: what its reader and the rules find, without what the settings leave out, its comments excuse and
    the baseline has. Raises KinetreeError where there is nothing to read, or the baseline is none."""
    by_name = is_packaged(job.file, job.arguments.get("format"))
    source = job.file if by_name else Path(job.file)  # a str might be taken for the text itself
    confined = confinement_of(source, job.confined)
    reading = examine(source, **job.arguments, confined=confined or False)
    selection = {"select": job.select, "ignore": job.ignore}
    packages = job.arguments.get("packages")
    found, asked = answers(
        reading, profile=job.profile, vendor=job.vendor, packages=packages, confined=confined, **selection
    )

    def is_asked(code: str) -> bool:
        always = reading[0] is not None and (code.islower() or code.startswith(ALWAYS))
        in_this_file = not is_left_out(Finding(code, "info", ""), str(source), job.per_file)
        return (code in asked or always) and is_wanted(code, **selection) and in_this_file

    findings = [f for f in found if is_error_of_reader(f) or not is_left_out(f, str(source), job.per_file)]
    findings, excused, faults = excuse(findings, str(source), is_asked, _texts(reading[0], str(source)))
    findings += [f for f in faults if is_wanted(f.code, **selection) and not is_left_out(f, str(source), job.per_file)]
    known: list[Finding] = []
    if job.baseline is not None:
        findings, known, gone = subtract(findings, job.baseline, _key(job, job.baseline), is_asked)
        findings += gone if is_wanted(GONE, **selection) else []
    why = tuple(Excused(finding, by.reason, by.source) for finding, by in excused)
    return Checked(job.file, tuple(sorted(findings, key=by_severity)), why, job.name, tuple(known))


def gone_from_baselines(jobs: Sequence[Job]) -> list[Checked]:
    """Of each baseline the remarks that no single file can have; of baselines without such nothing."""
    wanted = [job for job in jobs if job.baseline is not None and is_wanted(GONE, job.select, job.ignore)]
    found = []
    for baseline in dict.fromkeys(job.baseline for job in wanted if job.baseline is not None):
        keys = {_key(job, baseline) for job in jobs if job.baseline == baseline}
        found.append(Checked(baseline, tuple(of_gone_models(baseline, keys))))
    return [one for one in found if one.findings]


def _key(job: Job, baseline: str) -> Model:
    """What a baseline calls what a job checks."""
    return model_key(job.file, job.name, os.path.dirname(baseline))


def _texts(robot: Robot | None, file: str) -> Mapping[str, str]:
    """What the files hold that a URDF was read from, by name."""
    text = robot.text if robot else None
    return {} if text is None or text.format != "urdf" else text.files or {file: text.text}


def fault(file: str, code: str, message: str) -> Checked:
    """A file of which nothing else can be said than this error."""
    return Checked(file, (Finding(code, "error", message, Source(file)),))
