"""The geometry behind `compare`: lines and points that are brought together, turns, distances of axes and motions."""

from __future__ import annotations

import numpy as np
import pytest

from kinetree.model.assemble import Parts, build
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import Joint, Link
from kinetree.model.tree import build_tree
from kinetree.solvers.compare import bodies
from kinetree.spatial import se3

T_AB = se3.homogeneous(se3.turn((0.6, 0.0, 0.8), 0.7)[:3, :3], (0.3, -0.2, 0.5))


def moved(lines):
    """The same lines in the frame b."""
    T = se3.inverse(T_AB)
    return [(T[:3, :3] @ u, None if p is None else T[:3, :3] @ p + T[:3, 3]) for u, p in lines]


def tree(kind, xyz=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), turn=0.0):
    axes = np.array([axis])[: JOINT_TYPES[kind].axes]
    joint = Joint("j", kind, "a", "b", se3.translation(xyz) @ se3.turn((1.0, 0.0, 0.0), turn), axes)
    return build_tree(build(Parts("r", [Link("a"), Link("b")], [joint]))), 0


def test_lines_are_brought_together():
    """Skew, parallel and sliding ones; those that turn fix the place, points all that is left."""
    x, y, z = np.eye(3)
    turning = [(z, np.array([1.0, 0.0, 0.0])), (x, np.array([0.0, 2.0, 3.0])), (z, np.array([0.0, 1.0, 0.0]))]
    np.testing.assert_allclose(bodies.fit(turning, moved(turning)), T_AB, atol=1e-12)
    parallel = [(z, np.array([1.0, 0.0, 0.0])), (z, np.array([0.0, 0.0, 0.0]))]
    found = bodies.fit(parallel, moved(parallel))
    np.testing.assert_allclose(found[:3, :3], T_AB[:3, :3], atol=1e-12)
    np.testing.assert_allclose((found - T_AB)[:2, 3], 0.0, atol=1e-12)  # along the lines any place will do
    slides = [(z, None), (x, None), (y, np.array([0.0, 0.0, 1.0]))]
    found = bodies.fit(slides, moved(slides))
    np.testing.assert_allclose(found[:3, :3], T_AB[:3, :3], atol=1e-12)
    np.testing.assert_allclose((found - T_AB)[[0, 2], 3], 0.0, atol=1e-12)
    point = np.array([0.1, 0.2, 0.3])
    pairs = [(point, (se3.inverse(T_AB) @ [*point, 1.0])[:3])]
    for lines in (parallel, slides):
        np.testing.assert_allclose(bodies.fit(lines, moved(lines), pairs), T_AB, atol=1e-12)
    apart = [(point + d, pairs[0][1]) for d in ((0.1, 0.0, 0.0), (-0.1, 0.0, 0.0))]  # the middle is nearest to both
    np.testing.assert_allclose(
        bodies.fit([(z, None), (x, None)], moved([(z, None), (x, None)]), apart), T_AB, atol=1e-12
    )


def test_turns_between_vectors():
    axis = np.array([0.6, 0.0, 0.8])
    before = np.random.default_rng(1).normal(size=(3, 3))
    for angle in (-3.0, -0.4, 0.0, 2.0):
        after = before @ se3.turn(axis, angle)[:3, :3].T
        assert bodies.turn_between(axis, before, after) == pytest.approx(angle, abs=1e-12)
        assert bodies.turn_between(axis, before, after + 2.0 * axis) == pytest.approx(angle, abs=1e-12)


def test_poses_apart():
    for xyz, angle in (((0.0, 3.0, 4.0), 0.0), ((0.0, 0.0, 0.0), 1.2), ((1.0, 0.0, 0.0), np.pi)):
        T = se3.translation(xyz) @ se3.turn((0.0, 0.6, 0.8), angle)
        assert bodies.apart(T_AB, T_AB @ T) == pytest.approx((np.linalg.norm(xyz), angle), abs=1e-7)


