"""Application of repairs to the text of a model, one rule after the other.

A repair is kept if the robot stays the same, its findings are gone and nothing new remains.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from kinetree.errors import Finding, KinetreeError, fail
from kinetree.fixer.invariants import difference
from kinetree.fixer.related_files import RelatedFile, rename_in_files
from kinetree.fixer.state import Key, State, judged, key_of, read_robot
from kinetree.fixer.xacro_edits import in_source_files
from kinetree.repairs.edit import Edit, NewNames, Repair, on_disk
from kinetree.repairs.rename_references import check_left
from kinetree.rules.facts import Subject
from kinetree.rules.options import CheckOptions
from kinetree.rules.reader_faults import QuaternionInOldFile
from kinetree.rules.rep199.placement import misplaced
from kinetree.rules.rule import Rule
from kinetree.spatial.se3 import Array
from kinetree.syntax.xml.reader import Element

MOST_TRIES = 200
"""Largest number of tried repairs of one rule in one file; each reads and checks the whole file again."""
TOO_MANY = f"{MOST_TRIES} repairs by this rule have been tried, the most of one run"
NO_REPAIR = "no repair is known"
NO_USE = "the known repair does not remove the finding"


@dataclass(frozen=True)
class Task:
    """A file to repair, its options, whether names may change and flanges turn, and the files that follow new names.

    options: confined to a workspace, or to none; see `ReadOptions.confined_to`. turn_tools: whether what is attached to
    a flange turns with it. variants: other robots, for which repairs of files that they read must be right, too.
    """

    file: str
    options: CheckOptions
    unsafe: bool = False
    related: Sequence[RelatedFile] = ()
    turn_tools: bool = False
    variants: "Sequence[Task]" = ()

    @property
    def rules(self) -> list[type[Rule]]:
        """Rules whose repairs are applied, those that give other names first, which the names of new joints follow."""
        rules = [rule for rule in repairing(self.options) if rule.safe or self.unsafe]
        rules = [rule for rule in rules if not rule.by_name or rule.code.startswith(self.options.select)]
        return sorted(rules, key=lambda rule: rule.safe)


@dataclass(frozen=True, eq=False)
class Step:
    """An applied repair: the states before and after it, and the findings that it repaired. uncovers: see `Rule`."""

    before: State
    after: State
    keys: tuple[Key, ...]
    renamed: NewNames
    uncovers: tuple[str, ...] = ()

    def renamed_keys(self, keys: Mapping[Key, int]) -> Counter[Key]:
        """Return findings of the state before under the names that elements have after."""
        found: Counter[Key] = Counter()
        for key, count in keys.items():
            found[_renamed(key, self.renamed)] += count
        return found

    @property
    def brought(self) -> Counter[Key]:
        """Findings that are new after the step, without those that it uncovers."""
        new = self.after.keys - self.renamed_keys(self.before.keys)
        named = {f"{kind} {name!r}" for (kind, _), name in self.renamed.items()}
        return Counter({k: n for k, n in new.items() if not (k[1] in named and k[0].startswith(self.uncovers))})


@dataclass(frozen=True, eq=False)
class Trial:
    """Findings of a rule, and the repairs that are tried for them together."""

    rule: type[Rule]
    keys: tuple[Key, ...]
    repairs: tuple[Repair, ...]


@dataclass
class Trials:
    """Record of what was tried.

    given_up: reason why a finding is not repaired. refused: likewise, until another repair is made. most: size of the
    next group, for findings whose common repair was rejected. counts: number of tried repairs
    by rule.
    """

    given_up: dict[Key, str] = field(default_factory=dict)
    refused: dict[Key, str] = field(default_factory=dict)
    most: dict[Key, int] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def reject(self, keys: Sequence[Key], why: str) -> None:
        """Give up a single finding; split several in halves to be tried next."""
        if len(keys) == 1:
            self.given_up[keys[0]] = why
        else:
            self.most.update(dict.fromkeys(keys, (len(keys) + 1) // 2))

    def next_to_try(self, keys: Sequence[Key]) -> tuple[Key, ...]:
        """Return the group of one rule's findings to try next: all of them if none was rejected."""
        most = self.most.get(keys[0], len(keys))
        return tuple(key for key in keys if self.most.get(key, len(keys)) == most)[:most]


def _renamed(key: Key, renamed: NewNames) -> Key:
    """Return the key of a finding under the name that its element has after a repair."""
    names = {f"{kind} {old!r}": f"{kind} {new!r}" for (kind, old), new in renamed.items()} if renamed else {}
    code, element = key
    return code, names.get(element or "", element)


