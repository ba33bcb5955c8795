"""Frames whose place no source gives: they have no pose and no reading."""

from kinetree.errors import fail
from kinetree.model.robot import Robot


def check_placed(robot: Robot, frame: str, element: str = "") -> None:
    """Raise KinetreeError, about the element or else the frame, if the place of a frame is unknown."""
    if why := robot.frames[frame].unplaced:
        message = f"has no known place, so it has no pose and no reading: {why}"
        fix = f"give frame {frame!r} its place with kt.edit.move_frame"
        raise fail("unplaced", message, element=element or f"frame {frame!r}", fix=fix)
