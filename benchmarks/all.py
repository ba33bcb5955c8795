"""Run all benchmarks anew, one after another, and list the pages that quote their figures.

    python benchmarks/all.py [NAME …] [--out FOLDER] [--corpus FOLDER] [--clones FOLDER] [--venvs FOLDER] [--quick]

What each prints is kept in FOLDER/NAME.txt, below the machine, the versions and the date. Then follows a line for each:
the outcome, seconds, and the pages that name it with the oldest date on them, so that old figures are seen. VENVS holds
the environments of docs/explanation/benchmarks.md. Leave the machine alone meanwhile: it takes hours.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from machine import describe

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PAGES = (ROOT / "README.md", ROOT / "docs", HERE)
QUOTED = {"kernels": ("README.md", "docs/explanation/comparison.md", "benchmarks/results.md", "benchmarks/dynamics.md")}
"""Pages with figures of a benchmark that they do not name."""
VENVS = {
    "roboticstoolbox": "venv-rtb",
    "pytorch_kinematics": "venv-torch",
    "frax": "venv-frax",
    "casadi_c": "venv-adam",
    "dynibo": "venv-more",
    "pinocchio_cpp": "venv-more",
}
"""Environments of peers, by their names in docs/explanation/benchmarks.md."""
OF_CORPUS = ("checkers", "checking", "conversions", "corpus", "parsers", "precision", "rep199_field", "srdf_field")
"""Benchmarks of public files, which take a folder of repositories."""


class Outcome(NamedTuple):
    """What became of a benchmark: "ran", "failed", or what it needs. seconds: how long it took."""

    name: str
    outcome: str
    seconds: float


def names() -> list[str]:
    """All scripts that are benchmarks, but this one."""
    return sorted(
        path.stem for path in HERE.glob("*.py") if "__main__" in path.read_text("utf-8") and path.stem != "all"
    )


def pages_of(name: str) -> Iterator[tuple[str, str]]:
    """The pages that quote a benchmark, each with its oldest date, or "no date"."""
    files = [file for place in PAGES for file in ([place] if place.is_file() else sorted(place.rglob("*.md")))]
    for file in files:
        page, text = file.relative_to(ROOT).as_posix(), file.read_text("utf-8")
        if re.search(rf"benchmarks/{name}\.py\b", text) or page in QUOTED.get(name, ()):
            yield page, min(re.findall(r"\b20\d\d-\d\d-\d\d\b", text), default="no date")


def arguments_of(name: str, options: argparse.Namespace) -> list[str] | str:
    """Its arguments, or what it needs that is not there."""
    if options.quick:
        return ["--quick"]
    if name in OF_CORPUS:
        return [str(options.corpus)] if options.corpus else "needs --corpus"
    if name == "repairs":
        return ["--clones", str(options.clones)] if options.clones else "needs --clones"
    if name == "kernels" and options.venvs:
        there = [(peer, options.venvs / venv) for peer, venv in VENVS.items() if (options.venvs / venv).is_dir()]
        return [f"--venv={peer}={venv}" for peer, venv in there]
    return []


def run(name: str, options: argparse.Namespace) -> Outcome:
    """Run one benchmark and keep what it prints."""
    arguments = arguments_of(name, options)
    if isinstance(arguments, str):
        return Outcome(name, arguments, 0.0)
    file, start = options.out / f"{name}.txt", time.monotonic()
    with file.open("w", encoding="utf-8") as output:
        output.write(f"{describe('kinetree', 'numpy', 'llvmlite')}\n{' '.join([name, *arguments])}\n\n")
        output.flush()
        command = [sys.executable, str(HERE / f"{name}.py"), *arguments]
        code = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, cwd=ROOT, check=False).returncode
    missing = re.search(
        r"^ModuleNotFoundError: No module named '(?!kinetree)(\w+)", file.read_text("utf-8"), re.MULTILINE
    )
    outcome = f"needs {missing[1]}" if code and missing else "failed" if code else "ran"
    return Outcome(name, outcome, time.monotonic() - start)


def main(given: Sequence[str] | None = None) -> int:
    """Run them, and return 1 if one failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="these alone")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "benchmarks", help="where outputs are kept")
    parser.add_argument("--corpus", type=Path, help="a folder with a folder for each repository")
    parser.add_argument("--clones", type=Path, help="a folder of clones for repairs.py")
    parser.add_argument("--venvs", type=Path, help="a folder with environments of other libraries")
    parser.add_argument("--quick", action="store_true", help="does each run? its times have no meaning")
    options = parser.parse_args(given)
    if unknown := set(options.names) - set(names()):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; expected {', '.join(names())}")
    options.out.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in options.names or names():
        one = run(name, options)
        failed |= one.outcome == "failed"
        pages = ", ".join(f"{page} ({date})" for page, date in pages_of(name)) or "no page"
        print(f"{name:14} {one.outcome:14} {one.seconds:7.0f} s  {pages}", flush=True)
    print(f"outputs: {options.out}")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
