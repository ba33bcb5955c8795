"""The fastest motion along a path: closed forms, identities, and limits kept between samples."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import kinetree as kt
from each import each
from kinetree.algorithms.reachability import step
from kinetree.algorithms.retiming import Counted, peak, rows, slowing
from kinetree.motion import Path, retime, through
from kinetree.spatial.se3 import translation
from kinetree.trajectories import retime as retime_module
from kinetree.trajectories.limiting import reached
from kinetree.trajectories.payload import with_payload

ARM = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")
BOX = '<inertial><mass value="{mass}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
JOINT = """<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>
<limit lower="-9" upper="9" velocity="{velocity}" effort="{effort}"{more}/>{parts}</joint>"""


def slide(axis="1 0 0", mass=2.0, velocity=100.0, effort=8.0, parts="", more="", version="1.0"):
    """Return a mass on a slide, with links base and cart."""
    joint = JOINT.format(
        name="x", kind="prismatic", parent="base", child="cart", axis=axis, velocity=velocity, effort=effort, more=more,
        parts=parts,
    )  # fmt: skip
    cart = f'<link name="cart">{BOX.format(mass=mass)}</link>'
    text = f'<robot name="slide" version="{version}"><link name="base"/>{cart}{joint}</robot>'
    return kt.load(text, format="urdf")


def duration(path, **options):
    return float(retime(path, **{"points": 200} | options).times[-1])


def two_phases(way, up, down):
    """Return the time from rest to rest over a way with two constant accelerations."""
    top = np.sqrt(2 * way * up * down / (up + down))
    return top / up + top / down


def wavy(robot=ARM, seed=0, degree=3, n=6):
    rng = np.random.default_rng(seed)
    return through(robot, rng.uniform(-1.2, 1.2, (n, robot.nq)), degree=degree)


@pytest.mark.slow
def test_the_speed_of_a_frame_at_two_metres_from_its_axis():
    turn = through(ARM, [[0.0, 0.0], [2.0, 0.0]], degree=1)
    top, up = 0.5 / 2.0, 0.5  # rad/s, for 0.5 m/s
    assert duration(turn, acceleration=up, speed={"tip": 0.5}) == pytest.approx(2.0 / top + top / up, rel=1e-3)
    assert duration(turn, acceleration=up, speed={"tip": 1e3}) == pytest.approx(duration(turn, acceleration=up))


@pytest.mark.slow
def test_speeds_of_frames_hold_between_samples_and_are_reached():
    most = {"tip": 0.8, "q1_link": 1e3, "q2_link": 0.3}
    motion = retime(wavy(), acceleration=5.0, speed=most, period=1e-3)
    shares = {
        frame: np.linalg.norm(kt.velocity(ARM, frame)(motion.q, motion.qd)[:, :3], axis=1) / most[frame]
        for frame in most
    }
    assert max(share.max() for share in shares.values()) <= 1 + 1e-9
    assert (np.maximum(shares["tip"], shares["q2_link"]) > 0.95).mean() > 0.5
    assert shares["tip"].max() > 0.99 < shares["q2_link"].max()
    options = retime_module.Options(True, 5.0, False, None, most)
    assert {one.name for one in reached(motion, options) if one.what == "speed"} == {"tip", "q2_link"}


@each(
    "speed, said", [({"tip": 0}, "speed of 'tip' is 0"), ({"tip": True}, "is True"), ({"hand": 1}, "no frame 'hand'")]
)
def test_speeds_that_mean_nothing_are_refused(speed, said):
    with pytest.raises(kt.KinetreeError, match=said):
        retime(wavy(), acceleration=5.0, speed=speed)


def test_a_line_takes_two_phases():
    line = through(ARM, [[0, 0], [1, 0.5]])
    for points in (2, 3, 7, 100):
        assert duration(line, acceleration=4.0, points=points) == pytest.approx(1.0, abs=1e-9)
    assert duration(line, acceleration=[4.0, 0.5]) == pytest.approx(2.0, abs=1e-9)
    assert duration(line, acceleration={"q1": 4.0, "q2": 0.5}) == pytest.approx(2.0, abs=1e-9)


def test_a_fast_line_has_a_third_phase():
    """v / a + d / v."""
    line = through(ARM, [[0, 0], [1, 0.5]])
    assert duration(line, acceleration=4.0, velocity=1.0, points=600) == pytest.approx(1.25, abs=2e-3)
    assert duration(line, acceleration=4.0, velocity={"q2": 0.5}, points=600) == pytest.approx(1.25, abs=2e-3)


def test_corners_are_stops():
    corners = [[0, 0], [1, 0.5], [1, 2.0], [-1, 2.0]]
    parts = [2 * np.sqrt(np.abs(np.subtract(a, b)).max() / 4.0) for a, b in pairwise(corners)]
    motion = retime(through(ARM, corners, degree=1), acceleration=4.0)
    assert motion.times[-1] == pytest.approx(sum(parts), abs=1e-5)
    at = np.searchsorted(motion.times, parts[0] - 1e-4)
    assert motion.q[at : at + 3].min(axis=0) == pytest.approx([1, 0.5], abs=1e-3)
    assert np.abs(motion.qd[at : at + 2]).min() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("degree", [3, 5])
def test_speeds_scale(degree):
    """k times the speeds and k² times the accelerations take 1 / k of the time; so does another parameter."""
    path = wavy(degree=degree)
    once = duration(path, velocity=2.0, acceleration=5.0, points=100)
    assert duration(path, velocity=6.0, acceleration=45.0, points=100) == pytest.approx(once / 3, rel=1e-12)
    scaled = Path(ARM, 7 * path.s - 3, path.coefficients / 7.0 ** np.arange(degree, -1, -1)[:, None, None])
    assert duration(scaled, velocity=2.0, acceleration=5.0, points=100) == pytest.approx(once, rel=1e-9)


def test_the_way_back_takes_as_long():
    path = wavy()
    back = through(ARM, path(path.s[::-1]), s=path.s[-1] - path.s[::-1])
    assert back(back.s[-1] - 1.0) == pytest.approx(path(1.0))
    options = {"velocity": 2.0, "acceleration": [5.0, 3.0]}
    assert duration(back, **options) == pytest.approx(duration(path, **options), rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("points", [30, 300])
@pytest.mark.parametrize("degree", [3, 5])
def test_limits_hold_between_samples_and_one_is_reached(degree, points):
    path = wavy(degree=degree)
    motion = retime(path, velocity=2.0, acceleration=[5.0, 8.0], points=points, period=1e-4)
    speed, pull = np.abs(motion.qd) / 2.0, np.abs(motion.qdd) / [5.0, 8.0]
    assert max(speed.max(), pull.max()) <= 1 + 1e-6
    reached = np.maximum(speed, pull).max(axis=1)
    assert np.median(reached) > (0.8 if points == 30 else 0.995)  # a fastest motion always is at a limit


@pytest.mark.slow
def test_samples_are_on_the_path_and_their_derivatives_agree():
    path = wavy()
    motion = retime(path, velocity=2.0, acceleration=5.0, period=1e-3, points=200)
    assert motion.times == pytest.approx(np.arange(len(motion.times)) * 1e-3, abs=1e-12)
    assert motion.times[-1] - duration(path, velocity=2.0, acceleration=5.0, points=200) == pytest.approx(
        5e-4, abs=5e-4
    )
    assert motion.q[[0, -1]] == pytest.approx(path(path.s[[0, -1]]), abs=1e-9)
    assert (motion.q[2:] - motion.q[:-2]) / 2e-3 == pytest.approx(motion.qd[1:-1], abs=6e-3)
    smooth = np.abs(np.diff(motion.qdd, axis=0)).max(axis=1) < 0.1
    rates = np.diff(motion.qd, axis=0) / 1e-3
    assert rates[smooth] == pytest.approx((motion.qdd[1:] + motion.qdd[:-1])[smooth] / 2, abs=0.06)
    dense = path(np.linspace(*path.s[[0, -1]], 20_000))
    assert np.abs(dense[:, None] - motion.q[None, ::97]).max(axis=2).min(axis=0).max() < 1e-3
    assert (motion.robot, motion.names) == (ARM, ("q1", "q2"))


def test_many_paths_are_as_one():
    paths = [wavy(seed=seed, n=n) for seed, n in enumerate((3, 9, 5))]
    options = {"velocity": 2.0, "acceleration": 5.0, "points": 60}
    for one, other in zip(retime(paths, **options), [retime(path, **options) for path in paths], strict=True):
        assert one.times == pytest.approx(other.times, abs=1e-12)
        assert one.q == pytest.approx(other.q, abs=1e-12)
    assert retime([]) == []


def test_threads_share_paths_and_keep_their_order():
    arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
    rng = np.random.default_rng(1)
    paths = [through(arm, rng.uniform(-1, 1, (3, 2))) for _ in range(7)]
    alone, shared = (retime(paths, acceleration=3.0, points=50, threads=threads) for threads in (1, 3))
    assert [len(one.q) for one in alone] == [len(one.q) for one in shared]
    for one, other in zip(alone, shared, strict=True):
        np.testing.assert_allclose(one.times, other.times, rtol=1e-12)
        np.testing.assert_allclose(one.qd, other.qd, atol=1e-12)
    with pytest.raises(kt.KinetreeError, match="threads is 0; expected a whole number from 1"):
        retime(paths, acceleration=3.0, threads=0)
    with pytest.raises(kt.KinetreeError, match="no limit of acceleration or torque"):
        retime(paths, threads=2)


def test_the_parameter_may_rest():
    """On q = 10 s³ - 15 s⁴ + 6 s⁵ both q' and q'' are zero at the ends, and at a point between, a stop."""
    once = np.array([6.0, -15.0, 10.0, 0.0, 0.0, 0.0])[:, None, None] * np.array([1.0, 0.5])
    there = Path(ARM, [0, 1], once)
    assert 1.0 - 1e-4 < duration(there, acceleration=4.0, points=800) < 1.012
    second = once.copy()
    second[-1] = [1.0, 0.5]
    on = Path(ARM, [0, 1, 2], np.concatenate([once, second], axis=1))
    assert 2.0 - 1e-4 < duration(on, acceleration=4.0, points=800) < 2.024


