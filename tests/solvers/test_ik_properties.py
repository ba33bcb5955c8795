"""What holds for every answer of inverse kinematics, on arms of 6 to 50 joints and at awkward targets: at singular
configurations, at limits, where the arm is already, turned by half a turn, and out of reach."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.compiler.kernel import Kernel
from kinetree.model.limits import limits_about
from kinetree.solvers.ik.make import WAY_DOWN
from kinetree.solvers.ik.problem import DESCENT_STEPS
from kinetree.solvers.ik.solver import IK
from random_arms import closed_form_arm, random_arm

pytestmark = pytest.mark.slow

ARMS = {
    "a wrist": (lambda: closed_form_arm("wrist"), "l7", None),
    "three parallel axes": (lambda: closed_form_arm("parallel"), "l7", None),
    "tendons": (lambda: kt.load("icub"), "l_hand", "chest"),
    "7 joints": (lambda: random_arm(7, seed=5), "l7", None),
    "9 of all kinds": (lambda: random_arm(9, seed=9, kinds="rcp"), "l9", None),
    "20 joints": (lambda: random_arm(20, seed=20), "l20", None),
    "50 joints": (lambda: random_arm(50, seed=50), "l50", None),
}
SLOW = ("three parallel axes", "7 joints", "9 of all kinds", "20 joints", "50 joints")
"""Those that take long to compile."""
DESCENTS = 512
"""More than usual: where all joints of an arm are at their limits, hardly a way leads to the target."""
MOST_STEPS = DESCENTS * DESCENT_STEPS + WAY_DOWN
"""Of a search, however far the target is."""
every_arm = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in ARMS]
)
asked = settings(max_examples=40, deadline=None, derandomize=True)
place = st.sampled_from(["lower", "upper", "middle", "zero", "quarter"]) | st.floats(0, 1)


@cache
def solver(name: str) -> tuple[kt.Robot, IK, Kernel]:
    make, frame, base = ARMS[name]
    robot = make()
    return robot, kt.ik(robot, frame, base, descents=DESCENTS), kt.fk(robot, frame, base)


def configuration(robot: kt.Robot, places: list) -> np.ndarray:
    """At ends of ranges, at round angles, and between; inside all limits."""
    lower, upper = np.clip(robot.limits.lower, -np.pi, None), np.clip(robot.limits.upper, None, np.pi)
    q = robot.q()
    for j in range(robot.nq):
        what = places[j % len(places)]
        known = {"lower": lower[j], "upper": upper[j], "middle": (lower[j] + upper[j]) / 2, "zero": 0.0}
        q[j] = lower[j] + what * (upper[j] - lower[j]) if isinstance(what, float) else known.get(what, np.pi / 2)
    return robot.limits.project(q)


def check(robot: kt.Robot, fk: Kernel, T: np.ndarray, result: kt.IKResult) -> None:
    """Inside, honest, and marked as solved exactly if it is."""
    assert robot.limits.contains(result.q)
    here = fk.interpret(result.q)
    metres = np.linalg.norm(T[:3, 3] - here[:3, 3])
    angle = Rotation.from_matrix(T[:3, :3] @ here[:3, :3].T).magnitude()
    assert result.residual == pytest.approx([metres, angle], abs=3e-8)
    assert result.success == (result.residual.max() <= 1e-6)
    assert result.iterations <= MOST_STEPS


@pytest.mark.sampled(3)
@every_arm
@asked
@given(places=st.lists(place, min_size=1, max_size=10))
def test_where_it_is_already(name, places):
    """Begun at the answer, it is the answer, to the bit, or what whole turns make of it."""
    robot, ik, fk = solver(name)
    q = configuration(robot, places)
    result = ik(fk(q), q0=q)
    check(robot, fk, fk(q), result)
    assert result.success
    assert result.iterations == 1
    if ik._nearest is None:
        np.testing.assert_array_equal(result.q, q)
    else:
        np.testing.assert_allclose(fk(result.q), fk(q), rtol=0, atol=1e-6)


@every_arm
@asked
@given(places=st.lists(place, min_size=1, max_size=10))
def test_singular_and_at_limits(name, places):
    """What an arm can do is found to be so, unless it is a corner of the limits that alone can do it."""
    robot, ik, fk = solver(name)
    q = configuration(robot, places)
    result = ik(fk(q))
    check(robot, fk, fk(q), result)
    at_limits = np.count_nonzero(robot.limits.margin(q)[limits_about(robot.limits, ik._problem.columns)] <= 0)
    assert result.success or at_limits > 3


@every_arm
@asked
@given(
    places=st.lists(place, min_size=1, max_size=10),
    axis=st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -2, 2)]),
    far=st.sampled_from([0.0, 1e-3, 0.3, 1.0, 100.0]),
)
def test_half_turns_and_out_of_reach(name, places, axis, far):
    """Seen from where it begins the target is turned by pi exactly, and moved."""
    robot, ik, fk = solver(name)
    q0 = configuration(robot, places)
    T = fk(q0)
    way = np.array(axis) / np.linalg.norm(axis)
    T[:3, :3] = (2 * np.outer(way, way) - np.eye(3)) @ T[:3, :3]
    T[:3, 3] += far * way
    result = ik(T, q0=q0)
    check(robot, fk, T, result)
    again = ik(T[None], q0=q0[None])
    np.testing.assert_array_equal(again.q[0], result.q)
    if far == 100.0:
        assert not result.success
        assert result.residual[0] > 50
