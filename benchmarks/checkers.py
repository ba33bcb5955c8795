"""Check models drawn by lot with Kinetree and with other checkers, and list what each finds.

    python benchmarks/checkers.py FOLDER [--peers VENV] [--count 50] [--seed 24] [--json FILE]

FOLDER holds repositories, each a folder; at most three models of a repository are drawn. VENV is a virtual environment
with simcheck, isaaclab-robot-doctor and urdf-validator, each called as its page says: simcheck without engines
(`--static-only`), the others by default. Every command runs once for each file in a process of its own, one
tool after the other for each file. The first table counts files, findings (errors and warnings, without remarks) and
seconds; the second counts findings and files by kind; `--json` has every finding, to be judged by hand.
benchmarks/checkers.md has such a judgement.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

SEVERITIES = ("error", "warning")
Row = tuple[str, str, str]
"""Severity, kind of finding, and its text."""


def kinetree(file: Path, folder: Path) -> tuple[list[str], Callable[[str], Iterator[Row]]]:
    """Return the command of Kinetree, and the reader of its answer."""

    def rows(text: str) -> Iterator[Row]:
        for finding in json.loads(text)["findings"]:
            yield finding["severity"], finding["code"], f"{finding['element']}: {finding['message']}"

    return [sys.executable, "-m", "kinetree", "check", str(file), "--profile", "sim", "--json"], rows


def simcheck(file: Path, folder: Path) -> tuple[list[str], Callable[[str], Iterator[Row]]]:
    """Return the command of simcheck, and the reader of its answer."""

    def rows(text: str) -> Iterator[Row]:
        for result in json.loads(text)[0]["results"]:
            for finding in result["findings"]:
                yield finding["severity"], finding["check"], finding["message"]

    return ["simcheck", "check", str(file), "--static-only", "--robot", "--format", "json"], rows


def robot_doctor(file: Path, folder: Path) -> tuple[list[str], Callable[[str], Iterator[Row]]]:
    """Return the command of isaaclab-robot-doctor, and the reader of its answer."""

    def rows(text: str) -> Iterator[Row]:
        for finding in json.loads(text)["findings"]:
            severity = {"ERROR": "error", "WARN": "warning"}.get(finding["severity"].upper(), "info")
            yield severity, finding["id"], finding["message"]

    return ["isaaclab-robot-doctor", "check", "--json", str(file)], rows


def urdf_validator(file: Path, folder: Path) -> tuple[list[str], Callable[[str], Iterator[Row]]]:
    """Return the command of urdf-validator, and the reader of its report."""

    def rows(text: str) -> Iterator[Row]:
        (report,) = folder.glob("*.json")
        said: Mapping[str, Any] = json.loads(report.read_text())["schema"]
        for severity, key in (("error", "critical_issues"), ("warning", "warnings")):
            yield from ((severity, "schema", text) for text in said[key])

    return ["urdf_validate", str(file), "--output-dir", str(folder)], rows


TOOLS = {
    "kinetree": kinetree,
    "simcheck": simcheck,
    "isaaclab-robot-doctor": robot_doctor,
    "urdf-validator": urdf_validator,
}


def drawn(folder: Path, count: int, seed: int) -> list[Path]:
    """Return models drawn by lot, at most three of a repository."""
    lot = random.Random(seed)
    models = []
    for repository in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = sorted(path for path in repository.rglob("*.urdf") if b"<robot" in path.read_bytes())
        models += lot.sample(files, min(3, len(files)))
    return lot.sample(models, min(count, len(models)))


def answer(tool: str, file: Path, peers: Path | None) -> tuple[list[Row] | None, float]:
    """Return the findings of a tool, None if it has no answer, and the seconds that it took."""
    with tempfile.TemporaryDirectory() as folder:
        words, rows = TOOLS[tool](file, Path(folder))
        if tool != "kinetree" and peers is not None:
            words[0] = str(peers / "bin" / words[0])
        start = time.perf_counter()
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=120)
            seconds = time.perf_counter() - start
            return list(rows(done.stdout)), seconds
        except (subprocess.TimeoutExpired, ValueError, KeyError):
            return None, time.perf_counter() - start


def main() -> None:
    """Run all tools on the drawn models and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true", help="print the tools and end")
    given = parser.parse_args()
    if given.quick or given.folder is None:
        print(*TOOLS)
        return
    tools = [tool for tool in TOOLS if tool == "kinetree" or given.peers is not None]
    found: dict[str, dict[str, list[Row] | None]] = {tool: {} for tool in tools}
    seconds: Counter[str] = Counter()
    for file in drawn(given.folder, given.count, given.seed):
        for tool in tools:
            rows, took = answer(tool, file, given.peers)
            found[tool][str(file.relative_to(given.folder))] = rows
            seconds[tool] += took
    print("| checker | files with an answer | with findings | errors and warnings | kinds | seconds a file |")
    print("|---|---|---|---|---|---|")
    for tool, files in found.items():
        answers = [[row for row in rows if row[0] in SEVERITIES] for rows in files.values() if rows is not None]
        every = [row for rows in answers for row in rows]
        print(
            f"| {tool} | {len(answers)} of {len(files)} | {sum(map(bool, answers))} | {len(every)} "
            f"| {len({row[1] for row in every})} | {seconds[tool] / len(files):.2f} |"
        )
    print("\n| checker | kind | errors | warnings | files |\n|---|---|---|---|---|")
    for tool, files in found.items():
        rows = [(*row[:2], file) for file, answers in files.items() for row in answers or () if row[0] in SEVERITIES]
        for kind, count in Counter(kind for _, kind, _ in rows).most_common():
            errors = sum(row[:2] == ("error", kind) for row in rows)
            print(f"| {tool} | {kind} | {errors} | {count - errors} | {len({f for _, k, f in rows if k == kind})} |")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
