"""Figures of matplotlib, which is imported only here and only when one is drawn, and that of a calibration."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kinetree.errors import fail

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.patheffects import AbstractPathEffect

    from kinetree.lab.calibrate.calibration import Calibration

SIZE = 4.2
"""Size of a panel, inches."""
LOOK: dict[Any, Any] = {"svg.hashsalt": "kinetree", "svg.fonttype": "none"}
"""Settings of matplotlib with which the same figure is the same file, with texts as texts."""


def new_figure(size: tuple[float, float], suffix: str, layout: Literal["constrained"] | None = None) -> Figure:
    """Return an empty figure. size: width and height, inches. Raises KinetreeError without matplotlib, or for a suffix
    that it does not write."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise fail("plot", "figures need matplotlib", fix="pip install 'kinetree[plot]'") from None
    figure = Figure(figsize=size, dpi=100, layout=layout)
    formats = figure.canvas.get_supported_filetypes()
    if suffix.removeprefix(".") not in formats:
        raise fail(
            "plot", f"figures are not written as {suffix!r}; expected one of {', '.join('.' + f for f in formats)}"
        )
    return figure


def written(figure: Figure, suffix: str) -> bytes:
    """Return a figure in the format of a suffix, the same bytes each time."""
    from matplotlib import rc_context

    data, form = io.BytesIO(), suffix.removeprefix(".")
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with rc_context(LOOK), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # of names in letters that the font lacks
        figure.savefig(data, format=form, metadata=undated.get(form))
    return data.getvalue()


def halo() -> Sequence[AbstractPathEffect]:
    """Return a white edge for texts, which keeps them legible on lines."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=3, foreground="white")]


FLOOR = 1e-3
"""Least error that is drawn, in tolerances; smaller ones stand there."""
PANELS = (("position, mm", 1e3), ("orientation, deg", 180.0 / np.pi))


def calibration_figure(result: Calibration, tolerance: tuple[float, float], suffix: str) -> bytes:
    """Return a figure in the format of a suffix: the errors of the poses in position and orientation, on logarithmic
    scales. tolerance: m and rad. Raises KinetreeError without matplotlib, or for a format that it does not write."""
    figure = new_figure((2 * SIZE + 1, SIZE), suffix, "constrained")
    number = np.arange(1, len(result.residual) + 1)
    for i, (panel, (name, scale)) in enumerate(zip(figure.subplots(1, 2), PANELS, strict=True)):
        before, after = (
            np.maximum(error[:, i], FLOOR * tolerance[i]) * scale for error in (result.residual_before, result.residual)
        )
        panel.vlines(number, after, before, color="#cccccc", linewidth=1.5)
        panel.plot(number, before, "o", color="#8a5a00", markerfacecolor="white", label="as given")
        panel.plot(number, after, "o", color="#1f4fd8", label="with the faults corrected")
        panel.axhline(tolerance[i] * scale, color="tab:red", linestyle="--", linewidth=1.2, label="tolerance")
        panel.set_yscale("log")
        panel.set_xlabel("pose")
        panel.set_ylabel(f"error of the {name}")
        panel.xaxis.get_major_locator().set_params(integer=True)
    verdict = "agree" if result.agrees else "do not agree"
    figure.suptitle(f"The model and the controller of {result.controller} {verdict}")
    figure.legend(*panel.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return written(figure, suffix)
