"""Baselines: files of known findings, so that only new ones are reported.

An entry has the message and the element of a finding, without its line because lines shift, and its count.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path, PurePath
from typing import Any

from kinetree.checker.check import is_error_of_reader
from kinetree.errors import Finding, KinetreeError, Source, nearest_names
from kinetree.files.opener import read_file
from kinetree.files.output import write_whole
from kinetree.robots.packaged import is_packaged
from kinetree.rules.profiles import codes_of

VERSION = 1
GONE = "baseline-gone"
"""Code of the remark that entries of a baseline are no longer found."""
TABLE = ("kinetree-baseline", "findings")
KEYS = ("model", "variant", "file", "code", "element", "message")
MAX_FAULTS = 100  # of one file

Model = tuple[str, str]
"""A checked file and the name of its variant, "" if it has one."""
Entry = tuple[str, str, str, str, str, str]
"""Values of KEYS. file: where the finding is, perhaps in an included xacro file; relative, as `model`, to the folder of
the baseline."""
Baseline = Mapping[Model, Mapping[Entry, int]]
"""Entries of each model, with their counts."""

_BEGINNING = re.compile(rb'\s*(?:<{7}[^\n]*\n\s*)?\{\s*"kinetree-baseline"')
_PLACE = re.compile(r"\S+:\d+(?::\d+)?(?!\d)|(?<=\bline )\d+")
_PATH = re.compile(r"(?<![\w.:/\\>])(?:[A-Za-z]:[/\\]|/)[^\s,;:'\"]+")


def subtract(
    findings: Sequence[Finding], file: str, model: Model, is_asked: Callable[[str, str], bool]
) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """Return the findings that are not in a baseline, those that are, and a remark if some of its entries are gone.

    file: the baseline. model: `model_key` of the checked file, relative to the baseline. is_asked: whether a finding of
    a code about an element could have been found; other entries are never gone. Errors of a reader always stay.
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
    gone = Counter({entry: count for entry, count in left.items() if count > 0 and is_asked(entry[3], entry[4])})
    return new, known, [_remark(gone, file, model)] if gone else []


def of_gone_models(file: str, checked: Collection[Model]) -> list[Finding]:
    """Return remarks on entries of files that no longer exist, and of missing variants of files that were checked.

    file: the baseline. checked: `model_key` of the checked files, relative to the baseline. Files that were not checked
    are ignored.
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
    """Write findings, as pairs of a model's key and its findings, and return how many are in the file. Errors of a
    reader are left out. Raises KinetreeError if the file cannot be written."""
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
    """Raise KinetreeError if a file exists and is not a baseline. A baseline with marks of a merge is recognized by its
    beginning, and may be replaced."""
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
    """Return the entry of a finding for a baseline in a folder; it stays the same when lines shift."""
    file = relative(finding.source.file, folder) if finding.source else ""
    message = _PATH.sub("…", _PLACE.sub("…", finding.message))
    return *model, file, finding.code, finding.element or "", message


def model_key(file: str, name: str, folder: str) -> Model:
    """Return the key of a checked file, or of one of its variants, for a baseline in a folder."""
    return relative(file, folder), name


def relative(file: str, folder: str) -> str:
    """Return a path relative to a folder, with slashes; names that are not files, such as "<text>" or "icub", stay."""
    if not os.path.exists(file):
        return file
    try:
        return PurePath(os.path.relpath(os.path.realpath(file), os.path.realpath(folder))).as_posix()
    except ValueError:  # another drive
        return PurePath(os.path.realpath(file)).as_posix()


def check_baseline(file: str) -> None:
    """Raise KinetreeError if a file is not a baseline, or has unknown codes. This loads all rules, which reading a
    baseline does not."""
    known = codes_of()
    codes = dict.fromkeys(entry[3] for entries in read_baseline(file).values() for entry in entries)
    rules = set(known)
    unknown = [code for code in codes if code not in rules and (not code.islower() or code.upper() in rules)]
    if unknown:
        content = read_file(Path(file))
        raise KinetreeError([_unknown(code, known, file, content) for code in unknown[:MAX_FAULTS]])


def _unknown(code: str, known: Sequence[str], file: str, content: bytes) -> Finding:
    """Return the finding for an unknown code, at the first line that has it."""
    place = re.search(rb'"code"\s*:\s*' + re.escape(json.dumps(code).encode()), content)
    line = content.count(b"\n", 0, place.start()) + 1 if place else None
    message = f"no rule has the code {code!r}; {nearest_names(code, known)}"
    fix = "take it out, or write the baseline anew with --write-baseline"
    return Finding("baseline", "error", message, Source(file, line), fix=fix)


def read_baseline(file: str) -> Baseline:
    """Return the entries of a baseline. Raises KinetreeError if it is not one, or has another version."""
    if os.path.isdir(file):
        raise _fault(file, "this is a folder; expected a file that --write-baseline has made")
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
    try:
        return json.loads(read_file(Path(file)), object_pairs_hook=partial(_object, file))
    except UnicodeDecodeError as error:
        raise _fault(file, f"the text is not UTF-8: {error.reason} at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise _fault(file, f"this is no JSON: {error.msg}", error.lineno, error.colno) from None
    except (RecursionError, ValueError):
        raise _fault(file, "this is no baseline: it is nested too deep, or has too long a number") from None


def _object(file: str, pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON. Raises KinetreeError if a key occurs twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise _fault(file, f"the key {twice!r} stands twice in one object; expected once")
    return found


def _rows(data: Any, file: str) -> list[Any]:
    version = data.get("kinetree-baseline") if isinstance(data, dict) else None
    if type(version) is not int or version != VERSION:
        said = "no version of a baseline is said" if version is None else f"a baseline of version {version!r}"
        raise _fault(file, f'{said}; expected "kinetree-baseline": {VERSION}; --write-baseline makes one')
    if odd := sorted(data.keys() - TABLE):
        said = ", ".join(map(repr, odd))
        raise _fault(file, f"{said} is an unknown key; expected {' and '.join(map(repr, TABLE))}")
    rows = data.get("findings")
    if not isinstance(rows, list):
        raise _fault(file, 'there are no "findings", a list of them; --write-baseline makes one')
    return rows


def _entry(row: Any, number: int, file: str) -> tuple[Entry, int]:
    fine = isinstance(row, dict) and set(row) == {*KEYS, "count"} and all(isinstance(row[key], str) for key in KEYS)
    if not fine or type(row["count"]) is not int or row["count"] < 1:
        message = f'finding {number} is not understood; expected texts for {", ".join(KEYS)}, and "count", at least 1'
        raise _fault(file, message)
    model, variant, where, code, element, message = (row[key] for key in KEYS)
    return (model, variant, where, code, element, message), row["count"]


def _remark(gone: Counter[Entry], file: str, model: Model, how: str = "") -> Finding:
    named = [" ".join(filter(None, (code, element))) for _, _, _, code, element, _ in sorted(gone)]
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    message = f"{gone.total()} in the baseline are gone{how}: {', '.join(named[:3])}{more}"
    path, variant = model
    element = f"model {path!r}" + (f" ({variant})" if variant else "")
    return Finding(GONE, "info", message, Source(file), element, "write it anew with --write-baseline")


def _fault(file: str, message: str, line: int | None = None, column: int | None = None) -> KinetreeError:
    return KinetreeError(Finding("baseline", "error", message, Source(file, line, column)))
