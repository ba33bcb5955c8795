"""Sequences of targets that are followed: each configuration near the one before, or a stop that says why."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from support import example_robot_urdfs

PLANAR = [{"a": 0.4, "velocity": 1.0}, {"a": 0.3, "velocity": 2.0}]


@pytest.fixture(scope="module")
def arm() -> kt.Robot:
    return kt.chain(PLANAR, convention="dh")


@pytest.fixture(scope="module")
def ik(arm):
    return kt.ik(arm, "tip", goal="position")


def line(start, end, n=21):
    return np.linspace([*start, 0.0], [*end, 0.0], n)


def elbow(p):
    """Both angles of an elbow (law of cosines), for the elbow on the right."""
    r2 = p[..., 0] ** 2 + p[..., 1] ** 2
    q2 = np.arccos((r2 - 0.4**2 - 0.3**2) / (2 * 0.4 * 0.3))
    return np.stack([np.arctan2(p[..., 1], p[..., 0]) - np.arctan2(0.3 * np.sin(q2), 0.4 + 0.3 * np.cos(q2)), q2], -1)


def test_a_line_is_followed_on_the_branch_of_its_start(ik):
    p = line((0.6, 0.0), (0.3, 0.4))
    for sign in (1, -1):
        both = elbow(p * [1, sign, 1]) * sign  # the mirror image is the other branch
        path = ik.follow(p, q0=both[0])
        np.testing.assert_allclose(path.q, both, atol=1e-5)
        assert (path.success, path.count, path.why) == (True, 21, "")
        assert path.reached.all()
        assert not path.lags.any()
        assert np.isnan(path.start).all()
        assert path.start_count == 0
        assert repr(path) == "IKPath: follows 21 samples"


def test_out_of_reach_it_stops_and_says_so(ik):
    p = line((0.6, 0.0), (0.8, 0.0))
    path = ik.follow(p, q0=elbow(p[0]), near=0.6)
    assert not path.success
    assert path.count == 11  # 0.7 m is as far as it goes
    np.testing.assert_allclose(path.q[:11], elbow(np.minimum(p[:11], 0.7 - 1e-9)), atol=3e-3)
    assert np.isnan(path.q[11:]).all()
    assert path.why == "sample 11: no solution was found; the closest configuration is 0.01 m and 0 rad off"
    np.testing.assert_allclose(path.residual[11], [0.01, 0.0], atol=1e-6)
    assert np.isnan(path.residual[12:]).all()
    assert path.start_count == 0
    assert repr(path) == "IKPath: stops at sample 11 of 21"


@pytest.mark.slow
def test_softly_it_lags_where_it_must(ik):
    p = np.r_[line((0.6, 0.0), (0.72, 0.0), 13), line((0.71, 0.0), (0.6, 0.0), 12)]
    path = ik.follow(p, q0=elbow(p[0]), near=0.6, soft=0.025)
    assert path.success
    late = p[:, 0] > 0.7 + 1e-6
    np.testing.assert_array_equal(path.lags, late)
    np.testing.assert_allclose(path.residual[late, 0], p[late, 0] - 0.7, atol=1e-6)
    assert repr(path) == f"IKPath: follows 25 samples, {late.sum()} samples late"
    assert ik.follow(p, q0=elbow(p[0]), near=0.6, soft=0.015).count == np.argmax(p[:, 0] > 0.716)


def test_joints_keep_their_velocity_limits(ik):
    p = line((0.5, 0.2), (0.45, 0.3))
    q = elbow(p)
    fastest = (np.abs(np.diff(q, axis=0)) / [1.0, 2.0]).max()
    path = ik.follow(p, q0=q[0], dt=1.01 * fastest)
    assert path.success
    assert (np.abs(np.diff(path.q, axis=0)) <= 1.01 * fastest * np.array([1.0, 2.0])).all()
    stopped = ik.follow(p, q0=q[0], dt=0.9 * fastest)
    assert not stopped.success
    assert "another solution moves" in stopped.why
    late = ik.follow(p, q0=q[0], dt=0.9 * fastest, soft=0.05)
    assert late.success
    assert late.lags.any()
    steps = np.abs(np.diff(np.r_[[q[0]], late.q], axis=0))
    assert (steps <= 0.9 * fastest * np.array([1.0, 2.0])).all()


@pytest.mark.slow
def test_another_start_is_named():
    arm = kt.chain([{"a": 0.4, "limits": (-3.1, 3.1)}, {"a": 0.3, "limits": (-2.5, 0.9)}], convention="dh")
    ik, p = kt.ik(arm, "tip", goal="position"), line((0.65, 0.05), (0.3, 0.3))
    path = ik.follow(p, q0=elbow(p[0]))  # its elbow closes to more than 0.9
    assert 0 < path.count < 21
    assert "at q2 upper; another solution moves" in path.why
    assert path.start_count == 21
    again = ik.follow(p, q0=path.start)
    assert again.success
    np.testing.assert_allclose(again.q[0], path.start, atol=1e-6)
    assert (again.q[:, 1] < 0).all()


def test_a_start_elsewhere_stops_at_once_and_gets_another(ik):
    p = line((0.6, 0.0), (0.3, 0.4))
    path = ik.follow(p, q0=np.add(elbow(p[0]), [1.0, 0.0]))
    assert path.count == 0
    assert path.why.startswith("sample 0: the closest configuration is ")
    assert "another solution moves" in path.why
    np.testing.assert_allclose(path.start, elbow(p[0]), atol=1e-5)
    assert path.start_count == 21


def test_sequences_are_those_of_each_alone(ik):
    p = np.stack([line((0.6, 0.0), (0.3, 0.4)), line((0.6, 0.0), (0.8, 0.0)), line((0.5, 0.1), (0.5, 0.3))], axis=1)
    p[7, 2] = np.nan
    q0 = elbow(p[0])
    paths = ik.follow(p, q0=q0, near=0.6)
    assert paths.q.shape == (21, 3, 2)
    np.testing.assert_array_equal(paths.count, [21, 11, 7])
    np.testing.assert_array_equal(paths.success, [True, False, False])
    assert paths.why.shape == (3,)
    assert paths.why[2] == "sample 7: the target is not finite, or no pose"
    assert repr(paths) == "IKPath of 3 sequences: 1 followed"
    assert ik.follow(p[:, 2], q0=q0[2], soft=9.0).count == 7  # however far it may lag
    single = ik.follow(p[:, 0].astype(np.float32), q0=q0[0].astype(np.float32))
    assert single.q.dtype == np.float32
    assert single.success
    for i in range(2):
        alone = ik.follow(p[:, i], q0=q0[i], near=0.6)
        np.testing.assert_allclose(paths.q[:, i], alone.q, atol=1e-12)
        assert alone.why == paths.why[i]
    same = ik.follow(p[:, 0], q0=q0[:2])  # one sequence from two starts
    assert same.q.shape == (21, 2, 2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"dt": 0.0}, "dt is 0.0; expected a finite number above 0, s"),
        ({"soft": -1}, "soft is -1; expected a finite number above 0, m"),
        ({"near": 0}, "near is 0"),
        ({"q0": [0.1]}, "q0"),
        ({"q0": [[0.1, 0.2]] * 3}, r"targets are \(21, 2\) and q0 is \(3,\); expected samples in a first axis"),
    ],
)
def test_what_is_refused(ik, options, said):
    p = np.stack([line((0.6, 0.0), (0.3, 0.4))] * 2, axis=1)
    with pytest.raises(kt.KinetreeError, match=said):
        ik.follow(p, **({"q0": [0.1, 0.2]} | options))
    with pytest.raises(kt.KinetreeError, match="expected samples in a first axis"):
        ik.follow(p[0, 0], q0=[0.1, 0.2])


def example(stem: str) -> kt.Robot:
    return next(path for path in example_robot_urdfs() if path.stem == stem)


@pytest.mark.slow
@pytest.mark.nightly
def test_lines_of_a_ur5_are_followed_where_a_graph_of_all_solutions_has_a_way():
    robot, n, samples = kt.load(example("ur5_robot")), 300, 101
    fk, ik = kt.fk(robot, "tool0"), kt.ik(robot, "tool0")
    q0 = robot.limits.sample(n, seed=7) * 0.5
    T = np.repeat(fk(q0)[None], samples, axis=0)
    T[:, :, :3, 3] += np.linspace(0, 1, samples)[:, None, None] * np.random.default_rng(1).uniform(-0.2, 0.2, (n, 3))
    path, every = ik.follow(T, q0=q0), ik.solutions(T, most=8)
    can, own, anywhere = ik.reachable(T).all(axis=0), np.zeros(n, bool), np.zeros(n, bool)
    for k in range(n):
        for found, starts in ((own, q0[k, None]), (anywhere, every.q[0, k][every.mask[0, k]])):
            here = starts
            for i in range(1, samples):
                there = every.q[i, k][every.mask[i, k]]
                off = there[:, None] - here[None]
                off = np.abs(off - 2 * np.pi * np.round(off / (2 * np.pi))).max(axis=-1)
                here = there[(off < 0.3).any(axis=1)]
            found[k] = len(here) > 0
    assert (own & can).sum() > 150
    assert (anywhere & ~own).sum() > 30
    np.testing.assert_array_equal(path.success, own & can)
    np.testing.assert_array_equal((path.start_count == samples) | path.success, anywhere & can)
    good = path.q[:, path.success]
    assert np.abs(np.diff(good, axis=0)).max() <= 0.3
    assert np.abs(fk.interpret(good) - T[:, path.success]).max() < 3e-6
    named = ~path.success & (path.start_count == samples)
    again = ik.follow(T[:, named], q0=path.start[named])
    assert again.success.all()
    assert all("another solution moves" in text for text in path.why[named])


@pytest.mark.slow
@pytest.mark.parametrize("reach", [0.15, 0.45])
@pytest.mark.sampled(1)
def test_a_thousand_frames_of_a_humanoid(reach):
    """Feet that stand, hands on curves of this size, m: exact until it stops, or at most 10 mm late."""
    robot, n = kt.load(example("g1_29dof_rev_1_0"), floating=True), 1000
    frames = ["left_ankle_roll_link", "right_ankle_roll_link", "left_rubber_hand", "right_rubber_hand"]
    bent = {"hip_pitch": -20, "knee": 40, "ankle_pitch": -20, "elbow": 60}
    angles = {name: x for name in robot.joint_names for part, x in bent.items() if part in name}
    q0 = robot.limits.project(robot.q(angles, unit="deg"))
    fk, ik = kt.fk(robot, frames), kt.ik(robot, frames)
    t, T = np.linspace(0, 2 * np.pi, n), np.repeat(fk(q0)[None], n, axis=0)
    for hand, side in ((2, 1.0), (3, -1.0)):
        T[:, hand, :3, 3] += reach * np.stack([np.sin(3 * t), 0.8 * side * np.sin(4 * t), np.sin(5 * t)], axis=-1)
        turn = Rotation.from_rotvec(2 * reach * np.stack([np.sin(2 * t), np.sin(3 * t), side * np.sin(t)], axis=-1))
        T[:, hand, :3, :3] = turn.as_matrix() @ T[0, hand, :3, :3]
    for soft in (None, 0.01):
        path = ik.follow(T, q0=q0, near=0.4, soft=soft)
        assert path.success == (reach < 0.4)
        q = path.q[: path.count]
        d = kt.dynamics.difference(robot)(q[:-1], q[1:])
        assert max(np.abs(d[:, 6:]).max(), *(np.linalg.norm(d[:, i : i + 3], axis=1).max() for i in (0, 3))) <= 0.4
        off = np.abs(fk.interpret(q) - T[: path.count])
        assert off[path.reached[: path.count]].max() < 3e-6
        assert off[..., :3, 3].max() < (3e-6 if soft is None else 0.01)
        assert (path.why == "") == path.success


@pytest.mark.slow
@pytest.mark.nightly
def test_soft_goals_and_clearance_are_followed(arm):
    icub = kt.load("icub")
    q0 = icub.q({"l_elbow": 60, "l_shoulder_roll": 40}, unit="deg")
    p = kt.fk(icub, "l_hand")(q0)[:3, 3] + np.linspace(0, 1, 30)[:, None] * [-0.05, 0.05, 0.1]
    goals = [kt.goal.position("l_hand", weight=3.0), kt.goal.posture(q0, weight=0.01)]
    path = kt.ik(icub, goals).follow(p, q0=q0, near=0.1)
    assert path.success
    assert np.abs(np.diff(path.q, axis=0)).max() <= 0.1
    assert np.abs(kt.fk(icub, "l_hand").interpret(path.q)[:, :3, 3] - p).max() < 0.01
    ik = kt.ik(icub, "l_hand", goal="position", clearance=0.01)
    into = np.linspace(p[0], kt.fk(icub, "chest")(q0)[:3, 3], 60)
    path = ik.follow(into, q0=q0)
    assert not path.success
    assert not ik.contact(path.q[: path.count]).any()
    assert path.why


def test_soft_goals_stop_where_hard_ones_are_missed_and_empty_sequences_are_followed(ik):
    solve = kt.ik(kt.chain(PLANAR, convention="dh"), [kt.goal.position("tip"), kt.goal.posture(weight=0.1)])
    p = line((0.6, 0.0), (0.8, 0.0))
    path = solve.follow(p, q0=elbow(p[0]), near=0.6)
    assert path.count == 11
    assert path.why == "sample 11: no solution was found; the closest configuration is 0.01 m and 0 rad off"
    for n, batch in ((0, (2,)), (3, (0,))):
        none = ik.follow(np.zeros((n, *batch, 3)), q0=[0.1, 0.2])
        assert none.q.shape == (n, *batch, 2)
        assert none.start.shape == (*batch, 2)


def test_html_of_several_sequences_says_how_far_each_is_followed(ik):
    starts = np.array([[0.2, 0.5], [0.1, 0.4]])
    p = kt.fk(kt.chain(PLANAR, convention="dh"), "tip")(starts)[:, :3, 3]
    way = np.stack([p + 0.001 * k * np.array([[1, 0, 0], [1000, 0, 0]]) for k in range(3)])
    path = ik.follow(way, q0=starts)
    assert path.count.tolist() == [3, 1]
    page = path._repr_html_()
    rows = re.findall(r"<tr>(.*?)</tr>", page)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    assert cells[0] == ["index", "followed", "from another start"]
    assert [row[:2] for row in cells[1:]] == [["0", "3"], ["1", "1"]]
    assert [int(row[2]) for row in cells[1:]] == path.start_count.tolist()
