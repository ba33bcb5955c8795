"""Mend the text of a model: rule by rule, each repair tried on the text and kept only if the robot stays the same."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kinetree.conventions.options import CheckOptions
from kinetree.conventions.profiles import as_codes, check_codes
from kinetree.errors import Finding, KinetreeError, Source, fail
from kinetree.fixer.apply import State, Task, apply_fixes, key_of, look, mended, repairing, wanted
from kinetree.fixer.related_files import read_related_files
from kinetree.formats.journal import recover
from kinetree.formats.opener import read_file
from kinetree.formats.output import write_all
from kinetree.formats.registry import ReadOptions

BESIDE = "another finding of this kind and element is excused, and a repair would mend both"


@dataclass(frozen=True)
class Fixed:
    """What becomes of a file. Nothing is written yet: `write` does it.

    before, after: the contents of all files that change, by path.
    mended: findings that are gone, those too that went with the repair of others. unmended: those of rules that can
        mend, and why they are still there.
    unsafe: those that only repairs can mend which are not safe, and were not allowed.
    """

    file: str
    before: Mapping[Path, bytes]
    after: Mapping[Path, bytes]
    mended: tuple[Finding, ...]
    unmended: tuple[tuple[Finding, str], ...]
    unsafe: tuple[Finding, ...] = ()


def fix(
    file: str | os.PathLike[str],
    *,
    profile: str,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    vendor: str | None = None,
    unsafe: bool = False,
    also: Iterable[str | os.PathLike[str]] = (),
    excused: Callable[[Finding], bool] = lambda finding: False,
    instead: Mapping[Path, bytes] = MappingProxyType({}),
    **options: Any,
) -> Fixed:
    """Return what becomes of a URDF or xacro file where the rules of a profile find something that can be repaired.

    profile, select, ignore, vendor: as `kinetree.check` takes them. options: what `kinetree.load` takes.
    unsafe: whether to give links and joints other names, too. also: SRDF and YAML files that use their names.
    excused: whether a finding shall stay.
    instead: what files are taken to hold, by resolved path, whatever is on the disk.

    Each rule that has something to say and knows how to mend it gives edits; the edited text is read again. They are
    kept if the finding is gone, nothing new is found, and the robot is the same: all frames, shapes, sensors and masses
    in their places to 1e-9, with all joints at zero and at random, and no limit nor inertia another. (Where a rule says
    by how much it turns origins, only that.) Otherwise they are dropped, and the finding is among `unmended`.

    Raises KinetreeError with all its errors for a file that cannot be read, and for one of `also` that is neither the
    SRDF of the robot nor YAML.
    """
    read = ReadOptions(**options).confined_to(Path(file))
    checked = CheckOptions(profile, as_codes(select), as_codes(ignore), vendor, read)
    if os.path.exists(file) and not os.path.isfile(file):
        raise KinetreeError(Finding("file", "error", "is no file that can be edited in place", Source(str(file))))
    return fix_from(look(str(file), checked, instead), str(file), checked, unsafe=unsafe, also=also, excused=excused)


def fix_from(
    start: State,
    file: str,
    options: CheckOptions,
    *,
    unsafe: bool = False,
    also: Iterable[str | os.PathLike[str]] = (),
    excused: Callable[[Finding], bool] = lambda finding: False,
) -> Fixed:
    """Return what becomes of a file that has been read and checked; see `fix`."""
    check_codes(options.profile, options.select, options.ignore)
    also = tuple(also)
    if also and not unsafe:
        raise fail("option", "--also is for files that follow new names, which are given with --unsafe alone")
    related = read_related_files(also, file, start.robot)
    before = {**start.contents, **{one.path: one.content for one in related}}
    keys = frozenset(key_of(finding) for finding in start.findings if excused(finding))
    start = replace(start, contents=before, excused=keys)
    task = Task(file, options, unsafe, related)
    steps, given_up = apply_fixes(task, start)
    end = steps[-1].after if steps else start
    after = {path: content for path, content in end.contents.items() if content != before.get(path, content)}
    withheld = () if unsafe else tuple(rule for rule in repairing(options) if not rule.safe)
    left = {key for rule in withheld for key in wanted(options, rule, end, end.excused)}
    return Fixed(
        file,
        {path: before[path] for path in after},
        after,
        tuple(mended(start, steps)),
        (
            *((f, why) for f in end.findings if (why := given_up.get(key_of(f)))),
            *((f, BESIDE) for f in _beside(task, start) if not excused(f)),
        ),
        tuple(f for f in end.findings if key_of(f) in left),
    )


def _beside(task: Task, start: State) -> list[Finding]:
    """Return the findings that would be repaired, were nothing of their kind and element excused."""
    keys = {key for rule in task.rules for key in wanted(task.options, rule, start, frozenset())}
    return [finding for finding in start.findings if key_of(finding) in keys & start.excused]


def write(*results: Fixed) -> list[Finding]:
    """Write all files that change in some models, or none. Return what was done about an earlier run that was killed.

    results: in the order in which they were mended, each from what those before it leave.
    Raises KinetreeError where a file cannot be written, or has changed since it was read.
    """
    before: dict[Path, bytes] = {}
    after: dict[Path, bytes] = {}
    for fixed in results:
        before = {**fixed.before, **before}
        after |= fixed.after
    notes = recover(path.parent for path in before)
    for path, content in before.items():
        if read_file(path) != content:
            raise KinetreeError([Finding("file", "error", "has changed since it was read", Source(str(path))), *notes])
    return notes + write_all({path: content for path, content in after.items() if content != before[path]})
