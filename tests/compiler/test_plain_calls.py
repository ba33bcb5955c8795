"""Calls whose arrays NumPy can use as they are, contiguous doubles of one batch or of none, take a short way."""

import numpy as np
import pytest

from each import each
from kinetree import KinetreeError
from kinetree.compiler import kernel as kernels
from toy_kernels import kernel

RNG = np.random.default_rng(7)


def function(q, qd, w):
    return q * w[0, 1] + qd - w[1]


def expected(q, qd, w):
    return q * w[..., 0, 1, None] + qd - w[..., 1, :]


@pytest.fixture(scope="module")
def k():
    return kernel(function, (2,), (2,), (2, 2))


@pytest.fixture
def short(monkeypatch):
    """Forbid the long way."""
    monkeypatch.setattr(kernels, "checked", None)


BATCHES = [(), (1,), (3,), (40,), (3, 5), (0,)]


@each("batch", BATCHES)
@each("batched", [0b111, 0b100, 0b010, 0b001, 0b110, 0b101, 0b011])
def test_one_batch_or_none(k, short, batch, batched):
    cores = [(2,), (2,), (2, 2)]
    x = [RNG.normal(size=(*(batch if batched >> i & 1 else ()), *core)) for i, core in enumerate(cores)]
    right = expected(*x)
    got = k(*x)
    assert got.shape == right.shape
    np.testing.assert_allclose(got, right, rtol=1e-14, atol=1e-15)
    out = np.full(right.shape, np.nan)
    assert k(*x, out=out) is out
    np.testing.assert_array_equal(out, got)


def test_columns_of_more(k, short):
    """What a kernel with several outputs returns is the next call's input."""
    both, w = RNG.normal(size=(9, 4)), RNG.normal(size=(9, 4, 2))
    got = k(both[:, :2], both[:, 2:], w[:, 1:3])
    np.testing.assert_allclose(got, expected(both[:, :2], both[:, 2:], w[:, 1:3]), rtol=1e-14, atol=1e-15)
    same = np.broadcast_to(both[0, :2], (9, 2))
    np.testing.assert_array_equal(k(same, both[:, 2:], w[:, 1:3]), k(same.copy(), both[:, 2:], w[:, 1:3]))


def test_entries_that_are_apart_take_the_long_way(k, monkeypatch):
    """It copies them, so that vectors can load them."""
    both, w = RNG.normal(size=(9, 4)), RNG.normal(size=(9, 2, 4))
    right = expected(both[:, ::2], both[:, 2:], w[..., ::3])
    np.testing.assert_allclose(k(both[:, ::2], both[:, 2:], w[..., ::3]), right, rtol=1e-14, atol=1e-15)
    monkeypatch.setattr(kernels, "checked", None)
    with pytest.raises(TypeError):
        k(both[:, ::2], both[:, 2:], w[..., ::3])


@each("which", [0, 1, 2])
@each("shift", range(-4, 5))
@each("batched", [True, False])
def test_out_over_an_input(k, which, shift, batched):
    n, memory = 21, RNG.normal(size=200)
    cores = [(2,), (2,), (2, 2)]
    x = [RNG.normal(size=(n, *core)) for core in cores]
    size = cores[which] if not batched else (n, *cores[which])
    x[which] = memory[20 : 20 + np.prod(size)].reshape(size)
    right = k(*[a.copy() for a in x])
    out = memory[20 + shift : 20 + shift + 2 * n].reshape(n, 2)
    assert k(*x, out=out) is out
    np.testing.assert_array_equal(out, right)


@each(
    "shapes",
    [((3, 2), (4, 2), (2, 2)), ((3, 2), (2, 3, 2), (2, 2)), ((1, 2), (4, 2), (2, 2)), ((3, 2), (3, 2), (2, 3, 2, 2))],
)
def test_other_batches_are_broadcast_or_refused_as_before(k, shapes):
    x = [RNG.normal(size=shape) for shape in shapes]
    try:
        right = expected(*x)
    except ValueError:
        with pytest.raises(KinetreeError, match="do not go together"):
            k(*x)
        return
    np.testing.assert_allclose(k(*x), right, rtol=1e-14, atol=1e-15)
