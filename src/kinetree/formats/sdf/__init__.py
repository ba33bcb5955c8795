"""SDF, the Simulation Description Format (sdformat.org), versions 1.4 to 1.12: reader and writer."""

from kinetree.formats.sdf.read import read as read, read_certain as read_certain
from kinetree.formats.sdf.write import write as write
