"""One line a finding: file, line and column, severity, element, message, code."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kinetree.checker.checked import Checked
from kinetree.checker.report._variants import in_variant


def lines(results: Iterable[Checked], width: int | None) -> Iterator[str]:
    """Yield one line a finding."""
    for result in results:
        for finding in result.findings:
            yield str(replace(in_variant(finding, result), excerpt=None, fix=None))
