"""SRDF, the Semantic Robot Description Format (MoveIt): reader and writer."""

from kinetree.formats.srdf.read import read as read, read_onto as read_onto
from kinetree.formats.srdf.write import write as write
