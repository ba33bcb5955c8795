"""Paths of robots, and motions along them.

A path is q over a parameter, without times; a motion is q over time.
"""

from kinetree.trajectories.check import check as check
from kinetree.trajectories.motion import Motion as Motion
from kinetree.trajectories.path import Path as Path

__all__ = ["Motion", "Path", "check"]
