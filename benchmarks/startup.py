"""What it costs to start: `import kinetree` and `kinetree inspect` beside `import numpy`, as whole processes.

    python benchmarks/startup.py [MODEL.urdf] [--runs 30]

Without MODEL it takes the 213-link iCub of the package icub-models. The runs of the programs are interleaved, so that
a busy machine slows all of them, and the fastest run of each counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from machine import describe, minima

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
    calls = {name: partial(run, program) for name, program in programs.items()}
    minima(calls, 1)  # not counted: it compiles the sources
    print(describe("kinetree", "numpy", "click", "rich"), end="\n\n")
    print_table(minima(calls, 2 if arguments.quick else arguments.runs))


def icub() -> Path:
    import icub_models

    return Path(icub_models.get_model_file("iCubGazeboV2_5"))


def run(arguments: Sequence[str]) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")}
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)


def print_table(seconds: dict[str, float]) -> None:
    numpy = seconds["import numpy"]
    print(f"{'whole process':<26}{'ms':>8}{'more than numpy':>18}{'ratio':>8}{'budget':>9}")
    for name, spent in seconds.items():
        budget = f"{1000 * BUDGETS[name]:.0f} ms" if name in BUDGETS else ""
        more = 1000 * (spent - numpy)
        print(f"{name:<26}{1000 * spent:8.0f}{more:15.0f} ms{spent / numpy:8.2f}{budget:>9}")


if __name__ == "__main__":
    main()
