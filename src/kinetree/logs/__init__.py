"""Motions of robots, read from files: values of coordinates over time."""

from kinetree.logs.read import read_motion as read_motion
from kinetree.trajectories.motion import Motion as Motion, filled as filled