def test_a_turn_needs_no_stop():
    """q1 = cos s turns at s = π, where q' is zero; the fastest motion passes it at the acceleration limit."""
    s = np.linspace(0.5, 2 * np.pi - 0.5, 60)
    path = through(ARM, np.stack([np.cos(s), 0 * s], axis=1), s=s)
    way = np.cos(0.5) + 1.0
    found = duration(path, acceleration=2.0, velocity=False, points=800)
    assert found == pytest.approx(2 * 2 * np.sqrt(way / 2.0), rel=3e-3)


@pytest.mark.slow
def test_forces_of_a_slide():
    """8 N move 2 kg on a level with 4 m/s²; upwards they leave (8 - 19.62) / 2 m/s², which is none."""
    line = [[0.0], [1.0]]
    assert duration(through(slide(), line), torque=True) == pytest.approx(1.0, abs=1e-9)
    assert duration(through(slide(), line), torque=32.0) == pytest.approx(0.5, abs=1e-9)
    assert duration(through(slide(), line), torque={"x": 32.0}) == pytest.approx(0.5, abs=1e-9)
    up = slide("0 0 1", effort=40.0)
    expected = two_phases(1.0, 20 - 9.81, 20 + 9.81)
    assert duration(through(up, line), torque=True, points=600) == pytest.approx(expected, rel=1e-3)
    assert duration(through(up, line), torque=True, acceleration=10.0) == pytest.approx(2 * np.sqrt(0.1), abs=1e-9)
    with pytest.raises(
        kt.KinetreeError, match=r"standing still takes 19\.6 of joint 'x', N m or N, and its limit is 8"
    ):
        retime(through(slide("0 0 1"), line), torque=True)


