"""How frames move: every derivative against finite differences, and what must hold between bases, frames and axes."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms import differential
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.model.tree import build_tree
from kinetree.spatial import plucker, se3
from physics import curved, everything, moved
from support import icub_urdfs, random_q

ROBOT = everything()
TREE = build_tree(ROBOT)
WAYS = [
    ("on_trunk5", None),
    ("on_branch4", None),
    ("on_base", "on_branch4"),
    ("on_trunk5", "on_branch4"),  # different branches
    ("on_branch4", "finger_link"),
    ("finger_link", "thumb_link"),  # a leader, its follower, and the follower of that one
    ("thumb_link", "trunk1"),
    ("trunk1", "finger_link"),
    ("branch1", "branch3"),
]
AXES = ["base", "frame"]
h = 1e-5


def some_q(seed: int = 0, length: float = 1.0) -> np.ndarray:
    q = random_q(ROBOT, np.random.default_rng(seed))
    for name, where in ROBOT.q_slices.items():
        if quaternion := ROBOT.joints[name].kind.quaternion:
            q[where][quaternion] *= length
    return q


def pose(q: np.ndarray, frame: str, base: str | None) -> np.ndarray:
    return forward_kinematics(TREE, q, [frame], base)[0]


def twist_between(T: np.ndarray, before: np.ndarray, after: np.ndarray, time: float, axes: str) -> np.ndarray:
    """The mean velocity from one pose to another, linear first."""
    change = (after - before) / time
    W = change[:3, :3] @ T[:3, :3].T
    V = np.array([*change[:3, 3], W[2, 1], W[0, 2], W[1, 0]])
    return V if axes == "base" else turned(T[:3, :3].T, V)


def turned(R: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Twists (6, …) in other axes."""
    return np.concatenate([R @ V[:3], R @ V[3:]])


def along(i: int) -> np.ndarray:
    return np.eye(TREE.nv)[i]


@pytest.mark.slow
@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize(("frame", "base"), WAYS)
@pytest.mark.parametrize("seed", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in (1, 2))])
def test_jacobian_is_the_derivative_of_the_pose(frame, base, axes, seed):
    q = some_q(seed)
    J, T = differential.jacobian(TREE, q, frame, base, axes), pose(q, frame, base)
    for i in range(TREE.nv):
        before, after = (pose(moved(ROBOT, q, along(i), s), frame, base) for s in (-h, h))
        np.testing.assert_allclose(J[:, i], twist_between(T, before, after, 2 * h, axes), rtol=0, atol=2e-9)


@pytest.mark.slow
@each("axes", AXES)
@each("frame, base", WAYS)
def test_hessian_is_the_derivative_of_the_jacobian(frame, base, axes):
    q = some_q(4)
    H = differential.hessian(TREE, q, frame, base, axes)
    assert H.shape == (TREE.nv, 6, TREE.nv)
    for i in range(TREE.nv):
        before, after = (differential.jacobian(TREE, moved(ROBOT, q, along(i), s), frame, base, axes) for s in (-h, h))
        np.testing.assert_allclose(H[i], (after - before) / (2 * h), rtol=0, atol=2e-8)


@each("axes", AXES)
@each("frame, base", WAYS)
def test_the_difference_of_mixed_derivatives_is_a_cross_product(frame, base, axes):
    """For joints of one number, positions have symmetric second derivatives; angular velocities differ by w x w."""
    q = some_q(5)
    J, H = (f(TREE, q, frame, base, axes) for f in (differential.jacobian, differential.hessian))
    single = [i for i, name in enumerate(ROBOT.velocity_names) if ROBOT.joints[name.partition(".")[0]].kind.single]
    sign = 1.0 if axes == "base" else -1.0
    for i in single:
        for j in single:
            W = sign * np.cross(J[3:, i], J[3:, j])
            np.testing.assert_allclose(H[i, 3:, j] - H[j, 3:, i], W, rtol=0, atol=1e-13)
            if axes == "base":
                np.testing.assert_allclose(H[i, :3, j], H[j, :3, i], rtol=0, atol=1e-13)


@each("frame, base", WAYS)
def test_axes_of_the_frame_are_a_rotation_away(frame, base):
    q = some_q(6)
    R = pose(q, frame, base)[:3, :3]
    in_base, in_frame = (differential.jacobian(TREE, q, frame, base, axes) for axes in AXES)
    np.testing.assert_allclose(turned(R, in_frame), in_base, rtol=0, atol=1e-14)


