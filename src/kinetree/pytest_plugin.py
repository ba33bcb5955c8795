"""`pytest --kinetree`: every robot description is a test, which fails with the findings of `kinetree check`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kinetree.checker.job import Job
    from kinetree.rules.options import CheckOptions

OPTIONS = {"profile": "the conventions", "select": "only codes that begin so", "ignore": "no codes that begin so"}
"""Settings `kinetree_…` in pytest's configuration, which override those of the models."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--kinetree` and its settings."""
    parser.getgroup("kinetree").addoption("--kinetree", action="store_true", help="Check robot descriptions too.")
    for name, help in OPTIONS.items():
        kind, default = ("string", "") if name == "profile" else ("args", [])
        parser.addini(f"kinetree_{name}", f"for --kinetree: {help}", type=kind, default=default)  # type: ignore[arg-type]


def pytest_configure(config: pytest.Config) -> None:
    """Raise UsageError for an unknown profile or code."""
    if not config.getoption("--kinetree"):
        return
    from kinetree.errors import KinetreeError
    from kinetree.rules.profiles import check_codes

    options = _options(config)
    try:
        check_codes(options.profile, options.select, options.ignore)
    except KinetreeError as error:
        raise pytest.UsageError(f"kinetree_{{profile,select,ignore}}: {error}") from None


def _options(config: pytest.Config) -> CheckOptions:
    from kinetree.rules.options import CheckOptions

    profile, select, ignore = (config.getini(f"kinetree_{name}") for name in OPTIONS)
    return CheckOptions(profile or None, tuple(select), tuple(ignore))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Return the tests of a robot description, if they are enabled."""
    if not parent.config.getoption("--kinetree"):
        return None
    from kinetree.checker.files import is_model

    return RobotFile.from_parent(parent, path=file_path) if is_model(file_path) else None


class RobotFile(pytest.File):
    """A robot description."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the test of the file, or one for each of its variants in the settings."""
        from kinetree.checker.plan import jobs
        from kinetree.errors import KinetreeError

        try:
            for job in jobs([str(self.path)], None, _options(self.config), found=[str(self.path)]):
                yield RobotItem.from_parent(self, name=f"kinetree[{job.name}]" if job.name else "kinetree", job=job)
        except KinetreeError as error:
            raise self.CollectError(str(error)) from None


class FoundError(Exception):
    """A robot description has errors or warnings."""


class RobotItem(pytest.Item):
    """The check of a robot description."""

    def __init__(self, *, job: Job, **others: Any) -> None:
        super().__init__(**others)
        self.job = job

    def runtest(self) -> None:
        """Fail if anything is graver than a remark."""
        from kinetree.checker.files import without_parts
        from kinetree.checker.pool import check_all
        from kinetree.checker.report import report
        from kinetree.errors import KinetreeError

        try:
            (result,) = map(without_parts, check_all([self.job]))
        except KinetreeError as error:
            raise FoundError(str(error)) from None
        if any(finding.severity != "info" for finding in result.findings):
            raise FoundError("\n".join(report("pretty", [result])))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """Return the findings, without a traceback."""
        if isinstance(excinfo.value, FoundError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the test is, and its name."""
        return self.path, 0, f"kinetree check {self.path.name}"
