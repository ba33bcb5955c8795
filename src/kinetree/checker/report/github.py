"""Commands of GitHub's workflows that show findings in a change: `::error file=…,line=…::…`.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from collections.abc import Iterable, Iterator

from kinetree.checker.job import CheckReport
from kinetree.checker.report._merged import merged
from kinetree.checker.report._paths import as_shown
from kinetree.errors import Finding, Severity, visible

COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}


def lines(results: Iterable[CheckReport], width: int | None) -> Iterator[str]:
    """Yield one command a finding."""
    for one in merged(list(results)):
        yield _command(one.with_place, one.file)


def _command(finding: Finding, file: str) -> str:
    source = finding.source
    places: dict[str, object] = {
        "file": as_shown(source.file if source else file),
        "line": source and source.line,
        "col": source and source.column,
        "title": finding.code,
    }
    texts = {key: _data(visible(str(value))) for key, value in places.items() if value is not None}
    named = ",".join(f"{key}={text.replace(':', '%3A').replace(',', '%2C')}" for key, text in texts.items())
    element = f"{finding.element}: " if finding.element else ""
    fix = f"\nfix: {visible(finding.fix)}" if finding.fix else ""
    message = _data(f"{visible(element + finding.message)}{fix}")
    return f"::{COMMANDS[finding.severity]} {named}::{message}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
