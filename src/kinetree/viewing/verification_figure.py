"""Figure of a verification: errors of the log over time, before and after, and correlation of the numbers of faults."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.display import shortened
from kinetree.lab.identify.answer import READ, Verification
from kinetree.spatial.se3 import Array
from kinetree.viewing.plotting import SIZE, new_figure, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS = (("position, mm", 1e3), ("orientation, deg", 180.0 / np.pi))
BEFORE, AFTER, LONGEST, FEW = "#c77f00", "#1f4fd8", 24, 100
"""Colours of errors, the longest name in the figure, and the number of samples up to which they are marked."""


def verification_figure(found: Verification, suffix: str) -> bytes:
    """Return a figure in the format of a suffix: a panel for position and orientation and for the torque of each joint,
    and the correlation of the numbers of the faults. Raises KinetreeError without matplotlib, or for a format that it
    does not write."""
    series, k = [*chain(_poses(found), _readings(found), _torques(found))], len(found.numbers)
    rows, size = len(series), 0.4 * SIZE
    figure: Any = new_figure((2.2 * SIZE, (rows + 0.7) * size + max(0.22 * k, 1.5) * (k > 1)), suffix, "constrained")
    upper, lower = figure, None
    if k > 1:
        upper, lower = figure.subfigures(2, 1, height_ratios=(rows * size, max(0.22 * k, 1.5)))
    for panel, (name, at, label, errors) in zip(upper.subplots(rows, 1, squeeze=False)[:, 0], series, strict=True):
        look: dict[str, Any] = {
            "marker": "" if len(at) > FEW else "o",
            "linewidth": 0.9,
            "markersize": 3,
            "clip_on": False,
        }
        panel.plot(at, errors[0], color=BEFORE, label="the model as it is", **look)
        panel.plot(at, errors[1], color=AFTER, label="with the faults corrected", **look)
        panel.set_ylabel(name)
        panel.set_xlabel(label if panel.get_subplotspec().is_last_row() or label == "sample" else "")
        panel.margins(x=0)
    figure.legend(*panel.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    figure.suptitle(f"The model {'agrees' if found.agrees else 'does not agree'} with the log")
    if lower:
        _correlation(lower.subplots(), found)
    return written(figure, suffix)


def _poses(found: Verification) -> Iterator[tuple[str, Array, str, Array]]:
    errors = found.residuals.get("poses")
    if errors is not None:
        for i, (name, scale) in enumerate(PANELS[: errors.shape[-1]]):
            yield name, np.arange(errors.shape[1]), "sample", scale * errors[..., i]


def _readings(found: Verification) -> Iterator[tuple[str, Array, str, Array]]:
    """Yield the lengths of both parts of the readings of each sensor."""
    for kind in found.readings:
        errors = found.residuals[kind]
        sizes = np.linalg.norm(errors.reshape(*errors.shape[:3], 2, 3), axis=-1)
        for name, parts in zip(found.sensor_offsets[kind], np.moveaxis(sizes, 2, 0), strict=True):
            for i, unit in enumerate(READ[kind]):
                if np.isfinite(parts[..., i]).all():
                    at = found.residuals[f"times of {kind}"]
                    yield f"{shortened(name, LONGEST)}\n{unit}", at, "time, s", parts[..., i]


def _torques(found: Verification) -> Iterator[tuple[str, Array, str, Array]]:
    errors, names = found.residuals.get("torques"), [*(found.offsets or ())]
    for j, name in enumerate(names):
        if errors is not None and np.isfinite(errors[..., j]).all():
            yield f"{shortened(name, LONGEST)}\nN m or N", found.residuals["times"], "time, s", errors[..., j]


def _correlation(panel: Axes, found: Verification) -> None:
    """Draw the correlation of the numbers that were fitted; grey where the log does not determine a number."""
    image = panel.imshow(np.asarray(found.correlation), cmap="RdBu", vmin=-1, vmax=1, aspect="equal")
    panel.set_facecolor("#bbbbbb")
    names = [shortened(name, LONGEST) for name in found.numbers]
    panel.set_yticks(range(len(names)), names, fontsize=7)
    panel.set_xticks([])
    panel.set_title("correlation of the numbers of the faults", fontsize=9, loc="left")
    panel.set_anchor("W")
    panel.figure.colorbar(image, ax=panel, location="left", anchor=(0.0, 0.5))
