"""`kt.verify`: two faults at once, of poses and of torques."""

from __future__ import annotations

import numpy as np
import pytest

import faults
import kinetree as kt
from each import each
from kinetree.lab.hand_eye import displacements as small
from kinetree.lab.identify.setting import SURE, State, faults_of, least
from support import example_robot_urdfs
from test_verify_efforts import ARM as HEAVY
from test_verify_setting import NOISE, QD, QDD, Q as MOVED, T, named

ARM = kt.chain("Rz(a) tz(0.3) Ry(b) tx(0.4) Ry(c) tx(0.3) Rx(d) tz(0.1)")
Q = np.random.default_rng(0).uniform(-1.5, 1.5, (40, 4))
ROW = np.array([0.005, -0.008, 0.006, 0.025, -0.02, 0.03])
SWAPPED, FLIPPED = [0, 2, 1, 3], np.array([1.0, 1.0, -1.0, 1.0])
LOGGED = {
    "unit": lambda q: np.rad2deg(q),
    "sign": lambda q: q * FLIPPED,
    "order": lambda q: q[:, SWAPPED],
}
ELEMENTS = {"unit": "q", "sign": "c", "order": "b, c", "base pose": "base_link", "tool pose": "tip", "joint pose": "c"}


def measured(kind, q):
    robot, X, Y = ARM, np.eye(4), np.eye(4)
    if kind == "joint pose":
        robot = kt.edit.set_origins(ARM, {"c": kt.kinematics.origins(ARM)["c"] + ROW})
    X, Y = (small(ROW), Y) if kind == "base pose" else (X, small(ROW)) if kind == "tool pose" else (X, Y)
    sizes = np.repeat([3e-4, 3e-4], 3)
    rng = np.random.default_rng(1)
    return X @ kt.fk(robot, "tip")(q) @ Y @ np.array([small(rng.normal(size=6) * sizes) for _ in q])


class TestPoses:
    @pytest.mark.slow
    @each("first, then", [("unit", "sign"), ("unit", "order"), ("sign", "order")])
    @pytest.mark.nightly
    def test_of_how_joints_count(self, first, then):
        """A sign is that of the joint of the model, whatever column of the log it is in."""
        found = kt.verify(ARM, LOGGED[then](LOGGED[first](Q)), poses={"tip": measured("", Q)})
        assert {*named(found)} == {(kind, ELEMENTS[kind]) for kind in (first, then)}
        assert found.explained

    @pytest.mark.slow
    @each("pose", ["base pose", "tool pose", "joint pose"])
    @each("kind", ["sign", "order", "unit"])
    @pytest.mark.nightly
    def test_of_a_pose(self, pose, kind):
        """A pose that is wrong by a degree leaves too much for a sign alone to be certain."""
        found = kt.verify(ARM, LOGGED[kind](Q), poses={"tip": measured(pose, Q)})
        assert {*named(found)} == {(kind, ELEMENTS[kind]), (pose, ELEMENTS[pose])}
        (fault,) = (fault for fault in found.faults if fault.kind == pose)
        assert (np.abs(fault.value - ROW) < 5 * fault.std).all()

    @pytest.mark.slow
    @each("kind", ["sign", "order"])
    @pytest.mark.nightly
    def test_of_a_delay(self, kind):
        t, late = np.arange(0, 8, 0.05), 0.06

        def at(t):
            phase = np.add(np.outer(t, [1.3, 0.9, 1.7, 1.1]), [0, 1, 2, 3])
            return 1.2 * np.sin(phase) + 0.3 * np.cos(2 * phase)

        found = kt.verify(ARM, LOGGED[kind](at(t + late)), poses={"tip": measured("", at(t))}, t=t)
        assert {*named(found)} == {(kind, ELEMENTS[kind]), ("delay", "tip")}
        assert found.faults[1].value == pytest.approx(late, abs=1e-3)

    def test_a_length_that_a_tool_hides(self):
        """They are wrong together as another tool would be, which the answer says."""
        arm = kt.edit.add_frame(ARM, "tool", on="tip")
        poses = kt.fk(arm, "tool")(np.add(Q, [0, 0, 0, 0.05])) @ small(ROW)
        found = kt.verify(arm, Q, poses={"tool": poses})
        assert named(found) == [("tool pose", "tool")]
        assert (("zero", "d"), ("tool pose", "tool")) in found.together
        assert "This log cannot tell the zero of d from the tool pose of tool" in str(found)


