"""What a benchmark says of itself: machine, versions, date. And the clock they share."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from datetime import date
from importlib.metadata import version
from pathlib import Path


def describe(*packages: str) -> str:
    """The machine, the versions of Python and of the packages, and the date, on two lines."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line]
        cpu = f"{models[0]}, {len(models)} cores" if models else cpu
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{date.today()}, {cpu}, {platform.system()}\nPython {platform.python_version()}, {versions}"


def minima(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The shortest time of each call in seconds; the calls take turns, so that they share the machine's moods."""
    shortest = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            shortest[name] = min(shortest[name], time.perf_counter() - start)
    return shortest
