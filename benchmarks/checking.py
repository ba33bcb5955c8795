"""How fast models are checked: all URDF files of a folder, and one arm, as whole processes.

    python benchmarks/checking.py [FOLDER] [--profile industrial] [--runs 5]

Beside them `import numpy`, and what expat alone takes to parse the same files: on a busy machine the ratio tells more
than the seconds. The runs take turns, and the fastest of each counts; the cores are all that the process may use.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from xml.parsers import expat

from kinetree.rules.examples import ARM
from kinetree.rules.profiles import PROFILES
from machine import cores, describe, seconds_of

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "corpus"
MANY = """
import sys
from kinetree.checker.job import Job
from kinetree.checker.pool import check_all
from kinetree.rules.options import CheckOptions
profile, *files = sys.argv[1:]
for checked in check_all([Job(file, CheckOptions(profile)) for file in files]):
    if any(finding.code.startswith("check-") for finding in checked.findings):
        sys.exit(f"{checked.file}: {checked.findings[0]}")
"""


def process(*arguments: str) -> None:
    """Run Python on this; it is well if it ends with 0 or with findings."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")}
    command = [sys.executable, *arguments]
    ended = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if ended.returncode not in (0, 1) or ended.stderr:
        raise SystemExit(ended.stderr.decode())


def parse(files: list[str]) -> None:
    """What expat takes without anybody who listens."""
    for file in files:
        parser = expat.ParserCreate()
        try:
            parser.Parse(Path(file).read_bytes(), True)
        except expat.ExpatError:
            continue


def measured(files: list[str], arm: str, profile: str, runs: int) -> dict[str, list[float]]:
    """The seconds of every run."""
    calls = {
        "import numpy": partial(process, "-c", "import numpy"),
        "expat alone": partial(parse, files),
        "one arm": partial(process, "-m", "kinetree", "check", arm, "--profile", profile),
        "all files": partial(process, "-c", MANY, profile, *files),
    }
    calls["one arm"]()  # not counted: it compiles the sources
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(runs):
        for name, call in calls.items():
            seconds[name].append(seconds_of(call))
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--profile", choices=list(PROFILES), default="industrial")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="every 29th file, one run")
    options = parser.parse_args()
    files = sorted(map(str, options.folder.rglob("*.urdf")))[:: 29 if options.quick else 1]
    if not files:
        print(f"no URDF files in {options.folder.name}: nothing to check")
        return
    with TemporaryDirectory() as folder:
        arm = Path(folder, "arm.urdf")
        arm.write_text(ARM)
        seconds = measured(files, str(arm), options.profile, 1 if options.quick else options.runs)
    print(
        f"{describe('kinetree', 'numpy')}\nprofile {options.profile}, {len(cores()) or os.cpu_count()} cores to use\n"
    )
    for name, all_seconds in seconds.items():
        print(f"{name:14} {min(all_seconds):7.3f} s at best, {median(all_seconds):7.3f} s in the middle")
    many, bare = min(seconds["all files"]), min(seconds["expat alone"])
    print(f"{len(files)} files, {len(files) / many:.0f} a second, {many / bare:.0f} times expat alone")


if __name__ == "__main__":
    main()
