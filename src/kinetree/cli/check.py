"""`kinetree check [PATH…]`: report what is wrong with robot descriptions, and violations of conventions."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from itertools import filterfalse
from pathlib import Path

import click

from kinetree.checker.baseline import check_replaceable, model_key, write_baseline
from kinetree.checker.check import is_error_of_reader
from kinetree.checker.files import is_unread, once_in_all, without_parts
from kinetree.checker.job import CheckReport, Job, gone_from_baselines, justifications
from kinetree.checker.plan import jobs_of
from kinetree.checker.pool import check_all, protection
from kinetree.checker.report import formats, report
from kinetree.checker.settings import OWN, SHARED
from kinetree.cli._findings import terminal_width, write_lines
from kinetree.cli._help import kinetree_command, option
from kinetree.cli._model import check_options, json_option, robot_paths
from kinetree.cli._output import check_no_input
from kinetree.cli._say import remark, say_text
from kinetree.files.output import write_whole
from kinetree.progress import tracked
from kinetree.rules.options import CheckOptions

HTML = "html"
"""Format of a report that `viewing` writes, above the formats of the checker."""


def _print_protection(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        say_text(str(protection()))
        ctx.exit()


@kinetree_command("Check and repair", "kinetree check arm.urdf --profile ros")
@robot_paths
@check_options(
    "Report only codes that begin with CODE, such as LIM.",
    "Leave out codes that begin with CODE, such as LIM-003.",
    True,
)
@option("--config FILE", "Settings file.  [default: the nearest kinetree.toml above each PATH]")
@option("--also FILE", "Check this file of one model too: its SRDF, or YAML of MoveIt. Repeatable.")
@option("--baseline FILE", "Report only findings that this file does not list.")
@option("--write-baseline FILE", "Write all findings to a file for --baseline.")
@option("--justifications", "Print excused findings with their reasons, and no others.", "why")
@option("--output-format", "Form of the report.  [default: pretty]", "form", type=[*formats(), HTML])
@option("--show-all", "Print every finding, also if several are equal.")
@option("--statistics", "Print the number of findings of each code.")
@option("-o, --output-file FILE", "Write the report here.  [default: -, the standard output]")
@option(
    "--protection",
    "Print what this system forbids to the process that reads files.",
    callback=_print_protection,
    is_eager=True,
    expose_value=False,
)
@option("--exit-zero", "Exit with status 0, also if there are findings.")
@json_option
def command(
    paths: Sequence[str],
    options: CheckOptions,
    config: str | None,
    baseline: str | None,
    write_baseline: str | None,
    why: bool,
    form: str | None,
    show_all: bool,
    statistics: bool,
    output_file: str | None,
    exit_zero: bool,
    as_json: bool,
) -> None:
    """Report errors in models, and departures from conventions.

    A PATH is a file, a folder or the name of a built-in robot. In a folder all models are checked, with YAML of limits
    and controllers; of xacro files that only define macros, those macros that no robot calls.

    Exit status 0 if there are no errors or warnings, 1 if there are errors or warnings, 2 if a file cannot be read."""
    form = _form(as_json, form, statistics, show_all, why)
    if "" in (config, baseline, write_baseline, output_file):
        raise click.UsageError("the name of a file is empty; expected a name, or no option")
    _check_baselines(baseline, write_baseline)
    asked, files = jobs_of(paths, config, options, baseline)
    _name_retired({code for job in asked for code in (*job.options.select, *job.options.ignore)})
    if write_baseline is not None:
        asked = [replace(job, baseline=None) for job in asked]  # all goes into the new one
    output_file = None if output_file == "-" else output_file
    if form == HTML and output_file is None:
        raise click.UsageError("--output-format html writes pages; name the first, such as -o report.html")
    _check_outputs(output_file, write_baseline, asked, config)
    results = _results(asked, files)
    if write_baseline is not None:
        results = _kept(write_baseline, results)
    if why:
        _write(justifications(results).splitlines(), output_file)
    elif form == HTML and output_file is not None:
        _write_pages(asked, results, Path(output_file))
    else:
        width = terminal_width(sys.stdout) if output_file is None else None
        _write(report(form, results, width, **{"show_all": True} if show_all else {}), output_file)
    if write_baseline is not None:  # the standard output has the report alone
        count = sum(len(result.known) for result in results)
        remark(f"{count} finding{'s' * (count != 1)} written to {write_baseline}")
    if any(map(_leaves_pairs, {job.options.read.srdf: job.options for job in asked}.values())):
        remark("the pairs that the SRDF disables were not tested for contact; --contact tests them")
    if any(map(is_unread, results)):
        sys.exit(2)
    faulty = any(finding.severity != "info" for result in results for finding in result.findings)
    sys.exit(int(faulty and not exit_zero))


def _leaves_pairs(options: CheckOptions) -> bool:
    """Return whether an SRDF disables pairs of links that are not tested for contact."""
    srdf, asked = options.read.srdf, options.wants("CON-001") and not options.tests_contact
    with suppress(OSError):
        return bool(srdf and asked and b"disable_collisions" in Path(srdf).read_bytes())
    return False


def _form(as_json: bool, form: str | None, statistics: bool, show_all: bool, why: bool) -> str:
    """Return the form of the report. Raises an error for options that exclude each other."""
    by_flag = {"--json": "json"} if as_json else {"--statistics": "statistics"} if statistics else {}
    for flag, other in by_flag.items():
        if form not in (None, other) or (as_json and statistics):
            raise click.UsageError(
                f"{flag} and {f'--output-format {form}' if form else '--statistics'} are two forms of one report"
            )
    if why and (by_flag or form):
        raise click.UsageError("--justifications is a table in Markdown; --json and --output-format are for findings")
    form = next(iter(by_flag.values()), form or "pretty")
    if show_all and form != "pretty":
        raise click.UsageError(f"--show-all is for the form pretty; {form} has each finding, or none")
    return form


def _name_retired(codes: Set[str]) -> None:
    """Print a note on each code of a rule that was removed."""
    if codes:
        from kinetree.codes import RETIRED  # reading the table takes 5 ms

        for code in sorted(codes & RETIRED.keys()):
            remark(f"{code} was removed: {RETIRED[code].remedy}")


def _check_baselines(old: str | None, new: str | None) -> None:
    """Raise an error for options that exclude each other, and for a baseline that is not a file."""
    if new is not None and old is not None:
        raise click.UsageError("--write-baseline keeps what is found, known or not; expected either it or --baseline")
    if new == "-":
        raise click.UsageError("--write-baseline - is no file; expected one, from whose folder its paths are seen")


def _check_outputs(report: str | None, baseline: str | None, asked: Sequence[Job], config: str | None) -> None:
    """Raise an error if an output would replace an input, or a baseline a file that is not one."""
    more = [file for job in asked for file in (job.options.read.srdf, job.options.read.limits)]
    read = {str(x) for x in (config, *more, *(job.file for job in asked), *(job.baseline for job in asked)) if x}
    read |= {file for file in (report, baseline) if file and os.path.basename(file) in (OWN, SHARED)}  # settings
    if baseline is not None:
        check_no_input(baseline, read)
        check_replaceable(baseline)
    if report is not None:
        check_no_input(report, read | ({baseline} if baseline else set()))


def _results(asked: Sequence[Job], files: Mapping[str, bool]) -> list[CheckReport]:
    """Return the results, without errors of files that are parts of others. files: whether they were named."""
    results = zip(asked, tracked(check_all(asked), "checking", len(asked)), strict=True)
    found = [r if files.get(job.file, True) else without_parts(r, [*files]) for job, r in results]
    return once_in_all(found) + gone_from_baselines(asked)


def _kept(file: str, results: Sequence[CheckReport]) -> list[CheckReport]:
    """Write the findings to a baseline and return them as known, except errors of readers, which it does not store."""
    folder = os.path.dirname(file)
    write_baseline(file, [(model_key(one.file, one.name, folder), one.findings) for one in results])
    return [_split(one) for one in results]


def _split(result: CheckReport) -> CheckReport:
    errors = tuple(filter(is_error_of_reader, result.findings))
    return replace(result, findings=errors, known=tuple(filterfalse(is_error_of_reader, result.findings)))


def _write(lines: Iterable[str], file: str | None) -> None:
    if file is None:
        write_lines(lines, sys.stdout)
    else:
        write_whole(Path(file), "".join(f"{line}\n" for line in lines))


def _write_pages(asked: Sequence[Job], results: Sequence[CheckReport], file: Path) -> None:
    """Write the page of a model, or an index with a folder of pages."""
    from kinetree.viewing.report import pages  # imports the compiler

    for path, text in tracked(pages(asked, results, file), "pages", len(asked) + 1):
        if path != file:
            path.parent.mkdir(exist_ok=True)
        write_whole(path, text)