def test_axes_apart():
    """Tilt, and the distance for those that turn; with the other sign half a turn of tilt."""
    tilt = se3.turn((1.0, 0.0, 0.0), 0.3)
    for kind, distance in (("revolute", 0.5), ("prismatic", 0.0)):
        one, two = tree(kind), tree(kind)
        assert bodies.axes_apart(one, two, se3.IDENTITY, 1.0) == 0.0
        assert bodies.axes_apart(one, two, se3.IDENTITY, -1.0) == pytest.approx(np.pi)
        assert bodies.axes_apart(one, two, se3.translation((0.3, 0.4, 7.0)) @ tilt, 1.0) == pytest.approx(
            0.3 + distance
        )
    assert bodies.axes_apart(tree("ball"), tree("ball"), T_AB, 1.0) == 0.0


def test_motions():
    """Equal but for a constant, the sign, the zero, or not."""
    one, constant = tree("revolute"), se3.turn((0.0, 0.0, 1.0), 0.4)
    error, T = bodies.motion_error(one, tree("revolute"), constant)
    assert error < 1e-15
    np.testing.assert_allclose(T, constant, atol=1e-15)
    back = tree("revolute", axis=(0.0, 0.0, -1.0))
    assert bodies.motion_error(one, back, se3.IDENTITY)[0] > 0.5
    assert bodies.closest_motion(one, back, se3.IDENTITY, 1e-9)[::2] == (pytest.approx(0.0, abs=1e-12), -1.0)
    assert bodies.closest_motion(one, tree("revolute"), se3.IDENTITY, 1e-9)[2] == 1.0
    assert bodies.closest_motion(one, back, se3.IDENTITY, 10.0)[2] == 1.0  # both are within such a tolerance
    _, T = bodies.motion_error(one, tree("revolute"), se3.IDENTITY, 1.0, 0.25)
    np.testing.assert_allclose(T, se3.turn((0.0, 0.0, 1.0), 0.25), atol=1e-15)
    assert bodies.motion_error(one, tree("prismatic"), se3.IDENTITY)[0] == np.inf
    beside = bodies.motion_error(one, tree("revolute", xyz=(0.1, 0.0, 0.0)), se3.IDENTITY)[0]
    assert 0.05 < beside < 0.2
    for neutral in ((0.0,), (0.0, 0.0, 0.0, 1.0)):
        samples = bodies.samples(neutral)
        np.testing.assert_array_equal(samples[0], neutral)
        assert all(np.abs(a - b).max() > 0.5 for a, b in ((samples[0], samples[1]), (samples[1], samples[2])))


def test_the_shortest_way_onto_an_axis():
    T = se3.translation((0.3, 0.4, 0.7)) @ se3.turn((1.0, 0.0, 0.0), 0.3)
    found = bodies.moved_onto(tree("revolute"), tree("revolute"), T, 1.0)
    np.testing.assert_allclose(found, se3.translation((0.0, 0.0, 0.7)), atol=1e-12)
    found = bodies.moved_onto(tree("prismatic"), tree("prismatic"), T, 1.0)
    np.testing.assert_allclose(found, se3.translation((0.3, 0.4, 0.7)), atol=1e-12)
    found = bodies.moved_onto(tree("revolute"), tree("revolute"), T, -1.0)
    np.testing.assert_allclose(found[:3, 2], (0.0, 0.0, -1.0), atol=1e-12)
    found = bodies.moved_onto(tree("ball"), tree("ball"), T, 1.0)
    np.testing.assert_allclose(found, se3.turn((1.0, 0.0, 0.0), 0.3), atol=1e-12)
    at = tree("revolute", xyz=(1.0, 0.0, 0.0), turn=0.3)
    found = bodies.moved_onto(at, tree("revolute"), T, 1.0)
    expected = se3.inverse(at[0].T_tree[0]) @ T
    np.testing.assert_allclose(found, se3.translation((0.0, 0.0, expected[2, 3])), atol=1e-12)
