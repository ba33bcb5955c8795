"""Figure of a calibration: the error of each pose as given, and with the faults that were found corrected."""

import numpy as np

from kinetree.lab.calibrate.calibration import Calibration
from kinetree.viewing.plotting import SIZE, new_figure, written

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
