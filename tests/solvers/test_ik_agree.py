"""`ik`, `ik.reachable`, `ik.solutions` and `ik.step`: one search behind them, and one judgement of targets."""

import itertools

import numpy as np
import pytest

import corners
import kinetree as kt
from kinetree.solvers.ik import search
from support import shared


@pytest.fixture(scope="module")
def hand():
    icub = kt.load("icub")
    return icub, kt.ik(icub, "l_hand", "chest"), kt.fk(icub, "l_hand", base="chest")


@pytest.mark.slow
def test_all_corners_of_the_limits_of_an_arm_are_reached(hand):
    """Every joint of the arm at one of its ends, as far as the tendons allow it: 128 corners."""
    icub, ik, fk = hand
    columns = [icub.joint_names.index(name) for name in ik.coordinate_names]
    q = np.tile(icub.limits.project(icub.q()), (2 ** len(columns), 1))
    q[:, columns] = list(itertools.product(*zip(icub.limits.lower[columns], icub.limits.upper[columns], strict=True)))
    T = fk(icub.limits.project(q))
    result = ik(T)
    assert result.success.all()
    assert icub.limits.contains(result.q).all()
    assert np.abs(fk(result.q) - T).max() < 2e-6
    assert ik.reachable(T).all()
    assert ik.solutions(T[::8]).mask.any(axis=1).all()


@pytest.mark.slow
def test_many_starts_find_what_descents_miss(hand, monkeypatch):
    """With fewer stages some corners are missed, by all three alike."""
    icub, ik, fk = hand
    ik, fk = kt.ik(icub, "r_hand", "root_link"), kt.fk(icub, "r_hand", base="root_link")
    T = fk(corners.configurations(icub, ik.coordinate_names, 6000, seed=3)[4000:])
    assert ik(T).success.all()
    monkeypatch.setattr(search, "PORTION", 2)
    assert ik(T).success.all()
    monkeypatch.setattr(search, "USUAL", ((), 12, 16))
    success = ik(T).success
    assert 0 < (~success).sum() < 60
    lost = T[~success]
    assert not ik.reachable(lost).any()
    assert not ik(lost, q0=icub.limits.sample(len(lost))).success.all()
    monkeypatch.setattr(search, "NEAR", 0.0)
    monkeypatch.setattr(search, "USUAL", ((64,), 12, 16))
    assert not ik.reachable(lost).any()  # none is nearer than 0


@pytest.mark.slow
def test_another_start_finds_what_the_default_start_finds(hand):
    """A start in the worst place: the search of `reachable` follows."""
    icub, _, _ = hand
    ik = kt.ik(icub, "l_hand", "chest", descents=1)
    T = kt.fk(icub, "l_hand", base="chest")(icub.limits.sample(300, seed=5))
    easy = ik.reachable(T)
    assert easy.sum() > 200
    q0 = corners.configurations(icub, ik.coordinate_names, 300, seed=1)[::-1]
    assert ik(T, q0=q0).success[easy].all()


@pytest.mark.slow
@pytest.mark.parametrize("arm", corners.ARMS)
@pytest.mark.sampled
def test_a_sample_of_the_benchmark(arm):
    try:
        kt.load(corners.ARMS[arm][0])
    except kt.KinetreeError:
        pytest.skip("example-robot-data is not installed")
    found = corners.answers(arm, 3000, seed=11)
    assert found["ik"].mean() >= 0.9999
    assert found["reachable"].all()
    assert not found["contradict"].any()
    assert not found["wrong"].any()


@pytest.mark.slow
def test_out_of_reach_all_three_agree(hand):
    icub, ik, fk = hand
    T = fk(icub.limits.sample(200, seed=2))
    T[:, :3, :3] = T[::-1, :3, :3]  # some stay in reach
    T[:20, :3, 3] *= 5  # outside of the shell
    success = ik(T).success
    assert 0 < success.sum() < 150
    np.testing.assert_array_equal(ik.reachable(T), success)
    solutions = ik.solutions(T)
    np.testing.assert_array_equal(solutions.mask.any(axis=1), success)
    assert np.isnan(solutions.q[~solutions.mask]).all()
    np.testing.assert_array_equal(ik(T, threads=2).success, success)


