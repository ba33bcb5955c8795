"""Motions of robots, read from files: values of coordinates over time."""

from kinetree.logs.motion import Motion as Motion
from kinetree.logs.motion import filled as filled
from kinetree.logs.read import read_motion as read_motion
