"""What public SRDFs say about contact, against the shapes of their robots: prints docs/explanation/srdf-models.md.

Usage: python benchmarks/srdf_field.py [FOLDER]

FOLDER has packages with robots, by default those of example-robot-data. Each SRDF below it is loaded with the URDF of
its package that has most of its names; pairs are judged as by `kinetree srdf`.
"""

from __future__ import annotations

import datetime
import platform
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import kinetree as kt
from kinetree.contact.make import coarse
from kinetree.model.semantic_groups import unknown

HEAD = """# What public SRDFs say about contact

An SRDF lists pairs of links that MoveIt and others do not test for contact, each with a reason. Nothing tests the list
itself: a pair that is wrong in it lets a robot hit itself. `kinetree srdf MODEL --srdf FILE` does, and so does
`kinetree check`.

This page is of {date}, for the SRDFs of the package example-robot-data whose collision shapes can be read. It is
made by `python benchmarks/srdf_field.py`. A pair is in the list below if it is disabled for another reason than User or
Adjacent, its links move against each other, they are in contact in a configuration within the limits, and neither
always nor in the neutral configuration. Contact is that of the collision shapes as they are, meshes by their
triangles; 10,000 random configurations, and a descent from the nearest where these show no contact.

"""


class Judged(NamedTuple):
    """An SRDF: its package and file, its disabled pairs, and the findings."""

    name: str
    pairs: int
    wrong: tuple[kt.errors.Finding, ...]
    reasons: Counter[str]
    seconds: float


def robots(folder: Path) -> list[tuple[Path, kt.Robot]]:
    """Return the SRDFs below a folder with their robots, those that can be loaded."""
    found = []
    for srdf in sorted(folder.glob("*/srdf/*.srdf")):
        package, best = srdf.parents[1], None
        for urdf in sorted({*package.glob("robots/*.urdf"), *package.glob("urdf/*.urdf")}):
            try:
                robot = kt.load(urdf, srdf=srdf, packages={package.name: str(package)})
            except kt.KinetreeError:
                continue
            missing = sum(1 for _ in unknown(robot.semantic, robot)) if robot.semantic else 0
            if best is None or missing < best[0]:
                best = missing, robot
        if best:
            found.append((srdf, best[1]))
    return found


def judge(srdf: Path, robot: kt.Robot) -> Judged | str:
    """Return what is found in an SRDF, or why nothing can be."""
    start = time.process_time()
    try:
        made = coarse(robot, without=[]).semantic()
    except kt.KinetreeError as error:
        return f"{srdf.parents[1].name}/{srdf.name}: {error.findings[0].message}"
    wrong = tuple(one for one in made.notes if one.code == "srdf-contact" and "disabled as" in one.message or "without a reason" in one.message)
    own = robot.semantic.disabled_collisions
    return Judged(f"{srdf.parents[1].name}/{srdf.name}", len(own), wrong, Counter(one.reason for one in own), time.process_time() - start)


def main() -> None:
    """Print the page."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else Path(sys.prefix, "lib") / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages/cmeel.prefix/share/example-robot-data/robots"
    print(HEAD.format(date=datetime.date.today()), end="")
    rows, left = [], []
    for srdf, robot in robots(folder):
        one = judge(srdf, robot)
        (left if isinstance(one, str) else rows).append(one)
        print(one if isinstance(one, str) else (one.name, one.pairs, len(one.wrong), round(one.seconds, 1)), file=sys.stderr, flush=True)
    print("| file | disabled pairs | wrong |\n|---|---|---|")
    for one in rows:
        print(f"| {one.name} | {one.pairs} | {len(one.wrong)} |")
    print()
    for one in rows:
        if one.wrong:
            print(f"## {one.name}\n")
            for finding in one.wrong:
                print(f"- {finding.element}: {finding.message}")
            print()
    if left:
        print("Not judged:\n")
        print("\n".join(f"- {line}" for line in left))


if __name__ == "__main__":
    main()