def test_payloads():
    line, level = [[0.0], [1.0]], slide()
    assert duration(through(level, line), torque=True, payload={"cart": 2.0}) == pytest.approx(np.sqrt(2), abs=1e-9)
    body = slide(mass=6.0).links["cart"].inertial
    assert duration(through(level, line), torque=True, payload={"cart": body}) == pytest.approx(2.0, abs=1e-9)
    for payload, message in (
        ({"hand": 1.0}, "no frame 'hand'"),
        ({"cart": -1.0}, "expected kg from 0"),
        ({"cart": [1.0, 2.0]}, "expected kg from 0"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            retime(through(level, line), torque=True, payload=payload)
    bare = kt.chain("Rz(q1) tx(1) Rz(q2)")
    with pytest.raises(kt.KinetreeError, match="no link of the robot has a mass"):
        retime(through(bare, [[0, 0], [1, 1]]), torque=1.0, acceleration=1.0, payload={"tip": 2.0})
    with pytest.raises(kt.KinetreeError, match="expected torque=True with payload="):
        retime(through(level, line), acceleration=1.0, payload={"cart": 1.0})


def test_a_damped_motion_that_is_slowed_is_looked_at_until_it_holds(monkeypatch):
    """Braking may bear less of what a damper asks for, so that a slower motion may exceed its torque."""
    path, calls = through(slide(parts='<dynamics damping="3"/>'), [[0.0], [1.0]]), []
    plain, exact = duration(path, torque=True), retime_module.slowing

    def slowing(*given):
        calls.append(given)
        return exact(*given) * {2: 0.5, 3: 0.8}.get(len(calls), 1.0)

    monkeypatch.setattr(retime_module, "slowing", slowing)
    assert duration(path, torque=True) == pytest.approx(plain / 0.4, rel=1e-6)
    assert len(calls) == 4
    np.testing.assert_allclose(calls[3][3], 0.16 * calls[1][3], rtol=1e-6)


@pytest.mark.slow
def test_dampers_slow_a_motion_and_help_to_brake():
    """m a = F - c v, then -F - c v; bang-bang, integrated apart."""
    F, c, m = 8.0, 3.0, 2.0
    path = through(slide(parts=f'<dynamics damping="{c}"/>'), [[0.0], [1.0]])

    def end(switch, force):
        run = solve_ivp(lambda t, y: [y[1], (F - c * y[1]) / m], (0, switch), [0, 0], rtol=1e-10, atol=1e-12)
        stop = solve_ivp(
            lambda t, y: [y[1], (-F - c * y[1]) / m], (0, 5), run.y[:, -1], rtol=1e-10, atol=1e-12, events=rest
        )
        return run.t[-1] + stop.t[-1], stop.y[0, -1]

    def rest(t, y):
        return y[1]

    rest.terminal, rest.direction = True, -1
    fastest = end(brentq(lambda t: end(t, F)[1] - 1.0, 0.1, 2.0), F)[0]
    found = duration(path, torque=True, points=400)
    assert fastest - 1e-4 <= found <= 1.03 * fastest
    motion = retime(path, torque=True, period=1e-3, points=400)
    tau = kt.inverse_dynamics(path.robot)(motion.q, motion.qd, motion.qdd)
    assert np.abs(tau).max() <= F * (1 + 1e-6)


@pytest.mark.slow
def test_a_pendulum_keeps_its_torque():
    """From hanging to level and on; weight, inertia and centrifugal terms change along the path."""
    arm = kt.chain([
        {"axis": [0, -1, 0], "m": 2.0, "r": [0.5, 0, 0]},
        {"axis": [0, -1, 0], "xyz": [1, 0, 0], "m": 1.0, "r": [0.4, 0, 0]},
    ])  # fmt: skip
    path = wavy(arm, n=5)
    motion = retime(path, velocity=False, torque=[35.0, 9.0], period=1e-4, points=200)
    share = np.abs(kt.inverse_dynamics(arm)(motion.q, motion.qd, motion.qdd)) / [35.0, 9.0]
    assert share.max() <= 1 + 1e-6
    assert np.median(share.max(axis=1)) > 0.99
    with pytest.raises(kt.KinetreeError, match=r"standing still takes .* of joint 'q1'.* its limit is 20, at s = "):
        retime(path, torque=[20.0, 9.0])


FOLLOWER = """<robot name="hand"><link name="a"/><link name="b"/><link name="c"/>
<joint name="lead" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-9" upper="9" velocity="4" effort="1"/></joint>
<joint name="follow" type="revolute"><parent link="a"/><child link="c"/><axis xyz="0 0 1"/>
<mimic joint="lead" multiplier="-2"/><limit lower="-9" upper="9" velocity="2" effort="1"/></joint></robot>"""


def test_followers_count():
    line = through(kt.load(FOLLOWER, format="urdf"), [[0.0], [1.0]])
    assert duration(line, acceleration=4e6) == pytest.approx(1.0, abs=2e-2)  # 2 rad at 2 rad/s
    assert duration(line, acceleration=4e6, velocity=4.0) == pytest.approx(1.0, abs=2e-2)
    assert duration(line, acceleration=4e6, velocity={"follow": 8.0}) == pytest.approx(0.25, abs=1e-2)
    assert duration(line, acceleration={"lead": 100.0, "follow": 8.0}, velocity=False) == pytest.approx(1.0, abs=1e-9)


def test_deceleration_of_the_model():
    robot = slide(more=' acceleration="4" deceleration="1"', version="1.2")
    assert duration(through(robot, [[0.0], [1.0]]), points=600) == pytest.approx(two_phases(1.0, 4.0, 1.0), rel=1e-3)
    assert duration(through(robot, [[1.0], [0.0]]), points=600) == pytest.approx(two_phases(1.0, 4.0, 1.0), rel=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "no limit of acceleration or torque for q1, q2, without which"),
        ({"acceleration": {"q1": 1.0}}, "no limit of acceleration or torque for q2"),
        ({"acceleration": False}, "pass acceleration="),
        ({"acceleration": 0.0}, "acceleration is 0.0; expected True, False, a number above 0"),
        ({"acceleration": [1.0]}, r"\(or 2 of them, in the order of velocity_names\)"),
        ({"acceleration": np.nan}, "acceleration is nan; expected"),
        ({"acceleration": 1.0, "velocity": {"q9": 1.0}}, "velocity has a number for 'q9'"),
        ({"acceleration": 1.0, "velocity": "fast"}, "velocity is fast; expected True, False, a number above 0"),
        ({"acceleration": 1.0, "points": 1}, "points is 1; expected a whole number from 2"),
        ({"acceleration": 1.0, "points": 2.5}, "points is 2.5; expected a whole number from 2"),
        ({"acceleration": 1.0, "period": 0.0}, "period is 0.0; expected"),
        (
            {"acceleration": 1.0, "period": 1e-9},
            "1e-09; .* of which the motion takes at most 10,000,000",
        ),
    ],
)
def test_what_is_missing_or_wrong_is_named(options, message):
    with pytest.raises(kt.KinetreeError, match=message):
        retime(wavy(), **options)


