"""The algorithms of dynamics on numbers: the book's 6 x 6 matrices, derived forms, and length."""

from __future__ import annotations

import inspect

import numpy as np

from each import each
from kinetree.algorithms.dynamics import forward, inverse, mass_matrix
from kinetree.algorithms.dynamics.lumping import lumped
from kinetree.algorithms.dynamics.momentum import centroidal_momentum_matrix, energy
from kinetree.algorithms.gauge import gauged
from kinetree.model.robot import Dynamics
from kinetree.model.tree import Tree, build_tree
from kinetree.spatial import plucker, se3
from physics import curved, everything, random_tree, solid, with_dynamics

PASSIVE = Dynamics(damping=0.1, armature=0.5)
ROBOTS = [with_dynamics(solid(everything(1), np.random.default_rng(1)), PASSIVE), *map(random_tree, range(10))]
GRAVITY = np.array([1.0, -2.0, -9.0])


def some(tree: Tree, seed: int = 0) -> list[np.ndarray]:
    """q, qd and qdd or tau; every quaternion has length 1."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=tree.nq)
    for kind, where in zip(tree.joint_type, tree.q_slice, strict=True):
        if kind.quaternion:
            q[where][kind.quaternion] /= np.linalg.norm(q[where][kind.quaternion])
    return [q, *rng.normal(size=(2, tree.nv))]


def crm(v: np.ndarray) -> np.ndarray:
    """v x as a matrix (Featherstone, eq. 2.31)."""
    w, u = plucker.skew(v[:3]), plucker.skew(v[3:])
    return np.block([[w, np.zeros((3, 3))], [u, w]])


def book(tree: Tree, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Table 5.1 as it is printed, with matrices, without what joints do by themselves."""
    Xup, S, v, a, f = [], [], {-1: np.zeros(6)}, {-1: -np.array([0, 0, 0, *GRAVITY])}, []
    for i, parent in enumerate(tree.parent):
        m, where = tree.multiplier[i], tree.v_slice[i]
        Xup.append(plucker.motion_transform(se3.inverse(tree.joint_transform(i, q))))
        S.append(tree.motion_subspace(i, q))
        vJ = S[i] @ (m * qd[where])
        cJ = tree.joint_type[i].bias(tree.axes[i], tree.pitch[i], tree.coordinates(i, q), m * qd[where])
        v[i] = Xup[i] @ v[parent] + vJ
        a[i] = Xup[i] @ a[parent] + S[i] @ (m * qdd[where]) + cJ + crm(v[i]) @ vJ
        I = tree.inertia[i]
        f.append(I @ a[i] - crm(v[i]).T @ (I @ v[i]))
    tau = np.zeros(tree.nv)
    for i, parent in reversed(list(enumerate(tree.parent))):
        tau[tree.v_slice[i]] += tree.multiplier[i] * (S[i].T @ f[i])
        if parent >= 0:
            f[parent] = f[parent] + Xup[i].T @ f[i]
    return tau


def close(got: np.ndarray, expected: np.ndarray, bound: float) -> None:
    got, expected = np.array(got, dtype=float), np.array(expected, dtype=float)
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound * max(1.0, np.abs(expected).max(initial=0.0)))


@each("robot", ROBOTS)
def test_the_book(robot):
    """Torques; the mass matrix column by column, table 6.1; and back to the accelerations."""
    tree = build_tree(robot)
    q, qd, qdd = some(tree)
    still = tree.relaxed()
    tau = book(tree, q, qd, qdd)
    close(inverse.rnea(still, q, qd, qdd, GRAVITY, {}), tau, 1e-12)
    rest = book(tree, q, 0 * qd, 0 * qdd)
    columns = [book(tree, q, 0 * qd, one) - rest for one in np.eye(tree.nv)]
    close(mass_matrix.crba(still, q), np.reshape(columns, (tree.nv, tree.nv)).T, 1e-12)
    close(forward.forward_dynamics(still, q, qd, tau, GRAVITY, {}), qdd, 1e-10)


