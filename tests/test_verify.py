"""`kt.verify`: faults that are planted in simulated logs are named, and none in clean ones."""

from __future__ import annotations

import re

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError, UnknownNameError
from kinetree.lab.hand_eye import displacements as small
from kinetree.lab.identify.poses import Poses, first_places
from kinetree.lab.identify.search import fitted, loss
from kinetree.lab.identify.verification import ModelFault, Verification
from kinetree.spatial.exponential import log
from kinetree.spatial.se3 import quaternion_from_rotation, rotation_from_vector, rotation_vectors
from support import example_robot_urdfs

ARM = kt.chain("Rz(q1) tz(0.3) Ry(q2) tx(0.4) Ry(q3) tx(0.3) Rx(q4) tz(0.1)")
RNG = np.random.default_rng(0)
Q = RNG.uniform(-1.5, 1.5, (24, 4))
EVERYTHING = ("base", "tool")


def noisy(T: np.ndarray, rng: np.random.Generator, position: float = 1e-4, rotation: float = np.deg2rad(0.01)):
    sizes = np.repeat([position, rotation], 3)
    return T @ np.array([small(rng.normal(size=6) * sizes) for _ in T])


def shown(q: np.ndarray, robot: kt.Robot = ARM, frame: str = "tip", seed: int = 1) -> np.ndarray:
    return noisy(kt.fk(robot, frame)(q), np.random.default_rng(seed))


def channel_of(robot, frame, q, T, X, Y, noise, free, t=None) -> Poses:
    """Return the channel of one frame."""
    return Poses(robot, (frame,), q, T[None], X, Y[None], (0, 1)[: len(noise)], noise, free, t)


def named(found) -> list[tuple[str, str]]:
    return [(fault.kind, fault.element) for fault in found.faults]