def apply_fixes(task: Task, start: State) -> tuple[list[Step], dict[Key, str]]:
    """Apply repairs until none is left, and undo those that leave new findings behind. Return the steps, and by finding
    why others are not repaired."""
    trials = Trials()
    steps: list[Step] = []
    while True:
        state = steps[-1].after if steps else start
        if trial := _next(task, state, trials):
            trials.counts[trial.rule.code] += 1
            try:
                step = _applied(task, trial, state)
            except KinetreeError as error:
                trials.reject(trial.keys, error.findings[0].message)
                continue
            if left := [key for key in trial.keys if key in step.after.keys]:
                trials.given_up.update(dict.fromkeys(left, NO_USE))
            else:
                steps.append(step)
                trials.refused.clear()
        elif regression := first_regression(start, steps, task.options.ignore):
            number, why = regression
            trials.reject(steps[number].keys, why)
            del steps[number:]
            trials.refused.clear()
        else:
            return steps, trials.refused | trials.given_up


def _next(task: Task, state: State, trials: Trials) -> Trial | None:
    """Return the next repair to try: that of the first rule with findings that it can repair."""
    for rule in task.rules:
        known = trials.refused | trials.given_up
        keys = [key for key in to_repair(task.options, rule, state, state.excused) if key not in known]
        if keys and trials.counts[rule.code] >= MOST_TRIES:
            trials.given_up.update(dict.fromkeys(keys, TOO_MANY))
        elif keys:
            try:
                repairs, reasons = _repairs(task, rule, state)
            except KinetreeError as error:
                repairs, reasons = [], dict.fromkeys(keys, error.findings[0].message)
            made = {(rule.code, repair.element) for repair in repairs}
            trials.refused.update({key: reasons.get(key, NO_REPAIR) for key in keys if key not in made})
            if keys := [key for key in keys if key in made]:
                tried = trials.next_to_try(keys)
                elements = {element for _, element in tried}
                return Trial(rule, tried, tuple(repair for repair in repairs if repair.element in elements))
    return None


def first_regression(start: State, steps: Sequence[Step], ignore: tuple[str, ...] = ()) -> tuple[int, str] | None:
    """Return the number of the first step whose new findings remain at the end, and why it is undone. ignore:
    beginnings of codes that may be new."""
    end = steps[-1].after if steps else start
    new = Counter({k: n for k, n in end.keys.items() if not (ignore and k[0].startswith(ignore))})
    new -= _followed(start.keys, steps)
    for number, step in enumerate(steps):
        if left := _followed(step.brought, steps[number + 1 :]) & new:
            return number, _caused(left, end)
    return None


def _caused(keys: Iterable[Key], state: State) -> str:
    """Return why a repair with new findings is not made."""
    first = next(finding for finding in state.findings if key_of(finding) in keys)
    because = "; ".join(filter(None, (first.message, first.fix)))
    return f"a repair would cause {_listed(keys)}: {because}; --ignore {first.code} accepts that"


def _followed(keys: Counter[Key], steps: Iterable[Step]) -> Counter[Key]:
    """Return findings under the names that elements have after some steps."""
    for step in steps:
        keys = step.renamed_keys(keys)
    return keys


def repaired(start: State, steps: Sequence[Step]) -> list[Finding]:
    """Return the findings that are gone: those that were to be repaired, and those that disappeared with them."""
    end = steps[-1].after.keys if steps else start.keys
    keys = list(map(key_of, start.findings))
    for step in steps:
        keys = [_renamed(key, step.renamed) for key in keys]
    return [finding for finding, key in zip(start.findings, keys, strict=True) if key not in end]


def _listed(keys: Iterable[Key]) -> str:
    return ", ".join(sorted(" of ".join(filter(None, key)) for key in keys))


def repairing(options: CheckOptions) -> list[type[Rule]]:
    """Return the rules of a profile, and the notes of readers, that have a repair."""
    return [QuaternionInOldFile, *(rule for rule in options.rules if rule.repair)]


def to_repair(options: CheckOptions, rule: type[Rule], state: State, excused: frozenset[Key]) -> list[Key]:
    """Return the findings of a rule that are to be repaired, without the excused ones, in their order."""
    if not options.wants(rule.code):
        return []
    return [key for key in state.keys if key[0] == rule.code and key not in excused]


def _repairs(task: Task, rule: type[Rule], state: State) -> tuple[list[Repair], dict[Key, str]]:
    """Return the possible repairs, as edits of the files that were read, and why others are impossible, by finding."""
    subject = Subject(state.robot, task.options)
    facts = subject.facts(rule.repair)
    if any(value is None for value in facts.values()):
        raise fail("fix", "only URDF and xacro files are repaired")
    made = list(rule.repair(**facts))
    repairs = [
        replace(repair, edits=repair.edits if task.turn_tools else (*repair.edits, *repair.keeps))
        for repair in made
        if repair.edits
    ]
    reasons = {repair.element: repair.because for repair in made if repair.because}
    document: Element = subject.facts(lambda document: None)["document"]
    if document.document.origins:
        names = state.robot.text.files if state.robot.text else {}
        only = None if task.unsafe else Path(task.file)
        repairs, refused = in_source_files(repairs, document, state.contents, only, names)
        reasons |= refused
    return repairs, {(rule.code, element): why for element, why in reasons.items()}


