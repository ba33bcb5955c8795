"""A robot as a page, a tree and JSON."""
