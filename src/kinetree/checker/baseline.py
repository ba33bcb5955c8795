"""Findings that are known and stay: a file that lists them, so that only new ones are reported.

An entry is what a finding says and about what, without its line, for lines shift, and how often it is found.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path, PurePath
from typing import Any

from kinetree.checker.check import is_error_of_reader
from kinetree.conventions.profiles import codes_of
from kinetree.errors import Finding, KinetreeError, Source, nearest_names
from kinetree.formats.opener import read_file
from kinetree.formats.output import write_whole
from kinetree.load import is_packaged

VERSION = 1
GONE = "baseline-gone"
"""The code of the remark that entries of a baseline are not found any more."""
TABLE = ("kinetree-baseline", "findings")
KEYS = ("model", "variant", "file", "code", "element", "message")
MAX_FAULTS = 100  # said of one file

Model = tuple[str, str]
"""A file that is checked, and which of its variants, "" where there is one."""
Entry = tuple[str, str, str, str, str, str]
"""Values of KEYS. file: where the finding is, which xacro may have included; like `model` relative to the folder of the
baseline."""
Baseline = Mapping[Model, Mapping[Entry, int]]
"""Model to its entries, and how often each was found."""

_BEGINNING = re.compile(rb'\s*(?:<{7}[^\n]*\n\s*)?\{\s*"kinetree-baseline"')
_PLACE = re.compile(r"\S+:\d+(?::\d+)?(?!\d)|(?<=\bline )\d+")
_PATH = re.compile(r"(?<![\w.:/\\>])(?:[A-Za-z]:[/\\]|/)[^\s,;:'\"]+")


def subtract(
    findings: Sequence[Finding], file: str, model: Model, is_asked: Callable[[str], bool]
) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """The findings that are not in a baseline, those that are, and a remark if there are entries to take out of it.

    file: of the baseline. model: what `model_key` says of the file that is checked, seen from there. is_asked:
    whether a code would have been found; entries of others are not called superfluous. Errors of a reader are never
    left out.
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
    gone = Counter({entry: count for entry, count in left.items() if count > 0 and is_asked(entry[3])})
    return new, known, [_remark(gone, file, model)] if gone else []


def of_gone_models(file: str, checked: Collection[Model]) -> list[Finding]:
    """Remarks on entries that nothing can find any more: of files that are not there, and of variants that are not
    among what was checked, though their file was. Of files that were not checked nothing is known.

    file: of the baseline. checked: what `model_key` says, seen from there.
    """
    folder, files = os.path.dirname(file), {model for model, _ in checked}
    without_file: dict[str, Counter[Entry]] = {}
    remarks: list[Finding] = []
    for (model, variant), entries in read_baseline(file).items():
        if not (os.path.exists(os.path.join(folder, model)) or is_packaged(model, None)):
            without_file.setdefault(model, Counter()).update(entries)
        elif model in files and (model, variant) not in checked:
            remarks.append(_remark(Counter(entries), file, (model, variant), " with their variant"))
    gone = [_remark(entries, file, (model, ""), " with their file") for model, entries in without_file.items()]
    return [*gone, *remarks]


def write_baseline(file: str, found: Iterable[tuple[Model, Iterable[Finding]]]) -> int:
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
    write_whole(Path(file), f'{{\n "kinetree-baseline": {VERSION},\n "findings": [\n{lines}\n ]\n}}\n')
    return counts.total()


def check_replaceable(file: str) -> None:
    """Raises KinetreeError for a file that is there and no baseline. One in which a merge has left its marks is one, by
    how it begins: to write it anew is how it is mended."""
    if not os.path.exists(file):
        return
    if not os.path.isfile(file):
        raise KinetreeError(Finding("baseline", "error", "is no file, and cannot be a baseline", Source(file)))
    content = read_file(Path(file))
    if content.strip() and not _BEGINNING.match(content):
        try:
            read_baseline(file)
        except KinetreeError:
            raise _fault(file, "is no baseline and not replaced by one; delete it first, or name another") from None


def entry_of(finding: Finding, model: Model, folder: str) -> Entry:
    """What a baseline in a folder says of a finding; it stays the same while lines shift."""
    file = relative(finding.source.file, folder) if finding.source else ""
    message = _PATH.sub("…", _PLACE.sub("…", finding.message))
    return *model, file, finding.code, finding.element or "", message


def model_key(file: str, name: str, folder: str) -> Model:
    """What a baseline in a folder calls a file that is checked, or one of its variants."""
    return relative(file, folder), name


def relative(file: str, folder: str) -> str:
    """A path as seen from a folder, with slashes; what is no file, such as "<text>" or "icub", stays what it is."""
    if not os.path.exists(file):
        return file
    try:
        return PurePath(os.path.relpath(os.path.realpath(file), os.path.realpath(folder))).as_posix()
    except ValueError:  # another drive
        return PurePath(os.path.realpath(file)).as_posix()


