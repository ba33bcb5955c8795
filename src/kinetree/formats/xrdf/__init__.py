"""XRDF, the Extended Robot Description Format (NVIDIA cuMotion), read and written, and the YAML of cuRobo, written."""

from kinetree.formats.xrdf.read import read_onto as read_onto
from kinetree.formats.xrdf.write import write as write
