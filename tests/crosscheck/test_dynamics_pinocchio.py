"""Rigid-body dynamics against Pinocchio, with fixed and floating bases: all robots of two packages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.model.robot import Robot
from physics import floated, with_dynamics
from pinocchio_robot import PinocchioRobot, loadable
from support import icub_urdfs, random_q, sample

pin = pytest.importorskip("pinocchio")
pytestmark = pytest.mark.crosscheck

CONFIGURATIONS = 3
SOME = ("ur5_robot.urdf", "panda.urdf", "solo12.urdf", "talos_reduced.urdf", "iCubGazeboV2_5/model.urdf")


def robots() -> list[tuple[Path, Robot]]:
    """Robots with a joint, without damping and friction, which Pinocchio's algorithms leave out."""
    loaded = [(path, kt.load(path)) for path in sample((*icub_urdfs(), *loadable()), 5, keep=("romeo",))]
    return [(path, with_dynamics(robot)) for path, robot in loaded if robot.nq]


def with_mass() -> list[tuple[Path, Robot]]:
    return [(path, robot) for path, robot in robots() if kt.dynamics.mass(robot)]


def chosen() -> list[Path]:
    return [path for path in (*icub_urdfs(), *loadable()) if str(path).endswith(SOME)]


IMPOSSIBLE = ("romeo_laas_small.urdf",)
"""A robot with an inertia that no body can have, which is refused unless parameters are an input."""


@dataclass
class Case:
    """A robot here and there, and a motion: q (n, nq), qd, qdd and tau (n, nv)."""

    robot: Robot
    peer: PinocchioRobot
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    path: Path

    def expected(self, function: Any) -> np.ndarray:
        """Results of a function of (model, data, q, qd, qdd) there, for each configuration."""
        G, model, data = self.peer.G, self.peer.model, self.peer.data
        motions = zip(self.q, self.qd, self.qdd, strict=True)
        return np.array([function(model, data, self.peer.q(q), G @ qd, G @ qdd) for q, qd, qdd in motions])

    def ask(self, query: Any, *inputs: np.ndarray) -> np.ndarray:
        """Answer of a query."""
        if not str(self.path).endswith(IMPOSSIBLE):
            return query(self.robot).interpret(*inputs)
        with pytest.raises(KinetreeError, match=r"(none can be negative|expected 0 or more) .*INR-00"):
            query(self.robot)
        parameters = np.array([*kt.dynamics.inertial_parameters(self.robot).values()])
        return query(self.robot, parameters=True).interpret(*inputs, parameters)

    def compare(self, got: np.ndarray, expected: np.ndarray, bound: float = 1e-12) -> None:
        """Compare relative to the largest entry."""
        assert got.shape == expected.shape
        error = np.abs(got - expected).max(initial=0.0) / max(np.abs(expected).max(initial=0.0), 1e-300)
        assert error < bound, (self.path, error)


def case(path: Path, robot: Robot, *, floats: bool) -> Case:
    rng = np.random.default_rng(20261123)
    robot = floated(robot) if floats else robot
    peer = PinocchioRobot(pin, path, robot, pin.JointModelFreeFlyer() if floats else None)
    q = np.array([random_q(robot, rng) for _ in range(CONFIGURATIONS)])
    return Case(robot, peer, q, *rng.normal(size=(3, CONFIGURATIONS, robot.nv)), path)


def symmetric(M: np.ndarray) -> np.ndarray:
    return np.triu(M) + np.triu(M, 1).T


def mass_matrices(c: Case) -> np.ndarray:
    G = c.peer.G
    return c.expected(lambda model, data, q, *rest: G.T @ symmetric(pin.crba(model, data, q)) @ G)


def is_alone(c: Case) -> bool:
    """Whether no number moves several joints, so that Pinocchio's own algorithm solves for the accelerations."""
    return not c.peer.tree.has_followers


@pytest.mark.parametrize("floats", [False, True], ids=["fixed", "floating"])
@pytest.mark.sampled(1)
def test_torques_and_mass_matrix_of_robots(floats):
    count = 0
    for path, robot in with_mass():
        c = case(path, robot, floats=floats)
        G = c.peer.G
        tau = c.expected(lambda *arguments: G.T @ pin.rnea(*arguments))  # noqa: B023
        c.compare(c.ask(kt.inverse_dynamics, c.q, c.qd, c.qdd), tau)
        c.compare(c.ask(kt.mass_matrix, c.q), mass_matrices(c))
        count += 1
    assert count >= 15


