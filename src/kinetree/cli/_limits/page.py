"""A page about limits over several joints."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np

from kinetree.display import counted
from kinetree.model.robot import Robot
from kinetree.solvers.limits.report import BlockReport
from kinetree.solvers.limits.widen import Widening
from kinetree.spatial.se3 import Array
from kinetree.viewing.section import Section

MOST_CORNERS = 8


def limits_page(robot: Robot, reports: Iterable[BlockReport]) -> list[Section]:
    """Return two tables a block: the joints with their box and the largest box inside, and the rows."""
    return [section for block in reports for section in _sections(robot, block)]


def _sections(robot: Robot, block: BlockReport) -> list[Section]:
    scale, unit = scale_of(robot, block)
    ends = (block.lower, block.upper, block.safe_lower, block.safe_upper)
    joints = [(name, *_cells(scale, [end[i] for end in ends])) for i, name in enumerate(block.joints)]
    rows = [(row.name, f"{100 * row.forbidden:.3f}", "yes" if row.matters else "no") for row in block.rows]
    corners = [row for pair in _with_nearest(block) for row in _corner_rows(scale, *pair)]
    error = f" ± {100 * block.forbidden_error:.2g}" if block.forbidden_error else ""
    title = f"{counted(len(block.joints), 'joint')}: {100 * block.forbidden:.4f}{error} % of their box is forbidden"
    ball = f"{unit}; the largest ball inside has a radius of {scale * block.ball:.4g}"
    if block.ball <= 0 or np.isnan(block.safe_lower).any():
        ball = f"{unit}; what is left has no room"
    sections = [
        Section(title, ("joint", ">from", ">to", ">safe from", ">safe to"), joints, ball),
        Section("Limits", ("limit", ">forbids alone, %", "<matters"), rows),
    ]
    if corners:
        head = ("<", *(f">{joint}" for joint in block.joints))
        shown = f", of which {MOST_CORNERS} are shown" if len(block.corners) > MOST_CORNERS else ""
        title = f"Forbidden corners of the box, and the nearest vertices: {len(block.corners)}{shown}"
        sections.append(Section(title, head, corners))
    return sections


def scale_of(robot: Robot, block: BlockReport) -> tuple[float, str]:
    """Return the factor with which the numbers of a block are printed, and their unit."""
    degrees = all(robot.joints[joint].kind.angular[0] for joint in block.joints)
    return (float(np.rad2deg(1.0)), "deg") if degrees else (1.0, "rad, m")


def _with_nearest(block: BlockReport) -> Iterable[tuple[Array, Array | None]]:
    nearest = block.nearest if len(block.nearest) else [None] * len(block.corners)
    return zip(block.corners[:MOST_CORNERS], nearest[:MOST_CORNERS], strict=True)


def _corner_rows(scale: float, corner: Array, nearest: Array | None) -> Iterable[tuple[str, ...]]:
    yield ("corner", *_cells(scale, corner))
    if nearest is not None:
        away = scale * float(np.linalg.norm(nearest - corner))
        yield (f"  vertex, {away:.3g} away", *_cells(scale, nearest))


def _cells(scale: float, values: Sequence[float] | Array) -> list[str]:
    return ["-" if np.isnan(value) else f"{round(scale * float(value), 4) + 0.0:.5g}" for value in values]


def widening_page(
    plan: Widening, scales: Mapping[str, float], unit: Literal["rad", "deg"], reach: str | None, radius_mm: float | None
) -> list[Section]:
    """Return a table of the limits, with how far each moves and what that gains. scales: of every row, a unit in rad or
    m. radius_mm: of the pulleys of tendons."""
    turns = np.array([scales[row] != 1.0 or unit == "rad" for row in plan.rows])
    shown = unit if turns.all() else f"{unit} or m"
    size = np.array([scales[row] for row in plan.rows])
    head, numbers = ["limit", f">by, {shown}"], [plan.by / size]
    if radius_mm is not None:
        size, shown = np.where(turns, 1.0 / radius_mm, 1e-3), "mm"
        head.append(">by, mm")
        numbers.append(plan.by / size)
    head += [f">first, %/{shown}", f">last, %/{shown}", ">worth, %"]
    numbers += [100 * plan.first * size, 100 * plan.last * size, 100 * plan.worth]
    cells = zip(plan.rows, np.transpose(numbers), strict=True)
    rows = [(name, *(f"{x + 0.0:.4g}" for x in row)) for name, row in cells if row.any()]
    what = f"what {reach} reaches, {plan.before:.5g} m³" if reach else "the room of their joints"
    remark = "first, last: what a unit gains; worth: what is lost without it"
    if 0 < plan.gap < np.inf:
        remark += f"; no other choice gains {100 * max(plan.gap, 1e-6):.1g} % more"
    if len(rows) < len(plan.rows):
        remark += f"; {len(plan.rows) - len(rows)} others gain nothing"
    title = f"Limits moved out: {100 * (plan.after / plan.before - 1):+.3f} % of {what}"
    return [Section(title, head, rows, remark)]
