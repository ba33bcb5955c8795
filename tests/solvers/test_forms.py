"""Solutions of an arm in closed form: all of them, without a search."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.solvers.ik import several
from random_arms import closed_form_arm


@pytest.mark.slow
def test_all_solutions_come_from_the_forms(monkeypatch):
    robot = closed_form_arm("wrist", limit=4.0)
    fk, ik = kt.fk(robot, "l7"), kt.ik(robot, "l7", tolerance=(1e-9, 1e-9))
    monkeypatch.setattr(several, "at_starts", None)
    T = fk(robot.limits.sample(4, seed=1))
    plain = ik.solutions(T)
    for found in (plain, ik.solutions(T, apart=1e-3)):
        assert (found.mask.sum(axis=1) >= 2).all()
        there = np.broadcast_to(T[:, None], (*found.mask.shape, 4, 4))[found.mask]
        assert np.abs(fk(found.q[found.mask]) - there).max() < 1e-9
        np.testing.assert_allclose(found.q, plain.q, atol=1e-6)
    for most in (1, 3, 11):
        some = ik.solutions(T, most=most)
        assert some.q.shape == (4, most, 6)
        np.testing.assert_array_equal(some.q[:, :8], plain.q[:, :most])
        np.testing.assert_array_equal(some.mask.sum(axis=1), np.minimum(plain.mask.sum(axis=1), most))
