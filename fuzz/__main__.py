"""`python -m fuzz [TARGET …]`: look for files that break Kinetree; docs/explanation/fuzzing.md says how."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    """Run the rounds that are asked for, each in processes of its own; return whether anything was found."""
    from fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"by default all: {', '.join(TARGETS)}")
    parser.add_argument("--cases", type=int, default=200, help="of each target in a round  [default: 200]")
    parser.add_argument("--first", type=int, default=0, help="number of the first round, the seed of its cases")
    parser.add_argument("--rounds", type=int, default=1, help="how many  [default: 1]")
    parser.add_argument("--hours", type=float, help="begin rounds for so long, instead of a number of them")
    parser.add_argument("--corpus", metavar="FOLDER", help="files to make cases from, besides those of ours")
    parser.add_argument(
        "--found", metavar="FOLDER", default="build/fuzz", help="for what is found  [default: build/fuzz]"
    )
    parser.add_argument("--engine", choices=["hypothesis", "atheris"], default=_engine(), help="[default: %(default)s]")
    options = parser.parse_args()
    if odd := set(options.targets) - set(TARGETS):
        parser.error(f"no target {', '.join(sorted(odd))}; there are {', '.join(TARGETS)}")
    if options.corpus and not Path(options.corpus).is_dir():
        parser.error(f"there is no folder {options.corpus}")
    names, found = options.targets or list(TARGETS), Path(options.found)
    end = time.monotonic() + 3600 * options.hours if options.hours else None
    before, total, number = _faults(found), 0, options.first
    while time.monotonic() < end if end else number < options.first + options.rounds:
        total += _round(names, number, options)
        number += 1
        print(f"round {number - 1}: {total} cases so far, {len(_faults(found) - before)} faults", flush=True)
    new = sorted(_faults(found) - before)
    for path in new:
        print(f"found {path}")
    return int(bool(new))


def _engine() -> str:
    return "atheris" if importlib.util.find_spec("atheris") else "hypothesis"


def _faults(found: Path) -> set[Path]:
    return {path for path in found.glob("*/*") if path.suffix != ".txt"}


def _round(names: list[str], number: int, options: argparse.Namespace) -> int:
    """Run the cases of a round; return how many were tried. Where the process dies, keep the case and go on."""
    left, count = list(names), 0
    while left:
        mine = left[:1] if options.engine == "atheris" else left  # Atheris ends its process
        said = {"targets": mine, "round": number, "cases": options.cases, "engine": options.engine}
        said |= {"corpus": options.corpus, "found": options.found}
        command = [sys.executable, "-m", "fuzz.attempt", json.dumps(said)]
        paths = [str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}
        ended = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        done = [line.split() for line in ended.stdout.splitlines() if line.startswith("done ")]
        if options.engine == "atheris" and ended.returncode == 0:
            done = [["done", mine[0], str(options.cases)]]
        count += sum(int(words[2]) for words in done)
        left = left[len(done) :]
        if ended.returncode or len(done) < len(mine):
            _keep_fatal(Path(options.found) / left[0], number, ended)
            left = left[1:]
    return count


def _keep_fatal(folder: Path, number: int, ended: subprocess.CompletedProcess[str]) -> None:
    """Keep the case at which a process has ended."""
    running = list(folder.glob("running*"))
    name = f"process-ended-{number}-status-{abs(ended.returncode)}{running[0].suffix if running else ''}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_text(ended.stderr[-20_000:])
    if running:
        running[0].rename(folder / name)
    else:
        (folder / name).write_text("")


if __name__ == "__main__":
    sys.exit(main())