def test_what_is_no_path_is_refused():
    with pytest.raises(kt.KinetreeError, match="a path is a int; expected"):
        retime([wavy(), 3], acceleration=1.0)
    with pytest.raises(kt.KinetreeError, match="the paths are of different robots"):
        retime([wavy(), wavy(kt.chain("Rz(a) tx(1) Rz(b)"))], acceleration=1.0)


def test_a_path_outside_of_the_limits_is_refused():
    robot = slide()
    bow = through(robot, [[0.0], [8.5], [8.5], [0.0]], s=[0, 1, 2, 3])
    top = bow(1.5)[0]
    assert top > 9.1
    with pytest.raises(kt.KinetreeError, match=rf"leaves limit 'x upper' by {top - 9:.3g} at s = 1\.5"):
        retime(bow, acceleration=1.0)
    assert duration(bow, acceleration=1.0, position=False) > 1.0
    inside = through(robot, [[0.0], [7.5], [7.5], [0.0]], s=[0, 1, 2, 3])
    assert 8.5 < inside(1.5)[0] < 9.0
    assert duration(inside, acceleration=1.0) > 1.0


@pytest.mark.slow
def test_limits_over_several_joints_count():
    icub = kt.load("icub")
    inside = icub.limits.sample(200, seed=1)
    corner = inside.max(axis=0)
    outside = np.clip(corner, icub.limits.lower, icub.limits.upper)
    row = icub.limits.names[int(np.argmin(icub.limits.margin(outside)))]
    assert row in icub.limits.row_names
    with pytest.raises(kt.KinetreeError, match=f"leaves limit '{row}'"):
        retime(through(icub, [inside[0], outside], degree=1), acceleration=1.0)
    assert duration(through(icub, inside[:2], degree=1), acceleration=1.0, velocity=1.0, points=10) > 0.5


