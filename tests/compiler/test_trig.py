"""Sine and cosine in the lanes against exact values (mpmath), for every processor that this one can stand in for."""

from functools import cache

import numpy as np
import pytest

from kinetree.compiler import llvm
from toy_kernels import kernel, runnable

mpmath = pytest.importorskip("mpmath")

WORST = 6381956970095103 * 2.0**797
"""The double that comes closest to a multiple of pi/2 (Muller, Elementary Functions, 2006, chapter 11)."""

pytestmark = [
    pytest.mark.parametrize("dtype", [np.float64, np.float32]),
    pytest.mark.parametrize("name", ["this", "SSE2", "SSE4.1", "AVX", "AVX2", "AVX2+FMA", "AVX-512"]),
]


@pytest.fixture
def sincos(name, dtype, monkeypatch):
    """x (n,) → sin and cos (n, 2), compiled for a processor."""
    targets = runnable()
    if name not in targets:
        pytest.skip(f"this processor is no {name}")
    monkeypatch.setattr(llvm, "host", lambda: targets[name])
    k = kernel(lambda x: np.array([np.sin(x[0]), np.cos(x[0])]), (1,))
    return lambda x: k(x[:, None], dtype=dtype)


def near(dtype):
    """Numbers up to 1e5: spread evenly, next to multiples of pi/2, tiny."""
    rng = np.random.default_rng(1)
    n = np.concatenate([np.arange(-40, 41), rng.integers(-63661, 63662, 400)])
    multiples = (n * (np.pi / 2)).astype(dtype)
    sides = [np.nextafter(multiples, dtype(side)) for side in (np.inf, -np.inf)]
    eighths = ((n + 0.5) * (np.pi / 2)).astype(dtype)
    spread = [rng.uniform(-size, size, 500).astype(dtype) for size in (1e5, 4.0, 0.8)]
    small = (rng.choice([-1, 1], 300) * 10.0 ** rng.uniform(-44 if dtype is np.float32 else -320, -1, 300)).astype(
        dtype
    )
    return np.concatenate([multiples, *sides, eighths, *spread, small, np.array([0.0, 1e5, -1e5], dtype)])


def far(dtype):
    """Numbers beyond, up to the largest, and some on either side of where reduction changes."""
    rng = np.random.default_rng(2)
    top = 38.5 if dtype is np.float32 else 308.2
    spread = rng.choice([-1, 1], 600) * 10.0 ** rng.uniform(4, top, 600)
    powers = 2.0 ** np.arange(13, 128 if dtype is np.float32 else 1024, 7)
    known = [1e6, 1e22, -1e22, 123456789.0, 1.1e5, 1.2e4, 1.0999e5, 1.1001e5]
    if dtype is np.float64:
        known += [WORST, -WORST, 1e300, np.pi * 1e8, np.finfo(dtype).max]
    near = np.arange(2.0**25 - 20, 2.0**25) * (np.pi / 2)
    return np.concatenate([spread, powers, known, near, [np.finfo(dtype).max]]).astype(dtype)


@cache
def exact(numbers, dtype):
    """x, and its sine and cosine each as the sum of two doubles (n, 2, 2)."""
    x = numbers(dtype)
    values = np.empty((len(x), 2, 2))
    with mpmath.workprec(1300):
        for i, number in enumerate(x):
            for k, value in enumerate(mpmath.cos_sin(mpmath.mpf(float(number)))[::-1]):
                values[i, k] = float(value), float(value - float(value))
    return x, values


def ulps(got, values):
    """Distances in units in the last place of the exact values."""
    step = np.spacing(np.abs(values[..., 0]).astype(got.dtype)).astype(float)
    return np.abs((got.astype(float) - values[..., 0]) - values[..., 1]) / step


@pytest.mark.slow
def test_within_two_ulp(sincos, dtype):
    x, values = exact(near, dtype)
    assert ulps(sincos(x), values).max() <= 2


@pytest.mark.slow
def test_right_beyond(sincos, dtype):
    x, values = exact(far, dtype)
    assert ulps(sincos(x), values).max() <= 2


@pytest.mark.slow
def test_not_a_number(sincos, dtype):
    special = np.array([np.nan, np.inf, -np.inf], dtype)
    for n in (1, 2, 5, 19):
        x = np.full(n, 0.5, dtype)
        for at in range(n):
            x[at] = special[at % 3]
            got = sincos(x)
            assert np.isnan(got[at]).all()
            assert (np.delete(got, at, axis=0) == sincos(np.full(1, 0.5, dtype))).all()
            x[at] = 0.5


@pytest.mark.slow
def test_neighbours_far_away_change_nothing(sincos, dtype):
    """A lane beyond the limit takes another way; the others give the same bits as alone."""
    x = np.random.default_rng(3).uniform(-1e4, 1e4, 64).astype(dtype)
    mixed = x.copy()
    mixed[::3] = 1e20
    got, alone = sincos(mixed), sincos(x)
    np.testing.assert_array_equal(np.delete(got, np.s_[::3], axis=0), np.delete(alone, np.s_[::3], axis=0))
