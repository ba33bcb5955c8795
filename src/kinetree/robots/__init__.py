"""Robots that come with the package, as data built from published numbers; `kinetree.load` finds them by name."""
