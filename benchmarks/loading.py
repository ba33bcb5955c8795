"""How long loading the 213-link iCub takes, meshes left alone, beside Pinocchio and yourdfpy in the same run.

Kinetree's figure holds every check and every note, the place of every element, inertias and geometry references; a
second one adds the system model (`build_tree`), which Pinocchio's figure holds too. yourdfpy loads as its documentation
says for a robot without meshes, `URDF.load(file, load_meshes=False)`, which checks next to nothing.

    python benchmarks/loading.py [--quick]
"""

from __future__ import annotations

import sys
from pathlib import Path

import icub_models
import pinocchio
import yourdfpy

import kinetree as kt
from kinetree.model.tree import build_tree
from machine import describe, minima


def main() -> None:
    path = str(Path(icub_models.get_models_path()) / "iCubGazeboV2_5" / "model.urdf")
    calls = {
        "kinetree": lambda: kt.load(path),
        "kinetree + system model": lambda: build_tree(kt.load(path)),
        "pinocchio": lambda: pinocchio.buildModelFromUrdf(path),
        "yourdfpy": lambda: yourdfpy.URDF.load(path, load_meshes=False),
    }
    times = minima(calls, 3 if "--quick" in sys.argv else 100)
    print(describe("kinetree", "pin", "yourdfpy", "numpy"))
    print(f"{len(kt.load(path).links)} links")
    for name, seconds in times.items():
        print(f"{name:24} {seconds * 1e3:7.2f} ms  {seconds / times['kinetree']:5.2f} x kinetree")


if __name__ == "__main__":
    main()
