"""What pytest does in a mutation run: it records which test executes which line, or runs the likeliest tests first."""

import json
import os
from collections import defaultdict
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

RECORD = "MUTATION_RECORD"
"""Environment variable: the folder for what is measured."""

ORDER = "MUTATION_ORDER"
"""Environment variable: a JSON file, {"only": [tests] or null for all, "first": [test files], "without": [tests]}."""


MEMORY = 16 * 2**30
"""Bytes of address space for a process: a mutant may ask for any amount."""


def function_of(nodeid: str) -> str:
    """Return the name of a test without its parameters, which may differ between processes."""
    return nodeid.split("[", 1)[0]


def pytest_configure(config: pytest.Config) -> None:
    """Limit the memory; record, unless this is the process that only hands tests to others."""
    with suppress(ImportError, OSError, ValueError):  # not every system has such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    folder = os.environ.get(RECORD)
    if folder and (hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None)):
        worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
        config.pluginmanager.register(Recorder(Path(folder), worker, config.rootpath))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose tests, in the order in which they are named, or those of some files before the others."""
    if ORDER not in os.environ:
        return
    order = json.loads(Path(os.environ[ORDER]).read_text(encoding="utf-8"))
    without = set(order["without"])
    names = order["first"] if order["only"] is None else order["only"]
    rank = {name: place for place, name in enumerate(names)}

    def place(item: pytest.Item) -> int | None:
        test = function_of(item.nodeid)
        if order["only"] is not None:
            return rank.get(test)
        return None if test in without else rank.get(test.split("::", 1)[0], len(rank))

    places = [place(item) for item in items]
    config.hook.pytest_deselected(items=[item for item, at in zip(items, places, strict=True) if at is None])
    chosen = [(at, item) for item, at in zip(items, places, strict=True) if at is not None]
    items[:] = [item for _, item in sorted(chosen, key=lambda pair: pair[0])]


class Recorder:
    """Which lines each test function executes, how long it takes, and whether it passes."""

    def __init__(self, folder: Path, worker: str, root: Path) -> None:
        from coverage import Coverage

        self.report = folder / f"tests-{worker}.json"
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()
        data = folder / f"coverage-{worker}"
        self.coverage = Coverage(data_file=str(data), include=[str(root / "src" / "*")], config_file=False)
        self.coverage.set_option("run:relative_files", True)
        self.coverage.set_option("run:disable_warnings", ["no-data-collected"])
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.coverage.switch_context(function_of(item.nodeid))
        result = yield
        self.coverage.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[function_of(report.nodeid)] += report.duration
        if report.failed:
            self.failed.add(function_of(report.nodeid))

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        self.coverage.save()
        report = {"seconds": self.seconds, "failed": sorted(self.failed)}
        self.report.write_text(json.dumps(report), encoding="utf-8")
