"""Nothing outside the arrays is touched: each lies flush against a page that nobody may read or write."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fence import PAGE, Fence
from toy_kernels import kernel

pytestmark = pytest.mark.skipif(os.name != "posix", reason="mprotect is of POSIX")


@pytest.fixture(scope="module")
def fences():
    made = [Fence() for _ in range(3)]
    yield made
    for fence in made:
        fence.shut(False)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", range(1, 10))
def test_nothing_beyond_the_ends(fences, size, dtype):
    k = kernel(lambda x, y: np.array([2.0 * x[i] - y[0] for i in range(size)]), (size,), (10 - size,))
    one = kernel(lambda x: np.array([np.sin(a) for a in x]), (size,))
    rng = np.random.default_rng(size)
    for at_end in (True, False):
        for n in range(1, 10):
            x, y, out = (
                fence.array((n, m), dtype, at_end) for fence, m in zip(fences, (size, 10 - size, size), strict=True)
            )
            x[:], y[:] = rng.normal(size=x.shape), rng.normal(size=y.shape)
            expected = 2 * x - y[:, :1]
            tolerance = 8 * np.finfo(dtype).eps
            assert k(x, y, out=out, dtype=dtype) is out
            np.testing.assert_allclose(out, expected, rtol=0, atol=tolerance)
            np.testing.assert_allclose(k(x, y, dtype=dtype), expected, rtol=0, atol=tolerance)
            row = fences[0].array((size,), dtype, at_end)  # a single one, through the door
            np.testing.assert_allclose(
                one(row), np.sin(row.astype(float)).astype(dtype), rtol=0, atol=np.finfo(dtype).eps
            )
            columns = fences[2].array((size, n), dtype, at_end).T  # entries that do not lie side by side
            k(x, y, out=columns, dtype=dtype)
            np.testing.assert_allclose(columns, expected, rtol=0, atol=tolerance)


def test_every_other_row_up_to_the_end(fences):
    k = kernel(lambda x: 3.0 * x, (3,))
    for n in range(1, 10):
        whole = [fence.array((2 * n - 1, 3), float, True) for fence in fences[:2]]
        whole[0][:] = np.arange(whole[0].size).reshape(whole[0].shape)
        whole[1][:] = -1
        k(whole[0][::2], out=whole[1][::2])
        np.testing.assert_array_equal(whole[1][::2], 3 * whole[0][::2])
        assert (whole[1][1::2] == -1).all()
        k(whole[0][::-2], out=whole[1][::2])
        np.testing.assert_array_equal(whole[1][::2], 3 * whole[0][::-2])


@pytest.mark.slow
def test_the_fence_holds():
    """The page is shut: a program that reads it is ended."""
    text = "import ctypes, fence; print('before', flush=True); f = fence.Fence(); ctypes.string_at(f.start{}, 1)"
    folder = Path(__file__).parents[1]
    for at, ended in ((f" + {PAGE}", False), (f" + {3 * PAGE - 1}", False), (f" + {3 * PAGE}", True), ("", True)):
        done = subprocess.run([sys.executable, "-c", text.format(at)], cwd=folder, capture_output=True, text=True)
        assert done.stdout == "before\n", done.stderr
        assert (done.returncode < 0) == ended
