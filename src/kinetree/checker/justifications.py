"""Justification report: where models depart from conventions and why, as REP-199 requires."""

from collections.abc import Iterable

from kinetree.checker.job import CheckReport, Excuse
from kinetree.rules.profiles import rule_of

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
    return tuple(
        map(_cell, (str(finding.source), finding.element or "", name, clause, excused.reason or "none is given"))
    )


def _cell(text: str) -> str:
    """Return a text on one line, escaped for a table and a terminal."""
    plain = "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(text.split()))
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
