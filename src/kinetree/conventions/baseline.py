"""Findings that are known and stay: a file that lists them, so that only new ones are reported.

An entry is what a finding says and about what, without its line, for lines shift, and how often it is found.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

from kinetree.conventions.check import is_error_of_reader
from kinetree.errors import Finding, KinetreeError, Source
from kinetree.formats.opener import read_file
from kinetree.formats.output import write_files

VERSION = 1
GONE = "baseline-gone"
"""The code of the remark that entries of a baseline are not found any more."""
KEYS = ("model", "file", "code", "element", "message")

Entry = tuple[str, str, str, str, str]
"""Values of KEYS. model: the file that is checked. file: where the finding is, which xacro may have included; both
relative to the folder of the baseline."""
Baseline = Mapping[str, Mapping[Entry, int]]
"""Model to its entries, and how often each was found."""

_PLACE = re.compile(r"\S+:\d+(?::\d+)?(?!\d)|(?<=\bline )\d+")
_PATH = re.compile(r"(?<![\w.:/\\>])(?:[A-Za-z]:[/\\]|/)[^\s,;:'\"]+")


def subtract(
    findings: Sequence[Finding], file: str, model: str, is_asked: Callable[[str], bool]
) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """The findings that are not in a baseline, those that are, and a remark if there are entries to take out of it.

    file: of the baseline. model: what `model_key` says of the file that is checked. is_asked: whether a code would
    have been found; entries of others are not called superfluous. Errors of a reader are never left out.
    """
    entries = read_baseline(file).get(model, {})
    left = Counter(entries)
    new: list[Finding] = []
    known: list[Finding] = []
    for finding in findings:
        entry = entry_of(finding, model, os.path.dirname(file))
        is_known = left[entry] > 0 and not is_error_of_reader(finding)
        left[entry] -= is_known
        (known if is_known else new).append(finding)
    gone = Counter({entry: count for entry, count in left.items() if count > 0 and is_asked(entry[2])})
    return new, known, _remark(gone, file, model) if gone else []


def write_baseline(file: str, found: Iterable[tuple[str, Iterable[Finding]]]) -> int:
    """Write what was found, as pairs of a model's key and its findings, and return how many findings are in it.

    Errors of a reader are left out: nothing could be asked about such a file. Raises KinetreeError if the file cannot
    be written.
    """
    folder = os.path.dirname(file)
    counts = Counter(
        entry_of(finding, model, folder)
        for model, findings in found
        for finding in findings
        if not is_error_of_reader(finding) and finding.code != GONE
    )
    rows = [json.dumps(dict(zip(KEYS, entry, strict=True), count=counts[entry])) for entry in sorted(counts)]
    lines = ",\n".join(f"  {row}" for row in rows)
    write_files({Path(file): f'{{\n "kinetree-baseline": {VERSION},\n "findings": [\n{lines}\n ]\n}}\n'})
    return counts.total()


def entry_of(finding: Finding, model: str, folder: str) -> Entry:
    """What a baseline in a folder says of a finding."""
    file = relative(finding.source.file, folder) if finding.source else ""
    message = _PATH.sub("…", _PLACE.sub("…", finding.message))
    return model, file, finding.code, finding.element or "", message


def model_key(file: str, name: str, baseline: str) -> str:
    """What a baseline calls a file that is checked, or one of its variants."""
    path = relative(file, os.path.dirname(baseline))
    return f"{path} ({name})" if name else path


def relative(file: str, folder: str) -> str:
    """A path as seen from a folder, with slashes; what is no file, such as "<text>" or "icub", stays what it is."""
    if not os.path.exists(file):
        return file
    try:
        return PurePath(os.path.relpath(os.path.realpath(file), os.path.realpath(folder))).as_posix()
    except ValueError:  # another drive
        return PurePath(os.path.realpath(file)).as_posix()


def read_baseline(file: str) -> Baseline:
    """The entries of a baseline. Raises KinetreeError for what is none, or of another version."""
    if not os.path.isfile(file):
        raise _fault(file, "there is no such file; --write-baseline makes one")
    status = os.stat(file)
    return _read(file, status.st_mtime_ns, status.st_size)


@lru_cache(8)
def _read(file: str, _changed: int, _size: int) -> Baseline:
    try:
        data = json.loads(read_file(Path(file)))
    except UnicodeDecodeError as error:
        raise _fault(file, f"the text is not UTF-8: {error.reason} at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise _fault(file, f"this is no JSON: {error.msg}", error.lineno, error.colno) from None
    except (RecursionError, ValueError):
        raise _fault(file, "this is no baseline: it is nested too deep, or has too long a number") from None
    version = data.get("kinetree-baseline") if isinstance(data, dict) else None
    if type(version) is not int or version != VERSION:
        said = "no version of a baseline is said" if version is None else f"a baseline of version {version!r}"
        raise _fault(file, f'{said}; legal is "kinetree-baseline": {VERSION}; --write-baseline makes one')
    rows = data.get("findings")
    if not isinstance(rows, list):
        raise _fault(file, 'there are no "findings", a list of them; --write-baseline makes one')
    entries: dict[str, Counter[Entry]] = {}
    for number, row in enumerate(rows, 1):
        entry, count = _entry(row, number, file)
        entries.setdefault(entry[0], Counter())[entry] += count
    return entries


def _entry(row: Any, number: int, file: str) -> tuple[Entry, int]:
    fine = isinstance(row, dict) and set(row) == {*KEYS, "count"} and all(isinstance(row[key], str) for key in KEYS)
    if not fine or type(row["count"]) is not int or row["count"] < 1:
        message = f'finding {number} is not understood; legal are texts for {", ".join(KEYS)}, and "count", at least 1'
        raise _fault(file, message)
    model, where, code, element, message = (row[key] for key in KEYS)
    return (model, where, code, element, message), row["count"]


def _remark(gone: Counter[Entry], file: str, model: str) -> list[Finding]:
    """That entries are not found any more."""
    named = [" ".join(filter(None, (code, element))) for _, _, code, element, _ in sorted(gone)]
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    message = f"{gone.total()} in the baseline are gone: {', '.join(named[:3])}{more}"
    return [Finding(GONE, "info", message, Source(file), f"model {model!r}", "write it anew with --write-baseline")]


def _fault(file: str, message: str, line: int | None = None, column: int | None = None) -> KinetreeError:
    return KinetreeError(Finding("baseline", "error", message, Source(file, line, column)))