def test_joints_are_chosen_as_elsewhere():
    icub = kt.load("icub")
    path = through(icub, [[0.0, 0.1], [0.2, 0.3]], joints=["neck_pitch", "neck_roll"])
    motion = retime(path, acceleration=1.0, velocity=False)
    assert motion.names == ("neck_pitch", "neck_roll")
    assert motion.times[-1] == pytest.approx(2 * np.sqrt(0.2))


def test_limits_of_zero_are_named():
    line = [[0.0], [1.0]]
    with pytest.raises(kt.KinetreeError, match="joint 'x' moves, and its limit of velocity is 0 in the model"):
        retime(through(slide(velocity=0.0), line), acceleration=1.0)
    assert duration(through(slide(velocity=0.0), line), acceleration=4.0, velocity=50.0) == pytest.approx(1.0)
    with pytest.raises(kt.KinetreeError, match="no speed at s = 0"):
        retime(through(slide(effort=0.0), line), torque=True)
    with pytest.raises(kt.KinetreeError, match=r"no speed at s = |standing still"):
        retime(through(slide("0 0 1", effort=2.0 * 9.81), line), torque=True)


@pytest.mark.slow
def test_a_parabola_has_its_peak_between_three_points():
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 200))
    t = np.linspace(-1, 1, 20_001)[:, None]
    exact = (a * t**2 + b * t + c).max(axis=0)
    found = peak(a - b + c, c, a + b + c)
    assert np.all(found >= exact - 1e-9)
    assert np.all(found <= exact + 0.0401 * np.abs(a) + 1e-6)
    assert found[a > 0] == pytest.approx((np.abs(b) + a + c)[a > 0])


