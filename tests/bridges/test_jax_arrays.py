"""Arrays of JAX go in and come out, in the same memory."""

import numpy as np
import pytest

import kinetree as kt
from kinetree import KinetreeError
from planar_arm import ARM, poses
from random_arms import random_arm

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.fixture(scope="module", autouse=True)
def double():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(scope="module")
def robot():
    return kt.load(ARM, format="urdf")


@pytest.fixture(scope="module")
def fk(robot):
    return kt.fk(robot, "tip")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("batch", [(), (1,), (5,), (2, 3), (0,), (20_000,)])
def test_what_comes_in_goes_out(fk, dtype, batch):
    q = jnp.linspace(-1, 1, int(np.prod(batch)) * 2, dtype=dtype).reshape(*batch, 2)
    T = fk(q)
    assert isinstance(T, jax.Array)
    assert T.dtype == dtype
    assert T.shape == (*batch, 4, 4)
    np.testing.assert_allclose(T, poses(np.asarray(q, float)), atol=1e-14 if dtype == "float64" else 1e-6)


def test_no_copy(fk, monkeypatch):
    made = []
    namespace = jnp.zeros(1).__array_namespace__()
    original = namespace.from_dlpack
    monkeypatch.setattr(namespace, "from_dlpack", lambda array: made.append(array) or original(array))
    for batch in ((), (7,), (20_000,)):
        T = fk(jnp.zeros((*batch, 2)))
        assert T.unsafe_buffer_pointer() == made[-1].ctypes.data


def test_other_functions(robot, fk):
    q = jnp.array([[0.5, 4.0], [0.1, 0.2]])
    assert isinstance(robot.limits.contains(q), jax.Array)
    assert robot.limits.contains(q).tolist() == [False, True]
    np.testing.assert_array_equal(kt.margin(robot)(q), robot.limits.margin(np.asarray(q)))
    found = kt.ik(robot, "tip")(fk(q[1]))
    assert found.success is True
    assert isinstance(found.q, jax.Array)
    assert isinstance(found.active_limits, jax.Array)
    assert "reached" in repr(found)


def test_single_precision_where_jax_has_no_double(fk):
    jax.config.update("jax_enable_x64", False)
    try:
        T = fk(jnp.zeros((3, 2)))
        assert T.dtype == "float32"
        np.testing.assert_allclose(T, poses(np.zeros((3, 2))), atol=1e-6)
    finally:
        jax.config.update("jax_enable_x64", True)


def test_out_is_refused(fk):
    with pytest.raises(KinetreeError, match="array of JAX, which cannot be changed"):
        fk(np.zeros(2), out=jnp.zeros((4, 4)))


def test_transformations_have_their_bridge(fk):
    for transformed in (jax.jit(fk), jax.vmap(fk), jax.grad(lambda q: fk(q)[0, 3])):
        with pytest.raises(KinetreeError, match=r"kinetree\.bridges\.jax\.wrap"):
            transformed(jnp.zeros((3, 2)))


def test_two_libraries_are_refused(robot):
    torch = pytest.importorskip("torch")
    with pytest.raises(KinetreeError, match="two libraries"):
        kt.dynamics.integrate(robot)(jnp.zeros(2), torch.zeros(2))
    assert isinstance(kt.dynamics.integrate(robot)(jnp.zeros(2), np.zeros(2)), jax.Array)


def test_batches_of_inverse_kinematics():
    """Results are slices of larger arrays, which JAX does not take as they are."""
    robot = random_arm(6)
    T = kt.fk(robot, "l6")(robot.limits.sample(5, seed=2))
    ik = kt.ik(robot, "l6")
    found, expected = ik(jnp.asarray(T)), ik(T)
    assert isinstance(found.q, jax.Array)
    np.testing.assert_array_equal(found.q, expected.q)
    np.testing.assert_array_equal(found.active_limits, expected.active_limits)
    one = ik.solutions(jnp.asarray(T[0]))
    np.testing.assert_array_equal(one.q, ik.solutions(T[0]).q)
    many, step = ik.solutions(jnp.asarray(T)), ik.step(jnp.asarray(expected.q), jnp.asarray(T), dt=0.1)
    assert repr(many).startswith("IKSolutions of 5 targets")
    assert repr(step).startswith("IKStep of 5 targets: 5 reached")
    assert isinstance(step.active_limits, jax.Array)
