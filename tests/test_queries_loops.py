"""Loops: how far closing joints are open, and answers that depend on them."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.model.joints import JOINT_TYPES
from kinetree.spatial import se3
from sdf_texts import load, model

FOURBAR = """<link name="a"/><link name="b"/><link name="c"><pose>0 1 0 0 0 0</pose></link>
  <link name="d"><pose>2 1 0 0 0 0</pose></link><link name="arm"/><link name="hand"/>
  <joint name="ab" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="bc" type="revolute"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="cd" type="revolute"><parent>c</parent><child>d</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="ad" type="revolute"><pose>0 -1 0 0 0 0</pose><parent>a</parent><child>d</child>
    <axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="swing" type="revolute"><parent>a</parent><child>arm</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="lift" type="prismatic"><parent>arm</parent><child>hand</child><axis><xyz>1 0 0</xyz></axis></joint>"""
"""A parallelogram: crank ab and rocker da of length 1, coupler and ground of length 2."""


@pytest.fixture(scope="module")
def fourbar():
    return load(model(FOURBAR))


def test_a_parallelogram_is_closed_where_the_coupler_stays_parallel(fourbar):
    q = np.array([fourbar.q(ab=x, bc=-x, cd=x) for x in np.linspace(-3, 3, 50)])
    error = kt.kinematics.loop_error(fourbar)(q)
    assert error.shape == (50, 1, 2)
    assert np.abs(error).max() < 1e-14


def test_the_distance_is_that_of_the_pins(fourbar):
    q = fourbar.q(ab=0.3, bc=0.1, cd=-0.2)
    pin = np.array((2.0, 0.0))
    x, y = (np.cumsum((0.3, 0.1, -0.2)))[:2], np.cumsum((0.3, 0.1, -0.2))[2]
    there = np.array((-np.sin(x[0]), np.cos(x[0]))) + 2 * np.array((np.cos(x[1]), np.sin(x[1])))
    there -= np.array((-np.sin(y), np.cos(y)))
    np.testing.assert_allclose(kt.kinematics.loop_error(fourbar)(q), [[np.linalg.norm(there - pin), 0.0]], atol=1e-15)


@each("kind", JOINT_TYPES.values())
def test_what_a_type_can_reach_is_closed_and_other_poses_are_not(kind):
    rng = np.random.default_rng(3)
    axes = rng.normal(size=(kind.axes, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    for _ in range(50):
        T = kind.transform(axes, 0.3 * kind.has_pitch, rng.normal(size=kind.nq))
        assert np.abs(kind.gap(axes, 0.3 * kind.has_pitch, T)).max() < 1e-14
        moved = T @ se3.homogeneous(se3.rotation((0.6, 0.0, 0.8), 0.1), (0.01, 0.02, 0.03))
        distance, angle = kind.gap(axes, 0.3 * kind.has_pitch, moved)
        assert bool(distance > 1e-4) == (kind.name != "floating")
        assert bool(angle > 1e-4) == (kind.name not in ("floating", "ball"))


def test_inverse_kinematics_over_a_loop_is_refused_unless_it_is_ignored(fourbar):
    for frame, base in (("d", None), ("c", "b"), ("hand", "c")):
        with pytest.raises(KinetreeError, match=r"'ad'.*closes a loop"):
            kt.ik(fourbar, frame, base, goal="position")
        assert kt.ik(fourbar, frame, base, goal="position", loops="ignore").coordinate_names
    with pytest.raises(KinetreeError, match="expected one of 'refuse', 'ignore'"):
        kt.ik(fourbar, "d", loops="no")


def test_a_loop_elsewhere_does_not_matter(fourbar):
    solver = kt.ik(fourbar, "hand", goal="position")
    assert solver((0.5, 0.0, -0.5)).success


@pytest.mark.slow
def test_edits_carry_loops_along(fourbar):
    def error(robot, q):
        return kt.kinematics.loop_error(robot)(robot.q({name: x for name, x in q.items() if name in robot.joint_names}))

    q = {"ab": 0.3, "bc": 0.1, "cd": -0.2, "swing": 0.5, "lift": 0.2}
    there = error(fourbar, q)
    assert there[0, 0] > 0.1
    moved = kt.edit.move_frame(fourbar, "d", se3.homogeneous(se3.rotation((0.0, 0.0, 1.0), 0.3), (1.0, 2.0, 3.0)))
    renamed = kt.edit.rename(fourbar, {"d": "rocker", "ad": "pin"})
    assert ([*renamed.loops], renamed.loops["pin"].child) == (["pin"], "rocker")
    assert [*kt.edit.prefix(fourbar, "x_").loops] == ["x_ad"]
    locked = kt.edit.lock(fourbar, {"cd": -0.2})
    for robot in (moved, renamed, kt.edit.reroot(fourbar, "d"), locked, kt.edit.merge_fixed(locked)):
        np.testing.assert_allclose(error(robot, q), there, atol=1e-14)
    twice = kt.edit.attach(fourbar, fourbar, "hand", prefix="x_")
    assert [*twice.loops] == ["ad", "x_ad"]
    cut = kt.edit.remove(fourbar, "d")
    assert not cut.loops
    assert any(note.code == "dropped" and "'ad'" in note.element for note in cut.notes)
    assert [*kt.edit.remove(fourbar, "arm").loops] == ["ad"]


def test_a_format_without_loops_says_so(fourbar):
    with pytest.raises(KinetreeError, match="a joint that closes a loop"):
        kt.text(fourbar, "dh")


def test_a_loop_can_be_left_out(fourbar):
    text = kt.text(fourbar, "urdf", without=("loop",))
    assert [*kt.load(text, format="urdf").joints] == [*fourbar.joints]
