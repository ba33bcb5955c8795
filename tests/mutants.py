"""Draw small faults by lot, put each into a copy of the checkout, and print those that no test notices.

    python tests/mutants.py --draw 60 --seed 1
    python tests/mutants.py --draw 30 --change main~3    # only lines that were added since then

See docs/explanation/testing.md. Nothing is written into the checkout.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from queue import Queue

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from mutation.draw import Mutant, added, draw, equivalent, sources
from mutation.judge import EXCUSED, STAGES, SURVIVED, Settings, Verdict, judge, report, share_killed, shown
from mutation.nearest import Measured, measured
from mutation.together import together
from mutation.trial import RUNNING, Workplace, kill, set_up

ROOT = Path(__file__).resolve().parents[1]


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("files", nargs="*", help="only files whose path contains one of these, such as solvers/guard; may have * and ?")
    add("--draw", type=int, default=20, metavar="N", help="how many mutants count (20)")
    add("--seed", type=int, default=0, help="of the lot (0)")
    add("--change", metavar="REV", help="only lines that were added since this revision of git")
    add("--by", choices=("line", "file"), default="line", help="what is equally likely, each line or each file (line)")
    add("--until", choices=STAGES, default="quick", help="the last tests that are tried (quick)")
    add("--workers", type=int, default=1, metavar="N", help="mutants on trial at once (1)")
    add("--budget", type=float, default=20.0, metavar="SECONDS", help="what the nearest tests may take (20)")
    add("--patience", type=float, default=5.0, metavar="TIMES", help="longer than measured counts as killed (5)")
    add("--measure", action="store_true", help="measure again which tests execute which lines")
    add("--list", action="store_true", help="print what is drawn, and try nothing")
    add("--at-least", type=float, default=0.0, metavar="PERCENT", help="exit with 1 if fewer are killed")
    add("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = parsed(arguments)
    only = added(options.root, options.change) if options.change else None
    mutants = draw(sources(options.root, options.files), options.seed, options.by, only)
    if options.list:
        for mutant in islice(mutants, options.draw):
            print(*shown(Verdict(mutant, SURVIVED, "")), sep="\n")
        return 0
    verdicts: dict[Mutant, Verdict] = {}
    start = time.monotonic()
    with workplaces(options.root, options.workers) as places:
        known = measured(places[0], options.measure, options.workers)
        tell(f"{len(known.seconds)} test functions; fail without a mutant: {', '.join(known.failing) or 'none'}", start)
        settings = Settings(options.until, options.budget, options.patience)
        try:
            for verdict in trials(mutants, options.draw, places, known, settings):
                verdicts[verdict.mutant] = verdict
                tell(f"{verdict.by:9} {verdict.mutant}: {verdict.reason}", start)
        except KeyboardInterrupt:
            tell("interrupted: what follows is incomplete", start)
    print(*report(verdicts.values()), sep="\n")
    return int(share_killed([verdict for verdict in verdicts.values() if verdict.counts]) < options.at_least)


def tell(line: str, start: float) -> None:
    print(f"{time.monotonic() - start:6.0f} s  {line}", flush=True)


@contextmanager
def workplaces(root: Path, number: int) -> Iterator[list[Workplace]]:
    """Make as many copies of the checkout, and remove them."""
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        yield [set_up(root, Path(folder) / str(place)) for place in range(number)]


def trials(
    mutants: Iterator[Mutant], number: int, places: list[Workplace], known: Measured, settings: Settings
) -> Iterator[Verdict]:
    """Yield verdicts as they come: of the nearest tests for `number` mutants that count, then of later stages.

    A mutant that survives a stage is yielded again by the next one. Later stages try all mutants at once.
    """
    excuses = equivalent()
    free: Queue[Workplace] = Queue()
    for place in places:
        free.put(place)

    def trial(mutant: Mutant) -> Verdict:
        if reason := excuses.get((mutant.file, mutant.diff)):
            return Verdict(mutant, EXCUSED, reason)
        place = free.get()
        try:
            return judge(mutant, STAGES[0], place, known, settings)
        finally:
            free.put(place)

    with ThreadPoolExecutor(len(places)) as pool:
        try:
            survivors = []
            for verdict in each(pool, trial, mutants, number):
                survivors += [verdict.mutant] * (verdict.by == SURVIVED)
                yield verdict
            for stage in STAGES[1 : STAGES.index(settings.until) + 1]:
                verdicts = together(survivors, stage, places[0], known, settings, len(places))
                survivors = []
                for verdict in verdicts:
                    survivors += [verdict.mutant] * (verdict.by == SURVIVED)
                    yield verdict
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(RUNNING):
                kill(process)


def each(
    pool: ThreadPoolExecutor, trial: Callable[[Mutant], Verdict], mutants: Iterator[Mutant], number: int
) -> Iterator[Verdict]:
    """Yield verdicts as they come, until `number` of them count; another mutant is drawn for one that does not."""
    running: set[Future[Verdict]] = {pool.submit(trial, mutant) for mutant in islice(mutants, number)}
    while running:
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for verdict in (future.result() for future in done):
            if not verdict.counts:
                running |= {pool.submit(trial, mutant) for mutant in islice(mutants, 1)}
            yield verdict


if __name__ == "__main__":
    sys.exit(main())
