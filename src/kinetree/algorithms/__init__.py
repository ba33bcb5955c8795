"""Algorithms of the literature, each written once in plain NumPy, for floats and symbolic scalars."""
