"""How long loading the 213-link iCub takes, meshes left alone, beside Pinocchio and yourdfpy in the same run.

Kinetree's figure holds every check and every note, the place of every element, inertias and geometry references; a
second one adds the system model (`build_tree`), which Pinocchio's figure holds too. yourdfpy loads as its documentation
says for a robot without meshes, `URDF.load(file, load_meshes=False)`, which checks next to nothing; its default loads
the meshes too, and is there for comparison.

    python benchmarks/loading.py [--quick]
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import icub_models
import pinocchio
import yourdfpy

import kinetree as kt
from kinetree.model.tree import build_tree
from machine import describe, minima

PROGRAMS = {
    "kinetree": "import kinetree; kinetree.load({path!r})",
    "pinocchio": "import pinocchio; pinocchio.buildModelFromUrdf({path!r})",
    "yourdfpy": "import yourdfpy; yourdfpy.URDF.load({path!r}, load_meshes=False)",
}


def main() -> None:
    quick = "--quick" in sys.argv
    path = str(Path(icub_models.get_models_path()) / "iCubGazeboV2_5" / "model.urdf")
    calls = {
        "kinetree": lambda: kt.load(path),
        "kinetree + system model": lambda: build_tree(kt.load(path)),
        "pinocchio": lambda: pinocchio.buildModelFromUrdf(path),
        "yourdfpy": lambda: yourdfpy.URDF.load(path, load_meshes=False),
        "yourdfpy with meshes": lambda: yourdfpy.URDF.load(path),
    }
    programs = {
        name: partial(subprocess.run, [sys.executable, "-c", text.format(path=path)], check=True)
        for name, text in PROGRAMS.items()
    }
    print(describe("kinetree", "pin", "yourdfpy", "numpy"))
    print(f"{len(kt.load(path).links)} links")
    table("one load, in a process that has loaded it before", minima(calls, 3 if quick else 100))
    table("a whole process: start Python, import, load once", minima(programs, 1 if quick else 10))


def table(title: str, times: dict[str, float]) -> None:
    print(f"\n{title}")
    for name, seconds in times.items():
        print(f"  {name:24} {seconds * 1e3:8.2f} ms {seconds / times['kinetree']:6.2f} x kinetree")


if __name__ == "__main__":
    main()
