"""Memory of large results waits for the next ones of its kernel, and is freed beyond the bounds."""

import numpy as np
import pytest

from kinetree.compiler import memory
from kinetree.compiler.memory import LARGE, MOST, Memory

DOUBLE = np.dtype(float)


@pytest.fixture(autouse=True)
def nothing_waits():
    memory._waiting.clear()
    yield
    memory._waiting.clear()


def sizes():
    return [block.size for block in memory._waiting]


def made(owner, factor=1):
    return owner.array((factor * LARGE // 8,), DOUBLE)


def test_a_block_that_is_not_much_larger_is_used_again():
    owner, other = Memory(), Memory()
    place = made(owner).ctypes.data
    assert place % memory.ALIGNED == 0
    assert sizes() == [LARGE]
    mine, theirs = made(owner), made(other)
    assert (mine.ctypes.data, sizes()) == (place, [])
    assert theirs.ctypes.data != place
    del mine, theirs
    big = made(owner, 3)
    del big
    assert sizes() == [LARGE, LARGE, 3 * LARGE]
    again = made(owner, 2)  # the smaller one is too small, the larger one not larger than twice
    assert sizes() == [LARGE, LARGE]
    del again
    assert sizes() == [LARGE, LARGE, 3 * LARGE]


def test_small_results_do_not_wait():
    owner = Memory()
    assert owner.large((LARGE // 8 - 1,), DOUBLE) is None
    small = owner.array((2, LARGE // 16 - 1), DOUBLE)
    assert (small.shape, small.dtype, small.ctypes.data % memory.ALIGNED) == ((2, LARGE // 16 - 1), DOUBLE, 0)
    large = owner.large((LARGE // 8,), DOUBLE)
    assert large.shape == (LARGE // 8,)
    del small, large
    assert sizes() == [LARGE]


def test_only_so_many_wait_and_only_so_many_bytes(monkeypatch):
    owners = [Memory(), Memory()]
    results = [[made(owner) for _ in range(MOST + 1)] for owner in owners]
    results.clear()
    assert sizes() == [LARGE] * (2 * MOST)
    monkeypatch.setattr(memory, "BOUND", 3 * LARGE)
    last = made(owners[0], 2)
    del last
    assert sum(sizes()) <= 3 * LARGE
    assert sizes()[-1] == 2 * LARGE
    beyond = made(owners[0], 4)
    del beyond
    assert 4 * LARGE not in sizes()


def test_what_outlives_its_kernel_does_not_wait():
    owner = Memory()
    kept, waits = made(owner), made(owner)
    del waits
    assert sizes() == [LARGE]
    del owner
    assert sizes() == []
    kept[:] = 1.0
    del kept
    assert sizes() == []


def test_a_block_that_another_has_taken_is_not_removed_again():
    owner = Memory()
    result = made(owner)
    del result
    (block,) = memory._waiting
    assert [memory._removed(block), memory._removed(block)] == [True, False]
