"""Figure of a reach map: the best share of orientations along each line of sight."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinetree.lab.reach.map import ReachMap
from kinetree.viewing.plotting import SIZE, Plot, new_figure
from kinetree.viewing.voxels import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AXES = "xyz"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReachPlot(Plot):
    """A figure of a reach map, made by its method `plot`; notebooks show it."""

    reach: ReachMap

    def _figure(self, suffix: str) -> Figure:
        return figure_of(self.reach, suffix)

    def _repr_html_(self) -> str:
        return f'<img src="data:image/png;base64,{b64encode(self._written(".png")).decode()}"/>'


def figure_of(reach: ReachMap, suffix: str) -> Figure:
    """Return the figure of a map: seen along z, y and x, or if it is flat along the axis without thickness."""
    grid = reach.grid
    views = [grid.flat.index(True)] if any(grid.flat) else [2, 1, 0]
    figure = new_figure((SIZE * len(views) + 0.8, SIZE), suffix, layout="constrained")
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("share", COLOURS)
    half = np.where(grid.flat, 0.5, 0.0)
    edges = [grid.lower[i] + grid.voxel * (np.arange(n + 1) - half[i]) for i, n in enumerate(grid.shape)]
    axes = figure.subplots(1, len(views), squeeze=False)[0]
    for axis, along in zip(axes, views, strict=True):
        across, up = (i for i in range(3) if i != along)
        best = reach.share.max(axis=along).T  # (up, across)
        shown = np.ma.masked_equal(best, 0.0)
        mesh = axis.pcolormesh(edges[across], edges[up], shown, cmap=colours, vmin=0.0, vmax=1.0)
        axis.set_aspect("equal")
        axis.set_xlabel(f"{AXES[across]}, m")
        axis.set_ylabel(f"{AXES[up]}, m")
    if grid.orientations > 1:
        figure.colorbar(mesh, ax=axes, label="share of orientations")
    figure.suptitle(f"{reach.frame} of {reach.robot} in {reach.base}", parse_math=False)
    return figure
