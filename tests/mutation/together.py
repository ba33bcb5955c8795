"""Trials of several mutants at once: those that the nearest tests did not notice seldom meet in another test."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from .draw import Mutant
from .judge import SURVIVED, Settings, Verdict, judge, limit_of
from .nearest import Measured, files_of
from .trial import Workplace, all_tests, applied, ordered


def together(
    mutants: Sequence[Mutant], stage: str, place: Workplace, measured: Measured, settings: Settings, workers: int
) -> Iterator[Verdict]:
    """Yield the verdicts of one stage; at most one mutant of a file is tried at once."""
    left = list(mutants)
    while left:
        group = list({mutant.file: mutant for mutant in reversed(left)}.values())
        left = [mutant for mutant in left if mutant not in group]
        yield from group_tried(group, stage, place, measured, settings, workers)


def group_tried(
    group: list[Mutant], stage: str, place: Workplace, measured: Measured, settings: Settings, workers: int
) -> Iterator[Verdict]:
    """Run all tests with all mutants, then those that fail with each mutant alone, until all pass with those left."""
    marked, limit = limit_of(stage, measured, settings)
    without = set(measured.failing)
    while group:
        with ExitStack() as stack:
            for mutant in group:
                stack.enter_context(applied(mutant, place))
            done = all_tests(place, marked, limit, without, workers)
        if done.passed:
            yield from (Verdict(mutant, SURVIVED, f"the {stage} tests") for mutant in group)
            return
        if not (failed := sorted(done.failed - without)):  # out of time, or pytest itself has failed
            yield from (judge(mutant, stage, place, measured, settings) for mutant in group)
            return
        noticed = {}
        for mutant in group:
            with applied(mutant, place):
                alone = ordered(place, ["-m", marked, *files_of(failed)], limit, only=failed)
            if not alone.passed:
                noticed[mutant] = Verdict(mutant, stage, alone.reason)
        yield from noticed.values()
        group = [mutant for mutant in group if mutant not in noticed]
        if not noticed:  # the tests have failed because of the load or of several mutants that meet
            without.update(failed)
