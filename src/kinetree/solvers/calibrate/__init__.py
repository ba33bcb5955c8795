"""Calibration: comparison of a model with the poses that its controller shows."""