def check_baseline(file: str) -> None:
    """Raises KinetreeError for what is no baseline, and for codes in it that there are not.

    Apart from reading it, for this asks for all rules, which a process that checks with one profile does not load.
    """
    known = codes_of()
    codes = dict.fromkeys(entry[3] for entries in read_baseline(file).values() for entry in entries)
    rules = set(known)
    unknown = [code for code in codes if code not in rules and (not code.islower() or code.upper() in rules)]
    if unknown:
        content = read_file(Path(file))
        raise KinetreeError([_unknown(code, known, file, content) for code in unknown[:MAX_FAULTS]])


def _unknown(code: str, known: Sequence[str], file: str, content: bytes) -> Finding:
    """That there is no such code, at the first line that has it."""
    place = re.search(rb'"code"\s*:\s*' + re.escape(json.dumps(code).encode()), content)
    line = content.count(b"\n", 0, place.start()) + 1 if place else None
    message = f"no rule has the code {code!r}; {nearest_names(code, known)}"
    fix = "take it out, or write the baseline anew with --write-baseline"
    return Finding("baseline", "error", message, Source(file, line), fix=fix)


def read_baseline(file: str) -> Baseline:
    """The entries of a baseline. Raises KinetreeError for what is none, or of another version."""
    if os.path.isdir(file):
        raise _fault(file, "this is a folder; legal is a file that --write-baseline has made")
    if not os.path.isfile(file):
        raise _fault(file, "there is no such file; --write-baseline makes one")
    status = os.stat(file)
    return _read(file, status.st_mtime_ns, status.st_size)


@lru_cache(8)
def _read(file: str, _changed: int, _size: int) -> Baseline:
    entries: dict[Model, Counter[Entry]] = {}
    for number, row in enumerate(_rows(_data(file), file), 1):
        entry, count = _entry(row, number, file)
        entries.setdefault(entry[:2], Counter())[entry] += count
    return entries


def _data(file: str) -> Any:
    """What the JSON in a file says."""
    try:
        return json.loads(read_file(Path(file)), object_pairs_hook=partial(_object, file))
    except UnicodeDecodeError as error:
        raise _fault(file, f"the text is not UTF-8: {error.reason} at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise _fault(file, f"this is no JSON: {error.msg}", error.lineno, error.colno) from None
    except (RecursionError, ValueError):
        raise _fault(file, "this is no baseline: it is nested too deep, or has too long a number") from None


def _object(file: str, pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, in which no key stands twice: which one would be meant?"""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise _fault(file, f"the key {twice!r} stands twice in one object; legal is once")
    return found


def _rows(data: Any, file: str) -> list[Any]:
    """The entries as they are written."""
    version = data.get("kinetree-baseline") if isinstance(data, dict) else None
    if type(version) is not int or version != VERSION:
        said = "no version of a baseline is said" if version is None else f"a baseline of version {version!r}"
        raise _fault(file, f'{said}; legal is "kinetree-baseline": {VERSION}; --write-baseline makes one')
    if odd := sorted(data.keys() - TABLE):
        said = ", ".join(map(repr, odd))
        raise _fault(file, f"{said} means nothing here; legal are {' and '.join(map(repr, TABLE))}")
    rows = data.get("findings")
    if not isinstance(rows, list):
        raise _fault(file, 'there are no "findings", a list of them; --write-baseline makes one')
    return rows


def _entry(row: Any, number: int, file: str) -> tuple[Entry, int]:
    fine = isinstance(row, dict) and set(row) == {*KEYS, "count"} and all(isinstance(row[key], str) for key in KEYS)
    if not fine or type(row["count"]) is not int or row["count"] < 1:
        message = f'finding {number} is not understood; legal are texts for {", ".join(KEYS)}, and "count", at least 1'
        raise _fault(file, message)
    model, variant, where, code, element, message = (row[key] for key in KEYS)
    return (model, variant, where, code, element, message), row["count"]


def _remark(gone: Counter[Entry], file: str, model: Model, how: str = "") -> Finding:
    """That entries are not found any more."""
    named = [" ".join(filter(None, (code, element))) for _, _, _, code, element, _ in sorted(gone)]
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    message = f"{gone.total()} in the baseline are gone{how}: {', '.join(named[:3])}{more}"
    path, variant = model
    element = f"model {path!r}" + (f" ({variant})" if variant else "")
    return Finding(GONE, "info", message, Source(file), element, "write it anew with --write-baseline")


def _fault(file: str, message: str, line: int | None = None, column: int | None = None) -> KinetreeError:
    return KinetreeError(Finding("baseline", "error", message, Source(file, line, column)))
