"""Derivatives of inverse and forward dynamics, and the Coriolis matrix: finite differences and identities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.assemble import build, parts_of
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import Dynamics, Inertial
from physics import everything, moved, random_axes, random_inertial
from support import random_q

FRAMES = ("on_trunk5", "on_branch4", "on_branch4", "on_base")
GRAVITY = (1.0, -2.0, -9.0)


@pytest.fixture(scope="module")
def robot() -> kt.Robot:
    """Everything with masses on all links, armature, dampers and springs, also in joints of several coordinates."""
    rng, parts = np.random.default_rng(3), parts_of(everything())
    links = [replace(link, inertial=inertial_of_a_body(rng)) for link in parts.links]
    joints = [
        replace(joint, dynamics=tuple(behaviour(rng, joint.type) for _ in range(joint.kind.nv)))
        for joint in parts.joints
    ]
    return build(replace(parts, links=links, joints=joints))


def inertial_of_a_body(rng: np.random.Generator) -> Inertial:
    """An inertial whose second moments are those of a positive density."""
    inertial = random_inertial(rng)
    return replace(inertial, inertia=np.trace(inertial.inertia) * np.eye(3) - inertial.inertia)


def behaviour(rng: np.random.Generator, kind: str) -> Dynamics:
    """Random behaviour; armature of a floating joint is the same for all its coordinates, as MuJoCo has it."""
    damping, stiffness, reference, armature = rng.uniform(0.1, 2.0, 4)
    return Dynamics(damping, 0.0, stiffness, reference, 0.7 if kind == "floating" else armature)


@pytest.fixture(scope="module")
def state(robot) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(4)
    return random_q(robot, rng), *rng.normal(size=(2, robot.nv)), rng.normal(size=(len(FRAMES), 6))


def by_differences(kernel: kt.Kernel, robot: kt.Robot, w: np.ndarray, q: np.ndarray, *others: np.ndarray):
    """Derivatives of a kernel on (q, *others, w): by q along the velocity coordinates, and by each of the others."""
    h, E, given = 1e-6, np.eye(robot.nv), (q, *others)
    for k, x in enumerate(given):
        ends = []
        for step in (h, -h):
            x_moved = np.array([moved(robot, q, e, step) for e in E]) if k == 0 else x + step * E
            ends.append(kernel.interpret(*given[:k], x_moved, *given[k + 1 :], w))
        yield (ends[0] - ends[1]).T / (2 * h)


def assert_close(found, expected, tolerance):
    for ours, theirs in zip(found, expected, strict=True):
        assert np.abs(ours - theirs).max() <= tolerance * np.abs(theirs).max()


def test_the_derivatives_of_torques_are_their_finite_differences(robot, state):
    q, qd, qdd, w = state
    torques = kt.inverse_dynamics(robot, FRAMES, gravity=GRAVITY)
    found = kt.dynamics.inverse_dynamics_derivatives(robot, FRAMES, gravity=GRAVITY).interpret(q, qd, qdd, w)
    assert found._fields == ("dtau_dq", "dtau_dqd")
    dq, dqd, H = by_differences(torques, robot, w, q, qd, qdd)
    assert_close((*found, kt.mass_matrix(robot).interpret(q)), (dq, dqd, H), 1e-7)


@pytest.mark.slow
@pytest.mark.nightly
def test_the_derivatives_of_accelerations_are_their_finite_differences(robot, state):
    q, qd, tau, w = state
    accelerations = kt.forward_dynamics(robot, FRAMES, gravity=GRAVITY)
    found = kt.dynamics.forward_dynamics_derivatives(robot, FRAMES, gravity=GRAVITY).interpret(q, qd, tau, w)
    assert found._fields == ("dqdd_dq", "dqdd_dqd", "dqdd_dtau")
    assert_close(found, by_differences(accelerations, robot, w, q, qd, tau), 1e-6)
    np.testing.assert_allclose(
        found.dqdd_dtau @ kt.mass_matrix(robot).interpret(q), np.eye(robot.nv), rtol=0, atol=1e-10
    )


@pytest.mark.slow
def test_all_inputs_at_run_time_change_nothing(robot, state):
    q, qd, qdd, w = state
    masses = np.array(list(kt.dynamics.inertial_parameters(robot).values()))
    derivatives = kt.dynamics.inverse_dynamics_derivatives
    expected = derivatives(robot, FRAMES, gravity=GRAVITY).interpret(q, qd, qdd, w)
    asked = derivatives(robot, FRAMES, gravity=None, parameters=True)
    assert_close(asked.interpret(q, qd, qdd, np.array(GRAVITY), w, masses), expected, 1e-12)


@pytest.mark.slow
def test_the_coriolis_matrix_gives_the_torques_of_velocities_and_the_rate_of_the_mass_matrix(robot, state):
    q, qd, *_ = state
    C = kt.dynamics.coriolis_matrix(robot).interpret(q, qd)
    bias = kt.dynamics.bias_torques(robot).interpret
    by_velocity = (bias(q, qd) + bias(q, -qd)) / 2 - bias(q, 0 * qd)  # without damping, which is odd
    np.testing.assert_allclose(C @ qd, by_velocity, rtol=0, atol=1e-11 * np.abs(by_velocity).max())
    H, h = kt.mass_matrix(robot).interpret, 1e-6
    rate = (H(moved(robot, q, qd, h)) - H(moved(robot, q, qd, -h))) / (2 * h)
    np.testing.assert_allclose(C + C.T, rate, rtol=0, atol=1e-7 * np.abs(rate).max())


def test_single_joints_in_a_row_move_like_a_joint_of_several_coordinates():
    rng = np.random.default_rng(5)
    tried = 0
    for kind in JOINT_TYPES.values():
        if kind.singles is None:
            continue
        axes, q = random_axes(rng, kind.name), rng.uniform(-2, 2, kind.nq)
        T = np.eye(4)
        for (name, axis), x in zip(kind.singles(axes), q, strict=True):
            T = T @ JOINT_TYPES[name].transform(np.array([axis]), 0.0, np.array([x]))
        np.testing.assert_allclose(T, kind.transform(axes, 0.0, q), rtol=0, atol=1e-15)
        tried += 1
    assert tried == 2


def test_a_spring_that_is_not_deflected_has_a_derivative():
    """The logarithm of a rotation divides by its angle, which is zero here."""
    for kind in JOINT_TYPES.values():
        q = np.array(kind.neutral)
        np.testing.assert_array_equal(kind.slope(q, q), np.eye(kind.nv))