@pytest.mark.slow
def test_the_zero_of_a_slide_is_alike_to_its_length():
    """Of TIAGo's torso, which many explanations of six numbers explain as much, and these two by one."""
    example_robot_urdfs()  # skips without these robots
    robot, frame = faults.machines()["TIAGo's torso and arm"]
    planted = faults.of_poses(robot, frame, ["zero"], np.random.default_rng([0, 7, 6]))
    assert [(kind, element) for kind, element, _ in planted.faults] == [("zero", "torso_lift_joint")]
    (fault,) = kt.verify(robot, **planted.arguments).faults
    assert {(fault.kind, fault.element), *fault.alike} == {("zero", "torso_lift_joint"), ("length", "torso_lift_joint")}


class TestTorques:
    @pytest.mark.slow
    @pytest.mark.nightly
    def test_gravity_weighs_what_is_wrong_with_a_mass(self):
        """Gravity is found first as if the masses of the model were right, and here a third too large by that."""
        g, row = np.array([1.5, -1.0, -9.5]), kt.dynamics.inertial_parameters(HEAVY)["q3_link"]
        heavy = kt.edit.set_inertial_parameters(HEAVY, {"q3_link": row * 1.5})
        effort = kt.inverse_dynamics(heavy, gravity=tuple(g.tolist()))(MOVED, QD, QDD) + NOISE
        found = kt.verify(HEAVY, MOVED, t=T, qd=QD, qdd=QDD, effort=effort)
        assert named(found) == [("gravity", "base_link"), ("mass", "q3_link")]
        gravity, mass = found.faults
        np.testing.assert_allclose(gravity.value, g - [0, 0, -9.81], atol=0.01)
        assert mass.value == pytest.approx(0.5 * row[0], abs=0.01)

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_an_inertia_that_is_far_off(self):
        """Of a quadruped's knee, to which 30 steps of a fit did not lead, but with the armature of another joint."""
        example_robot_urdfs()
        robot, frame = faults.machines()["ANYmal's leg"]
        planted = faults.of_torques(robot, frame, ["inertia", "effort unit"], np.random.default_rng([2, 8, 1]))
        outcome = faults.judged(kt.verify(robot, **planted.arguments), planted)
        assert (outcome.right, outcome.named) == (True, True), outcome.text
        assert outcome.deviations < 3


class TestSearch:
    def test_two_that_only_together_explain(self):
        """Of two bits, each of which alone is worse than none."""
        left = {(0, 0): 3.0, (1, 0): 3.5, (0, 1): 4.0, (1, 1): 0.0}

        def state(bits):
            turn = (0, 1), tuple(-1.0 if bit else 1.0 for bit in bits)
            return State(bits, faults_of(turn, "ab"), np.array([left[bits]]), left[bits] + SURE * sum(bits))

        def others(now):
            return [state((1 - now.setting[0], now.setting[1])), state((now.setting[0], 1 - now.setting[1]))]

        assert least(state((0, 0)), others, 10.0, 3).setting == (1, 1)
        assert least(state((0, 0)), others, 100.0, 3).setting == (0, 0)  # so near that one fault at a time is tried

    def test_names_of_an_order(self):
        """Three joints in each other's place are two exchanges."""
        assert [one.element for one in faults_of(((1, 2, 0), (1.0, -1.0, 1.0)), "abc")] == ["a, b", "a, c", "b"]
        assert not faults_of(((0, 1), (1.0, 1.0)), "ab")
