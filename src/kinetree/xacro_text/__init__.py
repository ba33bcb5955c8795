"""Xacro files as they are written: definitions, calls, names and packages."""
