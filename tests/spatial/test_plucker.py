"""Spatial vectors: the direction of the transforms, and inertias that agree with points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given as examples, settings, strategies as st
from hypothesis.extra.numpy import arrays

from kinetree.spatial import plucker, se3


def given(*strategies, **named):
    """Hypothesis, without a clock."""
    return lambda test: settings(deadline=None, max_examples=15)(examples(*strategies, **named)(test))


finite = st.floats(-10, 10)
vector = arrays(float, 3, elements=finite)
six = arrays(float, 6, elements=finite)
quaternion = arrays(float, 4, elements=st.floats(-1, 1)).filter(lambda q: np.linalg.norm(q) > 1e-3)
pose = st.builds(se3.homogeneous, quaternion.map(se3.rotation_from_quaternion), vector)
positive = st.floats(0.01, 10)


def close(a, b, atol=1e-11):
    np.testing.assert_allclose(a, b, rtol=0, atol=atol)


@given(vector, vector)
def test_skew_is_the_cross_product(v, w):
    close(plucker.skew(v) @ w, np.cross(v, w), 1e-13)


@given(pose, pose)
def test_transforms_multiply_as_poses_do(A, B):
    close(plucker.motion_transform(A @ B), plucker.motion_transform(A) @ plucker.motion_transform(B), 1e-10)
    close(plucker.motion_transform(se3.inverse(A)) @ plucker.motion_transform(A), np.eye(6), 1e-10)


@given(pose, six, vector)
def test_a_motion_moves_every_point_alike_in_both_frames(T_BA, motion, p_A):
    """The velocity of a point, v + ω × p, is the same vector in either frame's coordinates."""
    w, v = motion[:3], motion[3:]
    there = plucker.motion_transform(T_BA) @ motion
    R, p_B = T_BA[:3, :3], T_BA[:3, :3] @ p_A + T_BA[:3, 3]
    close(there[3:] + np.cross(there[:3], p_B), R @ (v + np.cross(w, p_A)), 1e-10)
    close(there[:3], R @ w)


@given(pose, six, six)
def test_power_is_the_same_in_both_frames(T_BA, motion, force):
    """Forces transform by the inverse transpose, so that force · motion does not depend on the frame."""
    X = plucker.motion_transform(T_BA)
    X_force = plucker.motion_transform(se3.inverse(T_BA)).T
    assert abs((X_force @ force) @ (X @ motion) - force @ motion) < 1e-8


@given(positive, vector, arrays(float, 3, elements=positive), six)
def test_kinetic_energy_of_a_body(mass, com, principal, motion):
    """½ m |v_com|² + ½ ω · J ω."""
    I = plucker.rigid_body_inertia(mass, com, np.diag(principal))
    w, v = motion[:3], motion[3:]
    v_com = v + np.cross(w, com)
    energy = 0.5 * mass * v_com @ v_com + 0.5 * w @ np.diag(principal) @ w
    np.testing.assert_allclose(0.5 * motion @ I @ motion, energy, rtol=1e-12, atol=1e-9)


@given(positive, vector, arrays(float, 3, elements=positive), pose)
def test_moving_an_inertia_is_the_parallel_axis_theorem(mass, com, principal, T_BA):
    """X^T I X against mass, centre and inertia moved one by one."""
    R = T_BA[:3, :3]
    X = plucker.motion_transform(se3.inverse(T_BA))
    moved = X.T @ plucker.rigid_body_inertia(mass, com, np.diag(principal)) @ X
    com_B = R @ com + T_BA[:3, 3]
    expected = plucker.rigid_body_inertia(mass, com_B, R @ np.diag(principal) @ R.T)
    np.testing.assert_allclose(moved, expected, rtol=0, atol=1e-10 * max(1.0, float(np.abs(expected).max())))


def spd(a):
    """An inertia (3, 3) of any nine numbers."""
    return a.reshape(3, 3) @ a.reshape(3, 3).T


body = st.tuples(positive, vector, arrays(float, 9, elements=finite).map(spd))


@given(body, pose)
def test_a_moved_inertia_is_that_of_the_moved_body(one, T_AB):
    mass, com, inertia = one
    R, p = T_AB[:3, :3], T_AB[:3, 3]
    expected = plucker.rigid_body_inertia(mass, R @ com + p, R @ inertia @ R.T)
    close(plucker.moved_inertia(plucker.rigid_body_inertia(*one), T_AB), expected, 1e-9)


@given(body)
def test_about_com_is_the_way_back(one):
    for found, expected in zip(plucker.about_com(plucker.rigid_body_inertia(*one)), one, strict=True):
        close(found, expected, 1e-10)


def test_without_mass_the_centre_is_the_origin():
    mass, com, inertia = plucker.about_com(plucker.rigid_body_inertia(0.0, np.ones(3), np.eye(3)))
    assert mass == 0
    close(com, np.zeros(3))
    close(inertia, np.eye(3))


@given(st.lists(body, min_size=1, max_size=4))
@pytest.mark.slow
def test_combined_bodies_have_the_sum_of_their_inertias(bodies):
    expected = sum(plucker.rigid_body_inertia(*one) for one in bodies)
    close(plucker.rigid_body_inertia(*plucker.combined(bodies)), expected, 1e-9)
