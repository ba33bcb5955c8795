"""Parts of `excite` by themselves: what is refused before, how a motion shrinks, and contact that cannot be tested."""

from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import Finding, Findings, KinetreeError, fail
from kinetree.lab import excite as exciting

ARM = kt.chain("Rz(q1) tx(0.4) Rx(q2) ty(0.3)")
STILL = kt.chain("tx(0.4)")
GIVEN = {"robot": ARM, "unknown": ["inertia"], "frame": None, "duration": 1.0, "period": 0.05, "tries": 1, "seed": 0}


@each(
    "more, code, part",
    [
        (
            {"unknown": "inertia"},
            "excite",
            "unknown is 'inertia'; expected a list of some of inertia, friction, geo",
        ),
        ({"unknown": []}, "excite", "unknown is []; expected a list"),
        ({"unknown": ["inertia", "frction"]}, "unknown-name", "no kind of numbers 'frction'; did you mean 'friction'"),
        ({"unknown": ["geometry"]}, "excite", "geometry is found by poses of a frame"),
        ({"robot": kt.edit.floating(ARM)}, "excite", "joint 'floating_base' has several coordinates; expected joints"),
        ({"robot": STILL}, "excite", "no joint moves; expected joints that turn or slide"),
        ({"period": 0.0501}, "excite", "duration=1.0, period=0.0501, tries=1, seed=0; expected a period of at most"),
        ({"period": 0.0}, "excite", "period=0.0, tries=1"),
        ({"duration": np.inf}, "excite", "duration=inf"),
        ({"tries": 0}, "excite", "tries=0, seed=0; expected"),
        ({"seed": -1}, "excite", "seed=-1; expected a period of at most a twentieth of the duration"),
    ],
)
def test_what_is_refused(more, code, part):
    with pytest.raises(KinetreeError) as error:
        exciting._check(**(GIVEN | more))
    (finding,) = error.value.findings
    assert (finding.code, part in finding.message) == (code, True), finding.message


def test_what_is_not_refused():
    exciting._check(**GIVEN)
    exciting._check(**(GIVEN | {"unknown": ["geometry", "friction"], "frame": "tip"}))


@pytest.fixture
def found(monkeypatch):
    """Return the motion of amplitude 1, of whose samples so many checks find a fault."""

    def found(faults):
        checked = []

        def check(motion, **options):
            checked.append((float(np.abs(motion.q).max()), options))
            severity = "error" if len(checked) <= faults else "info"
            return Findings([Finding("torque", severity, f"check {len(checked)}")])

        monkeypatch.setattr(exciting, "check", check)
        return exciting.excite(ARM, ["friction"], duration=2.0, period=0.1, tries=2, clearance=0.25), checked

    one = exciting._Sines(np.zeros((2, 5, 2)), np.zeros(2))
    one.amplitudes[0, 0] = 1.0
    monkeypatch.setattr(exciting, "_allowed", lambda *_: None)
    monkeypatch.setattr(exciting, "_drawn", lambda *_: None)
    monkeypatch.setattr(exciting, "_inside", lambda *_: one)
    monkeypatch.setattr(exciting, "_seen", lambda *_: lambda rates: np.array([6.0, 3.0, 2.0]))
    return found


def test_a_motion_beyond_limits_shrinks_until_it_is_inside(found):
    motion, checked = found(0)
    assert len(checked) == 1
    assert checked[0][1] == {"velocity": True, "acceleration": True, "torque": True, "clearance": 0.25}
    shrunk, checked = found(3)
    np.testing.assert_allclose(shrunk.q, motion.q * exciting.SMALLER**3, atol=1e-12)
    assert len(checked) == 4
    assert [one.message for one in shrunk.notes] == [
        "the motion determines 3 combinations of the unknown numbers, with a condition number of 3",
        "check 4",
    ]
    assert len(motion.q) == 21
    with pytest.raises(KinetreeError, match="the motion is not inside the limits: check 12"):
        found(exciting.STEPS)
    assert len(found(exciting.STEPS - 1)[1]) == exciting.STEPS


@each("code, refused", [("contact-shape", False), ("contact-pairs", False), ("margin", False), ("mesh", True)])
def test_contact_that_cannot_be_tested_is_left_to_the_check(code, refused):
    def collisions(robot, margin):
        assert margin == 0.25
        raise fail(code, "cannot be tested")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exciting, "collisions", collisions)
        try:
            may = exciting._allowed(ARM, np.full(2, np.inf), 0.25)
        except KinetreeError as error:
            assert (refused, error.findings[0].code) == (True, code)
        else:
            assert not refused
            assert may((np.zeros((8, 2)), None, None))


def test_a_joint_that_stands_limits_no_other():
    one = exciting._Sines(np.zeros((2, 5, 2)), np.zeros(2))
    one.amplitudes[0, 0, 0] = 1.0
    box, t = (np.array([-0.5, 0.0]), np.array([2.0, 0.0])), np.linspace(0, 1, 50, endpoint=False)
    unlimited = [np.full(2, np.inf)] * 2
    found = exciting._inside(one, box, unlimited, 1.0, lambda rates: True, t)
    q = found.at(t, 1.0)[0]
    assert q[:, 1].tolist() == [0.0] * 50
    assert q[:, 0].min() == pytest.approx(-0.5 * exciting.INSIDE)
    speeds = [np.array([0.25, 1.0]), np.full(2, np.inf)]
    slow = exciting._inside(one, box, speeds, 1.0, lambda rates: True, t)
    assert np.abs(slow.at(t, 1.0)[1][:, 0]).max() == pytest.approx(0.25 * exciting.INSIDE)
    tried = []
    smaller = exciting._inside(one, box, unlimited, 1.0, lambda rates: tried.append(1) or len(tried) > 2, t)
    np.testing.assert_allclose(smaller.amplitudes, found.amplitudes * exciting.SMALLER**2)
    assert exciting._inside(one, box, unlimited, 1.0, lambda rates: False, t) is None


def test_limits_that_nothing_fulfils_are_named():
    limits = SimpleNamespace(lower=np.zeros(2), upper=np.ones(2), impossible="both")
    robot = SimpleNamespace(joint_names=ARM.joint_names, joints=ARM.joints, limits=limits)
    with pytest.raises(KinetreeError, match="no configuration fulfils this limit") as error:
        exciting._check(**(GIVEN | {"robot": robot}))
    assert error.value.findings[0].element == "limit 'both'"
