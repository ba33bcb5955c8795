"""Paths of robots, and the fastest motions along them.

A path is q over a parameter, without times; a motion is q over time.
"""

from kinetree.lab.excite import excite as excite
from kinetree.trajectories.check import check as check
from kinetree.trajectories.line import arc as arc, line as line, poses as poses
from kinetree.trajectories.motion import Motion as Motion
from kinetree.trajectories.path import Path as Path
from kinetree.trajectories.point_to_point import point_to_point as point_to_point
from kinetree.trajectories.resample import resample as resample
from kinetree.trajectories.retime import retime as retime
from kinetree.trajectories.through import through as through
from kinetree.viewing.motion_figure import MotionPlot as MotionPlot, plot as plot

__all__ = [
    "Motion",
    "MotionPlot",
    "Path",
    "arc",
    "check",
    "excite",
    "line",
    "plot",
    "point_to_point",
    "poses",
    "resample",
    "retime",
    "through",
]
