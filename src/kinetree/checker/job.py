"""Jobs of the checker, their results, and the table of what these excuse, as REP-199 requires it."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from kinetree.checker.baseline import GONE, Model, model_key, of_gone_models, subtract
from kinetree.checker.check import answers, is_error_of_reader, order, reported
from kinetree.checker.excuses import excuse
from kinetree.checker.parameters import answers_alone, findings_beside, words_of
from kinetree.checker.per_file import PerFile, is_left_out
from kinetree.errors import Doubt, Finding, Source
from kinetree.load import as_source, examine
from kinetree.model.assemble import Reading
from kinetree.model.robot import Extension, Joint, Link, Robot
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import ALWAYS, rule_of


@dataclass(frozen=True)
class Job:
    """A file, and how it is read and checked.

    name: name of the variant, "" if the file has one. per_file: codes that are left out for some files. baseline: a
    file of known findings. row: the row of the settings that names the file. nearby: YAML that may be the robot's.
    """

    file: str
    options: CheckOptions = CheckOptions()
    name: str = ""
    per_file: tuple[PerFile, ...] = ()
    baseline: str | None = None
    row: Source | None = None
    nearby: tuple[str, ...] = ()

    @property
    def without_contact(self) -> "Job":
        """Return the job without the tests for contact."""
        return replace(self, options=replace(self.options, ignore=(*self.options.ignore, "CON")))


@dataclass(frozen=True)
class Excuse:
    """A finding that a comment in the file excuses, with the reason and the place of the comment."""

    finding: Finding
    reason: str
    source: Source


@dataclass(frozen=True)
class CheckReport:
    """Result of the check of a file. name: that of the variant. known: findings that are in its baseline. beside: files
    that were named with it, such as its SRDF. parts: absolute paths of other files of which its robot is made; of MJCF
    and xacro, if it could be read without errors. fitted: those of YAML files that name its joints."""

    file: str
    findings: tuple[Finding, ...]
    excused: tuple[Excuse, ...] = ()
    name: str = ""
    known: tuple[Finding, ...] = ()
    beside: tuple[str, ...] = ()
    parts: frozenset[str] = frozenset()
    fitted: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Examination:
    """A file that was read and checked: its report, its robot if it has one, and all findings, also excused and
    unreported ones."""

    checked: CheckReport
    robot: Robot | None = None
    findings: tuple[Finding, ...] = ()


def check_job(job: Job) -> CheckReport:
    """Check one file and return its report."""
    return examine_job(job).checked


def examine_job(job: Job) -> Examination:
    """Read and check one file. The report leaves out what the settings exclude, comments excuse and the baseline has.
    Raises KinetreeError if there is nothing to read, or the baseline is not one."""
    file, options, fitted = job.file, job.options, frozenset[str]()
    reading: Reading = (None, [])
    if words_of(file) is not None:
        by_rules = answers_alone(file, options)
        found = [*chain(*by_rules.findings.values())]
    else:
        file = str(source := as_source(job.file, job.options.read))
        options = replace(job.options, read=job.options.read.confined_to(source))
        reading = examine(source, options.read, True)
        found, by_rules = answers(reading, options)
        more, fitted = findings_beside(reading[0], options, job.nearby)
        found += more
    is_read = reading[0] is not None and Doubt("robot", reading[0].name) not in reading[0].doubts

    def is_asked(code: str, element: str) -> bool:
        always = is_read and (code.islower() or code.startswith(ALWAYS))
        in_this_file = not is_left_out(Finding(code, "info", ""), file, job.per_file)
        return by_rules.is_asked(code, element, always) and options.wants(code) and in_this_file

    findings = reported(found, options)
    findings = [f for f in findings if is_error_of_reader(f) or not is_left_out(f, file, job.per_file)]
    findings, excused, faults = excuse(findings, file, is_asked, _texts(reading[0], file))
    findings += [f for f in faults if options.wants(f.code) and not is_left_out(f, file, job.per_file)]
    known: list[Finding] = []
    if job.baseline is not None:
        findings, known, gone = subtract(findings, job.baseline, _key(job, job.baseline), is_asked)
        findings += gone if options.wants(GONE) else []
    why = tuple(Excuse(finding, by.reason, by.source) for finding, by in excused)
    beside = (*job.options.also, *([os.fspath(srdf)] if (srdf := job.options.read.srdf) else []))
    read = parts_of(reading[0]) if reading[0] and not any(map(is_error_of_reader, reading[1])) else frozenset()
    shown = tuple(sorted(findings, key=order))
    checked = CheckReport(job.file, shown, why, job.name, tuple(known), beside, read, fitted)
    return Examination(checked, reading[0], tuple(found))


def parts_of(robot: Robot) -> frozenset[str]:
    """Return the absolute paths of the other files of which a robot of MJCF or xacro is made."""
    text = robot.text if robot.text and robot.text.format != "mjcf" else None
    things: tuple[Link | Joint | Extension, ...] = (*robot.links.values(), *robot.joints.values(), *robot.extensions)
    named = {*text.files} if text else {thing.source.file for thing in things if thing.source}
    own = robot.source.file if robot.source else ""
    return frozenset(os.path.abspath(file) for file in named - {own} if file.endswith((".xacro", ".xml", ".mjcf")))


def gone_from_baselines(jobs: Sequence[Job]) -> list[CheckReport]:
    """Return the remarks on baselines that are about no single file."""
    wanted = [job for job in jobs if job.baseline is not None and job.options.wants(GONE)]
    found = []
    for baseline in dict.fromkeys(job.baseline for job in wanted if job.baseline is not None):
        keys = {_key(job, baseline) for job in jobs if job.baseline == baseline}
        found.append(CheckReport(baseline, tuple(of_gone_models(baseline, keys))))
    return [one for one in found if one.findings]


def _key(job: Job, baseline: str) -> Model:
    return model_key(job.file, job.name, os.path.dirname(baseline))


def _texts(robot: Robot | None, file: str) -> Mapping[str, str]:
    """Return the texts of the files from which a URDF was read, by name."""
    text = robot.text if robot else None
    return {} if text is None or text.format not in ("urdf", "xacro") else text.files or {file: text.text}


def fault(file: str, code: str, message: str) -> CheckReport:
    """Return a result with one error."""
    return CheckReport(file, (Finding(code, "error", message, Source(file)),))


HEAD = ("file", "element", "rule", "clause", "reason")


def justifications(checked: Iterable[CheckReport]) -> str:
    """Return a table in Markdown of all excused findings in their order, or a line that there are none."""
    rows = list(dict.fromkeys(_row(excused) for one in checked for excused in one.excused))
    if not rows:
        return "Nothing is excused.\n"
    cells = [HEAD, *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(HEAD))]
    lines = [" | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in cells]
    lines.insert(1, " | ".join("-" * width for width in widths))
    return "".join(f"| {line} |\n" for line in lines)


def _row(excused: Excuse) -> tuple[str, ...]:
    finding, rule = excused.finding, rule_of(excused.finding.code)
    name = f"{finding.code} ({rule.level})" if rule else finding.code
    clause = rule.clause if rule else finding.message
    reason = excused.reason or "none is given"
    return tuple(map(_cell, (str(finding.source), finding.element or "", name, clause, reason)))


def _cell(text: str) -> str:
    """Return a text on one line, escaped for a table and a terminal."""
    plain = "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(text.split()))
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
