"""Memory of large results, kept for the next ones.

The system clears every page of new memory, which takes as long as computing poses into it. So the memory of a large
result goes back to its kernel when nothing refers to the result any more, and the kernel's next large results use it.
Every view of a result refers to its `_Lease`; the end of the lease is the end of the last view.

Finalizers and other threads may change the list of blocks between any two steps here, but not within one call of the
deque, also in a Python without a global lock. Locks would not help: a finalizer that runs while its own thread has the
lock would wait for itself.
"""

from __future__ import annotations

from collections import deque
from math import prod
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

LARGE = 2**20
"""Least size of a result whose memory is kept, bytes; the C library keeps smaller ones."""
MOST = 2
"""Most blocks that wait for one kernel."""
BOUND = 2**28
"""Most bytes that wait for all kernels of a process together."""
ALIGNED = 64
"""Bytes of a line of the cache, at which results begin."""


class Memory:
    """Memory of one kernel, freed with it."""

    __slots__ = ("__weakref__", "_own")

    def __init__(self) -> None:
        self._own = ref(self, _forget)

    def array(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return an array of this shape, in C order, that begins at a line of the cache, with any numbers in it."""
        size = prod(shape) * dtype.itemsize
        if not LARGE <= size <= BOUND:
            memory = np.empty(size + ALIGNED, np.uint8)
            start = -memory.ctypes.data % ALIGNED
            return memory[start : start + size].view(dtype).reshape(shape)
        return np.asarray(_Lease(_taken(self._own, size) or _Block(self._own, size), shape, dtype))

    def large(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any] | None:
        """Return an array for a large result, None for a small one, which NumPy makes itself."""
        return self.array(shape, dtype) if prod(shape) * dtype.itemsize >= LARGE else None


class _Block:
    """A piece of memory that may be used by one kernel."""

    __slots__ = ("memory", "owner", "size")

    def __init__(self, owner: ref[Memory], size: int) -> None:
        self.owner, self.size, self.memory = owner, size, np.empty(size + ALIGNED, np.uint8)


class _Lease:
    """What NumPy sees as the owner of a result's memory; it gives the memory back at its end."""

    __slots__ = ("__array_interface__", "_block")

    def __init__(self, block: _Block, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._block = block
        place = -(-block.memory.ctypes.data // ALIGNED) * ALIGNED
        self.__array_interface__ = {"data": (place, False), "shape": shape, "typestr": dtype.str, "version": 3}

    def __del__(self) -> None:
        _give_back(self._block)


_waiting: deque[_Block] = deque()
"""Blocks that no result uses, the one that has waited longest first."""


def _taken(owner: ref[Memory], size: int) -> _Block | None:
    """Return a block of this kernel that is large enough, and not much larger; None if none waits."""
    for block in _waiting.copy():
        if block.owner is owner and size <= block.size <= 2 * size and _removed(block):
            return block
    return None


def _give_back(block: _Block) -> None:
    """Let a block wait for the next result of its kernel, and free the oldest ones beyond the bounds."""
    if block.owner() is None:
        return
    _waiting.append(block)
    for old in [one for one in _waiting.copy() if one.owner is block.owner][:-MOST]:
        _removed(old)
    while (waiting := _waiting.copy()) and sum(one.size for one in waiting) > BOUND:
        _removed(waiting[0])


def _forget(owner: ref[Memory]) -> None:
    """Free the blocks of a kernel that has ended."""
    for block in _waiting.copy() if _waiting else ():  # None while the interpreter ends
        if block.owner is owner:
            _removed(block)


def _removed(block: _Block) -> bool:
    """Remove a block from those that wait; return False if another has done so."""
    try:
        _waiting.remove(block)
    except (ValueError, IndexError):
        return False
    return True
