"""Checks, figures, pages and widening for the command `limits`."""
