"""Repair of the text of a model: each repair is kept only if the robot stays the same."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kinetree.checker.check import is_error_of_reader, options_of
from kinetree.checker.job import Examination, Job
from kinetree.checker.per_file import is_left_out
from kinetree.errors import Finding, KinetreeError, Source, fail
from kinetree.files.opener import read_file
from kinetree.files.output import write_all
from kinetree.fixer.apply import Task, apply_fixes, repaired, repairing, to_repair
from kinetree.fixer.related_files import read_related_files
from kinetree.fixer.state import State, key_of, look
from kinetree.fixer.tools import add_tools
from kinetree.rules.facts import Subject
from kinetree.rules.options import CheckOptions
from kinetree.rules.rep199.places import places
from kinetree.spatial.se3 import Array

BESIDE = "another finding of this kind and element is excused, and a repair would remove both"


@dataclass(frozen=True)
class FixResult:
    """Result of `fix` for a file; `write` writes it.

    before, after: contents by path of all files that change.
    repaired: findings that are gone, also by the repair of others. unrepaired: findings of rules with a repair that
    remain, with the reason. unsafe: findings that only a repair with `unsafe` may remove. added: names of new frames of
    tools. name: name of the variant, "" if the file has one. by_name: findings that only a repair with `unsafe` and
    their code in `select` may remove.
    """

    file: str
    before: Mapping[Path, bytes]
    after: Mapping[Path, bytes]
    repaired: tuple[Finding, ...]
    unrepaired: tuple[tuple[Finding, str], ...]
    unsafe: tuple[Finding, ...] = ()
    added: tuple[str, ...] = ()
    name: str = ""
    by_name: tuple[Finding, ...] = ()


def fix(
    file: str | os.PathLike[str],
    *,
    profile: str,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    controller: str | None = None,
    frames: Mapping[str, str] = MappingProxyType({}),
    unsafe: bool = False,
    turn_tools: bool = False,
    also: Iterable[str | os.PathLike[str]] = (),
    tools: Mapping[str, Array] = MappingProxyType({}),
    excused: Callable[[Finding], bool] = lambda finding: False,
    instead: Mapping[Path, bytes] = MappingProxyType({}),
    **options: Any,
) -> FixResult:
    """Return the repairs of a URDF or xacro file by the rules of a profile.

    profile, select, ignore, controller: those of `kinetree.check`. options: those of `kinetree.load`.
    frames: where the controller has "base", "flange" and "tool0": a pose X Y Z R P Y (m, rad), or the name of a frame.
    unsafe: whether links may be renamed and flanges turned. turn_tools: whether what is attached to a flange turns with
    it. also: SRDF, YAML and other text files that use these names.
    tools: T_tool0_tool (4, 4), m, of new frames by name, which are added beside tool0.
    excused: whether a finding must stay. instead: contents of files by resolved path, which replace those on the disk.

    The edits of each rule are applied to the text, which is read again. They are kept if the finding is gone, nothing
    new is found, and the robot is the same: all frames, shapes, sensors and masses in their places to 1e-9, with all
    joints at zero and at random, and equal limits and inertias. (A rule that turns origins may turn them as far as it
    declares.) Otherwise they are dropped, and the finding is among `unrepaired`.
    Raises KinetreeError with all errors of a file that cannot be read, and for a file of `also` that is neither the
    SRDF of the robot nor YAML.
    """
    checked = options_of(Path(file), profile, select, ignore, controller, options)
    checked = replace(checked, frames=frames, also=tuple(os.fspath(one) for one in also))
    check_also(checked, unsafe)
    if os.path.exists(file) and not os.path.isfile(file):
        raise KinetreeError(Finding("file", "error", "is no file that can be edited in place", Source(str(file))))
    start = look(str(file), checked, instead)
    return fix_from(start, str(file), checked, unsafe=unsafe, turn_tools=turn_tools, tools=tools, excused=excused)


def fix_from(
    start: State,
    file: str,
    options: CheckOptions,
    *,
    unsafe: bool = False,
    turn_tools: bool = False,
    tools: Mapping[str, Array] = MappingProxyType({}),
    excused: Callable[[Finding], bool] = lambda finding: False,
    variants: Sequence[tuple[str, CheckOptions, State]] = (),
) -> FixResult:
    """Return the repairs of a file that has been read and checked; see `fix`. variants: files, options and states of
    other robots; for those that are made from the same files the repairs must be right, too."""
    _check_places(start, options)
    tasks = [
        Task(name, own, unsafe, read_related_files(own.also if unsafe else (), name, state.robot), turn_tools)
        for name, own, state in ((file, options, start), *variants)
    ]
    before = {**start.contents, **{one.path: one.content for task in tasks for one in task.related}}
    keys = frozenset(key_of(finding) for finding in start.findings if excused(finding))
    start = replace(start, contents=before, excused=keys, variants=tuple(state for *_, state in variants))
    task = replace(tasks[0], variants=tasks[1:])
    steps, given_up = apply_fixes(task, start)
    end = add_tools(task, steps[-1].after if steps else start, tools)
    after = {path: content for path, content in end.contents.items() if content != before.get(path, content)}
    withheld = [rule for rule in repairing(options) if rule not in task.rules]
    left = {key: rule.by_name for rule in withheld for key in to_repair(options, rule, end, end.excused)}
    return FixResult(
        file,
        {path: before[path] for path in after},
        after,
        tuple(repaired(start, steps)),
        (
            *((f, why) for f in end.findings if (why := given_up.get(key_of(f)))),
            *((f, BESIDE) for f in _beside(task, start) if not excused(f)),
        ),
        tuple(f for f in end.findings if left.get(key_of(f)) is False),
        tuple(tools),
        by_name=tuple(f for f in end.findings if left.get(key_of(f))),
    )


def fix_examined(
    job: Job,
    examined: Examination,
    held: Mapping[Path, bytes],
    *,
    only: Callable[[Finding], bool] = lambda finding: True,
    **options: Any,
) -> FixResult:
    """Return the repairs of a file that was examined, without what its comments and the settings excuse.

    held: contents of all files that were read, by path. only: whether a finding is to be repaired. options: those of
    `fix_from`. Raises KinetreeError with the errors of a file that was not read.
    """
    errors = list(filter(is_error_of_reader, examined.checked.findings))
    if errors or examined.robot is None:
        raise KinetreeError(errors)
    excused = {one.finding for one in examined.checked.excused}
    fixed = fix_from(
        State(held, examined.robot, examined.findings),
        job.file,
        job.options,
        excused=lambda f: f in excused or is_left_out(f, job.file, job.per_file) or not only(f),
        **options,
    )
    return replace(fixed, name=job.name)


def _check_places(start: State, options: CheckOptions) -> None:
    """Raise KinetreeError for a place that means nothing, or is for a prefix that no arm has."""
    given = {which: places(which, text) for which, text in options.frames.items()}
    arms = (Subject(start.robot, options).facts(lambda arms: None)["arms"] or ()) if given else ()
    own = sorted({arm.prefix for arm in arms})
    for which, prefix in ((which, prefix) for which, found in given.items() for prefix in found if "" not in found):
        if prefix not in own:
            legal = f"prefixes of arms are {', '.join(map(repr, own))}" if own else "the model has no arm"
            raise fail("place", f"{which} is given for the prefix {prefix!r}, which no arm has; {legal}")


def check_also(options: CheckOptions, unsafe: bool) -> None:
    """Raise KinetreeError for files that follow new names if no repair may rename."""
    if options.also and not unsafe:
        raise fail("option", "--also names files that follow new names; only --unsafe renames links and joints")


def _beside(task: Task, start: State) -> list[Finding]:
    """Return the findings that are not repaired because one of their kind and element is excused."""
    keys = {key for rule in task.rules for key in to_repair(task.options, rule, start, frozenset())}
    return [finding for finding in start.findings if key_of(finding) in keys & start.excused]


def write(*results: FixResult) -> None:
    """Write all files that change in some models, or none.

    results: in the order of their repairs; each starts from the contents that those before it leave. Raises
    KinetreeError if a file cannot be written, has changed since it was read, or belongs to an installed package.
    """
    before, after = dict[Path, bytes](), dict[Path, bytes]()
    for fixed in results:
        before = {**fixed.before, **before}
        after |= fixed.after
    for path, content in before.items():
        installed = {"site-packages", "dist-packages"} & {*path.resolve().parts}
        if installed or read_file(path) != content:
            what = "belongs to an installed package; copy it first" if installed else "has changed since it was read"
            raise KinetreeError(Finding("file", "error", what, Source(str(path))))
    write_all({path: content for path, content in after.items() if content != before[path]})
