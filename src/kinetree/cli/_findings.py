"""Findings for people: wrapped and coloured in a terminal, one line each in a pipe."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TextIO

import click

from kinetree.cli._json import print_json
from kinetree.errors import Finding

SHOWN = 20
INDENT = "    "
COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


def print_findings(findings: Sequence[Finding], *, as_json: bool = False, everything: bool = False) -> None:
    """Print what ended a command, the first 20 if there are many; as JSON all of them: {"findings": […]}."""
    if as_json:
        print_json({"findings": findings}, sys.stderr)
        return
    shown = findings if everything else findings[:SHOWN]
    write_findings(shown, sys.stderr)
    if len(findings) > len(shown):
        print(f"and {len(findings) - len(shown)} more (--json gives them all)", file=sys.stderr)


def write_findings(findings: Iterable[Finding], stream: TextIO) -> None:
    """Write findings to a stream, for people or line by line for a pipe."""
    width = shutil.get_terminal_size().columns if stream.isatty() else None
    for finding in findings:
        finding = _for_the_command_line(finding)
        if width:
            click.echo(_wrapped(finding, width), file=stream)  # knows how to colour old Windows terminals
        else:
            print(finding, file=stream)  # click would write UTF-8 where the stream is ASCII


def _for_the_command_line(finding: Finding) -> Finding:
    """The finding with its fix as an option rather than as an argument in Python."""
    fix = finding.fix and re.sub(r"without=\('(\w+)',\)", r"--without \1", finding.fix)
    return replace(finding, fix=fix)


def _wrapped(finding: Finding, width: int) -> str:
    """The text of a finding for a terminal; excerpts are cut, not wrapped, for the underlining to stay in place."""
    first, *others = str(finding).splitlines()
    excerpt = len(finding.excerpt.splitlines()) if finding.excerpt else 0
    marks = others[excerpt - 1] if excerpt else ""
    cut = max(0, len(marks) - len(marks.lstrip()) - width // 2)
    lines = _fold(first, width, "")
    lines += [INDENT + line[len(INDENT) + cut :][: width - len(INDENT)] for line in others[:excerpt]]
    lines += [part for line in others[excerpt:] for part in _fold(line.strip(), width, INDENT)]
    severity = f"{finding.severity}:"
    return "\n".join(lines).replace(severity, click.style(severity, fg=COLOURS[finding.severity], bold=True), 1)


def _fold(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False
    )
