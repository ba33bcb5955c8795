"""Mend the text of a model: rule by rule, each repair tried on the text and kept only if the robot stays the same."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinetree.conventions.check import PROFILES, check_codes, check_reading, rules_of
from kinetree.conventions.edit import Edit, Mend, on_disk
from kinetree.conventions.follow import follow
from kinetree.conventions.mending import QuaternionInOldFile
from kinetree.conventions.relocate import relocated
from kinetree.conventions.rule import Rule
from kinetree.conventions.same import Names, difference
from kinetree.conventions.subject import Subject
from kinetree.errors import Finding, KinetreeError, Source, fail
from kinetree.formats.opener import read_file
from kinetree.formats.output import write_files
from kinetree.formats.xml import Element
from kinetree.load import examine
from kinetree.model.robot import Robot

MOST_STEPS = 1000
"""Repairs of one file, after which something is wrong with the rules."""

Key = tuple[str, str | None]
"""A finding: its code and its element."""


@dataclass(frozen=True)
class Fixed:
    """What became of a file. Nothing is written yet: `write` does it.

    before, after: the contents of all files that change, by path.
    mended: findings that are gone. unmended: those of rules that can mend, and why they are still there.
    unsafe: those that only repairs can mend which are not safe, and were not allowed.
    """

    file: str
    before: Mapping[Path, bytes]
    after: Mapping[Path, bytes]
    mended: tuple[Finding, ...]
    unmended: tuple[tuple[Finding, str], ...]
    unsafe: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class _Asked:
    """How a file is read and checked. `excused`: whether a finding is to be left as it is."""

    file: str
    profile: str
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    vendor: str | None
    unsafe: bool
    also: tuple[Path, ...]
    excused: Callable[[Finding], bool]
    options: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class _State:
    """The contents of the files that have changed, by path, and what is found in the robot that they describe."""

    contents: Mapping[Path, bytes]
    robot: Robot
    findings: tuple[Finding, ...]

    @property
    def keys(self) -> set[Key]:
        return {(finding.code, finding.element) for finding in self.findings}


@dataclass(frozen=True, eq=False)
class _Step:
    """A repair that has been made: what was before, and which findings it was to mend."""

    before: _State
    after: _State
    keys: set[Key]
    renamed: Names

    def known(self, keys: set[Key]) -> set[Key]:
        """Findings of before, by the names that things have after."""
        names = {f"{kind} {old!r}": f"{kind} {new!r}" for (kind, old), new in self.renamed.items()}
        return {(code, names.get(element or "", element)) for code, element in keys}

    @property
    def brought(self) -> set[Key]:
        """What was not found before."""
        return self.after.keys - self.known(self.before.keys)


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
    **options: Any,
) -> Fixed:
    """Mend what the rules of a profile find in a URDF or xacro file, and say what its text becomes.

    profile, select, ignore, vendor: as `kinetree.check` takes them. options: what `kinetree.load` takes.
    unsafe: whether to give links and joints other names, too. also: SRDF and YAML files that use their names.
    excused: whether a finding shall stay.

    Each rule that has something to say and knows how to mend it gives edits; the edited text is read again. They are
    kept if the finding is gone, nothing new is found, and the robot is the same: all frames, shapes, sensors and masses
    in their places to 1e-9, with all joints at zero and at random, and no limit nor inertia another. (Where a rule says
    by how much it turns origins, only that.) Otherwise they are dropped, and the finding is among `unmended`.

    Raises KinetreeError with all its errors for a file that cannot be read.
    """
    select, ignore = ((codes,) if isinstance(codes, str) else tuple(codes) for codes in (select, ignore))
    check_codes(profile, select, ignore)
    if os.path.exists(file) and not os.path.isfile(file):
        raise KinetreeError(Finding("file", "error", "is no file that can be edited in place", Source(str(file))))
    asked = _Asked(str(file), profile, select, ignore, vendor, unsafe, tuple(map(Path, also)), excused, options)
    named = {Path(file).resolve(): read_file(Path(file))} if os.path.exists(file) else {}
    start = _look(asked, {})
    given_up: dict[Key, str] = {}
    steps = _mend_all(asked, start, given_up)
    end = steps[-1].after if steps else start
    withheld = () if unsafe else tuple(rule for rule in _menders(profile) if not rule.safe)
    left = {key for rule in withheld for key in _wanted(asked, rule, end)}
    return Fixed(
        str(file),
        {path: named[path] if path in named else read_file(path) for path in end.contents},
        end.contents,
        tuple(f for step in steps for f in step.before.findings if (f.code, f.element) in step.keys - step.after.keys),
        tuple((f, given_up[f.code, f.element]) for f in end.findings if (f.code, f.element) in given_up),
        tuple(f for f in end.findings if (f.code, f.element) in left),
    )


def write(fixed: Fixed) -> None:
    """Write all files that change, or none. Raises KinetreeError where one cannot be written, or has changed since it
    was read."""
    for path, content in fixed.before.items():
        if read_file(path) != content:
            raise KinetreeError(Finding("file", "error", "has changed since it was read", Source(str(path))))
        if not os.access(path, os.W_OK):
            raise KinetreeError(Finding("file", "error", "is not to be written", Source(str(path))))
    try:
        write_files(fixed.after)
    except BaseException:
        written = {path: old for path, old in fixed.before.items() if read_file(path) != old}
        if written:  # of several files, which are put in their places one by one
            write_files(written)
        raise


def _look(asked: _Asked, contents: Mapping[Path, bytes]) -> _State:
    """The robot that the files describe, and what is wrong with it. Raises KinetreeError for what cannot be read."""
    robot, notes = examine(_source(asked), instead=contents, **asked.options)
    errors = [finding for finding in notes if finding.severity == "error"]
    if errors or robot is None:
        raise KinetreeError(errors)
    findings = check_reading((robot, notes), profile=asked.profile, vendor=asked.vendor)
    return _State(contents, robot, tuple(findings))


def _source(asked: _Asked) -> str | Path:
    return Path(asked.file) if asked.options.get("format") else asked.file  # a str with a format is the text itself


def _mend_all(asked: _Asked, start: _State, given_up: dict[Key, str]) -> list[_Step]:
    """Repairs until nothing is left to mend, without those that leave something new behind; `given_up` gets what could
    not be mended, and why."""
    rules = [rule for rule in _menders(asked.profile) if rule.safe or asked.unsafe]
    rules.sort(key=lambda rule: not rule.safe)
    steps: list[_Step] = []
    for _ in range(MOST_STEPS):
        state = steps[-1].after if steps else start
        found = next(((rule, keys) for rule in rules if (keys := _wanted(asked, rule, state) - given_up.keys())), None)
        if found:
            rule, keys = found
            step = _tried(asked, rule, keys, state, given_up)
            steps += [step] if step else []
            continue
        known = start.keys
        for step in steps:
            known = step.known(known)
        new = state.keys - known
        guilty = next((i for i, step in enumerate(steps) if new & step.brought), None)
        if guilty is None:
            return steps
        brought = ", ".join(sorted(f"{code} of {element}" for code, element in new & steps[guilty].brought))
        given_up |= dict.fromkeys(steps[guilty].keys, f"to mend it would bring in {brought}")
        del steps[guilty:]
    raise AssertionError(f"{MOST_STEPS} repairs, and no end")


def _menders(profile: str) -> list[type[Rule]]:
    """The rules of a profile that know how to mend, and what the reader says that can be mended."""
    return [QuaternionInOldFile, *(rule for rule in rules_of(profile) if rule.mend)]


def _wanted(asked: _Asked, rule: type[Rule], state: _State) -> set[Key]:
    """The findings of a rule that are to be mended."""
    begins, unwanted = asked.select, asked.ignore
    if (begins and not rule.code.startswith(begins)) or (unwanted and rule.code.startswith(unwanted)):
        return set()
    return {(f.code, f.element) for f in state.findings if f.code == rule.code and not asked.excused(f)}


def _tried(asked: _Asked, rule: type[Rule], keys: set[Key], state: _State, given_up: dict[Key, str]) -> _Step | None:
    """A rule mends its findings, or None where it cannot; those that are left are given up."""
    elements = {element for _, element in keys}
    try:
        mends = [mend for mend in _mends(asked, rule, state) if mend.element in elements]
        reasons: dict[Key, str] = {(rule.code, mend.element): mend.because for mend in mends if mend.because}
        renamed = {old: new for mend in mends for old, new in mend.renamed.items()}
        after = _applied(asked, rule, [edit for mend in mends for edit in mend.edits], renamed, state)
    except KinetreeError as error:
        reasons, renamed, after = dict.fromkeys(keys, error.findings[0].message), {}, None
    left = keys & after.keys if after else keys
    given_up |= {key: reasons.get(key, "no repair of it is known") for key in left}
    return _Step(state, after, keys, renamed) if after and keys - left else None


def _mends(asked: _Asked, rule: type[Rule], state: _State) -> list[Mend]:
    subject = Subject(state.robot, vendor=asked.vendor, strict=PROFILES[asked.profile].strict)
    facts = subject.facts(rule.mend)
    if any(value is None for value in facts.values()):
        raise fail("fix", "only the texts of URDF and xacro files are mended")
    return list(rule.mend(**facts))


def _applied(asked: _Asked, rule: type[Rule], edits: Sequence[Edit], renamed: Names, state: _State) -> _State | None:
    """The state after edits, None where there are none. Raises KinetreeError where they cannot be made, or make another
    robot of it."""
    if not edits:
        return None
    document: Element = Subject(state.robot).facts(lambda document: None)["document"]
    if document.document.origins:
        edits = relocated(edits, document, state.contents)
        _check_shared(asked, edits)
    followed = follow(asked.also, renamed, state.robot, state.contents)
    contents = {**state.contents, **_edited(edits, state.contents), **followed}
    after = _look(asked, contents)
    if (changed := difference(state.robot, after.robot, renamed, turns=rule.turns)) is not None:
        raise fail("fix", f"the repair was not made, for it would change the robot: {changed}")
    return after


def _check_shared(asked: _Asked, edits: Iterable[Edit]) -> None:
    """Refuse to mend what other models may include: only this one is looked at, and the others may want it as it is."""
    others = sorted({edit.file for edit in edits if Path(edit.file).resolve() != Path(asked.file).resolve()})
    if others and not asked.unsafe:
        raise fail("fix", f"it stands in {others[0]}, which other models may include; --unsafe mends it there")


def _edited(edits: Iterable[Edit], contents: Mapping[Path, bytes]) -> dict[Path, bytes]:
    by_file: dict[Path, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(Path(edit.file).resolve(), []).append(edit)
    return {path: on_disk(contents.get(path) or read_file(path), of_file) for path, of_file in by_file.items()}