class TestAnswers:
    @pytest.mark.slow
    def test_a_clean_log(self):
        found = kt.verify(ARM, Q, poses={"tip": shown(Q)})
        assert found.explained
        assert found.faults == ()
        assert found.together == ()
        assert found.outliers == ()
        assert str(found).startswith("The model agrees: 0.")
        assert repr(found) == "Verification: the model agrees"
        np.testing.assert_allclose(found.noise, np.sqrt(3) * np.array([1e-4, np.deg2rad(0.01)]), rtol=0.4)
        np.testing.assert_allclose(found.left, found.noise, rtol=0.3)

    @pytest.mark.slow
    def test_a_zero(self):
        found = kt.verify(ARM, Q, poses={"tip": shown(Q + np.array([0, 0, 0.005, 0]))})
        (fault,) = found.faults
        assert named(found) == [("zero", "q3")]
        assert abs(fault.value - 0.005) < 4 * fault.std < 1e-3
        assert 0.95 < fault.explains < 1.0  # the rest is noise
        assert "The zero of q3 is off by 0.28" in str(found)
        assert f"this explains {fault.explains:.0%}" in str(found)
        assert found.error[0] > 5 * found.left[0]

    @pytest.mark.slow
    def test_joints_that_cannot_be_told_from_the_setting(self):
        """The zero of the first joint turns an unknown base, that of the last a tool on its axis."""
        arm = kt.edit.add_frame(kt.chain("Rz(q1) tz(0.3) Ry(q2) tx(0.4) Ry(q3) tx(0.3) Rx(q4)"), "tool", on="tip")
        X, Y = small(np.array([1, 2, 3, 0.4, 0.5, 2.0])), small(np.array([0.1, 0, 0.2, 1, 0, 0]))
        T = X @ kt.fk(arm, "tool")(Q + np.array([0.1, 0.002, 0, 0.2])) @ Y
        found = kt.verify(arm, Q, poses={"tool": noisy(T, np.random.default_rng(2))}, unknown=EVERYTHING)
        assert named(found) == [("zero", "q2")]
        assert (("zero", "q1"), ("base pose", "base_link")) in found.together
        assert (("zero", "q4"), ("tool pose", "tool")) in found.together
        assert "This log cannot tell the zero of q1 from the base pose of base_link; " in str(found)
        np.testing.assert_allclose(found.tool, small(np.array([0, 0, 0, 0.2, 0, 0])) @ Y, atol=1e-3)  # with the zero

    @pytest.mark.slow
    def test_what_nothing_explains(self):
        found = kt.verify(ARM, Q, poses={"tip": shown(Q[::-1])})
        assert not found.explained
        assert found.faults == ()
        assert "No faults that are known here explain that." in str(found)
        assert repr(found) == "Verification: not explained"

    @pytest.mark.slow
    def test_joints_that_stand_still_and_outliers(self):
        """Joints that are not between root and frame are of no interest."""
        robot = kt.edit.attach(ARM, kt.chain("Rz(a1) tx(0.1)"), "base_link", prefix="other_")
        q = np.pad(Q * [1, 1, 1, 0] + np.array([0, 0, 0, 0.3]), [(0, 0), (0, 1)])
        T = shown(q, robot)
        T[7, :3, 3] += 0.05
        found = kt.verify(robot, q, poses={"tip": T})
        assert found.faults == ()
        assert found.still == ("q4",)
        assert found.outliers == (7,)
        assert "Did not move, so that little is known about: q4." in str(found)
        assert "Samples that do not fit the others: 7." in str(found)

    @pytest.mark.slow
    def test_lengths_poses_and_bases(self):
        origins = kt.kinematics.origins(ARM)
        longer = kt.edit.set_origins(ARM, {"q3": origins["q3"] + np.array([0.002, 0, 0, 0, 0, 0])})
        found = kt.verify(ARM, Q, poses={"tip": shown(Q, longer)})
        assert named(found) == [("length", "q3")]
        assert abs(found.faults[0].value - 0.002) < 4 * found.faults[0].std
        assert "The length of q3 is off by 2" in str(found)
        assert " mm;" in str(found)

        row = np.array([0.002, 0.003, -0.004, 0.01, 0, -0.02])
        other = kt.edit.set_origins(ARM, {"q3": origins["q3"] + row})
        found = kt.verify(ARM, Q, poses={"tip": shown(Q, other)})
        assert named(found) == [("joint pose", "q3")]
        assert (np.abs(found.faults[0].value - row) < 5 * found.faults[0].std).all()
        assert "The joint pose of q3 is off by 5.3" in str(found)

        X = small(np.array([0.3, 0, 0, 0, 0, 0.1]))
        found = kt.verify(ARM, Q, poses={"tip": X @ shown(Q)})
        assert named(found) == [("base pose", "base_link")]
        assert ("joint pose", "q1") in found.faults[0].alike
        assert "So would the joint pose of q1." in str(found)
        np.testing.assert_allclose(found.base, X, atol=1e-3)

    @pytest.mark.slow
    def test_predicted_deviations(self):
        """Over seeds, errors are as large as predicted."""
        z = []
        for seed in range(30):
            T = shown(Q + np.array([0, 0.004, 0, 0]), seed=seed)
            (fault,) = kt.verify(ARM, Q, poses={"tip": T}).faults
            z.append((fault.value - 0.004) / fault.std)
        assert abs(np.mean(z)) < 0.55
        assert 0.7 < np.std(z) < 1.35

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_a_ur5(self):
        """Zeros of all joints 0.1 to 0.4 degrees off, 40 poses, with and without an unknown base and tool."""
        robot = kt.load(next(file for file in example_robot_urdfs() if file.name == "ur5_robot.urdf"))
        rng = np.random.default_rng(3)
        zeros = np.deg2rad(rng.uniform(0.1, 0.4, 6) * rng.choice([-1, 1], 6))
        q = rng.uniform(-2, 2, (40, 6))
        X, Y = small(rng.normal(size=6)), small(0.2 * rng.normal(size=6))
        T = noisy(X @ kt.fk(robot, "tool0")(q + zeros) @ Y, rng)
        found = kt.verify(robot, q, poses={"tool0": T}, unknown=EVERYTHING)
        names = robot.joint_names
        assert sorted(named(found)) == sorted(("zero", name) for name in names[1:5])
        for fault in found.faults:
            assert abs(fault.value - zeros[names.index(fault.element)]) < np.deg2rad(0.02)
        assert (("zero", names[0]), ("base pose", "world")) in found.together
        assert (("zero", names[5]), ("tool pose", "tool0")) in found.together

    @pytest.mark.slow
    @each("seed", range(6))
    @pytest.mark.nightly
    def test_planted_faults(self, seed):
        rng = np.random.default_rng(seed)
        robot, frame = kt.load("icub"), "l_hand"
        q = robot.limits.sample(40, seed=seed)
        joint = rng.choice(["torso_roll", "l_shoulder_roll", "l_elbow", "l_wrist_pitch"])
        true = q.copy()
        value = rng.choice([-1, 1]) * rng.uniform(0.005, 0.1)
        true[:, robot.joint_names.index(joint)] += value
        X = small(rng.normal(size=6))
        T = noisy(X @ kt.fk(robot, frame)(true), rng, 5e-4, 1e-3)
        found = kt.verify(robot, q, poses={frame: T}, unknown="base")
        assert named(found) == [("zero", joint)]
        assert abs(found.faults[0].value - value) < 4 * found.faults[0].std


