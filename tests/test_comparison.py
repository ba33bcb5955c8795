"""The figures of speed in docs/explanation/comparison.md are those of the pages that it quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from pages import ROOT

PAGE = ROOT / "docs" / "explanation" / "comparison.md"


def tables(text: str) -> Iterator[list[list[str]]]:
    """Yield the tables of a page, as rows of cells, the heads first."""
    for match in re.finditer(r"(?:^\|.*\n)+", text, re.MULTILINE):
        lines = [line.strip("|").split("|") for line in match[0].splitlines()]
        yield [[cell.strip() for cell in line] for line in lines if not set("".join(line)) <= set("-: ")]


def quoted(corner: str) -> list[list[str]]:
    """Return the table of the comparison that has this word in its first cell."""
    return next(table for table in tables(PAGE.read_text(encoding="utf-8")) if table[0][0] == corner)


@pytest.mark.parametrize(("corner", "source"), [("kinematics", "results.md"), ("dynamics", "dynamics.md")])
def test_times_are_those_of_the_benchmarks(corner, source):
    text = (ROOT / "benchmarks" / source).read_text(encoding="utf-8")
    date = text.splitlines()[2].partition(",")[0]
    assert f"benchmarks/{source}) ({date}" in PAGE.read_text(encoding="utf-8")
    (_, *peers), *rows = quoted(corner)
    assert rows
    for name, *cells in rows:
        work, _, form = name.partition(": ")
        head, *lines = next(tables(text.split(f"## {work}\n", 1)[1]))
        measured = dict(zip(head, next(line for line in lines if line[0] == form), strict=True))
        assert cells == [measured.get(peer, "–").partition(" /")[0] for peer in peers], name


def test_times_of_inverse_kinematics_are_those_of_its_page():
    page = (ROOT / "docs" / "reference" / "inverse-kinematics.md").read_text(encoding="utf-8")
    head, *lines = next(table for table in tables(page) if "us each" in table[0])
    at = head.index("us each")
    measured = {(line[0], line[2]): line[at] for line in lines}
    (_, *robots), *rows = quoted("microseconds")
    assert rows
    for solver, *cells in rows:
        assert cells == [measured.get((robot, solver), "–") for robot in robots], solver
    assert "(2026-11-30" in PAGE.read_text(encoding="utf-8")
    assert ", 2026-11-30." in page
