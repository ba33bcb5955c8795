"""Parts of `calibrate` by themselves: sentences of frames, units of joints, and steps of the search."""

from types import SimpleNamespace

import numpy as np
import pytest

from each import each
from kinetree.lab.calibrate import diagnose, search
from kinetree.lab.calibrate.calibration import _elsewhere
from kinetree.lab.calibrate.readings import _other_units
from kinetree.lab.calibrate.settle import Unknowns
from kinetree.spatial.se3 import homogeneous, translation

TOLERANCE = np.array([1e-3, 0.01])
SWAPPED = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])


HAND = "the controller's 'hand' is"


@each(
    "wanted, found, T, said",
    [
        ("tool0", "flange", np.eye(4), f"flange for tool0: {HAND} the robot's 'flange', where 'tool0' must be"),
        ("tool0", None, translation([0.25, 0, 0]), f"{HAND} elsewhere than the robot's 'tool0', by "),
        ("tool0", None, homogeneous(SWAPPED, [0, 0, 0]), f"{HAND} turned against the robot's 'tool0', by 90"),
        ("base", None, translation([0.25, 0, 0]), f"the robot has no 'base', which must be where {HAND}: "),
    ],
)
def test_where_a_frame_is(wanted, found, T, said):
    data = SimpleNamespace(arm=SimpleNamespace(robot=SimpleNamespace(frames={"tool0": 1})), tolerance=TOLERANCE)
    text = _elsewhere(data, wanted, found, "hand", T, "l6")
    assert text.startswith(said)
    assert text.endswith("in 'l6'") is (wanted == "base")


@each(
    "turning, said",
    [
        ([True, True], ["the joints are in rad, not in deg"]),
        ([True, False], ["the joints are in rad, not in deg", "the sliding joints are in m, not in mm"]),
        ([False, False], ["the sliding joints are in m, not in mm"]),
    ],
)
def test_other_units_of_joints(turning, said):
    found = list(_other_units(turning))
    assert [one.faults[0].message for one in found] == said
    for one in found:
        in_rad = "rad" in one.faults[0].message
        expected = [(1.0 if in_rad else np.pi / 180) if turns else (1e-3 if in_rad else 1.0) for turns in turning]
        np.testing.assert_allclose(one.value, expected)


class Poses:
    """Data whose few poses are others."""

    def __init__(self, off=0.0, few=None):
        self.off, self.few = (lambda residual: off), few or self
        self.tolerance, self.bases, self.tools = TOLERANCE, {"base": "B"}, {"tool0": "T"}
        self.arm = SimpleNamespace(joints=("q1", "q2"), own=("base", "tool0"))
        self.T = np.tile(np.eye(4), (1, 3, 1, 1))

    def poses(self, e):
        return "poses"


def test_many_poses_are_tried_only_if_some_fit_roughly(monkeypatch):
    monkeypatch.setattr(search, "_fit", lambda data, e: data.fit)
    assert search._may_fit(Poses(), None)
    few = SimpleNamespace(fit=SimpleNamespace(residual=0))
    assert search._may_fit(Poses(search.LOOSE, few), None)
    assert not search._may_fit(Poses(1.01 * search.LOOSE, few), None)
    few.fit = None
    assert not search._may_fit(Poses(0.0, few), None)


@pytest.mark.parametrize("base", ["base", None])
def test_frames_are_found_only_by_poses_that_turn(monkeypatch, base):
    """Without frames to be found, the poses need not turn."""
    monkeypatch.setattr(search, "fit_of", lambda data, e, *numbers: SimpleNamespace(residual=0, numbers=numbers))
    monkeypatch.setattr(search.fitting, "closed_form", lambda poses, T, X, Y: (X, Y))
    monkeypatch.setattr(search, "refined", lambda data, fit: "refined")
    e = SimpleNamespace(joint=0, base=base, tool="tool0", unknowns=0)
    fit = search._fit(Poses(), e)
    if base is None:
        assert fit is None
        return
    assert fit.numbers[:2] == ("B", "T")
    assert fit.numbers[2].tolist() == [0, 0]
    e.unknowns = 1
    assert search._fit(Poses(search.REACH), e) == "refined"
    assert search._fit(Poses(1.01 * search.REACH), e) != "refined"


def test_an_odd_pose_is_found_by_a_third_of_the_poses(monkeypatch):
    clear = diagnose.CLEAR * TOLERANCE
    residual = np.zeros((9, 2))
    part = SimpleNamespace(explanation=0, X=0, Y=0, offsets=0)
    monkeypatch.setattr(diagnose, "simplest", lambda data: [part])
    monkeypatch.setattr(diagnose, "fit_of", lambda *_: SimpleNamespace(residual=residual))
    data = SimpleNamespace(T=np.zeros((1, 9, 4, 4)), tolerance=TOLERANCE, only=lambda rows: rows)
    assert diagnose._outliers(data) == []
    residual[4, 1] = 1.01 * clear[1]
    residual[5] = 0.99 * clear
    assert diagnose._outliers(data) == [4]
    residual[7, 0] = 1.01 * clear[0]
    assert diagnose._outliers(data) == []


def test_zeros_that_do_not_fit_are_none(monkeypatch):
    places = Unknowns(np.eye(4)[None], np.ones((1, 2)), np.eye(4)[None], np.eye(4)[None])
    tried = []

    def settled(data, cases, start, every):
        tried.append((every, start.offsets.tolist()))
        return start, np.full(len(every), 2.0)

    monkeypatch.setattr(search, "settled", settled)
    monkeypatch.setattr(search, "_may", lambda data, e: [0, 1])
    assert search._fewest(Poses(), None, places, 1) == []
    assert tried == [([()], [[0, 0]]), ([(0,), (1,)], [[1, 0], [0, 1]])]


def test_own_frames_near_the_found_ones_are_refined(monkeypatch):
    off = {"own": 2.0, "refined": 0.5}
    fits = {name: SimpleNamespace(explanation=SimpleNamespace(unknowns=1), residual=name) for name in off}
    monkeypatch.setattr(search, "_without", lambda data, fit, parts: fits["own"])
    monkeypatch.setattr(search, "_unseen", lambda data, fit: ["base"])
    monkeypatch.setattr(search, "refined", lambda data, fit: fits["refined"])
    data = Poses()
    data.off = off.__getitem__
    fit = SimpleNamespace(explanation=SimpleNamespace(zeros=(), base=None, tool="tool0"))
    assert search._owned(data, fit) is fits["refined"]
    fits["own"].explanation.unknowns = 0
    assert search._owned(data, fit) is None
    off["own"] = 1.0
    assert search._owned(data, fit) is fits["own"]
