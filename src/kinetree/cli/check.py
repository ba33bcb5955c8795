"""`kinetree check [PATH…]`: what is wrong with robot descriptions, and what departs from conventions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from kinetree.cli._findings import terminal_width, write_lines
from kinetree.cli._model import json_option, robot_paths
from kinetree.conventions.baseline import model_key, write_baseline
from kinetree.conventions.check import DEFAULT, PROFILES, is_error_of_reader
from kinetree.conventions.checked import Checked, Job
from kinetree.conventions.files import files_of, without_parts
from kinetree.conventions.jobs import Overrides, jobs
from kinetree.conventions.justify import justifications
from kinetree.conventions.report import formats, report
from kinetree.conventions.run import check_all
from kinetree.conventions.settings import read_settings
from kinetree.formats.output import write_files

MANY = 20
"""Files above which a bar shows how many are done."""


@click.command()
@robot_paths
@click.option("--profile", type=click.Choice(list(PROFILES)), help=f"Which conventions.  [default: {DEFAULT}]")
@click.option("--select", metavar="CODE", multiple=True, help="Report only codes that begin so. Repeatable.")
@click.option("--ignore", metavar="CODE", multiple=True, help="Leave out codes that begin so. Repeatable.")
@click.option("--vendor", metavar="KEY", help="Whose controller it is; by default the names in the model say.")
@click.option("--config", metavar="FILE", help="The settings; by default the nearest above each PATH.")
@click.option("--baseline", metavar="FILE", help="Report only what is not in this file.")
@click.option("--write-baseline", metavar="FILE", help="Write what is found to a baseline.")
@click.option("--justifications", "why", is_flag=True, help="Print what is excused, and why, and no findings.")
@click.option(
    "--output-format", "form", type=click.Choice(formats()), help="The form of the report.  [default: pretty]"
)
@click.option("--output-file", type=click.Path(path_type=Path), help="Write the report there.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@json_option
def command(
    paths: Sequence[str],
    options: dict[str, Any],
    config: str | None,
    write_baseline: str | None,
    why: bool,
    form: str | None,
    output_file: Path | None,
    exit_zero: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Say what is wrong with robot descriptions and what departs from the conventions of a profile.

    A PATH is a file, the bare name of a robot that comes with the package, or a folder: then all of its models are
    checked, and files of macros are passed over. Without any, the models of the settings are checked.

    Exit status 0 if nothing is graver than a remark, 1 if there are errors or warnings, 2 if there is nothing to read.
    """
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json and --output-format {form} are two forms of one report")
    results = _results(paths, config, Overrides(**{k: v or None for k, v in said.items()}, arguments=options))
    if write_baseline:
        results = _kept(write_baseline, results)
    if why:
        _write(justifications(results).splitlines(), output_file)
    elif not write_baseline or any(result.findings for result in results):
        form = form or ("json" if as_json else "pretty")
        width = terminal_width(sys.stdout) if output_file is None else None
        _write(report(form, results, width), output_file)
    faulty = any(finding.severity != "info" for result in results for finding in result.findings)
    sys.exit(int(faulty and not exit_zero))


def _results(paths: Sequence[str], config: str | None, said: Overrides) -> list[Checked]:
    """What is found in all files; that one which was found in a folder is a part of others is no fault."""
    files = files_of(paths, said.arguments.get("format"))
    asked = jobs(list(files), read_settings(config) if config else None, said)
    return [r if files.get(job.file, True) else without_parts(r) for job, r in zip(asked, _watched(asked), strict=True)]


def _watched(jobs: Sequence[Job]) -> list[Checked]:
    """All results; if there are many, a bar shows how many are done."""
    if len(jobs) <= MANY or not sys.stderr.isatty():
        return list(check_all(jobs))
    with click.progressbar(check_all(jobs), length=len(jobs), label="checking", show_pos=True, file=sys.stderr) as bar:
        return list(bar)


def _kept(file: str, results: Sequence[Checked]) -> list[Checked]:
    """Write the findings to a baseline; what is left are errors of readers, of which it keeps none."""
    found = [(model_key(one.file, one.name, file), (*one.findings, *one.known)) for one in results]
    count = write_baseline(file, found)
    print(f"{count} finding{'s' * (count != 1)} written to {file}")
    return [replace(one, findings=tuple(f for f in one.findings if is_error_of_reader(f))) for one in results]


def _write(lines: Any, file: Path | None) -> None:
    """Print a report, or write it to a file."""
    if file is None:
        write_lines(lines, sys.stdout)
    else:
        write_files({file: "".join(f"{line}\n" for line in lines)})
