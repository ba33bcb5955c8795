"""Denavit-Hartenberg tables, standard and modified, in TOML and CSV."""

from kinetree.formats.dh.read import read as read
from kinetree.formats.dh.write import write as write, write_csv as write_csv
