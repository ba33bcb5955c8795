"""What a reach map needs of a robot, by itself: directions, boxes, voxels, and searches that end at once."""

from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.inverse import GOING
from kinetree.errors import KinetreeError
from kinetree.lab.reach import make, run
from kinetree.lab.reach.grid import Grid
from kinetree.lab.reach.make import STRAIGHT, _cone, _default_voxel, _reached_box, orientations_of
from kinetree.lab.reach.map import ReachMap
from kinetree.lab.reach.search import _descended, is_exact

Z = np.array([0.0, 0.0, 1.0])


def test_directions_of_an_arm_in_a_plane_are_about_its_axis():
    w = np.array([[0, 0, 0.5], [0, 0, -2.0], [0, 0, 0]])
    found = _cone(w, np.array([0.6, 0.0, 0.8]))
    assert found.shape == (36, 3)
    np.testing.assert_allclose(found[:, 2], 0.8)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0)
    angles = np.unwrap(np.arctan2(found[:, 1], found[:, 0]))
    np.testing.assert_allclose(np.abs(np.diff(angles)), np.pi / 18)
    assert angles[0] == 0.0
    assert _cone(w, -Z).tolist() == [[0, 0, -1]]
    assert _cone(w, np.array([0.5 * STRAIGHT, 0, 1.0])).tolist() == [[0, 0, 1]]
    assert _cone(np.array([[0, 0, 2.0], [2e-9, 0, 1.0]]), Z).shape == (0, 3)
    assert _cone(np.array([[0, 0, 2.0], [0.9e-9, 0, 1.0]]), Z).shape == (1, 3)


@each("longest, voxel", [(0.0, 1.0), (1.0, 0.05), (0.99, 0.02), (0.4, 0.02), (0.2, 0.01), (20.0, 1.0), (39.0, 1.0)])
def test_default_voxels(longest, voxel):
    assert _default_voxel(longest) == voxel


@pytest.fixture
def posed(monkeypatch):
    """A robot whose frame has these Jacobians and poses."""

    def posed(J, p=(0.5, 0.25, 0.0)):
        T = np.tile(np.eye(4), (4, 1, 1))
        T[:, :3, 3] = p
        monkeypatch.setattr(make, "configurations", lambda solver, count: np.zeros((4, J.shape[1])))
        monkeypatch.setattr(make, "jacobian", lambda *_: lambda q: np.tile(J, (4, 1, 1)))
        monkeypatch.setattr(make, "fk", lambda *_: lambda q: T)
        return SimpleNamespace(_problem=SimpleNamespace(rates=slice(None)))

    return posed


@each(
    "directions, found",
    [("down", [[0, 0, -1]]), ([[0, 0, 2], [3, 0, 4]], [[0, 0, 1], [0.6, 0, 0.8]]), ([[0, 5, 0]], [[0, 1, 0]])],
)
def test_directions_that_are_given(directions, found):
    with pytest.MonkeyPatch.context() as patch:
        chosen, rolls = orientations_of(None, "", "", everywhere(patch), directions, None)
        np.testing.assert_allclose(chosen, found)
        assert rolls == 0
        assert orientations_of(None, "", "", everywhere(patch), directions, 3)[1] == 3
        assert not chosen.flags.writeable


def everywhere(patch):
    """Patch the kinematics of a frame that moves and turns in all ways."""
    patch.setattr(make, "configurations", lambda solver, count: np.zeros((2, 6)))
    patch.setattr(make, "jacobian", lambda *_: lambda q: np.tile(np.eye(6), (2, 1, 1)))
    patch.setattr(make, "fk", lambda *_: lambda q: np.tile(np.eye(4), (2, 1, 1)))
    return SimpleNamespace(_problem=SimpleNamespace(rates=slice(None)))


@each("directions", ["up", [[0, 0, 0]], [0, 0, 1], [[0, 1]], [[np.inf, 0, 0]]])
def test_directions_that_are_refused(directions):
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KinetreeError, match="directions is ") as error:
        orientations_of(None, "", "", everywhere(patch), directions, None)
    assert "expected a number of directions, 'down', or vectors (d, 3)" in str(error.value)


@each("directions, number, rolls", [(None, 50, 4), (12, 12, 4), (0, 0, 0)])
def test_directions_by_number(directions, number, rolls):
    with pytest.MonkeyPatch.context() as patch:
        chosen, most = orientations_of(None, "", "", everywhere(patch), directions, None)
    assert (len(chosen), most) == (number, rolls)


def test_directions_of_a_joint_that_turns_in_place(posed):
    """It turns the frame about its own z: one direction, all rolls."""
    solver = posed(np.array([[0, 0, 0, 0, 0, 1.0]]).T)
    chosen, rolls = orientations_of(None, "", "", solver, None, None)
    assert (chosen.tolist(), rolls) == ([[0, 0, 1]], 36)