def test_payloads_hang_at_their_frames():
    arm = kt.chain([{"axis": [0, -1, 0], "m": 1.0, "r": [0.5, 0, 0]}], tool=translation([1.0, 0, 0]))
    loaded = with_payload(arm, {"tip": 2.0})
    assert kt.gravity_torques(loaded)([0.0]) == pytest.approx([(1.0 * 0.5 + 2.0 * 1.0) * 9.81])
    assert kt.mass_matrix(loaded)([0.0]) == pytest.approx(kt.mass_matrix(arm)([0.0]) + 2.0)
    assert with_payload(arm, {}) is arm


def test_how_much_slower_is_enough():
    """Velocities are proportional to the speed, accelerations to its square; speeding up and slowing down differ."""
    counted, one = Counted((0,), (0,), (), False, False), np.ones(1)
    for u, x, way, r in (
        (3.0, 1.0, 1.0, np.sqrt(2 / 3)),
        (-3.0, 1.0, 1.0, np.sqrt(1 / 3)),
        (3.0, 1.0, -1.0, np.sqrt(2 / 3)),
        (-3.0, 1.0, -1.0, np.sqrt(1 / 3)),
        (0.0, 400.0, 1.0, 0.5),
        (0.5, 1.0, 1.0, 1.0),
    ):
        points = [way * one] * 3 + [0 * one] * 3
        assert slowing(counted, np.full(3, x), u, 10 * one, 2 * one, one, *points) == pytest.approx(r)


def random_point(rng, damped):
    """Return q', q'' (2,), and the torques at rest, with qdd = q', and with qd = q' and -q' besides qdd = q''."""
    given = [rng.normal(size=2) for _ in range(6)]
    return given if damped else given[:5]


