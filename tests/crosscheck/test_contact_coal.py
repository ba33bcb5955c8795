"""Contact and distances of public robots, against coal (the collision library of Pinocchio)."""

import numpy as np
import pytest

import kinetree as kt
from coal_referee import Referee
from support import at_length, example_robot_urdfs

pytestmark = pytest.mark.crosscheck
pytest.importorskip("coal")

WORDS = ("panda_description/urdf/panda.urdf", "ur5_robot.urdf", "solo12.urdf", "g1_29dof_rev_1_0", "talos_full.urdf")
"""Robots; in `.ci/nightly` more configurations of each."""
CLOSE = 1e-6
"""Within so much of touching either answer is right, m."""


def robots():
    return [file for file in example_robot_urdfs() if any(word in str(file) for word in WORDS)]


@pytest.mark.parametrize("file", robots(), ids=lambda file: file.stem)
@pytest.mark.sampled(1)
def test_hulls(file):
    robot = kt.load(file)
    contact = kt.collisions(robot, geometry="hull")
    referee = Referee(contact)
    q = robot.limits.sample(at_length(12, 1000), seed=2)
    where, bounds = contact.where(q), kt.clearance(robot, geometry="hull", each=True)(q)
    found = contact.witness(q)
    for i, one in enumerate(q):
        near = np.flatnonzero(bounds[i] < 0.05)  # the others are proved apart; that is tested below
        far = referee.distances(one, [contact.pairs[k] for k in near])
        assert not where[i][near][far > CLOSE].any()
        assert where[i][near][far == 0].all()
        assert not where[i][np.setdiff1d(np.arange(len(contact.pairs)), near)].any()
        assert (bounds[i][near] <= far + 1e-9).all()
        if len(near) and found.distance[i] < 0.05:
            assert found.distance[i] == pytest.approx(far.min(), abs=CLOSE)
    for one in q[:2]:
        all_far = referee.distances(one, contact.pairs)
        assert (kt.clearance(robot, geometry="hull", each=True)(one) <= all_far + 1e-9).all()
        assert contact.distance(one) == pytest.approx(all_far.min(), abs=CLOSE)
    assert where.any(axis=1).mean() > 0 or "solo" in file.stem


@pytest.mark.parametrize(
    "file", [file for file in robots() if "ur5" in file.stem or "panda" in file.stem], ids=lambda file: file.stem
)
def test_meshes(file):
    robot = kt.load(file)
    contact = kt.collisions(robot)
    referee = Referee(contact)
    q = robot.limits.sample(at_length(25, 1000), seed=3)
    where, found = contact.where(q), contact.witness(q)
    for i, one in enumerate(q):
        far = referee.distances(one, contact.pairs)
        surfaces_meet = far <= 0
        assert where[i][surfaces_meet].all()  # and where they do not meet, one may be inside the other
        assert (found.distance[i] == 0) == where[i].any()
        if not where[i].any():
            assert found.distance[i] == pytest.approx(far.min(), abs=CLOSE)