@each("robot", ROBOTS)
def test_the_two_ways_to_accelerations(robot):
    """Table 7.1 and section 6.1, where nothing follows."""
    tree = build_tree(robot)
    if tree.has_followers:
        return
    q, qd, tau = some(tree)
    C = inverse.rnea(tree, q, qd, None, GRAVITY, {})
    expected = mass_matrix.solve(mass_matrix.crba(tree, q), tau - C)
    close(forward.aba(tree, q, qd, tau, GRAVITY, {}), expected, 1e-10)


@each("change", [lumped, lambda tree: gauged(tree, []), lambda tree: lumped(gauged(tree, []))])
@each("robot", ROBOTS)
def test_fewer_numbers_mean_the_same(robot, change):
    """Inertias moved towards the base, and other frames of bodies: torques, masses, accelerations, momentum, energy."""
    tree = build_tree(robot)
    other = change(tree)
    q, qd, x = some(tree)
    for function, arguments, bound in (
        (inverse.rnea, (qd, x, GRAVITY, {}), 1e-12),
        (forward.forward_dynamics, (qd, x, GRAVITY, {}), 1e-10),
        (mass_matrix.crba, (), 1e-12),
        (centroidal_momentum_matrix, (), 1e-12),
        (energy, (qd, GRAVITY), 1e-12),
    ):
        close(function(other, q, *arguments), function(tree, q, *arguments), bound)


def test_what_lumping_leaves():
    """No mass behind a joint that turns, no rotational inertia behind one that slides, and all where it is kept."""
    tree = build_tree(ROBOTS[0])
    left = dict(zip(tree.joints, lumped(tree, [tree.joints.index("continuous_4")]).inertia, strict=True))
    assert left["revolute_0"][5, 5] == left["finger"][5, 5] == 0
    assert not left["prismatic_2"][:3, :3].any()
    kept = left["continuous_4"][5, 5]
    assert kept > 0
    assert left["screw_3"][5, 5] > 0


def test_factors_of_a_matrix():
    """Of a dense one and of one with the zeros of branches, for one right side and several."""
    rng = np.random.default_rng(0)
    tree = build_tree(ROBOTS[0])
    A = rng.normal(size=(5, 5))
    for H in (A @ A.T, mass_matrix.crba(tree, some(tree)[0]).astype(float)):
        for b in (rng.normal(size=len(H)), rng.normal(size=(len(H), 3))):
            close(mass_matrix.solve(H, b), np.linalg.solve(H, b), 1e-12)


@each("functions", [(inverse.rnea, inverse.motions, inverse.forces), (mass_matrix.crba,), (forward.aba,)])
def test_the_books_algorithms_fit_on_a_page(functions):
    """Without docstrings, under 40 lines together, so that they can be compared with tables 5.1, 6.2 and 7.1."""
    lines = sum(len(inspect.getsource(f).replace(f.__doc__, "").splitlines()) - 1 for f in functions)
    assert lines < 40, lines


def test_torques_are_the_power_that_goes_into_the_energy_of_followers_by_polynomials():
    """With springs that are not at rest and inertias of rotors; and back to the accelerations."""
    spring = Dynamics(stiffness=3.0, reference=0.2, armature=0.4)
    tree = build_tree(with_dynamics(curved(), spring))
    q, qd, qdd = some(tree)
    assert len(q) == 2
    tau, h = inverse.rnea(tree, q, qd, qdd, GRAVITY, {}), 1e-4

    def total(t):
        return energy(tree, q + t * qd + t * t / 2 * qdd, qd + t * qdd, GRAVITY).sum()

    assert np.isclose((total(h) - total(-h)) / (2 * h), tau @ qd, rtol=1e-6)
    close(forward.forward_dynamics(tree, q, qd, tau, GRAVITY, {}), qdd, 1e-10)
    still = energy(tree, q, 0 * qd, GRAVITY) - energy(tree.relaxed(), q, 0 * qd, GRAVITY)
    away = [float(tree.coordinates(i, q)[0]) - 0.2 for i in range(len(tree.joints))]
    close(still, [0.0, 1.5 * np.dot(away, away)], 1e-12)
