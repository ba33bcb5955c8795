"""What formats lose that say kinematics alone, such as DH tables and ETS."""

from __future__ import annotations

from kinetree.formats.losses import Losses
from kinetree.model.robot import Robot


def lose_bodies(robot: Robot, losses: Losses) -> None:
    """Everything about mass, shape and behaviour: lost."""
    for extension in robot.extensions:
        losses.lose("extension", f"robot {robot.name!r}", f"<{extension.tag}>", extension.source)
    for material in robot.materials.values():
        losses.lose("material", f"material {material.name!r}", "materials", material.source)
    for coupled in robot.coupled_limits:
        losses.lose("coupled_limit", f"coupled limit {coupled.name!r}", "limits over several joints", coupled.source)
    for link in robot.links.values():
        label = f"link {link.name!r}"
        if link.inertial:
            losses.lose("inertial", label, "the inertia of a link", link.source)
        if link.visuals or link.collisions:
            losses.lose("geometry", label, "the shapes of a link", link.source)
        for extension in link.extensions:
            losses.lose("extension", label, f"<{extension.tag}>", extension.source)
    for joint in robot.joints.values():
        label = f"joint {joint.name!r}"
        if any(d.damping or d.friction or d.stiffness or d.armature for d in joint.dynamics):
            losses.lose("dynamics", label, "the dynamics of a joint", joint.source)
        if joint.safety:
            losses.lose("safety", label, "safety limits", joint.source)
        if joint.calibration:
            losses.lose("calibration", label, "calibration", joint.source)
        for extension in joint.extensions:
            losses.lose("extension", label, f"<{extension.tag}>", extension.source)


def lose_extras(robot: Robot, losses: Losses, kept_frames: set[str]) -> None:
    """What only a format with names for everything can say: sensors, groups, limits, followers, other frames."""
    for sensor in robot.sensors.values():
        losses.lose("sensor", f"sensor {sensor.name!r}", "sensors", sensor.source)
    for group in robot.groups:
        losses.lose("group", f"group {group!r}", "groups of joints")
    for name, frame in robot.frames.items():
        if name not in kept_frames:
            kind = "link" if name in robot.links else "frame"
            losses.lose("frame", f"{kind} {name!r}", "any frames but those at its joints and its end", frame.source)