@pytest.mark.slow
@pytest.mark.parametrize("count", [12, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("tolerance", [pytest.param(1e-6, marks=pytest.mark.slow), 1e-3])
@pytest.mark.sampled(3)
def test_at_the_ends_of_ranges_all_three_agree_about_targets_that_are_not_exact(tolerance, count):
    """A closed form is not certain of a target that is off by less than the tolerance, or not quite a rotation."""
    icub, rng = kt.load("icub"), np.random.default_rng(5)
    ik, fk = kt.ik(icub, "l_foot", tolerance=(tolerance, tolerance)), kt.fk(icub, "l_foot")
    q = np.radians(45) * rng.integers(-4, 5, (count, icub.nq))
    T = fk(icub.limits.project(q))
    T[:, :3, 3] += rng.uniform(-tolerance / 4, tolerance / 4, (count, 3))
    T[:, :3, :3] += rng.uniform(-2e-7, 2e-7, (count, 3, 3))
    assert ik(T).success.all()
    assert ik.reachable(T).all()
    assert all(ik.reachable(one) for one in T[:3])
    assert ik.solutions(T).mask.any(axis=1).all()


@pytest.mark.slow
def test_a_bad_target_fails_alone_in_every_call(hand):
    icub, ik, fk = hand
    q0 = icub.limits.sample(1, seed=4)[0]
    T = fk(icub.limits.sample(5, seed=1))
    good = ik(T, q0=q0)
    bad = T.copy()
    bad[1, 0, 0], bad[3, :3, :3] = np.nan, 1.1 * bad[3, :3, :3]
    rest = [0, 2, 4]
    for options in ({}, {"prefer": "middle"}, {"threads": 2}, {"progress": lambda done, total: None}):
        found, alone = ik(bad, q0=q0, **options), ik(T[rest], q0=q0, **options)
        assert found.success.tolist() == [True, False, True, False, True]
        np.testing.assert_array_equal(found.q[[1, 3]], [q0, q0])
        np.testing.assert_array_equal(found.q[rest], alone.q)
        assert np.isnan(found.residual[[1, 3]]).all()
        assert found.iterations[[1, 3]].tolist() == [0, 0]
    assert "3 reached" in repr(found)
    assert "nan" not in repr(found)
    np.testing.assert_array_equal(ik(bad).q[1], ik._inside.neutral)
    assert ik.reachable(bad).tolist() == [True, False, True, False, True]
    solutions = ik.solutions(bad, most=2)
    assert solutions.mask.any(axis=1).tolist() == [True, False, True, False, True]
    assert np.isnan(solutions.q[1]).all()
    step = ik.step(np.tile(q0, (5, 1)), bad, dt=0.01)
    np.testing.assert_array_equal(step.q[[1, 3]], [q0, q0])
    assert step.stuck[[1, 3]].all()
    assert not step.success[[1, 3]].any()
    assert np.isnan(step.residual[[1, 3]]).all()
    np.testing.assert_array_equal(step.q[rest], ik.step(np.tile(q0, (3, 1)), T[rest], dt=0.01).q)
    assert np.array_equal(ik(T, q0=q0).q, good.q)
    for one in (bad[1], bad[3]):
        for call in (ik, ik.reachable, ik.solutions):
            with pytest.raises(kt.KinetreeError, match="the target"):
                call(one)


@pytest.mark.slow
def test_a_bad_point_fails_alone():
    arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
    ik = kt.ik(arm, "tip", goal="position")
    p = np.array([[0.4, 0.3, 0.0], [np.inf, 0, 0], [0.1, 0.5, 0.0]])
    assert ik(p).success.tolist() == ik.reachable(p).tolist() == [True, False, True]
    both = kt.ik(arm, ["tip", "tip"], goal=["position", "orientation"])
    R = np.tile(np.eye(3), (3, 1, 1))
    R[2] = -R[2]
    assert np.isnan(both(p, R).residual[1:]).all()


@pytest.mark.slow
def test_a_step_brings_every_joint_inside(hand):
    """Joints that the frame does not need go back inside too, no faster than they may; then they stand still."""
    text = """<robot name="two"><link name="base"/><link name="a"/><link name="b"/><link name="c"/>
      <joint name="j1" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" velocity="2" effort="1"/></joint>
      <joint name="j2" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" velocity="2" effort="1"/></joint>
      <joint name="other" type="revolute"><parent link="base"/><child link="c"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" velocity="0.5" effort="1"/></joint></robot>"""
    robot = kt.load(text, format="urdf")
    ik = kt.ik(robot, "b", goal="position")
    q = np.array([0.2, 0.1, 1.12])
    p = kt.fk(robot, "b")([0.4, 0.0, 0.0])[:3, 3]
    ways = []
    for _ in range(6):
        step = ik.step(q, p, dt=0.1)
        ways.append(q[2] - step.q[2])
        q = step.q
    np.testing.assert_allclose(ways, [0.05, 0.05, 0.02, 0, 0, 0], atol=1e-12)
    assert robot.limits.contains(q)
    assert step.success
    back = ik.step([0.2, 0.1, -1.04], p, dt=0.1, restart=[0.0, 0.0, 0.5])
    assert back.q[2] == -1.0
    many = ik.step([[0.2, 0.1, 1.04], [0.2, 0.1, 0.3]], p, dt=0.1)
    assert many.q[:, 2].tolist() == [1.0, 0.3]
    icub, ik, fk = hand
    q = icub.limits.project(icub.q())
    q[icub.joint_names.index("r_knee")] += 3.0
    assert icub.limits.contains(ik.step(q, fk(icub.q()), dt=0.01).q)


@pytest.mark.slow
def test_two_hands_with_fewer_joints_than_errors():
    """Eleven joints for two poses: only the solutions that there are fulfil all twelve errors."""
    robot = kt.load(
        shared("corpus", "unitreerobotics+unitree_ros", "robots", "g1_description", "g1_23dof_rev_1_0.urdf")
    )
    frames = ["left_wrist_roll_rubber_hand", "right_wrist_roll_rubber_hand"]
    ik, limits = kt.ik(robot, frames), robot.limits
    assert len(ik.coordinate_names) == 11
    q = np.random.default_rng(5).uniform(limits.lower, limits.upper, (4000, robot.nq))
    T = kt.fk(robot, frames)(limits.project(q))
    result = ik(T)
    assert result.success.mean() >= 0.999
    assert np.abs(kt.fk(robot, frames).interpret(result.q) - T)[result.success].max() < 3e-6
