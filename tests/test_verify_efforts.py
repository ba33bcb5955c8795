"""`kt.verify` by torques: faults that are planted in simulated logs are named, and none in clean ones."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.lab.identify.columns import Filter, columns, delayed, ends, filter_of, trajectory
from kinetree.lab.identify.efforts import about_centre, inertia_of, payload
from kinetree.lab.identify.search import Fit, _covariance, fitted
from kinetree.lab.identify.torques import _channel
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Dynamics, Limit
from kinetree.spatial.plucker import skew
from kinetree.spatial.se3 import homogeneous, rotation_from_vector
from support import example_robot_urdfs

LINK = {"m": 2.0, "r": [0.2, 0.02, 0.01], "I": [0.02, 0.05, 0.04, 0.003, -0.002, 0.004]}
ARM = kt.chain(
    [
        {**LINK, "axis": [0, 0, 1]},
        {**LINK, "axis": [0, 1, 0], "xyz": [0.1, 0, 0.3]},
        {**LINK, "axis": [0, 1, 0], "xyz": [0.4, 0, 0]},
    ]
)
DOWN = (0.0, 0.0, -9.81)
ROW = np.array(kt.dynamics.inertial_parameters(ARM)["q3_link"])


def motion(robot, rng, seconds=20.0, rate=100.0):
    """Return t, q, qd and qdd of periods of 10 s and five harmonics, inside the limits."""
    t = np.arange(0, seconds, 1 / rate)
    w = 2 * np.pi * 0.1 * np.arange(1, 6)[:, None]
    a, b = rng.uniform(-1, 1, (2, robot.nq, 5))
    lower, upper = np.clip(robot.limits.lower, -3, 3), np.clip(robot.limits.upper, -3, 3)
    q = (a / w.T) @ np.sin(w * t) - (b / w.T) @ np.cos(w * t)
    size = np.minimum(0.4 * (upper - lower) / np.abs(q).max(axis=1), 0.5)[:, None]
    qd, qdd = a @ np.cos(w * t) + b @ np.sin(w * t), -(a * w.T) @ np.sin(w * t) + (b * w.T) @ np.cos(w * t)
    return t, (size * q).T + (lower + upper) / 2, (size * qd).T, (size * qdd).T


def plant(robot, rng, kind, element, value):
    """Return the arguments of `kt.verify` for a robot with a fault. Its torques are those of the mapping of parameters,
    of which another test knows that they are those of other libraries, and friction as in a textbook."""
    t, q, qd, qdd = motion(robot, rng)
    parameters, names = kt.dynamics.inertial_parameters(robot), robot.joint_names
    j, gravity, true = names.index(element) if element in names else 0, DOWN, q.copy()
    if kind in ("mass", "centre", "inertia"):
        parameters[element] = inertia_of(parameters[element], value)
    elif kind == "gravity":
        gravity = tuple(np.add(DOWN, value))
    elif kind == "zero":
        true[:, j] += value
    tau = kt.inverse_dynamics(robot, parameters=True, gravity=gravity)(true, qd, qdd, parameters)
    if kind in (rates := {"viscous friction": qd, "Coulomb friction": np.sign(qd), "armature": qdd}):
        tau[:, j] += value * rates[kind][:, j]
    elif kind.startswith("effort"):
        tau[:, j] *= value
    noise = 0.02 * np.sqrt((tau**2).mean(axis=0))
    return {
        "q": q + rng.normal(0, 2e-5, q.shape),
        "t": t,
        "effort": tau + rng.normal(size=tau.shape) * noise,
    }


def named(found):
    return [(fault.kind, fault.element) for fault in found.faults]


def density(by):
    return np.array([by, *np.zeros(9)])


def centre(*by):
    return np.array([0, *by, *np.zeros(6)])


class TestInertias:
    def test_without_a_change(self):
        np.testing.assert_allclose(inertia_of(ROW, np.zeros(10)), ROW, rtol=1e-14, atol=1e-16)

    def test_density(self):
        np.testing.assert_allclose(inertia_of(ROW, density(0.3)), np.exp(0.3) * ROW, rtol=1e-14)

    def test_the_centre_moves_by_the_theorem_of_steiner(self):
        found, by = inertia_of(ROW, centre(0.1, -0.2, 0.3)), np.array([0.1, -0.2, 0.3])
        c = ROW[1:4] / ROW[0]
        assert found[0] == ROW[0]
        np.testing.assert_allclose(found[1:4] / ROW[0], c + by, rtol=1e-14)
        I = ROW[0] * (skew(c + by) @ skew(c + by).T - skew(c) @ skew(c).T)
        np.testing.assert_allclose(found[[4, 6, 9]] - ROW[[4, 6, 9]], I.diagonal(), rtol=1e-12)
        np.testing.assert_allclose(about_centre(found), about_centre(ROW), rtol=1e-10)

    def test_every_inertia_is_that_of_a_body(self):
        rng = np.random.default_rng(0)
        for _ in range(20):
            xx, xy, yy, xz, yz, zz = about_centre(inertia_of(ROW, 3 * rng.normal(size=10)))
            a, b, c = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            assert a > 0
            assert a + b >= c * (1 - 1e-9)

    def test_six_numbers_of_an_inertia_are_relative(self):
        """The logarithm of second moments: the same factor for all of them is a factor of the inertia."""
        found = about_centre(inertia_of(ROW, np.array([0, 0, 0, 0, 0.2, 0, 0.2, 0, 0, 0.2])))
        np.testing.assert_allclose(found, np.exp(0.2) * about_centre(ROW), rtol=1e-12)


class TestColumns:
    def test_the_filter_is_a_convolution(self):
        rng = np.random.default_rng(0)
        values, made = rng.normal(size=(101, 2)), Filter(np.array([0.2, 0.5, 0.3]), 2)
        found = made.of((0, 101), lambda at: values[at])
        expected = [np.convolve(x, made.weights[::-1], "valid")[::2] for x in values.T]
        np.testing.assert_allclose(found.T, expected, rtol=1e-14)

    def test_the_filter_of_a_rate(self):
        made = filter_of(0.01)
        assert abs(made.weights.sum() - 1) < 1e-12
        assert (len(made.weights), made.step) == (10, 5)
        assert filter_of(None) == (np.ones(1), 1)
        assert 1.1 < filter_of(0.001).spread < 1.2  # Hann's windows that overlap by half: 2 / √3
        assert len(filter_of(0.1).weights) == 5

    def test_rates_of_a_log_with_lost_samples(self):
        t = np.delete(np.arange(0, 3, 0.01), [50, 51, 120])
        log = trajectory(np.sin(t)[:, None], t[:, None], t, None, None)
        assert log.dt == pytest.approx(0.01)
        assert len(log.q) == 300
        even = np.arange(300) * 0.01
        inside = (even > 0.1) & (even < 2.9) & (np.abs(even - 0.5) > 0.1) & (np.abs(even - 1.2) > 0.1)
        np.testing.assert_allclose(log.qd[inside, 0], np.cos(even)[inside], rtol=0, atol=1e-4)
        np.testing.assert_allclose(log.qdd[inside, 0], -np.sin(even)[inside], rtol=0, atol=1e-3)

    @pytest.mark.slow
    def test_columns_add_up(self):
        """To the torques of another robot: heavier, damped, tilted, and moved by a little."""
        rng = np.random.default_rng(1)
        q, qd, qdd = rng.uniform(-1, 1, (3, 20, 3))
        log = trajectory(q, np.zeros((20, 3)), None, qd, qdd)
        _, model, W = columns(ARM, log, DOWN)
        np.testing.assert_allclose(model, kt.inverse_dynamics(ARM)(q, qd, qdd), rtol=1e-12)
        np.testing.assert_allclose(W[..., 20:30] @ ROW, model - W[..., :20] @ np.tile(ROW, 2), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(W[..., 30:42].sum(axis=-1), qd + np.sign(qd) + qdd + 1, rtol=1e-14)
        np.testing.assert_array_equal(W[..., 39:42], np.tile(np.eye(3), (20, 1, 1)))
        there = kt.inverse_dynamics(ARM, gravity=(1, 2, -7.0))(q, qd, qdd)
        np.testing.assert_allclose(model + W[..., 42:45] @ [1, 2, 2.81], there, rtol=1e-12, atol=1e-12)
        dq = 1e-4 * np.array([1, -2, 3])
        np.testing.assert_allclose(
            model + W[..., 45:48] @ dq, kt.inverse_dynamics(ARM)(q + dq, qd, qdd), rtol=0, atol=1e-5
        )


class TestChannel:
    def channel(self):
        log = plant(ARM, np.random.default_rng(2), "mass", "q2_link", density(0.2))
        made = _channel(
            ARM, trajectory(log["q"], log["effort"], log["t"], None, None), DOWN, np.ones(3, bool), np.zeros(7)
        )
        return replace(made, noise=np.array([0.1, 0.2, 0.3]))

    @pytest.mark.slow
    def test_the_jacobian_is_that_of_the_residual(self):
        channel, rows, h = self.channel(), np.arange(40, 50), 1e-5
        x = 0.1 * np.random.default_rng(0).normal(size=channel.size)
        J = channel.jacobian(x, rows, range(channel.size))
        np.testing.assert_allclose(channel.jacobian(x, rows, [47, 2, 31]), J[..., [47, 2, 31]], rtol=1e-12, atol=1e-12)
        for i, e in enumerate(np.eye(channel.size)):
            slope = (channel.residual(x + h * e, rows) - channel.residual(x - h * e, rows)) / (2 * h)
            np.testing.assert_allclose(J[..., i], slope, rtol=0, atol=1e-6 * max(1, np.abs(slope).max()))

    @pytest.mark.slow
    def test_friction_stays_positive(self):
        channel = self.channel()
        place = 34 + 3  # Coulomb friction of q1, after three links and a payload
        channel = replace(channel, tau=channel.tau - 5 * channel.columns[..., 33])
        fit = fitted(channel, np.zeros(channel.size), [place], np.arange(len(channel.tau)))
        assert fit.x[place] == 0.0

    def test_what_a_log_does_not_determine(self):
        """A link that turns about a vertical axis shows one combination of its centre, and nothing of its height."""
        channel = self.channel()
        rows = np.arange(len(channel.tau))
        C = _covariance(channel, Fit(np.zeros(channel.size), (1, 2, 3, 20), 0.0), rows)
        assert np.isinf(C.diagonal()[1:4]).all()
        assert 0 < C[20, 20] < 1
        assert np.isnan(C[0, 0])

    def test_causes_have_each_number_once(self):
        channel = self.channel()
        places = [i for one in channel.causes for i in one.places]
        assert sorted([*places, *channel.unknown]) == [*range(channel.size)]
        assert channel.unknown == tuple(channel.offsets)


CASES = [
    ("none", "q1", 0.0),
    ("mass", "q3_link", density(-0.3)),
    ("centre", "q2_link", centre(0.02, 0.01, -0.015)),
    ("inertia", "q3_link", np.array([0, 0, 0, 0, 0.9, 0.2, 0.8, 0.1, -0.1, 0.7])),
    ("viscous friction", "q1", 0.2),
    ("Coulomb friction", "q2", 0.8),
    ("armature", "q3", 0.3),
    ("gravity", "q1_link", [0.5, -0.9, 0.06]),
    ("gravity", "base_link", [0, 0, 19.62]),
    ("zero", "q2", 0.08),
    ("effort scale", "q2", 1.3),
    ("effort sign", "q3", -1.0),
]


class TestFewStates:
    """Torques of a joint that turns and one that slides, in states without order: one fault each, quickly."""

    ROBOT = kt.chain(
        [{**LINK, "axis": [0, 1, 0]}, {**LINK, "type": "prismatic", "axis": [1, 0, 0], "xyz": [0.4, 0, 0]}]
    )
    Q, QD, QDD = np.random.default_rng(0).uniform(-1.5, 1.5, (3, 36, 2))

    def found(self, factor=1.0, added=0.0, gravity=DOWN, by=(0.0, 0.0), order=(0, 1)):
        """Return what torques show that are `factor` times those at positions that differ `by` some, and `added`."""
        tau = kt.inverse_dynamics(self.ROBOT, gravity=gravity)(self.Q + by, self.QD, self.QDD)
        tau = np.asarray(factor) * (tau + np.random.default_rng(1).normal(0, 0.01, tau.shape)) + added
        return kt.verify(self.ROBOT, self.Q, qd=self.QD, qdd=self.QDD, effort=tau[:, order])

    @pytest.mark.slow
    @each(
        "options, expected, value, unit",
        [
            ({}, None, None, ""),
            ({"factor": [np.nan, 1]}, None, None, ""),
            ({"factor": [1, -1]}, ("effort sign", "q2"), None, ""),
            ({"order": [1, 0]}, ("effort order", "q1, q2"), None, ""),
            ({"factor": 1000}, ("effort unit", "effort"), 1000, "1"),
            ({"factor": 1e-3}, ("effort unit", "effort"), 1e-3, "1"),
            ({"factor": [1, 1.3]}, ("effort scale", "q2"), 1.3, "1"),
            ({"gravity": (9.81, 0, 0)}, ("gravity", "base_link"), [9.81, 0, 9.81], "m/s²"),
            ({"by": (0.008, 0.0)}, ("zero", "q1"), 0.008, "rad"),
            ({"added": [0, 0.5] * QD}, ("viscous friction", "q2"), 0.5, "N s/m"),
            ({"added": [0.5, 0] * QD}, ("viscous friction", "q1"), 0.5, "N m s/rad"),
            ({"added": [0, 0.3] * QDD}, ("armature", "q2"), 0.3, "kg"),
            ({"added": [0.5, 0] * np.sign(QD)}, ("Coulomb friction", "q1"), 0.5, "N m"),
        ],
    )
    def test_one_fault(self, options, expected, value, unit):
        found = self.found(**options)
        assert found.explained
        assert named(found) == ([expected] if expected else [])
        assert (found.error, found.still, found.outliers) == (None, (), ())
        for fault in found.faults:
            assert fault.unit == unit
            # that of the first joint of an arm in a plane turns all of it, as another direction of gravity does
            assert fault.alike == ((("gravity", "base_link"),) if fault.kind == "zero" else ())
            assert 0.9 < fault.explains <= 1.0
            if value is not None:
                assert (np.abs(fault.value - np.asarray(value)) <= 4 * np.asarray(fault.std) + 1e-12).all()
                assert np.all(np.asarray(fault.std) < 0.01)

    @pytest.mark.slow
    def test_a_sign_and_a_zero_for_which_columns_are_computed_again(self):
        found = self.found(by=(0.0, 0.05), factor=[-1, 1])
        assert named(found) == [("effort sign", "q1"), ("zero", "q2")]
        assert abs(found.faults[1].value - 0.05) < 4 * found.faults[1].std < 0.01

    @pytest.mark.slow
    def test_the_deviation_of_friction_is_that_of_a_line(self):
        """The offset of the torques is not known either, so that the line need not pass through zero."""
        found, n = self.found(added=[0, 0.5] * self.QD), len(self.QD)
        (fault,) = found.faults
        assert fault.std == pytest.approx(found.torques[2, 1] / np.sqrt(n) / self.QD[:, 1].std(), rel=1e-6)
        assert found.torques[0, 1] == pytest.approx(0.5 * self.QD[:, 1].std(), rel=0.02)
        np.testing.assert_allclose(found.torques[1:], 0.01, rtol=0.5)

    def test_what_nothing_explains(self):
        tau = np.random.default_rng(5).normal(size=self.Q.shape)
        found = kt.verify(self.ROBOT, self.Q, qd=self.QD, qdd=self.QDD, effort=tau)
        assert not found.explained
        assert found.faults == ()
        assert "No faults that are known here explain that." in str(found)


@pytest.mark.slow
def test_the_friction_of_a_log():
    log = plant(ARM, np.random.default_rng(3), "Coulomb friction", "q2", 0.8)
    found = kt.verify(ARM, **log)
    (fault,) = found.faults
    assert named(found) == [("Coulomb friction", "q2")]
    assert abs(fault.value - 0.8) < 3 * fault.std < 0.05
    assert fault.unit == "N m"
    assert found.error is None
    assert found.torques.shape == (3, 3)
    assert found.torques[0, 1] > 3 * found.torques[1, 1]
    assert "The Coulomb friction of q2 is off by 0.8" in str(found)
    assert "The noise of the log alone would leave torques" in str(found)


@pytest.mark.slow
@each("kind, element, value", CASES)
@pytest.mark.nightly
def test_planted_faults(kind, element, value):
    log = plant(ARM, np.random.default_rng(4), kind, element, value)
    found = kt.verify(ARM, **log)
    assert found.explained
    if kind == "none":
        assert found.faults == ()
        assert str(found).startswith("The model agrees: torques ")
        return
    where = ARM.root if kind == "gravity" else element
    assert named(found) == [(kind, where)], str(found)
    (fault,) = found.faults
    if kind == "effort sign":
        assert "The torque of q3 has the other sign." in str(found)
    elif kind == "mass":
        assert abs(fault.value - 2 * (np.exp(-0.3) - 1)) < 4 * fault.std
    elif kind == "inertia":
        change = about_centre(inertia_of(ROW, value)) - about_centre(ROW)
        assert (np.abs(fault.value - change) < 4 * fault.std).all()
    else:
        true = value[1:4] if kind == "centre" else np.asarray(value)
        assert (np.abs(fault.value - true) < 4 * np.asarray(fault.std) + 1e-9).all()


@pytest.mark.slow
class TestLogs:
    def test_two_faults(self):
        rng = np.random.default_rng(5)
        log = plant(ARM, rng, "viscous friction", "q1", 0.5)
        more = plant(ARM, np.random.default_rng(5), "none", "q1", 0)
        heavy = plant(ARM, np.random.default_rng(5), "mass", "q3_link", density(0.2))
        log["effort"] = log["effort"] + heavy["effort"] - more["effort"]
        assert {*named(kt.verify(ARM, **log))} == {("viscous friction", "q1"), ("mass", "q3_link")}

    def test_friction_of_the_file_is_known(self):
        parts = parts_of(ARM)
        parts.joints = [replace(one, dynamics=(Dynamics(damping=0.4, friction=0.6),)) for one in parts.joints]
        rough = build(parts)
        log = plant(ARM, np.random.default_rng(6), "none", "q1", 0)
        _, _, qd, _ = motion(ARM, np.random.default_rng(6))
        log["effort"] += 0.4 * qd + 0.6 * np.sign(qd)
        assert kt.verify(rough, **log).faults == ()
        log["effort"] -= 0.5 * np.sign(qd) * [0, 0, 1]
        (fault,) = kt.verify(rough, **log).faults
        assert (fault.kind, fault.element) == ("Coulomb friction", "q3")
        assert abs(fault.value + 0.5) < 4 * fault.std

    def test_units_and_order(self):
        log = plant(ARM, np.random.default_rng(7), "none", "q1", 0)
        found = kt.verify(ARM, **{**log, "effort": 1000 * log["effort"]})
        assert named(found) == [("effort unit", "effort")]
        assert found.faults[0].value == 1000
        found = kt.verify(ARM, **{**log, "effort": log["effort"][:, [0, 2, 1]]})
        assert named(found) == [("effort order", "q2, q3")]

    def test_a_joint_without_torques(self):
        log = plant(ARM, np.random.default_rng(8), "viscous friction", "q3", 0.5)
        log["effort"][:, 0] = np.nan
        assert named(kt.verify(ARM, **log)) == [("viscous friction", "q3")]

    def test_a_joint_that_rests_without_torques_is_as_if_fixed(self):
        """It need not be at zero, and those above and below it are as without it."""
        stiff = kt.edit.lock(ARM, {"q2": 0.4})
        log = plant(stiff, np.random.default_rng(7), "mass", "q3_link", density(0.3))
        q, effort = (np.insert(log[name], 1, value, axis=1) for name, value in (("q", 0.4), ("effort", np.nan)))
        found, alone = kt.verify(ARM, q, t=log["t"], effort=effort), kt.verify(stiff, **log)
        assert named(found) == named(alone) == [("mass", "q3_link")]
        assert found.faults[0].value == pytest.approx(alone.faults[0].value, rel=1e-6)
        assert found.still == ()
        np.testing.assert_allclose(found.torques[:, [0, 2]], alone.torques, rtol=0.02)
        assert np.isnan(found.torques[:, 1]).all()
        assert len(re.search(r"torques (.*) N m rms", str(found))[1].split()) == 2

    def test_torques_that_are_not_those_of_the_joint_are_left_out(self):
        log = plant(ARM, np.random.default_rng(8), "mass", "q2_link", density(0.4))
        log["effort"][:, 2] = 0.02 * np.random.default_rng(9).normal(size=len(log["t"]))
        found = kt.verify(ARM, **log)
        assert found.explained
        assert named(found)[0] == ("effort scale", "q3")
        assert found.faults[0].value == 0.0
        assert "Torques of q3 of the log have no relation to those of the model; they are left out." in str(found)
        assert named(found)[1:] == [("mass", "q2_link")]
        assert np.isnan(found.torques[:, 2]).all()

    @each("joint", [0, 1])
    def test_they_say_nothing_of_the_unit(self, joint):
        """Of two joints one has noise a thousandth as large as the model's torques."""
        arm = kt.chain([{**LINK, "axis": [0, -1, 0]}, {**LINK, "axis": [0, -1, 0], "xyz": [0.6, 0, 0]}])
        for seed in range(3):
            log = plant(arm, np.random.default_rng(seed), "none", "q1", 0)
            log["effort"][:, joint] = 0.01 * np.random.default_rng(seed).normal(size=len(log["t"]))
            found = kt.verify(arm, **log)
            assert named(found) == [("effort scale", arm.joint_names[joint])]
            assert found.faults[0].value == 0.0

    def test_a_sample_that_is_not_finite(self):
        log = plant(ARM, np.random.default_rng(8), "none", "q1", 0)
        for value in (np.nan, np.inf):
            effort = log["effort"].copy()
            effort[7, 1] = value
            with pytest.raises(
                KinetreeError, match=f"effort of q2 is {value} at sample 7; expected finite numbers, or"
            ):
                kt.verify(ARM, **{**log, "effort": effort})

    def test_a_robot_at_rest(self):
        """Poses without order tell about weight alone, so that inertia and friction stay those of the file."""
        rng = np.random.default_rng(9)
        q, rest = rng.uniform(-1.5, 1.5, (60, 3)), np.zeros((60, 3))
        parameters = kt.dynamics.inertial_parameters(ARM)
        parameters["q3_link"] = inertia_of(ROW, density(0.2))
        tau = kt.inverse_dynamics(ARM, parameters=True)(q, rest, rest, parameters)
        tau += rng.normal(0, 0.01, tau.shape)
        (fault,) = kt.verify(ARM, q, qd=rest, qdd=rest, effort=tau).faults
        assert (fault.kind, fault.element) in (("mass", "q3_link"), ("centre", "q3_link"))
        assert fault.kind == "mass" or fault.alike

    def test_outliers(self):
        log = plant(ARM, np.random.default_rng(10), "none", "q1", 0)
        log["effort"][1000:1010, 1] += 200
        found = kt.verify(ARM, **log)
        assert found.faults == ()
        assert any(990 <= sample <= 1020 for sample in found.outliers)

    def test_what_nothing_explains(self):
        log = plant(ARM, np.random.default_rng(11), "none", "q1", 0)
        found = kt.verify(ARM, **{**log, "effort": np.random.default_rng(0).normal(size=log["effort"].shape)})
        assert not found.explained
        assert found.faults == ()
        assert "No faults that are known here explain that." in str(found)

    def test_predicted_deviations(self):
        z = []
        for seed in range(16):
            log = plant(ARM, np.random.default_rng(seed), "mass", "q3_link", density(0.2))
            (fault,) = kt.verify(ARM, **log).faults
            z.append((fault.value - 2 * (np.exp(0.2) - 1)) / fault.std)
        assert abs(np.mean(z)) < 0.75
        assert 0.6 < np.std(z) < 1.4

    def test_the_deviation_of_a_scale(self):
        """That of a line of torques over those of the model, one in 0.05 s, from windows that overlap."""
        log = plant(ARM, np.random.default_rng(4), "effort scale", "q2", 1.5)
        (fault,) = (found := kt.verify(ARM, **log)).faults
        model = log["effort"][:, 1].std() / 1.5
        spread = filter_of(0.01).spread
        assert fault.std == pytest.approx(spread * found.torques[2, 1] / model / np.sqrt(20 / 0.05), rel=0.1)

    @pytest.mark.nightly
    def test_poses_and_torques(self):
        """A zero that poses show is no fault of torques: these are explained by the corrected model."""
        rng = np.random.default_rng(12)
        t, q, qd, qdd = motion(ARM, rng)
        true = np.add(q, [0, 0.05, 0])
        tau = kt.inverse_dynamics(ARM)(true, qd, qdd) + [0, 0, 0.5] * qd
        tau += rng.normal(0, 0.02, tau.shape)
        T = kt.fk(ARM, "q3_link")(true)
        T[:, :3, 3] += rng.normal(0, 1e-4, (len(T), 3))
        found = kt.verify(ARM, q[::20], poses={"q3_link": T[::20]})
        assert named(found) == [("zero", "q2")]
        found = kt.verify(ARM, q, t=t, effort=tau, poses={"q3_link": T})
        assert named(found) == [("zero", "q2"), ("viscous friction", "q3")]
        assert found.torques[1, 2] < found.torques[0, 2]
        found = kt.verify(ARM, q * [1, -1, 1], t=t, qd=qd, effort=tau * [1, -1, 1], poses={"q3_link": T})
        assert named(found) == [("sign", "q2"), ("zero", "q2"), ("viscous friction", "q3")]

    @each("name", ["ur5_robot.urdf", "panda.urdf"])
    @pytest.mark.nightly
    def test_arms(self, name):
        robot = kt.load(next(file for file in example_robot_urdfs() if file.name == name))
        robot = kt.edit.lock(robot, {joint: 0.0 for joint in robot.joint_names if "finger" in joint})
        names, links = robot.joint_names, [*kt.dynamics.inertial_parameters(robot)]
        for seed, (kind, element, value) in enumerate(
            [
                ("none", names[0], 0.0),
                ("mass", links[3], density(0.25)),
                ("centre", links[4], centre(0.02, -0.02, 0.03)),
                ("Coulomb friction", names[1], 2.0),
                ("effort scale", names[2], 0.8),
            ]
        ):
            found = kt.verify(robot, **plant(robot, np.random.default_rng(seed), kind, element, value))
            assert named(found) == ([] if kind == "none" else [(kind, element)]), str(found)


