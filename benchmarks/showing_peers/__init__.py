"""The viewers that the page is measured beside: one file each, found by its name.

A file has PACKAGES, whose versions the benchmark states, ENDING, of the file that it writes, and
`write(model, packages, path)`: the robot of a URDF file as a file, as the viewer's own documentation does it.
packages: the folder of its ROS packages. It imports the viewer when it is called, in a process of its own, and knows
nothing of Kinetree.
"""

from __future__ import annotations

import json
import os
import subprocess
from importlib import import_module
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent


def files() -> dict[str, ModuleType]:
    """Return the files of the viewers by their names."""
    names = sorted(file.stem for file in HERE.glob("*.py") if not file.stem.startswith("__"))
    return {name: import_module(f"showing_peers.{name}") for name in names}


def installed(python: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the versions of the viewers that a Python interpreter has, by name, and for the others what is missing."""
    answer = subprocess.run(
        [python, "-m", "showing_peers"], cwd=HERE.parent, capture_output=True, text=True, check=True
    )
    versions, missing = json.loads(answer.stdout)
    return versions, missing


def make(python: str, name: str, model: Path, path: Path) -> None:
    """Write the file of a viewer, in a new process. Raises CalledProcessError if it fails."""
    packages = next(folder for folder in model.parents if folder.name == "share")
    command = [python, "-m", "showing_peers", name, str(model), str(packages), str(path)]
    environment = {**os.environ, "ROS_PACKAGE_PATH": str(packages)}
    subprocess.run(command, cwd=HERE.parent, env=environment, check=True, capture_output=True, timeout=300)
