"""The iCub's tendons as MuJoCo's: their lengths are the rows of the page, A q."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats.limit_tables import read
from kinetree.robots.icub.tendons import text

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.crosscheck


def test_tendon_lengths_are_a_q(tmp_path):
    robot = kt.load("icub", limits="tendons")
    kt.save(robot, tmp_path / "icub.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "icub.xml"))
    data = mujoco.MjData(model)
    tables = {table.name: table for table in read(text(), "tendons.toml")[0]}
    rng = np.random.default_rng(0)
    for _ in range(20):
        values = dict(zip(robot.joint_names, rng.uniform(-2, 2, robot.nq), strict=True))
        for name, value in values.items():
            data.joint(name).qpos[:] = value
        mujoco.mj_forward(model, data)
        for side in ("left_arm", "right_arm"):
            table = tables[f"{side} tendons"]
            lengths = [data.tendon(name).length[0] for name in table.row_names]
            assert np.abs(lengths - -table.G @ [values[joint] for joint in table.joints]).max() < 1e-12
            rows = [model.tendon(name).id for name in table.row_names]
            assert model.tendon_range[rows, 0] == pytest.approx(-table.h, rel=1e-15)
            assert model.tendon_limited[rows].all()
    outside = robot.q({"l_shoulder_pitch": -95.5, "l_shoulder_roll": 160.8, "l_shoulder_yaw": 80}, unit="deg")
    for name, value in zip(robot.joint_names, outside, strict=True):
        data.joint(name).qpos[:] = value
    mujoco.mj_forward(model, data)
    violated = [e for e in range(data.nefc) if data.efc_type[e] == mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON]
    assert len(violated) == 4  # rows 1, 9, 12 and 14 of the left arm
