"""Pages and figures of `kinetree limits`: limits over several joints, and the places that a frame reaches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kinetree.display import counted
from kinetree.model.limits import Block
from kinetree.model.robot import Robot
from kinetree.solvers.limits.places import BAND, SETS, ReachedPlaces
from kinetree.solvers.limits.report import BlockReport, several
from kinetree.solvers.limits.widen import Widening
from kinetree.spatial import Array, extremes
from kinetree.viewing.plotting import SIZE, new_figure, written
from kinetree.viewing.section import Section

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    if still := len(plan.rows) - len(rows):
        remark += f"; {counted(still, 'other')} {'gains' if still == 1 else 'gain'} nothing"
    title = f"Limits moved out: {100 * (plan.after / plan.before - 1):+.3f} % of {what}"
    return [Section(title, head, rows, remark)]


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


LITRES = 1e3
VIEWS = (("from the side", 0), ("from the front", 1))
"""Name of a view, and the axis of the root that is drawn to the right, beside z."""


def places_page(robot: Robot, places: ReachedPlaces) -> list[Section]:
    """Return a table of the volumes that each set reaches, and one of them by height."""
    volumes, (ends, bands) = places.volumes, places.by_height()
    rows = [
        (name, f"{LITRES * volume:.1f}", f"{100 * (1 - volume / volumes[0]):.1f}")
        for name, volume in zip(SETS, volumes, strict=True)
    ]
    heights = [
        (
            f"{end:.1f} to {end + BAND:.1f}",
            f"{LITRES * here[0]:.1f}",
            *(f"{100 * (1 - x / here[0]):.0f}" for x in here[1:]),
        )
        for end, here in zip(ends[::-1], bands.T[::-1], strict=True)
        if here[0]
    ]
    about = f"litres, in cubes of {100 * places.cell:g} cm; what moves is {', '.join(places.joints)}"
    head = ("height, m", f">{SETS[0]}", *(f">{name} takes, %" for name in SETS[1:]))
    return [
        Section(f"Places that {places.frame} reaches", ("within", ">volume", ">taken, %"), rows, about),
        Section(f"By height above {robot.root}", head, heights),
    ]


def places_figure(robot: Robot, places: ReachedPlaces, suffix: str) -> bytes:
    """Return a figure in the format of a suffix: what remains in sight of each line of sight, from side and front, with
    the limits over several joints and within the safe box. Raises KinetreeError as `limits_figure` does."""
    figure = new_figure((2 * SIZE + 1, 2 * SIZE), suffix, layout="constrained")
    axes = figure.subplots(2, 2, squeeze=False)
    for row, name, inside in zip(axes, SETS[1:], places.reached[1:], strict=True):
        for panel, (view, axis) in zip(row, VIEWS, strict=True):
            shares, extent = _seen(places, inside, axis)
            drawn = panel.imshow(shares, origin="lower", extent=extent, cmap="RdYlBu", vmin=0.0, vmax=1.0)
            panel.set_title(f"{name}, {view}")
            panel.set_xlabel(f"{'xy'[axis]} of {robot.root}, m", parse_math=False)
            panel.set_ylabel("z, m")
            panel.set_aspect("equal")
        figure.colorbar(drawn, ax=row, label="still reached")
    figure.suptitle(f"{robot.name}: what remains of the places that {places.frame} reaches", parse_math=False)
    return written(figure, suffix)


def _seen(places: ReachedPlaces, inside: Array, axis: int) -> tuple[Array, tuple[float, float, float, float]]:
    """Return the share (rows, columns) of cubes behind each other still reached, NaN without any, and the ends."""
    cells = np.floor(places.centers[:, [axis, 2]] / places.cell).astype(int)
    low, high = cells.min(axis=0), cells.max(axis=0) + 1
    count = np.zeros((*(high - low)[::-1], 2))
    np.add.at(count, (*(cells - low).T[::-1], 0), 1.0)
    np.add.at(count, (*(cells - low).T[::-1], 1), inside)
    shares = np.divide(count[..., 1], count[..., 0], out=np.full(count.shape[:2], np.nan), where=count[..., 0] > 0)
    left, right, bottom, top = places.cell * np.array([low[0], high[0], low[1], high[1]])
    return shares, (float(left), float(right), float(bottom), float(top))
