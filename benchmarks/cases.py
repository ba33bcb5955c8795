"""The robots that kernels are measured on, as plain URDF files that every peer reads alike.

Kinetree writes them: fingers locked, links that fixed joints hold together merged, no meshes. So no peer pays for
frames or meshes that nobody asks for. The numbers that peers must agree with come from the robots before that.
"""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kinetree as kt
from peers import CHECKED, Case, inputs, stacked
from peers.kinetree import dynamics


@dataclass(frozen=True)
class Source:
    """Where a robot comes from. file: to its URDF; root: what it is cut at; frames: its ends, none for a robot of
    dynamics alone; locked: its fingers; floating: the link that gets a floating joint, with `root` above it."""

    file: Callable[[], Path]
    root: str
    frames: tuple[str, ...] = ()
    locked: tuple[str, ...] = ()
    floating: str = ""

    def load(self) -> kt.Robot:
        """Return the robot as it is measured: without damping and friction, which Pinocchio's inverse dynamics leaves
        out, and with joints that follow others set free."""
        urdf = ET.parse(self.file()).getroot()
        for joint in urdf.iter("joint"):
            for part in [*joint.iter("dynamics"), *joint.iter("mimic")]:
                joint.remove(part)
        if self.floating:
            urdf.extend(ET.fromstring(FREE.format(self.root, self.floating)))
        robot = kt.load(ET.tostring(urdf, encoding="unicode"), format="urdf")
        if robot.root != self.root:
            robot = kt.edit.cut(robot, self.root)
        robot = kt.edit.lock(robot, dict.fromkeys(self.locked, 0.0))
        return kt.edit.merge_fixed(robot, keep=self.frames)


FREE = """<robot><link name="{0}"/>
<joint name="free" type="floating"><parent link="{0}"/><child link="{1}"/></joint></robot>"""


def _example(path: str) -> Callable[[], Path]:
    def find() -> Path:
        for root in map(Path, sys.path):
            file = root / "cmeel.prefix" / "share" / "example-robot-data" / "robots" / path
            if file.is_file():
                return file
        raise SystemExit("the package example-robot-data is not installed; the extra `bench` has it")

    return find


def _icub() -> Path:
    import icub_models

    return Path(icub_models.get_model_file("iCubGazeboV2_7"))


ROBOTS = {
    "UR5": Source(_example("ur_description/urdf/ur5_robot.urdf"), "base_link", ("tool0",)),
    "Panda": Source(
        _example("panda_description/urdf/panda.urdf"),
        "panda_link0",
        ("panda_hand_tcp",),
        ("panda_finger_joint1", "panda_finger_joint2"),
    ),
    "iCub": Source(_icub, "root_link", ("l_hand", "r_hand", "l_sole", "r_sole", "head")),
    "Solo12": Source(_example("solo_description/robots/solo12.urdf"), "base_link"),
    "ANYmal": Source(_example("anymal_b_simple_description/robots/anymal.urdf"), "ground", floating="base"),
    "Talos": Source(_example("talos_data/robots/talos_full_v2.urdf"), "ground", floating="base_link"),
}


def write_case(name: str, robot: kt.Robot, frames: tuple[str, ...], folder: Path) -> None:
    """Write NAME.urdf, NAME.json (a Case) and NAME.npz: configurations and what the interpreter answers."""
    urdf = folder / f"{name}.urdf"
    kt.save(robot, urdf, without=("frame", "extension", "sensor", "geometry", "material", "group"))
    free = next((joint.name for joint in robot.joints.values() if joint.type == "floating"), "")
    lower, upper = robot.limits.lower, robot.limits.upper
    lower, upper = np.where(np.isinf(lower), -1.0, lower), np.where(np.isinf(upper), 1.0, upper)
    case = Case(name, str(urdf), robot.root, frames, robot.joint_names, tuple(lower), tuple(upper), free)
    (folder / f"{name}.json").write_text(json.dumps(case.__dict__))
    random = np.random.default_rng(3)
    known = {"q": case.sample(random, CHECKED)} | {
        name: random.normal(size=(CHECKED, robot.nv)) for name in ("qd", "qdd", "tau")
    }
    if frames:
        known["fk"] = kt.fk(robot, frames[0] if len(frames) == 1 else frames).interpret(known["q"])
    if len(frames) == 1:
        for query in ("jacobian", "hessian", "manipulability"):
            known[query] = getattr(kt, query)(robot, frames[0]).interpret(known["q"])
    for query, kernel in dynamics(robot).items():
        known[query] = stacked(kernel.interpret(*(known[name] for name in inputs(query))))
    np.savez(folder / f"{name}.npz", **known)


def write_all(folder: Path) -> None:
    """The cases of all robots."""
    for name, source in ROBOTS.items():
        write_case(name, source.load(), source.frames, folder)
