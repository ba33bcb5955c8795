"""Measurements to text."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from machine import describe
from works import Target, Work


@dataclass
class Measured:
    """One work by one peer. difference: relative to the largest number, from Kinetree's interpreter; work, unit:
    seconds a configuration and a unit, round by round. error: why there are none."""

    difference: float = 0.0
    agrees: bool = True
    error: str = ""
    work: list[float] = field(default_factory=list)
    unit: list[float] = field(default_factory=list)

    def add(self, work: float, unit: float) -> None:
        """One more round."""
        self.work.append(work)
        self.unit.append(unit)

    @property
    def minimum(self) -> float:
        """The shortest work over the shortest unit."""
        return min(self.work) / min(self.unit)

    @property
    def median(self) -> float:
        """Of the ratios of the rounds, in which both have met the same machine."""
        return statistics.median(w / u for w, u in zip(self.work, self.unit, strict=True))


@dataclass
class Results:
    """What a run has found. hello: what each peer says of itself; missing: why a peer is not there; stand_in: how many
    units the stand-in takes, None if nobody has Pinocchio."""

    hello: Mapping[str, Mapping[str, Any]]
    found: Mapping[Work, Mapping[str, Measured]]
    stand_in: float | None = None
    missing: dict[str, str] = field(default_factory=dict)

    def scale(self, peer: str) -> float:
        """Units in what this peer was measured with."""
        return 1.0 if self.hello[peer]["unit"] == "pinocchio" or self.stand_in is None else self.stand_in

    def ratio(self, peer: str, work: Work) -> float | None:
        """How many units a configuration takes at the least; None where that was not measured."""
        measured = self.found.get(work, {}).get(peer)
        return measured.minimum * self.scale(peer) if measured and not measured.error else None

    def faults(self) -> list[str]:
        """Every disagreement and every error, in words."""
        rows = [(work, peer, m) for work, row in self.found.items() for peer, m in row.items()]
        return [
            f"{peer}, {work.query} {work.label}: {m.error or f'differs by {m.difference:.1e}'}"
            for work, peer, m in rows
            if m.error or not m.agrees
        ]


def report(
    results: Results,
    title: str,
    targets: Iterable[Target],
    ready: Iterable[tuple[str, float, float]] = (),
    *,
    quick: bool = False,
) -> str:
    """All of it as Markdown. ready: what is to be ready, after how many milliseconds it is, and is to be."""
    parts = [f"# {title}", *_about(results, quick)]
    for query in dict.fromkeys(work.query for work, row in results.found.items() if row):
        parts += [f"## {query}", _table(results, query)]
    parts += ["## What is to be reached", _targets(results, targets, ready, quick)]
    parts += ["## Who was measured", _peers(results)]
    parts += ["## What went wrong", _list(results.faults()) or "Nothing: all that was measured agrees with Kinetree."]
    return "\n\n".join(parts) + "\n"


def _about(results: Results, quick: bool) -> Iterator[str]:
    yield describe("kinetree", "numpy", "llvmlite").replace("\n", ". ") + "."
    if quick:
        yield "**A quick run: small batches, two rounds. The figures mean nothing.**"
    yield (
        "Times of one configuration, one core, double precision unless said. A cell is minimum / median in units, and "
        "in brackets how many times Kinetree's minimum in the same row. † marks a result that differs from Kinetree's "
        "by more than 1e-9 (pytorch_kinematics 1e-6, single precision 1e-5, dynibo 1e-3) of the largest number; – is "
        "not offered, or not for so many: a Python loop, or too slow to wait for."
    )
    units = [u for row in results.found.values() for p, m in row.items() if results.scale(p) == 1.0 for u in m.unit]
    if results.stand_in is None:
        yield "The unit is a sum of 64 Python floats, since Pinocchio is not installed: compare within a row alone."
    elif units:
        yield (
            "The unit is one `pinocchio.forwardKinematics(model, data, q)` of the UR5 called from Python, timed right "
            f"before and after each round of each work in the same process: minimum {min(units) * 1e6:.3f} µs, median "
            f"{statistics.median(units) * 1e6:.3f} µs over this run. The minimum is that of the work over that of the "
            "unit, the median that of the rounds' ratios."
        )
    estimated = [name for name, hello in results.hello.items() if hello["unit"] != "pinocchio"]
    if estimated and results.stand_in is not None:
        yield (
            f"Estimated, since Pinocchio is not in their environment: {', '.join(estimated)}. Their unit is a sum of "
            f"64 Python floats, which takes {results.stand_in:.2f} units where both are."
        )


def _table(results: Results, query: str) -> str:
    rows = {work: row for work, row in results.found.items() if work.query == query and row}
    names = [peer for peer in results.hello if any(peer in row for row in rows.values())]
    lines = [_row(["", *names]), _row(["---"] + ["---:"] * len(names))]
    lines += [_row([work.label, *(_cell(results, peer, work) for peer in names)]) for work in rows]
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(results: Results, peer: str, work: Work) -> str:
    measured = results.found[work].get(peer)
    if measured is None:
        return "–"
    if measured.error:
        return "error"
    ratio, ours = results.ratio(peer, work), results.ratio("kinetree", work)
    text = f"{_digits(ratio)} / {_digits(measured.median * results.scale(peer))}"
    text += f" [{_digits(ratio / ours)}]" if ours and peer != "kinetree" else ""
    return text if measured.agrees else f"{text} †"


def _digits(x: float) -> str:
    """Three digits that count, and no exponent."""
    return f"{x:.0f}" if x >= 99.95 else f"{x:#.3g}" if x >= 0.001 else f"{x:.5f}"


def _targets(
    results: Results, targets: Iterable[Target], ready: Iterable[tuple[str, float, float]], quick: bool
) -> str:
    lines = [_row(["", "target", "reached", ""]), _row(["---", "---:", "---:", "---"])]
    for target in targets:
        value = target.value(results.ratio)
        goal = f"{'≤' if target.at_most else '≥'} {target.goal:g}"
        if value is None:
            lines.append(_row([target.text, goal, "–", "not measured"]))
        else:
            verdict = "" if quick else "yes" if target.reached(value) else "**no**"
            lines.append(_row([target.text, goal, _digits(value), verdict]))
    for text, value, goal in ready:
        lines.append(_row([text, f"≤ {goal:g}", _digits(value), "" if quick else "yes" if value <= goal else "**no**"]))
    return "\n".join(lines)


def _peers(results: Results) -> str:
    return _list(
        [
            f"{name} ({hello['versions']}; Python {hello['python']}): {hello['about']}"
            for name, hello in results.hello.items()
        ]
        + [f"{name}: not installed ({why})" for name, why in results.missing.items()]
    )


def _list(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
