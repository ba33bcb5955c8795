"""Kernels as functions of JAX, as foreign functions of XLA and by calls of Python."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from bridges.bridge_kernels import ARM, CARRIED, KERNELS, TIP, arrays, at_a_limit, carried, soft, two_joints
from random_arms import on

jax = pytest.importorskip("jax", reason="JAX has an environment of its own")
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

from kinetree.bridges import xla  # noqa: E402
from kinetree.bridges.jax import wrap  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def _double_precision():
    jax.config.update("jax_enable_x64", True)


@pytest.fixture(params=["foreign function", "callback"])
def way(request, monkeypatch):
    """How JAX calls a kernel."""
    if request.param == "callback":
        monkeypatch.setattr(xla, "target", lambda kernel, scalar: None)
    jax.clear_caches()
    return request.param


@pytest.mark.parametrize("name", KERNELS)
def test_values_and_derivatives_of_both_orders(name):
    kernel = KERNELS[name]()
    function, x = wrap(kernel), arrays(kernel)
    found = jax.jit(function)(*x)
    expected = kernel(*x)
    for a, b in zip(expected, found, strict=True) if isinstance(found, tuple) else ((expected, found),):
        np.testing.assert_array_equal(a, b)
    check_grads(jax.jit(function), x, order=2, modes=("fwd", "rev"), atol=1e-5, rtol=1e-5)


def test_derivatives_in_both_ways(way):
    kernel = KERNELS["inverse_dynamics"]()
    x = arrays(kernel, batch=(2, 1))
    x[1] = np.random.default_rng(1).uniform(-1, 1, (3, *kernel.inputs[1].shape))
    assert (xla.target(wrapped_kernel(kernel), "double") is None) == (way == "callback")
    assert wrap(kernel)(*x).shape == (2, 3, *kernel.output.shape)
    check_grads(wrap(kernel), x, order=1, modes=("fwd", "rev"))


def wrapped_kernel(kernel):
    from kinetree.bridges.kernels import flattened, kernel_of

    return flattened(kernel_of(kernel))


def pose_error(function, T):
    return lambda q: jnp.sum((function(q) - T) ** 2, axis=(-2, -1))


def test_transforms_of_functions():
    kernel = kt.fk(ARM, TIP)
    function, T = wrap(kernel), kernel(np.full(6, 0.3))
    loss, (q,) = pose_error(function, T), arrays(kernel, batch=(4,))
    each = jax.jit(jax.vmap(jax.grad(loss)))(q)
    np.testing.assert_allclose(each, jax.grad(lambda q: loss(q).sum())(q), atol=1e-14)
    np.testing.assert_allclose(each, kt.vjp(kernel)(q, 2 * (kernel(q) - T)), atol=1e-13)
    H = jax.hessian(loss)(q[0])
    for other in (jax.jacrev(jax.jacrev(loss)), jax.jacrev(jax.jacfwd(loss)), jax.jacfwd(jax.jacfwd(loss))):
        np.testing.assert_allclose(H, other(q[0]), atol=1e-12)
    third = jax.jit(jax.grad(lambda q: jax.hessian(loss)(q).sum()))(q[0])
    h = 1e-5
    up, down = (jax.hessian(loss)(q[0] + s * np.eye(6)[2]).sum() for s in (h, -h))
    assert abs(float(third[2] - (up - down) / (2 * h))) < 1e-6


def test_mapped_inputs_and_others(way):
    kernel = KERNELS["inverse_dynamics"]()
    function, (q, qd, qdd) = wrap(kernel), arrays(kernel, batch=(3,))
    np.testing.assert_array_equal(jax.vmap(function, (0, None, None))(q, qd, qdd), kernel(q, qd, qdd))
    np.testing.assert_array_equal(jax.vmap(function, (1, None, None))(q.T, qd, qdd), kernel(q, qd, qdd))
    deeper = jax.jit(jax.vmap(function, (0, None, None)))(q, np.stack([qd, qd, qd, qd]), qdd)
    np.testing.assert_array_equal(deeper, kernel(q[:, None], np.stack([qd] * 4), qdd))


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 1000])
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_batches_have_the_bits_of_the_kernel(kind, count):
    """In portions, where single precision is converted."""
    kernel = KERNELS["several results"]()
    x = [a.astype(kind) for a in arrays(kernel, batch=(count,))]
    found = jax.jit(wrap(kernel))(*x)
    for a, b in zip(kernel(*[a.astype(float) for a in x]), found, strict=True):
        assert b.dtype == kind
        np.testing.assert_array_equal(a.astype(kind), b)


def test_other_types_and_shapes():
    kernel = kt.fk(ARM, TIP)
    function, q = wrap(kernel), jnp.zeros(6)
    assert function(q.astype(jnp.bfloat16)).dtype == jnp.bfloat16
    assert jax.grad(lambda q: function(q).sum())(q.astype(jnp.float32)).dtype == jnp.float32
    for call, message in (
        (lambda: wrap(np.sin), "expected kernels"),
        (lambda: function(jnp.zeros(6, dtype=int)), "expected floating types"),
        (lambda: function(jnp.zeros(5)), r"q has shape \(5,\); expected \(…, 6\)"),
        (lambda: jax.jit(function)(jnp.zeros(5)), r"expected \(…, 6\)"),
        (lambda: function(q, q), "takes q"),
        (lambda: wrap(KERNELS["inverse_dynamics"]())(*np.zeros((3, 2, 3))), "has shape"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            call()


def test_robots_that_do_not_move():
    still = kt.load('<robot name="still"><link name="a"/></robot>', format="urdf")
    function = wrap(kt.fk(still, "a"))
    np.testing.assert_array_equal(jax.jit(function)(jnp.zeros((2, 0))), np.broadcast_to(np.eye(4), (2, 4, 4)))
    assert jax.grad(lambda q: function(q).sum())(jnp.zeros(0)).shape == (0,)


def header():
    return Path(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h").read_text()


def test_offsets_are_read_from_the_header_or_refused():
    found = dict(xla.layout_of(header()))
    assert (found["stage"], found["args"], found["rets"], found["data"]) == (32, 72, 112, 24)
    moved = re.sub(r"(struct XLA_FFI_Buffer \{\s*size_t struct_size;)", r"\1 int64_t more;", header())
    assert dict(xla.layout_of(moved))["data"] == found["data"] + 8
    for pattern, other in (
        ("XLA_FFI_API_MAJOR 0", "XLA_FFI_API_MAJOR 1"),
        ("void* data;", "void data[3];"),
        ("int64_t rank;", "int128 rank;"),
        ("struct XLA_FFI_Buffer {", "struct XLA_FFI_Puffer {"),
        ("XLA_FFI_ExecutionStage_EXECUTE = 3", "XLA_FFI_ExecutionStage_EXECUTE"),
    ):
        assert header().count(pattern) >= 1
        with pytest.raises(ValueError, match=r"."):
            xla.layout_of(header().replace(pattern, other))


def test_inverse_kinematics_by_the_implicit_function():
    kernel = kt.fk(ARM, TIP)
    solve, pose = wrap(kt.ik(ARM, TIP, tolerance=(1e-11, 1e-11))), wrap(kernel)
    q = jnp.asarray(ARM.limits.sample(3, seed=0) * 0.5)
    base = solve(pose(q)).q
    along = jax.jit(lambda d: solve(pose(q + d), q0=base).q)
    assert solve(pose(q)).success.all()
    check_grads(along, (jnp.zeros((3, 6)),), order=2, modes=("fwd", "rev"), eps=1e-4, atol=1e-3, rtol=1e-3)
    each = jax.jit(jax.vmap(jax.jacfwd(lambda T: solve(T).q)))(pose(q))
    np.testing.assert_allclose(each[1], jax.jacrev(lambda T: solve(T).q)(pose(q)[1]), atol=1e-12)


@pytest.mark.parametrize("kind", ["floating", "ball"])
def test_motions_of_quaternions_follow_the_target_and_keep_their_lengths(kind):
    robot = on(ARM, kind)
    fk, rng = kt.fk(robot, TIP), np.random.default_rng(2)
    solve, pose = wrap(kt.ik(robot, TIP, tolerance=(1e-11, 1e-11))), wrap(fk)
    q = jnp.asarray(kt.dynamics.integrate(robot)(robot.q(), rng.uniform(-0.5, 0.5, robot.nv)))
    found = solve(pose(q), q0=q)
    assert found.success
    integrate = wrap(kt.dynamics.integrate(robot))
    motion, still = jnp.asarray(rng.normal(size=robot.nv)), jnp.zeros(robot.nv)
    dT = jax.jvp(lambda v: pose(integrate(q, v)), (still,), (motion,))[1]
    dq = jax.jvp(lambda T: solve(T, q0=q).q, (pose(q),), (dT,))[1]
    np.testing.assert_allclose(jax.jvp(pose, (found.q,), (dq,))[1], dT, rtol=0, atol=1e-9)
    where = jnp.array([i for i, name in enumerate(robot.coordinate_names) if re.search(r"\.q[xyzw]$", name)])
    assert len(where) == 4
    assert abs(dq[where] @ found.q[where]) < 1e-12
    assert jnp.linalg.norm(dq[where]) > 1e-3


@pytest.mark.parametrize("name", CARRIED)
def test_second_derivatives_of_inverse_kinematics_with_quaternions(name):
    """Against differences of first derivatives, and both modes against each other."""
    fk, integrate, target, ik, q = carried(name)
    pose, moved, solve, q = wrap(fk), wrap(integrate), wrap(ik), jnp.asarray(q)
    u, w = jnp.asarray(np.random.default_rng(0).normal(size=(2, len(q) - 1)))
    follow = lambda v, q0: solve(target(pose(moved(q, v))), q0=q0).q  # noqa: E731
    slope = jax.jit(lambda s, q0, u: jax.jvp(lambda v: follow(v, q0), (s * w,), (u,))[1])
    dq = slope(0.0, q, w)
    h = 1e-4
    found = [slope(s, q + s * dq, u) for s in (h, -h)]
    along = lambda s: slope(s, q, u)  # noqa: E731
    second = jax.jit(jax.jacfwd(along))(0.0)
    assert abs(second).max() > 1e-2
    np.testing.assert_allclose(second, (found[0] - found[1]) / (2 * h), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(jax.jit(jax.jacrev(along))(0.0), second, rtol=1e-10, atol=1e-12)


def test_a_joint_at_its_limit_does_not_move():
    T, q = at_a_limit()
    J = jax.jacrev(lambda T: wrap(kt.ik(ARM, TIP))(T, q0=q).q)(jnp.asarray(T))
    assert (abs(J[:5]).max(axis=(1, 2)) > 0.1).all()
    assert abs(J[5]).max() == 0.0


def test_targets_out_of_reach_have_no_gradient():
    solve = wrap(kt.ik(ARM, TIP, goal="position"))
    p = jnp.array([[9.0, 0.0, 0.0], *kt.fk(ARM, TIP)(np.full((1, 6), 0.3))[:, :3, 3]])
    assert solve(p).success.tolist() == [False, True]
    slope = jax.grad(lambda p: solve(p).q.sum())(p)
    assert (abs(slope).max(axis=1) > 0).tolist() == [False, True]


def test_a_bad_target_fails_alone_and_has_no_gradient():
    """Inside of compiled code too, where an exception would end the whole batch; also one alone."""
    T = kt.fk(ARM, TIP)(np.full((4, 6), 0.3))
    T[0, 0, 0], T[2, :3, :3] = np.nan, 1.1 * T[2, :3, :3]
    T[3, :3, :3] = T[3, :3, :3].round(4)
    solve = wrap(kt.ik(ARM, TIP))
    for x in (jnp.asarray(T), jnp.asarray(T, jnp.float32)):
        assert jax.jit(lambda T: solve(T).success)(x).tolist() == [False, True, False, True]
        assert not solve(x[0]).success
        slope = jax.grad(lambda T: solve(T).q.sum())(x)
        assert np.isfinite(slope).all()
        assert (abs(slope).max(axis=(1, 2)) > 0).tolist() == [False, True, False, True]


def test_soft_goals_have_the_derivatives_of_their_minimum():
    """Those of `IK.derivatives`, which other tests compare with differences; in batches; zero where not reached."""
    ik, targets, q = soft()
    by = ik.derivatives(ik(*targets, q0=q), *targets)
    solve = wrap(ik)
    found = jax.jacrev(lambda *x: solve(*x, q0=q).q, argnums=(0, 1))(*targets)
    for name, J in zip(("position", "orientation"), found, strict=True):
        assert abs(J).max() > 0.1
        np.testing.assert_allclose(J, by[f"{name} of {TIP}"], rtol=0, atol=1e-7)
    p = jnp.array([targets[0], [9.0, 0.0, 0.0], [jnp.nan, 0.0, 0.0]])
    slope = jax.grad(lambda p: solve(p, targets[1], q0=q).q.sum())
    for many in (slope(p), jax.jit(jax.vmap(slope))(p)):
        np.testing.assert_allclose(many[0], by[f"position of {TIP}"].sum(axis=0), rtol=0, atol=1e-6)
        assert abs(many[1:]).max() == 0.0
    with pytest.raises(kt.KinetreeError, match="first derivatives alone"):
        jax.jacfwd(jax.grad(lambda p: solve(p, targets[1], q0=q).q.sum()))(p[0])


def test_descent_of_a_pose_error_reaches_the_target():
    """An arm of two joints, by jit(grad), to a hundredth of a millimetre."""
    arm = two_joints()
    function = wrap(kt.fk(arm, "tip"))
    goal = function(jnp.array([0.4, 1.1]))[:2, 3]
    slope = jax.jit(jax.grad(lambda q: jnp.sum((function(q)[:2, 3] - goal) ** 2)))
    q = jnp.array([0.0, 0.5])
    for _ in range(500):
        q = q - 0.2 * slope(q)
    assert jnp.linalg.norm(function(q)[:2, 3] - goal) < 1e-5


def test_equal_kernels_have_equal_names_and_others_other_ones():
    """JAX keeps compiled programs, and these names in them, on disk."""
    from kinetree.compiler.xla import name_of

    arm = two_joints()
    same = name_of(kt.fk(arm, "tip"), "double")
    assert name_of(kt.fk(two_joints(), "tip"), "double") == same
    assert len({same, name_of(kt.fk(arm, "tip"), "float"), name_of(kt.fk(arm, "b"), "double")}) == 3
    assert name_of(kt.vjp(kt.fk(arm, "tip")), "double") != name_of(kt.jvp(kt.fk(arm, "tip")), "double")


def test_derivatives_are_compiled_once():
    """The kernels of derivatives are the same whenever they are asked for."""
    kernel = KERNELS["inverse_dynamics"]()
    x = arrays(kernel)
    slope = jax.grad(lambda *x: wrap(kernel)(*x).sum(), argnums=(0, 1))
    slope(*x)
    known = len(xla._registered)
    slope(*x)
    assert len(xla._registered) == known


def test_many_threads_call_at_once():
    kernel = kt.fk(ARM, TIP)
    function, (q,) = jax.jit(partial(wrap(kernel))), arrays(kernel, batch=(64, 50))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        for found, part in zip(pool.map(function, q), q, strict=True):
            np.testing.assert_array_equal(found, kernel(part))


def test_results_in_single_precision_are_inside_of_the_limits():
    joints = [{"axis": [0, i % 2, 1 - i % 2], "xyz": [0.2, 0, 0], "qlim": [-2.8973, 1.7628]} for i in range(4)]
    robot = kt.chain(joints)
    q = robot.limits.project(np.random.default_rng(3).choice([-9.0, 0.3, 9.0], (20, 4)))
    targets = np.float32(kt.fk(robot, "tip")(q))
    found = np.asarray(wrap(kt.ik(robot, "tip"))(targets, q0=np.float32(q)).q)
    assert found.dtype == np.float32
    assert robot.limits.contains(found).all()
