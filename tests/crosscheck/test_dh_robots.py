"""Every robot of example-robot-data and icub-models as DH and MDH tables: no frame moves.

The poses that they are compared with are checked against Pinocchio elsewhere.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats import dh
from kinetree.formats.losses.losses import PARTS
from support import frames_differ_by, icub_urdfs, random_q

pytestmark = pytest.mark.crosscheck
WITHOUT = tuple(part for part in PARTS if part not in ("frame", "mimic", "limit"))
REFUSED = {"ur3.urdf", "alex_psyonic_hands.urdf"}  # see test_urdf_pinocchio


def robots() -> list[Path]:
    for root in map(Path, sys.path):
        folder = root / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        if folder.is_dir():
            return [*sorted(folder.rglob("*.urdf")), *icub_urdfs()]
    pytest.skip("example-robot-data is not installed")


@pytest.mark.parametrize("convention", ["dh", "mdh"])
@pytest.mark.sampled(1)
def test_tables_of_real_robots(convention):
    rng = np.random.default_rng(21)
    paths = [path for path in robots() if path.name not in REFUSED]
    assert len(paths) > 70
    for path in paths:
        robot = kt.load(path)
        again, findings = dh.read(dh.write(robot, WITHOUT, convention=convention), "again.toml")
        assert again is not None, findings
        assert again.joint_names == robot.joint_names
        assert set(again.frames) == set(robot.frames)
        assert frames_differ_by(robot, again, random_q(robot, rng)) < 1e-12, path.name
        assert np.allclose(again.limits.lower, robot.limits.lower, rtol=1e-15, atol=1e-15)