@each("frame, base", WAYS)
def test_seen_from_the_other_side_it_is_the_opposite(frame, base):
    """The twist of base against frame is minus that of frame against base, moved to the other origin."""
    base, q = base or ROBOT.root, some_q(7)
    there, back = differential.jacobian(TREE, q, frame, base), differential.jacobian(TREE, q, base, frame)
    T = pose(q, frame, base)
    moved_to_base = np.concatenate([there[:3] + plucker.skew(T[:3, 3]) @ there[3:], there[3:]])
    np.testing.assert_allclose(turned(T[:3, :3], back), -moved_to_base, rtol=0, atol=1e-13)


@each("middle", ["on_trunk5", "on_branch4", "thumb_link", "base"])
def test_velocities_add_up_over_a_third_frame(middle):
    q, qd = some_q(8), np.random.default_rng(8).normal(size=TREE.nv)
    a, b = "on_branch4", "finger_link"
    V_am, V_mb, V_ab = (
        differential.velocity(TREE, q, qd, frame, base) for frame, base in ((middle, a), (b, middle), (b, a))
    )
    T_am, T_mb = pose(q, middle, a), pose(q, b, middle)
    R = T_am[:3, :3]
    carried = V_am[:3] + np.cross(V_am[3:], R @ T_mb[:3, 3])
    expected = np.concatenate([carried, V_am[3:]]) + turned(R, V_mb)
    np.testing.assert_allclose(V_ab, expected, rtol=0, atol=1e-13)


@each("frame", ["on_trunk5", "base", "branch4", "finger_link"])
@each("axes", AXES)
def test_a_frame_against_itself_is_exactly_at_rest(frame, axes):
    q = some_q(9)
    np.testing.assert_array_equal(differential.jacobian(TREE, q, frame, frame, axes), np.zeros((6, TREE.nv)))
    np.testing.assert_array_equal(differential.hessian(TREE, q, frame, frame, axes), np.zeros((TREE.nv, 6, TREE.nv)))


def test_columns_of_joints_elsewhere_are_exactly_zero():
    J = differential.jacobian(TREE, some_q(10), "on_branch4", "trunk1")
    on_the_way = differential.moving(TREE, "on_branch4", "trunk1")
    assert {ROBOT.velocity_names[i].partition(".")[0] for i in on_the_way} == {
        "revolute_0", "planar_b0", "universal_b2", "ball_b3", "floating_b4"
    }  # fmt: skip
    assert J[:, on_the_way].any(axis=0).all()
    np.testing.assert_array_equal(np.delete(J, on_the_way, axis=1), 0.0)


def test_a_follower_counts_in_its_leaders_column():
    """The finger follows the thumb twice, the thumb the first joint minus a half: together minus once."""
    moving = differential.moving(TREE, "finger_link", "trunk5")
    assert [ROBOT.velocity_names[i] for i in moving] == ["revolute_0"]
    J = differential.jacobian(TREE, some_q(11), "finger_link", "trunk5", "frame")
    finger = ROBOT.joints["finger"]
    S = np.concatenate([np.zeros(3), -finger.axes[0]])
    expected = plucker.motion_transform(se3.inverse(finger.child_origin)) @ np.concatenate([S[3:], S[:3]])
    np.testing.assert_allclose(J[:, moving[0]], [*expected[3:], *expected[:3]], rtol=0, atol=1e-14)


def test_a_follower_that_never_moves_counts_as_none():
    """Five joints and one that follows another one zero times: the frame has five ways to move, and no volume."""
    axes = ["0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0"]
    text = '<robot name="r"><link name="l0"/><link name="aside"/>'
    for i, axis in enumerate(axes):
        mimic = '<mimic joint="lead" multiplier="0" offset="0.3"/>' if i == 3 else ""
        text += f"""<link name="l{i + 1}"/><joint name="j{i}" type="continuous"><parent link="l{i}"/>
          <child link="l{i + 1}"/><origin xyz="0.1 0.2 0.3"/><axis xyz="{axis}"/>{mimic}</joint>"""
    lead = '<joint name="lead" type="continuous"><parent link="l0"/><child link="aside"/><axis xyz="0 0 1"/></joint>'
    robot = kt.load(text + lead + "</robot>", format="urdf")
    tree, q = build_tree(robot), np.random.default_rng(16).uniform(-1, 1, robot.nq)
    names = [robot.velocity_names[i] for i in differential.moving(tree, "l6")]
    assert names == ["j0", "j1", "j2", "j4", "j5"]
    assert differential.yoshikawa(tree, q, "l6") == 0.0
    with pytest.raises(kt.KinetreeError, match="no joint moves"):
        kt.ik(robot, "l4", "l3")


