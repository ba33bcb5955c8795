"""Which tests are near a line: measured once for each state of the checkout, and kept outside of it."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from .draw import Place
from .plugin import RECORD
from .trial import QUICK, Workplace, order_file, pytest


class Measured(NamedTuple):
    """What the quick tests did without a mutant, by test function."""

    seconds: dict[str, float]  # while being measured, which takes about twice as long
    failing: frozenset[str]  # without a mutant, and under coverage: they take no part
    folder: Path

    @property
    def total(self) -> float:
        return sum(self.seconds.values())

    def lines(self, file: str) -> dict[int, list[str]]:
        """Return the test functions that executed each line of a file."""
        from coverage import CoverageData

        found: dict[int, set[str]] = {}
        for path in self.folder.glob("coverage-*"):
            data = CoverageData(str(path))
            data.read()
            for line, tests in data.contexts_by_lineno(file).items():
                found.setdefault(line, set()).update(test for test in tests if test)
        return {line: sorted(tests) for line, tests in found.items()}


def measured(workplace: Workplace, anew: bool = False, workers: int = 1) -> Measured:
    """Return what was measured of this state of the checkout, or of the last one; else measure it."""
    base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "mutation-runs")
    folder = base / hashlib.sha256(str(workplace.root).encode()).hexdigest()[:16]
    if anew or not (folder / "measured.json").exists():
        measure(workplace, folder, workers)
    return read(folder)


def measure(workplace: Workplace, folder: Path, workers: int) -> None:
    """Run the quick tests once under coverage."""
    print("measuring which tests execute which lines; this takes some minutes", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    parallel = ["-n", str(workers)] if workers > 1 else []
    pytest(workplace, ["-m", QUICK, *parallel], {RECORD: str(folder)}, limit=None)
    reports = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("tests-*.json")]
    failed = sorted({test for report in reports for test in report["failed"]})
    failing = again(workplace, failed) if failed else []
    seconds = {test: time for report in reports for test, time in report["seconds"].items()}
    text = json.dumps({"seconds": seconds, "failing": failing})
    (folder / "measured.json").write_text(text, encoding="utf-8")


def again(workplace: Workplace, failed: list[str]) -> list[str]:
    """Return those of some tests that fail once more: others failed because of the load, or of tests before them."""
    return sorted(pytest(workplace, ["-m", QUICK, *files_of(failed)], order_file(workplace, only=failed)).failed)


def read(folder: Path) -> Measured:
    found = json.loads((folder / "measured.json").read_text(encoding="utf-8"))
    return Measured(found["seconds"], frozenset(found["failing"]), folder)


def nearest(measured: Measured, file: str, place: Place, budget: float) -> list[str]:
    """Return the likeliest tests to notice a fault, until they take `budget` seconds together.

    Tests that execute the line come first, then those of its statement, its function and its file; among equals those
    whose names resemble the file's, then the quickest. Lines outside of functions run when the module is imported, by
    whichever test comes first, so that only the file counts.
    """
    lines = measured.lines(file)
    circles = [[place.line], place.statement, place.function] if place.function else []
    chosen: dict[str, None] = {}
    spent = 0.0
    for circle in [*circles, lines]:
        tests = {test for line in circle for test in lines.get(line, ())} - chosen.keys() - measured.failing
        for test in sorted(tests, key=lambda test: (distance(test, file), measured.seconds.get(test, 0.0), test)):
            if spent < budget or not chosen:
                chosen[test] = None
                spent += measured.seconds.get(test, 0.0)
    return list(chosen) or list(named_alike(measured, file, budget))


def named_alike(measured: Measured, file: str, budget: float) -> Iterator[str]:
    """Yield tests of a file that no test executes, such as tables: those whose names resemble it."""
    for test in sorted(measured.seconds, key=lambda test: (distance(test, file), measured.seconds[test], test)):
        budget -= measured.seconds[test]
        if distance(test, file) < 2 and budget > 0 and test not in measured.failing:
            yield test


def distance(test: str, file: str) -> int:
    """0 where a test file has the name of the file or of its folder, 1 where it stands in the same folder, else 2."""
    path, module = PurePosixPath(test.split("::", 1)[0]), PurePosixPath(file)
    words = path.stem.removeprefix("test_")
    if module.stem.strip("_") in words or words in module.parts:
        return 0
    return 2 - bool(set(path.parts[1:-1]) & set(module.parts[2:-1]))


def files_of(tests: Iterable[str]) -> list[str]:
    """Return the files of tests, each once, in their order."""
    return list(dict.fromkeys(test.split("::", 1)[0] for test in tests))