class TestErrors:
    @each(
        "options, part",
        [
            ({}, "there are neither poses nor effort"),
            ({"effort": np.ones((20, 3))}, "effort is without t"),
            ({"effort": np.ones((20, 3)), "qd": np.zeros((20, 3))}, "effort is without t"),
            ({"effort": np.zeros((20, 2)), "t": np.arange(20)}, r"effort has shape \(20, 2\); expected \(20, 3\)"),
            ({"effort": np.ones((20, 3)), "t": np.zeros(20)}, "t does not increase"),
            ({"effort": np.full((20, 3), np.nan), "t": np.arange(20)}, "effort has no torques; all are zero or nan"),
            ({"effort": np.ones((20, 3)), "t": np.arange(19)}, r"t has shape \(19,\); expected \(20,\)"),
            ({"effort": np.ones((20, 3)), "t": np.arange(20), "qd": np.full((20, 3), np.nan)}, "finite numbers"),
        ],
    )
    def test_illegal_logs(self, options, part):
        with pytest.raises(KinetreeError, match=part):
            kt.verify(ARM, np.zeros((20, 3)), **options)


class TestOffsets:
    """A constant part of each torque is the sensor's, and no fault of the model."""

    FEW = TestFewStates()

    def test_of_torques_are_no_fault(self):
        found = self.FEW.found(added=[0.0, 3.0])
        assert found.agrees
        assert found.faults == ()
        assert found.offsets["q2"] == pytest.approx(3.0, abs=0.01)
        assert found.offsets["q1"] == pytest.approx(0.0, abs=0.01)
        assert "Torques of the log have constant offsets, as sensors do, N m or N: q2 3" in str(found)
        np.testing.assert_allclose(found.torques[0], 0.01, rtol=0.5)

    @each(
        "options, expected, value",
        [
            ({"factor": [1, -1]}, ("effort sign", "q2"), None),
            ({"factor": [1, 1.3]}, ("effort scale", "q2"), 1.3),
            ({"order": [1, 0]}, ("effort order", "q1, q2"), None),
            ({"factor": 1000}, ("effort unit", "effort"), 1000),
        ],
    )
    def test_beside_faults(self, options, expected, value):
        factor = np.abs(np.asarray(options.get("factor", 1.0))).max()
        found = self.FEW.found(added=factor * np.array([-2.0, 5.0]), **options)
        assert named(found) == [expected]
        if value is not None:
            assert abs(found.faults[0].value - value) <= 4 * found.faults[0].std
        if expected[0] == "effort scale":
            assert found.offsets["q2"] == pytest.approx(1.3 * 5.0, abs=0.03)  # of the torques of the log

    @pytest.mark.slow
    @each("added", [0.0, 4.0])
    def test_without_motion_and_scales_are_the_same(self, added):
        """A joint whose torque is constant: its scale and the offset have one effect."""
        lift = kt.chain([{**LINK, "type": "prismatic", "axis": [0, 0, 1]}, {**LINK, "axis": [0, 1, 0]}])
        rng = np.random.default_rng(2)
        q, rest = rng.uniform(-1.5, 1.5, (40, 2)), np.zeros((40, 2))
        tau = kt.gravity_torques(lift)(q) + rng.normal(0, 0.01, (40, 2)) + [added, 0.0]
        found = kt.verify(lift, q, qd=rest, qdd=rest, effort=tau)
        assert found.faults == ()
        assert found.together == ((("effort scale", "q1"), ("effort offset", "q1")),)
        assert found.offsets["q1"] == pytest.approx(added, abs=0.02)
        assert "This log cannot tell the effort scale of q1 from the effort offset." in str(found)

    @each("factor", [1.0, 1.5])
    def test_a_log_at_rest_shows_nothing(self, factor):
        rng = np.random.default_rng(0)
        q = np.tile([0.1, 0.2], (60, 1)) + 1e-5 * rng.normal(size=(60, 2))
        robot = self.FEW.ROBOT
        tau = factor * kt.gravity_torques(robot)(q) + rng.normal(0, 0.01, (60, 2))
        found = kt.verify(robot, q, t=0.01 * np.arange(60), effort=tau)
        assert not found.agrees
        assert (found.faults, found.blind) == ((), ("torques",))
        assert repr(found) == "Verification: the log shows nothing"
        assert str(found).startswith("This log cannot show whether the model agrees: torques ")
        assert "The torques of this log show no fault of the model: move more joints, farther." in str(found)


