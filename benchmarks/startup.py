"""What it costs to start: `import kinetree` and `kinetree inspect` beside `import numpy`, as whole processes.

    python benchmarks/startup.py [MODEL.urdf] [--runs 30]

Without MODEL it takes the 213-link iCub of the package icub-models. The runs of the programs are interleaved, so that
a busy machine slows all of them, and the fastest run of each counts.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

BUDGETS = {"import kinetree": 0.1, "kinetree inspect": 0.4}
"""Seconds more than `import numpy`."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--quick", action="store_true", help="two runs")
    arguments = parser.parse_args()
    model = str(arguments.model or icub())
    programs = {
        "python": ["-c", "pass"],
        "import numpy": ["-c", "import numpy"],
        "import kinetree": ["-c", "import kinetree"],
        "kinetree inspect": ["-m", "kinetree", "inspect", model],
        "kinetree inspect --json": ["-m", "kinetree", "inspect", "--json", model],
        "kinetree fk": ["-m", "kinetree", "fk", model, "root_link"],
    }
    if arguments.model:
        del programs["kinetree fk"]  # its frames are not known
    print_machine()
    print_table(fastest(programs, 2 if arguments.quick else arguments.runs))


def icub() -> Path:
    import icub_models

    return Path(icub_models.get_model_file("iCubGazeboV2_5"))


def fastest(programs: dict[str, Sequence[str]], runs: int) -> dict[str, float]:
    """The least seconds of each program; one more run before is not counted, it compiles the sources."""
    seconds = dict.fromkeys(programs, float("inf"))
    for run in range(runs + 1):
        for name, arguments in programs.items():
            spent = once(arguments)
            if run:
                seconds[name] = min(seconds[name], spent)
    return seconds


def once(arguments: Sequence[str]) -> float:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")}
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - start


def print_machine() -> None:
    packages = ("numpy", "click", "rich")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    print(f"{datetime.date.today()}, {processor()}, {os.cpu_count()} cores, {platform.system()}")
    print(f"Python {platform.python_version()}, {versions}\n")


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def print_table(seconds: dict[str, float]) -> None:
    numpy = seconds["import numpy"]
    print(f"{'whole process':<26}{'ms':>8}{'more than numpy':>18}{'ratio':>8}{'budget':>9}")
    for name, spent in seconds.items():
        budget = f"{1000 * BUDGETS[name]:.0f} ms" if name in BUDGETS else ""
        more = 1000 * (spent - numpy)
        print(f"{name:<26}{1000 * spent:8.0f}{more:15.0f} ms{spent / numpy:8.2f}{budget:>9}")


if __name__ == "__main__":
    main()
