"""Findings about elements that are read several times: of a model that a world includes, or that is checked itself; and
findings about a line from which several elements have the same value, such as a class of MJCF."""

import os
import re
from collections.abc import Iterable
from dataclasses import replace

from kinetree.errors import Finding
from kinetree.rules.quality import grouped
from kinetree.rules.rule import others

_NAME = re.compile(r"'(.+)'")
_SCOPES = re.compile(r"'(?:[^':]+::)+")
Key = tuple[str, str, int, int | None, str]
"""Code, file, line, column, and the words without the names of models around a name."""


def deduplicate(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings without those that another copy of the same element in the same file has already; one for those
    of several elements with the same words at the same place, which names up to nine of these."""
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
    groups = grouped(found, lambda one: (one.code, one.source, one.message) if one.place[2] else object())
    return [_of_all(same) for same in groups]


def _of_all(same: list[Finding]) -> Finding:
    """Return one finding for several that differ in their elements."""
    names = [name[1] for one in same[1:] if (name := _NAME.search(one.element or ""))]
    return replace(same[0], message=same[0].message + others(names)) if names else same[0]


def key_of(finding: Finding) -> Key | None:
    """Return what copies of a finding share; None for a finding without a line."""
    source = finding.source
    if source is None or not source.line:
        return None
    words = _SCOPES.sub("'", f"{finding.element}: {finding.message}")
    return finding.code, os.path.abspath(source.file), source.line, source.column, words
