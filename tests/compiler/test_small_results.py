"""The door returns arrays of earlier results again, but only those that nothing else refers to and that are as new."""

import gc
import os
import pickle
import sys
import weakref
from threading import Thread

import numpy as np
import pytest

from each import each
from kinetree.compiler import ufunc
from kinetree.compiler.ir_door import SMALL
from kinetree.compiler.ufunc import RING, ArrayLayout, array_layout
from toy_kernels import kernel

pytestmark = pytest.mark.skipif(array_layout() is None, reason="there is no door in this Python")
MANY = 5 * RING


@pytest.fixture
def k():
    made = kernel(lambda x: np.array([[x[0], 2 * x[1]], [0.0, 1.0]]), (2,))
    made(np.zeros(2))
    return made


def right(i):
    return [[i, 2 * i], [0, 1]]


def called(k, i):
    return k(np.full(2, float(i)))


def test_a_result_that_nobody_has_is_used_again(k):
    places = set()
    for i in range(MANY):
        T = called(k, i)
        np.testing.assert_array_equal(T, right(i))
        places.add(T.ctypes.data)
    assert len(places) <= RING


KEEP = {
    "itself": lambda T: T,
    "view": lambda T: T[:],
    "slice": lambda T: T[:, 1:],
    "transposed": lambda T: T.T,
    "reshaped": lambda T: T.reshape(-1),
    "memoryview": memoryview,
    "dlpack": np.from_dlpack,
    "array interface": np.asarray,
    "flat": lambda T: T.flat,
    "row": lambda T: next(iter(T)),
    "frozen": lambda T: T.setflags(write=False) or T,
    "reshaped in place": lambda T: np.ndarray.resize(T, (4,), refcheck=False) or T,
    "of another type": lambda T: T.view(np.int64),
    "pickled out of band": lambda T: _buffers(T)[0],
}


def _buffers(T):
    buffers = []
    pickle.dumps(T, protocol=5, buffer_callback=buffers.append)
    return buffers


@each("how", KEEP)
def test_what_somebody_has_is_never_overwritten(k, how):
    kept = [KEEP[how](called(k, i)) for i in range(MANY)]
    for i, value in enumerate(kept):
        T = np.array(called(k, i))
        expected = np.asarray(KEEP[how](T)).tobytes() if how != "pickled out of band" else T.tobytes()
        got = value.raw().tobytes() if how == "pickled out of band" else np.array(value).tobytes()
        assert got == expected


CHANGES = {
    "shape": lambda T: np.ndarray.resize(T, (4,), refcheck=False),
    "size": lambda T: np.ndarray.resize(T, (1, 2), refcheck=False),
    "flags": lambda T: T.setflags(write=False),
}


@each("how", CHANGES)
def test_a_changed_array_is_not_returned_again(k, how):
    for i in range(MANY):
        T = called(k, i)
        assert T.flags.writeable
        np.testing.assert_array_equal(T, right(i))
        CHANGES[how](T)


def test_a_weak_reference_ends_with_its_result(k):
    ended = []
    for i in range(RING):
        weakref.finalize(called(k, i), ended.append, i)
    for i in range(RING):
        np.testing.assert_array_equal(called(k, i), right(i))
    assert ended == list(range(RING))


def test_code_that_runs_at_the_end_of_a_result_may_call_the_kernel(k):
    seen = []
    for i in range(RING):
        weakref.finalize(called(k, i), lambda: seen.append(np.array(called(k, -1))))
    kept = [called(k, i) for i in range(MANY)]
    for i, T in enumerate(kept):
        np.testing.assert_array_equal(T, right(i))
    assert len(seen) == RING
    for T in seen:
        np.testing.assert_array_equal(T, right(-1))


def test_results_are_freed_with_the_kernel():
    made = kernel(lambda x: 2 * x, (2,))
    made(np.zeros(2))
    ended = [weakref.ref(made(np.ones(2))) for _ in range(RING)]
    last = made(np.ones(2))
    del made
    gc.collect()
    assert all(end() is None for end in ended)
    assert sys.getrefcount(last) <= 2
    np.testing.assert_array_equal(last, [2, 2])


@pytest.mark.slow
def test_threads(k):
    faults = []

    def work(start):
        kept = [(i, called(k, i)) for i in range(start, start + 3000)]
        for i in range(3000):
            T = called(k, start + i)
            if not np.array_equal(T, right(start + i)):
                faults.append(i)
        faults.extend(i for i, T in kept if not np.array_equal(T, right(i)))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [Thread(target=work, args=(10_000 * n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not faults


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_fork(k):
    T = called(k, 1)
    child = os.fork()
    if child == 0:
        same = np.array_equal(T, right(1)) and all(np.array_equal(called(k, i), right(i)) for i in range(MANY))
        os._exit(0 if same else 1)
    for i in range(MANY):
        called(k, i)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(T, right(1))


@pytest.mark.slow
def test_large_results_are_not_kept():
    made = kernel(lambda x: np.array([x[0] * i for i in range(SMALL + 1)]), (1,))
    made(np.zeros(1))
    end = weakref.ref(made(np.ones(1)))
    assert end() is None


@each("field", range(6))
def test_a_layout_that_is_another_is_not_used(field, monkeypatch):
    """A NumPy whose arrays have a field elsewhere: data, nd, dimensions, descr, flags or the weak references."""

    def moved(*offsets):
        return ArrayLayout(*(at + 8 * (k == field) for k, at in enumerate(offsets)))

    monkeypatch.setattr(ufunc, "ArrayLayout", moved)
    assert array_layout.__wrapped__() is None
    monkeypatch.undo()
    assert array_layout.__wrapped__() == array_layout()
