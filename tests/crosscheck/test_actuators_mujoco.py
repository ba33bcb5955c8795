"""Robots of example-robot-data as MJCF with actuators, a key and excluded pairs: MuJoCo holds them at home.

Bases are fixed, as in the files, so that legged robots hang; gravity acts, and there is no floor. Left out are robots
whose own limits of effort are below what gravity needs in the neutral posture, such as Baxter and the PR2.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.contact.make import collisions
from kinetree.model.robot import Robot
from support import example_robot_urdfs, random_q

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.crosscheck

ARMS = ("ur3_robot", "ur5_robot", "ur10_robot", "panda", "z1", "xarm7", "so101")
HANDS = ("allegro_right_hand", "finger_edu")
LEGGED = ("a1", "go1", "go2", "b1", "anymal", "hyq_no_sensors", "laikago", "bolt")
HUMANOIDS = ("talos_reduced", "g1_29dof_rev_1_0", "icub", "tiago")
NAMES = (*ARMS, *HANDS, *LEGGED, *HUMANOIDS)
FILES = {path.stem: path for path in reversed(example_robot_urdfs())}
HELD = 0.05  # rad or m


def saved(name: str, folder: Any) -> tuple[Robot, Any]:
    """Return a robot and MuJoCo's model of the file that is saved of it; if links have inertias that no body can have,
    the robot as MuJoCo has it."""
    robot, file = collisions(kt.load(FILES[name]), geometry="hull").touching(), folder / "robot.xml"
    notes = kt.save(robot, file, actuators="position")
    if any("no body can have the inertia" in note.message for note in notes):
        robot = kt.load(re.sub(r"(?s)<custom>.*?</custom>", "", file.read_text()), format="mjcf")
    return robot, mujoco.MjModel.from_xml_path(str(folder / "robot.xml"))


def bodies_in_contact(model: Any, data: Any) -> set[tuple[int, ...]]:
    return {tuple(sorted(model.geom_bodyid[list(contact.geom)])) for contact in data.contact}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", NAMES)
def test_a_robot_holds_home_for_two_seconds_and_has_the_dynamics_of_mujoco(name, tmp_path):
    robot, model = saved(name, tmp_path)
    assert {model.actuator(i).name for i in range(model.nu)} == set(robot.joint_names)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, "home"))
    mujoco.mj_forward(model, data)
    home, before, off, touched = data.qpos.copy(), bodies_in_contact(model, data), 0.0, set[tuple[int, ...]]()
    for _ in range(round(2.0 / model.opt.timestep)):
        mujoco.mj_step(model, data)
        off = max(off, float(np.abs(data.qpos - home).max()))
        touched |= bodies_in_contact(model, data)
    assert off < HELD
    assert touched <= before
    same_dynamics(robot, model)


def same_dynamics(robot: Robot, model: Any) -> None:
    """Compare inverse dynamics in random states, without constraints, to 1e-9 of the largest torque."""
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data, rng, inverse = mujoco.MjData(model), np.random.default_rng(0), kt.inverse_dynamics(robot)
    for _ in range(5):
        q, qd, qdd = random_q(robot, rng), *rng.uniform(-2, 2, (2, robot.nv))
        of_all = np.zeros(robot.nv)
        for joint, at in robot.q_slices.items():
            i = robot.joint_names.index(joint)
            data.joint(joint).qpos[:], data.joint(joint).qvel[:], data.joint(joint).qacc[:] = q[at], qd[i], qdd[i]
        for joint in robot.joints.values():
            if joint.mimic and joint.kind.nq:
                leader, multiplier = joint.mimic.joint, joint.mimic.multiplier
                own = data.joint(joint.name)
                own.qpos[:] = multiplier * data.joint(leader).qpos + joint.mimic.offset
                own.qvel[:], own.qacc[:] = multiplier * data.joint(leader).qvel, multiplier * data.joint(leader).qacc
        mujoco.mj_inverse(model, data)
        for i, joint in enumerate(robot.joint_names):
            of_all[i] = data.joint(joint).qfrc_inverse[0]
        for joint in robot.joints.values():
            if joint.mimic and joint.kind.nq:
                leader = robot.joint_names.index(joint.mimic.joint)
                of_all[leader] += joint.mimic.multiplier * data.joint(joint.name).qfrc_inverse[0]
        ours = inverse(q, qd, qdd)
        np.testing.assert_allclose(ours, of_all, rtol=0, atol=1e-9 * np.abs(ours).max())
