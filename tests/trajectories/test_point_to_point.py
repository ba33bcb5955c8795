"""Motions by a formula: durations in closed form, limits kept and reached, derivatives of each other."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.motion import point_to_point, retime, through

ARM = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")
LIMITS = [(0.3, 2.0, 9.0), (1.0, 2.0, 100.0), (5.0, 1.0, 1.5), (4.0, 6.0, 1.0), (0.2, 9.0, 1.0), (2.0, 0.5, 30.0)]
"""Velocity, acceleration and jerk, with which each phase of a motion over 1.5 rad occurs and vanishes."""


def motion(profile, limits=(1.0, 2.0, 9.0), end=(1.5, -0.6), **options):
    v, a, j = limits
    given = {"velocity": v, "acceleration": a, "period": 1e-3} | ({"jerk": j} if profile == "jerk" else {})
    return point_to_point(ARM, [0, 0], end, profile=profile, **given | options)


@pytest.mark.slow
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("profile", ["quintic", "trapezoid", "jerk"])
def test_limits_are_kept_and_one_is_reached(profile, limits):
    found = motion(profile, limits)
    assert found.q[[0, -1]] == pytest.approx(np.array([[0, 0], [1.5, -0.6]]), abs=1e-12)
    assert found.qd[[0, -1]] == pytest.approx(0, abs=1e-9)
    jerk = np.diff(found.qdd[:-1], axis=0) / 1e-3
    v, a, j = (np.abs(x).max() / bound for x, bound in zip((found.qd, found.qdd, jerk), limits, strict=True))
    assert max(v, a, j if profile == "jerk" else 0) <= 1 + 1e-6
    assert max(v, a, j if profile == "jerk" else 0) > 0.995
    assert found.q[:, 1] == pytest.approx(-0.4 * found.q[:, 0], abs=1e-12)  # on the line


@pytest.mark.parametrize("profile", ["quintic", "trapezoid", "jerk"])
def test_values_are_integrals_of_their_derivatives(profile):
    found = motion(profile)
    steps = np.diff(found.times)[:, None]
    for value, rate in ((found.q, found.qd), (found.qd, found.qdd)):
        middle = (rate[1:] + rate[:-1]) / 2
        jumps = np.abs(np.diff(rate, axis=0)) * steps
        assert np.all(np.abs(np.diff(value, axis=0) - middle * steps) <= 1e-6 + jumps)


def test_durations_in_closed_form():
    assert motion("quintic", (1.0, 99.0, 1.0)).times[-1] == pytest.approx(15 / 8 * 1.5)
    assert motion("quintic", (99.0, 2.0, 1.0)).times[-1] == pytest.approx(np.sqrt(10 / np.sqrt(3) * 1.5 / 2.0))
    assert motion("trapezoid", (1.0, 2.0, 1.0)).times[-1] == pytest.approx(1.5 / 1.0 + 1.0 / 2.0)
    assert motion("trapezoid", (9.0, 2.0, 1.0)).times[-1] == pytest.approx(2 * np.sqrt(1.5 / 2.0))
    assert motion("jerk", (9.0, 9.0, 0.75)).times[-1] == pytest.approx(4 * np.cbrt(1.5 / (2 * 0.75)))
    assert motion("jerk", (1.0, 2.0, 8.0)).times[-1] == pytest.approx(1.5 / 1.0 + 1.0 / 2.0 + 2.0 / 8.0)


@pytest.mark.slow
def test_the_trapezoid_is_the_fastest():
    path = through(ARM, [[0, 0], [1.5, -0.6]])
    fastest = retime(path, velocity=1.0, acceleration=2.0, points=1500).times[-1]
    assert motion("trapezoid", (1.0, 2.0, 1.0)).times[-1] == pytest.approx(fastest, abs=2e-3)
    for limits in LIMITS:
        slow, fast = (motion(profile, limits).times[-1] for profile in ("jerk", "trapezoid"))
        assert fast <= slow + 1e-9
        assert motion("jerk", (*limits[:2], 1e7)).times[-1] == pytest.approx(fast, abs=1e-3)


def test_samples():
    found = motion("trapezoid", (1.0, 2.0, 1.0), period=0.3)
    assert found.times == pytest.approx([0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.0])
    still = motion("jerk", end=(0.0, 0.0))
    assert (still.times.tolist(), still.q.tolist(), still.qd.tolist()) == ([0], [[0, 0]], [[0, 0]])


def test_each_joint_counts():
    found = point_to_point(ARM, [0, 0], [1, 1], profile="trapezoid", velocity=False, acceleration=[4.0, 1.0])
    assert found.times[-1] == pytest.approx(2.0)
    with pytest.raises(kt.KinetreeError, match=r"q1 is .* expected 2 finite numbers"):
        point_to_point(ARM, [0, 0], [np.nan, 1], acceleration=1.0)


@pytest.mark.parametrize(
    ("profile", "options", "message"),
    [
        ("quintic", {}, "no limit of velocity or acceleration for the joints that move"),
        ("trapezoid", {"velocity": 1.0}, "no limit of acceleration"),
        ("jerk", {"velocity": 1.0, "acceleration": 1.0}, "no limit of jerk"),
        ("sine", {}, "profile is 'sine'; expected one of 'quintic', 'trapezoid', 'jerk'"),
        ("jerk", {"jerk": -1.0}, "jerk is -1.0; expected True, False, a number above 0"),
        ("quintic", {"velocity": 1.0, "jerk": 9.0}, "profile 'quintic' has no limit of jerk; expected profile='jerk'"),
        ("trapezoid", {"acceleration": 1.0, "jerk": 9.0}, "profile 'trapezoid' has no limit of jerk"),
        ("quintic", {"velocity": 1.0, "period": np.inf}, "period is inf; expected"),
    ],
)
def test_what_is_missing_or_wrong_is_named(profile, options, message):
    with pytest.raises(kt.KinetreeError, match=message):
        point_to_point(ARM, [0, 0], [1, 0.5], profile=profile, **options)


@pytest.mark.slow
def test_followers_count():
    text = "<mujoco><worldbody>{}</worldbody><equality><joint joint1='b' joint2='a' polycoef='{}'/></equality></mujoco>"
    links = "".join(f"<body><joint name='{name}' axis='0 0 1'/><geom size='1'/></body>" for name in "ab")
    twice, bent = (kt.load(text.format(links, c), format="mjcf") for c in ("0 2 0 0 0", "0 2 1 0 0"))
    found = point_to_point(twice, [0.0], [1.0], profile="trapezoid", acceleration={"a": 9.0, "b": 8.0})
    assert found.times[-1] == pytest.approx(2 * np.sqrt(2 / 8.0))
    with pytest.raises(kt.KinetreeError, match="joint 'b' follows by a polynomial"):
        point_to_point(bent, [0.0], [1.0], acceleration=1.0)
    fast = retime(through(bent, [[0.0], [1.0]]), acceleration={"a": 1e6, "b": 1e6}, velocity={"b": 2.0}).times[-1]
    assert fast == pytest.approx((2 + 1) / 2.0, rel=1e-2)  # b = 2 a + a² moves 3 rad at 2 rad/s
    motion = retime(through(bent, [[0.0], [1.0]]), acceleration={"a": 1e6, "b": 8.0}, velocity=False, period=1e-3)
    second = (2 + 2 * motion.q) * motion.qdd + 2 * motion.qd**2  # of b
    assert np.abs(second).max() <= 8 * (1 + 1e-6)
    assert np.median(np.abs(second)) > 0.99 * 8


def test_a_line_that_leaves_the_limits_is_refused():
    icub = kt.load("icub")
    end = icub.q()
    end[icub.q_slices["l_elbow"]] = 3.0
    with pytest.raises(kt.KinetreeError, match="leaves limit 'l_elbow upper'"):
        point_to_point(icub, icub.q(), end, velocity=1.0)


def test_a_joint_that_stands_does_not_hide_a_missing_limit():
    arm = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")
    with pytest.raises(kt.KinetreeError, match="no limit of acceleration for the joints that move"):
        kt.motion.point_to_point(
            arm, [0, 0], [1, 0], profile="trapezoid", velocity={"q1": 1.0}, acceleration={"q2": 1.0}
        )
