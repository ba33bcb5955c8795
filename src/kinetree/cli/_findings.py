"""Printing of findings and reports: wrapped and coloured in a terminal, one line each in a pipe."""

import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TextIO

import click

from kinetree.checker.report.pretty import more_about, together
from kinetree.cli._output import print_json
from kinetree.cli._say import remark
from kinetree.errors import Finding, equal

SHOWN = 20
PYTHON = re.compile(r"; in Python, .*|\b(?:(q0)\b(?!=)|(\w+)=(?:True\b)?(?=[ ,;.)]|$))")
"""What a message says for Python alone: the rest after these words, and arguments such as torque= or torque=True."""


def print_findings(findings: Sequence[Finding], *, as_json: bool = False, everything: bool = False) -> None:
    """Print findings, equal ones together: the first 20 kinds, all kinds, or all as JSON: {"findings": […]}."""
    if as_json:
        print_json({"findings": findings}, sys.stderr)
        return
    groups = equal(findings)
    shown = groups if everything else groups[:SHOWN]
    write_lines((together(group, terminal_width(sys.stderr)) for group in shown), sys.stderr)
    if more := sum(map(len, groups[len(shown) :])):
        remark(f"and {more} more (--json gives them all)")


def worded(findings: Iterable[Finding], flags: Mapping[str, str]) -> list[Finding]:
    """Return findings with options of the command, by name in `flags`, for arguments of Python; those of options are
    in its words already."""

    def option(found: re.Match[str]) -> str:
        name = "values" if found[1] else found[2]
        return flags.get(name, found[0]) if name else ""

    def to_words(one: Finding) -> Finding:
        return replace(one, message=PYTHON.sub(option, one.message), fix=PYTHON.sub(option, one.fix or "") or None)

    return [one if one.code == "option" else to_words(one) for one in findings]


def print_more(findings: Sequence[Finding]) -> None:
    """Print where the codes of findings that ended a command are explained."""
    if line := more_about(findings, terminal_width(sys.stderr)):
        write_lines([line], sys.stderr)


def terminal_width(stream: TextIO) -> int | None:
    """Return the columns of a terminal, or None for a pipe or a file."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def write_lines(lines: Iterable[str], stream: TextIO) -> None:
    """Write lines as they come."""
    for line in lines:
        if stream.isatty():
            click.echo(line, file=stream)  # colours old Windows terminals too
        else:
            print(line, file=stream)  # click would write UTF-8 where the stream is ASCII
