"""How fast Kinetree's kernels are, beside every other library that is installed, on the same work in one run.

    python benchmarks/kernels.py [--venv PEER=FOLDER]… [--peer PEER]… [--of kinematics|dynamics] [--quick]

Each peer (a file of `benchmarks/peers`) runs in a process of its own, with the Python of the virtual environment that
--venv names for it, since some cannot live together. All are kept to one core and take turns, work by work and round
by round. Before it is timed every result is compared with Kinetree's interpreter; what differs is marked. The table is
printed and, unless --quick or --peer is given, written to benchmarks/results.md, that of dynamics to
benchmarks/dynamics.md. See docs/explanation/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cases
import compile_time
import peers
import works
import works_dynamics
from machine import ONE_THREAD
from report import Measured, Results, report
from works import Target, Work

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Page:
    """What stands on one page of results."""

    file: Path
    title: str
    peers: tuple[str, ...]
    works: tuple[Work, ...]
    targets: tuple[Target, ...]
    ready: tuple[tuple[str, str], ...] = ()
    """Query and robot of the kernels of which it says how soon they are ready."""


PAGES = {
    "kinematics": Page(
        HERE / "results.md",
        "How fast Kinetree is, beside its peers",
        tuple(name for name in peers.names() if name != "dynibo"),
        works.WORKS,
        works.TARGETS,
    ),
    "dynamics": Page(
        HERE / "dynamics.md",
        "How fast Kinetree's dynamics are, beside its peers",
        works_dynamics.PEERS,
        works_dynamics.WORKS,
        works_dynamics.TARGETS,
        tuple((query, robot) for query, robot in compile_time.TARGETS if query != "fk"),
    ),
}


@dataclass(frozen=True)
class Pace:
    """How long to measure. seconds: of one round of a work; rounds: at most so many, within `budget` seconds; shrink:
    divides the batches."""

    seconds: float = 0.04
    rounds: int = 15
    budget: float = 6.0
    shrink: int = 1

    def n(self, work: Work) -> int:
        """How many configurations the work has at this pace."""
        return work.n if work.form == "one" else max(work.n // self.shrink, 2 * peers.CHECKED + 3)


QUICK = Pace(seconds=0.001, rounds=2, shrink=100)


@dataclass(eq=False)
class Process:
    """A peer at work in its own process."""

    name: str
    folder: Path
    python: str = sys.executable
    hello: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        path = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
        self.log = (self.folder / f"{self.name}.log").open("w+", encoding="utf-8")
        self.child = subprocess.Popen(
            [self.python, "-m", "peers", self.name, str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": path, "KINETREE_CACHE": "off"},
        )
        self.hello = self._reply()

    def ask(self, what: str, argument: Any) -> dict[str, Any]:
        """One question, one answer; {"error": …} once the process has died."""
        with suppress(BrokenPipeError):
            self.child.stdin.write(json.dumps({what: argument}) + "\n")
            self.child.stdin.flush()
        return self._reply()

    def _reply(self) -> dict[str, Any]:
        line = self.child.stdout.readline()
        if line:
            return json.loads(line)
        self.log.seek(0)
        words = self.log.read().strip().splitlines()[-1:] or ["nothing said"]
        return {"error": f"the process ended with {self.child.wait()}: {words[0]}"}

    def close(self) -> None:
        with suppress(BrokenPipeError):  # of what a dead process has not read
            self.child.stdin.close()
        self.child.wait()
        self.child.stdout.close()
        self.log.close()


def measure(processes: list[Process], work: Work, pace: Pace) -> dict[str, Measured]:
    """One work by every peer that has it, in turns."""
    found: dict[str, Measured] = {}
    at_work: dict[Process, float] = {}  # and the seconds that each has had
    question = {"query": work.query, "robot": work.robot, "form": work.form, "n": pace.n(work), "size": work.n}
    for process in processes:
        reply = process.ask("prepare", question)
        if "absent" not in reply:
            found[process.name] = Measured(**reply)
        if "agrees" in reply:
            at_work[process] = 0.0
    for turn in range(pace.rounds):
        for process in [p for p, spent in at_work.items() if turn < 2 or spent < pace.budget]:
            start = time.perf_counter()
            reply = process.ask("time", pace.seconds)
            at_work[process] += time.perf_counter() - start
            if "error" in reply:
                found[process.name].error = reply["error"]
                del at_work[process]
            else:
                found[process.name].add(**reply)
    return found


def exchange_rate(processes: list[Process], pace: Pace) -> float | None:
    """How many units a stand-in takes, from a process that has both; None where none has."""
    for process in processes:
        if process.hello["unit"] == "pinocchio":
            both = [process.ask("compare_units", pace.seconds) for _ in range(pace.rounds)]
            return min(pair["stand-in"] for pair in both) / min(pair["pinocchio"] for pair in both)
    return None


def run(processes: list[Process], works: Iterable[Work], pace: Pace) -> Results:
    """Every work by every peer; says on stderr how far it is."""
    found = {}
    for work in works:
        print(f"{work.query} {work.label}", file=sys.stderr, flush=True)
        found[work] = measure(processes, work, pace)
    return Results({p.name: p.hello for p in processes}, found, exchange_rate(processes, pace))


def of_page(page: Page, names: Iterable[str], interpreters: dict[str, str], pace: Pace) -> Results:
    """All works of a page by these peers."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        cases.write_all(folder)
        processes, missing = [], {}
        for peer in names:
            process = Process(peer, folder, interpreters.get(peer, sys.executable))
            stack.callback(process.close)
            if "versions" in process.hello:
                processes.append(process)
            else:
                missing[peer] = process.hello.get("missing") or process.hello["error"]
        results = run(processes, page.works, pace)
    results.missing.update(missing)
    return results