def torque_at(point, u, x):
    """Return rest + inertia u + square x + damping √x."""
    rest, pulled, forward, backward = [*point[2:], point[4]][:4]
    even, odd = (forward + backward) / 2 - rest, (forward - backward) / 2
    return rest + (pulled - rest) * u + even * x + odd * np.sqrt(x)


@pytest.mark.slow
@pytest.mark.parametrize("damped", [False, True])
def test_rows_are_the_limits(damped):
    """u and x fulfil the rows if all limits hold at x + 2 D u; dampers are bounded from the safe side, exactly at the
    speed of the tangent."""
    rng, counted = np.random.default_rng(5), Counted((), (0, 1), (0, 1), False, damped)
    up, down, most = np.array([2.0, 3.0]), np.array([1.0, 4.0]), np.array([2.0, 2.5])
    kept = 0
    for _ in range(150):
        point, later, x, u = random_point(rng, damped), rng.choice([0.0, 0.3]), rng.uniform(0, 2), rng.normal()
        if (end := x + later * u) < 0.0:
            continue
        more = (np.sqrt(end), np.sqrt(end)) if damped else ()
        (B, U, L), (least, largest) = (
            y.T if y.ndim > 1 else y
            for y in rows(counted, *point[:2], later, 1.0, 1.0, up, down, most, *point[2:], *more)
        )
        qdd, tau = point[0] * u + point[1] * end, torque_at(point, u, end)
        way = point[0] > 0.0
        is_inside = np.all((np.where(way, -down, -up) <= qdd) & (qdd <= np.where(way, up, down)))
        assert np.all((L - B * x <= u) & (u <= U - B * x)) == (is_inside and np.all(np.abs(tau) <= most))
        assert (least, largest) == (0.0, 1e150)
        kept += is_inside
    assert kept > 15


def test_rows_without_u_limit_x_alone():
    counted, none = Counted((), (0,), (), True, False), np.zeros(1)
    for second, largest in ((4.0, 0.5), (-8.0, 0.25), (0.0, 1e150)):
        found, ends = rows(counted, none, np.array([second]), 0.0, 1.0, 1.0, np.array([2.0]), np.array([2.0]))
        assert found.tolist() == [[0.0, 1e150, -1e150]]
        assert ends[1] == pytest.approx(largest)


def test_a_slower_motion_reaches_its_torque_and_keeps_it():
    """The three points of the interval are the same, so that nothing bends between them."""
    rng, counted = np.random.default_rng(6), Counted((), (), (0, 1), True, False)
    found = []
    for _ in range(100):
        point, x, u, most = random_point(rng, False), rng.uniform(0.1, 4), rng.normal(), rng.uniform(0.5, 3, 2)
        torques = [one for part in point[2:] for one in [part] * 3]
        args = [point[0]] * 3 + [point[1]] * 3
        r = slowing(counted, np.full(3, x), u, most, most, most, *args, most, *torques)
        parts = np.linspace(0.0, 1.0, 2001)[:, None]
        inside = np.all(np.abs(torque_at(point, u * parts**2, x * parts**2)) <= most, axis=1)
        if inside[0]:
            first = 1.0 if inside.all() else parts[np.argmin(inside), 0]
            assert first - 6e-4 <= r <= first + 1e-9
            found.append(r)
        else:
            assert r == -1.0 or np.all(np.abs(torque_at(point, u * r**2, x * r**2)) <= most + 1e-12)
    assert len(found) > 30
    assert 0.2 < np.mean(np.array(found) < 1.0) < 1.0


def test_a_joint_that_stands_may_have_a_limit_of_zero():
    """0.5 s to 1 m/s with 2 m/s², as much to stop, and 1 m between."""
    text = '<robot name="r"><link name="a"/>'
    for name, parent, child, speed in (("x", "a", "b", 1.0), ("y", "b", "c", 0.0)):
        text += JOINT.format(
            name=name, kind="prismatic", parent=parent, child=child, axis="1 0 0", velocity=speed, effort=1, more="",
            parts="",
        )  # fmt: skip
        text += f'<link name="{child}"/>'
    robot = kt.load(text + "</robot>", format="urdf")
    line = through(robot, [[0.0, 0.0], [1.5, 0.0]])
    assert duration(line, acceleration=2.0, points=600) == pytest.approx(2.0, rel=2e-3)


