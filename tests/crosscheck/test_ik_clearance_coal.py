"""Answers of inverse kinematics with clearance on public robots, judged by coal."""

import numpy as np
import pytest

import kinetree as kt
from coal_referee import Referee
from support import at_length, example_robot_urdfs, icub_urdfs

pytestmark = pytest.mark.crosscheck
pytest.importorskip("coal")

CLEARANCE = 0.005


def cell():
    """A UR5 between a table and a wall."""
    (file,) = (file for file in example_robot_urdfs() if file.name == "ur5_robot.urdf")
    text = file.read_text().replace("package://example-robot-data/robots/", f"file://{file.parents[2]}/")
    for name, xyz, size in (("table", "0 0 -0.03", "1.6 1.6 0.05"), ("wall", "0 0.5 0.5", "1.6 0.05 1")):
        box = f"<link name='{name}'><collision><geometry><box size='{size}'/></geometry></collision></link>"
        ends = f"<parent link='base_link'/><child link='{name}'/><origin xyz='{xyz}'/>"
        text = text.replace("</robot>", f"{box}<joint name='{name}' type='fixed'>{ends}</joint></robot>")
    return kt.load(text, format="urdf")


def panda():
    return kt.load(next(file for file in example_robot_urdfs() if file.name == "panda.urdf"))


def g1():
    return kt.load(next(file for file in example_robot_urdfs() if file.name == "g1_29dof_rev_1_0.urdf"))


def icub():
    """An iCub with the rows of the tendons of shoulders and torso."""
    file = next(file for file in icub_urdfs() if "iCubGazeboV2_5/" in str(file))
    return kt.load(file, limits="tendons")


CASES = {
    "panda": (panda, "panda_hand", {}, 0.995),
    "ur5 in a cell": (cell, "ee_link", {}, 0.995),
    "g1": (g1, ("left_rubber_hand", "right_rubber_hand"), {"goal": "position", "base": "pelvis"}, 0.97),
    "icub": (icub, ("l_hand", "r_hand"), {"goal": "position", "base": "root_link"}, 0.97),
}


@pytest.mark.parametrize("case", list(CASES))
@pytest.mark.sampled(1)
def test_no_answer_is_in_contact(case):
    make, frame, options, least = CASES[case]
    robot, count = make(), at_length(150, 2000)
    solve = kt.ik(robot, frame, clearance=CLEARANCE, geometry="hull", **options)
    contact, columns, q = solve.contact, solve._problem.columns, []
    rng, neutral = np.random.default_rng(4), robot.limits.project(robot.q())
    while sum(map(len, q)) < count:
        some = np.tile(neutral, (4 * count, 1))
        some[:, columns] = robot.limits.sample(4 * count, rng)[:, columns]
        q.append(some[~contact(some)])
    q = np.concatenate(q)[:count]
    frames = (frame,) if isinstance(frame, str) else frame
    poses = [kt.fk(robot, one, options.get("base"))(q) for one in frames]
    targets = [T[:, :3, 3] for T in poses] if options else poses
    found = solve(*targets)
    assert found.success.mean() >= least
    assert robot.limits.contains(found.q).all()
    referee = Referee(contact)
    bounds = kt.clearance(robot, contact.pairs, geometry="hull", each=True)(found.q)
    for i in np.flatnonzero(found.success):
        near = np.flatnonzero(bounds[i] < 0.05)  # the others are proved apart
        far = referee.distances(found.q[i], [contact.pairs[k] for k in near])
        assert (far > contact._margins[near] - 1e-6).all()
