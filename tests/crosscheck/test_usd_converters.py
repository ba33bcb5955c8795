"""What Newton's converters make of a URDF or an MJCF is the same robot.

The converters need environments of their own, because usd-exchange replaces usd-core:

    python -m venv converters && converters/bin/pip install urdf-usd-converter mujoco-usd-converter
    PATH=$PATH:converters/bin pytest -m crosscheck tests/crosscheck/test_usd_converters.py
"""

from __future__ import annotations

import os
import shutil
import subprocess
from math import radians
from pathlib import Path

import pytest

import kinetree as kt
from each import each
from support import example_robot_urdfs, sample

pytest.importorskip("pxr")
pytestmark = [pytest.mark.crosscheck, pytest.mark.slow]

SINGLE = 1e-6
"""Of poses, m and rad, and relative of all else: USD stores most numbers with 24 bits, 6e-8 of their size."""
NEAR_IDENTITY = 1e-5
"""rad: the converters compute the quaternion of a fixed frame in single precision, whose small angles lose digits."""
WITHOUT = ("extension", "safety", "calibration", "group", "geometry", "material")


def converted(program: str, file: Path) -> Path:
    """Return the USD file that a converter makes of a file."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    folder = file.with_suffix("")
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([program, str(file), str(folder)], check=True, capture_output=True, timeout=120, env=clean)
    (made,) = folder.glob("*.usda")
    return made


def check_same(first: kt.Robot, second: kt.Robot) -> None:
    result = kt.compare(first, second, tolerance=SINGLE, relative=SINGLE)
    assert result.same_mechanism
    for one in result.differences:
        if one.counts:
            assert one.kind == "frame", result
            assert one.amount <= NEAR_IDENTITY
            at_zero = result.frames[one.element.split("'")[1]].at_zero
            assert at_zero[0] <= NEAR_IDENTITY
            assert at_zero[1] <= NEAR_IDENTITY < radians(0.001)


@each("file", sample(example_robot_urdfs(), 9))
def test_of_urdf(file, tmp_path):
    copy = tmp_path / file.name
    kt.save(kt.load(file), copy, without=WITHOUT)  # the files of shapes are elsewhere
    check_same(kt.load(copy), kt.load(converted("urdf_usd_converter", copy)))


@each("name", ["panda", "solo12", "talos_reduced", "go2"])
def test_of_mjcf(name, tmp_path):
    """Robots with fixed and with free bases."""
    robot = kt.load(next(path for path in example_robot_urdfs() if path.stem == name))
    copy = tmp_path / f"{name}.xml"
    kt.save(robot if name == "panda" else kt.edit.floating(robot), copy, without=WITHOUT)
    check_same(kt.load(copy), kt.load(converted("mujoco_usd_converter", copy)))
