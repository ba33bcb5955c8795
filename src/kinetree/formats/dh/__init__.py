"""Denavit-Hartenberg tables, standard and modified, in TOML and CSV."""

from kinetree.formats.dh.read import read as read
