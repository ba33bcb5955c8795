"""One mutant on trial: it is put into a copy of the checkout, and tests run there until one fails."""

import json
import os
import re
import shutil
import signal
import site
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from .draw import Mutant
from .plugin import ORDER, RECORD, function_of

QUICK = "not crosscheck and not slow"
SLOW = "crosscheck or slow"
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
RUNNING: set[subprocess.Popen[bytes]] = set()


class Workplace(NamedTuple):
    """A copy of the checkout, in which mutants may do what they like."""

    root: Path  # of the checkout
    copy: Path


class Done(NamedTuple):
    """How a process ended."""

    status: int | None  # none when it ran out of time
    output: str

    @property
    def passed(self) -> bool:
        return self.status in (0, 5)  # 5: pytest has found no test

    @property
    def failed(self) -> set[str]:
        """The test functions that failed, if it ended by itself."""
        return set() if self.status is None else {function_of(test) for test in FAILED.findall(self.output)}

    @property
    def reason(self) -> str:
        """What failed first."""
        if self.status is None:
            return "out of time"
        found = FAILED.search(self.output)
        return found[1] if found else f"exit status {self.status}"


def set_up(root: Path, folder: Path) -> Workplace:
    """Copy what git tracks or would add and what is built beside the sources, or all where there is no git."""
    copy = folder / "checkout"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True
    )
    if listed.returncode or not (root / ".git").exists():
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    else:
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (root / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, copy / name)
    for built in root.glob("src/*/viewing/bundle/*.js"):  # that git ignores
        (copy / built.relative_to(root)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built, copy / built.relative_to(root))
    for name in ("user", "tmp"):  # no name of a package in tests
        (folder / name).mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "compileall", "-q", "-j", "1", copy / "src"], check=True)
    return Workplace(root, copy)


def environment(workplace: Workplace) -> dict[str, str]:
    """A mutant sees its own package, and neither the user's files nor byte code of other mutants."""
    tests = Path(__file__).resolve().parents[1]
    folder = workplace.copy.parent
    return {
        **{name: value for name, value in os.environ.items() if name not in (RECORD, ORDER)},  # of a run around this
        "PYTHONPATH": os.pathsep.join([str(workplace.copy / "src"), str(tests)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUSERBASE": site.getuserbase(),
        "HOME": str(folder / "user"),
        "XDG_CACHE_HOME": str(folder / "user" / ".cache"),
        "TMPDIR": str(folder / "tmp"),
    }


def run(workplace: Workplace, command: Sequence[str], limit: float | None, more: Mapping[str, str] = {}) -> Done:
    """Run a command in the copy; after `limit` seconds it and all that it started are killed."""
    log = workplace.copy.parent / "output.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=workplace.copy,
            env={**environment(workplace), **more},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        RUNNING.add(process)
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            kill(process)
            status = None
        RUNNING.discard(process)
    return Done(status, log.read_text(encoding="utf-8", errors="replace"))


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process that has not ended, and those that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def pytest(
    workplace: Workplace, arguments: Sequence[str], more: Mapping[str, str] = {}, limit: float | None = None
) -> Done:
    """Run pytest with the settings of the checkout but for its default arguments."""
    settings = ["-o", "addopts=", "--import-mode=importlib", "-p", "no:cacheprovider", "-p", "mutation.plugin"]
    quiet = ["-q", "--tb=no", "-rfE", "--basetemp", str(workplace.copy.parent / "basetemp")]
    return run(workplace, ["-m", "pytest", *settings, *quiet, *arguments], limit, more)


def ordered(workplace: Workplace, arguments: Sequence[str], limit: float | None, **order: Sequence[str]) -> Done:
    """Run pytest until the first failure, in an order of files and tests; see `plugin.py`."""
    return pytest(workplace, ["-x", *arguments], order_file(workplace, **order), limit)


def all_tests(workplace: Workplace, marked: str, limit: float | None, without: Iterable[str], workers: int) -> Done:
    """Run the tests with a mark but for some, in several processes, to the end."""
    parallel = ["-n", str(workers), "--dist", "worksteal"] if workers > 1 else []
    return pytest(workplace, ["-m", marked, *parallel], order_file(workplace, without=sorted(without)), limit)


def order_file(workplace: Workplace, **order: Sequence[str]) -> dict[str, str]:
    """Write an order of tests; return the variable that names it."""
    path = workplace.copy.parent / "order.json"
    path.write_text(json.dumps({"only": None, "first": [], "without": []} | order), encoding="utf-8")
    return {ORDER: str(path)}


@contextmanager
def applied(mutant: Mutant, workplace: Workplace) -> Iterator[None]:
    """Put a mutant into the copy, with a time of its own so that no byte code stands for it, and take it out again."""
    path = workplace.copy / mutant.file
    data, times = path.read_bytes(), path.stat()
    path.write_bytes(mutant.data)
    os.utime(path, ns=(times.st_atime_ns, time.time_ns() + 10**10))
    try:
        yield
    finally:
        path.write_bytes(data)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def imports(mutant: Mutant, workplace: Workplace, limit: float) -> Done:
    """Import the package and the module of a mutant."""
    parts = Path(mutant.file).with_suffix("").parts[1:]
    module = ".".join(parts[:-1] if parts[-1] in ("__init__", "__main__") else parts)
    return run(workplace, ["-c", f"import {parts[0]}, {module}"], limit)
