"""A table of codes: how many findings of each, the most first, and what the rule requires."""

from collections import Counter
from collections.abc import Iterable, Iterator

from kinetree.checker.job import CheckReport
from kinetree.checker.report._merged import merged, summary
from kinetree.codes import meaning_of
from kinetree.errors import SEVERITIES
from kinetree.rules.profiles import rule_of


def lines(results: Iterable[CheckReport], width: int | None) -> Iterator[str]:
    """Yield a line for each code and severity, and the summary."""
    results = list(results)
    found = merged(results)
    counts = Counter((one.finding.code, one.finding.severity) for one in found)
    ordered = sorted(counts.items(), key=lambda row: (SEVERITIES.index(row[0][1]), -row[1], row[0]))
    digits = len(str(max(counts.values(), default=0)))
    letters = max((len(code) for code, _ in counts), default=0)
    for (code, severity), count in ordered:
        rule = rule_of(code)
        title = rule.title() if rule else meaning_of(code)
        cells = f"{count:>{digits}}  {severity:7}  {code:{letters}}  {title}"
        yield cells[:width] if width else cells
    yield summary(results, found)
