"""SARIF 2.1.0, the format of findings for code scanning.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kinetree.checker.baseline import entry_of, model_key
from kinetree.checker.job import CheckReport, Excuse
from kinetree.checker.report._paths import as_shown
from kinetree.codes import CODES, page_of
from kinetree.errors import Finding, Severity, Source, address, visible
from kinetree.rules.explain import EVIDENCE, Explanation, explanations
from kinetree.rules.profiles import FAMILIES

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


def lines(results: Iterable[CheckReport], width: int | None) -> Iterator[str]:
    """Yield one log of one run. It lists all rules, so that a service can distinguish repaired from unchecked
    findings."""
    from kinetree import __version__

    results = list(results)
    known = [_rule(rule) for letters in FAMILIES for rule in explanations(letters)]
    codes = {rule["id"] for rule in known}
    found = [finding for r in results for finding in (*r.findings, *(one.finding for one in r.excused))]
    known += [_of_a_reader(code) for code in sorted({finding.code for finding in found} - codes)]
    indices = {rule["id"]: i for i, rule in enumerate(known)}
    seen: Counter[str] = Counter()
    run = {
        "tool": {"driver": {"name": "kinetree", "version": __version__, "rules": known}},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": _artifact(file)} for file in dict.fromkeys(result.file for result in results)],
        "results": [result for checked in results for result in _results(checked, indices, seen)],
    }
    yield json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _rule(rule: Explanation) -> dict[str, Any]:
    why = f"{rule.title}\n\n{rule.why}".strip()
    clause = f"{rule.level}: {rule.clause}"
    language = "xml" if "<" in rule.good else "yaml"
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": why},
        "helpUri": address(rule.code),
        "help": {
            "text": f"{why}\n\n{clause} ({rule.url})\n\ngood:\n{rule.good}\n\nbad:\n{rule.bad}",
            "markdown": f"{why}\n\n> {clause} ([source]({rule.url}))\n\n"
            f"Good:\n\n```{language}\n{rule.good}\n```\n\nBad:\n\n```{language}\n{rule.bad}\n```",
        },
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"level": rule.level, "evidence": EVIDENCE[rule.evidence], "tags": [rule.family]},
    }


def _of_a_reader(code: str) -> dict[str, Any]:
    row = CODES[page_of(code)]
    return {
        "id": code,
        "shortDescription": {"text": row.meaning},
        "fullDescription": {"text": f"{row.meaning} {row.remedy}"},
        "helpUri": address(code),
        "help": {"text": row.remedy},
    }


def _results(checked: CheckReport, indices: dict[str, int], seen: Counter[str]) -> Iterator[dict[str, Any]]:
    for finding in checked.findings:
        yield _result(finding, checked, indices, seen)
    for one in checked.excused:
        yield {**_result(one.finding, checked, indices, seen), "suppressions": [_suppression(one)]}


def _result(finding: Finding, checked: CheckReport, indices: dict[str, int], seen: Counter[str]) -> dict[str, Any]:
    element = f"{finding.element}: " if finding.element else ""
    fix = f"\nfix: {finding.fix}" if finding.fix else ""
    variant = f" (in variant {checked.name!r})" if checked.name else ""
    place = _location(finding.source or Source(checked.file))
    if finding.excerpt and "region" in place:
        place["region"]["snippet"] = {"text": finding.excerpt.partition("\n")[0]}
    entry = entry_of(finding, model_key(checked.file, checked.name, ""), "")  # stays when lines are added above
    fingerprint = sha256("\0".join(entry).encode("utf-8", "backslashreplace")).hexdigest()
    seen[fingerprint] += 1
    return {
        "ruleId": finding.code,
        "ruleIndex": indices[finding.code],
        "level": LEVELS[finding.severity],
        "message": {"text": _plain(f"{element}{finding.message}{variant}{fix}")},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"kinetree/v1": f"{fingerprint}:{seen[fingerprint]}"},
    }


def _suppression(one: Excuse) -> dict[str, Any]:
    place = {"physicalLocation": _location(one.source)}
    return {"kind": "inSource", "justification": one.reason, "location": place}


def _location(source: Source) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(source.file)}
    if source.line is not None:
        column = {"startColumn": source.column} if source.column is not None else {}
        place["region"] = {"startLine": source.line, **column}
    return place


def _artifact(file: str) -> dict[str, str]:
    """Return the reference to a file, relative if it is in the working folder."""
    path = as_shown(file)
    if Path(path).is_absolute():
        return {"uri": f"file://{'' if path.startswith('/') else '/'}{_quoted(path)}"}
    return {"uri": _quoted(path)}


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")


def _plain(text: str) -> str:
    """Return the text of a message with `[…](…)` escaped, which would be a link."""
    text = "\n".join(visible(line) for line in text.split("\n"))
    return re.sub(r"\[(?=[^\[\]]*\]\()", r"\\[", text)
