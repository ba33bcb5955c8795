"""Counts of findings."""

from collections import Counter
from collections.abc import Sequence

from kinetree.checker.job import CheckReport
from kinetree.checker.report._merged import FindingGroup, merged
from kinetree.display import counted
from kinetree.errors import SEVERITIES, Severity

WORDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "remark"}


def summary(results: Sequence[CheckReport], every: Sequence[FindingGroup] | None = None) -> str:
    """Return how many findings there are of each severity, and in how many files. every: `merged` of the results."""
    count = Counter(one.finding.severity for one in (merged(results) if every is None else every))
    words = [counted(count[severity], WORDS[severity]) for severity in SEVERITIES if count[severity]]
    words = words or ["nothing found"]
    excused = sum(len(result.excused) for result in results)
    known = sum(len(result.known) for result in results)
    words += [f"{excused} excused"] if excused else []
    words += [f"{known} known"] if known else []
    found = ", ".join(words)
    if len(results) == 1:
        return found
    faulty = sum(bool(result.findings) for result in results)
    what = "models" if any(result.name for result in results) else "files"  # a file may make several
    return f"{found} in {f'{faulty} of ' if faulty else ''}{len(results)} {what}"
