"""Loops against MuJoCo: the residuals of its equality constraints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.assemble import build, parts_of

pytestmark = pytest.mark.crosscheck
mujoco = pytest.importorskip("mujoco")

BODIES = """<worldbody>
  <body name="a" pos="0.1 0.2 0.3" euler="10 20 30"><joint name="j" ref="20"/><geom size=".1"/>
    <site name="s" pos="0 0 1"/>
    <body name="c" pos="0 0 0.5"><joint name="k" type="slide" ref="0.2"/><geom size=".1"/></body></body>
  <body name="b" pos="1 0.5 -0.2" euler="40 -20 70"><freejoint name="f"/><geom size=".1"/>
    <site name="t" pos="0 1 0" euler="30 0 0"/></body>
</worldbody>"""
EQUALITIES = {
    "connect": '<connect body1="a" body2="b" anchor="0.3 0.1 0.2"/>',
    "connect to the world": '<connect body1="b" anchor="0.3 0.1 0.2"/>',
    "connect sites": '<connect site1="s" site2="t"/>',
    "weld": '<weld body1="c" body2="b"/>',
    "weld at a point": '<weld body1="c" body2="b" anchor="0.3 0.1 0.2"/>',
    "weld at a pose": '<weld body1="a" body2="b" anchor="0.3 0.1 0.2" relpose="0.5 0.6 0.7 0.8 0.2 0.4 0.1"/>',
    "weld sites": '<weld site1="s" site2="t"/>',
}


@pytest.mark.parametrize("written", [False, True], ids=["read", "written"])
@pytest.mark.parametrize("name", EQUALITIES)
def test_residuals(name, written):
    text = f"<mujoco>{BODIES}<equality>{EQUALITIES[name]}</equality></mujoco>"
    robot = kt.load(text, format="mjcf")
    if written:
        text = kt.text(kt.edit.set_groups(robot, {}), "mjcf")
    model = mujoco.MjModel.from_xml_string(text)
    data, rng, worst = mujoco.MjData(model), np.random.default_rng(0), 0.0
    error = kt.kinematics.loop_error(robot)
    for _ in range(50):
        qpos = np.r_[rng.uniform(-1, 1, 2), rng.uniform(-1, 1, 3), rng.normal(size=4)]
        qpos[5:] /= np.linalg.norm(qpos[5:])
        data.qpos[:] = qpos
        mujoco.mj_forward(model, data)
        q = robot.q(j=qpos[0], k=qpos[1], f=(*qpos[2:5], *qpos[6:9], qpos[5]))
        distance, angle = error(q)[0]
        worst = max(worst, abs(distance - np.linalg.norm(data.efc_pos[:3])))
        if "weld" in name:
            sine = np.linalg.norm(data.efc_pos[3:6])  # of half the angle
            worst = max(worst, abs(np.sin(angle / 2) - sine))
        else:
            assert angle == 0
    assert worst < 1e-12


def test_a_hinge_that_closes_a_loop_restricts_the_same_in_mujoco():
    parts = parts_of(
        kt.load(f"<mujoco>{BODIES}<equality>{EQUALITIES['weld sites']}</equality></mujoco>", format="mjcf")
    )
    parts.loops = [replace(parts.loops[0], type="revolute", axes=np.array([(0.36, 0.48, 0.8)]), extensions=())]
    robot = build(parts)
    model = mujoco.MjModel.from_xml_string(kt.text(robot, "mjcf"))
    data, rng, error = mujoco.MjData(model), np.random.default_rng(0), kt.kinematics.loop_error(robot)
    for _ in range(50):
        qpos = np.r_[rng.uniform(-1, 1, 2), rng.uniform(-1, 1, 3), rng.normal(size=4)]
        qpos[5:] /= np.linalg.norm(qpos[5:])
        data.qpos[:] = qpos
        mujoco.mj_forward(model, data)
        distance, angle = error(robot.q(j=qpos[0], k=qpos[1], f=(*qpos[2:5], *qpos[6:9], qpos[5])))[0]
        one, two = data.efc_pos[:3], data.efc_pos[3:6]  # of two points of the axis, 1 m apart
        assert abs(distance - np.linalg.norm(one)) < 1e-12
        assert abs(2 * np.sin(angle / 2) - np.linalg.norm(two - one)) < 1e-12
