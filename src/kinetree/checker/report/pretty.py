"""Text for a terminal: every finding with its line and its fix, wrapped and coloured."""

import textwrap
from collections.abc import Iterable, Iterator

import click

from kinetree.checker.checked import Checked
from kinetree.checker.report._counts import summary
from kinetree.checker.report._variants import in_variant
from kinetree.errors import Finding

INDENT = "    "
COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


def lines(results: Iterable[Checked], width: int | None) -> Iterator[str]:
    """Yield the findings of one file after the other, and their counts."""
    seen: list[Checked] = []
    for result in results:
        seen.append(result)
        for finding in result.findings:
            yield pretty(in_variant(finding, result), width)
    yield summary(seen)


def pretty(finding: Finding, width: int | None) -> str:
    """Return the text of a finding, for a terminal of a width or, if None, for a pipe."""
    return _wrapped(finding, width) if width else str(finding)


def _wrapped(finding: Finding, width: int) -> str:
    """Return the text of a finding for a terminal; excerpts are cut, not wrapped, to keep the underlining in place."""
    first, *others = str(finding).split("\n")
    excerpt = finding.excerpt.count("\n") + 1 if finding.excerpt else 0
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
