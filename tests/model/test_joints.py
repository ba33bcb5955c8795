"""The table of joint types, every row: neutral, group, derivative, counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from each import each
from kinetree.compiler.expr import rate
from kinetree.compiler.interpret import interpret
from kinetree.compiler.program import trace
from kinetree.model.joints import JOINT_TYPES, JointType
from kinetree.spatial import plucker, se3
from physics import random_axes, step

SEEDS = range(5)
PITCH = 0.37


@pytest.fixture(params=JOINT_TYPES.values(), ids=lambda row: row.name)
def row(request) -> JointType:
    return request.param


def random_coordinates(rng: np.random.Generator, row: JointType) -> np.ndarray:
    q = rng.uniform(-2, 2, row.nq)
    if row.nq >= 4:
        q[-4:] /= np.linalg.norm(q[-4:])
    return q


def test_lengths_are_consistent(row):
    rng = np.random.default_rng(0)
    assert row.nq == len(row.coordinates) == len(row.angular) == len(row.neutral)
    assert row.nv == len(row.velocities)
    assert row.single == (row.nq == 1)
    q, axes = random_coordinates(rng, row), random_axes(rng, row.name)
    assert axes.shape == (row.axes, 3)
    assert row.transform(axes, PITCH, q).shape == (4, 4)
    assert row.motion_subspace(axes, PITCH, q).shape == (6, row.nv)


def test_every_axis_has_its_part_in_the_motion(row):
    """A type has no axes that change nothing."""
    rng = np.random.default_rng(0)
    q, axes = random_coordinates(rng, row), random_axes(rng, row.name)
    T = row.transform(axes, PITCH, q)
    for i in range(row.axes):
        other = axes.copy()
        other[i] = np.roll(axes[i], 1)
        assert not np.allclose(row.transform(other, PITCH, q), T)


@each("seed", SEEDS)
def test_columns_say_what_the_motion_does(row, seed):
    """Every column about the motion, against the motion itself."""
    rng = np.random.default_rng(seed)
    axes, q = random_axes(rng, row.name), random_coordinates(rng, row)
    T, S = row.transform(axes, PITCH, q), row.motion_subspace(axes, PITCH, q)
    assert row.velocity_angular == tuple(bool(S[:3, i].any()) for i in range(row.nv))
    assert row.turns == (not np.array_equal(T[:3, :3], np.eye(3)))
    back = row.transform(-axes, PITCH, q)
    assert row.reversible == (np.abs(back - se3.inverse(T)).max() < 1e-12)
    R = se3.rotation_from_quaternion(rng.normal(size=4))
    turned = se3.homogeneous(R.T, np.zeros(3)) @ T @ se3.homogeneous(R, np.zeros(3))
    assert row.by_axes == (np.abs(row.transform(axes @ R, PITCH, q) - turned).max() < 1e-12)
    assert row.has_pitch == (not np.array_equal(row.transform(axes, 2 * PITCH, q), T))
    if row.quaternion:
        q[row.quaternion] *= 3.0
        assert row.neutral[row.quaternion] == (0, 0, 0, 1)
        np.testing.assert_allclose(row.transform(axes, PITCH, q), T, rtol=0, atol=1e-14)
    assert (row.quaternion is None) == (row.nq == row.nv)


def test_only_the_two_hinges_move_alike():
    alike = [(a.name, b.name) for a in JOINT_TYPES.values() for b in JOINT_TYPES.values() if a.moves_like(b)]
    hinges = ("revolute", "continuous")
    assert {*alike} == {(name, name) for name in JOINT_TYPES} | {(a, b) for a in hinges for b in hinges}


def test_names_are_unique_in_every_format():
    assert [row.name for row in JOINT_TYPES.values()] == list(JOINT_TYPES)
    names = [row.urdf for row in JOINT_TYPES.values() if row.urdf]
    assert len(set(names)) == len(names)


@each("seed", SEEDS)
def test_neutral_is_the_identity(row, seed):
    axes = random_axes(np.random.default_rng(seed), row.name)
    np.testing.assert_allclose(row.transform(axes, PITCH, np.array(row.neutral)), np.eye(4), rtol=0, atol=1e-15)


@each("seed", SEEDS)
def test_a_motion_is_a_rigid_transform(row, seed):
    rng = np.random.default_rng(seed)
    T = row.transform(random_axes(rng, row.name), PITCH, random_coordinates(rng, row))
    np.testing.assert_allclose(T[:3, :3] @ T[:3, :3].T, np.eye(3), rtol=0, atol=1e-14)
    assert np.linalg.det(T[:3, :3]) == pytest.approx(1.0, abs=1e-14)
    assert np.array_equal(T[3], (0, 0, 0, 1))


@each("seed", SEEDS)
def test_one_coordinate_is_a_one_parameter_group(row, seed):
    """T(a) T(b) = T(a + b) and T(-a) = T(a)⁻¹; for joints of several coordinates, each one by itself."""
    rng = np.random.default_rng(seed)
    axes = random_axes(rng, row.name)
    a, b = rng.uniform(-2, 2, 2)
    for i in range(row.nq if row.nq < 4 else row.nq - 4):
        e = np.eye(row.nq)[i]
        neutral = np.array(row.neutral)
        T_a, T_b, T_ab, T_minus = (row.transform(axes, PITCH, neutral + x * e) for x in (a, b, a + b, -a))
        np.testing.assert_allclose(T_a @ T_b, T_ab, rtol=0, atol=1e-14)
        np.testing.assert_allclose(T_minus, se3.inverse(T_a), rtol=0, atol=1e-14)


@each("seed", SEEDS)
def test_motion_subspace_is_the_derivative(row, seed):
    """S qd is the child's velocity in its own axes, angular first: T⁻¹ dT/dt = [ω× v; 0 0]."""
    rng = np.random.default_rng(seed)
    axes, q = random_axes(rng, row.name), random_coordinates(rng, row)
    S, h = row.motion_subspace(axes, PITCH, q), 1e-5
    T = row.transform(axes, PITCH, q)
    for i in range(row.nv):
        qd = np.eye(row.nv)[i]
        after, before = (row.transform(axes, PITCH, step(row, q, qd, s)) for s in (h, -h))
        twist = se3.inverse(T) @ (after - before) / (2 * h)
        np.testing.assert_allclose(twist[:3, :3], plucker.skew(S[:3, i]), rtol=0, atol=1e-9)
        np.testing.assert_allclose(twist[:3, 3], S[3:, i], rtol=0, atol=1e-9)


