"""JSON, one line of ASCII; docs/how-to/checking.md describes it."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from kinetree.checker.job import CheckReport
from kinetree.checker.report._paths import in_words, relative
from kinetree.errors import SEVERITIES, Finding, Source

SCHEMA = 1
"""Version, which increases when a field changes its meaning or is removed; new ones may come at any time."""


def lines(results: Iterable[CheckReport], width: int | None) -> Iterator[str]:
    """Yield one object for all files."""
    files: list[dict[str, Any]] = []
    findings: list[dict[str, Any]] = []
    excused: list[dict[str, Any]] = []
    for result in results:
        count = Counter(finding.severity for finding in result.findings)
        counts = {str(severity): count[severity] for severity in SEVERITIES}
        files.append({"file": result.file, "variant": result.name, **counts, "excused": len(result.excused)})
        where = {"checked": result.file, "variant": result.name}
        findings += ({**where, **_finding(one)} for one in result.findings)
        for one in result.excused:
            reason = {"reason": one.reason, "excused_at": _source(one.source)}
            excused.append({**where, **_finding(one.finding), **reason})
    yield json.dumps({"schema": SCHEMA, "files": files, "findings": findings, "excused": excused})


def _finding(finding: Finding) -> dict[str, Any]:
    place = _source(finding.source)
    return {**asdict(finding), "message": in_words(finding.message), "source": place, "url": finding.url}


def _source(source: Source | None) -> dict[str, Any] | None:
    """Return a place, with its origin if xacro made it."""
    if source is None:
        return None
    place: dict[str, Any] = {"file": relative(source.file, False), "line": source.line, "column": source.column}
    return {**place, "made": _source(source.made)} if source.made else place
