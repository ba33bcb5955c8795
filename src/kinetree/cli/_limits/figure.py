"""A figure of limits over several joints."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.cli._limits.page import scale_of
from kinetree.model.limits import Block
from kinetree.model.robot import Robot
from kinetree.solvers.limits.report import BlockReport, several
from kinetree.spatial import Array, extremes
from kinetree.viewing.plotting import SIZE, new_figure, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FINE = 241
"""Points a side at which a panel is computed."""


def limits_figure(robot: Robot, reports: Sequence[BlockReport], suffix: str) -> bytes:
    """Return a figure in the format of a suffix: a row of panels for each block of joints, a panel for each two of
    them.

    A panel is the box of the two joints. For three joints it shows how much of the range of the third is allowed, for
    two what is allowed, and for more the outline of what is allowed anywhere; the largest allowed box is dashed. Raises
    KinetreeError without matplotlib, or for a format that it does not write.
    """
    pairs = [list(combinations(range(len(report.joints)), 2)) for report in reports]
    width = max(map(len, pairs))
    figure = new_figure((SIZE * width + 1, SIZE * len(reports)), suffix, layout="constrained")
    axes = figure.subplots(len(reports), width, squeeze=False)
    for row, report, block, own in zip(axes, reports, several(robot), pairs, strict=True):
        for panel, pair in zip(row, own, strict=False):
            _panel(panel, robot, report, block, pair)
        for panel in row[len(own) :]:
            panel.set_visible(False)
    figure.suptitle(f"{robot.name}: what limits over several joints allow", parse_math=False)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return written(figure, suffix)


def _panel(panel: Axes, robot: Robot, report: BlockReport, block: Block, pair: tuple[int, int]) -> None:
    scale, unit = scale_of(robot, report)
    i, j = pair
    lower, upper = scale * report.lower, scale * report.upper
    if len(report.joints) <= 3:
        shares = allowed(block, i, j)
        drawn = panel.imshow(
            shares,
            origin="lower",
            aspect="auto",
            extent=(lower[i], upper[i], lower[j], upper[j]),
            cmap="Blues",
            vmin=0.0,
            vmax=1.6,  # keeps lines visible where everything is allowed
        )
        if len(report.joints) == 3:
            third = report.joints[3 - i - j]
            bar = panel.figure.colorbar(drawn, ax=panel, boundaries=np.linspace(0, 1, 101), ticks=np.linspace(0, 1, 6))
            bar.set_label(f"allowed of {third}", parse_math=False)
    if len(report.vertices):
        corners = scale * outline(report.vertices[:, [i, j]])
        panel.plot(*corners.T, color="black", linewidth=1.2, label="allowed for some values of the others")
    safe = scale * np.array([report.safe_lower, report.safe_upper])
    panel.plot(safe[[0, 1, 1, 0, 0], i], safe[[0, 0, 1, 1, 0], j], "--", color="tab:red", label="the largest safe box")
    panel.set_xlim(lower[i], upper[i])
    panel.set_ylim(lower[j], upper[j])
    panel.set_xlabel(f"{report.joints[i]}, {unit}", parse_math=False)
    panel.set_ylabel(f"{report.joints[j]}, {unit}", parse_math=False)


def allowed(block: Block, i: int, j: int) -> Array:
    """Return the allowed share (FINE, FINE) of the third joint's range over joints j and i; 0 and 1 if there is no
    third."""
    x = np.linspace(block.lower[i], block.upper[i], FINE)
    y = np.linspace(block.lower[j], block.upper[j], FINE)
    left: Any = block.b[:, None, None] - block.A[:, i, None, None] * x - block.A[:, j, None, None] * y[:, None]
    if len(block.columns) == 2:
        return np.asarray(np.all(left >= -extremes.FLAT, axis=0), dtype=float)
    k = 3 - i - j
    slope = block.A[:, k]
    low = np.max(left[slope < 0] / slope[slope < 0, None, None], axis=0)
    high = np.min(left[slope > 0] / slope[slope > 0, None, None], axis=0)
    possible = np.all(left[slope == 0] >= -extremes.FLAT, axis=0)
    return np.asarray(np.where(possible, np.maximum(high - low, 0.0), 0.0) / (block.upper[k] - block.lower[k]))


def outline(points: Array) -> Array:
    """Return the corners of the convex hull of points (n, 2), in order, the first again at the end."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points).vertices
    return np.asarray(points[[*hull, hull[0]]])
