"""A rule about the wheels that controllers drive."""

from kinetree.rules.blocks.wheels import ALONG, OFF, OPPOSITE, ROUND, SKIDDING, TOGETHER, drive_fault, size_fault
from kinetree.rules.examples import CART
from kinetree.rules.parameters.files import RosFiles
from kinetree.rules.parameters.moveit import FileRule
from kinetree.rules.rule import Bodies, Found, Poses, Robot
from kinetree.rules.shapes.bounds import Bounds

DRIVE = "https://control.ros.org/rolling/doc/ros2_controllers/diff_drive_controller/doc/userdoc.html"
GOOD = (
    "controller_manager:\n  ros__parameters:\n    base:\n      type: diff_drive_controller/DiffDriveController\n"
    "base:\n  ros__parameters:\n    left_wheel_names: [left_wheel_joint]\n    right_wheel_names: [right_wheel_joint]\n"
    "    wheel_separation: 0.4\n    wheel_radius: 0.1\n"
)


class WheelsOfTheRobot(FileRule):
    """The wheels of a controller are as far apart and as large as those of the robot.

    The odometry turns and drives too far, or not far enough.
    """

    code = "MVT-012"
    thresholds = (OFF, SKIDDING, TOGETHER, OPPOSITE, ROUND, ALONG)
    of_robot = True
    evidence = "heuristic"
    clause = "wheel_separation and wheel_radius, in metres"
    url = DRIVE
    base = CART
    good = GOOD
    bad = GOOD.replace("wheel_separation: 0.4", "wheel_separation: 0.04")

    def check(self, robot: Robot, ros_files: RosFiles, poses: Poses, bounds: Bounds, bodies: Bodies) -> Found:
        """A distance between wheels, or a radius, that is too large or too small; wheels of both sides with opposite
        axes, at one place, or exchanged; a fixed joint. Wheels that are not on one axle have no distance."""
        for controller in ros_files.controllers:
            values = controller.parameters
            names = [[one.text for one in controller.names(f"{side}_wheel_names")] for side in ("left", "right")]
            if values and not controller.others and (found := drive_fault(names, robot, poses)):
                yield self.about(found, f"controller {controller.name!r}", controller)
            for key in ("wheel_separation", "wheel_radius") if values and not controller.others else ():
                if (value := values.get(key) if values else None) and value.number:
                    found = size_fault(key, value.number, names, robot, poses, bounds, bodies)
                    if found:
                        yield self.about(found, f"controller {controller.name!r}", value)
