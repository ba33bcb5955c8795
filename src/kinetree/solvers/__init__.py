"""Numerical solvers on robots: inverse kinematics, guard, comparison and limits."""