class TestTimes:
    """Times that are not those of the samples in s, and those with gaps."""

    PENDULUM = kt.chain([{**LINK, "axis": [0, 1, 0]}])
    T = np.arange(0, 6, 0.02)
    Q, QD, QDD = (x[:, None] for x in (np.sin(1.5 * T), 1.5 * np.cos(1.5 * T), -2.25 * np.sin(1.5 * T)))
    TAU = kt.inverse_dynamics(PENDULUM)(Q, QD, QDD) + np.random.default_rng(0).normal(0, 0.01, (len(T), 1))

    @each(
        "factor, rates, part",
        [
            (
                1000,
                {},
                "t has steps of 20, and rates are found by steps up to 0.3 s; expected t in s, which is not in ms",
            ),
            (1000, {"qd": QD}, "t has steps of 20"),
            (
                1000,
                {"qd": QD, "qdd": QDD},
                "qd of q1 is 1000 times what q moves a second by t; expected t in s, and qd",
            ),
            (1, {"qd": np.rad2deg(QD)}, "qd of q1 is 57.3 times what"),
            (1, {"qd": -QD}, "qd of q1 is -1 times what"),
            (0.001, {}, "the longest part of t without gaps has 0.00598 s; expected at least 0.1 s and 5 samples"),
        ],
    )
    def test_in_other_units(self, factor, rates, part):
        with pytest.raises(KinetreeError, match=part):
            kt.verify(self.PENDULUM, self.Q, t=factor * self.T, effort=self.TAU, **rates)

    @pytest.mark.slow
    def test_faster_than_the_limit(self):
        parts = parts_of(self.PENDULUM)
        parts.joints = [replace(one, limits=(Limit(velocity=2.0),)) for one in parts.joints]
        slow = build(parts)
        assert kt.verify(slow, self.Q, t=self.T, effort=self.TAU).agrees
        with pytest.raises(
            KinetreeError, match=r"q of q1 moves at 13.* a second by t, and its limit is 2; expected t in"
        ):
            kt.verify(slow, self.Q, t=self.T / 9, effort=self.TAU)

    def test_rates_are_not_found_across_gaps(self):
        """Of a log without the samples of two seconds, in which the joint came to another place."""
        log = trajectory(self.Q, self.TAU, self.T, None, None)
        keep = (self.T < 2.0) | (self.T > 4.0)
        cut = trajectory(self.Q[keep], self.TAU[keep], self.T[keep], None, None)
        assert log.parts == (0, 300)
        assert cut.parts == (0, 100, 199)
        np.testing.assert_allclose(
            np.abs(cut.qd - np.interp(cut.t, self.T, self.QD[:, 0])[:, None]).max(), 0.0, atol=0.05
        )
        starts = filter_of(cut.dt).starts(cut.parts)
        assert starts.tolist() == [*range(0, 96, 2), *range(100, 195, 2)]
        found = kt.verify(self.PENDULUM, self.Q[keep], t=self.T[keep], effort=self.TAU[keep])
        assert found.agrees
        assert found.gaps == (100,)
        assert "Times have gaps before samples 100; rates are not found across them." in str(found)

    def test_encoders_that_begin_again_after_a_turn(self):
        q = 3.5 * self.Q
        tau = kt.inverse_dynamics(self.PENDULUM)(q, 3.5 * self.QD, 3.5 * self.QDD)
        tau += np.random.default_rng(0).normal(0, 0.01, tau.shape)
        assert self.PENDULUM.limits.turning == ("q1",)
        found = kt.verify(self.PENDULUM, (q + np.pi) % (2 * np.pi) - np.pi, t=self.T, effort=tau)
        assert found.agrees
        np.testing.assert_allclose(found.torques[0], found.torques[2], rtol=0.2)


