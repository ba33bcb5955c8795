"""URDF, the Unified Robot Description Format (wiki.ros.org/urdf/XML), versions 1.0 to 1.2: reader and writer."""

from kinetree.formats.urdf.read import read as read
from kinetree.formats.urdf.read import read_certain as read_certain
from kinetree.formats.urdf.write import write as write
