"""Parts of `kt.verify` by themselves: sentences of faults, values in units of the model, checks of a log."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.lab.identify import torques
from kinetree.lab.identify.answer import ModelFault, Verification, _sentence
from kinetree.lab.identify.columns import check_rates
from kinetree.lab.identify.correct import corrected
from kinetree.lab.identify.efforts import inertia_of
from kinetree.lab.identify.search import Cause
from kinetree.lab.identify.setting import unturned
from kinetree.lab.identify.torques import _joined, in_units
from kinetree.lab.identify.verification import _checked_effort, _trajectory
from kinetree.lab.identify.wrenches import _Weights, _with_meter
from logged import ARM as TEXT

ARM = kt.load(TEXT, format="urdf")
ROW = np.array([2.0, 0.4, 0.2, -0.6, 0.9, 0.05, 0.8, 0.1, -0.02, 0.7])


def fault(kind, element="tip", value=None, std=None, unit="", alike=(), explains=0.5):
    return ModelFault(kind, element, value, std, explains, alike, unit)


@each(
    "one, said",
    [
        (fault("imu unit", "imu", 0.1), "Accelerations of imu are in g."),
        (fault("imu unit", "imu", 57.3), "Angular velocities of imu are in deg/s."),
        (
            fault("effort scale", "q1", 0.0, 0.0, "1"),
            "Torques of q1 of the log have no relation to those of the model; they are left out.",
        ),
        (
            fault("effort scale", "q1", 1.25, 0.0125, "1"),
            "Torques of q1 of the log are 1.25 ± 0.013 times those of the model; this explains 50%.",
        ),
        (
            fault("effort unit", "effort", 1000.0, 0.0, "1"),
            "Torques of the log are 1000 ± 0 times those of the model; this explains 50%.",
        ),
        (
            fault("payload", "tip", np.array([0.5, 0.01, 0.02, 0.03]), np.array([0.001, 0.002, 0.003, 0.004]), "kg, m"),
            "tip carries 0.5 ± 0.001 kg more, centred at 10 20 30 ± 2 3 4 mm; this explains 50%.",
        ),
        (fault("delay", "effort", 0.0125, 0.001, "s"), "Torques are 12.5 ± 1 ms later than q; this explains 50%."),
        (fault("delay", "tip", 0.0125, 0.001, "s"), "Poses of tip are 12.5 ± 1 ms later than q; this explains 50%."),
        (fault("imu delay", "imu", 0.1, 0.001, "s"), "Readings of imu are 100 ± 1 ms later than q; this explains 50%."),
        (
            fault("wrench delay", "ft", 0.1, 0.01, "s"),
            "Readings of ft are 100 ± 10 ms later than q; this explains 50%.",
        ),
        (
            fault("zero", "q1", np.pi / 180, np.pi / 1800, "rad", explains=1.0),
            "The zero of q1 is off by 1 ± 0.1 deg; this explains 100%.",
        ),
        (fault("mass", "b", 0.5, 0.01, "kg"), "The mass of b is off by 0.5 ± 0.01 kg; this explains 50%."),
        (
            fault("centre", "b", np.array([0.01, 0.0, -0.02]), np.full(3, 1e-3), "m"),
            "The centre of b is off by 10 0 -20 ± 1 1 1 mm; this explains 50%.",
        ),
        (
            fault("joint pose", "q1", np.array([0.003, 0.004, 0, 0, 0, np.pi / 180]), np.full(6, 1e-9)),
            "The joint pose of q1 is off by 5 mm and 1 deg; this explains 50%.",
        ),
        (
            fault("sensor turn", "ft", np.array([0, 0, 0, 0, 0, np.pi / 180]), np.full(6, np.inf)),
            "The sensor turn of ft is off by 1 deg; this explains 50%.",
        ),
        (
            fault("zero", "q1", 0.5, 0.1, "m", alike=(("base pose", "base_link"), ("length", "q2"))),
            "The zero of q1 is off by 500 ± 1e+02 mm; this explains 50%. So would the base pose of base_link or the "
            "length of q2.",
        ),
        (
            fault("sign", "q1", alike=(("zero", "q2"),)),
            "Joint q1 counts the other way. Half a turn of q2 would do, too.",
        ),
        (
            fault("sign", "q1", alike=(("zero", "q2"), ("sign", "q3"))),
            "Joint q1 counts the other way. So would the zero of q2 or the sign of q3.",
        ),
        (fault("imu sign", "imu"), "Accelerations of imu have the other sign."),
    ],
)
def test_sentences_of_faults(one, said):
    assert _sentence(one) == said


def test_two_faults_of_gravity_are_their_sum():
    fine, large = fault("gravity", "base", np.array([0, 0.5, 0])), fault("gravity", "base", np.array([1.0, 0, 9.81]))
    mass, sign = fault("mass", "b", 0.5), fault("sign", "q1")
    one, *rest = _joined([sign, large], [fine, mass])
    assert (one.kind, one.value.tolist(), one.explains) == ("gravity", [1.0, 0.5, 9.81], 1.0)
    assert rest == [sign, mass]
    assert _joined([sign, large], [mass]) == [sign, large, mass]
    assert _joined([sign], [fine, mass]) == [sign, fine, mass]


@each("kind, places", [("mass", [0]), ("centre", [1, 2, 3]), ("inertia", [4, 5, 6, 7, 8, 9])])
def test_changes_of_inertias_in_units_of_the_model(kind, places):
    u = np.random.default_rng(0).uniform(-0.1, 0.1, 10)
    value, J = in_units(ROW, kind, u, places)
    new, (m, c) = inertia_of(ROW, u), (ROW[0], ROW[1:4] / ROW[0])
    if kind == "mass":
        assert value == pytest.approx([m * np.exp(u[0]) - m])
    elif kind == "centre":
        np.testing.assert_allclose(value, new[1:4] / new[0] - c, atol=1e-12)
    else:
        about = [row[4:] - row[0] * steiner(row[1:4] / row[0]) for row in (new, ROW)]
        np.testing.assert_allclose(value, about[0] - about[1], atol=1e-12)
    step = np.zeros(10)
    step[places] = 1e-4
    np.testing.assert_allclose(in_units(ROW, kind, u + step, places)[0] - value, J @ step[places], atol=1e-6)


def steiner(c):
    """Ixx Ixy Iyy Ixz Iyz Izz of a mass of 1 at a point."""
    I = c @ c * np.eye(3) - np.outer(c, c)
    return np.array([I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


def found(cause, n, covariance):
    """A search with one cause whose numbers are 0.01, 0.02 and so on."""
    x = np.arange(1, n + 1) / 100
    return SimpleNamespace(causes=[cause], fit=SimpleNamespace(x=x), covariance=covariance, alike=[()], shares=[0.75])


@each("known", [True, False])
def test_faults_of_inertias_and_joints_by_torques(known):
    channel = SimpleNamespace(robot=ARM, rows=np.array([ROW, ROW * 2]))
    C = np.diag(np.arange(1, 23) / 1e4) if known else np.full((22, 22), np.inf)
    for kind, places, unit in (
        ("mass", (10,), "kg"),
        ("centre", (11, 12, 13), "m"),
        ("inertia", tuple(range(14, 20)), "kg m²"),
    ):
        one = torques._fault(channel, found(Cause(kind, "b", places), 22, C), 0)
        value, J = in_units(ROW * 2, kind, np.arange(11, 21) / 100, [place - 10 for place in places])
        assert (one.kind, one.element, one.unit, one.explains) == (kind, "b", unit, 0.75)
        np.testing.assert_allclose(np.atleast_1d(one.value), value)
        own = C[np.ix_(places, places)]
        std = np.sqrt(np.diag(J @ own @ J.T)) if known else np.inf
        np.testing.assert_allclose(np.atleast_1d(one.std), std)


@each(
    "kind, unit",
    [("viscous friction", "N m s/rad"), ("armature", "kg m²"), ("zero", "rad"), ("delay", "s"), ("gravity", "m/s²")],
)
def test_units_of_faults_by_torques(kind, unit):
    one = torques._fault(SimpleNamespace(robot=ARM), found(Cause(kind, "q2", (1,)), 3, np.eye(3)), 0)
    assert (one.value, one.std, one.unit) == (0.02, 1.0, unit)


def test_a_scale_of_torques_is_a_factor():
    one = torques._fault(SimpleNamespace(robot=ARM), found(Cause("effort scale", "q2", (1,)), 3, 1e-4 * np.eye(3)), 0)
    assert (one.value, one.std, one.unit) == pytest.approx((np.exp(0.02), 0.01 * np.exp(0.02), "1"))


def test_other_numbers_of_sensors_are_as_they_are():
    x, C = np.arange(5.0), np.eye(2)
    value, same = _Weights.value(None, Cause("sensor turn", "ft", (1, 3)), x, C)
    assert (value.tolist(), same is C) == ([1.0, 3.0], True)


CURVED = """<mujoco><worldbody><body name="a"><joint name="lead" type="hinge" axis="0 0 1"/>
<geom type="sphere" size="0.1"/><body name="b" pos="0.5 0 0"><joint name="follow" type="hinge" axis="0 0 1"/>
<geom type="sphere" size="0.1"/></body></body></worldbody>
<equality><joint joint1="follow" joint2="lead" polycoef="0 1 {} 0 0"/></equality></mujoco>"""


def test_a_zero_that_others_follow_in_a_curve_is_left():
    one = fault("zero", "lead", 0.1, 1e-3, "rad")
    _, ((left, why),) = corrected(kt.load(CURVED.format(0.5), format="mjcf"), [one])
    assert (left, why) == (one, "joints follow it in a curve, which a pose cannot shift")
    assert corrected(kt.load(CURVED.format(0), format="mjcf"), [one])[1] == []


def test_a_link_without_an_inertia_keeps_none():
    robot, left = corrected(ARM, [fault("mass", "tip", 0.5, 1e-3, "kg")])
    assert (robot.links["tip"].inertial, left) == (None, [])


def test_speeds_far_above_the_limits_are_of_other_units():
    """The limit is 9 rad/s, and three times that is still believed."""
    t = np.arange(20.0) / 100
    check_rates(ARM, np.column_stack([26.9 * t, 0 * t]), t, None, False)
    with pytest.raises(KinetreeError) as error:
        check_rates(ARM, np.column_stack([0 * t, -27.1 * t]), t, None, False)
    assert error.value.findings[0].message == (
        "q of q2 moves at 27.1 a second by t, and its limit is 9; expected t in s, and q in rad or m"
    )


@each(
    "effort, part",
    [
        ([[1, 2], [3, np.inf]], "effort of q2 is inf at sample 1; expected finite numbers, or nan everywhere"),
        ([[1, 2], [np.nan, 4]], "effort of q1 is nan at sample 1"),
        ([[1, 2, 3]], "effort has shape (1, 3); expected (2, 2), a torque for each joint"),
        ([[0, np.nan], [0, np.nan]], "effort has no torques; all are zero or nan"),
    ],
)
def test_torques_that_are_refused(effort, part):
    with pytest.raises(KinetreeError) as error:
        _checked_effort(ARM, np.zeros((2, 2)), np.array(effort))
    assert part in error.value.findings[0].message


def test_a_joint_without_torques_has_none_anywhere():
    tau = _checked_effort(ARM, np.zeros((2, 2)), [[1, np.nan], [0, np.nan]])
    np.testing.assert_array_equal(tau, [[1, np.nan], [0, np.nan]])


def test_one_pose_is_no_log():
    with pytest.raises(KinetreeError, match=r"q has shape \(2,\); expected \(n, 2\)"):
        kt.verify(ARM, [0.0, 0.0], poses={"tip": np.eye(4)[None]})


def test_what_is_left_and_what_shows_nothing_are_said():
    """Of poses more is wrong than is named; torques show nothing."""
    size = np.array([0.002, 0.01])
    found = Verification(True, (fault("sign", "q1"),), error=size, left=size / 2, noise=size / 4, incomplete=("poses",))
    assert str(found).splitlines() == [
        "The model does not agree: 2 mm, 0.573 deg rms.",
        "- Joint q1 counts the other way.",
        "With that corrected 1 mm, 0.286 deg rms is left.",
        "The noise of the log alone would leave 0.5 mm, 0.143 deg rms.",
        "More is wrong than that: the poses of this log are off by more than its noise.",
    ]
    blind = replace(found, faults=(), incomplete=(), blind=("poses",), gaps=tuple(range(12)), outliers=(3,))
    blind = replace(blind, still=("q2",))
    assert str(blind).splitlines()[2:] == [
        "The poses of this log show no fault of the model: move more joints, farther.",
        "Did not move, so that little is known about: q2.",
        "Times have gaps before samples 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more; rates are not found across them.",
        "Samples that do not fit the others: 3.",
    ]
    assert not blind.agrees
    assert replace(blind, torques=np.ones((3, 2))).agrees


def test_offsets_of_torques_are_said_where_they_are_above_the_noise():
    torques = np.array([[1.0, 2.0], [1.0, 2.0], [0.5, 0.5]])
    found = Verification(True, torques=torques, offsets={"q1": -1.01, "q2": 0.99}, together=((("mass", "b"),),))
    assert str(found).splitlines()[2:] == [
        "Torques of the log have constant offsets, as sensors do, N m or N: q1 -1.01.",
        "This log does not show the mass of b.",
    ]
    apart = (("zero", "q1"), ("base pose", "base_link")), (("length", "q2"), ("zero", "q2"))
    said = "This log cannot tell the zero of q1 from the base pose of base_link; the length of q2 from the zero."
    assert said in str(replace(found, together=apart))


def test_rates_of_joints_that_count_otherwise_are_found_by_positions():
    """q1 of the log is q2 of the model, the other way; its rates are in other units."""
    t = np.arange(300) / 100
    q, qd = np.column_stack([np.sin(t), 0.5 * t]), np.column_stack([np.cos(t), np.full(300, 0.5)])
    given, zeros = (qd, None), np.array([0.25, -0.5])
    plain = _trajectory(ARM, "effort", q, q, t, given, unturned(ARM), zeros)
    np.testing.assert_allclose(plain.q, q[: len(plain.q)] + zeros, atol=1e-9)
    np.testing.assert_allclose(plain.qd, qd[: len(plain.q)], atol=1e-9)
    with pytest.raises(KinetreeError, match="qd of q1 is 100 times what q moves a second by t"):
        _trajectory(ARM, "effort", q, q, t, (100 * qd, None), unturned(ARM), zeros)
    swapped = _trajectory(ARM, "effort", q, q, t, (100 * qd, None), ((1, 0), (1.0, -1.0)), zeros)
    n = len(swapped.q)
    np.testing.assert_allclose(swapped.q, np.column_stack([q[:n, 1], -q[:n, 0]]) + zeros, atol=1e-9)
    np.testing.assert_allclose(swapped.qd[2:-2], np.column_stack([qd[:n, 1], -qd[:n, 0]])[2:-2], atol=1e-3)
    with pytest.raises(KinetreeError, match="effort is without t; expected times, or qd and qdd, which are zeros"):
        _trajectory(ARM, "effort", q, q, None, given, unturned(ARM), zeros)


@dataclass
class Channel:
    tau: np.ndarray
    model: np.ndarray
    columns: np.ndarray
    known: np.ndarray
    noise: np.ndarray


@each(
    "factors, faults, known",
    [
        ([1.0, 1.0], [], [True, True]),
        ([1000.0, 1100.0], [("effort unit", "effort", 1000.0)], [True, True]),
        ([1.0, None], [("effort scale", "q2", 0.0)], [True, False]),
        ([None, None], [], [True, True]),
    ],
)
def test_torques_in_another_unit_or_without_a_relation(factors, faults, known):
    """None: the torques are far smaller than those of the model, and go another way."""
    model = np.column_stack([np.sin(np.arange(50.0)), np.cos(np.arange(50.0))])
    tau = model * [1e-3 if factor is None else factor for factor in factors]
    log = SimpleNamespace(effort=tau)
    log._replace = lambda effort: SimpleNamespace(effort=effort, _replace=log._replace)
    setting = SimpleNamespace(of=lambda log: log, gravity=(0, 0, -9.81), late=0.0)
    given = Channel(tau, model, np.zeros((50, 2, 20)), np.ones(2, bool), np.ones(2))
    scales = iter([(0.0, 2 * torques.UNRELATED) if factor is None else (factor, 0.0) for factor in factors])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torques, "setting_of", lambda *_: (setting, []))
        patch.setattr(torques, "scale_of", lambda *_: next(scales))
        channel, gravity, found, left = torques._discrete(ARM, log, given)
    assert [(one.kind, one.element, one.value) for one in found] == faults
    assert (channel.known.tolist(), gravity) == (known, (0, 0, -9.81))
    unit = 1000.0 if faults and faults[0][0] == "effort unit" else 1.0
    np.testing.assert_allclose(channel.tau, tau / unit * known)
    np.testing.assert_allclose(left.effort, tau / unit * known)


def test_a_force_sensor_is_named_by_itself_or_its_joint():
    with pytest.raises(KinetreeError, match="no sensor or joint 'to_tap'; did you mean 'to_tip'"):
        _with_meter(ARM, "to_tap")
    robot, meter = _with_meter(ARM, "to_tip")
    assert robot.sensors["to_tip"].joint == "to_tip"
    own = kt.edit.add_sensor(ARM, "ft", "force_torque", joint="to_tip", measures="parent_on_child")
    robot, _ = _with_meter(own, "to_tip")
    assert (robot is own, list(robot.sensors)) == (True, ["ft"])
    assert meter is not None
