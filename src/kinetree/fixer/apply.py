"""The repairs of a model, one after the other: each is tried on the text, and kept if the robot stays the same, its
finding is gone and nothing new is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from kinetree.checker.check import check_reading, is_wanted
from kinetree.confine import Confinement, confinement_of
from kinetree.conventions.edit import Edit, Mend, NewNames, on_disk
from kinetree.conventions.facts import Subject
from kinetree.conventions.fixes import QuaternionInOldFile
from kinetree.conventions.profiles import PROFILES, rules_of
from kinetree.conventions.rename_references import check_left
from kinetree.conventions.rule import Rule
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.fixer.invariants import difference
from kinetree.fixer.related_files import Companion, follow
from kinetree.fixer.xacro_edits import relocated
from kinetree.formats.opener import snapshot
from kinetree.formats.xml import Element
from kinetree.load import examine, is_packaged
from kinetree.model.robot import Robot

MOST_TRIES = 200
"""Of repairs of one rule in one file: each reads and checks all of it anew."""
TOO_MANY = f"it was not tried alone: {MOST_TRIES} repairs by this rule have been tried, which is the most"
NO_REPAIR = "no repair of it is known"
NO_USE = "what is known to mend it does not"

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
        return {"vendor": self.vendor, "packages": self.options.get("packages"), "confined": self.confined}

    @property
    def confined(self) -> Confinement | None:
        """Outside of which nothing is read, and nothing changed."""
        return confinement_of(Path(self.file), self.options.get("confined", False))


@dataclass(frozen=True, eq=False)
class State:
    """The contents of all files that were read, by path, what is found in the robot that they describe, and of what
    some is excused."""

    contents: Mapping[Path, bytes]
    robot: Robot
    findings: tuple[Finding, ...]
    excused: frozenset[Key] = frozenset()

    @cached_property
    def keys(self) -> Counter[Key]:
        """How many findings there are of each kind."""
        return Counter(map(key_of, self.findings))


@dataclass(frozen=True, eq=False)
class Step:
    """A repair that has been made: what was before, and which findings it was to mend."""

    before: State
    after: State
    keys: tuple[Key, ...]
    renamed: NewNames

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


@dataclass(frozen=True, eq=False)
class Repair:
    """What is tried: findings of a rule, and what mends them."""

    rule: type[Rule]
    keys: tuple[Key, ...]
    mends: tuple[Mend, ...]

    @property
    def renamed(self) -> NewNames:
        """The new names that it gives."""
        return {old: new for mend in self.mends for old, new in mend.renamed.items()}


@dataclass(frozen=True)
class Refused:
    """A repair that was not kept, and why: for all its findings, or for `each` of them."""

    keys: tuple[Key, ...]
    why: str
    each: bool = False


class Trials:
    """What has come of trying: what could not be mended, and why."""

    def __init__(self) -> None:
        self.given_up: dict[Key, str] = {}
        self.counts: Counter[str] = Counter()
        self._groups: list[tuple[Key, ...]] = []  # the latest first; what is in none has not failed yet

    def are_over(self, code: str) -> bool:
        """Whether no more repairs by a rule are tried."""
        return self.counts[code] >= MOST_TRIES

    def give_up(self, keys: Iterable[Key], why: str) -> None:
        """These are not tried again."""
        self.given_up.update(dict.fromkeys(keys, why))

    def together(self, keys: Sequence[Key]) -> tuple[Key, ...]:
        """Those of some findings of one rule that are tried next: as many as have not failed together."""
        asked = set(keys)
        groups = (tuple(key for key in group if key in asked) for group in self._groups)
        return next(filter(None, groups), tuple(keys))

    def book(self, refused: Refused) -> None:
        """Of several findings each half is tried next, until those are found to which it is due."""
        keys = refused.keys
        if len(keys) == 1 or refused.each:
            self.give_up(keys, refused.why)
        else:
            half = len(keys) // 2
            self._groups[:0] = [keys[:half], keys[half:]]


def key_of(finding: Finding) -> Key:
    """By what a finding is told from others."""
    return finding.code, finding.element


def _now(key: Key, renamed: NewNames) -> Key:
    """A finding by the name that its element has after a repair."""
    names = {f"{kind} {old!r}": f"{kind} {new!r}" for (kind, old), new in renamed.items()} if renamed else {}
    code, element = key
    return code, names.get(element or "", element)


def look(asked: Asked, contents: Mapping[Path, bytes]) -> State:
    """The robot that the files describe, and what is wrong with it. Raises KinetreeError for what cannot be read.

    contents: what files are taken to hold, whatever is on the disk.
    """
    return _judged(asked, *_read(asked, contents))


def _read(asked: Asked, contents: Mapping[Path, bytes]) -> tuple[Mapping[Path, bytes], Robot, list[Finding]]:
    """What all files hold that were read, the robot, and what its reader says of it."""
    by_name = is_packaged(asked.file, asked.options.get("format"))
    source = asked.file if by_name else Path(asked.file)  # a str might be taken for the text itself
    with snapshot(contents) as held:
        robot, notes = examine(source, **asked.options)
    errors = [finding for finding in notes if finding.severity == "error"]
    if errors or robot is None:
        raise KinetreeError(errors)
    return held, robot, notes


def _judged(asked: Asked, contents: Mapping[Path, bytes], robot: Robot, notes: list[Finding]) -> State:
    with snapshot(contents):
        return State(contents, robot, tuple(check_reading((robot, notes), profile=asked.profile, **asked.told)))


def mend_all(asked: Asked, start: State, companions: Sequence[Companion]) -> tuple[list[Step], dict[Key, str]]:
    """Repairs until nothing is left to mend, without those that leave something new behind; and why others are not
    made, by finding."""
    rules = [rule for rule in menders(asked.profile) if rule.safe or asked.unsafe]
    rules.sort(key=lambda rule: not rule.safe)
    trials = Trials()
    steps: list[Step] = []
    while True:
        state = steps[-1].after if steps else start
        if repair := _next(asked, rules, state, trials):
            trials.counts[repair.rule.code] += 1
            tried = _tried(asked, repair, state, companions)
            if isinstance(tried, Step):
                steps.append(tried)
            else:
                trials.book(tried)
        elif guilty := _guilty(start, steps):
            number, refused = guilty
            del steps[number:]
            trials.book(refused)
        else:
            return steps, trials.given_up


def _next(asked: Asked, rules: Iterable[type[Rule]], state: State, trials: Trials) -> Repair | None:
    """What is tried next: by the first rule that finds something and has a repair, as much as is tried together."""
    for rule in rules:
        keys = [key for key in wanted(asked, rule, state, state.excused) if key not in trials.given_up]
        if keys and trials.are_over(rule.code):
            trials.give_up(keys, TOO_MANY)
        elif keys:
            try:
                mends, reasons = _mends(asked, rule, state)
            except KinetreeError as error:
                mends, reasons = [], dict.fromkeys(keys, error.findings[0].message)
            known = {(rule.code, mend.element) for mend in mends}
            trials.given_up.update({key: reasons.get(key, NO_REPAIR) for key in keys if key not in known})
            if keys := [key for key in keys if key in known]:
                together = trials.together(keys)
                elements = {element for _, element in together}
                return Repair(rule, together, tuple(mend for mend in mends if mend.element in elements))
    return None


def _guilty(start: State, steps: Sequence[Step]) -> tuple[int, Refused] | None:
    """The number of the first step that has brought in something new which is still there, and why it cannot stay."""
    new = (steps[-1].after.keys if steps else start.keys) - _followed(start.keys, steps)
    if not new:
        return None
    brought = [_followed(step.brought, steps[i + 1 :]) & new for i, step in enumerate(steps)]
    number = next(i for i, some in enumerate(brought) if some)
    why = f"to mend it would bring in {', '.join(sorted(map(_said, brought[number])))}"
    return number, Refused(steps[number].keys, why)


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


def wanted(asked: Asked, rule: type[Rule], state: State, excused: frozenset[Key]) -> list[Key]:
    """The findings of a rule that are to be mended, where some are excused; in their order."""
    if not is_wanted(rule.code, asked.select, asked.ignore):
        return []
    return [key for key in state.keys if key[0] == rule.code and key not in excused]


def _tried(asked: Asked, repair: Repair, state: State, companions: Sequence[Companion]) -> Step | Refused:
    """A repair that is kept, or why it is not."""
    try:
        step = Step(state, _applied(asked, repair, state, companions), repair.keys, repair.renamed)
        _check_excused(step)
    except KinetreeError as error:
        return Refused(repair.keys, error.findings[0].message)
    left = tuple(key for key in repair.keys if key in step.after.keys)
    return Refused(left, NO_USE, each=True) if left else step


def _mends(asked: Asked, rule: type[Rule], state: State) -> tuple[list[Mend], dict[Key, str]]:
    """The repairs that can be made, with edits of the files that the robot was read from; and why others cannot, by
    finding."""
    told = {**asked.told, "packages": asked.told["packages"] or {}, "confined": asked.confined or False}
    subject = Subject(state.robot, strict=PROFILES[asked.profile].strict, **told)
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
    return mends, {(rule.code, element): why for element, why in reasons.items()}


def _applied(asked: Asked, repair: Repair, state: State, companions: Sequence[Companion]) -> State:
    """The state after a repair. Raises KinetreeError where it cannot be made, or makes another robot of it."""
    renamed = repair.renamed
    edits = [edit for mend in repair.mends for edit in mend.edits]
    edited = _edited(edits, state.contents)
    confined = asked.confined
    for path in edited:
        if confined and not confined.holds(path):
            raise fail("fix", f"the repair was not made, for it is to be made in {path}, outside of the workspace")
    followed = follow(companions, renamed, state.robot, state.contents)
    contents, robot, notes = _read(asked, {**state.contents, **edited, **followed})
    if (changed := difference(state.robot, robot, renamed, turns=repair.rule.turns)) is not None:
        raise fail("fix", f"the repair was not made, for it would change the robot: {changed}")
    check_left(renamed, robot)
    excused = frozenset(_now(key, renamed) for key in state.excused)
    return replace(_judged(asked, contents, robot, notes), excused=excused)


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
