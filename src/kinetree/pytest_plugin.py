"""`pytest --kinetree`: every robot description is a test, which fails with what `kinetree check` finds in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

OPTIONS = {"profile": "the conventions", "select": "only codes that begin so", "ignore": "no codes that begin so"}
"""Settings `kinetree_…` in pytest's configuration, as the options of `kinetree check`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--kinetree`, and its settings."""
    parser.getgroup("kinetree").addoption("--kinetree", action="store_true", help="Check robot descriptions too.")
    for name, help in OPTIONS.items():
        kind, default = ("string", "ros") if name == "profile" else ("args", [])
        parser.addini(f"kinetree_{name}", f"for --kinetree: {help}", type=kind, default=default)  # type: ignore[arg-type]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """A robot description, if they are wanted."""
    if not parent.config.getoption("--kinetree"):
        return None
    from kinetree.conventions.files import is_model

    return RobotFile.from_parent(parent, path=file_path) if is_model(file_path) else None


class RobotFile(pytest.File):
    """A robot description."""

    def collect(self) -> Iterator[pytest.Item]:
        """The one test of the file."""
        yield RobotItem.from_parent(self, name="kinetree")


class FoundError(Exception):
    """What is wrong with a robot description."""


class RobotItem(pytest.Item):
    """The check of a robot description."""

    def runtest(self) -> None:
        """Fail if anything is graver than a remark."""
        from kinetree.conventions.checked import Job
        from kinetree.conventions.files import without_parts
        from kinetree.conventions.report import report
        from kinetree.conventions.run import check_all

        profile, select, ignore = (self.config.getini(f"kinetree_{name}") for name in OPTIONS)
        (result,) = check_all([Job(str(self.path), profile, tuple(select), tuple(ignore))])
        result = without_parts(result)
        if any(finding.severity != "info" for finding in result.findings):
            raise FoundError("\n".join(report("pretty", [result])))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """The findings, and no traceback."""
        if isinstance(excinfo.value, FoundError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the test is, and what it is called."""
        return self.path, 0, f"kinetree check {self.path.name}"