@each("seed", SEEDS)
@each("scale", [1.0, -0.2, 7.0])
def test_rates_are_the_derivative(row, seed, scale):
    """Coordinates that change at their rates move the child at S qd, and a quaternion keeps its length."""
    rng = np.random.default_rng(seed)
    axes, q, qd = random_axes(rng, row.name), random_coordinates(rng, row), rng.uniform(-1, 1, row.nv)
    if row.quaternion:
        q[row.quaternion] *= scale
    rates, h = np.asarray(row.rates(q, qd)), 1e-5
    assert rates.shape == (row.nq,)
    T, twist = row.transform(axes, PITCH, q), row.motion_subspace(axes, PITCH, q) @ qd
    change = row.transform(axes, PITCH, q + h * rates) - row.transform(axes, PITCH, q - h * rates)
    difference = se3.inverse(T) @ change / (2 * h)
    np.testing.assert_allclose(difference[:3, :3], plucker.skew(twist[:3]), rtol=0, atol=1e-9)
    np.testing.assert_allclose(difference[:3, 3], twist[3:], rtol=0, atol=1e-9)
    if row.quaternion:
        assert abs(q[row.quaternion] @ rates[row.quaternion]) < 1e-13
    else:
        np.testing.assert_array_equal(rates, qd)


@each("seed", SEEDS)
def test_bias_is_the_rate_of_the_motion_subspace(row, seed):
    """cJ = (dS/dt) qd."""
    rng = np.random.default_rng(seed)
    axes, q, qd = random_axes(rng, row.name), random_coordinates(rng, row), rng.uniform(-1, 1, row.nv)
    after, before = (row.motion_subspace(axes, PITCH, step(row, q, qd, s)) @ qd for s in (1e-5, -1e-5))
    np.testing.assert_allclose(row.bias(axes, PITCH, q, qd), (after - before) / 2e-5, rtol=0, atol=1e-9)
    assert row.bias(axes, PITCH, q, qd).any() == (row.name in ("planar", "universal"))


