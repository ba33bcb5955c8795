"""URDF: read and written."""

import numpy as np
from support import frames_differ_by, icub_urdfs, random_q

import kinetree as kt
from kinetree.formats import urdf
from kinetree.model.assemble import build, parts_of


def test_an_edited_robot_is_written_and_read_back_the_same():
    rng = np.random.default_rng(1)
    paths = icub_urdfs()
    assert paths
    for path in paths:
        robot = kt.load(path)
        again, findings = urdf.read(urdf.write(build(parts_of(robot))), "again.urdf")
        assert again is not None, findings
        assert again.joint_names == robot.joint_names
        assert frames_differ_by(robot, again, random_q(robot, rng)) < 1e-12


def test_an_unedited_robot_is_written_back_to_the_letter():
    for path in icub_urdfs():
        assert urdf.write(kt.load(path)) == path.read_bytes().decode()
