"""Motions of robots, read from files and written: values of coordinates over time."""

from kinetree.logs.read import read_motion as read_motion, write_motion as write_motion
from kinetree.trajectories.motion import Motion as Motion, filled as filled