def test_an_interval_of_speeds_is_found_or_empty():
    """u between L - B x and U - B x for all rows; the ends of x by enumeration of all pairs of rows."""
    rng = np.random.default_rng(0)
    for shift in (0.0, -3.0):
        for _ in range(50):
            B, U, L = rng.normal(size=5), rng.uniform(0.5, 2, 5) + shift, -rng.uniform(0.5, 2, 5)
            rows, state = np.stack([B, U, L], axis=1), np.array([1.0, 0.0, 10.0])
            while state[0] > 0:
                state = step(state, rows)
            slopes, slack = (B[:, None] - B).ravel(), (U[:, None] - L).ravel()  # slopes x <= slack
            never = (slopes == 0) & (slack < 0)
            with np.errstate(divide="ignore", invalid="ignore"):
                low = np.max((slack / slopes)[slopes < 0], initial=0.0)
                high = np.min((slack / slopes)[slopes > 0], initial=10.0)
            if low > high or never.any():
                assert state[1] > state[2]
            else:
                assert state[1:] == pytest.approx([low, high])


def lifting(seed):
    """Return a path of an arm with two heavy links, and limits with which motors can just bear them."""
    link = {"axis": [0, -1, 0], "m": 2.0, "r": [0.3, 0, 0], "I": [0.01, 0.02, 0.03]}
    arm = kt.chain([link, {**link, "xyz": [0.6, 0, 0]}])
    path = through(arm, np.random.default_rng(seed).uniform(-2, 2, (4, 2)).round(1), degree=5)
    q = path(np.linspace(*path.s[[0, -1]], 200))
    weight = np.abs(kt.inverse_dynamics(arm)(q, 0 * q, 0 * q)).max(axis=0)
    return path, {"velocity": False, "acceleration": 10.0, "torque": 1.3 * weight + 0.2}


@pytest.mark.slow
def test_less_use_of_limits_never_makes_a_motion_slower(monkeypatch):
    for seed in range(12):
        path, limits = lifting(seed)
        eased = duration(path, **limits, points=30)
        with monkeypatch.context() as patch:
            patch.setattr(retime_module, "EASED", 0)
            assert eased <= duration(path, **limits, points=30)


@pytest.mark.slow
def test_a_way_that_ends_at_rest_before_the_end_is_not_the_only_one():
    """The fastest way to the last of 30 intervals ends at rest there, where no way leads on."""
    path, limits = lifting(315)
    motion = retime(path, **limits, points=30)
    assert [one.code for one in kt.motion.check(motion, **limits)] == ["motion-unchecked"]
    assert duration(path, **limits, points=2000) < motion.times[-1] < 1.5 * duration(path, **limits, points=40)


def test_a_motion_that_gets_stuck_with_less_of_the_limits_is_kept(monkeypatch):
    profile, calls = retime_module._profile, []

    def stuck_later(limited, at, torques, step, *more):
        calls.append(step.shape[1])
        if len(calls) == 2:
            raise retime_module.StuckError(1, 0, 0.0, np.zeros((1, 3)))
        return profile(limited, at, torques, step, *more)

    given = [lifting(seed) for seed in range(12)]
    paths, limits = [path for path, _ in given], max((limits for _, limits in given), key=lambda x: x["torque"].sum())
    paths = [Path(paths[0].robot, path.s, path.coefficients) for path in paths]
    with monkeypatch.context() as patch:
        patch.setattr(retime_module, "EASED", 0)
        first = [motion.times[-1] for motion in retime(paths, **limits, points=30)]
    monkeypatch.setattr(retime_module, "_profile", stuck_later)
    found = [motion.times[-1] for motion in retime(paths, **limits, points=30)]
    assert calls[1] > 1
    assert calls[2] == calls[1] - 1
    assert np.less_equal(found, first).all()
    assert np.less(found, first).any()
