"""URDF, the Unified Robot Description Format (wiki.ros.org/urdf/XML), versions 1.0 to 1.2: reader; write.py writes."""

from kinetree.formats.urdf.read import read as read, read_certain as read_certain
