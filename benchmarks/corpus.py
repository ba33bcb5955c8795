"""Load every robot description of a folder and say what became of each: loaded, refused and why, or crashed.

    python benchmarks/corpus.py [FOLDER] [--list CODE] [--json] [--format urdf]

FOLDER holds one folder a repository, as in `../shared/corpus`. A crash is any exception but KinetreeError, and any
file that takes longer than --seconds. Files of macros alone are counted apart: they are no robots. `parsers.py`
compares with other libraries.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType

from kinetree.errors import KinetreeError
from kinetree.formats.registry import FORMATS, ReadOptions
from kinetree.load import examine

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "corpus"
NO_ROBOT = ("xacro-macros-only", "xacro-empty")  # such a xacro file is a part, not a robot
SUFFIXES = {".urdf": "urdf", ".xacro": "xacro", ".sdf": "sdf", ".world": "sdf", ".mjcf": "mjcf"}


@dataclass(frozen=True)
class Outcome:
    """What became of one file: "loaded", "refused", "macro file" or "crashed"; the cause and its words."""

    file: str
    format: str
    result: str
    code: str = ""
    message: str = ""


def files_of(folder: Path, formats: Iterable[str]) -> Iterator[tuple[Path, str]]:
    """Every file with a format that we read, in order."""
    for path in sorted(folder.rglob("*")):
        format = SUFFIXES.get(path.suffix.lower())
        if path.suffix.lower() == ".xml" and path.is_file() and b"<mujoco" in path.read_bytes()[:4000]:
            format = "mjcf"
        if format in FORMATS and format in formats:
            yield path, format


def packages_of(folder: Path, file: Path) -> dict[str, Path]:
    """A repository that is itself a package is named `owner+package`, where a workspace would have `package`."""
    repository = folder / file.relative_to(folder).parts[0]
    return {repository.name.partition("+")[2]: repository} if (repository / "package.xml").is_file() else {}


def outcome(task: tuple[Path, Path, str, float]) -> Outcome:
    """Load one file within the time it may take."""
    folder, path, format, seconds = task
    name = str(path.relative_to(folder))
    try:
        with time_limit(seconds):
            robot, findings = examine(path, ReadOptions(packages=packages_of(folder, path)))
    except KinetreeError as error:
        robot, findings = None, list(error.findings)
    except BaseException as error:
        return Outcome(name, format, "crashed", type(error).__name__, str(error)[:300])
    errors = [finding for finding in findings if finding.severity == "error"]
    if robot is not None and not errors:
        return Outcome(name, format, "loaded")
    if not errors:
        return Outcome(name, format, "crashed", "silent", "neither a robot nor an error")
    result = "macro file" if errors[0].code in NO_ROBOT else "refused"
    return Outcome(name, format, result, errors[0].code, str(errors[0]).replace(f"{folder}{os.sep}", ""))


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the block after so many seconds, where the system has an alarm clock."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"took more than {seconds} s")

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def load_all(
    folder: Path, formats: Iterable[str] = tuple(FORMATS), *, seconds: float = 20, workers: int = 2, every: int = 1
) -> list[Outcome]:
    """The outcome of every file, or of every n-th."""
    tasks = [(folder, path, format, seconds) for path, format in files_of(folder, formats)][::every]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return list(pool.imap(outcome, tasks, chunksize=8))


def table(outcomes: list[Outcome]) -> str:
    """Per format: how many loaded, were macro files, refused by cause, crashed."""
    lines = []
    for format in dict.fromkeys(o.format for o in outcomes):
        rows = [o for o in outcomes if o.format == format]
        counts = collections.Counter(o.result for o in rows)
        lines.append(f"{format:8} {len(rows):5} files")
        for result in ("loaded", "macro file", "refused", "crashed"):
            lines.append(f"    {result:26} {counts[result]:5}")
            causes = collections.Counter(o.code for o in rows if o.result == result and o.code)
            lines += [f"        {code:22} {count:5}" for code, count in causes.most_common()]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--format", action="append", choices=list(FORMATS), help="only this format; may be repeated")
    parser.add_argument("--list", metavar="CODE", help="list the files with this cause, or this outcome")
    parser.add_argument("--json", action="store_true", help="every outcome as JSON")
    parser.add_argument("--seconds", type=float, default=20, help="for one file")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="only every 29th file")
    options = parser.parse_args()
    folder = options.folder.resolve()
    if not folder.is_dir():
        print(f"no folder {folder.name}: nothing to load")
        return 0
    step = 29 if options.quick else 1
    formats = options.format or list(FORMATS)
    outcomes = load_all(folder, formats, seconds=options.seconds, workers=options.workers, every=step)
    if options.list:
        outcomes = [o for o in outcomes if options.list in (o.code, o.result)]
    if options.json:
        print(json.dumps([asdict(o) for o in outcomes], indent=1))
    elif options.list:
        print(
            *(f"{o.file}: {(o.message or o.result).splitlines()[0].rpartition(': error: ')[2]}" for o in outcomes),
            f"{len(outcomes)} files",
            sep="\n",
        )
    else:
        print(table(outcomes))
    return 1 if any(o.result == "crashed" for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
