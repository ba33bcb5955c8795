"""What a search for inverse kinematics begins with, on both sides of its thresholds, and derivatives by hand."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.model.limits import LinearLimits
from kinetree.solvers.ik.implicit import replaced
from solvers.test_soft_goals import slides

TURN = {"joint": "turn", "axis": [0, 0, 1]}
SLIDE = {"joint": "slide", "type": "prismatic", "axis": [1, 0, 0]}


def problem(*joints):
    robot = kt.chain([{**joint, "joint": f"q{i}"} for i, joint in enumerate(joints)])
    return kt.ik(robot, [*robot.links][-1], goal="position")._problem


@each(
    "joint, ends, first, last",
    [
        (TURN, (-1.0, 0.5), -1.0, 0.5),
        (TURN, (-6.2, 6.2), -6.2, 6.2),  # two turns are 12.566 rad
        (TURN, (-6.3, 6.3), -np.pi, np.pi),
        (TURN, (1.0, 20.0), 1.0, 1.0 + 2 * np.pi),
        (TURN, (-20.0, -1.0), -1.0 - 2 * np.pi, -1.0),
        (SLIDE, (-49.0, 50.0), -49.0, 50.0),
        (SLIDE, (-50.5, 50.0), -1.0, 1.0),
        (SLIDE, (3.0, 200.0), 3.0, 5.0),
    ],
)
def test_starts_are_within_a_range_or_near_zero_if_it_is_wide(joint, ends, first, last):
    found = problem(
        {"joint": "a", "axis": [0, 1, 0]},
        {**joint, "xyz": [0.5, 0, 0], "qlim": list(ends)},
        {"xyz": [0.3, 0.2, 0], **TURN},
    )
    np.testing.assert_allclose([found.first[1], found.last[1]], [first, last], atol=1e-12)


def test_one_slide_without_near_ends_is_enough_for_long_ways():
    near, far = {**SLIDE, "qlim": [-49.0, 50.0]}, {**SLIDE, "qlim": [-51.0, 50.0]}
    wide = {**TURN, "qlim": [-9.0, 9.0]}
    assert [problem(*joints).is_far for joints in ((near, near), (near, far), (far, near), (wide, near))] == [
        False,
        True,
        True,
        False,
    ]
    assert problem(near, far, wide).strides.tolist() == [1.0, np.inf, 1.0]


def test_centres_are_inside_the_rows_over_joints_that_stand_elsewhere():
    """q1 + q3 <= 0.5, and q2 - q3 <= 0.5, of which the search moves q1 and q2."""
    joints = [{"joint": f"q{i}", "axis": [0, 0, 1], "xyz": [1, 0, 0], "qlim": [-2, 2]} for i in (1, 2, 3)]
    rows = LinearLimits(
        "rows", ("q1", "q2", "q3"), np.array([[1.0, 0, 1], [0, 1, -1]]), np.array([0.5, 0.5]), ("a", "b"), angular=False
    )
    robot = kt.edit.add_limits(kt.chain(joints), [rows])
    ik = kt.ik(robot, "q2_link", goal="position")
    q = robot.limits.sample(200, seed=0)
    _, h, centers, _ = ik._inside.begin(ik._problem, q)
    G = ik._problem.G
    assert centers.shape == (200, 2)
    assert (h - centers @ G.T > -1e-12).all()
    assert (np.abs(centers) <= 2.0).all()
    assert (np.linalg.norm(centers - q[:, :2], axis=1) > 1e-9).mean() > 0.9


def test_a_joint_at_its_limit_stands_in_derivatives():
    """q1 + q2 = p: the part of each is a half, and of q2 alone where q1 is at its end."""
    solve = kt.ik(slides((-5, 0.2), (-5, 5)), [kt.goal.position("tip")])
    for start, expected in (([0.1, 0.9], [0.5, 0.5]), ([0.2, 0.8], [0.0, 1.0])):
        result = solve([1.0, 0.0, 0.0], q0=start)
        np.testing.assert_allclose(result.q, start, atol=1e-9)
        np.testing.assert_allclose(solve.derivatives(result, [1.0, 0.0, 0.0])["tip"][:, 0], expected, atol=1e-9)


@pytest.mark.slow
def test_a_curved_goal_bends_the_derivative():
    """x + cos a = p, and a posture r: f = (p - cos a - r1) sin a + a - r2 = 0 at the least distance."""
    robot = kt.chain([SLIDE, {**TURN}, {"joint": "end", "type": "fixed", "xyz": [1, 0, 0]}])
    goals = [kt.goal.position("end_link", free=("y", "z")), kt.goal.posture([0.2, 0.6], weight=1.0)]
    solve = kt.ik(robot, goals)
    p = np.array([1.5, 0.0, 0.0])
    result = solve(p)
    x, a = result.q
    off = p[0] - np.cos(a) - 0.2
    assert abs(off * np.sin(a) + a - 0.6) < 1e-6
    assert abs(x + np.cos(a) - p[0]) < 1e-6
    bend = off * np.cos(a) + np.sin(a) ** 2 + 1.0
    by_p, by_posture = -np.sin(a) / bend, np.array([np.sin(a), 1.0]) / bend
    by = solve.derivatives(result, p)
    np.testing.assert_allclose(by["end_link"][:, 0], [1.0 + np.sin(a) * by_p, by_p], atol=1e-7)
    np.testing.assert_allclose(by["posture"], [np.sin(a) * by_posture, by_posture], atol=1e-7)


def test_targets_that_are_not_reached_are_zero_in_derivatives():
    success = np.array([True, False])
    T, p = np.full((2, 4, 4), 3.0), np.full((2, 3), np.nan)
    found = replaced(np.where, success, [T, p], [(4, 4), (3,)])
    assert [x.shape for x in found] == [(2, 4, 4), (2, 3)]
    assert (found[0][0] == 3.0).all()
    assert np.isnan(found[1][0]).all()
    assert not found[0][1].any()
    assert not found[1][1].any()