@pytest.mark.parametrize("floats", [False, True], ids=["fixed", "floating"])
@pytest.mark.sampled(1)
def test_accelerations_of_robots(floats):
    """Torques of our accelerations are the given ones to rounding error; accelerations agree unless masses that differ
    by ten orders of magnitude leave no digits for that, as of three old iCubs. Joints that move no mass are named."""
    refused = set()
    for path, robot in with_mass():
        c = case(path, robot, floats=floats)
        G, M = c.peer.G, mass_matrices(c)
        condition = np.linalg.cond(M).max()
        if condition > 1e15:
            refused.add(path.name)
            with pytest.raises(
                KinetreeError, match=r"no mass resists the motion of '|none can be negative|expected 0 or more"
            ):
                kt.forward_dynamics(c.robot)
            continue
        got = c.ask(kt.forward_dynamics, c.q, c.qd, c.tau)
        tau = replace(c, qdd=got).expected(lambda *arguments: G.T @ pin.rnea(*arguments))  # noqa: B023
        scale = np.einsum("nij,nj->ni", np.abs(M), np.abs(got)).max(axis=1, keepdims=True)
        assert (np.abs(tau - c.tau) / scale).max() < 1e-13, c.path
        if is_alone(c):
            qdd = replace(c, qdd=c.tau).expected(lambda *arguments: G.T @ pin.aba(*arguments))  # noqa: B023
        else:
            C = c.expected(lambda model, data, q, qd, qdd: G.T @ pin.nle(model, data, q, qd))  # noqa: B023
            qdd = np.linalg.solve(M, (c.tau - C)[..., None])[..., 0]
        if condition < 1e10:  # from 1e9 on each of the two is off by up to 1e-10, against extended precision
            c.compare(got, qdd, 1e-10 if condition < 1e9 else 1e-9)
    assert refused == {"romeo.urdf", "romeo_laas_small.urdf"}


@pytest.mark.parametrize("path", chosen(), ids=lambda path: path.stem)
@pytest.mark.sampled(2)
def test_machine_code(path):
    """Compiled, for a batch, and for the weight of another planet and one configuration."""
    c = case(path, with_dynamics(kt.load(path)), floats=True)
    G, model = c.peer.G, c.peer.model
    c.compare(kt.inverse_dynamics(c.robot)(c.q, c.qd, c.qdd), c.expected(lambda *arguments: G.T @ pin.rnea(*arguments)))
    c.compare(kt.mass_matrix(c.robot)(c.q), mass_matrices(c))
    falls = np.array([1.0, -2.0, 3.0])
    model.gravity.linear[:] = falls
    C = c.expected(lambda model, data, q, qd, qdd: G.T @ pin.nle(model, data, q, qd))
    qdd = np.linalg.solve(mass_matrices(c), (c.tau - C)[..., None])[..., 0]
    got = kt.forward_dynamics(c.robot, gravity=None)(c.q[0], c.qd[0], c.tau[0], falls)
    c.compare(got, qdd[0], 1e-10)
    got = kt.inverse_dynamics(c.robot, gravity=falls).interpret(c.q, c.qd, 0 * c.qd)
    c.compare(got, C)