@each("length", [1e-200, -0.3, 50.0])
@each("axes", AXES)
def test_the_length_of_quaternions_does_not_matter(length, axes):
    q, other = some_q(12), some_q(12, length)
    for algorithm in (differential.jacobian, differential.hessian):
        a, b = (algorithm(TREE, x, "on_branch4", "on_trunk5", axes) for x in (q, other))
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-13)


@each("length", [1.0, -0.3, 50.0])
def test_rates_of_coordinates_are_the_derivative(length):
    q, qd = some_q(13, length), np.random.default_rng(13).normal(size=TREE.nv)
    expected = (moved(ROBOT, some_q(13), qd, h) - moved(ROBOT, some_q(13), qd, -h)) / (2 * h)
    for name, where in ROBOT.q_slices.items():
        if quaternion := ROBOT.joints[name].kind.quaternion:
            expected[where][quaternion] *= length
    np.testing.assert_allclose(differential.coordinate_rates(TREE, q, qd), expected, rtol=0, atol=1e-7)


@each("rows", [range(6), range(3), range(3, 6)])
@each("frame, base", WAYS)
def test_yoshikawa_is_the_product_of_the_singular_values(frame, base, rows):
    q = some_q(14)
    J = differential.jacobian(TREE, q, frame, base)[rows]
    w = differential.yoshikawa(TREE, q, frame, base, rows)
    if len(differential.moving(TREE, frame, base)) < len(J):
        assert w == 0.0
    else:
        expected = np.prod(np.linalg.svdvals(J))
        np.testing.assert_allclose(w, expected, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(w, np.sqrt(max(np.linalg.det(J @ J.T), 0.0)), rtol=1e-9, atol=1e-7)


def test_a_real_robot():
    """The iCub's left hand seen from its head, by finite differences."""
    robot = kt.load(icub_urdfs()[0])
    tree, rng = build_tree(robot), np.random.default_rng(15)
    q, frame, base = random_q(robot, rng), "l_hand", "head"
    J, H = (f(tree, q, frame, base) for f in (differential.jacobian, differential.hessian))
    T = forward_kinematics(tree, q, [frame], base)[0]
    for i in range(tree.nv):
        sides = [q + s * np.eye(tree.nv)[i] for s in (-h, h)]
        before, after = (forward_kinematics(tree, x, [frame], base)[0] for x in sides)
        np.testing.assert_allclose(J[:, i], twist_between(T, before, after, 2 * h, "base"), rtol=0, atol=1e-9)
        before, after = (differential.jacobian(tree, x, frame, base) for x in sides)
        np.testing.assert_allclose(H[i], (after - before) / (2 * h), rtol=0, atol=1e-9)


@each("axes", AXES)
@each("frame, base", [("l4", None), ("l3", "l1"), ("l1", "l4")])
def test_derivatives_of_followers_by_polynomials(frame, base, axes):
    tree, q = build_tree(curved()), np.array([0.7, -0.4])
    J, H = (f(tree, q, frame, base, axes) for f in (differential.jacobian, differential.hessian))
    T = forward_kinematics(tree, q, [frame], base)[0]
    for i, step in enumerate(h * np.eye(2)):
        poses = [forward_kinematics(tree, q + s * step, [frame], base)[0] for s in (-1, 1)]
        np.testing.assert_allclose(J[:, i], twist_between(T, *poses, 2 * h, axes), rtol=0, atol=2e-9)
        there = [differential.jacobian(tree, q + s * step, frame, base, axes) for s in (-1, 1)]
        np.testing.assert_allclose(H[i], (there[1] - there[0]) / (2 * h), rtol=0, atol=2e-9)


def test_axes_of_another_frame_are_a_rotation_away():
    q = some_q(3)
    J = differential.jacobian(TREE, q, "on_trunk5", "thumb_link", "on_branch4")
    R = pose(q, "on_branch4", "thumb_link")[:3, :3]
    np.testing.assert_allclose(turned(R, J), differential.jacobian(TREE, q, "on_trunk5", "thumb_link"), atol=1e-14)
    assert np.abs(J).max() > 0.1
