"""Arrays of a call: whether machine code can use them as they are, and their batch in parts, one for each thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinetree.arrays import DOUBLE

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

WORTH_A_THREAD = 1000
"""Least number of configurations for a thread."""


def plain_batch(
    cores: Sequence[tuple[int, tuple[int, ...], int]], shape: tuple[int, ...], arrays: Sequence[Any], out: Any
) -> tuple[int, ...] | None:
    """Return the shape of the batch if NumPy can use the arrays as they are: doubles whose entries are contiguous, of
    one batch or of none. Otherwise return None.

    cores: the number of each array, its shape for a single configuration, and the number of axes of that; they are
    counted before, because this takes a large part of a short call. shape: that of a single result.
    """
    if len(arrays) != len(cores):
        return None
    batch: tuple[int, ...] = ()
    for k, core, axes in cores:
        array = arrays[k]
        if type(array) is not np.ndarray or array.dtype is not DOUBLE:
            return None
        whole = array.shape
        if whole != core:
            at = len(whole) - axes
            if at <= 0 or whole[at:] != core or (batch and whole[:at] != batch):
                return None
            batch = whole[:at]
        if not (array.flags.c_contiguous or is_packed(array, axes)):
            return None
    if out is None:
        return batch
    is_simple = type(out) is np.ndarray and out.dtype is DOUBLE and out.flags.c_contiguous and out.flags.writeable
    fits = is_simple and out.shape == batch + shape
    return batch if fits and not any(np.may_share_memory(array, out) for array in arrays) else None


def is_packed(array: NDArray[Any], core: int) -> bool:
    """Return whether the entries of each configuration, the last `core` axes, are contiguous, as vector loads need."""
    expected = array.itemsize
    for axis in range(1, core + 1):
        if array.shape[-axis] > 1 and array.strides[-axis] != expected:
            return False
        expected *= array.shape[-axis]
    return True


def packed(array: NDArray[Any], core: int) -> NDArray[Any]:
    """Return an array with contiguous entries, the array itself if it has them."""
    return array if is_packed(array, core) else np.ascontiguousarray(array)


def run_in_threads(
    run: Callable[[Sequence[NDArray[Any]], NDArray[Any] | None], NDArray[Any]],
    arrays: Sequence[NDArray[Any]],
    shapes: Sequence[tuple[int, ...]],
    batch: tuple[int, ...],
    out: NDArray[Any] | None,
    threads: int,
) -> NDArray[Any]:
    """Return run(arrays, out); for a large batch, call it for parts along the longest axis, one thread each.

    run: a method of what must stay in memory until the last part is done, whatever happens here. shapes: of a single
    one of each array. out: an array, if there are several threads.
    """
    parts = min(threads, prod(batch) // WORTH_A_THREAD, max(batch, default=1))
    if parts < 2 or out is None:
        return run(arrays, out)
    from concurrent.futures import wait  # seldom wanted, and long to import

    whole = [np.broadcast_to(a, batch + shape) for a, shape in zip(arrays, shapes, strict=True)]
    longest = max(batch)
    before = (slice(None),) * batch.index(longest)
    edges = [longest * part // parts for part in range(parts + 1)]
    places = [(*before, slice(first, last)) for first, last in pairwise(edges)]
    tasks = [_threads().submit(run, [a[at] for a in whole], out[at]) for at in places[1:]]
    try:
        run([a[places[0]] for a in whole], out[places[0]])
    finally:
        for task in tasks:
            task.cancel()  # those that nobody has begun are done here
        wait(tasks)
    for task, at in zip(tasks, places[1:], strict=True):
        if task.cancelled():
            run([a[at] for a in whole], out[at])
        else:
            task.result()
    return out


@cache
def _threads() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(os.cpu_count(), "kinetree")


if hasattr(os, "register_at_fork"):  # threads do not survive in the child
    os.register_at_fork(after_in_child=_threads.cache_clear)
