"""Compare a model with the poses that a controller shows."""

from kinetree.solvers.calibrate.calibration import Calibration as Calibration
