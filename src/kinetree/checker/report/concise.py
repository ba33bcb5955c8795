"""One line a finding: file, line and column, severity, element, message, code."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kinetree.checker.job import CheckReport
from kinetree.checker.report._merged import merged


def lines(results: Iterable[CheckReport], width: int | None) -> Iterator[str]:
    """Yield one line a finding, the most important first."""
    for one in merged(list(results)):
        yield str(replace(one.with_place, excerpt=None, fix=None))
