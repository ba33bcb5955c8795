"""How much memory and time reading takes at the limits of what is read, each text in a process of its own.

    python benchmarks/bounds.py [--quick] [WORD …]

Each text is as bad as its limit allows, and where one more is refused, that is measured too. Nothing may take more
than 12 times the 64 MB that are read at most, or 10 seconds of the processor.

WORD: only the texts with it in their name. --quick: texts of a twentieth of the size, of which nothing is asked: the
figures say nothing about the limits.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from floods import FLOODS, Flood
from machine import describe

MEMORY = 12 * 64_000_000
SECONDS = 10.0
TIMEOUT = 120.0

READ = """
import gc, json, resource, sys, time
from pathlib import Path
from kinetree.errors import KinetreeError
from kinetree.formats.registry import ReadOptions
from kinetree.load import examine
peak, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")
for line in sys.stdin:
    path, format, srdf = json.loads(line)
    gc.collect()
    if peak.exists():
        peak.write_text("5")  # forget the most memory so far
    start = time.process_time()
    try:
        robot, findings = examine(Path(path), ReadOptions(format, srdf=srdf or None))
    except KinetreeError as error:
        robot, findings = None, error.findings
    seconds = time.process_time() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    if status.exists():  # where maxrss knows what the parent had, too
        most = next((int(row.split()[1]) * 1024 for row in status.read_text().splitlines() if row[:5] == "VmHWM"), most)
    code = next((f.code for f in findings if f.severity == "error"), "")
    print(json.dumps([seconds, most, "read" if robot else code or "neither read nor refused"]), flush=True)
    robot = findings = None
"""


@dataclass(frozen=True)
class Cost:
    """What reading took. memory: the most that its process had, in bytes; result: "read", or the code of the first
    error."""

    size: int
    seconds: float
    memory: int
    result: str

    @property
    def excessive(self) -> bool:
        return self.seconds > SECONDS or self.memory > MEMORY


def costs_of(texts: Sequence[tuple[Flood, int]]) -> list[Cost]:
    """Return what texts of a size cost, read one after the other in one process. The first that ends it is the last."""
    with TemporaryDirectory() as folder:
        lines = [json.dumps(written(Path(folder) / str(i), *text)) for i, text in enumerate(texts)]
        command = [sys.executable, "-c", READ]
        try:
            done = subprocess.run(
                command,
                input="\n".join(lines),
                capture_output=True,
                text=True,
                check=False,
                timeout=TIMEOUT * len(texts),
            )
        except subprocess.TimeoutExpired as stopped:
            output, end = stopped.stdout or "", "stopped"
            output = output.decode() if isinstance(output, bytes) else output
        else:
            output, end = done.stdout, f"crashed: {(done.stderr.strip() or str(done.returncode)).splitlines()[-1]}"
    found = [Cost(size, *json.loads(line)) for (_, size), line in zip(texts, output.splitlines(), strict=False)]
    return found if len(found) == len(texts) else [*found, Cost(texts[len(found)][1], TIMEOUT, 0, end)]


def written(folder: Path, flood: Flood, size: int) -> tuple[str, str, str]:
    """Write a text; return its file, its format and the file of its SRDF."""
    folder.mkdir()
    files = flood.make(size)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    first, *others = (str(folder / name) for name in files)
    return first, flood.format, others[0] if flood.srdf else ""


def costs(flood: Flood, *, quick: bool = False) -> list[Cost]:
    """Return the costs at the limit, and one above where that is refused, each in a process of its own."""
    sizes = [max(2, flood.limit // 20)] if quick else [flood.limit, *([flood.limit + 1] if flood.above else [])]
    return [cost for size in sizes for cost in costs_of([(flood, size)])]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--quick", action="store_true", help="texts of a twentieth of the size")
    options = parser.parse_args()
    print(describe("kinetree", "numpy"))
    print(f"{'':36} {'size':>10} {'seconds':>8} {'MB':>5}")
    bad = 0
    for flood in FLOODS:
        if options.words and not any(word in flood.name for word in options.words):
            continue
        for found in costs(flood, quick=options.quick):
            wrong = found.result.startswith(("crashed", "neither", "stopped")) or (
                found.excessive and not options.quick
            )
            bad += wrong
            mark = "  TOO MUCH" if wrong else ""
            line = f"{found.size:10} {found.seconds:8.2f} {found.memory / 1e6:5.0f}  {found.result}{mark}"
            print(f"{flood.name:36} {line}", flush=True)
    print(f"{bad} take too much" if bad else "all within the limits")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
