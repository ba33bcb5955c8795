"""What public SRDFs say about contact, against the shapes of their robots: prints docs/explanation/srdf-models.md.

Usage: python benchmarks/srdf_field.py [FOLDER]

FOLDER has packages of robots, by default those of example-robot-data. Each SRDF in them is loaded with the URDF of its
package that has most of its names; pairs are judged as by `kinetree srdf`. It takes about half an hour.
"""

from __future__ import annotations

import datetime
import site
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import kinetree as kt
from kinetree.contact.make import coarse
from kinetree.model.semantic_groups import unknown

DATA = "cmeel.prefix/share/example-robot-data/robots"
HEAD = """# What public SRDFs say about contact

An SRDF lists pairs of links that MoveIt and others do not test for contact, each with a reason. The list itself is
seldom tested: with a wrong pair in it, a robot may hit itself unseen. `kinetree srdf MODEL --srdf FILE` tests it, with
the collision shapes as they are, meshes by their triangles, in 10,000 random configurations within the limits, and by a
descent from the nearest of these where they show no contact.

This page is of {date}, for the SRDFs of the package example-robot-data whose robots have collision shapes that can
be read. `python benchmarks/srdf_field.py` prints it. A pair is *wrong* if it is disabled for another reason than User
or Adjacent, and can be in contact, but not always. *Hidden* are those that are apart in the neutral configuration:
nobody sees these when the robot is first shown. Below, each has a configuration in contact, for `kinetree show`.

"""


class Judged(NamedTuple):
    """An SRDF: its package and file, its disabled pairs, how many are wrong, and the findings that are hidden."""

    name: str
    pairs: int
    wrong: int
    hidden: list[str]


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
        if best and best[1].semantic and best[1].semantic.disabled_collisions:
            found.append((srdf, best[1]))
    return found


def judge(srdf: Path, robot: kt.Robot) -> Judged | str:
    """Return what is found in an SRDF, or why nothing can be."""
    name = f"{srdf.parents[1].name}/{srdf.name}"
    try:
        contact = coarse(robot)
    except kt.KinetreeError as error:
        return f"{name}: {error.findings[0].message}"
    touching = {frozenset(pair) for pair, at in zip(contact.pairs, contact.where(robot.q()), strict=True) if at}
    wrong = [note for note in contact.semantic().notes if note.code == "srdf-contact" and "is disabled" in note.message]
    pairs = [frozenset(str(note.element).split("'")[1::2]) for note in wrong]
    hidden = [
        f"{note.element}: {note.message}" for note, pair in zip(wrong, pairs, strict=True) if pair not in touching
    ]
    return Judged(name, len(robot.semantic.disabled_collisions), len(wrong), hidden)


def told(one: Judged | str) -> Judged | str:
    """Return it, and print it as progress."""
    print(one if isinstance(one, str) else one[:3], file=sys.stderr, flush=True)
    return one


def main() -> None:
    """Print the page."""
    own = next(Path(place, DATA) for place in site.getsitepackages() if Path(place, DATA).is_dir())
    judged = [told(judge(*one)) for one in robots(Path(sys.argv[1]) if sys.argv[1:] else own)]
    rows = [one for one in judged if isinstance(one, Judged)]
    print(HEAD.format(date=datetime.date.today()), end="")
    print("| SRDF | disabled pairs | wrong | hidden |\n|---|---|---|---|")
    for one in rows:
        print(f"| {one.name} | {one.pairs} | {one.wrong} | {len(one.hidden)} |")
    counts = Counter(pairs=sum(one.pairs for one in rows), hidden=sum(len(one.hidden) for one in rows))
    files = sum(bool(one.hidden) for one in rows)
    print(f"\n{counts['hidden']} of {counts['pairs']} pairs are hidden, in {files} of {len(rows)} files.")
    for one in rows:
        if one.hidden:
            print(f"\n## {one.name}\n")
            print("\n".join(f"- {line}" for line in one.hidden))
    if left := [one for one in judged if isinstance(one, str)]:
        print("\n## Not judged\n")
        print("\n".join(f"- {line}" for line in left))


if __name__ == "__main__":
    main()
