"""Inverse kinematics of two frames at once: a torso with two arms in a plane, whose angles are known."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt

LIMIT = '<axis xyz="0 0 1"/><limit lower="-1.5" upper="1.5" velocity="1" effort="1"/>'
JOINT = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin xyz="{4}"/>{5}</joint>'
ENDS = [(1.0, 0.5), (1.0, -0.5)]
"""Places of the elbows in the torso, with arms of 1 m along x."""


@cache
def torso() -> kt.Robot:
    """A torso that turns, an arm on each side, and a head that turns by itself."""
    joints = [
        ("turn", "revolute", "base", "torso", "0 0 0.2", LIMIT),
        ("left", "revolute", "torso", "left_arm", "1 0.5 0", LIMIT),
        ("right", "revolute", "torso", "right_arm", "1 -0.5 0", LIMIT),
        ("nod", "revolute", "torso", "head", "0 0 1", LIMIT),
        ("left_end", "fixed", "left_arm", "left_hand", "1 0 0", ""),
        ("right_end", "fixed", "right_arm", "right_hand", "1 0 0", ""),
    ]
    links = "".join(f'<link name="{name}"/>' for name in ("base", *(joint[3] for joint in joints)))
    joined = "".join(JOINT.format(*joint) for joint in joints)
    return kt.load(f'<robot name="torso">{links}{joined}</robot>', format="urdf")


def hands(turn, left, right):
    """Return the places (…, 2, 3) of the hands, by the sums of angles."""
    at = np.stack(np.broadcast_arrays(turn, left, right), axis=-1)
    places = []
    for (x, y), arm in zip(ENDS, np.moveaxis(at, -1, 0)[1:], strict=True):
        t, a = at[..., 0], at[..., 0] + arm
        elbow = x * np.cos(t) - y * np.sin(t), x * np.sin(t) + y * np.cos(t)
        places.append(np.stack([elbow[0] + np.cos(a), elbow[1] + np.sin(a), np.full(t.shape, 0.2)], axis=-1))
    return np.stack(places, axis=-2)


Q = np.random.default_rng(0).uniform(-1.2, 1.2, (6, 3))
P = hands(*Q.T)


@cache
def both() -> kt.kinematics.IK:
    return kt.ik(torso(), ["left_hand", "right_hand"], goal="position")


@pytest.mark.slow
def test_both_hands_are_where_they_should_be():
    solve = both()
    assert solve.coordinate_names == ("turn", "left", "right")
    assert repr(solve) == "IK: position of left_hand in base, position of right_hand in base, by turn, left, right"
    found = solve(P[:, 0], P[:, 1], q0=np.array([0, 0, 0, 0.3]))
    assert found.success.all()
    np.testing.assert_allclose(hands(*found.q[:, :3].T), P, rtol=0, atol=2e-6)
    np.testing.assert_array_equal(found.q[:, 3], 0.3)  # the head is where the start has it
    assert solve.reachable(P[:, 0], P[:, 1]).all()
    one = solve(P[2, 0], P[2, 1], q0=np.array([0, 0, 0, 0.3]))
    np.testing.assert_array_equal(one.q, found.q[2])
    np.testing.assert_array_equal(solve(*np.moveaxis(P, 1, 0), q0=[*Q[0], 0.0]).q[0], [*Q[0], 0.0])


@pytest.mark.slow
def test_one_hand_may_be_reached_and_the_other_not():
    """The residual is that of the farther one. Targets change places with the frames."""
    there = P[3] + [[0, 0, 0], [0, 0, 0.25]]
    for found in (both()(*there), both()(there[0], P[3, 1] + [0, 0, 0.25])):
        assert not found.success
        assert 0.125 <= found.residual[0] <= 0.25 + 1e-9  # in the middle, or one of them there
        assert found.residual[1] == 0.0
    exchanged = both()(P[3, 1], P[3, 0])
    assert not exchanged.success
    off = hands(*exchanged.q[:3]) - P[3, ::-1]
    assert exchanged.residual[0] == pytest.approx(np.linalg.norm(off, axis=-1).max(), rel=1e-9)
    assert not both().reachable(P[3, 1], P[3, 0])
    many = both()(np.array([P[3, 0], P[3, 1]]), np.array([P[3, 1], P[3, 0]]))
    assert many.success.tolist() == [True, False]


@pytest.mark.slow
def test_each_frame_has_its_own_goal():
    """A place for the left hand, a direction for the right one: two solutions, by the side of the left elbow."""
    R = Rotation.from_rotvec((Q[:, 0] + Q[:, 2])[:, None] * [0, 0, 1]).as_matrix()
    solve = kt.ik(torso(), ["left_hand", "right_hand"], goal=["position", "orientation"])
    found = solve(P[:, 0], R)
    assert found.success.all()
    turn, left, right = found.q[:, :3].T
    np.testing.assert_allclose(hands(turn, left, right)[:, 0], P[:, 0], rtol=0, atol=2e-6)
    off = turn + right - Q[:, 0] - Q[:, 2]
    np.testing.assert_allclose(off - 2 * np.pi * np.round(off / (2 * np.pi)), 0.0, atol=2e-6)
    twisted = solve(P[0, 0], R[0] @ Rotation.from_rotvec([0.3, 0, 0]).as_matrix())
    assert not twisted.success
    assert twisted.residual[0] < 0.3
    assert 0.1 < twisted.residual[1] < 0.31


@pytest.mark.slow
def test_frames_as_seen_from_the_torso_leave_it_where_it_is():
    solve = kt.ik(torso(), ["left_hand", "right_hand"], "torso", goal="position")
    assert solve.coordinate_names == ("left", "right")
    p = hands(0.0, *Q[:, 1:].T) - [0, 0, 0.2]
    start = np.array([0.7, 0.0, 0.0, -0.2])
    found = solve(p[:, 0], p[:, 1], q0=start)
    assert found.success.all()
    np.testing.assert_allclose(found.q[:, 1:3], Q[:, 1:], rtol=0, atol=2e-6)
    np.testing.assert_array_equal(found.q[:, [0, 3]], np.tile(start[[0, 3]], (6, 1)))
