"""Figures of matplotlib, which is imported only here and only when one is drawn."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from kinetree.display import Brief
from kinetree.errors import fail
from kinetree.files.output import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.patheffects import AbstractPathEffect

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


class Plot(Brief):
    """Base of figures of one thing, the first field of a dataclass; notebooks show them."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {getattr(self, fields(cast(Any, self))[0].name)!r}"

    def _figure(self, suffix: str) -> Figure:
        """Return the figure, for a suffix that it is written in."""
        raise NotImplementedError

    def _written(self, suffix: str) -> bytes:
        """Return the figure in the format of a suffix."""
        return written(self._figure(suffix), suffix)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the figure to a file, .svg, .png or .pdf, replacing it. Raises KinetreeError for other endings."""
        write_whole(Path(path), self._written(Path(path).suffix.lower()))


def halo() -> Sequence[AbstractPathEffect]:
    """Return a white edge for texts, which keeps them legible on lines."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=3, foreground="white")]
