"""`kt.verify`: joints that count the other way, by torques alone, and faults that only together explain a log."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.lab.identify import search
from kinetree.lab.identify.columns import trajectory
from kinetree.lab.identify.setting import LOOKED_AT, Setting, after, faults_of, some_of, turned, turns, unturned
from kinetree.lab.identify.verification import _unwrapped
from support import example_robot_urdfs
from test_verify_efforts import ARM, motion

T, Q, QD, QDD = motion(ARM, np.random.default_rng(3), 12.0, 50.0)
NOISE = np.random.default_rng(4).normal(0, 0.01, Q.shape)
TAU = kt.inverse_dynamics(ARM)(Q, QD, QDD) + NOISE
NAMES = ARM.joint_names


def named(found):
    return [(fault.kind, fault.element) for fault in found.faults]


class TestTorques:
    @pytest.mark.slow
    @each("signs", [signs for signs in product([1, -1], repeat=3) if -1 in signs])
    @pytest.mark.nightly
    def test_joints_that_count_the_other_way(self, signs):
        found = kt.verify(ARM, Q * signs, t=T, effort=TAU * signs)
        assert {*named(found)} == {("sign", name) for name, sign in zip(NAMES, signs, strict=True) if sign < 0}
        assert found.explained
        assert not found.incomplete
        assert (found.torques[1] < 1.2 * found.torques[2]).all()

    @pytest.mark.slow
    def test_a_joint_that_counts_the_other_way(self):
        found = kt.verify(ARM, Q * [1, -1, 1], t=T, effort=TAU * [1, -1, 1])
        assert named(found) == [("sign", "q2")]
        assert str(found).splitlines()[1] == "- Joint q2 counts the other way."

    @pytest.mark.slow
    def test_with_rates(self):
        """They count as the positions do, also without times."""
        signs = [1, -1, 1]
        for more in ({"t": T}, {}):
            found = kt.verify(ARM, Q * signs, qd=QD * signs, qdd=QDD * signs, effort=TAU * signs, **more)
            assert named(found) == [("sign", "q2")]

    @pytest.mark.slow
    def test_a_position_alone_that_counts_the_other_way(self):
        assert named(kt.verify(ARM, Q * [1, 1, -1], t=T, effort=TAU)) == [("sign", "q3"), ("effort sign", "q3")]

    @pytest.mark.slow
    @each("i, j", [*combinations(range(3), 2)])
    @pytest.mark.nightly
    def test_order(self, i, j):
        order = [0, 1, 2]
        order[i], order[j] = j, i
        element = f"{NAMES[i]}, {NAMES[j]}"
        assert named(kt.verify(ARM, Q[:, order], t=T, effort=TAU[:, order])) == [("order", element)]
        assert named(kt.verify(ARM, Q, t=T, effort=TAU[:, order])) == [("effort order", element)]

    @pytest.mark.slow
    def test_a_joint_without_torques(self):
        """Its column of nan goes where the joint goes."""
        order, effort = [0, 2, 1], TAU.copy()
        effort[:, 0] = np.nan
        found = kt.verify(ARM, Q[:, order], t=T, effort=effort[:, order])
        assert named(found) == [("order", "q2, q3")]
        assert np.isnan(found.torques[:, 0]).all()
        assert "q1" not in {element for group in found.together for _, element in group}
        assert np.isfinite(found.torques[:, 1:]).all()

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_degrees(self):
        q, qd, qdd = 5 * Q, 5 * QD, 5 * QDD  # of joints without limits, which turn more than twice
        assert np.rad2deg(q).max() > 4 * np.pi
        found = kt.verify(ARM, np.rad2deg(q), t=T, effort=kt.inverse_dynamics(ARM)(q, qd, qdd) + NOISE)
        assert named(found)[0] == ("unit", "q")

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_with_other_faults(self):
        """A zero, a unit and gravity beside the sign."""
        shifted = kt.inverse_dynamics(ARM)(np.add(Q, [0, 0.05, 0]), QD, QDD) + NOISE
        found = kt.verify(ARM, Q * [1, 1, -1], t=T, effort=shifted * [1, 1, -1])
        assert named(found) == [("sign", "q3"), ("zero", "q2")]
        assert found.faults[1].value == pytest.approx(0.05, abs=1e-3)
        found = kt.verify(ARM, Q * [1, -1, 1], t=T, effort=1000 * TAU * [1, -1, 1])
        assert named(found) == [("sign", "q2"), ("effort unit", "effort")]

    @pytest.mark.slow
    @pytest.mark.parametrize("late", [-0.4, 0.45])
    def test_delays_up_to_half_a_second(self, late):
        effort = np.column_stack([np.interp(T - late, T, x) for x in TAU.T])
        found = kt.verify(ARM, Q[25:-25], t=T[25:-25], effort=effort[25:-25])
        assert named(found) == [("delay", "effort")]
        assert found.faults[0].value == pytest.approx(late, abs=0.005)

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_gravity_is_one_fault_and_signs_are_several(self):
        hanging = kt.inverse_dynamics(ARM, gravity=(0.5, 0, 9.7))(Q, QD, QDD) + NOISE
        found = kt.verify(ARM, Q, t=T, effort=hanging)
        assert named(found) == [("gravity", "base_link")]
        np.testing.assert_allclose(found.faults[0].value, [0.5, 0, 9.7 + 9.81], atol=0.02)

    def test_a_long_log_is_looked_at_in_pieces(self):
        n = 5 * LOOKED_AT
        log = trajectory(np.zeros((n, 1)), np.zeros((n, 1)), np.arange(n) * 0.01, None, None)
        rows, parts = some_of(log)
        assert 0.5 * LOOKED_AT < len(rows) <= 1.1 * LOOKED_AT
        assert parts[-1] == len(rows)
        assert rows[-1] > 0.9 * n
        assert all((np.diff(rows[i:j]) == 1).all() for i, j in pairwise(parts))


class TestPosesAndTorques:
    @pytest.mark.slow
    @pytest.mark.nightly
    def test_torques_count_as_the_joints_do(self):
        """A sign or an order that poses show is one fault, also of torques."""
        poses = kt.fk(ARM, "q3_link")(Q)
        poses[:, :3, 3] += np.random.default_rng(5).normal(0, 1e-4, (len(Q), 3))
        for joints, fault in (([0, 1, -2], ("sign", "q3")), ([0, 2, 1], ("order", "q2, q3"))):
            order, signs = np.abs(joints), np.where(np.less(joints, 0), -1.0, 1.0)
            q, qd, tau = (x[:, order] * signs for x in (Q, QD, TAU))
            assert named(kt.verify(ARM, q, t=T, qd=qd, effort=tau, poses={"q3_link": poses})) == [fault]

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_both_have_to_be_explained(self):
        """Poses that nothing explains, beside torques of the model."""
        poses = kt.fk(ARM, "q3_link")(Q)
        poses[:, :3, 3] += np.random.default_rng(5).normal(0, 0.05, (len(Q), 3))
        found = kt.verify(ARM, Q, t=T, effort=TAU, poses={"q3_link": poses})
        assert (found.explained, found.faults) == (False, ())


@pytest.mark.slow
def test_a_simulation_without_noise_agrees():
    """What is left is that of rates, by differences of positions."""
    t, q, qd, qdd = motion(ARM, np.random.default_rng(3), 12.0, 125.0)
    found = kt.verify(ARM, q, t=t, effort=kt.inverse_dynamics(ARM)(q, qd, qdd))
    assert found.agrees
    assert 0 < found.torques[1].max() < 0.002


class TestPositions:
    @pytest.mark.slow
    @pytest.mark.parametrize("seed", [pytest.param(1, marks=pytest.mark.slow), 3])
    @pytest.mark.sampled(1)
    def test_zeros_that_only_together_explain_a_log(self, seed):
        """Of a UR5, by a tracker that sees one point, with base and tool unknown: each zero alone fits no better what
        is held out, and the joint pose of one joint has the effect of two zeros."""
        robot = kt.load(next(file for file in example_robot_urdfs() if file.name == "ur5_robot.urdf"))
        rng, zeros = np.random.default_rng(seed), np.deg2rad([0.1, -0.25, 0.4, -0.3, 0.2, 0.35])
        q = rng.uniform(-2, 2, (45, 6))
        points = kt.fk(robot, "tool0")(q + zeros) @ [0.1, -0.05, 0.1, 1.0]
        measured = points[:, :3] @ [[0, 1, 0], [-1, 0, 0], [0, 0, 1]] + [1, 2, 3] + rng.normal(0, 1e-4, (45, 3))
        found = kt.verify(robot, q, poses={"tool0": measured}, unknown=["base", "tool"])
        assert {*named(found)} == {("zero", name) for name in robot.joint_names[1:5]}
        for fault in found.faults:
            assert abs(fault.value - zeros[robot.joint_names.index(fault.element)]) < 4 * fault.std
            assert np.rad2deg(fault.std) < 0.02


class TestIncomplete:
    """If faults are left that are not named, the answer says so, and a model of which none is named does not agree."""

    @pytest.mark.slow
    @pytest.mark.parametrize("most", [0, 1])
    def test_of_poses(self, monkeypatch, most):
        monkeypatch.setattr(search, "MOST", most)
        poses = kt.fk(ARM, "q3_link")(np.add(Q[::10], [0, 0.02, 0.05]))
        poses[:, :3, 3] += np.random.default_rng(5).normal(0, 1e-4, (len(poses), 3))
        self.check(kt.verify(ARM, Q[::10], poses={"q3_link": poses}), "poses", most)

    @pytest.mark.slow
    @pytest.mark.parametrize("most", [0, 1])
    def test_of_torques(self, monkeypatch, most):
        monkeypatch.setattr(search, "MOST", most)
        effort = TAU + [0, 0, 1.5] * QD + [0, 2.0, 0] * np.sign(QD)
        self.check(kt.verify(ARM, Q, t=T, effort=effort), "torques", most)

    def check(self, found, part, most):
        assert (found.explained, len(found.faults), found.incomplete) == (bool(most), most, (part,))
        assert not found.agrees
        text = f"More is wrong than that: the {part} of this log are off by more than its noise."
        assert (text in str(found)) == bool(most)
        assert str(found).startswith("The model does not agree")


class TestTurns:
    def test_degrees_of_what_turns(self):
        """A slide stays in m."""
        robot = kt.chain("Rz(a) tx(b) Rz(c)")
        q = np.tile([200.0, 0.3, -90.0], (2, 1))
        (turn,) = turns(robot, q, unturned(robot), [])
        assert [(fault.kind, fault.element) for fault in faults_of(turn, robot.joint_names)] == [("unit", "q")]
        assert not [*turns(robot, q, turn, [])]
        np.testing.assert_allclose(turned(q, turn)[0], [np.deg2rad(200), 0.3, -np.pi / 2])

    def test_one_after_another(self):
        q = np.array([[1.0, 2.0, 3.0]])
        first, then = ((2, 0, 1), (1.0, -1.0, 1.0)), ((1, 0, 2), (1.0, 1.0, -1.0))
        np.testing.assert_array_equal(turned(q, after(first, then)), turned(turned(q, first), then))
        np.testing.assert_array_equal(turned(q, after(first, then)), [[-1, 3, -2]])

    def test_torques_have_signs_but_no_units(self):
        log = trajectory(Q, TAU, T, QD, QDD)
        turn = ((1, 0, 2), (1.0, -np.pi / 180, 1.0))
        made = Setting((0, 0, 0), turn, unturned(ARM)).of(log)
        np.testing.assert_array_equal(made.effort, log.effort[:, [1, 0, 2]] * [1, -1, 1])
        np.testing.assert_array_equal(made.qdd, log.qdd[:, [1, 0, 2]] * turn[1])

    def test_encoders_that_begin_again(self):
        robot = kt.load(next(file for file in example_robot_urdfs() if file.name == "kinova.urdf"))
        q = np.zeros((40, 6))
        q[:, 0] = np.linspace(0, 12, 40)
        wrapped = np.angle(np.exp(1j * q))
        np.testing.assert_allclose(_unwrapped(robot, wrapped), q, atol=1e-12)
        np.testing.assert_array_equal(_unwrapped(robot, np.rad2deg(wrapped)), np.rad2deg(wrapped))
