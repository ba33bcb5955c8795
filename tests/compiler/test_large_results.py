"""The memory of a large result is used again when nothing refers to it any more, and kept within a bound."""

import gc
import os
import pickle
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from kinetree.compiler import memory
from toy_kernels import kernel

pytestmark = pytest.mark.slow  # longer than a quick test

ROWS = memory.LARGE // 16 + 1


@pytest.fixture(autouse=True)
def alone():
    """Begin and end without blocks of other tests."""
    gc.collect()
    memory._waiting.clear()
    yield
    memory._waiting.clear()


@pytest.fixture
def k():
    return kernel(lambda x: np.array([x[0], 2 * x[1]]), (2,))


def x(i, rows=ROWS):
    return np.full((rows, 2), float(i))


def waiting():
    return sum(block.size for block in memory._waiting)


def has(T, i):
    return bool((T[..., 0] == i).all() and (T[..., 1] == 2 * i).all())


@pytest.mark.parametrize("options", [{}, {"threads": 2}, {"dtype": np.float32}])
def test_the_memory_is_used_again(k, options):
    rows, places = 2 * ROWS, set()
    for i in range(6):
        T = k(x(i, rows), **options)
        assert has(T, i)
        assert T.shape == (rows, 2)
        assert all(T.flags[name] for name in "CWA")
        assert T.ctypes.data % memory.ALIGNED == 0
        places.add(T.ctypes.data)
    assert len(places) == 2
    assert len(memory._waiting) == 1


def test_memory_that_nobody_has_is_within_the_bounds(k, monkeypatch):
    kept = [k(x(i)) for i in range(5)]
    assert waiting() == 0
    size = kept[0].nbytes
    kept.clear()
    assert waiting() == memory.MOST * size
    monkeypatch.setattr(memory, "BOUND", int(3.5 * size))
    others = [kernel(lambda x: x + 1.0, (2,)) for _ in range(3)]
    for other in others:
        kept += [other(x(0)), other(x(0))]
        assert waiting() <= memory.BOUND
    kept.clear()
    assert waiting() == 3 * size
    del other, others
    gc.collect()
    assert waiting() <= size
    monkeypatch.setattr(memory, "BOUND", size - 1)
    k(x(0))
    assert waiting() <= size


def test_memory_is_freed_with_the_kernel():
    made = kernel(lambda x: 3 * x, (2,))
    T = made(x(1))
    made(x(1))
    assert waiting() == T.nbytes
    del made
    gc.collect()
    assert waiting() == 0
    assert (T == 3).all()
    del T
    assert waiting() == 0


def test_a_much_smaller_result_does_not_take_a_large_block(k):
    k(x(0, 8 * ROWS))
    T = k(x(1))
    assert waiting() >= 8 * T.nbytes
    del T
    assert len(memory._waiting) == 2


KEEP = {
    "itself": lambda T: T,
    "view": lambda T: T[:],
    "row": lambda T: T[-1],
    "column": lambda T: T[:, :1],
    "transposed": lambda T: T.T,
    "memoryview": memoryview,
    "part of a memoryview": lambda T: memoryview(T)[1:2],
    "dlpack": np.from_dlpack,
    "bytes": lambda T: T.view(np.uint8),
    "iterator": lambda T: T.flat,
    "base": lambda T: T.base,
    "broadcast": lambda T: np.broadcast_to(T, (2, *T.shape)),
    "pickled out of band": lambda T: _buffers(T),
}


def _buffers(T):
    buffers = []
    pickle.dumps(T, protocol=5, buffer_callback=buffers.append)
    return buffers[0].raw()


USUAL = ("itself", "view", "memoryview", "dlpack")


@pytest.mark.parametrize("how", [how if how in USUAL else pytest.param(how, marks=pytest.mark.slow) for how in KEEP])
def test_what_somebody_has_is_never_overwritten(k, how):
    kept = [KEEP[how](k(x(i))) for i in range(3)]
    for i in range(4):
        k(x(i + 10))
    for i, value in enumerate(kept):
        assert {*np.array(value).view(float).ravel().tolist()} <= {float(i), 2.0 * i}
        assert np.asarray(value).tobytes() == np.asarray(KEEP[how](k(x(i)))).tobytes()


def test_copies_are_their_own(k):
    T = k(x(1))
    copies = [T.copy(), pickle.loads(pickle.dumps(T)), T + 0.0, np.array(T)]
    del T
    k(x(2))
    assert all(has(copy, 1) for copy in copies)


def test_it_cannot_be_resized_in_place(k):
    with pytest.raises(ValueError, match="does not own its data"):
        k(x(1)).resize((3, 2))


def test_results_of_a_cycle_return_when_it_is_collected(k):
    cycle = [k(x(1))]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert len(memory._waiting) == 1


def test_threads(k):
    faults = []

    def work(start):
        kept = []
        for i in range(start, start + 30):
            T = k(x(i))
            kept = [*kept[-1:], (i, T)]
            faults.extend(i for i, T in kept if not has(T, i))

    threads = [Thread(target=work, args=(100 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert len(memory._waiting) <= memory.MOST


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_fork(k):
    T = k(x(1))
    k(x(2))
    child = os.fork()
    if child == 0:
        same = has(T, 1) and all(has(k(x(i)), i) for i in range(3)) and has(T, 1)
        os._exit(0 if same else 1)
    assert all(has(k(x(i)), i) for i in range(3))
    assert os.waitpid(child, 0)[1] == 0
    assert has(T, 1)


def test_nothing_is_said_when_python_ends():
    code = "from toy_kernels import kernel; import numpy as np; k = kernel(lambda x: 2 * x, (2,)); "
    code += "T = k(np.ones((200_000, 2))); S = k(np.ones((200_000, 2))); kept = [T, S]; kept.append(kept)"
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
