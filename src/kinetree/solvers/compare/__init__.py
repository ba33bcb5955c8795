"""Comparison of two robots."""

from kinetree.solvers.compare.comparison import Comparison as Comparison
