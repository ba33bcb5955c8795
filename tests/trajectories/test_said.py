"""What is said of motions and paths, with what is around it made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import fail
from kinetree.motion import Motion, check, point_to_point
from kinetree.spatial.se3 import rotation
from kinetree.trajectories import following, meetings, simulate
from kinetree.trajectories.passes import StuckError
from kinetree.trajectories.reasons import reason
from kinetree.trajectories.ways import straight

ARM = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")
FINGER = SimpleNamespace(name="finger")
GRID = SimpleNamespace(piece=np.array([[3], [4]]), since=np.array([[0.0], [0.25]]))
PATH = SimpleNamespace(robot=ARM, s=np.array([0.0, 1.0, 2.0]))
AT = SimpleNamespace(q=np.zeros((3, 2, 1, 2)))
MOVING = ["acceleration of 'q1'", "acceleration of 'finger'"]


@each("damped, torques", [(False, 1), (True, 2)])
@each("upper", range(3))
@each("lower", range(3))
def test_the_limits_between_which_no_speed_is_left_are_named(damped, torques, upper, lower):
    """The upper end that is lowest and the lower one that is highest, at the speed that was tried."""
    counted = SimpleNamespace(acceleration=(0, 2), torque=(1,))
    limited = SimpleNamespace(
        dynamics=lambda *given: np.array([[1.0, 2.0]] * 3),
        torque=np.array([1.0, 2.0]),
        counted=counted,
        is_damped=damped,
    )
    half = 2 + torques
    rows = np.tile([1.0, 9.0, -9.0], (2 * half + 1, 1))
    rows[upper, :2], rows[half + lower, ::2] = (4.0, 8.0), (-2.0, -10.0)  # 8 - 4 · 2 = 0, and -10 + 2 · 2 = -6
    stuck = StuckError(0, 1, 2.0, rows)
    found = reason(stuck, PATH, AT, GRID, 0, limited, [FINGER]).findings[0]
    names = [*MOVING, "torque of 'q2'"]
    said = dict.fromkeys((names[upper], names[lower]))
    assert found.message == f"no speed at s = 1.25 keeps the limits of {' and '.join(said)}"
    assert (found.code, found.fix) == ("retime", "larger limits, or another path")
    rows[-1] = [1.0, -90.0, 90.0]
    said = reason(stuck, PATH, AT, GRID, 0, limited, [FINGER]).findings[0].message
    assert said == "no speed at s = 1.25 keeps the limits of the rest of the path"


def test_a_singular_configuration_nearby_is_named(monkeypatch):
    s = np.array([0.0, 0.5, 2.0])
    for values, near in (
        (None, ""),
        ([[following.SINGULAR * 1.01]], ""),
        ([[1e-4]], "; a singular configuration is near: the smallest singular value is 0.0001"),
    ):
        monkeypatch.setattr(following, "singular_values", lambda *_, values=values: values)
        (found,) = following._fault(ARM, "tip", None, np.zeros(2), s, 1, "it jumps", "another way").findings
        assert found.message == f"frame 'tip' follows the way for 0.5 of 2 m: it jumps{near}"
        assert (found.code, found.fix) == ("path", "another way")


def contact(monkeypatch, first, own=np.nan, margin=0.0):
    """What is said of a pair whose shares of three samples are these, with a clearance and in contact itself."""
    given = [np.array(first)[:, None], np.array([own])[:, None]]
    shares = iter(given)

    def passage(*_):
        share = next(shares)
        return SimpleNamespace(free=np.array([[True], [False]])[: len(share)], share=share)

    pairs = SimpleNamespace(
        robot=ARM, moving=(), pairs=[("a", "b")], _margins=np.array([margin]), margin=margin, of=lambda pairs: "own",
        apart=lambda q, pair: np.array([0.004]),
    )  # fmt: skip
    samples = SimpleNamespace(robot=ARM, q=np.zeros((3, 2)), beside=None, when=lambda i: f"t = {i:g} s")
    monkeypatch.setattr(meetings, "collisions", lambda robot, margin: pairs)
    monkeypatch.setattr(meetings, "passage", passage)
    (found,) = meetings.contact_findings(samples, margin)
    assert found.element == "links 'a' and 'b'"
    return found.code, found.severity, found.message


def test_contact_is_told_from_clearance_and_from_what_is_not_proved(monkeypatch):
    here = "are in contact at t = 1.5 s, between two samples"
    assert contact(monkeypatch, [np.nan, 0.5]) == ("motion-contact", "error", here)
    near = "may be in contact near t = 1.5 s: they are too near for a proof, between two samples"
    assert contact(monkeypatch, [np.nan, np.nan]) == ("motion-contact", "warning", near)
    later = "are in contact at t = 1.75 s, between two samples"
    assert contact(monkeypatch, [np.nan, 0.5], 0.75, 0.01) == ("motion-contact", "error", later)
    far = "are 4 mm apart, below the clearance of 10 mm, at t = 1.5 s, between two samples"
    assert contact(monkeypatch, [np.nan, 0.5], np.nan, 0.01) == ("motion-clearance", "warning", far)


def test_motions_without_samples_and_clearances_that_are_none_are_refused():
    empty = Motion(("q1", "q2"), np.zeros(0), np.zeros((0, 2)), robot=ARM)
    with pytest.raises(kt.KinetreeError, match="the motion has no samples"):
        check(empty)
    still = Motion(("q1", "q2"), np.arange(2.0), np.zeros((2, 2)), robot=ARM)
    with pytest.raises(kt.KinetreeError, match=r"clearance is -1\.0; expected a distance from 0, m, what"):
        check(still, clearance=-1.0)


@each("code, is_finding", [("contact-shape", True), ("contact-pairs", True), ("mesh", False)])
def test_contact_that_cannot_be_checked_is_said_and_other_errors_stay(code, is_finding):
    def collisions(robot, margin):
        raise fail(code, f"no shapes at {margin}")

    samples = SimpleNamespace(robot=ARM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meetings, "collisions", collisions)
        if is_finding:
            (found,) = meetings.contact_findings(samples, 0.5)
            assert (found.code, found.message) == ("motion-unchecked", "contact is not checked: no shapes at 0.5")
        else:
            with pytest.raises(kt.KinetreeError, match=r"no shapes at 0\.5"):
                list(meetings.contact_findings(samples, 0.5))
        assert list(meetings.contact_findings(samples, None)) == []


def test_a_motion_that_the_integrator_gives_up_is_said(monkeypatch):
    stopped = SimpleNamespace(success=False, t=np.array([0.0, 0.25]), message="steps are too small")
    monkeypatch.setattr(simulate, "solve_ivp", lambda *_, **__: stopped)
    slider = kt.chain([{"type": "prismatic", "axis": [1, 0, 0], "m": 2}])
    with pytest.raises(kt.KinetreeError, match=r"too fast to be followed after t = 0.25 s: steps are too small"):
        simulate.simulate(slider, 0, [0.0, 1.0])


def test_followers_by_polynomials_have_no_profile_if_they_move():
    text = "<mujoco><worldbody>{}</worldbody><equality>{}</equality></mujoco>"
    curve = "<joint joint1='b' joint2='a' polycoef='0 2 1 0 0'/>"
    links = "".join(f"<body><joint name='{name}' axis='0 0 1'/><geom size='1'/></body>" for name in "abc")
    robot = kt.load(text.format(links, curve), format="mjcf")
    with pytest.raises(
        kt.KinetreeError, match="joint 'b' follows by a polynomial, and its speed changes on the way"
    ) as e:
        point_to_point(robot, [0.0, 0.0], [1.0, 0.5], acceleration=1.0)
    assert e.value.findings[0].fix == "time it with retime(through(robot, [q0, q1]))"
    moved = point_to_point(robot, [0.3, 0.0], [0.3, 1.0], profile="trapezoid", acceleration=4.0)
    assert moved.times[-1] == pytest.approx(1.0)


def test_poses_of_a_way_are_given_ones_to_the_last_digit_where_parts_begin():
    T = np.tile(np.eye(4), (4, 1, 1))
    T[:, :3, 3] = [[0.1, 0.2, 0.3], [0.4, -0.7, 0.6], [1.3, 0.9, 0.1], [0.2, 0.2, 0.2]]
    T[1, :3, :3] = rotation((0.0, 0.6, 0.8), 0.7)
    T[2, :3, :3] = rotation((0.6, 0.0, 0.8), -0.4)
    way = straight(T)
    np.testing.assert_array_equal(way(way.s[:3]), T[:3])
    np.testing.assert_allclose(way(way.s[3:]), T[3:], atol=1e-14)
    np.testing.assert_allclose(way((way.s[:1] + way.s[1:2]) / 2)[0, :3, 3], [0.25, -0.25, 0.45], atol=1e-14)
