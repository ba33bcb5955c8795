"""A page and a figure of what limits take from the places that a frame reaches."""

import numpy as np

from kinetree.model.robot import Robot
from kinetree.solvers.limits.places import BAND, SETS, ReachedPlaces
from kinetree.spatial.se3 import Array
from kinetree.viewing.plotting import SIZE, new_figure, written
from kinetree.viewing.section import Section

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
    """Return the share (rows, columns) of cubes behind each other that are still reached, NaN where there are none, and
    the ends of the picture."""
    cells = np.floor(places.centers[:, [axis, 2]] / places.cell).astype(int)
    low, high = cells.min(axis=0), cells.max(axis=0) + 1
    count = np.zeros((*(high - low)[::-1], 2))
    np.add.at(count, (*(cells - low).T[::-1], 0), 1.0)
    np.add.at(count, (*(cells - low).T[::-1], 1), inside)
    shares = np.divide(count[..., 1], count[..., 0], out=np.full(count.shape[:2], np.nan), where=count[..., 0] > 0)
    left, right, bottom, top = places.cell * np.array([low[0], high[0], low[1], high[1]])
    return shares, (float(left), float(right), float(bottom), float(top))
