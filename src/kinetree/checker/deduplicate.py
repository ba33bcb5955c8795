"""Findings about elements that are read several times: of a model that a world includes, or that is checked itself."""

import os
import re
from collections.abc import Iterable

from kinetree.errors import Finding

_SCOPES = re.compile(r"'(?:[^':]+::)+")
Key = tuple[str, str, int, int | None, str]
"""Code, file, line, column, and the words without the names of models around a name."""


def deduplicate(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings without those that another copy of the same element in the same file has already."""
    findings = list(findings)
    if len({(finding.code, finding.source) for finding in findings}) == len(findings):
        return findings  # as in most files
    seen: set[Key] = set()
    found = []
    for finding in findings:
        key = key_of(finding)
        if key is None or key not in seen:
            found.append(finding)
        seen |= {key} if key else set()
    return found


def key_of(finding: Finding) -> Key | None:
    """Return what copies of a finding share; None for a finding without a line."""
    source = finding.source
    if source is None or not source.line:
        return None
    words = _SCOPES.sub("'", f"{finding.element}: {finding.message}")
    return finding.code, os.path.abspath(source.file), source.line, source.column, words