def ready(page: Page, quick: bool) -> list[tuple[str, float, float]]:
    """What is to be ready, after how many milliseconds it is, and after how many it is to be."""
    rows = []
    for query, robot in page.ready:
        found = compile_time.cold_and_warm(query, robot, 1 if quick else 7)
        for way, value, goal in zip(("cold", "from the cache"), found, compile_time.TARGETS[query, robot], strict=True):
            rows.append((f"`{query}` of {robot}, first answer, {way}: ms", value, goal))
    return rows


def pythons(venvs: Iterable[str], parser: argparse.ArgumentParser) -> dict[str, str]:
    """The interpreter of each peer that has its own environment, from PEER=FOLDER."""
    found = {}
    for text in venvs:
        name, _, folder = text.partition("=")
        candidates = [Path(folder, "bin", "python"), Path(folder, "Scripts", "python.exe")]
        python = next((file for file in candidates if file.is_file()), None)
        if name not in peers.names() or python is None:
            parser.error(f"--venv {text}: expected PEER=FOLDER, a peer being one of {', '.join(peers.names())}")
        found[name] = str(python.absolute())
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", action="append", default=[], metavar="PEER=FOLDER", help="where a peer is installed")
    parser.add_argument("--peer", action="append", choices=peers.names(), help="only this one; may be repeated")
    parser.add_argument("--of", choices=PAGES, action="append", help="only this page; may be repeated")
    parser.add_argument("--quick", action="store_true", help="small batches, few rounds: does it run, do all agree?")
    options = parser.parse_args()
    interpreters, pace = pythons(options.venv, parser), QUICK if options.quick else Pace()
    faults = 0
    for page in (PAGES[name] for name in options.of or PAGES):
        results = of_page(page, options.peer or page.peers, interpreters, pace)
        text = report(results, page.title, page.targets, ready(page, options.quick), quick=options.quick)
        print(text)
        if not options.quick and not options.peer:
            page.file.write_text(text, encoding="utf-8")
        faults += len(results.faults())
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