class TestDelays:
    def late(self, by, seconds=8.0):
        t = np.arange(0, seconds, 0.01)
        q = np.column_stack([np.sin(1.3 * t) + 0.5 * np.sin(3.1 * t), 0.3 * np.cos(2.2 * t)])
        qd, qdd = (np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0))
        tau = kt.inverse_dynamics(TestFewStates.ROBOT)(q, qd, qdd)
        tau = np.column_stack([np.interp(t - by, t, x) for x in tau.T])
        return {"q": q, "t": t, "effort": tau + np.random.default_rng(1).normal(0, 0.05, tau.shape)}

    @pytest.mark.slow
    @each("by", [0.03, -0.24])
    def test_of_torques(self, by):
        found = kt.verify(TestFewStates.ROBOT, **self.late(by))
        (fault,) = found.faults
        assert (fault.kind, fault.element, fault.unit) == ("delay", "effort", "s")
        assert abs(fault.value - by) < 4 * fault.std < 0.004
        assert "- Torques are " in str(found)
        assert " ms later than q; this explains " in str(found)
        np.testing.assert_allclose(found.torques[1], found.torques[2], rtol=0.25)

    def test_shifted_logs_lose_what_is_not_known(self):
        log = trajectory(np.zeros((60, 1)), np.arange(60.0)[:, None], 0.02 * np.arange(60), None, None)
        log = log._replace(parts=(0, 20, 60))
        found = delayed(log, 0.05)
        assert found.parts == (0, 17, 54)
        np.testing.assert_allclose(found.effort[:, 0], [*np.arange(17) + 2.5, *np.arange(20, 57) + 2.5])
        np.testing.assert_allclose(found.t, [*0.02 * np.arange(17), *0.02 * np.arange(20, 57)])
        assert delayed(log, 0.0) is log

    def test_the_slope_of_a_filter(self):
        made = filter_of(0.01)
        values = np.column_stack([np.arange(50) * 0.01, np.ones(50)])
        np.testing.assert_allclose(made.slope(0.01).of((0, 50), lambda at: values[at]), [[1, 0]] * 9, atol=1e-12)


