"""What formats lose that say kinematics alone, such as DH tables and ETS."""

from __future__ import annotations

import json
from collections.abc import Callable

from kinetree.algorithms.serial import SerialChain
from kinetree.formats.losses import Losses
from kinetree.model.assemble import order_of_file
from kinetree.model.robot import Robot


def lose_bodies(robot: Robot, losses: Losses) -> None:
    """Everything about mass, shape and behaviour: lost."""
    for extension in robot.extensions:
        losses.lose("extension", f"robot {robot.name!r}", f"<{extension.tag}>", extension.source)
    for material in robot.materials.values():
        losses.lose("material", f"material {material.name!r}", "materials", material.source)
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
    if robot.joint_names != order_of_file(robot):
        losses.lose("order", f"robot {robot.name!r}", "another order of q than that of the chain")
    for coupled in robot.coupled_limits:
        losses.lose("coupled_limit", f"coupled limit {coupled.name!r}", "limits over several joints", coupled.source)
    for group in robot.groups:
        losses.lose("group", f"group {group!r}", "groups of joints")
    for name, frame in robot.frames.items():
        if name not in kept_frames:
            kind = "link" if name in robot.links else "frame"
            losses.lose("frame", f"{kind} {name!r}", "any frames but those at its joints and its end", frame.source)


def ends(
    robot: Robot, chain: SerialChain, losses: Losses, made: Callable[[str], bool]
) -> tuple[str | None, str | None]:
    """(root, tip) as the file names them; None for a name that the reader gives by itself to something else, which is
    lost, and for the tip where that is the root. made: whether the reader gives a name by itself."""
    names: list[str | None] = []
    for kind, name in (("link", chain.base), ("frame", chain.tip)):
        if made(name):
            what = f"an end called {name!r}, as it calls the frame of a joint or row"
            losses.lose("frame", f"{kind} {name!r}", what, robot.frames[name].source)
        names.append(None if made(name) else name)
    root, tip = names
    return root, None if chain.tip == chain.base else tip


def quoted(name: str) -> str:
    """A name between double quotes, on one line."""
    return json.dumps(name, ensure_ascii=False)


def unquoted(text: str) -> str | None:
    """The name of a text that may stand between double quotes, or None where they do not fit."""
    if not text.startswith('"'):
        return text
    try:
        name = json.loads(text)
    except ValueError:
        return None
    return name if isinstance(name, str) else None
