"""The robots that kernels are measured on, as plain URDF files that every peer reads alike.

Kinetree writes them: fingers locked, links that fixed joints hold together merged, no meshes. So no peer pays for
frames or meshes that nobody asks for. The numbers that peers must agree with come from the robots before that.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kinetree as kt
from peers import CHECKED, Case


@dataclass(frozen=True)
class Source:
    """Where a robot comes from. file: to its URDF; root: what it is cut at; frames: its ends; locked: its fingers."""

    file: Callable[[], Path]
    root: str
    frames: tuple[str, ...]
    locked: tuple[str, ...] = ()

    def load(self) -> kt.Robot:
        """The robot as it is measured."""
        robot = kt.load(self.file())
        if robot.root != self.root:
            robot = kt.edit.cut(robot, self.root)
        robot = kt.edit.lock(robot, dict.fromkeys(self.locked, 0.0))
        return kt.edit.merge_fixed(robot, keep=self.frames)


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
        _example("panda_description/urdf/panda.urdf"), "panda_link0", ("panda_hand_tcp",), ("panda_finger_joint1",)
    ),
    "iCub": Source(_icub, "root_link", ("l_hand", "r_hand", "l_sole", "r_sole", "head")),
}


def write_case(name: str, robot: kt.Robot, frames: tuple[str, ...], folder: Path) -> None:
    """Write NAME.urdf, NAME.json (a Case) and NAME.npz: configurations and what the interpreter answers."""
    urdf = folder / f"{name}.urdf"
    kt.save(robot, urdf, without=("frame", "extension", "sensor", "geometry", "material", "group"))
    lower, upper = robot.limits.lower, robot.limits.upper
    case = Case(name, str(urdf), robot.root, frames, robot.joint_names, tuple(lower), tuple(upper))
    (folder / f"{name}.json").write_text(json.dumps(case.__dict__))
    q = np.random.default_rng(3).uniform(lower, upper, (CHECKED, robot.nq))
    answers = {"fk": kt.fk(robot, frames[0] if len(frames) == 1 else frames).interpret(q)}
    if len(frames) == 1:
        for query in ("jacobian", "hessian", "manipulability"):
            answers[query] = getattr(kt, query)(robot, frames[0]).interpret(q)
    np.savez(folder / f"{name}.npz", q=q, **answers)


def write_all(folder: Path) -> None:
    """The cases of all robots."""
    for name, source in ROBOTS.items():
        write_case(name, source.load(), source.frames, folder)
