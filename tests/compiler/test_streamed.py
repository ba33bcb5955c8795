"""Large batches of wide results are stored past the cache, with the same bits as small ones."""

import numpy as np
import pytest

from each import each
from kinetree.compiler import ir_calls, llvm
from kinetree.compiler.program import trace
from toy_kernels import kernel

LARGE = 4096


@pytest.fixture(scope="module", params=[36, 65])
def k(request):
    """A kernel of as many results, whose large batches begin at some kilobytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ir_calls, "LARGE", LARGE)
        patch.setenv("KINETREE_CACHE", "off")
        made = kernel(lambda x: np.array([np.sin(x[0] + i) * x[1] for i in range(request.param)]), (2,))
        made(np.zeros(2)), made(np.zeros((2, 2)), dtype=np.float32)
        yield made


@pytest.mark.slow
def test_there_is_such_code(k):
    lanes = llvm.host().lanes("double")
    text = ir_calls.loop(k.program, lanes, llvm.host())
    assert ("nontemporal" in text) == llvm.host().is_x86
    assert "nontemporal" not in ir_calls.loop(kernel(lambda x: x + 1.0, (3,)).program, lanes, llvm.host())


def test_a_buffer_fits_on_the_stack():
    """The buffer has the results of a vector of configurations; for more of them there is none."""
    lanes = llvm.host().lanes("double")
    most = ir_calls.BUFFER // (lanes.size * lanes.width)
    for count, has in ((most, llvm.host().is_x86), (most + 1, False)):
        program = trace(lambda x, count=count: np.array([x[0]] * count), (1,))
        assert ("nontemporal" in ir_calls.loop(program, lanes, llvm.host())) == has


@pytest.mark.slow
@each("dtype", [np.float64, np.float32])
def test_the_same_bits(k, dtype):
    """Wherever the results begin in memory, in numbers; not all of these can be stored past the cache."""
    n, x = k.output.shape[0], np.random.default_rng(0).uniform(-3, 3, (1000, 2))
    right = np.concatenate([k(part, dtype=dtype) for part in np.split(x, 200)])
    least = -(-LARGE // (np.dtype(dtype).itemsize * n))
    for shift in (0, 1, 2, 4, 8):
        for count in (least - 1, least, least + 1, *range(100, 118), 1000):
            memory = np.full(count * n + 64, np.nan, dtype)
            start = (-memory.ctypes.data % 64) // memory.itemsize + shift
            out = memory[start : start + count * n].reshape(count, n)
            assert k(x[:count], out=out, dtype=dtype) is out
            np.testing.assert_array_equal(out, right[:count])
            assert np.isnan(memory[:start]).all()
            assert np.isnan(memory[start + count * n :]).all()


def test_threads_and_other_steps(k):
    x = np.random.default_rng(1).uniform(-3, 3, (5000, 2))
    right = np.concatenate([k(part) for part in np.split(x, 1000)])
    np.testing.assert_array_equal(k(x, threads=2), right)
    np.testing.assert_array_equal(k(x[::-1]), right[::-1])
    out = np.zeros((5000, 2, k.output.shape[0]))
    k(x, out=out[:, 1])
    np.testing.assert_array_equal(out[:, 1], right)
    assert (out[:, 0] == 0).all()
    same = np.broadcast_to(x[0], x.shape)
    np.testing.assert_array_equal(k(same), np.broadcast_to(right[0], right.shape))
