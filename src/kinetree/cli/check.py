"""`kinetree check PATH…`: what is wrong with robot descriptions, and what departs from conventions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from kinetree.cli._findings import terminal_width, write_lines
from kinetree.cli._model import json_option, robot_paths
from kinetree.controllers import controllers
from kinetree.conventions.check import PROFILES
from kinetree.conventions.checked import Checked, Job
from kinetree.conventions.files import models_in, without_parts
from kinetree.conventions.report import formats, report
from kinetree.conventions.run import check_all
from kinetree.errors import Finding, KinetreeError, Source, fail
from kinetree.formats.output import write_files
from kinetree.load import FORMATS, format_of
from kinetree.robots.packaged import names

MANY = 20
"""Files above which a bar shows how many are done."""
OF_SOME_FORMATS = {"xacro_args": ("xacro",), "model": ("sdf", "xacro")}
"""Options to the formats that they mean something to; of several files they are for those alone."""
FLAGS = {"xacro_args": "--arg", "model": "--model"}


@click.command()
@robot_paths
@click.option(
    "--profile", type=click.Choice(list(PROFILES)), default="ros", show_default=True, help="Which conventions."
)
@click.option("--select", metavar="CODE", multiple=True, help="Report only codes that begin so. Repeatable.")
@click.option("--ignore", metavar="CODE", multiple=True, help="Leave out codes that begin so. Repeatable.")
@click.option("--vendor", type=click.Choice(list(controllers)), help="Whose controller it is; by default names say.")
@click.option(
    "--output-format", "form", type=click.Choice(formats()), help="The form of the report.  [default: pretty]"
)
@click.option("--output-file", type=click.Path(path_type=Path), help="Write the report there.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@json_option
def command(
    paths: Sequence[str],
    options: dict[str, Any],
    profile: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    vendor: str | None,
    form: str | None,
    output_file: Path | None,
    exit_zero: bool,
    as_json: bool,
) -> None:
    """Say what is wrong with robot descriptions and what departs from the conventions of a profile.

    A PATH is a file, the bare name of a robot that comes with the package, or a folder: then all of its models are
    checked, and files of macros are passed over.

    Exit status 0 if nothing is graver than a remark, 1 if there are errors or warnings, 2 if there is nothing to read.
    """
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json and --output-format {form} are two forms of one report")
    files = _files(paths, options)
    checked = _watched([Job(file, profile, select, ignore, vendor, arguments) for file, arguments, _ in files])
    results = [r if named else without_parts(r) for r, (*_, named) in zip(checked, files, strict=True)]
    _write(form or ("json" if as_json else "pretty"), results, output_file)
    faulty = any(finding.severity != "info" for result in results for finding in result.findings)
    sys.exit(int(faulty and not exit_zero))


def _files(paths: Sequence[str], options: dict[str, Any]) -> list[tuple[str, dict[str, Any], bool]]:
    """All files with what `load` is told for them, and whether they were named. Raises KinetreeError where there is
    nothing to read, and for options that mean nothing to any of them."""
    named: dict[str, bool] = {}
    for path in paths:
        if path.partition(":")[0] in names() or not Path(path).is_dir():  # a folder icub is ./icub
            named[path] = True
            continue
        models = [str(model) for model in models_in(Path(path))]
        if not models:
            message = "there are no robot descriptions in this folder"
            raise KinetreeError(Finding("no-models", "error", message, Source(path)))
        for model in models:
            named.setdefault(model, False)
    files = [(file, _meant_for(file, options, is_named), is_named) for file, is_named in named.items()]
    for option in options:
        if not any(option in arguments for _, arguments, _ in files):
            legal = " and ".join(OF_SOME_FORMATS[option])
            raise fail(
                "option", f"{FLAGS[option]} means something to {legal} alone, and none of these is of that format"
            )
    return files


def _meant_for(file: str, options: dict[str, Any], named: bool) -> dict[str, Any]:
    """The options that mean something to a file. Raises KinetreeError where somebody names what cannot be read."""
    format = options.get("format")
    if named:
        format = format_of(file, format=format).name
    by_ending = (name for name, row in FORMATS.items() if file.lower().endswith(row.suffixes))
    format = format or next(by_ending, None)
    return {name: value for name, value in options.items() if format in OF_SOME_FORMATS.get(name, (format,))}


def _watched(jobs: Sequence[Job]) -> list[Checked]:
    """All results; if there are many, a bar shows how many are done."""
    if len(jobs) <= MANY or not sys.stderr.isatty():
        return list(check_all(jobs))
    with click.progressbar(check_all(jobs), length=len(jobs), label="checking", show_pos=True, file=sys.stderr) as bar:
        return list(bar)


def _write(form: str, results: Sequence[Checked], file: Path | None) -> None:
    """Print the report, or write it to a file."""
    if file is None:
        write_lines(report(form, results, terminal_width(sys.stdout)), sys.stdout)
    else:
        write_files({file: "".join(f"{line}\n" for line in report(form, results))})
