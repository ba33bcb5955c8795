"""Numerical solvers on robots: inverse kinematics, guard, calibration, comparison and limits."""
