"""Other readers of the same texts: where they put the frames of a robot, or why they refuse it."""

from __future__ import annotations

import os
import re
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from kinetree.model.mimic import resolve_mimic
from kinetree.model.robot import Robot

Poses = Callable[[Robot, np.ndarray], dict[str, np.ndarray]]
"""(robot, q) to T_root_frame (4, 4) of each frame of the robot that the other library has too."""


class RefusedError(Exception):
    """The other library does not load the text; the message is the cause, without names and numbers."""


class OtherJointsError(Exception):
    """The other library has other joints."""


@dataclass(frozen=True)
class Peer:
    """A library that reads a format. load: makes of a text the function that computes poses, or raises RefusedError."""

    name: str
    format: str
    load: Callable[[bytes], Poses]


def _pinocchio(text: bytes) -> Poses:
    import pinocchio as pin

    with _stderr() as said:
        try:
            model = pin.buildModelFromXML(text.decode())
        except Exception as error:  # of whatever kind its C++ has thrown
            raise RefusedError(_cause(said() or str(error))) from None
    data = model.createData()

    def poses(robot: Robot, q: np.ndarray) -> dict[str, np.ndarray]:
        qp = pin.neutral(model)
        for name, value in _values(robot, q):
            if not model.existJointName(name):
                raise OtherJointsError(robot.joints[name].type)
            place = model.joints[model.getJointId(name)]
            said = np.concatenate([np.cos(value), np.sin(value)]) if robot.joints[name].type == "continuous" else value
            if place.nq != len(said):
                raise OtherJointsError(robot.joints[name].type)
            qp[place.idx_q : place.idx_q + place.nq] = said
        pin.framesForwardKinematics(model, data, qp)
        body = pin.FrameType.BODY
        return {link: data.oMf[model.getFrameId(link, body)].homogeneous.copy() for link in robot.links}

    return poses


def _mujoco_urdf(text: bytes) -> Poses:
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise RefusedError(_cause(str(error))) from None
    for link in root.iter("link"):  # meshes are not there, and nothing stands on them
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    for more in root.findall("mujoco"):
        root.remove(more)
    options = {"fusestatic": "false", "balanceinertia": "true", "boundmass": "1e-6", "boundinertia": "1e-9"}
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", options)
    return _mujoco(ET.tostring(root))


def _mujoco(text: bytes) -> Poses:
    import mujoco

    try:
        model = mujoco.MjModel.from_xml_string(text.decode())
    except Exception as error:  # ValueError, and others of its C++
        raise RefusedError(_cause(str(error))) from None
    data = mujoco.MjData(model)

    def poses(robot: Robot, q: np.ndarray) -> dict[str, np.ndarray]:
        for name, value in _values(robot, q):
            if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name) < 0:
                unnamed = any(not model.joint(i).name for i in range(model.njnt))
                raise OtherJointsError("a joint without a name" if unnamed else robot.joints[name].type)
            place = data.joint(name).qpos
            four = robot.joints[name].type in ("ball", "floating")
            said = [*value[:-4], value[-1], *value[-4:-1]] if four else value
            if len(place) != len(said):
                raise OtherJointsError(robot.joints[name].type)
            place[:] = said
        mujoco.mj_kinematics(model, data)
        bodies = {model.body(i).name: (data.xpos[i], data.xmat[i]) for i in range(1, model.nbody)}
        sites = {model.site(i).name: (data.site_xpos[i], data.site_xmat[i]) for i in range(model.nsite)}
        return {name: _pose(*found) for name, found in {**sites, **bodies}.items() if name in robot.frames}

    return poses


def _pose(p: np.ndarray, R: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3], T[:3, :3] = p, R.reshape(3, 3)
    return T


def _values(robot: Robot, q: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """The coordinates of each joint that moves, of followers too."""
    for joint in robot.joints.values():
        if joint.kind.nq:
            leader, multiplier, offset = resolve_mimic(robot, joint.name)
            yield joint.name, multiplier * q[robot.q_slices[leader]] + offset


def _cause(message: str) -> str:
    """The first line of a message that says why, without what differs from file to file."""
    lines = [line.strip() for line in message.splitlines() if line.strip() and not line.strip().startswith("at line")]
    text = next((line for line in lines if line.startswith("Error")), lines[0] if lines else "nothing is said")
    text = re.sub(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]", "…", text)
    return re.sub(r"[-+]?\d[\d.e+-]*", "#", text).removeprefix("Error:").strip()[:100]


@contextmanager
def _stderr() -> Iterator[Callable[[], str]]:
    """Take what C++ prints; the function gives it."""
    with tempfile.TemporaryFile() as file:
        kept = [os.dup(1), os.dup(2)]
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)

        def said() -> str:
            file.seek(0)
            return file.read().decode("utf-8", "replace")

        try:
            yield said
        finally:
            for number, before in zip((1, 2), kept, strict=True):
                os.dup2(before, number)
                os.close(before)


PEERS: tuple[Peer, ...] = (
    Peer("pinocchio", "urdf", _pinocchio),
    Peer("mujoco-urdf", "urdf", _mujoco_urdf),
    Peer("mujoco", "mjcf", _mujoco),
)
