"""What limits over several joints forbid, as a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kinetree.cli._page import Section
from kinetree.model.robot import Robot
from kinetree.solvers.limit_report import BlockReport
from kinetree.spatial.se3 import Array

MOST_CORNERS = 8


def limits_page(robot: Robot, reports: Iterable[BlockReport]) -> list[Section]:
    """Two tables a block: the joints with their box and the largest box inside, and the rows."""
    return [section for block in reports for section in _sections(robot, block)]


def _sections(robot: Robot, block: BlockReport) -> list[Section]:
    degrees = all(robot.joints[joint].kind.angular[0] for joint in block.joints if joint in robot.joints)
    unit, scale = ("deg", np.rad2deg(1.0)) if degrees else ("rad, m", 1.0)
    ends = (block.lower, block.upper, block.safe_lower, block.safe_upper)
    joints = [(name, *_cells(scale, [end[i] for end in ends])) for i, name in enumerate(block.joints)]
    rows = [(row.name, f"{100 * row.forbidden:.3f}", "yes" if row.matters else "no") for row in block.rows]
    corners = [row for pair in _with_nearest(block) for row in _corner_rows(scale, *pair)]
    error = f" ± {100 * block.forbidden_error:.2g}" if block.forbidden_error else ""
    title = f"{len(block.joints)} joints: {100 * block.forbidden:.4f}{error} % of their box is forbidden"
    ball = f"{unit}; the largest ball inside has a radius of {scale * block.ball:.4g}"
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


def _with_nearest(block: BlockReport) -> Iterable[tuple[Array, Array | None]]:
    nearest = block.nearest if len(block.nearest) else [None] * len(block.corners)
    return zip(block.corners[:MOST_CORNERS], nearest[:MOST_CORNERS], strict=True)


def _corner_rows(scale: float, corner: Array, nearest: Array | None) -> Iterable[tuple[str, ...]]:
    yield ("corner", *_cells(scale, corner))
    if nearest is not None:
        away = scale * float(np.linalg.norm(nearest - corner))
        yield (f"  vertex, {away:.3g} away", *_cells(scale, nearest))


def _cells(scale: float, values: Sequence[float] | Array) -> list[str]:
    return [f"{round(scale * float(value), 4) + 0.0:.5g}" for value in values]
