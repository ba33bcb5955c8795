"""What a benchmark says of itself: machine, versions, date. And the clock and the cores they share."""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Mapping
from datetime import date
from importlib.metadata import version
from itertools import repeat
from pathlib import Path

ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"),
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}
"""Environment variables that keep libraries from starting threads of their own."""


def asked(text: str, count: int, runs: int, quick: int) -> tuple[int, int]:
    """How many, and how often, as the command line says. text: the benchmark's own; quick: how many with --quick."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--quick", action="store_true", help=f"{quick} of them, one run")
    arguments = parser.parse_args()
    return (quick, 1) if arguments.quick else (arguments.count, arguments.runs)


def describe(*packages: str) -> str:
    """The machine, the versions of Python and of the packages, and the date, on two lines."""
    return f"{date.today()}, {machine()}\nPython {platform.python_version()}, {versions(*packages)}"


def machine() -> str:
    """Processor, how many cores this process may use, operating system."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line]
        cpu = f"{models[0]}, {len(models)} cores" if models else cpu
    return f"{cpu}, {platform.system()}"


def versions(*packages: str) -> str:
    """Their names with their versions."""
    return ", ".join(f"{name} {version(name)}" for name in packages)


def cores() -> list[int]:
    """The cores that this process may use; empty where the system does not let a process choose."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def stay_on(some: list[int]) -> None:
    """Let this thread, and those it starts from now on, run on these cores only; on none of the list, as before."""
    if some:
        os.sched_setaffinity(0, some)


def minima(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The shortest time of each call in seconds; the calls take turns, so that they share the machine's moods."""
    shortest = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            shortest[name] = min(shortest[name], seconds_of(call))
    return shortest


def seconds_of(call: Callable[[], object], times: int = 1) -> float:
    """How long one call takes, on average over so many in a row."""
    start = time.perf_counter()
    for _ in repeat(None, times):
        call()
    return (time.perf_counter() - start) / times
