"""Small SDF texts for the tests, and an opener over texts in memory."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.errors import Finding
from kinetree.formats import sdf
from kinetree.model.robot import Robot

SCREWED = "<screw_thread_pitch>1</screw_thread_pitch></joint>"
INERTIAL = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def model(inside: str, version: str = "1.10", attributes: str = "") -> str:
    """A file with one model."""
    return (
        f'<?xml version="1.0"?>\n<sdf version="{version}">\n<model name="m" {attributes}>\n{inside}\n</model>\n</sdf>'
    )


def hinge(axis: str = "<xyz>0 0 1</xyz>", pose: str = "", kind: str = "revolute", name: str = "j") -> str:
    """Links a and b, one metre apart along x, and a joint between them."""
    return f"""<link name="a"/><link name="b"><pose>1 0 0 0 0 0</pose></link>
    <joint name="{name}" type="{kind}">{pose}<parent>a</parent><child>b</child><axis>{axis}</axis></joint>"""


WORLD = f"""<sdf version="1.10"><world name="w"><gravity>0 0 -9.8</gravity>
  <frame name="spot"><pose>5 0 0 0 0 0</pose></frame>
  <model name="one">{hinge()}</model>
  <model name="two"><pose relative_to="spot">0 1 0 0 0 0</pose>{hinge()}</model>
  <joint name="hold" type="fixed"><parent>world</parent><child>two::a</child></joint>
  <include><uri>model://nowhere</uri></include>
</world></sdf>"""
"""A world of two models, one of which is held, and one that is not there."""


def pose(x: float, y: float, z: float, roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0) -> np.ndarray:
    """T (4, 4), by SciPy."""
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("xyz", (roll, pitch, yaw)).as_matrix()
    T[:3, 3] = x, y, z
    return T


def close(a: np.ndarray, b: np.ndarray) -> bool:
    return np.abs(a - b).max() < 1e-14


def load(text: str, **options: str | None) -> Robot:
    """The robot of a text."""
    return kt.load(text, format="sdf", **options)


def findings(text: str, files: dict[str, str] | None = None, model: str | None = None) -> list[Finding]:
    """Everything that is said of a text, but that a link has no inertial, as most links of these texts."""
    found = sdf.read(text, "file.sdf", opener(files or {}), model)[1]
    return [finding for finding in found if finding.code != "no-inertial"]


def errors(text: str, files: dict[str, str] | None = None, model: str | None = None) -> list[Finding]:
    """The errors of a text, which is refused if and only if it has any."""
    robot, said = sdf.read(text, "file.sdf", opener(files or {}), model)
    found = [finding for finding in said if finding.severity == "error"]
    assert (robot is None) == bool(found)
    return found


def opener(files: dict[str, str]):
    """Opens texts by what they are asked for."""
    return lambda wanted, asking: (files[wanted].encode(), wanted) if wanted in files else None
