"""`kinetree fix PATH…`: mend robot descriptions in place."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from kinetree.cli._findings import print_findings, write_findings
from kinetree.cli._json import print_json
from kinetree.cli._model import assignments, json_option
from kinetree.controllers import controllers
from kinetree.conventions.check import PROFILES, check_codes
from kinetree.conventions.fix import Fixed, fix, write
from kinetree.errors import Finding, KinetreeError, Source
from kinetree.formats.xml import encoding_of

TEXTS = ("urdf", "xacro")
"""Formats whose texts are mended."""


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--profile", type=click.Choice(list(PROFILES)), required=True, help="Which conventions.")
@click.option("--select", metavar="CODE", multiple=True, help="Mend only codes that begin so. Repeatable.")
@click.option("--ignore", metavar="CODE", multiple=True, help="Leave codes that begin so. Repeatable.")
@click.option("--vendor", type=click.Choice(list(controllers)), help="Whose controller it is; by default names say.")
@click.option("--unsafe", is_flag=True, help="Give links and joints other names, too.")
@click.option("--also", metavar="FILE", multiple=True, help="SRDF or YAML that uses these names. Repeatable.")
@click.option("--diff", is_flag=True, help="Print what would change, and write nothing.")
@click.option("--format", type=click.Choice(TEXTS), help="To read; by default ending and root say.")
@assignments("--arg", "xacro_args", "NAME=VALUE", "An argument of a xacro file.")
@assignments("--package", "packages", "NAME=FOLDER", "The folder of a ROS package.")
@json_option
def command(
    paths: Sequence[str],
    profile: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    diff: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Mend what departs from the conventions of a profile in URDF and xacro files, in place.

    A repair that would move a frame or change a limit or a mass is not made. A file is written whole or not at all.

    Exit status 0 if all is mended that can be, 1 if something could not be, or if --diff has something to show, 2 if
    a file could not be read or written.
    """
    check_codes(profile, select, ignore)
    asked = {"profile": profile, "select": select, "ignore": ignore, **options}
    results, faults = [], []
    for path in paths:
        try:
            fixed = fix(path, **asked)
            if not diff:
                write(fixed)
            results.append(fixed)
        except KinetreeError as error:
            faults += [_placed(finding, path) for finding in error.findings]
    if as_json:
        print_json({"files": [_plain(fixed) for fixed in results], "findings": faults})
    else:
        for fixed in results:
            _print(fixed, diff)
        print_findings(faults)
    left = any(fixed.unmended or (diff and fixed.after) for fixed in results)
    sys.exit(2 if faults else int(left))


def _placed(finding: Finding, path: str) -> Finding:
    if finding.source:
        return finding
    return Finding(finding.code, finding.severity, finding.message, Source(path), finding.element, finding.fix)


def _plain(fixed: Fixed) -> Mapping[str, Any]:
    """For JSON."""
    return {
        "file": fixed.file,
        "mended": fixed.mended,
        "unmended": [{"finding": finding, "because": why} for finding, why in fixed.unmended],
        "unsafe": fixed.unsafe,
        "diff": "".join(_diff(fixed)),
    }


def _print(fixed: Fixed, diff: bool) -> None:
    """The difference, or what was mended; and on the standard error stream what was not."""
    if diff:
        sys.stdout.writelines(_diff(fixed))
    else:
        write_findings((_with(finding, "mended") for finding in fixed.mended), sys.stdout)
    write_findings((_with(finding, f"not mended: {why}") for finding, why in fixed.unmended), sys.stderr)
    count = f"{len(fixed.mended)} {'would be ' if diff else ''}mended"
    left = f", {len(fixed.unmended)} left" if fixed.unmended else ""
    unsafe = f", {len(fixed.unsafe)} more with --unsafe" if fixed.unsafe else ""
    print(f"{fixed.file}: {count}{left}{unsafe}", file=sys.stderr if diff else sys.stdout)


def _with(finding: Finding, what: str) -> Finding:
    """The finding, and what became of it."""
    return Finding(finding.code, finding.severity, f"{finding.message}; {what}", finding.source, finding.element)


def _diff(fixed: Fixed) -> Iterator[str]:
    """A unified difference of all files that change, their ends of lines included."""
    for path, content in fixed.before.items():
        name = _name(path)
        old, new = _lines(content), _lines(fixed.after[path])
        for line in difflib.unified_diff(old, new, name, name):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _name(path: Path) -> str:
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(path)


def _lines(content: bytes) -> list[str]:
    mark, encoding = encoding_of(content)
    return content[len(mark) :].decode(encoding).splitlines(keepends=True)