class TestPayloads:
    def test_the_parameters_of_a_point(self):
        """Those of a mass in a frame that is turned and moved, by the definition of an inertia."""
        T = homogeneous(rotation_from_vector([0.3, -0.2, 0.5]), [0.1, 0.2, -0.3])
        m, *c = u = np.array([2.0, 0.3, -0.1, 0.2])
        p = T[:3, :3] @ c + T[:3, 3]
        I = m * (p @ p * np.eye(3) - np.outer(p, p))
        np.testing.assert_allclose(
            payload(u, T), [m, *m * p, *(I[i] for i in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)))], rtol=1e-12
        )

    def test_are_at_the_last_bodies(self):
        T = homogeneous(np.eye(3), [0.1, 0, 0])
        robot = kt.edit.add_frame(ARM, "tool0", on="q3_link", origin=T)
        ((name, (body, there)),) = ends(robot).items()
        assert (name, body) == ("tool0", 2)
        np.testing.assert_allclose(there, T, atol=1e-15)
        assert [*ends(ARM)] == ["q3_link"]

    @pytest.mark.slow
    def test_of_two_joints(self):
        robot, few = TestFewStates.ROBOT, TestFewStates
        parameters = kt.dynamics.inertial_parameters(robot)
        parameters["q2_link"] = parameters["q2_link"] + payload(np.array([0.8, 0.1, 0.2, -0.15]), np.eye(4))
        tau = kt.inverse_dynamics(robot, parameters=True)(few.Q, few.QD, few.QDD, parameters)
        tau += np.random.default_rng(1).normal(0, 0.01, tau.shape)
        found = kt.verify(robot, few.Q, qd=few.QD, qdd=few.QDD, effort=tau)
        (fault,) = found.faults
        assert (fault.kind, fault.element, fault.unit) == ("payload", "q2_link", "kg, m")
        known = [0, 1, 3]  # both joints move in a plane, so that nothing is known of y
        assert (np.abs(fault.value - [0.8, 0.1, 0.2, -0.15])[known] < 4 * fault.std[known]).all()
        assert (fault.std[known] < 0.01).all()
        assert np.isinf(fault.std[2])
        assert re.search(
            r"- q2_link carries 0\.\d+ ± \S+ kg more, centred at \S+ 0 -1\d\d ± \S+ inf \S+ mm;", str(found)
        )