@pytest.mark.sampled
@pytest.mark.parametrize("floats", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("path", chosen(), ids=lambda path: path.stem)
def test_what_belongs_to_the_whole_robot(path, floats):
    """Pinocchio leaves a fixed base out of centre of mass, momentum and energy; here it counts."""
    c = case(path, with_dynamics(kt.load(path)), floats=floats)
    G, base = c.peer.G, c.peer.model.inertias[0]
    c.compare(
        kt.gravity_torques(c.robot).interpret(c.q),
        c.expected(lambda model, data, q, *rest: G.T @ pin.computeGeneralizedGravity(model, data, q)),
    )
    c.compare(
        kt.dynamics.bias_torques(c.robot).interpret(c.q, c.qd),
        c.expected(lambda model, data, q, qd, qdd: G.T @ pin.nle(model, data, q, qd)),
    )
    moved = c.peer.model.inertias.tolist()[1:]
    mass = sum(inertia.mass for inertia in moved)
    assert kt.dynamics.mass(c.robot) == pytest.approx(mass + base.mass, rel=1e-12)
    com = c.expected(lambda model, data, q, *rest: pin.centerOfMass(model, data, q).copy())
    com = (mass * com + base.mass * base.lever) / (mass + base.mass)
    c.compare(kt.center_of_mass(c.robot).interpret(c.q), com)
    J = c.expected(lambda model, data, q, *rest: pin.jacobianCenterOfMass(model, data, q) @ G)
    c.compare(kt.dynamics.center_of_mass_jacobian(c.robot).interpret(c.q), J * mass / (mass + base.mass))
    energy = kt.dynamics.energy(c.robot).interpret(c.q, c.qd)
    kinetic = c.expected(lambda model, data, q, qd, qdd: pin.computeKineticEnergy(model, data, q, qd))
    potential = c.expected(lambda model, data, q, *rest: pin.computePotentialEnergy(model, data, q))
    c.compare(energy[:, 0], kinetic)
    c.compare(energy[:, 1], potential + 9.81 * base.mass * base.lever[2])
    if floats:
        A = c.expected(lambda model, data, q, qd, qdd: pin.ccrba(model, data, q, qd) @ G)
        c.compare(kt.dynamics.centroidal_momentum_matrix(c.robot).interpret(c.q), A)
        Ad = c.expected(lambda model, data, q, qd, qdd: pin.dccrba(model, data, q, qd) @ G)
        c.compare(kt.dynamics.centroidal_momentum_matrix_dot(c.robot).interpret(c.q, c.qd), Ad)


@pytest.mark.parametrize("floats", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("path", chosen(), ids=lambda path: path.stem)
def test_acceleration_of_frames(path, floats):
    c = case(path, kt.load(path), floats=floats)
    for link in [*c.robot.links][1::7]:
        frame = c.peer.frame(link)

        def acceleration(model, data, *motion):
            pin.forwardKinematics(model, data, *motion)
            return pin.getFrameClassicalAcceleration(model, data, frame, c.peer.axes["base"]).vector  # noqa: B023

        expected = c.expected(acceleration)
        c.compare(kt.dynamics.acceleration(c.robot, link).interpret(c.q, c.qd, c.qdd), expected)


@pytest.mark.parametrize("floats", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("path", chosen(), ids=lambda path: path.stem)
def test_regressor_and_parameters(path, floats):
    """Bodies and their parameters are in another order there, so compare torques."""
    c = case(path, with_dynamics(kt.load(path)), floats=floats)
    Y = kt.dynamics.inertial_regressor(c.robot).interpret(c.q, c.qd, c.qdd)
    parameters = np.array([*kt.dynamics.inertial_parameters(c.robot).values()])
    theirs = np.concatenate([inertia.toDynamicParameters() for inertia in c.peer.model.inertias.tolist()[1:]])
    tau = c.expected(lambda *arguments: c.peer.G.T @ pin.computeJointTorqueRegressor(*arguments) @ theirs)
    c.compare(Y @ parameters.ravel(), tau)
    assert Y.shape[1:] == (c.robot.nv, parameters.size)


@pytest.mark.parametrize(("name", "hand", "rank"), [("ur5_robot", (), 36), ("panda", ("panda_finger_joint1",), 43)])
def test_numbers_of_base_parameters(name, hand, rank):
    """As many parameters as inverse dynamics tells apart, for an arm with a still hand; in the literature too."""
    path = next(path for path in loadable() if path.stem == name)
    whole, rng, n = kt.load(path), np.random.default_rng(0), 100
    for robot in (whole, kt.edit.lock(whole, dict.fromkeys(hand, 0.0))):
        q, qd, qdd = rng.uniform(-3, 3, (n, robot.nq)), *rng.normal(scale=3, size=(2, n, robot.nv))
        Y = kt.dynamics.inertial_regressor(robot).interpret(q, qd, qdd)
        ours = np.linalg.matrix_rank(Y.reshape(n * robot.nv, -1))
        if robot is whole:
            c = replace(case(path, robot, floats=False), q=q, qd=qd, qdd=qdd)
            theirs = c.expected(lambda *arguments: c.peer.G.T @ pin.computeJointTorqueRegressor(*arguments))  # noqa: B023
            assert ours == np.linalg.matrix_rank(theirs.reshape(n * robot.nv, -1))
    assert ours == rank