def test_a_box_about_an_axis_is_as_wide_on_all_sides(monkeypatch):
    """The farthest point is 0.5 m off the axis."""
    points = np.array([[1.3, 2.4, 0.0], [1.1, 2.0, 0.5], [1.0, 1.9, 0.25]])
    T = np.tile(np.eye(4), (3, 1, 1))
    T[:, :3, 3] = points
    at = np.array([1.0, 2.0])
    monkeypatch.setattr(make, "fk", lambda *_: lambda q: T)
    monkeypatch.setattr(make, "configurations", lambda solver, count: np.zeros((3, 1)))
    position = lambda targets, q0: SimpleNamespace(q=q0)  # noqa: E731
    low, high = _reached_box(None, "", "", position, at)
    pad = 0.005 * 1.0
    np.testing.assert_allclose(low, [0.5 - pad, 1.5 - pad, -pad])
    np.testing.assert_allclose(high, [1.5 + pad, 2.5 + pad, 0.5 + pad])
    low, high = _reached_box(None, "", "", position, None)
    pad = 0.005 * 0.5
    np.testing.assert_allclose(np.array([low, high]), [[1 - pad, 1.9 - pad, -pad], [1.3 + pad, 2.4 + pad, 0.5 + pad]])


def test_a_map_of_a_box_says_its_share():
    grid = Grid(np.zeros(3), 0.5, (2, 1, 1), (False,) * 3, np.zeros((0, 3)), 0, None)
    bits = np.array([[[[0x80]]], [[[0]]]], dtype=np.uint8)
    best = np.ones((2, 2, 1, 1))
    box, free = (ReachMap("r", "tip", "base", grid, bits, *best, {"boxed": one}) for one in (True, False))
    assert "reaches 0.125 m³, 50 % of the box; 2 × 1 × 1 voxels" in repr(box)
    assert "reaches 0.125 m³; 2 × 1 × 1 voxels" in repr(free)
    assert repr(box.plot()).endswith(repr(box))


def test_joints_with_a_quaternion_are_not_moved():
    robot = kt.edit.floating(kt.chain("Rz(q1) tx(0.4)"))
    loose = SimpleNamespace(_problem=SimpleNamespace(loose=[SimpleNamespace(q=1)], columns=[7, 3]))
    with pytest.raises(KinetreeError) as error:
        run._check_loose(robot, loose)
    (finding,) = error.value.findings
    assert finding.message == "the joint 'floating_base' has a quaternion, which reach maps do not move"
    assert finding.fix == "name the joints that move with joints=, or another base="
    run._check_loose(robot, SimpleNamespace(_problem=SimpleNamespace(loose=[])))


def test_without_closed_forms_no_search_is_exact():
    assert not is_exact(SimpleNamespace(_forms=None), np.zeros((0, 4, 4)))


def test_a_search_of_no_target_finds_none():
    where, q = _descended(SimpleNamespace(_problem=SimpleNamespace(nq=3)), np.zeros(0, int), np.zeros((0, 5)), ())
    assert (where.shape, q.shape) == ((0,), (0, 3))


@each(
    "options, message",
    [
        ({"directions": True}, "directions is True; expected whole numbers from 0 to 10000"),
        ({"directions": 2.5}, "directions is 2.5; expected whole"),
        ({"directions": -1}, "directions is -1"),
        ({"directions": 10001}, "directions is 10001"),
        ({"rolls": True}, "rolls is True; expected whole numbers from 0 to 360"),
        ({"rolls": 361}, "rolls is 361"),
        ({"rolls": -1}, "rolls is -1"),
        ({"workers": 0}, "workers is 0; expected whole numbers from 1 to 10000"),
    ],
)
def test_numbers_that_are_refused(options, message):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "_job", lambda *_: (None, None))
        with pytest.raises(KinetreeError) as error:
            kt.reach_map(kt.chain("Rz(q1) tx(0.4)"), "tip", **options)
    assert error.value.findings[0].message.startswith(message)


@each("options", [{}, {"directions": 0}, {"directions": 10000, "rolls": 0}, {"rolls": 360}, {"directions": "down"}])
def test_numbers_that_are_taken(options):
    def job(robot, frame, base, voxel, box, directions, rolls, symmetry, of_ik, contact):
        assert (directions, rolls) == (options.get("directions"), options.get("rolls"))
        assert contact == {"clearance": 0.01, "geometry": "mesh"}
        assert symmetry is False
        raise NotImplementedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "_job", job)
        with pytest.raises(NotImplementedError):
            kt.reach_map(kt.chain("Rz(q1) tx(0.4)"), "tip", clearance=0.01, **options)


@each("contact, kept", [(None, [0, 3]), (lambda q: q[:, 0] > 2, [0])])
def test_searches_keep_what_is_inside_and_apart(contact, kept):
    """Of four searches one has not ended, and one has ended outside of the limits."""
    found, answer = np.zeros((4, 7)), np.array([[1.0, 0, 0, 0, 0.0], [2.0, 0, 0, 0, 0.5], [3.0, 0, 0, 0, 0.0]])
    found[1, GOING] = 1.0
    given = []

    def kernel(states, *targets):
        given.append(targets[0].tolist())
        return found

    solver = SimpleNamespace(
        _problem=SimpleNamespace(nq=2),
        _kernel=kernel,
        _more=(),
        _answer=lambda ended, neutral: answer if len(ended) == 3 else None,
        _inside=SimpleNamespace(neutral=None),
        contact=contact,
    )
    where, q = _descended(solver, np.array([10, 11, 12, 13]), np.zeros((4, 7)), (np.arange(20.0),))
    assert given == [[10.0, 11.0, 12.0, 13.0]]
    assert (where.tolist(), q[:, 0].tolist()) == ([10 + i for i in kept], [[1.0, 3.0][i > 0] for i in kept])
