"""Frames that conventions give a role: REP-199's of an arm, the sensors' and the skin's."""

from kinetree.model.robot import Robot
from kinetree.robot_kinds.arms import NAMES
from kinetree.robots.icub.boards import is_icub
from kinetree.robots.icub.naming import naming
from kinetree.rules.facts import Subject


def roles_of(robot: Robot) -> dict[str, str]:
    """Return the role of frames by name: "skin", "sensor", or a name of REP-199, which a prefix may precede.

    Frames of the skin and of sensors are the iCub's by its naming conventions, and those that a sensor is on,
    but for links with a body.
    """
    bodies = {name for name, link in robot.links.items() if link.inertial or link.visuals or link.collisions}
    roles = dict.fromkeys((s.frame for s in robot.sensors.values() if s.frame not in bodies), "sensor")
    if is_icub(robot):
        roles |= {row.correct.frame: "skin" for row in naming().skin}
        roles |= {f"{row.correct.sensor}_frame": "sensor" for row in naming().fixed_joints}
        roles |= {frame: "sensor" for frame in robot.frames if "imu" in frame.split("_")}
    roles |= {name: name for name in NAMES}
    for arm in Subject(robot).facts(lambda serial_chains: None)["serial_chains"]:
        roles |= {frame: role for role in NAMES if (frame := getattr(arm, role)) is not None}
    return {name: role for name, role in roles.items() if name in robot.frames}
