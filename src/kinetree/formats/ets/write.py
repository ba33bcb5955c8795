"""A robot to a sequence of elementary transforms."""

import re
from collections.abc import Collection

import numpy as np

from kinetree.algorithms.serial import ChainJoint, SerialChain, serial_chain
from kinetree.algorithms.vectors import decimal, right_angle
from kinetree.formats.ets.elements import ET, ETS
from kinetree.formats.ets.read import NAMES
from kinetree.formats.kinematic import ends, frames_but, quoted
from kinetree.formats.losses import Losses
from kinetree.model.robot import Robot
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array


def write(robot: Robot, without: Collection[str] = ()) -> str:
    """Return the robot as a sequence from its root to the last frame of its last link; it may not branch.

    A robot that was read from ETS and not edited gives the same text. Raises KinetreeError for a part that a sequence
    cannot represent and that `without` does not name.
    """
    losses = Losses("ets", without)
    if robot.text and robot.text.format == "ets" and not without:
        return robot.text.text
    chain = serial_chain(robot)
    losses.find(robot, {"frame": frames_but(chain.base, chain.tip)})
    links = {f"{joint.joint.name}_link" for joint in chain.joints}
    root, tip = ends(robot, chain, losses, links.__contains__)
    sequence = ets_of(chain)
    if not sequence.terms:
        what = f"a robot without joints whose end {chain.tip!r} stands where its root does: there is no term"
        losses.lose("link", f"robot {robot.name!r}", what, robot.source)
    losses.check()
    names = {"name": robot.name, "base": root, "tip": tip}
    lines = [f"{key} = {_name(name)}" for key, name in names.items() if name and name != NAMES[key]]
    return "\n".join([*lines, f"{sequence}\n"])


def _name(name: str) -> str:
    return name if re.fullmatch(r"[\w./-]+", name) else quoted(name)


def ets_of(chain: SerialChain) -> ETS:
    """Return the sequence of a serial chain: constants as translations and rotations, without identities."""
    terms: list[ET] = []
    T_before = se3.IDENTITY
    for joint in chain.joints:
        T, v = _aligned(joint)
        terms += [*constants(se3.inverse(T_before) @ T), v]
        T_before = T
    return ETS((*terms, *constants(se3.inverse(T_before) @ chain.T_tip)))


def constants(T: Array) -> list[ET]:
    """Return T as tx ty tz Rz Ry Rx, without identities."""
    roll, pitch, yaw = se3.rpy_from_rotation(T[:3, :3])
    shifts = [ET(kind, decimal(float(x))) for kind, x in zip(("tx", "ty", "tz"), T[:3, 3], strict=True)]
    turns = [ET(kind, right_angle(x)) for kind, x in (("Rz", yaw), ("Ry", pitch), ("Rx", roll))]
    return [term for term in (*shifts, *turns) if term.value]


def _aligned(joint: ChainJoint) -> tuple[Array, ET]:
    """Return the frame in which the joint moves about or along x, y or z, and its term."""
    letter = "t" if joint.joint.type == "prismatic" else "R"
    along = int(np.argmax(np.abs(joint.axis)))
    sign = float(joint.axis[along])
    if abs(sign) == 1.0:
        return joint.T, ET(letter + "xyz"[along], joint=joint.joint.name, flip=sign < 0)
    turned = se3.homogeneous(se3.rotation_between((0.0, 0.0, 1.0), joint.axis), (0.0, 0.0, 0.0))
    return joint.T @ turned, ET(f"{letter}z", joint=joint.joint.name)
