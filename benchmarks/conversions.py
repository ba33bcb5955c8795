"""Convert models of a folder to MJCF, SDF and URDF and say what became of each: whether it wanted an option, whether
the simulator of the format opens it, and whether it comes back as the same robot.

    python benchmarks/conversions.py [FOLDER] [--count 200] [--to mjcf sdf] [--list] [--quick]

FOLDER holds one folder a repository, as in `../shared/corpus`. The models are drawn by lot, the same in each run, among
those that load. A model whose meshes are not in the folder is saved without its shapes, and counted apart.
"""

from __future__ import annotations

import argparse
import collections
import logging
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kinetree as kt
from corpus import DEFAULT, files_of, packages_of, time_limit
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.formats.losses.losses import PARTS
from kinetree.model.tree import build_tree

ENDING = {"mjcf": "xml", "sdf": "sdf", "urdf": "urdf"}
TOLERANCE = 1e-9  # m and radians: sums of many links in a text with all digits


@dataclass(frozen=True)
class Converted:
    """What became of one model. result: "no option", "meshes missing", "with options" or "refused"; more: the options,
    or why. shapes: of the model. opened: what the simulator said, "" if nothing; None without one. same: whether it
    came back."""

    file: str
    to: str
    result: str
    more: str = ""
    shapes: int = 0
    opened: str | None = None
    same: bool = False


def models(folder: Path, count: int, seconds: float) -> Iterator[tuple[Path, str, kt.Robot]]:
    """Models that load, drawn by lot, with their formats."""
    files = list(files_of(folder, ("urdf", "xacro", "sdf", "mjcf")))
    random.Random(20).shuffle(files)
    found = 0
    for path, format in files:
        try:
            with time_limit(seconds):
                robot = kt.load(path, format=format, packages=packages_of(folder, path))
        except (kt.KinetreeError, TimeoutError):
            continue
        if len(robot.joints) < 2:  # a bracket or a box is no robot
            continue
        yield path, format, robot
        found += 1
        if found == count:
            return


def converted(name: str, robot: kt.Robot, to: str) -> Converted:
    """Save a robot with as few options as it takes, open it and load it again."""
    shapes = sum(len(link.visuals) + len(link.collisions) for link in robot.links.values())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"robot.{ENDING[to]}")
        without: tuple[str, ...] = ()
        missing = False
        for _ in range(9):
            try:
                kt.save(robot, path, format=to, without=without)
                break
            except kt.KinetreeError as error:
                codes = {finding.code for finding in error.findings}
                gone = codes <= {"missing-mesh", "missing-texture"}
                lost = {"missing-mesh": "geometry", "missing-texture": "material"}
                parts = {lost.get(code) or code.removeprefix("cannot-say-") for code in codes}
                missing = missing or gone
                if not parts <= {*PARTS} or parts <= {*without}:
                    return Converted(name, to, "refused", str(error).replace("\n", " ")[:300], shapes)
                without = (*without, *sorted(parts - {*without}))
        others = [part for part in without if not (missing and part in ("geometry", "material"))]
        result = "with options" if others else "meshes missing" if missing else "no option"
        more = " ".join(others)
        return Converted(name, to, result, more, shapes, opened(path, to), is_same(robot, path, to, without))


def opened(path: Path, to: str) -> str | None:
    """Return what the simulator of a format says against a file, "" for nothing, None if it is not installed."""
    try:
        if to == "mjcf":
            import mujoco

            mujoco.MjModel.from_xml_path(str(path))
        else:
            from pydrake.multibody.parsing import Parser
            from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
            from pydrake.systems.framework import DiagramBuilder

            logging.getLogger("drake").setLevel(logging.ERROR)
            plant, _ = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.0)
            Parser(plant).AddModels(str(path))
    except ImportError:
        return None
    except Exception as error:
        return " ".join(str(error).replace(str(path.parent), "").split())[:200]
    return ""


def is_same(robot: kt.Robot, path: Path, to: str, without: tuple[str, ...]) -> bool:
    """Return whether all frames of a robot are in the file, at the same places."""
    try:
        again = kt.load(path, format=to)
        again = again.order(robot.joint_names)
    except kt.KinetreeError:
        return False
    names = [name for name in robot.frames if name in (again.frames if "frame" in without else robot.frames)]
    if not {*names} <= {*again.frames}:
        return False
    rng = np.random.default_rng(0)
    q = rng.uniform(-1, 1, robot.nq)
    for joint, where in robot.q_slices.items():
        if quaternion := robot.joints[joint].kind.quaternion:
            q[where][quaternion] /= np.linalg.norm(q[where][quaternion])
    a = np.array(forward_kinematics(build_tree(robot), q, names))
    b = np.array(forward_kinematics(build_tree(again), q, [robot.root, *names]))
    return bool(np.allclose(np.linalg.inv(b[0]) @ b[1:], a, rtol=1e-9, atol=TOLERANCE))


def table(outcomes: list[Converted]) -> Iterator[str]:
    """Return the table of all conversions as lines of Markdown."""
    yield "| to | models | no option | meshes missing, else no option | with options | refused | opened | came back |"
    yield "|---|---|---|---|---|---|---|---|"
    for to in dict.fromkeys(outcome.to for outcome in outcomes):
        rows = [outcome for outcome in outcomes if outcome.to == to]
        count = collections.Counter(outcome.result for outcome in rows)
        saved = [outcome for outcome in rows if outcome.result != "refused"]
        tried = [outcome for outcome in saved if outcome.opened is not None]
        cells = [count[result] for result in ("no option", "meshes missing", "with options", "refused")]
        good = f"{sum(not outcome.opened for outcome in tried)} of {len(tried)}"
        same = f"{sum(outcome.same for outcome in saved)} of {len(saved)}"
        yield f"| {to} | {len(rows)} | {' | '.join(map(str, cells))} | {good} | {same} |"
    for to, more in {(outcome.to, outcome.more) for outcome in outcomes if outcome.result == "with options"}:
        yield f"{to}: --without {more}: {sum((o.to, o.more) == (to, more) for o in outcomes)}"


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--to", nargs="+", choices=list(ENDING), default=["mjcf", "sdf"])
    parser.add_argument("--list", action="store_true", help="each model that wanted an option or was not opened")
    parser.add_argument("--quick", action="store_true", help="five models")
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args(arguments)
    outcomes = []
    for path, _, robot in models(options.folder, 5 if options.quick else options.count, options.seconds):
        name = os.path.relpath(path, options.folder)
        for to in options.to:
            outcomes.append(converted(name, robot, to))
            last = outcomes[-1]
            if options.list and (last.result in ("with options", "refused") or last.opened or not last.same):
                print(f"{name} to {to}: {last.result} {last.more}; {last.opened or 'opened'}; same: {last.same}")
    print(*table(outcomes), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
