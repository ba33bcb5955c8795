"""Comparison of two robots."""