BEND = kt.chain("Rz(a) tx(0.5) Ry(b) tx(0.4)")
BENT = np.random.default_rng(4).uniform(-1.2, 1.2, (12, 2))


def _at(p):
    """Return matrices (n, 4, 4) of zeros but for positions."""
    return np.pad(p[:, :, None], [(0, 0), (0, 1), (3, 0)])


class TestPoints:
    """Positions alone, of a point that may lie anywhere on the tool, in a world that may be anywhere."""

    X, POINT = small(np.array([1, 2, 3, 0.4, 0.5, 2.0])), np.array([0.02, -0.03, 0.05])

    def measured(self, q, free, noise=1e-4):
        F = kt.fk(ARM, "tip")(q)
        T = (self.X if "base" in free else np.eye(4)) @ F
        p = T[:, :3, 3] + (T[:, :3, :3] @ self.POINT if "tool" in free else 0.0)
        return p + noise * np.random.default_rng(3).normal(size=p.shape)

    @pytest.mark.slow
    @each("free", [(), ("tool",), ("base",), ("base", "tool")])
    def test_what_is_not_known_is_found(self, free):
        found = kt.verify(ARM, Q, poses={"tip": self.measured(Q, free)}, unknown=free)
        assert found.explained
        assert found.faults == ()
        assert found.error.shape == found.left.shape == found.noise.shape == (1,)
        np.testing.assert_allclose(found.noise, np.sqrt(3) * 1e-4, rtol=0.4)
        np.testing.assert_allclose(found.base, self.X if "base" in free else np.eye(4), rtol=0, atol=5e-4)
        np.testing.assert_allclose(found.tool[:3, 3], self.POINT if "tool" in free else np.zeros(3), rtol=0, atol=5e-4)
        np.testing.assert_array_equal(found.tool[:3, :3], np.eye(3))
        assert re.match(
            r"The model agrees: 0\.\d+ mm rms\.\nThe noise of the log alone would leave 0\.\d+ mm rms\.", str(found)
        )
        assert ((("zero", "q4"), ("tool pose", "tip")) in found.together) == ("tool" in free)

    @pytest.mark.slow
    @each("free", [("tool",), ("base", "tool")])
    @each("kind, change", [("zero", Q + np.array([0, 0, 0.005, 0])), ("sign", Q * [1, 1, -1, 1])])
    def test_faults_of_joints(self, free, kind, change):
        found = kt.verify(ARM, Q, poses={"tip": self.measured(change, free)}, unknown=free)
        assert named(found) == [(kind, "q3")]
        if kind == "zero":
            assert abs(found.faults[0].value - 0.005) < 4 * found.faults[0].std < 1e-3

    @each("free", [("tool",), ("base",), ("base", "tool")])
    def test_first_places_are_near(self, free):
        X, Y = first_places(kt.fk(ARM, "tip")(Q), np.eye(4) + _at(self.measured(Q, free, 0.0)), free, True)
        near = 0.03 if len(free) == 2 else 1e-12
        np.testing.assert_allclose(X, self.X if "base" in free else np.eye(4), rtol=0, atol=near)
        np.testing.assert_allclose(Y[:3, 3], self.POINT if "tool" in free else np.zeros(3), rtol=0, atol=near)
        np.testing.assert_array_equal(Y[:3, :3], np.eye(3))

    def test_at_most_half_of_the_log_is_fitted(self):
        """With as many numbers as it has, nothing is left that could be called noise."""
        for noise, counts in (((1e-3, 1e-3), 6), ((1e-3,), 3)):
            channel = channel_of(ARM, "tip", Q, shown(Q), np.eye(4), np.eye(4), noise, ())
            x, rows = np.zeros(channel.size), np.arange(len(Q))
            none, quarter, all_ = (
                np.array(channel.with_noise(x, rows, part * counts * len(Q) // 4).noise) for part in (0, 1, 4)
            )
            np.testing.assert_allclose(quarter, none * np.sqrt(4 / 3), rtol=1e-12)
            np.testing.assert_allclose(all_, none * np.sqrt(2), rtol=1e-12)

    @pytest.mark.slow
    def test_another_point_than_was_said(self):
        found = kt.verify(ARM, Q, poses={"tip": self.measured(Q, ("tool",))})
        assert named(found) == [("tool pose", "tip")]
        np.testing.assert_allclose(found.faults[0].value, self.POINT, rtol=0, atol=5e-4)
        assert found.faults[0].unit == "m"
        assert "The tool pose of tip is off by 20 -30 50 ± 0.0" in str(found)

    @each(
        "change, part",
        [
            (lambda p: p + np.where(np.arange(24)[:, None] == 3, np.nan, 0), "not finite, at sample 3; expected m"),
            (lambda p: 1000 * p, "the positions spread over .* those of the model over .* m; expected positions in m"),
            (lambda p: p * 1e200, "expected positions in m"),
            (lambda p: 0 * p + 1.0, "all poses of tip are the same; expected those of a frame that moved"),
            (lambda p: p[:, :2], r"poses \(24, 2\); expected \(n, 4\) and \(n, 4, 4\), or \(n, 3\) of positions"),
            (lambda p: p[1:], r"poses \(23, 3\); expected"),
            (lambda p: p.T, r"poses \(3, 24\); expected"),
        ],
    )
    def test_positions_that_tell_nothing(self, change, part):
        for free in ((), ("base",), ("base", "tool")):
            with pytest.raises(KinetreeError, match=part):
                kt.verify(ARM, Q, poses={"tip": change(self.measured(Q, free))}, unknown=free)

    def test_fewer_than_fifteen_are_too_few(self):
        p = self.measured(Q, ())
        assert kt.verify(ARM, Q[:15], poses={"tip": p[:15]}).faults == ()
        with pytest.raises(KinetreeError, match="there are 14 positions without rotations; expected at least 15"):
            kt.verify(ARM, Q[:14], poses={"tip": p[:14]})

    def test_a_frame_that_no_joint_moves(self):
        for frame in ("base_link", "base"):
            robot = kt.edit.add_frame(ARM, "base", on="base_link") if frame == "base" else ARM
            T = np.tile(np.eye(4), (24, 1, 1))
            T[:, 0, 3] = np.arange(24)
            with pytest.raises(KinetreeError, match=f"no joint moves '{frame}' against the root; expected poses of a"):
                kt.verify(robot, Q, poses={frame: T})


@pytest.mark.slow
@each("unknown", [[], ["tool"], ["base"], EVERYTHING])
@pytest.mark.nightly
def test_a_joint_that_counts_the_other_way_is_no_joint_that_is_turned_by_half(unknown):
    """With the base upside down, half turns of others explain the sign of joint 1 of a UR as well; they are alike."""
    robot = kt.load(next(file for file in example_robot_urdfs() if file.name == "ur5_robot.urdf"))
    rng = np.random.default_rng(0)
    q = rng.uniform(-1.5, 1.5, (60, 6))
    T = kt.fk(robot, "tool0")(q)
    T[:, :3, 3] += rng.normal(0, 3e-4, (60, 3))
    for j, name in enumerate(robot.joint_names):
        signs = np.where(np.arange(6) == j, -1.0, 1.0)
        found = kt.verify(robot, q * signs, poses={"tool0": T}, unknown=unknown)
        assert [(fault.kind, fault.element) for fault in found.faults] == [("sign", name)]
        halves = [element for kind, element in found.faults[0].alike if kind == "zero"]
        assert bool(halves) <= bool(unknown)
        assert not halves or f" Half a turn of {', '.join(halves)} would do, too." in str(found)
        assert "shoulder_lift_joint" in halves or j or unknown != EVERYTHING


class TestTwoJoints:
    """Small logs, quickly."""

    @pytest.mark.slow
    @each(
        "logged, expected",
        [
            (BENT * [-1, 1] + [0, 0.2], [("sign", "a"), ("zero", "b")]),
            (BENT[:, ::-1], [("order", "a, b")]),
            (np.rad2deg(BENT), [("unit", "q")]),
            (4 * np.pi * BENT / np.abs(BENT).max(), []),  # large angles are not degrees
        ],
    )
    def test_numbers_that_mean_something_else(self, logged, expected):
        true = logged if not expected else BENT
        T = shown(true, BEND)
        found = kt.verify(BEND, logged, poses={"tip": T})
        assert sorted(named(found)) == sorted(expected)
        assert found.explained
        off = (kt.fk(BEND, "tip")(logged) - T)[:, :3, 3]
        assert found.error[0] == pytest.approx(np.sqrt((off**2).sum(axis=1).mean()))  # of the log as it is

    @pytest.mark.slow
    def test_zeros_that_have_the_effect_of_unknown_poses(self):
        """That of the first joint turns the base, that of the last one the tool."""
        X, Y = small(np.array([1, 2, 3, 0.4, 0.5, 2.0])), small(np.array([0.1, 0, 0.2, 1, 0, 0]))
        found = kt.verify(BEND, BENT, poses={"tip": X @ shown(BENT, BEND) @ Y}, unknown=EVERYTHING)
        assert found.faults == ()
        assert found.together == (
            (("zero", "a"), ("base pose", "base_link")),
            (("zero", "b"), ("tool pose", "tip")),
            (("joint pose", "a"), ("base pose", "base_link")),
        )
        np.testing.assert_allclose(found.base, X, atol=2e-3)
        np.testing.assert_allclose(found.tool, Y, atol=2e-3)

    @pytest.mark.slow
    @each("noise, expected", [(0.01, [("sign", "b")]), (0.015, [])])
    def test_a_reversed_joint_must_explain_half_of_the_logarithms(self, noise, expected):
        """Here by factors of 2.2 to 2.5, and of 1.8 to 2."""
        T = noisy(kt.fk(BEND, "tip")(BENT * [1, -1]), np.random.default_rng(1), noise, noise)
        assert named(kt.verify(BEND, BENT, poses={"tip": T})) == expected

    @pytest.mark.slow
    def test_a_joint_is_still_below_a_thousandth(self):
        q = 0.4 + np.linspace(0.0, 1.0, 12)[:, None] * [1.1e-3, 0.9e-3]
        assert kt.verify(BEND, q, poses={"tip": shown(q, BEND)}).still == ("b",)

    @pytest.mark.slow
    @each("noise, expected", [(0.009, True), (0.013, False)])
    def test_a_log_with_too_much_noise_explains_nothing(self, noise, expected):
        T = kt.fk(BEND, "tip")(np.repeat(BENT, 3, axis=0))
        T[:, :3, 3] += np.random.default_rng(5).normal(size=(36, 3)) * noise
        found = kt.verify(BEND, np.repeat(BENT, 3, axis=0), poses={"tip": T})
        assert (found.explained, found.faults) == (expected, ())


class TestDelays:
    """Poses that a tracker wrote later than the encoders of the joints."""

    T = np.arange(0, 9, 0.15)

    def q(self, t):
        return np.column_stack([np.sin(0.9 * t), 0.8 * np.cos(1.3 * t)])

    @pytest.mark.slow
    @each("late", [0.04, -0.11])
    def test_are_named(self, late):
        found = kt.verify(BEND, self.q(self.T), t=self.T, poses={"tip": shown(self.q(self.T - late), BEND)})
        (fault,) = found.faults
        assert (fault.kind, fault.element, fault.unit) == ("delay", "tip", "s")
        assert abs(fault.value - late) < 4 * fault.std < 1e-3
        assert f"- Poses of tip are {'4' if late > 0 else '-11'}" in str(found)
        np.testing.assert_allclose(found.left, found.noise, rtol=0.2)

    def test_are_not_searched_for_a_robot_that_stops_for_each_pose(self):
        found = kt.verify(BEND, BENT, t=5.0 * np.arange(12), poses={"tip": shown(BENT, BEND)})
        assert found.agrees

    def test_the_jacobian_is_that_of_the_residual(self):
        q, t, h = self.q(self.T), self.T, 1e-6
        poses = kt.fk(BEND, "tip").interpret(self.q(t - 0.05))
        channel = channel_of(BEND, "tip", q, poses, np.eye(4), np.eye(4), (1e-3, 2e-3), (), t)
        x, rows, place = np.zeros(channel.size), np.arange(len(t)), channel.size - 13
        x[place] = 0.05
        assert np.abs(channel.residual(x, rows)).max() < 0.2  # of cubic splines through the samples
        e = h * np.eye(channel.size)[place]
        slope = (channel.residual(x + e, rows) - channel.residual(x - e, rows)) / (2 * h)
        J = channel.jacobian(x, rows, [place])[..., 0]
        np.testing.assert_allclose(J, slope, rtol=0, atol=1e-3 * np.abs(slope).max())
        assert (J[0] == 0).all()  # nothing is known of where the robot was before the first sample
        assert np.abs(J[1:]).max(axis=(1, 2)).min() > 0


class TestNothingIsShown:
    @pytest.mark.slow
    @each("free", [(), EVERYTHING])
    def test_by_poses_of_a_robot_at_rest(self, free):
        q = np.tile([0.3, -0.4], (12, 1))
        found = kt.verify(BEND, q, poses={"tip": shown(q, BEND)}, unknown=free)
        assert (found.explained, found.agrees, found.faults, found.blind) == (True, False, (), ("poses",))
        assert str(found).startswith("This log cannot show whether the model agrees: ")
        assert "The poses of this log show no fault of the model: move more joints, farther." in str(found)

    @pytest.mark.slow
    def test_by_one_joint_with_base_and_tool_unknown(self):
        q = BENT * [1, 0]
        assert kt.verify(BEND, q, poses={"tip": shown(q, BEND)}, unknown=EVERYTHING).blind == ("poses",)
        assert kt.verify(BEND, q, poses={"tip": shown(q, BEND)}).agrees


class TestTexts:
    """Every sentence, with the numbers and units of what it is about."""

    def verification(self, *faults, explained=True, together=(), still=(), outliers=()) -> Verification:
        error, left, noise = np.array([0.0123, 0.1]), np.array([0.001, 0.01]), np.array([5e-4, 2e-3])
        return Verification(explained, faults, together, still, error, left, noise, outliers, np.eye(4), np.eye(4))

    @each("mass, number, is_same", [("l", 0.29, True), ("l", 0.31, False), ("other", 0.29, False)])
    def test_an_inertia_that_does_not_follow_its_mass(self, mass, number, is_same):
        """A mass takes the moments with it; if they are right as they are, their fault says so."""
        moments = ModelFault("inertia", "l", np.array([0.0, 0, 0, 0, 0, -number]), np.full(6, 0.1), 0.125, unit="kg m²")
        found = str(self.verification(ModelFault("mass", mass, 1.0, 0.1, 0.5, unit="kg"), moments))
        same = "- The inertia of l is as in the model, without its mass; this explains 12%."
        assert (same in found.splitlines()) == is_same
        assert ("The inertia of l is off by 0 0 0 0 0 -0." in found) != is_same

    @each(
        "fault, sentence",
        [
            (ModelFault("sign", "a"), "Joint a counts the other way."),
            (ModelFault("order", "a, b"), "Joints a, b are in each other's place in q."),
            (ModelFault("unit", "q"), "q is in degrees."),
            (
                ModelFault("zero", "a", 0.01, 0.001, 0.256, unit="rad"),
                "The zero of a is off by 0.573 ± 0.057 deg; this explains 26%.",
            ),
            (
                ModelFault("length", "b", -0.00234, 0.00012, 1.0, (("zero", "b"), ("joint pose", "b")), "m"),
                "The length of b is off by -2.34 ± 0.12 mm; this explains 100%."
                " So would the zero of b or the joint pose of b.",
            ),
            (
                ModelFault("tool pose", "tip", np.array([0.003, 0, 0.004, 0, 0.1, 0]), np.ones(6), 0.5),
                "The tool pose of tip is off by 5 mm and 5.73 deg; this explains 50%.",
            ),
        ],
    )
    def test_faults(self, fault, sentence):
        found = self.verification(fault)
        assert str(found).splitlines() == [
            "The model does not agree: 12.3 mm, 5.73 deg rms.",
            f"- {sentence}",
            "With that corrected 1 mm, 0.573 deg rms is left.",
            "The noise of the log alone would leave 0.5 mm, 0.115 deg rms.",
        ]
        assert repr(found) == f"Verification: {fault.kind} of {fault.element}"

    def test_answers(self):
        assert str(self.verification()).splitlines() == [
            "The model agrees: 12.3 mm, 5.73 deg rms.",
            "The noise of the log alone would leave 0.5 mm, 0.115 deg rms.",
        ]
        assert str(self.verification(explained=False, still=("a",))) == (
            "The model does not agree: 12.3 mm, 5.73 deg rms. No faults that are known here explain that."
        )
        together = ((("zero", "a"), ("base pose", "base_link")), (("zero", "b"), ("tool pose", "tip")))
        found = self.verification(together=together, still=("a", "b"), outliers=tuple(range(3, 15)))
        assert str(found).splitlines()[2:] == [
            "This log cannot tell the zero of a from the base pose of base_link; "
            "the zero of b from the tool pose of tip.",
            "Did not move, so that little is known about: a, b.",
            "Samples that do not fit the others: 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 more.",
        ]


class TestErrors:
    @each(
        "poses, options, error, part",
        [
            ({}, {}, KinetreeError, "not a mapping of frames"),
            ({"tip": np.tile(np.eye(4), (24, 1, 1))}, {}, KinetreeError, "all poses of tip are the same"),
            ({"nope": np.tile(np.eye(4), (24, 1, 1))}, {}, UnknownNameError, "no frame 'nope'"),
            ({"tip": np.eye(4)}, {}, KinetreeError, r"q has shape \(24, 4\) and poses \(4, 4\)"),
            ({"tip": np.tile(np.eye(4), (24, 1, 1))}, {"unknown": "camera"}, KinetreeError, "unknown is 'camera'"),
            ({"tip": np.tile(np.eye(4), (24, 1, 1))}, {"unknown": 3}, KinetreeError, "unknown is 3"),
        ],
    )
    def test_illegal_poses(self, poses, options, error, part):
        with pytest.raises(error, match=part):
            kt.verify(ARM, Q, poses=poses, **options)

    def test_illegal_q(self):
        T = np.tile(np.eye(4), (24, 1, 1))
        with pytest.raises(KinetreeError, match="there are 5 poses; expected at least 10"):
            kt.verify(ARM, Q[:5], poses={"tip": T[:5]})
        with pytest.raises(KinetreeError, match="not finite"):
            kt.verify(ARM, Q * np.nan, poses={"tip": T})
        ball = kt.load(
            '<mujoco><worldbody><body name="b"><joint type="ball"/><geom size="1"/></body></worldbody></mujoco>',
            format="mjcf",
        )
        with pytest.raises(KinetreeError, match="ball or floating"):
            kt.verify(ball, np.tile([0, 0, 0, 1.0], (24, 1)), poses={"b": T})


class TestFits:
    def channel(self) -> Poses:
        X, Y = small(np.array([1, 2, 3, 0.3, 0.2, 0.1])), small(np.array([0.1, 0, 0.2, 0, 1, 0]))
        T = X @ kt.fk(ARM, "tip").interpret(Q) @ Y
        return channel_of(ARM, "tip", Q, T, X, Y, (1e-3, 2e-3), EVERYTHING)

    @each("free", [(), ("base",), ("tool",), ("tool", "base")])
    def test_what_may_be_wrong(self, free):
        """The pose of a first fixed joint is that of the base; a length is that of a joint along one axis, turned or
        not; followers have no zeros of their own; and what is unknown is no fault."""
        text, limit = "<robot name='r'><link name='l0'/>", "<limit lower='-1' upper='1' velocity='1' effort='1'/>"
        for i, (name, kind, xyz, more) in enumerate(
            [
                ("f0", "fixed", "1 0 0", ""),
                ("r1", "revolute", "0 0 0", limit),
                ("f2", "fixed", "0 0 -0.2", ""),
                ("p3", "prismatic", "1 1 0", limit),
                ("m4", "revolute", "0 3 0", f"{limit}<mimic joint='r1'/>"),
            ]
        ):
            text += f"<link name='l{i + 1}'/><joint name='{name}' type='{kind}'><parent link='l{i}'/>"
            text += f"<child link='l{i + 1}'/><origin xyz='{xyz}' rpy='0.5 0 0.1'/>{more}</joint>"
        text += "</robot>"
        robot = kt.load(text, format="urdf")
        channel = channel_of(robot, "l5", np.zeros((1, 2)), np.eye(4)[None], np.eye(4), np.eye(4), (1.0, 1.0), free)
        assert channel.joints == ("f0", "r1", "f2", "p3", "m4")
        base, tool = ("base pose", "l0", tuple(range(33, 39))), ("tool pose", "l5", tuple(range(39, 45)))
        assert channel.causes == [
            ("zero", "r1", (0,)),
            ("zero", "p3", (1,)),
            ("joint pose", "r1", tuple(range(8, 14))),
            ("length", "f2", (16,)),
            ("joint pose", "f2", tuple(range(14, 20))),
            ("joint pose", "p3", tuple(range(20, 26))),
            ("length", "m4", (27,)),
            ("joint pose", "m4", tuple(range(26, 32))),
            *([] if "base" in free else [base]),
            *([] if "tool" in free else [tool]),
        ]
        assert channel.unknown == (base[2] if "base" in free else ()) + (tool[2] if "tool" in free else ())

    def test_the_jacobian_is_that_of_the_residual(self):
        channel, rows, h = self.channel(), np.arange(5), 1e-6
        x = np.zeros(channel.size)
        assert np.abs(channel.residual(x, rows)).max() < 1e-9
        J = channel.jacobian(x, rows, range(channel.size))
        np.testing.assert_array_equal(channel.jacobian(x, rows, [30, 2, 39]), J[..., [30, 2, 39]])
        for i, e in enumerate(np.eye(channel.size)):
            slope = (channel.residual(x + h * e, rows) - channel.residual(x - h * e, rows)) / (2 * h)
            np.testing.assert_allclose(J[..., i], slope, rtol=0, atol=1e-5 * max(1, np.abs(slope).max()))

    def test_a_fit_returns_to_the_truth(self):
        channel = self.channel()
        start = np.zeros(channel.size)
        start[:4], start[-12:] = 0.05, 0.1
        fit = fitted(channel, start, (*range(1, 4), *channel.unknown), np.arange(len(Q)))
        assert fit.loss < 1e-9
        np.testing.assert_allclose(channel.predicted(fit.x, np.arange(len(Q))), channel.T, atol=1e-8)

    def test_the_loss_of_an_outlier_grows_linearly(self):
        assert loss(np.array([[3.0, 0, 0]])) == 9.0
        assert loss(np.array([[0, 4.0, 0], [0, 0, 1.0]])) == 3 * (8 - 3) + 1

    @each("vector", [[0, 0, 0], [1e-14, 0, 0], [0.1, 0.2, 0.3], [0, 3.1, 0]])
    def test_rotation_vectors(self, vector):
        R = rotation_from_vector(vector)
        np.testing.assert_allclose(rotation_vectors(R[None])[0], vector, rtol=0, atol=1e-15)
        np.testing.assert_allclose(rotation_vectors(R), log(quaternion_from_rotation(R)), rtol=0, atol=1e-15)
