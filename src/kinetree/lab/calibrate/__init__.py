"""Calibration: comparison of a model with the poses that its controller shows."""

from kinetree.lab.calibrate.calibration import Calibration as Calibration
