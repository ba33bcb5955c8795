"""The repairs of a model, one after the other: each is tried on the text, and kept if the robot stays the same, its
finding is gone and nothing new is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinetree.conventions.check import PROFILES, check_reading, is_wanted, rules_of
from kinetree.conventions.companions import Companion, follow
from kinetree.conventions.edit import Edit, Mend, on_disk
from kinetree.conventions.follow import check_left
from kinetree.conventions.mending import QuaternionInOldFile
from kinetree.conventions.relocate import relocated
from kinetree.conventions.rule import Rule
from kinetree.conventions.same import Names, difference
from kinetree.conventions.subject import Subject
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.formats.opener import snapshot
from kinetree.formats.xml import Element
from kinetree.load import examine, is_packaged
from kinetree.model.robot import Robot

MOST_STEPS = 1000
"""Repairs of one file, after which something is wrong with the rules."""
NO_REPAIR = "no repair of it is known"

Key = tuple[str, str | None]
"""A finding: its code and its element."""


@dataclass(frozen=True)
class Asked:
    """How a file is read and checked."""

    file: str
    profile: str
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    vendor: str | None
    unsafe: bool
    options: Mapping[str, Any]

    @property
    def told(self) -> Mapping[str, Any]:
        """What rules are told besides the robot."""
        return {"vendor": self.vendor, "packages": self.options.get("packages")}


@dataclass(frozen=True, eq=False)
class State:
    """The contents of all files that were read, by path, what is found in the robot that they describe, and of what
    some is excused."""

    contents: Mapping[Path, bytes]
    robot: Robot
    findings: tuple[Finding, ...]
    excused: frozenset[Key] = frozenset()

    @property
    def keys(self) -> Counter[Key]:
        """How many findings there are of each kind."""
        return Counter(map(key_of, self.findings))


@dataclass(frozen=True, eq=False)
class Step:
    """A repair that has been made: what was before, and which findings it was to mend."""

    before: State
    after: State
    keys: frozenset[Key]
    renamed: Names

    def known(self, keys: Mapping[Key, int]) -> Counter[Key]:
        """Findings of before, by the names that things have after."""
        found: Counter[Key] = Counter()
        for key, count in keys.items():
            found[_now(key, self.renamed)] += count
        return found

    @property
    def brought(self) -> Counter[Key]:
        """What was not found before."""
        return self.after.keys - self.known(self.before.keys)


@dataclass(frozen=True)
class Trials:
    """What could not be mended, and why; and how many elements of a rule are tried together, where more have failed."""

    given_up: dict[Key, str] = field(default_factory=dict)
    at_most: dict[str, int] = field(default_factory=dict)

    def failed(self, keys: frozenset[Key], why: str) -> None:
        """Of several, which are all of one rule, half are tried next, until the one is found to which it is due."""
        code = next(code for code, _ in keys)
        if len(keys) > 1:
            self.at_most[code] = len(keys) // 2
        else:
            self.at_most.pop(code, None)
            self.given_up.update(dict.fromkeys(keys, why))


def key_of(finding: Finding) -> Key:
    """By what a finding is told from others."""
    return finding.code, finding.element


def _now(key: Key, renamed: Names) -> Key:
    """A finding by the name that its element has after a repair."""
    names = {f"{kind} {old!r}": f"{kind} {new!r}" for (kind, old), new in renamed.items()} if renamed else {}
    code, element = key
    return code, names.get(element or "", element)


def look(asked: Asked, contents: Mapping[Path, bytes]) -> State:
    """The robot that the files describe, and what is wrong with it. Raises KinetreeError for what cannot be read.

    contents: what files are taken to hold, whatever is on the disk.
    """
    by_name = is_packaged(asked.file, asked.options.get("format"))
    source = asked.file if by_name else Path(asked.file)  # a str might be taken for the text itself
    with snapshot(contents) as held:
        robot, notes = examine(source, **asked.options)
        errors = [finding for finding in notes if finding.severity == "error"]
        if errors or robot is None:
            raise KinetreeError(errors)
        return State(held, robot, tuple(check_reading((robot, notes), profile=asked.profile, **asked.told)))


def mend_all(asked: Asked, start: State, companions: Sequence[Companion], trials: Trials) -> list[Step]:
    """Repairs until nothing is left to mend, without those that leave something new behind."""
    rules = [rule for rule in menders(asked.profile) if rule.safe or asked.unsafe]
    rules.sort(key=lambda rule: not rule.safe)
    steps: list[Step] = []
    while len(steps) < MOST_STEPS:
        state = steps[-1].after if steps else start
        found = ((rule, wanted(asked, rule, state, state.excused) - trials.given_up.keys()) for rule in rules)
        if (next_one := next(((rule, keys) for rule, keys in found if keys), None)) is not None:
            rule, keys = next_one
            step = _tried(asked, rule, keys, state, companions, trials)
            steps += [step] if step else []
            continue
        new = state.keys - _followed(start.keys, steps)
        if not new:
            return steps
        brought = [_followed(step.brought, steps[i + 1 :]) & new for i, step in enumerate(steps)]
        guilty = next(i for i, some in enumerate(brought) if some)
        why = f"to mend it would bring in {', '.join(sorted(map(_said, brought[guilty])))}"
        trials.failed(steps[guilty].keys, why)
        del steps[guilty:]
    raise AssertionError(f"{MOST_STEPS} repairs, and no end")


def _followed(keys: Counter[Key], steps: Iterable[Step]) -> Counter[Key]:
    """Findings by the names that things have after some steps."""
    for step in steps:
        keys = step.known(keys)
    return keys


def mended(start: State, steps: Sequence[Step]) -> list[Finding]:
    """What is found no more: what was to be mended, and what went with that."""
    end = steps[-1].after.keys if steps else start.keys
    keys = list(map(key_of, start.findings))
    for step in steps:
        keys = [_now(key, step.renamed) for key in keys]
    return [finding for finding, key in zip(start.findings, keys, strict=True) if key not in end]


def _said(key: Key) -> str:
    return " of ".join(filter(None, key))


def menders(profile: str) -> list[type[Rule]]:
    """The rules of a profile that know how to mend, and what the reader says that can be mended."""
    return [QuaternionInOldFile, *(rule for rule in rules_of(profile) if rule.mend)]


def wanted(asked: Asked, rule: type[Rule], state: State, excused: frozenset[Key]) -> frozenset[Key]:
    """The findings of a rule that are to be mended, where some are excused."""
    if not is_wanted(rule.code, asked.select, asked.ignore):
        return frozenset()
    return frozenset(key for key in state.keys if key[0] == rule.code) - excused


def _tried(
    asked: Asked, rule: type[Rule], keys: frozenset[Key], state: State, companions: Sequence[Companion], trials: Trials
) -> Step | None:
    """A rule mends its findings, or as many as are tried together; None where that is not kept."""
    try:
        mends, reasons = _mends(asked, rule, state)
    except KinetreeError as error:
        trials.given_up.update(dict.fromkeys(keys, error.findings[0].message))
        return None
    mends = [mend for mend in mends if (rule.code, mend.element) in keys]
    elements = list(dict.fromkeys(mend.element for mend in mends))
    trials.given_up.update({key: reasons.get(key[1] or "", NO_REPAIR) for key in keys if key[1] not in elements})
    elements = elements[: trials.at_most.get(rule.code)]
    if not elements:
        return None
    tried = frozenset((rule.code, element) for element in elements)
    mends = [mend for mend in mends if mend.element in elements]
    renamed = {old: new for mend in mends for old, new in mend.renamed.items()}
    try:
        after = _applied(asked, rule, [edit for mend in mends for edit in mend.edits], renamed, state, companions)
        step = Step(state, after, tried, renamed)
        _check_excused(step)
    except KinetreeError as error:
        trials.failed(tried, error.findings[0].message)
        return None
    left = tried & after.keys.keys()
    trials.given_up.update(dict.fromkeys(left, "what is known to mend it does not"))
    return None if left else step


def _mends(asked: Asked, rule: type[Rule], state: State) -> tuple[list[Mend], dict[str, str]]:
    """The repairs that can be made, with edits of the files that the robot was read from; and why others cannot, by
    element."""
    subject = Subject(state.robot, strict=PROFILES[asked.profile].strict, **asked.told)
    facts = subject.facts(rule.mend)
    if any(value is None for value in facts.values()):
        raise fail("fix", "only the texts of URDF and xacro files are mended")
    made = list(rule.mend(**facts))
    mends = [mend for mend in made if mend.edits]
    reasons = {mend.element: mend.because for mend in made if mend.because}
    document: Element = subject.facts(lambda document: None)["document"]
    if document.document.origins:
        mends, refused = relocated(mends, document, state.contents, None if asked.unsafe else Path(asked.file))
        reasons |= refused
    return mends, reasons


def _applied(
    asked: Asked,
    rule: type[Rule],
    edits: Iterable[Edit],
    renamed: Names,
    state: State,
    companions: Sequence[Companion],
) -> State:
    """The state after edits. Raises KinetreeError where they cannot be made, or make another robot of it."""
    followed = follow(companions, renamed, state.robot, state.contents)
    after = look(asked, {**state.contents, **_edited(edits, state.contents), **followed})
    if (changed := difference(state.robot, after.robot, renamed, turns=rule.turns)) is not None:
        raise fail("fix", f"the repair was not made, for it would change the robot: {changed}")
    check_left(renamed, after.robot)
    excused = frozenset(_now(key, renamed) for key in state.excused)
    return State(after.contents, after.robot, after.findings, excused)


def _check_excused(step: Step) -> None:
    """Refuse to mend what is excused along with what is not."""
    lost = step.known({key: step.before.keys[key] for key in step.before.excused}) - step.after.keys
    if lost:
        raise fail("fix", f"it would mend {', '.join(sorted(map(_said, lost)))}, too, which is excused")


def _edited(edits: Iterable[Edit], contents: Mapping[Path, bytes]) -> dict[Path, bytes]:
    by_file: dict[Path, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(Path(edit.file).resolve(), []).append(edit)
    return {path: on_disk(contents[path], of_file) for path, of_file in by_file.items()}
