"""HTML of objects in notebooks: tables and a picture, without scripts, in the colours of the notebook.

Every text comes from a file or a user and is escaped.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.display import counted, number
from kinetree.errors import Finding, KinetreeError, shortened, visible
from kinetree.model.limits import Limits
from kinetree.model.robot import Robot
from kinetree.viewing.reach_figure import ReachPlot
from kinetree.viewing.section import Section, heading, with_guides
from kinetree.viewing.stick_figure import MOST_LINKS, stick_figure
from kinetree.viewing.tables import combination, robot_page, short

if TYPE_CHECKING:
    from kinetree.lab.calibrate.calibration import Calibration
    from kinetree.lab.reach.map import ReachDifference, ReachMap
    from kinetree.solvers.compare.comparison import Comparison
    from kinetree.solvers.ik.follow import IKPath
    from kinetree.solvers.ik.result import IKResult
    from kinetree.solvers.ik.step import IKStep

LONGEST = 300
"""Longest text of a cell, in characters."""
MOST_ROWS = 500
FEW = 12
"""Number of rows up to which a table is unfolded."""


def html(thing: Any) -> str:
    """Return an object as HTML. Its class has a row in the table of this module."""
    return f"<div>{''.join(_WRITERS[type(thing).__name__](thing))}</div>"


def robot_html(robot: Robot) -> Iterable[str]:
    """Yield a stick figure and the tables of `kinetree inspect`, folded."""
    summary, *sections = robot_page(robot, everything=len(robot.links) <= MOST_LINKS)
    yield _line(summary.title)
    yield f'<div style="display:flex;flex-wrap:wrap;align-items:center">{stick_figure(robot)}{_table(summary)}</div>'
    yield from (_folded(section, unfolded=False) for section in sections)


def limits_html(limits: Limits) -> Iterable[str]:
    """Yield the box, and the rows as sums."""
    yield _line(f"Limits on {counted(len(limits.lower), 'coordinate')}", "rad, m")
    ends = zip(limits.coordinate_names, limits.lower.tolist(), limits.upper.tolist(), strict=True)
    yield _folded(Section("Ranges", ("coordinate", ">from", ">to"), [(n, short(a), short(b)) for n, a, b in ends]))
    rows = [
        (name, combination(dict(zip(limits.coordinate_names, row, strict=True))), f"≤ {short(h)}")
        for name, row, h in zip(limits.row_names, limits.G, limits.h.tolist(), strict=True)
    ]
    if rows:
        yield _folded(Section("Rows", ("row", "sum", "<at most"), rows))


def ik_html(result: "IKResult") -> Iterable[str]:
    """Yield the outcome, and q of one target, or the errors of several."""
    yield _line(repr(result).partition(": ")[0], repr(result).partition(": ")[2])
    if np.ndim(result.success):
        success, steps = np.ravel(result.success), np.ravel(result.iterations)
        rows = [
            (str(k), "yes" if ok else "no", number(m), number(r), str(n))
            for k, (ok, (m, r), n) in enumerate(zip(success, result.residual.reshape(-1, 2), steps, strict=True))
        ]
        yield _folded(Section("Targets", (">index", "<reached", ">m", ">rad", ">steps"), rows))
    else:
        yield _folded(Section("q", ("coordinate", ">rad, m"), _named(result._limits.coordinate_names, result.q)))


def path_html(path: "IKPath") -> Iterable[str]:
    """Yield the outcome, and of several sequences how many samples are followed, from q0 and from another start."""
    yield _line(repr(path).partition(": ")[0], repr(path).partition(": ")[2])
    if np.ndim(path.count):
        counts = zip(np.ravel(path.count).tolist(), np.ravel(path.start_count).tolist(), strict=True)
        rows = [(str(k), str(own), str(other)) for k, (own, other) in enumerate(counts)]
        yield _folded(Section("Sequences", (">index", ">followed", ">from another start"), rows))


def step_html(step: "IKStep") -> Iterable[str]:
    """Yield the outcome, and q of one target, or the errors of several."""
    yield _line(repr(step).partition(": ")[0], repr(step).partition(": ")[2])
    if np.ndim(step.success):
        found = zip(np.ravel(step.success), np.ravel(step.stuck), step.residual.reshape(-1, 2), strict=True)
        states = (("reached" if ok else "stuck" if stuck else "on the way", m, r) for ok, stuck, (m, r) in found)
        rows = [(str(k), state, number(m), number(r)) for k, (state, m, r) in enumerate(states)]
        yield _folded(Section("Targets", (">index", "<state", ">m", ">rad"), rows))
    else:
        yield _folded(Section("q", ("coordinate", ">rad, m"), _named(step._limits.coordinate_names, step.q)))


def findings_html(findings: Sequence[Finding]) -> Iterable[str]:
    """Yield a table for each severity, of errors unfolded."""
    yield _line(repr(findings).partition("\n")[0])
    for severity, group in groupby(findings, key=lambda finding: finding.severity):
        found = list(group)
        shown = 5 if any(f.fix for f in found) else 4
        rows = [(f.code, str(f.source or ""), f.element or "", f.message, f.fix or "")[:shown] for f in found]
        columns = ("<code", "place", "element", "message", "fix")[:shown]
        yield _folded(Section(severity, columns, rows), unfolded=severity == "error" or len(rows) <= FEW)


def comparison_html(comparison: "Comparison") -> Iterable[str]:
    """Yield the verdict, and the differences, remarks and distances of frames."""
    yield _line(comparison.verdict[:1].upper() + comparison.verdict[1:])
    for title, counts in (("Differences", True), ("Remarks", False)):
        rows = [(d.kind, d.element, d.message) for d in comparison.differences if d.counts is counts]
        yield _folded(Section(title, ("kind", "element", "message"), rows)) if rows else ""
    apart = {name: d for name, d in comparison.frames.items() if max(d.largest) > comparison.tolerance}
    numbers = {name: (*d.at_zero, *d.largest) for name, d in apart.items()}
    table = [(n, short(1e3 * a), _degrees(b), short(1e3 * c), _degrees(d)) for n, (a, b, c, d) in numbers.items()]
    columns = ("frame", ">mm at zero", ">deg at zero", ">mm at most", ">deg at most")
    yield _folded(Section("Frames of the same name that are apart", columns, table)) if table else ""


def calibration_html(calibration: "Calibration") -> Iterable[str]:
    """Yield the verdict, the faults of each explanation, the controller's frames and the errors of the poses."""
    yield _line(calibration.verdict[:1].upper() + calibration.verdict[1:])
    several = (calibration, *calibration.alternatives)
    for i, one in enumerate(several, 1):
        rows = [(fault.code, fault.message) for fault in one.faults]
        title = f"Explanation {i} of {len(several)}" if len(several) > 1 else "Faults"
        yield _folded(Section(title, ("<code", "message"), rows), unfolded=True) if rows else ""
    yield "".join(f"<p>{_text(remark)}</p>" for remark in calibration.remarks)
    for name, T in (("T_base_link_base", calibration.T_base_link_base), ("T_flange_tool0", calibration.T_flange_tool0)):
        cells = [tuple(f"{x:.6f}" for x in row) for row in T.tolist()]
        yield _folded(Section(f"{name}: 4 x 4, m", (">", ">", ">", ">"), cells), unfolded=False)
    errors = [(str(k), f"{1e3 * m:.3f}", _degrees(r)) for k, (m, r) in enumerate(calibration.residual.tolist())]
    yield _folded(Section("Errors of the poses", (">pose", ">mm", ">deg"), errors))


SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of orientations whose volumes are listed."""


def reach_html(reach: "ReachMap") -> Iterable[str]:
    """Yield the outcome, and the volumes reached in shares of the orientations."""
    yield _line(*repr(reach).split(": ", 1))
    with suppress(KinetreeError):  # without matplotlib
        yield plot(reach)._repr_html_()
    shares = SHARES if reach.grid.orientations > 1 else SHARES[:1]
    rows = [("some" if s == 0 else f"{100 * s:g} %", number(reach.volume_at(s))) for s in shares]
    yield _folded(Section("Volumes", ("orientations", f">{reach.grid.unit}"), rows))


def plot(reach: "ReachMap") -> ReachPlot:
    """Return a figure of a map."""
    return ReachPlot(reach)


def reach_difference_html(difference: "ReachDifference") -> Iterable[str]:
    """Yield the volumes that one map reaches and the other does not."""
    yield _line(*repr(difference).split(": ", 1))


_WRITERS: dict[str, Callable[[Any], Iterable[str]]] = {
    "Robot": robot_html,
    "Limits": limits_html,
    "IKResult": ik_html,
    "ClosedIKResult": ik_html,
    "IKPath": path_html,
    "IKStep": step_html,
    "Findings": findings_html,
    "Comparison": comparison_html,
    "Calibration": calibration_html,
    "ReachMap": reach_html,
    "ReachDifference": reach_difference_html,
}


def _line(title: str, remark: str = "") -> str:
    return f"<p><b>{_text(title)}</b>{f' ({_text(remark)})' if remark else ''}</p>"


def _folded(section: Section, *, unfolded: bool | None = None) -> str:
    is_open = len(section.rows) <= FEW if unfolded is None else unfolded
    remark = f" ({_text(section.remark)})" if section.remark else ""
    title = section.title if ":" in section.title else f"{section.title}: {len(section.rows)}"
    return f"<details{' open' if is_open else ''}><summary>{_text(title)}{remark}</summary>{_table(section)}</details>"


def _table(section: Section) -> str:
    styles = ["text-align:" + ("right" if column[:1] == ">" else "left") for column in section.columns]
    if section.title == "Tree":
        styles[0] += ";white-space:pre;font-family:monospace"
    rows = [_row("td", styles, map(with_guides, row)) for row in section.rows[:MOST_ROWS]]
    if len(section.rows) > MOST_ROWS:
        rows.append(f"<tr><td>and {len(section.rows) - MOST_ROWS} more</td></tr>")
    head = [_row("th", styles, map(heading, section.columns))] if any(map(heading, section.columns)) else []
    return f"<table>{''.join(head + rows)}</table>"


def _row(tag: str, styles: Sequence[str], cells: Iterable[str]) -> str:
    made = [f'<{tag} style="{style}">{_text(cell)}</{tag}>' for style, cell in zip(styles, cells, strict=True)]
    return f"<tr>{''.join(made)}</tr>"


def _text(text: str) -> str:
    return escape(visible(shortened(text, LONGEST)))


def _named(names: Sequence[str], values: Any) -> list[tuple[str, str]]:
    return [(name, f"{value:.6g}") for name, value in zip(names, values.tolist(), strict=True)]


def _degrees(angle: float) -> str:
    return f"{np.rad2deg(angle):.4f}"
