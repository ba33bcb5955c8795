"""`kt.margin` against `robot.limits.margin`, its definition."""

import numpy as np
import pytest

import kinetree as kt
from physics import everything


@pytest.mark.slow
def test_it_is_the_definition_without_what_has_no_limit():
    robot = kt.load("icub", limits="tendons")
    kernel, limits = kt.margin(robot), robot.limits
    q = np.random.default_rng(0).uniform(-3, 3, (200, robot.nq))
    defined = limits.margin(q)
    kept = np.isfinite(defined[0])
    assert np.abs(kernel(q) - defined[:, kept]).max() < 1e-14
    assert kernel.output.labels == tuple(np.array(limits.names)[kept])
    assert np.abs(kernel(q, dtype="single") - defined[:, kept]).max() < 1e-5
    out = np.empty((200, kept.sum()))
    assert kernel(q, out=out) is out
    assert ((kernel(q) >= 0).all(axis=-1) == limits.contains(q)).all()


@pytest.mark.slow
def test_other_limits_are_another_kernel():
    one, other = kt.load("icub", limits="tendons"), kt.load("icub", limits="ikin")
    assert kt.margin(one) is kt.margin(one)
    assert kt.margin(one).output.labels != kt.margin(other).output.labels
    q = one.q()
    assert kt.margin(one)(q).min() != kt.margin(other)(q).min()


def test_joints_of_several_numbers_and_robots_without_limits():
    robot = everything()
    limits = robot.limits
    q = np.random.default_rng(1).uniform(-1, 1, (5, robot.nq))
    defined = limits.margin(q)
    assert np.abs(kt.margin(robot)(q) - defined[:, np.isfinite(defined[0])]).max() < 1e-14
    with pytest.raises(kt.KinetreeError, match="has no limits"):
        kt.margin(kt.load('<robot name="r"><link name="a"/></robot>', format="urdf"))
