"""What an editor waits for: from opening a file to its findings, and from the end of the wait after a key.

    python benchmarks/lsp.py [--count 30]

`kinetree lsp` runs as an editor starts it. An edit changes a number of a joint, back and forth; the server waits 150 ms
after it, which the second column leaves out. The last columns are requests of an unchanged document.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from time import monotonic

import icub_models

from cases import ROBOTS
from kinetree.lsp.session import WAIT
from machine import asked, describe

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from lsp_client import Client

BUDGETS = {"UR5": 0.030, "iCub": 0.120}
"""Seconds from the end of the wait to the findings, at the median."""


def main() -> None:
    count, _ = asked(__doc__, 30, 1, 3)
    files = {"UR5": ROBOTS["UR5"].file(), "iCub": Path(icub_models.get_model_file("iCubGenova11"))}
    print(describe("kinetree", "pygls"), end="\n\n")
    print("| robot | open | after the wait | hover | outline | completion | budget |\n|---|---|---|---|---|---|---|")
    for name, file in files.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder).resolve() / "robot.urdf"
            shutil.copy(file, path)
            row = [f"{1000 * seconds:.0f} ms" for seconds in measured(path, count)]
            print(f"| {name} | {' | '.join(row)} | {1000 * BUDGETS[name]:.0f} ms |")


def measured(path: Path, count: int) -> list[float]:
    """Return the time from opening to findings, and medians of edits and of requests, s."""
    with Client(path.parent) as client:
        start = monotonic()
        client.open(path)
        client.diagnostics(path)
        opened = client.published[path][2] - start
        edits = []
        for k in range(count):
            start = monotonic()
            client.replace(path, *(("<limit ", "<limit  ") if k % 2 == 0 else ("<limit  ", "<limit ")))
            client.diagnostics(path)
            edits.append(client.published[path][2] - start - WAIT)
        document = {"textDocument": {"uri": path.as_uri()}}
        requests = (
            ("textDocument/hover", client.at(path, "<limit", 2)),
            ("textDocument/documentSymbol", document),
            ("textDocument/completion", client.at(path, '<child link="', 13)),
        )
        return [opened, statistics.median(edits), *(median(client, count, *request) for request in requests)]


def median(client: Client, count: int, method: str, arguments: dict[str, object]) -> float:
    times = []
    for _ in range(count):
        start = monotonic()
        client.request(method, **arguments)
        times.append(monotonic() - start)
    return statistics.median(times)


if __name__ == "__main__":
    main()
