"""Check of one file, in a limited child process or in this one."""

import os
import stat
import traceback
from dataclasses import replace
from pathlib import Path

from kinetree.checker.files import models_in, no_models
from kinetree.checker.job import CheckReport, Examination, Job, examine_job, fault
from kinetree.errors import Finding, KinetreeError, Source, is_of_memory


def check_alone(job: Job) -> CheckReport:
    """Check one file; every failure becomes a finding."""
    return examine_alone(job).checked


def examine_alone(job: Job) -> Examination:
    """Read and check one file; every failure becomes a finding."""
    try:
        if special := _special(job.file):
            return Examination(fault(job.file, "file", f"is {special}, not a file; only files are checked"))
        if job.file.endswith(("/", os.sep)) and not any(models_in(Path(job.file))):
            return Examination(CheckReport(job.file, (no_models(job.file),)))
        return examine_job(job)
    except KinetreeError as error:
        return Examination(CheckReport(job.file, tuple(_placed(finding, job) for finding in error.findings)))
    except Exception as error:
        if is_of_memory(error):
            message = "takes more memory to check than there is, or than is allowed"
            return Examination(fault(job.file, "check-memory", message))
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({os.path.basename(where.filename)}:{where.lineno})"
        return Examination(fault(job.file, "check-crashed", f"the checker stumbles over it; please tell us: {said}"))


def _placed(finding: Finding, job: Job) -> Finding:
    """Return a finding with a place, of a fault of the options in the row of the settings that has them."""
    if finding.source is None:
        return replace(finding, source=job.row or Source(job.file))
    if job.row and finding.code == "file" and not finding.fix:
        return replace(finding, fix=f"correct the row of the settings that names the file, at {job.row}")
    return finding


def _special(file: str) -> str | None:
    """Return the kind of a path that is neither a file nor a folder; reading it might never end, or have an effect."""
    try:
        mode = os.stat(file).st_mode
    except (OSError, ValueError):
        return None  # reading it raises with the reason
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    return "a named pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
