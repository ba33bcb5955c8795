"""The trial of a mutant, stage by stage, and the report of all trials."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .draw import Mutant, place_of
from .nearest import Measured, files_of, nearest
from .plugin import function_of
from .trial import QUICK, SLOW, Done, Workplace, applied, imports, ordered

STAGES = ("nearest", "quick", "slow")
IMPORT = "import"
EXCUSED = "excused"
SURVIVED = "survived"


class Settings(NamedTuple):
    """How far a trial goes, and how long it may take; seconds."""

    until: str = "quick"
    budget: float = 20.0
    patience: float = 5.0  # how many times longer than measured tests may take
    slow_limit: float = 7200.0


class Verdict(NamedTuple):
    """What became of a mutant."""

    mutant: Mutant
    by: str  # one of STAGES, IMPORT, EXCUSED, SURVIVED
    reason: str  # the test that failed, or why it is excused

    @property
    def counts(self) -> bool:
        return self.by not in (IMPORT, EXCUSED)


def judge(mutant: Mutant, stage: str, workplace: Workplace, measured: Measured, settings: Settings) -> Verdict:
    """Say whether the tests of one stage notice a mutant."""
    place = place_of((workplace.copy / mutant.file).read_bytes(), mutant.line)
    near = nearest(measured, mutant.file, place, settings.budget)
    with applied(mutant, workplace):
        if stage == STAGES[0]:
            done = imports(mutant, workplace, limit=20 * settings.patience)
            if done.status != 0:
                return Verdict(mutant, IMPORT, (done.output.strip().splitlines() or [done.reason])[-1])
        done = tried(stage, near, workplace, measured, settings)
    return Verdict(mutant, SURVIVED, f"the {stage} tests") if done.passed else Verdict(mutant, stage, done.reason)


def tried(stage: str, near: list[str], workplace: Workplace, measured: Measured, settings: Settings) -> Done:
    """Run the tests of one stage."""
    first = files_of(near)
    if stage == "nearest":
        seconds = sum(measured.seconds.get(test, 0.0) for test in near)
        return ordered(workplace, ["-m", QUICK, *first], 30 + settings.patience * seconds, only=near)
    marked, limit = limit_of(stage, measured, settings)
    without = [*near, *measured.failing]
    while True:
        done = ordered(workplace, ["-m", marked], limit, first=first, without=without)
        if done.status != 1 or not (test := function_of(done.reason)) or test in without:
            return done
        alone = ordered(workplace, ["-m", marked, test.split("::", 1)[0]], limit, only=[test])
        if not alone.passed:
            return alone
        without.append(test)  # it has failed because of the tests before it or of the load, not because of the mutant


def limit_of(stage: str, measured: Measured, settings: Settings) -> tuple[str, float]:
    """Return which tests a later stage runs, and how many seconds they may take."""
    return (QUICK, 60 + settings.patience * measured.total) if stage == "quick" else (SLOW, settings.slow_limit)


def report(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield what was drawn from each package and which stage noticed it, then the survivors."""
    verdicts = list(verdicts)
    counted = [verdict for verdict in verdicts if verdict.counts]
    columns = [*STAGES, SURVIVED]
    yield "{:16}{:>8}{:>10}{:>8}{:>8}{:>10}".format("package", "drawn", *columns)
    packages = sorted({verdict.mutant.package for verdict in counted})
    for package in [*packages, "all"]:
        found = [verdict for verdict in counted if package in (verdict.mutant.package, "all")]
        count = Counter(verdict.by for verdict in found)
        yield "{:16}{:>8}{:>10}{:>8}{:>8}{:>10}".format(package, len(found), *(count[column] for column in columns))
    yield f"killed: {share_killed(counted):.1f} %"
    late = sum(verdict.reason == "out of time" for verdict in counted)
    yield f"killed because they ran out of time: {late}"
    for by, title in ((IMPORT, "cannot be imported"), (EXCUSED, "excused")):
        found = [verdict for verdict in verdicts if verdict.by == by]
        yield f"not counted, {title}: {len(found)}"
        yield from (f"  {verdict.mutant}: {verdict.reason}" for verdict in found)
    yield "survivors:"
    for verdict in sorted(counted):
        if verdict.by == SURVIVED:
            yield from shown(verdict)


def shown(verdict: Verdict) -> Iterator[str]:
    """Yield a survivor as a difference of lines."""
    yield f"{verdict.mutant}"
    yield from (f"  {line}" for line in verdict.mutant.diff)


def share_killed(counted: list[Verdict]) -> float:
    """Return the share of mutants that tests noticed, in per cent."""
    return 100.0 * sum(verdict.by != SURVIVED for verdict in counted) / max(len(counted), 1)