@pytest.mark.slow
@each("scale", [0.0, 1e-170, 1e-15, 1e-8, 1e-3, 1.0, 1.5])
def test_integrate_and_difference_are_inverses(row, scale):
    """(q ⊕ v) ⊖ q = v for turns below half a turn, and T(q1 ⊕ (q2 ⊖ q1)) = T(q2) always."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        axes, q, other = random_axes(rng, row.name), random_coordinates(rng, row), random_coordinates(rng, row)
        v = scale * rng.uniform(-1, 1, row.nv)
        np.testing.assert_allclose(row.difference(q, row.integrate(q, v)), v, rtol=0, atol=2e-15)
        if row.quaternion:
            other[row.quaternion] *= -1e200
        again = row.integrate(q, row.difference(q, other))
        expected = row.transform(axes, PITCH, other)
        np.testing.assert_allclose(row.transform(axes, PITCH, again), expected, rtol=0, atol=5e-15)
        np.testing.assert_array_equal(row.difference(q, q), np.zeros(row.nv))


@each("seed", SEEDS)
def test_integrate_starts_at_the_rates(row, seed):
    rng = np.random.default_rng(seed)
    q, v = random_coordinates(rng, row), rng.uniform(-1, 1, row.nv)
    slope = (np.array(row.integrate(q, 1e-5 * v)) - row.integrate(q, -1e-5 * v)) / 2e-5
    np.testing.assert_allclose(slope, row.rates(q, v), rtol=0, atol=1e-9)


@each("angle", [1e-9, 0.1, 1.0, 3.0, 7.0])
@each("name", ["ball", "floating"])
def test_a_quaternion_integrates_by_the_matrix_exponential(name, angle):
    """T(q ⊕ v) = T(q) exp([w] v; 0 0), also beyond a turn, with a quaternion of length 1."""
    row, rng = JOINT_TYPES[name], np.random.default_rng(3)
    q, v, axes = random_coordinates(rng, row), rng.normal(size=row.nv), np.zeros((0, 3))
    v[-3:] *= angle / np.linalg.norm(v[-3:])
    twist = np.zeros((4, 4))
    S = row.motion_subspace(axes, 0.0, q) @ v
    twist[:3, :3], twist[:3, 3] = plucker.skew(S[:3]), S[3:]
    after = row.integrate(q * np.where(np.arange(row.nq) < row.nq - 4, 1.0, 5.0), v)
    np.testing.assert_allclose(row.transform(axes, 0.0, after), row.transform(axes, 0.0, q) @ expm(twist), atol=1e-14)
    assert np.linalg.norm(after[row.quaternion]) == pytest.approx(1.0, abs=1e-15)


@each("off", [0.0, 1e-12, 1e-6])
def test_a_difference_near_half_a_turn_turns_the_shorter_way(off):
    row, n = JOINT_TYPES["ball"], np.array([2.0, -1.0, 2.0]) / 3
    v = row.difference(np.array([0, 0, 0, 1.0]), np.array([*(n * np.cos(off)), np.sin(off)]))
    np.testing.assert_allclose(v, n * (np.pi - 2 * off), rtol=0, atol=1e-15)
    v = row.difference(np.array([0, 0, 0, 1.0]), np.array([*(n * np.cos(off)), -np.sin(off)]))
    np.testing.assert_allclose(v, -n * (np.pi - 2 * off) if off else n * np.pi, rtol=0, atol=1e-15)


@each("seed", SEEDS)
def test_energy_of_a_spring_grows_by_the_difference(row, seed):
    """½ |q ⊖ reference|² grows at (q ⊖ reference) · qd, so the difference is the torque of a spring of 1 N m/rad; in
    SE(3) this is true for turns alone, where the position stays."""
    rng = np.random.default_rng(seed)
    q, reference = random_coordinates(rng, row), random_coordinates(rng, row)
    v = rng.uniform(-1, 1, row.nv)
    if row.name == "floating":
        reference[:3], v[:3] = q[:3], 0.0
    energy = [0.5 * np.sum(np.square(row.difference(reference, row.integrate(q, s * v)))) for s in (1e-5, -1e-5)]
    assert (energy[0] - energy[1]) / 2e-5 == pytest.approx(row.difference(reference, q) @ v, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("still", [False, True])
def test_bias_integrate_and_difference_can_be_traced(row, still):
    """The traced forms give the same numbers; so do their derivatives, at rest too."""
    rng = np.random.default_rng(0)
    axes, q, other = random_axes(rng, row.name), random_coordinates(rng, row), random_coordinates(rng, row)
    v = 0.0 * q[: row.nv] if still else rng.uniform(-1, 1, row.nv)
    other = q if still else other
    cases = [(lambda x, y: row.bias(axes, PITCH, x, y), v), (row.integrate, v), (row.difference, other)]
    for function, second in cases:
        program = trace(function, q.shape, second.shape)
        flat = np.array(interpret(program, q, second)).ravel()
        np.testing.assert_allclose(flat, np.ravel(function(q, second)), rtol=0, atol=1e-15)
        slopes = trace(lambda x, y, f=function: rate(f(x, y), y, y * 0.0 + 1.0), q.shape, second.shape)
        up, down = (np.ravel(function(q, second + s)) for s in (1e-5, -1e-5))
        slope = np.array(interpret(slopes, q, second)).ravel()
        np.testing.assert_allclose(slope, (up - down) / 2e-5, rtol=0, atol=1e-8)


@each("seed", SEEDS)
def test_successive_coordinates_are_a_chain(row, seed):
    """The motion is that of the first number alone, then of the second alone, and so on."""
    rng = np.random.default_rng(seed)
    axes, q = random_axes(rng, row.name), random_coordinates(rng, row)
    if row.successive:
        T = np.eye(4)
        for i in range(row.nq):
            T = T @ row.transform(axes, PITCH, np.where(np.arange(row.nq) == i, q, row.neutral))
        np.testing.assert_allclose(T, row.transform(axes, PITCH, q), rtol=0, atol=1e-14)
    else:
        S, other = (row.motion_subspace(axes, PITCH, x) for x in (q, random_coordinates(rng, row)))
        np.testing.assert_array_equal(S, other)


@pytest.mark.parametrize("name", ["ball", "floating"])
@each("scale", [0.1, -1.0, 30.0])
def test_a_quaternion_of_any_length_and_sign_is_the_same_motion(name, scale):
    row, rng = JOINT_TYPES[name], np.random.default_rng(1)
    q = random_coordinates(rng, row)
    other = q.copy()
    other[-4:] *= scale
    axes = random_axes(rng, name)
    np.testing.assert_allclose(row.transform(axes, 0.0, other), row.transform(axes, 0.0, q), rtol=0, atol=1e-14)


def test_a_full_turn_of_a_screw_advances_by_its_pitch():
    T = JOINT_TYPES["screw"].transform(np.array([[0.0, 0.6, 0.8]]), PITCH, np.array([2 * np.pi]))
    np.testing.assert_allclose(T[:3, :3], np.eye(3), rtol=0, atol=1e-14)
    np.testing.assert_allclose(T[:3, 3], 2 * np.pi * PITCH * np.array([0, 0.6, 0.8]), rtol=0, atol=1e-14)


@each("normal", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, 0.6, 0.8)])
def test_a_planar_joint_stays_in_its_plane(normal):
    n = np.array(normal, dtype=float)
    T = JOINT_TYPES["planar"].transform(n[None], 0.0, np.array([0.3, -0.7, 1.1]))
    assert n @ T[:3, 3] == pytest.approx(0.0, abs=1e-15)
    assert np.linalg.norm(T[:3, 3]) == pytest.approx(np.hypot(0.3, 0.7), abs=1e-15)
    np.testing.assert_allclose(T[:3, :3] @ n, n, rtol=0, atol=1e-15)


def test_a_planar_joint_with_normal_z_moves_along_x_and_y():
    T = JOINT_TYPES["planar"].transform(np.array([[0.0, 0.0, 1.0]]), 0.0, np.array([0.3, -0.7, 0.0]))
    assert np.array_equal(T, se3.translation((0.3, -0.7, 0.0)))


def test_a_universal_joint_turns_about_its_first_axis_first():
    axes = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    T = JOINT_TYPES["universal"].transform(axes, 0.0, np.array([np.pi / 2, np.pi / 2]))
    np.testing.assert_allclose(T[:3, :3], [[0, 0, 1], [1, 0, 0], [0, 1, 0]], rtol=0, atol=1e-15)


def test_a_floating_joint_moves_before_it_turns():
    q = np.array([1.0, 2.0, 3.0, 0.0, 0.0, np.sin(0.5), np.cos(0.5)])
    T = JOINT_TYPES["floating"].transform(np.zeros((0, 3)), 0.0, q)
    expected = se3.translation((1, 2, 3)) @ se3.turn((0.0, 0.0, 1.0), 1.0)
    np.testing.assert_allclose(T, expected, rtol=0, atol=1e-15)


def test_names_of_coordinates_and_velocities():
    """Those of one coordinate have none; angles and lengths are told apart in the same order."""
    lengths, angles = ("x", "y", "z"), ("wx", "wy", "wz")
    several = {
        "planar": (("x", "y", "angle"), ("x", "y", "angle"), (False, False, True)),
        "universal": (("1", "2"), ("1", "2"), (True, True)),
        "ball": (("qx", "qy", "qz", "qw"), angles, (True,) * 3),
        "floating": ((*lengths, "qx", "qy", "qz", "qw"), ("vx", "vy", "vz", *angles), (False,) * 3 + (True,) * 3),
        "fixed": ((), (), ()),
    }
    for name, kind in JOINT_TYPES.items():
        expected = several.get(name, (("",), ("",), (name != "prismatic",)))
        assert (kind.coordinates, kind.velocities, kind.velocity_angular) == expected, name
