"""Text for a terminal: every kind of finding with its line and its fix, wrapped and coloured."""

import os
import textwrap
from collections.abc import Iterable, Iterator, Sequence

import click

from kinetree.checker.job import CheckReport
from kinetree.checker.report._merged import FindingGroup, groups, merged, summary
from kinetree.display import listed
from kinetree.errors import Finding, address, others_like, shortened, visible

INDENT = "    "
COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
OVERVIEW = 5
"""Number of printed findings from which on the summary repeats the most important one."""


def lines(results: Iterable[CheckReport], width: int | None, show_all: bool = False) -> Iterator[str]:
    """Yield the findings, the most important first, and their counts. show_all: print equal findings one by one."""
    results = list(results)
    found = merged(results)
    shown = [[one] for one in found] if show_all else groups(found)
    others = False
    for group in shown:
        if group[0].package is not None and not others:
            others = True
            yield f"In files of other packages ({listed([one.package or '' for one in found if one.package])}):"
        yield _text_of(group, width)
    first = _overview(found[0].finding) if len(shown) >= OVERVIEW and found[0].finding.severity != "info" else ""
    if more := more_about([one.finding for one in found], width):
        yield more
    yield summary(results, found) + first


def pretty(finding: Finding, width: int | None) -> str:
    """Return the text of a finding, for a terminal of a width or, if None, for a pipe."""
    return _wrapped(finding, width) if width else str(finding)


def more_about(findings: Sequence[Finding], width: int | None) -> str:
    """Return the address of the page about the first code, "" if nothing is graver than a remark. width: as for
    `pretty`."""
    codes = list(dict.fromkeys(finding.code for finding in findings if finding.severity != "info"))
    if not codes:
        return ""
    others = f" (others: kinetree rule {codes[1]}{' …' * (len(codes) > 2)})" if codes[1:] else ""
    line = f"More about {codes[0]}{others}: {address(codes[0])}"
    return "\n".join(_fold(line, width, "")) if width else line


def _overview(finding: Finding) -> str:
    place = f" ({finding.source})" if finding.source else ""
    message = f"{finding.element}: {finding.message}" if finding.element else finding.message
    return visible(f"; most important: {shortened(message, 100)} [{finding.code}]{place}")


def _text_of(group: Sequence[FindingGroup], width: int | None) -> str:
    """Return the text of the first of some equal findings, with the places of the others."""
    first, *others = group
    return together([first.with_place, *(one.finding for one in others)], width, "--show-all prints each")


def together(findings: Sequence[Finding], width: int | None, hint: str = "") -> str:
    """Return the text of the first of some equal findings, with the places of the others. hint: how to get them."""
    first, *others = findings
    lines = [pretty(first, width)]
    if others:
        more = others_like(findings) + (f"; {hint}" if hint else "")
        lines += _fold(more, width, INDENT) if width else [f"{INDENT}{more}"]
    return "\n".join(lines)


def _wrapped(finding: Finding, width: int) -> str:
    """Return the text of a finding for a terminal; excerpts are cut, not wrapped, to keep the underlining in place."""
    first, *others = str(finding).split("\n")
    excerpt = finding.excerpt.count("\n") + 1 if finding.excerpt else 0
    marks = others[excerpt - 1] if excerpt else ""
    cut = max(0, len(marks) - len(marks.lstrip()) - width // 2)
    lines = _fold(first, width, "")
    lines[-1] = _linked(lines[-1], finding)
    lines += [INDENT + line[len(INDENT) + cut :][: width - len(INDENT)] for line in others[:excerpt]]
    lines += [part for line in others[excerpt:] for part in _fold(line.strip(), width, INDENT)]
    severity = f"{finding.severity}:"
    return "\n".join(lines).replace(severity, click.style(severity, fg=COLOURS[finding.severity], bold=True), 1)


def _linked(line: str, finding: Finding) -> str:
    """Return the last line of a message with its code as a link, if the terminal may know links (OSC 8)."""
    before, code, after = line.rpartition(f"[{finding.code}]")
    if not code or os.environ.get("TERM") == "dumb":
        return line
    return f"{before}\x1b]8;;{finding.url}\x1b\\{code}\x1b]8;;\x1b\\{after}"


def _fold(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False
    )
