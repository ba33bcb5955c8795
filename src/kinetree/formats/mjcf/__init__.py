"""MJCF, MuJoCo's format (mujoco.readthedocs.io/en/stable/XMLreference.html): readers and writers of its kinematics."""

from kinetree.formats.mjcf.read import read as read, read_certain as read_certain
from kinetree.formats.mjcf.write import write as write
