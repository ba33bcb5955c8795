"""Inverse kinematics with closed loops, against the forward kinematics of the closed robot and closed forms."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import kinetree as kt
from linkages import LEG_DRIVEN, cassie_leg, closed, delta, fourbar, gripper, slider

SITE = '<site name="pen" pos="0.15 0.1 0"/>'
BARS = kt.load(fourbar(hand=SITE), format="mjcf")
X = np.linspace(-3, 3, 13)[:, None]


@pytest.fixture(scope="module")
def pen():
    return kt.ik(BARS, "pen", goal="position", driven=["crank"]), kt.fk(BARS, "pen", driven=["crank"])


@pytest.mark.slow
def test_a_four_bar_reaches_what_its_crank_reaches(pen):
    solve, fk = pen
    p = fk(X)[:, :3, 3]
    found = solve(p)
    assert found.success.all()
    np.testing.assert_allclose(fk(found.q[:, :1])[:, :3, 3], p, rtol=0, atol=2e-6)
    np.testing.assert_allclose(kt.fk(BARS, "pen")(found.q)[:, :3, 3], p, rtol=0, atol=2e-6)
    turns = found.q - closed(np.pi / 2 + found.q[:, 0])  # Freudenstein's equation
    np.testing.assert_allclose(turns - 2 * np.pi * np.round(turns / (2 * np.pi)), 0, atol=1e-9)
    np.testing.assert_allclose(kt.kinematics.loop_error(BARS)(found.q), found.gap, atol=1e-15)
    assert found.gap.shape == (13, 1, 2)
    assert found.gap.max() < 1e-12
    assert np.abs(found.q[:, 0]).max() <= np.pi
    one = solve(p[2])
    np.testing.assert_array_equal(one.q, found.q[2])
    assert one.success is True
    assert one.iterations == found.iterations[2]
    start = found.q[5]
    begun = solve(p[5], q0=start)
    np.testing.assert_allclose(begun.q, start, atol=1e-6)
    assert begun.iterations == 0


@pytest.mark.slow
def test_the_branch_is_that_of_the_start(pen):
    solve, fk = pen
    start = np.array([0.0, *closed(np.pi / 2, -1.0)[1:]])
    p = fk([0.4], q0=start)[:3, 3]
    found = solve(p, q0=start)
    assert found.success
    turns = (found.q - closed(np.pi / 2 + found.q[0], -1.0)) / (2 * np.pi)
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-9)
    assert np.linalg.norm(solve(fk([0.4], q0=start)[:3, 3]).residual) > 1e-3  # not on the other branch


@pytest.mark.slow
def test_out_of_reach_it_is_closed_and_near_the_closest_point(pen):
    solve, fk = pen
    for off in ([0.05, 0, 0], [0, 0.2, 0], [0, 0, 0.2]):
        p = fk([0.7])[:3, 3] + off

        def cost(x, p=p):
            return np.sum((fk(x)[:3, 3] - p) ** 2)

        found = solve(p)
        assert not found.success
        assert found.gap.max() < 1e-9
        np.testing.assert_allclose(found.residual[0] ** 2, cost(found.q[:1]), rtol=1e-9)
        least = min((cost([x]), x) for x in np.linspace(-np.pi, np.pi, 361))
        best = minimize(cost, [least[1]], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-16}).fun
        assert found.residual[0] ** 2 <= best * (1 + 1e-4)


@pytest.mark.slow
def test_what_cannot_close_or_is_wrong_says_so(pen):
    solve, fk = pen
    link = '<body name="{0}" pos="{1} 0 0"><joint name="{0}"/><geom size="0.1"/>'.format
    links = f"{link('crank', 0)}{link('coupler', 1)}</body></body>{link('rocker', 3)}</body>"
    pin = '<equality><connect body1="coupler" body2="rocker" anchor="0.5 1 0"/></equality>'
    swing = kt.load(f"<mujoco><worldbody>{links}</worldbody>{pin}</mujoco>", format="mjcf")  # up to crank = 1.32
    reach = kt.ik(swing, "coupler", goal="position", driven=["crank"])
    found = reach([np.cos(1.0), np.sin(1.0), 0.0], q0=[2.5, 0.0, 0.0])
    assert not found.success
    assert found.gap[0, 0] > 0.1
    np.testing.assert_allclose(found.gap, kt.kinematics.loop_error(swing)(found.q))
    assert reach([np.cos(1.0), np.sin(1.0), 0.0]).success
    edge = reach([np.cos(1.5), np.sin(1.5), 0.0])
    assert not edge.success
    assert edge.gap.max() < 1e-9
    np.testing.assert_allclose(edge.q[0], 1.32347, atol=2e-3)
    many = solve(np.array([fk([0.3])[:3, 3], [np.nan, 0, 0]]))
    assert many.success.tolist() == [True, False]
    assert np.isnan(many.residual[1]).all()
    np.testing.assert_allclose(many.q[1], BARS.zero, atol=1e-9)
    for options, message in (
        ({"driven": ["crank"], "clearance": 0.1}, "closed loops need hard goals without clearance"),
        ({"loops": "closed"}, "driven is missing"),
        ({"driven": ["crank"], "loops": "ignore"}, "driven= closes them"),
        ({"loops": "open"}, "expected one of 'refuse', 'ignore', 'closed'"),
        ({"driven": ["crank"], "joints": ["crank"], "at": "input"}, "at='input' and driven="),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            kt.ik(BARS, "pen", **options)
    with pytest.raises(kt.KinetreeError, match="closed loops need hard goals"):
        kt.ik(BARS, [kt.goal.position("pen", weight=1.0)], driven=["crank"])
    with pytest.raises(kt.KinetreeError, match="q0"):
        solve(np.zeros((3, 3)), q0=np.zeros((2, 3)))


@pytest.mark.slow
def test_limits_of_joints_that_follow_count():
    ends = 'range="-0.2 0.2" limited="true"'
    bars = kt.load(fourbar(hand=SITE).replace('"rocker" axis="0 0 1" ', f'"rocker" axis="0 0 1" {ends}'), format="mjcf")
    np.testing.assert_allclose(bars.limits.upper[2], 0.2)
    solve, fk = kt.ik(bars, "pen", driven=["crank"]), kt.fk(bars, "pen", driven=["crank"])
    rocker = closed(np.pi / 2 + X[:, 0])[:, 2]
    inside = np.abs(rocker - 2 * np.pi * np.round(rocker / (2 * np.pi))) <= 0.2
    assert 2 < inside.sum() < 11
    found = solve(fk(X))
    np.testing.assert_array_equal(found.success, inside)
    assert (bars.limits.margin(found.q)[:, [2, 5]] >= -1e-8).all()
    assert found.gap.max() < 1e-9


@pytest.mark.slow
@pytest.mark.nightly
def test_a_delta_a_gripper_a_slider_and_a_leg():
    """Balls, free plates and several loops; what moves is what is driven and what follows."""
    for text, kind, frame, driven, goal, far in (
        (delta(), "mjcf", "plate", ["arm0", "arm1", "arm2"], "position", 0.6),
        (gripper(), "mjcf", "left_finger", ["right_drive"], "pose", 0.5),
        (slider(), "sdf", "rod", ["turn"], "pose", 1.0),
        (cassie_leg(), "mjcf", "foot", LEG_DRIVEN[1:], "position", 0.2),
    ):
        robot = kt.load(text, format=kind)
        close = kt.kinematics.close(robot, driven)
        columns = list(close.roles.columns)
        rng = np.random.default_rng(0)
        x = close.start[columns] + rng.uniform(-far, far, (30, len(columns)))
        closed_at = close(x)
        x = x[closed_at.success & (robot.limits.margin(closed_at.q) >= 0).all(axis=-1)]
        assert len(x) >= 10
        base = robot.root if frame != "foot" else "pelvis"
        fk = kt.fk(robot, frame, base, driven=driven)
        T = fk(x)
        solve = kt.ik(robot, frame, base, goal=goal, driven=driven)
        found = solve(T if goal == "pose" else T[:, :3, 3])
        assert found.success.all(), frame
        here = fk(found.q[:, columns])
        np.testing.assert_allclose(here[:, :3, 3], T[:, :3, 3], rtol=0, atol=2e-6)
        if goal == "pose":
            turns = Rotation.from_matrix(here[:, :3, :3].swapaxes(-1, -2) @ T[:, :3, :3]).magnitude()
            assert turns.max() < 2e-6
        assert kt.kinematics.loop_error(robot)(found.q).max() < 1e-9
        assert (robot.limits.margin(found.q) >= -1e-8).all()
        if close.held and frame == "foot":
            np.testing.assert_allclose(found.q[:, robot.q_slices["base"]], 0 * found.q[:, :7] + close.start[:7])


def carried(at, lift):
    """The four-bar on an arm whose two joints are no part of its loop, and q0 (…, 5)."""
    text, body = fourbar(hand=SITE), '<body name="{0}" pos=".1 0 0"><joint name="{0}" {1}/><geom size=".01"/>'.format
    inner = text.split("worldbody>")[1].removesuffix("</")
    arms = body("arm", 'axis="0 1 0"') + body("lift", 'type="slide"') + inner + "</body></body>"
    robot = kt.load(text.replace(inner, arms), format="mjcf")
    return robot, robot.q(arm=at, lift=lift, coupler=0, rocker=0, crank=0)


@pytest.mark.slow
def test_joints_outside_of_the_loops_stay_where_the_start_has_them():
    bars, start = carried(0.7, 0.4)
    solve, fk = kt.ik(bars, "pen", goal="position", driven=["crank"]), kt.fk(bars, "pen", driven=["crank"])
    starts = np.array([start, bars.zero])
    p = fk([0.6], q0=starts)[:, :3, 3]
    found = solve(p, q0=starts)
    assert found.success.all()
    np.testing.assert_allclose(kt.fk(bars, "pen")(found.q)[:, :3, 3], p, rtol=0, atol=2e-6)
    np.testing.assert_array_equal(found.q[:, :2], starts[:, :2])
    np.testing.assert_array_equal(solve(p[0], q0=start).q, found.q[0])
    assert not solve(p[0]).success  # the arm is at zero
    assert solve(p[1]).success


def test_what_closed_loops_have_and_what_not(pen):
    solve, fk = pen
    p = fk(X[:2])[:, :3, 3]
    assert solve.reachable(p).tolist() == [True, True]
    assert solve.reachable([9.0, 0.0, 0.0]) is False
    assert solve.coordinate_names == ("crank", "coupler", "rocker")
    assert [goal.kind for goal in solve.goals] == ["position"]
    assert solve.limits.contains(solve(p).q).all()
    none = solve(p[:0])
    assert (none.q.shape, none.success.shape, none.gap.shape) == ((0, 3), (0,), (0, 1, 2))
    np.testing.assert_array_equal(solve(p, near=None, prefer=None, at=None, threads=1, progress=False).q, solve(p).q)
    for name, call in (
        ("near", lambda: solve(p, q0=BARS.zero, near=0.3)),
        ("threads", lambda: solve(p, threads=2)),
        ("step", lambda: solve.step(BARS.zero, p[0], dt=0.1)),
        ("solutions", lambda: solve.solutions(p)),
        ("follow", lambda: solve.follow(p, q0=BARS.zero)),
        ("derivatives", lambda: solve.derivatives(solve(p), p)),
    ):
        with pytest.raises(kt.KinetreeError, match=f"{name} is not computed for closed loops"):
            call()
    with pytest.raises(TypeError, match="nearer is no option of a call"):
        solve(p, nearer=0.3)
    with pytest.raises(AttributeError, match="ClosedIK has no attribute 'walk'"):
        _ = solve.walk
    assert repr(solve) == "ClosedIK: position of pen in world, by crank"
