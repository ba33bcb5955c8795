"""How long it takes from asking for a kernel to its first answer, and how that grows with the robot.

    python benchmarks/compile_time.py [--quick]

Every figure of a robot is the shortest of several fresh processes that have imported NumPy, llvmlite and Kinetree and
loaded the robot's own URDF file; counted are `kt.fk(robot, frames)` and its first call, and the same of inverse and
forward dynamics. Without the cache, everything is traced and compiled; with it, another process has done so before.
Chains of 5 to 200 joints with random Denavit-Hartenberg constants show the growth.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np

import cases
from machine import describe

ASK = """
import json, sys, time
import llvmlite.binding, llvmlite.ir, numpy
import kinetree as kt

query, file, *frames = sys.argv[1:]
robot = kt.load(file)
q, qd = numpy.zeros(robot.nq), numpy.zeros(robot.nv)
start = time.perf_counter()
if query == "fk":
    kt.fk(robot, frames[0] if len(frames) == 1 else frames)(q)
else:
    getattr(kt, query)(robot)(q, qd, qd)
print(json.dumps(time.perf_counter() - start))
"""

GROW = """
import json, sys, time
import llvmlite.binding, llvmlite.ir, numpy
import kinetree as kt

def ask(text, query):
    robot = kt.load(text, format="dh")
    q = numpy.zeros(robot.nq)
    start = time.perf_counter()
    kernel = getattr(kt, query)(robot, "tip")
    kernel(q)
    return time.perf_counter() - start, sum(kernel.operations.values())

texts, rounds = json.load(sys.stdin), int(sys.argv[2])
ask(texts[0], sys.argv[1])  # not counted: it starts LLVM
print(json.dumps([min(ask(text, sys.argv[1]) for _ in range(rounds)) for text in texts]))
"""

TARGETS = {
    ("fk", "UR5"): (150, 5),
    ("fk", "Panda"): (150, 5),
    ("fk", "iCub"): (1000, 20),
    ("inverse_dynamics", "UR5"): (300, 30),
    ("inverse_dynamics", "Panda"): (300, 30),
    ("forward_dynamics", "iCub"): (1500, 30),
}
"""Milliseconds without and with the cache, by query and robot."""

JOINTS = (5, 10, 20, 50, 100, 200)


def run(program: str, *arguments: str, cache: str, text: str = "") -> Any:
    """What a fresh process prints, as JSON."""
    command = [sys.executable, "-c", program, *arguments]
    environment = {**os.environ, "KINETREE_CACHE": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a user's modules are compiled
    done = subprocess.run(command, check=True, input=text, stdout=subprocess.PIPE, text=True, env=environment)
    return json.loads(done.stdout)


def ready(query: str, name: str, cache: str, processes: int) -> float:
    """Milliseconds from asking for a query of a robot to the first answer."""
    source = cases.ROBOTS[name]
    return 1e3 * min(run(ASK, query, str(source.file()), *source.frames, cache=cache) for _ in range(processes))


def chain(n: int) -> str:
    """A DH table of n revolute joints with constants that no rule simplifies."""
    random = np.random.default_rng(n)
    numbers = "a = {:.4f}, d = {:.4f}, alpha = {:.4f}, theta = {:.4f}"
    rows = [
        f"  {{ joint = 'q{i}', {numbers.format(*row)} }},"
        for i, row in enumerate(random.uniform((0.05, 0.05, 0.2, 0.2), (0.4, 0.4, 1.3, 1.3), (n, 4)))
    ]
    head = [f"name = 'chain_{n}'", "convention = 'dh'", "units = { length = 'm', angle = 'rad' }", "frames = false"]
    return "\n".join([*head, "tip = 'tip'", "rows = [", *rows, "]"])


def line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float]:
    """The line a + b x that fits best, relative to y; and by how much y differs from it at most, relative to y."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    A = np.stack([1 / y, x / y], axis=1)
    (a, b), *_ = np.linalg.lstsq(A, np.ones(len(x)), rcond=None)
    return float(a), float(b), float(np.abs((a + b * x) / y - 1).max())


def cold_and_warm(query: str, name: str, processes: int) -> tuple[float, float]:
    """Milliseconds until a query of a robot is ready, without the cache and with it."""
    cold = ready(query, name, "off", processes)
    with tempfile.TemporaryDirectory() as cache:
        ready(query, name, cache, 1)  # fills it
        return cold, ready(query, name, cache, processes)


def print_robots(processes: int) -> None:
    print(f"{'ready after':<24}{'without cache':>16}{'target':>10}{'with cache':>14}{'target':>10}")
    for (query, name), (without, with_cache) in TARGETS.items():
        cold, warm = cold_and_warm(query, name, processes)
        print(f"{f'{query} {name}':<24}{cold:13.1f} ms{without:7} ms{warm:11.2f} ms{with_cache:7} ms")


def print_growth(query: str, joints: Sequence[int], rounds: int) -> None:
    found = run(GROW, query, str(rounds), cache="off", text=json.dumps([chain(n) for n in joints]))
    milliseconds, operations = [1e3 * seconds for seconds, _ in found], [count for _, count in found]
    print(f"\n{query + ', joints':<16}{'operations':>12}{'a joint':>10}{'compiled in':>14}{'a joint':>12}")
    for n, ms, count in zip(joints, milliseconds, operations, strict=True):
        print(f"{n:<16}{count:12}{count / n:10.1f}{ms:11.1f} ms{ms / n:9.2f} ms")
    for what, values, unit in (("operations", operations, ""), ("time", milliseconds, " ms")):
        a, b, off = line(joints, values)
        print(f"  {what}: {a:.3g}{unit} + {b:.3g}{unit} a joint, at most {100 * off:.0f} % off")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one process, short chains")
    quick = parser.parse_args().quick
    print(describe("kinetree", "numpy", "llvmlite"), end="\n\n")
    print_robots(1 if quick else 7)
    for query in ("fk", "jacobian"):
        print_growth(query, JOINTS[:3] if quick else JOINTS, 1 if quick else 3)


if __name__ == "__main__":
    main()
