"""What motions, paths and checks do with numbers and names that are not what they should be."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.motion import Motion, Path, check, point_to_point, retime, through
from kinetree.spatial.se3 import homogeneous

ARM = kt.chain(
    [
        {"axis": [0, 0, 1], "velocity": 2.0, "limits": (-3, 3)},
        {"axis": [0, 1, 0], "xyz": [0.4, 0, 0], "velocity": 2.0, "limits": (-3, 3)},
    ]
)


def one_joint(limit, more=""):
    return kt.load(
        f'<robot name="a" version="1.2"><link name="b"/><link name="l"><inertial><origin xyz="1 0 0"/><mass value="2"/>'
        f'<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="j" type="revolute"><parent link="b"/><child link="l"/><axis xyz="0 1 0"/>'
        f'<limit lower="-3" upper="3" {limit}/></joint>{more}</robot>',
        format="urdf",
    )


FOLLOWED = one_joint(
    'velocity="2" effort="100"',
    '<link name="c"/><joint name="f" type="revolute"><parent link="l"/><child link="c"/><axis xyz="0 1 0"/>'
    '<limit lower="-3" upper="3" velocity="2" effort="10"/><mimic joint="j"/></joint>',
)


def codes(motion, **options):
    found = check(motion, **{"clearance": None, "torque": False} | options)
    return [(one.severity, one.code) for one in found if one.severity != "info"]


def remarks(motion, **options):
    return [one.message for one in check(motion, **{"clearance": None} | options) if one.code == "motion-unchecked"]


@pytest.fixture(scope="module")
def wave():
    """A quick motion of two joints, with its true rates."""
    t = np.arange(60) * 0.01
    a = np.array([0.5, 0.2])
    q, qd, qdd = (np.outer(f(8 * t), a) * 8**k for k, f in enumerate((np.sin, np.cos, lambda x: -np.sin(x))))
    return Motion(ARM.coordinate_names, t, q, robot=ARM, qd=qd, qdd=qdd)


def test_rates_that_contradict_the_positions_are_named(wave):
    assert codes(wave, velocity=False) == []
    for name in ("qd", "qdd"):
        for factor in (0.0, -1.0, 1.2):
            wrong = replace(wave, **{name: factor * getattr(wave, name)})
            found = check(wrong, velocity=False, torque=False, clearance=None)
            assert [one.element for one in found if one.code == "motion-rates"] == ["joint 'q1'", "joint 'q2'"]
            assert all(name + " is " in one.message for one in found if one.code == "motion-rates")
    shifted = replace(wave, qd=np.add(wave.qd, [0.0, 0.4]))
    assert [one.element for one in check(shifted, velocity=False) if one.code == "motion-rates"] == ["joint 'q2'"]


def test_torques_are_of_the_positions_where_rates_contradict_them():
    robot, t = one_joint('velocity="20" effort="60"'), np.arange(40) * 0.01
    q = 0.4 * np.sin(6 * np.pi * t)[:, None]
    motion = Motion(("j",), t, q, robot=robot, qd=0 * q, qdd=0 * q)
    assert ("warning", "motion-torque") in codes(motion, torque=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_rates_of_our_own_motions_do_not_contradict(seed):
    q = np.random.default_rng(seed).uniform(-2, 2, (4, 2))
    for degree in (1, 3, 5):
        motion = retime(through(ARM, q, degree=degree), acceleration=5.0, position=False, points=300)
        assert all(code == "motion-limit" for _, code in codes(motion))
    for profile in ("quintic", "trapezoid", "jerk"):
        for period in (0.004, 0.05, 0.3):
            limits = {"acceleration": 4.0} | ({"jerk": 30.0} if profile == "jerk" else {})
            motion = point_to_point(ARM, q[0], q[1], profile=profile, **limits, period=period)
            assert codes(motion, acceleration=4.0) == []


def test_braking_has_limits_of_its_own():
    """10 rad/s² to get faster and 2 to brake; the motion brakes with 8, and in reverse gets faster with 8."""
    robot = one_joint('velocity="2" effort="10" acceleration="10" deceleration="2" jerk="1e6"')
    v = np.r_[np.full(50, 1.9), np.maximum(1.9 - 0.08 * np.arange(50), 0.0)]
    t = np.arange(100) * 0.01
    for sign in (1, -1):
        motion = Motion(("j",), t, sign * np.cumsum(v * 0.01)[:, None], robot=robot)
        assert codes(motion) == [("error", "motion-acceleration")]
        assert "above its limit 2 rad/s²" in str(check(motion, torque=False)[0])
        assert codes(motion, acceleration=9.0) == []
        back = Motion(("j",), t, sign * np.cumsum(v[::-1] * 0.01)[:, None], robot=robot)
        assert codes(back) == []
    assert codes(point_to_point(robot, [0], [2], profile="trapezoid")) == []
    exact = Motion(("j",), [0, 1], [[0], [1]], robot=robot, qd=[[1.0], [1.0]], qdd=[[5.0], [-5.0]])
    assert codes(exact) == [("error", "motion-acceleration")]
    assert codes(replace(exact, qdd=[[5.0], [5.0]])) == []


def test_rounded_numbers_are_tested_over_longer_spans():
    """Four decimals each millisecond: 100 rad/s² for 30 ms; single steps say ± 200 rad/s²."""
    t = np.arange(60) * 0.001
    q = np.zeros((60, 2))
    q[:, 0] = np.round(np.where(t < 0.03, 50 * t**2, 0.045 + 3 * (t - 0.03)), 4)
    motion = Motion(ARM.coordinate_names, t, q, robot=ARM)
    found = check(motion, acceleration=10.0, velocity=False, torque=False, clearance=None)
    assert [one.code for one in found if one.severity == "error"] == ["motion-acceleration"]
    assert 95 < float(str(found[0]).split("the acceleration is ")[1].split()[0]) < 110
    slow = Motion(ARM.coordinate_names, t, np.round(q / 20, 4), robot=ARM)  # 5 rad/s²
    assert codes(slow, acceleration=10.0) == []
    few = Motion(ARM.coordinate_names, t[:22], np.round(q[:22], 4), robot=ARM)
    assert any("the acceleration is not checked of q1" in one for one in remarks(few, acceleration=0.5, velocity=False))


def test_few_samples_are_said_to_have_no_torques():
    robot, still = one_joint('velocity="2" effort="10"'), np.zeros((4, 1))  # 19.6 N m
    for n in (2, 3):
        motion = Motion(("j",), np.arange(n), still[:n], robot=robot)
        assert "torques are not checked: that takes four samples, or qd and qdd" in remarks(motion)
        exact = replace(motion, qd=still[:n], qdd=still[:n])
        assert codes(exact, torque=True) == [("error", "motion-torque")]
    one = Motion(("j",), [0.0], still[:1], robot=robot)
    assert any("there is one sample" in said for said in remarks(one))
    assert codes(Motion(("j",), np.arange(4), still, robot=robot), torque=True) == [("warning", "motion-torque")]


def test_torques_of_followers_are_refused_and_their_speeds_taken():
    still = Motion(("j",), np.arange(5), np.zeros((5, 1)), robot=FOLLOWED)
    for call in (lambda **x: check(still, **x), lambda **x: retime(through(FOLLOWED, [[0], [1]]), **x)):
        with pytest.raises(kt.KinetreeError, match="torque has a number for 'f'; there is only 'j'"):
            call(torque={"f": 0.001})
    moving = Motion(("j",), np.arange(5), np.arange(5)[:, None] * 0.1, robot=FOLLOWED)
    assert [x.element for x in check(moving, velocity={"f": 0.05}) if x.severity == "error"] == ["joint 'f'"]


def test_jumps_are_judged_by_the_limits_that_are_given():
    q = np.zeros((50, 2))
    q[25:, 0] = 0.3
    motion = Motion(ARM.coordinate_names, np.arange(50) * 0.05, q, robot=ARM)  # 6 rad/s
    assert codes(motion, velocity=10.0) == [("warning", "motion-jump")]
    assert codes(motion, velocity=5.0) == [("error", "motion-jump")]
    assert codes(motion, velocity=False) == [("error", "motion-jump")]  # above 2 rad/s of the model


def test_rates_of_joints_beside_quaternions_count():
    free = kt.edit.floating(ARM)
    q = np.tile(free.q(), (20, 1))
    motion = Motion(free.coordinate_names, np.arange(20) * 0.01, q, robot=free, qd=np.full(q.shape, 1e3))
    found = {one.element for one in check(motion, velocity=1.0) if one.code == "motion-velocity"}
    assert found == {"joint 'q1'", "joint 'q2'"}
    for wrong, message in ((q * 1.1, "has length 1.1 at sample 0"), (q * 0.0, "has length 0 at sample 0")):
        with pytest.raises(kt.KinetreeError, match=message):
            Motion(free.coordinate_names, np.arange(20), wrong, robot=free)
    turns = [name for name in free.coordinate_names if name.endswith((".qx", ".qy"))]
    with pytest.raises(kt.KinetreeError, match=r"has some of floating_base.qx"):
        Motion(turns, np.arange(20), np.zeros((20, 2)), robot=free)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Motion(("q1", "q1"), [0, 1], np.zeros((2, 2)), robot=ARM), "'q1' occurs twice"),
        (lambda: Motion(("q1", "z"), [0, 1], np.zeros((2, 2)), robot=ARM), "'z' is no coordinate of q; there are 'q1'"),
        (lambda: Motion("q1", [0, 1], np.zeros((2, 2)), robot=ARM), "names is the text 'q1'"),
        (lambda: Motion(("f",), [0, 1], np.zeros((2, 1)), robot=FOLLOWED), "'f' is no coordinate of q"),
        (lambda: Motion(("q1",), [0, 1], np.zeros((2, 1)), robot="arm"), "not str"),
        (lambda: Motion(("q1",), [0, np.inf], np.zeros((2, 1))), "the time of sample 1 is inf"),
        (lambda: point_to_point(one_joint('velocity="0" effort="1"'), [0], [1]), "its limit of velocity is 0"),
        (lambda: point_to_point(ARM, [0, 0], [9, 0], acceleration=1.0), "choose other ends"),
        (lambda: through(ARM, [[0, 0], [1, 1], [0, 0]], s=[0, 1e-300, 1]), "each by more than 1e-12 of the whole"),
        (lambda: through(ARM, [[0, 0], [1, 1], [0, 0]], s=[0, 1, 1]), "s is 1 after 1"),
        (lambda: through(ARM, [[0, 0], [1, np.nan]]), "'q2' is nan at point 1"),
        (lambda: through(ARM, [[0, 0], [1, 1]])(0.5, 1.5), "order is 1.5"),
        (lambda: retime(Path(ARM, [0, 1], [[[1, 1]]]), acceleration=1.0), "stands still everywhere"),
    ],
)
def test_what_is_wrong_is_named(make, message):
    with pytest.raises(kt.KinetreeError, match=message):
        make()


@pytest.mark.parametrize("name", ["qd", "qdd"])
def test_rates_that_are_no_numbers_are_named(name, wave):
    values = np.array(getattr(wave, name))
    values[7, 1] = np.nan
    with pytest.raises(kt.KinetreeError, match=f"{name} of 'q2' is nan at sample 7"):
        check(replace(wave, **{name: values}))


def test_where_other_joints_stand():
    motion = Motion(("q1",), np.arange(5), np.zeros((5, 1)), robot=ARM)
    assert codes(motion) == codes(motion, at=[0.0, 1.0]) == []
    assert codes(motion, at=[0.0, 9.0]) == [("error", "motion-limit")]
    for bad in ([0.0, np.nan], [[0.0, 1.0]]):
        with pytest.raises(kt.KinetreeError, match="expected 2 finite numbers"):
            check(motion, at=bad)


@pytest.mark.parametrize("profile", ["quintic", "trapezoid", "jerk"])
def test_no_way_takes_no_time(profile):
    limits = {"acceleration": 1.0} | ({"jerk": 1.0} if profile == "jerk" else {})
    motion = point_to_point(ARM, [1, 1], [1, 1], profile=profile, **limits)
    assert motion.times.tolist() == [0.0]
    assert motion.q.tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize("first", [False, True])
def test_a_path_that_stands_for_a_while(first):
    """The hold takes no time: 1 rad from rest to rest at 1 rad/s² takes 2 s, and back as long."""
    pieces = [[[1, 1], [0, 0], [-1, -1]], [[0, 0], [1, 1], [1, 1]]]
    path = Path(ARM, [0, 1, 2, 3], pieces)
    if first:
        path = Path(ARM, [0, 1, 2], [[[0, 0], [1, 1]], [[0, 0], [0, 0]]])
    motion = retime(path, acceleration=1.0)
    assert np.diff(motion.times).min() > 1e-6
    assert motion.times[-1] == pytest.approx(2.0 if first else 4.0, rel=1e-3)
    assert codes(motion, acceleration=1.0) == []
    assert np.diff(retime(path, acceleration=1.0, period=0.01).times).min() == pytest.approx(0.01, rel=0.01)


def test_a_weight_that_no_motor_holds_is_said_without_warnings():
    with pytest.raises(kt.KinetreeError, match=r"standing still takes .* and its limit is 0"):
        retime(through(one_joint('velocity="2" effort="0"'), [[0], [1]]), torque=True)


@pytest.mark.slow
def test_a_payload_counts_in_check_as_in_retime():
    """2 kg at 1 m take 19.6 N m; 3 kg more at the joint's frame nothing, at the end 1.5 m away 44.1 N m."""
    robot = kt.edit.add_frame(one_joint('velocity="2" effort="30"'), "tip", "l", homogeneous(np.eye(3), [1.5, 0, 0]))
    still = Motion(("j",), np.arange(5), np.zeros((5, 1)), robot=robot)
    assert codes(still, torque=True) == codes(still, torque=True, payload={"l": 3.0}) == []
    assert codes(still, torque=True, payload={"tip": 3.0}) == [("warning", "motion-torque")]
    assert "63.7" in str(check(still, payload={"tip": 3.0}, clearance=None)[0])
    with pytest.raises(kt.KinetreeError, match="no frame 'tap'"):
        check(still, payload={"tap": 1.0})
