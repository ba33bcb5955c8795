"""Meshes: read in one place, resolved from their references, and copied when a robot is saved."""

from kinetree.shapes.mesh import Mesh as Mesh
from kinetree.shapes.read import read_mesh as read_mesh
