"""Tensors of PyTorch go in and come out, in the same memory."""

import numpy as np
import pytest

import kinetree as kt
from kinetree import KinetreeError
from planar_arm import ARM, poses

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def robot():
    return kt.load(ARM, format="urdf")


@pytest.fixture(scope="module")
def fk(robot):
    return kt.fk(robot, "tip")


TYPES = [torch.float64, torch.float32]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("batch", [(), (1,), (5,), (2, 3), (0,), (20_000,)])
def test_what_comes_in_goes_out(fk, dtype, batch):
    q = torch.linspace(-1, 1, int(np.prod(batch)) * 2, dtype=dtype).reshape(*batch, 2)
    T = fk(q)
    assert type(T) is torch.Tensor
    assert T.dtype == dtype
    assert T.shape == (*batch, 4, 4)
    np.testing.assert_allclose(T, poses(q.double().numpy()), atol=1e-14 if dtype == torch.float64 else 1e-6)
    assert fk.interpret(q).dtype == dtype


def test_no_copy(fk):
    """Input that is changed changes what is computed; the result can be written, and no other result changes it."""
    q = torch.zeros(4, 2, dtype=torch.float64)
    first = fk(q)
    q.numpy()[:] = 0.5
    second = fk(q)
    np.testing.assert_allclose(second, poses(np.full((4, 2), 0.5)), atol=1e-14)
    second += 1
    np.testing.assert_allclose(first, poses(np.zeros((4, 2))), atol=1e-14)


def test_results_stay_when_their_memory_is_shared(fk):
    kept = [fk(torch.full((20_000, 2), float(i), dtype=torch.float64)) for i in range(4)]
    for i, T in enumerate(kept):
        np.testing.assert_allclose(T[-1], poses(np.full(2, float(i))), atol=1e-14)


def test_dtype_decides(fk):
    assert fk(torch.zeros(2, dtype=torch.float64), dtype=np.float32).dtype == torch.float32
    assert fk(torch.zeros(2), dtype=np.float64).dtype == torch.float64
    assert fk(torch.zeros(2, dtype=torch.int64)).dtype == torch.float64
    assert fk(torch.zeros(2, dtype=torch.float16)).dtype == torch.float64


@pytest.mark.parametrize("given", [torch.tensor, np.array, list])
@pytest.mark.parametrize("dtype", TYPES)
def test_out(fk, given, dtype):
    out = torch.zeros(3, 4, 4, dtype=dtype)
    assert fk(given([[0.1, 0.2]] * 3), out=out) is out
    np.testing.assert_allclose(out, poses(np.array([[0.1, 0.2]] * 3)), atol=1e-6)
    columns = torch.zeros(4, 4, 3, dtype=dtype).permute(2, 1, 0)
    fk(given([[0.1, 0.2]] * 3), out=columns)
    assert torch.equal(columns, out)
    plain = np.zeros((3, 4, 4))
    assert fk(torch.full((3, 2), 0.1), out=plain) is plain


def test_other_functions(robot):
    limits, q = robot.limits, torch.tensor([[0.5, 4.0], [0.1, 0.2]], dtype=torch.float64)
    for found, right in (
        (kt.margin(robot)(q), limits.margin(q.numpy())),
        (limits.margin(q), limits.margin(q.numpy())),
        (limits.contains(q), limits.contains(q.numpy())),
        (limits.project(q), limits.project(q.numpy())),
        (limits.clip_step(q, q), limits.clip_step(q.numpy(), q.numpy())),
        (limits.clip_velocity(q, qd=q, dt=0.1), limits.clip_velocity(q.numpy(), q.numpy(), 0.1)),
        (kt.dynamics.integrate(robot)(q, q), 2 * q.numpy()),
    ):
        assert type(found) is torch.Tensor
        np.testing.assert_array_equal(found, right)
    assert limits.margin(q.float()).dtype == torch.float32
    np.testing.assert_allclose(robot.limits.margin(q.float()), limits.margin(q.float().double()), atol=1e-6)


class Own(torch.Tensor):
    """A class of a user."""


def test_derived_classes_and_numbers(robot, fk):
    q = torch.tensor([0.3, 0.4], dtype=torch.float64)
    assert type(fk(q.as_subclass(Own))) is torch.Tensor
    measure = kt.manipulability(robot, "tip", rows="linear")
    assert measure(q).shape == ()
    assert measure(q).item() == measure(q.numpy())


def test_several_results(robot):
    q = torch.tensor([0.1, 0.2], dtype=torch.float64)
    found = kt.dynamics.step(robot, 0.01)(q, q, q)
    assert {type(part) for part in found} == {torch.Tensor}
    for part, right in zip(found, kt.dynamics.step(robot, 0.01)(q.numpy(), q.numpy(), q.numpy()), strict=True):
        np.testing.assert_array_equal(part, right)


@pytest.mark.parametrize("dtype", TYPES)
def test_inverse_kinematics(robot, fk, dtype):
    ik = kt.ik(robot, "tip")
    q = torch.tensor([[0.3, 0.4], [0.5, 0.6]], dtype=dtype)
    found = ik(fk(q))
    assert found.success.dtype == torch.bool
    assert found.success.all()
    assert found.q.dtype == found.residual.dtype == dtype
    np.testing.assert_allclose(fk(found.q), fk(q), atol=2e-6)
    assert "2 reached" in repr(found)
    assert found.active_limits.shape == (2, 4)
    one = ik(fk(q[0]), q0=q[1])
    assert one.success is True
    assert type(one.q) is torch.Tensor
    step = ik.step(q, fk(q), dt=0.01)
    assert step.q.dtype == step.residual.dtype == dtype
    assert type(step.active_limits) is torch.Tensor
    assert "2 reached" in repr(step)
    assert repr(ik.solutions(fk(q))).startswith("IKSolutions of 2 targets")


REFUSED = {
    "requires_grad": (lambda: torch.zeros(2, requires_grad=True), "requires grad"),
    "parameter": (lambda: torch.nn.Parameter(torch.zeros(2)), "requires grad"),
    "meta": (lambda: torch.zeros(2, device="meta"), "cannot be read"),
    "complex": (lambda: torch.zeros(2, dtype=torch.complex128), "complex128"),
    "bool": (lambda: torch.zeros(2, dtype=torch.bool), "bool"),
    "bfloat16": (lambda: torch.zeros(2, dtype=torch.bfloat16), "cannot be read"),
    "sparse": (lambda: torch.zeros(2).to_sparse(), "cannot be read"),
    "shape": (lambda: torch.zeros(3), "shape"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(fk, robot, what):
    value, text = REFUSED[what][0](), REFUSED[what][1]
    for call in (fk, fk.interpret):
        with pytest.raises(KinetreeError, match=text):
            call(value)
    with pytest.raises(KinetreeError):
        fk(np.zeros(2), out=value)
    if what not in ("complex", "bool"):
        with pytest.raises(KinetreeError, match=text):
            robot.limits.margin(value)


def test_gradients_have_their_bridge(fk):
    with pytest.raises(KinetreeError, match=r"kinetree\.bridges\.torch\.wrap"):
        fk(torch.zeros(2, requires_grad=True))
    with pytest.raises(KinetreeError, match=r"kinetree\.bridges\.torch\.wrap"):
        torch.func.vmap(fk)(torch.zeros(3, 2))