def _applied(task: Task, trial: Trial, state: State) -> Step:
    """Apply the repairs of a trial. Raises KinetreeError if that is impossible or changes what it should not."""
    renamed = {old: new for repair in trial.repairs for old, new in repair.renamed.items()}
    turned = {link: T for repair in trial.repairs for link, T in repair.turned.items()}
    edits = [edit for repair in trial.repairs for edit in repair.edits]
    along = task.turn_tools and any(repair.keeps for repair in trial.repairs)
    change = IntendedChange(renamed, trial.rule.turns, turned, along)
    after = _made(task, state, edits, change)
    excused = frozenset(_renamed(key, renamed) for key in state.excused)
    after = _with_variants(task, state, replace(after, excused=excused), change)
    step = Step(state, after, trial.keys, renamed, trial.rule.uncovers)
    if lost := step.renamed_keys({key: state.keys[key] for key in state.excused}) - after.keys:
        raise fail("fix", f"it would repair {_listed(lost)}, too, which is excused")
    return step


class IntendedChange(NamedTuple):
    """What a repair changes on purpose: names, angles by a limit, and how links turn. along: whether what is behind
    these turns with them."""

    renamed: NewNames = MappingProxyType({})
    turns: float = 0.0
    turned: Mapping[str, Array] = MappingProxyType({})
    along: bool = False


def with_edits(task: Task, state: State, edits: Sequence[Edit]) -> State:
    """Return the state with edits that add to the robot. Raises KinetreeError if they change anything else."""
    after = replace(_made(task, state, edits, IntendedChange()), excused=state.excused)
    return _with_variants(task, state, after, IntendedChange())


def _with_variants(task: Task, state: State, after: State, change: IntendedChange) -> State:
    """Return the state with those of the variants. Raises KinetreeError if the repair is wrong for one of them."""
    contents, found = dict(after.contents), []
    done = {one.path for one in task.related}
    changed = {path for path, content in contents.items() if state.contents.get(path, content) != content}
    for variant, before in zip(task.variants, state.variants, strict=True):
        if changed & before.contents.keys():
            related = [one for one in variant.related if one.path not in done]
            try:
                before = _variant(replace(variant, related=related), task, before, contents, change)
            except KinetreeError as error:
                given = variant.options.read.args or {}
                arguments = ", ".join(f"{key}={value}" for key, value in given.items())
                which = f"the variant {arguments or 'without arguments'}" if variant.file == task.file else variant.file
                raise fail("fix", f"in {which}, {error.findings[0].message}") from None
            contents |= {one.path: before.contents[one.path] for one in related}
        found.append(before)
    return replace(after, contents=contents, variants=tuple(found))


def _variant(variant: Task, task: Task, before: State, contents: Mapping[Path, bytes], change: IntendedChange) -> State:
    """Return the state of a variant after a repair to these contents; what is renamed is found by its number."""
    _, robot, notes = read_robot(variant.file, variant.options, contents)
    pairs = [
        *(("link", a, b) for a, b in zip(before.robot.links, robot.links, strict=False)),
        *(("joint", a, b) for a, b in zip(before.robot.joints, robot.joints, strict=False)),
    ]
    renamed = {(kind, a): b for kind, a, b in pairs if a != b} if change.renamed else {}
    turned = {link: T for link, T in change.turned.items() if link in before.robot.links}
    if changed := difference(before.robot, robot, renamed, turns=change.turns, turned=turned, along=change.along):
        raise fail("fix", f"a repair would change the robot: {changed}")
    found = judged(
        variant.options,
        {**before.contents, **contents, **rename_in_files(variant.related, renamed, before.robot, contents)},
        robot,
        notes,
    )
    later = () if variant.file == task.file else tuple(rule.code for rule in task.rules)  # repaired in its turn
    keys = Counter(_renamed(key, renamed) for key in before.keys.elements())
    if new := [key for key in found.keys - keys if key[0] not in later]:
        raise fail("fix", _caused(new, found))
    if wrong := misplaced(**Subject(robot, variant.options).facts(misplaced)):
        raise fail("fix", wrong)
    return found


def _made(task: Task, state: State, edits: Sequence[Edit], change: IntendedChange) -> State:
    """Return the state after edits.

    Raises KinetreeError if they are outside of the workspace, or if the robot changes by more than names and angles.
    """
    new = edited(edits, state.contents)
    confined = task.options.read.confined
    for path in new:
        if not isinstance(confined, bool) and not confined.holds(path):
            raise fail("fix", f"the repair is in {path}, outside of the workspace")
    followed = rename_in_files(task.related, change.renamed, state.robot, state.contents)
    contents, robot, notes = read_robot(task.file, task.options, {**state.contents, **new, **followed})
    changed = difference(
        state.robot, robot, change.renamed, turns=change.turns, turned=change.turned, along=change.along
    )
    if changed is not None:
        raise fail("fix", f"the repair would change the robot: {changed}")
    check_left(change.renamed, robot)
    return judged(task.options, contents, robot, notes)


def edited(edits: Iterable[Edit], contents: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """Return the contents of the files that edits change, by resolved path."""
    by_file: dict[Path, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(Path(edit.file).resolve(), []).append(edit)
    return {path: on_disk(contents[path], of_file) for path, of_file in by_file.items()}
