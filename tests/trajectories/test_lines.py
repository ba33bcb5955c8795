"""Paths of a frame in space: on lines and arcs by formulas, inside the tolerance and the limits between samples."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import kinetree as kt
from kinetree.motion import arc, line, poses, retime
from kinetree.spatial import se3
from kinetree.trajectories.reasons import check_inside
from reach_arms import ur5

GANTRY = kt.chain("tx(x) ty(y) tz(z) Rz(c) Ry(b) Rx(a)")
CELL = kt.chain(
    [
        {"joint": "turn", "axis": [0, 0, 1], "qlim": [-3, 3]},
        {"joint": "x", "type": "prismatic", "axis": [1, 0, 0], "qlim": [-2, 2], "parent": "base_link"},
        {"joint": "y", "type": "prismatic", "axis": [0, 1, 0], "qlim": [-2, 2]},
        {"joint": "wrist", "axis": [0, 0, 1], "qlim": [-3, 3]},
    ]
)
"""A table that turns, and a gantry beside it."""


def fine(path, n=100):
    """Return s with n steps in each piece of a path."""
    return np.unique(np.concatenate([np.linspace(*ends, n + 1) for ends in zip(path.s, path.s[1:], strict=False)]))


def off_line(T, start, end, share):
    """Return the largest distances, m and rad, of poses (n, 4, 4) from those at shares (n,) of a line, by SciPy."""
    p = start[:3, 3] + share[:, None] * (end - start)[:3, 3]
    R = Slerp([0, 1], Rotation.from_matrix([start[:3, :3], end[:3, :3]]))(share)
    angle = (R.inv() * Rotation.from_matrix(T[:, :3, :3])).magnitude()
    return np.linalg.norm(T[:, :3, 3] - p, axis=1).max(), angle.max()


def moved(T, step, rotation=(0.0, 0.0, 0.0)):
    """Return a pose moved by a step, m, and a rotation vector, rad, both in the axes of the base."""
    return se3.homogeneous(Rotation.from_rotvec(rotation).as_matrix() @ T[:3, :3], T[:3, 3] + step)


@pytest.mark.slow
def test_a_line_keeps_to_the_line_with_constant_angular_velocity():
    q0 = np.array([0.1, -0.2, 0.3, 0.4, 0.3, -0.2])
    start = kt.fk(GANTRY, "tip")(q0)
    end = moved(start, [0.3, -0.2, 0.4], [0.5, 0.8, -0.6])
    for tolerance in ((1e-4, 1e-3), (1e-7, 1e-6)):
        path = line(GANTRY, "tip", end, q0, tolerance=tolerance)
        assert path.s[-1] == pytest.approx(np.sqrt(0.29), abs=1e-12)
        assert np.abs(path(0.0) - q0).max() < 1e-12
        s = fine(path)
        off = off_line(kt.fk(GANTRY, "tip")(path(s)), start, end, s / path.s[-1])
        assert off[0] <= tolerance[0]
        assert off[1] <= tolerance[1]
    assert 16 < len(path.s) < 200


@pytest.mark.slow
def test_a_turn_on_the_spot_is_measured_in_radians():
    path = line(GANTRY, "tip", moved(np.eye(4), [0, 0, 0], [0, 0, -1.2]), GANTRY.zero)
    assert path.s[-1] == pytest.approx(1.2, abs=1e-12)
    np.testing.assert_allclose(path(0.7), [0, 0, 0, -0.7, 0, 0], atol=1e-7)


def test_an_arc_is_the_circle_through_three_points():
    centre, radius = np.array([0.2, 0.1, 0.3]), 0.5
    u, v = np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 0.0])
    q0 = np.r_[centre + radius * u, 0.0, 0.0, 0.0]
    via, last = (centre + radius * (np.cos(a) * u + np.sin(a) * v) for a in (2.0, 4.0))
    path = arc(GANTRY, "tip", via, moved(np.eye(4), last, [0, 0.5, 0]), q0)
    assert path.s[-1] == pytest.approx(4.0 * radius, abs=1e-12)
    s = fine(path)
    a = s[:, None] / radius
    wanted = centre + radius * (np.cos(a) * u + np.sin(a) * v)
    T = kt.fk(GANTRY, "tip")(path(s))
    assert np.linalg.norm(T[:, :3, 3] - wanted, axis=1).max() < 1e-4
    assert np.abs(T[:, 0, 2] - np.sin(0.5 * s / path.s[-1])).max() < 1e-3
    posed = arc(GANTRY, "tip", moved(np.eye(4), via, [1, 0, 0]), moved(np.eye(4), last, [0, 0.5, 0]), q0)
    assert np.array_equal(posed.coefficients, path.coefficients)  # the orientation of T_via does not count


@pytest.mark.slow
def test_a_motion_stops_at_corners_and_goes_through_dense_poses():
    square = np.array([moved(np.eye(4), [x, y, 0]) for x, y in ((0, 0), (0.2, 0), (0.2, 0.3))])
    path = poses(GANTRY, "tip", square, GANTRY.zero)
    np.testing.assert_allclose(path([0.0, 0.2, 0.35])[:, :2], [[0, 0], [0.2, 0], [0.2, 0.15]], atol=1e-9)
    motion = retime(path, acceleration=2.0, points=100)
    assert motion.times[-1] == pytest.approx(2 * np.sqrt(0.2 / 2) + 2 * np.sqrt(0.3 / 2), rel=1e-4)
    turning = [moved(np.eye(4), [x, 0, 0], [0, 0, a]) for x, a in ((0, 0), (0.2, 0), (0.4, 1))]
    path = poses(GANTRY, "tip", turning, GANTRY.zero)
    assert path([0.2 - 1e-9, 0.2], 1)[:, 3] == pytest.approx([0, 5], abs=1e-6)  # rad/m: a corner, too
    circle = np.array([moved(np.eye(4), [np.sin(a), 1 - np.cos(a), 0], [0, 0, a]) for a in np.linspace(0, 1, 41)])
    path = poses(GANTRY, "tip", circle, GANTRY.zero)
    motion = retime(path, acceleration=2.0, points=200)
    assert np.abs(motion.qd[1:-1]).max(axis=1).min() > 1e-3
    p = kt.fk(GANTRY, "tip")(path(fine(path)))[:, :2, 3] - (0, 1)
    assert np.abs(np.linalg.norm(p, axis=1) - 1).max() < 1e-4 + (1 / 40) ** 2 / 8  # the sagitta


@pytest.mark.slow
def test_a_line_on_a_table_that_turns():
    pose = kt.fk(CELL, "wrist_link", "turn_link")
    q0, q1 = np.array([0.3, 0.8, 0.2, -0.1]), np.array([1.3, 0.3, 0.6, 0.5])
    path = line(CELL, "wrist_link", pose(q1), q0, "turn_link")
    s = fine(path)
    off = off_line(pose(path(s)), pose(q0), pose(q1), s / path.s[-1])
    assert off[0] <= 1e-4
    assert off[1] <= 1e-3
    assert np.ptp(path(s), axis=0)[0] > 0.1  # the table turns, too
    still = line(CELL, "wrist_link", pose(q1), q0[1:], "turn_link", joints=["x", "y", "wrist"], at=q0)
    assert still.names == ("x", "y", "wrist")
    assert (
        off_line(
            kt.fk(still.robot, "wrist_link", "turn_link")(still(still.s)),
            pose(q0),
            pose(q1),
            np.linspace(0, 1, len(still.s)),
        )[0]
        < 1e-8
    )


@pytest.mark.slow
@pytest.mark.parametrize("coupled", [False, True])
def test_joints_that_reach_a_limit_do_not_leave_it_between_samples(coupled):
    """Two slides share a way until one of them stops, where a spline through samples would go on."""
    rows = [
        {"joint": name, "type": "prismatic", "axis": axis, "qlim": [-1, most]}
        for name, axis, most in (("x", [1, 0, 0], 0.1), ("more", [1, 0, 0], 1), ("y", [0, 1, 0], 1))
    ]
    if coupled:
        rows[0]["qlim"] = [-1, 1]
    arm = kt.chain(rows)
    if coupled:
        row = np.array([[1.0, 0.5]]), np.array([0.1]), ("row",)
        arm = kt.edit.add_limits(arm, [kt.limits.LinearLimits("set", ("x", "y"), *row, angular=False)])
    path = line(arm, "tip", moved(np.eye(4), [0.6, 0.1, 0]), arm.zero)
    check_inside(path)
    assert np.asarray(arm.limits.margin(path(fine(path)))).min() > -1e-9
    assert np.isclose(np.asarray(arm.limits.margin(path(path.s[-1]))), 0, atol=1e-6).any()
    retime(path, acceleration=1.0, points=100)


@pytest.mark.slow
def test_a_line_out_of_reach_says_how_far_it_goes():
    """Three links in the plane, the last of which points along the line: the others reach 0.6 m + 0.4 m."""
    arm = kt.chain("Rz(a) tx(0.6) Rz(b) tx(0.4) Rz(c) tx(0.1)")
    q0 = np.array([-0.5, 1.2, -0.7])
    start = kt.fk(arm, "tip")(q0)
    way = np.sqrt(1.0 - start[1, 3] ** 2) + 0.1 - start[0, 3]
    with pytest.raises(kt.KinetreeError, match="no solution was found") as caught:
        line(arm, "tip", moved(start, [0.9, 0, 0]), q0)
    with pytest.raises(kt.KinetreeError, match="no solution was found"):
        line(arm, "tip", moved(start, [way + 1e-3, 0, 0]), q0)
    found = re.search(r"for (\S+) of 0.9 m", str(caught.value))
    assert found
    assert float(found[1]) == pytest.approx(way, abs=1e-3)
    assert line(arm, "tip", moved(start, [way - 1e-4, 0, 0]), q0).s[-1] == pytest.approx(way - 1e-4)


def test_a_line_across_a_limit_names_a_start_that_goes_on():
    """Past pi, a joint from -3.2 to 3.2 rad has to begin at an angle that is a turn less."""
    arm = kt.chain([{"joint": "turn", "axis": [0, 0, 1], "qlim": [-3.3, 3.2]}])
    with pytest.raises(kt.KinetreeError) as caught:
        poses(arm, "tip", [moved(np.eye(4), [0, 0, 0], [0, 0, a]) for a in (3.1, 3.5)], [3.1])
    assert "another solution moves turn by" in str(caught.value)
    assert "turn upper" in str(caught.value)
    start = re.search(r"q0 with turn=(.*), rad or m, from which it goes to the end", str(caught.value))
    assert start
    assert float(start[1]) == pytest.approx(3.1 - 2 * np.pi, abs=1e-5)


def test_a_start_far_from_the_first_pose_is_an_error():
    T = [moved(np.eye(4), [x, 0, 0]) for x in (1.0, 1.1)]
    with pytest.raises(kt.KinetreeError, match="q0 is not at the first pose, nor near it"):
        poses(GANTRY, "tip", T, GANTRY.zero)
    assert poses(GANTRY, "tip", T, [0.9, 0.1, 0, 0, 0, 0])(0.0)[:2] == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: line(GANTRY, "tip", np.eye(4), GANTRY.zero), "poses 0 and 1, from 0, are the same"),
        (lambda: line(GANTRY, "tip", moved(np.eye(4), [1, 0, 0], [np.pi, 0, 0]), GANTRY.zero), "half a turn"),
        (lambda: line(GANTRY, "tip", np.eye(3), GANTRY.zero), r"a pose is an array \(4, 4\)"),
        (lambda: line(GANTRY, "tip", np.stack([np.eye(4)] * 2), GANTRY.zero), r"T_to has shape \(2, 4, 4\)"),
        (lambda: line(GANTRY, "tip", moved(np.eye(4), [1, 0, 0]), [0, 0]), "q0"),
        (lambda: line(GANTRY, "tip", moved(np.eye(4), [1, 0, 0]), GANTRY.zero * np.nan), "finite"),
        (lambda: line(GANTRY, "tap", np.eye(4), GANTRY.zero), "tap"),
        (lambda: line(GANTRY, "tip", moved(np.eye(4), [1, 0, 0]), GANTRY.zero, tolerance=(0, 1)), "tolerance"),
        (lambda: arc(GANTRY, "tip", [1, 0, 0], moved(np.eye(4), [2, 0, 0]), GANTRY.zero), "are on a line"),
        (lambda: arc(GANTRY, "tip", [np.nan, 0, 0], moved(np.eye(4), [2, 0, 0]), GANTRY.zero), "pose"),
        (lambda: poses(GANTRY, "tip", np.eye(4), GANTRY.zero), r"expected poses \(n, 4, 4\)"),
        (lambda: poses(GANTRY, "tip", np.stack([np.eye(4)] * 2), GANTRY.zero), "are the same"),
    ],
)
def test_what_is_no_way_is_an_error(make, message):
    with pytest.raises(kt.KinetreeError, match=message):
        make()


@pytest.mark.slow
def test_lines_of_an_arm_keep_to_the_line_or_stop_as_follow_does():
    """The whole was 300 lines."""
    arm, rng = ur5(), np.random.default_rng(4)
    fk, ik, done = kt.fk(arm, "tool0"), kt.ik(arm, "tool0"), []
    for q0 in arm.limits.sample(40, 5):
        start = fk(q0)
        step, turn = rng.normal(size=(2, 3))
        end = moved(start, step * rng.uniform(0.05, 0.3), turn * rng.uniform(0, 0.5))
        shares = np.linspace(0, 1, 2001)
        R = Slerp([0, 1], Rotation.from_matrix([start[:3, :3], end[:3, :3]]))(shares).as_matrix()
        targets = np.tile(start, (len(shares), 1, 1))
        targets[:, :3, :3], targets[:, :3, 3] = R, start[:3, 3] + shares[:, None] * (end - start)[:3, 3]
        followed = ik.follow(targets, q0=q0)
        try:
            path = line(arm, "tool0", end, q0)
        except kt.KinetreeError as error:
            if followed.success:  # over a jump that is smaller than its steps may be
                assert "jumps there by" in str(error)
                assert not ik.follow(targets, q0=q0, near=0.05).success
                continue
            found = re.search(r"for (\S+) of (\S+) m: (.*?);", str(error))
            assert found
            assert abs(float(found[1]) / float(found[2]) - (followed.count - 1) / 2000) < 2e-3
            reasons = ("no solution was found", "the closest configuration")
            # the one for a miss of less than follow can tell from rounding, which line comes to in smaller steps
            assert found[3].startswith(reasons)
            assert followed.why.partition(": ")[2].startswith(reasons)
            continue
        assert followed.success
        s = fine(path)
        off = off_line(fk(path(s)), start, end, s / path.s[-1])
        assert off[0] < 1e-4
        assert off[1] < 1e-3
        check_inside(path)
        done.append(len(path.s))
    assert 10 <= len(done) <= 35
    assert max(done) < 500
