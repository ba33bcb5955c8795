"""Findings as they are read: copies are one, equal ones are a group, and the most important come first."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from kinetree.checker.check import order
from kinetree.checker.job import CheckReport
from kinetree.checker.report._paths import relative, with_relative_path
from kinetree.confine import MARKS, is_shared
from kinetree.display import counted, listed
from kinetree.errors import SEVERITIES, Finding, Severity, cause
from kinetree.robots.packaged import is_packaged


@dataclass(frozen=True, eq=False)
class FindingGroup:
    """A finding, and the results that have it: of one file with several arguments, or of files with a common part.

    file: the first checked file that has it. within: where it is found, in words; "" for the only variant, or all.
    package: name of the package of others that has its file, or None for that of a checked file.
    """

    finding: Finding
    file: str
    within: str = ""
    package: str | None = None

    @property
    def with_place(self) -> Finding:
        """Return the finding with the words of `within` in its message."""
        within = f" ({self.within})" if self.within else ""
        return replace(self.finding, message=f"{self.finding.message}{within}")


def merged(results: Sequence[CheckReport]) -> list[FindingGroup]:
    """Return each finding of all results once, the most important first, with relative paths: those outside of the
    working folder only if a checked file, or one beside it, is named so."""
    found: dict[Finding, list[CheckReport]] = {}
    for result in results:
        for finding in result.findings:  # without their places in an expanded text, which differ between variants
            source = finding.source and replace(finding.source, made=None)
            found.setdefault(replace(finding, source=source), []).append(result)
    variants: dict[str, list[CheckReport]] = {}
    for result in results:
        variants.setdefault(result.file, []).append(result)
    named = {file for result in results for file in (result.file, *result.beside)}
    upwards = any(not os.path.isabs(file) for file in named)
    own = set(map(_home, named))
    all_of = [
        FindingGroup(
            finding if is_packaged(having[0].file, None) else with_relative_path(finding, upwards),
            having[0].file,
            _within(having, variants),
            _package(finding, own),
        )
        for finding, having in found.items()
    ]
    return sorted(all_of, key=lambda one: (one.package is not None, order(one.finding)))


def groups(findings: Iterable[FindingGroup]) -> list[list[FindingGroup]]:
    """Return findings with the same words but other names and numbers together, in the order of their first ones."""
    found: dict[object, list[FindingGroup]] = {}
    for one in findings:
        found.setdefault((cause(one.finding), one.package is None), []).append(one)
    return list(found.values())


def _within(having: Sequence[CheckReport], variants: dict[str, list[CheckReport]]) -> str:
    files = list(dict.fromkeys(result.file for result in having))
    if len(files) > 1:
        return f"in {len(files)} models: {listed([relative(file) for file in files])}"
    names = list(dict.fromkeys(result.name for result in having))
    if len(names) == len(variants[files[0]]):
        return ""
    return f"only in variant{'s' * (len(names) > 1)} {listed(list(map(repr, names)))}"


def _package(finding: Finding, own: set[str]) -> str | None:
    """Return the name of the package of others in which a finding is."""
    if finding.source is None:
        return None
    home = _home(finding.source.file)
    return None if home in own else os.path.basename(home)


def _home(file: str) -> str:
    """Return the folder of the package or project that has a file, or the folder of the file."""
    return _home_of(os.path.dirname(os.path.abspath(file)))


@cache
def _home_of(folder: str) -> str:
    above = [folder, *map(str, Path(folder).parents)]
    for mark in ("package.xml", *MARKS):
        for one in above:
            if is_shared(one):
                break
            if os.path.lexists(os.path.join(one, mark)):
                return one
    return folder


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
