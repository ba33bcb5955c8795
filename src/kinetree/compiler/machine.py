"""The machine code of a kernel: made or found when it is first needed, and called."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from math import prod
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kinetree.compiler import cache as disk
from kinetree.compiler import interpret as interpreter
from kinetree.compiler.port import Port, checked
from kinetree.compiler.program import Program
from kinetree.compiler.ufunc import array_layout, make_door, make_ufunc
from kinetree.errors import fail

SCALARS = {np.dtype(np.float64): "double", np.dtype(np.float32): "float"}
WORTH_A_THREAD = 1000
"""Configurations that each thread gets at least."""


class Machine:
    """A program, and its code for this processor in each precision that has been asked for."""

    __slots__ = ("_loaded", "_lock", "_make", "_program", "inputs", "key", "name", "output")

    def __init__(
        self, name: str, inputs: tuple[Port, ...], output: Port, make: Callable[[], Program], key: str | None
    ) -> None:
        self.name, self.inputs, self.output, self.key = name, inputs, output, key
        self._make, self._lock = make, Lock()
        self._program: Program | None = None
        self._loaded: dict[str, tuple[Any, Any, dict[str, int]]] = {}

    @property
    def program(self) -> Program:
        """The traced function."""
        if self._program is None:
            self._program = self._make()
        return self._program

    def door(self) -> Callable[..., NDArray[Any]]:
        """What to call: for single configurations the machine code itself, where this Python and NumPy allow it."""
        if self._is_empty or array_layout() is None:
            return self.call
        _, addresses = self._code("double")
        door: Callable[..., NDArray[Any]] = make_door(self.name, addresses["door"], addresses["context"], self.call)
        return door

    def call(
        self, *inputs: Any, out: NDArray[Any] | None = None, dtype: DTypeLike = float, threads: int = 1
    ) -> NDArray[Any]:
        """Any call, as `Kernel` describes it."""
        number = np.dtype(dtype)
        if number not in SCALARS:
            raise fail("dtype", f"dtype is {number}; legal are {', '.join(str(d) for d in SCALARS)}")
        if not isinstance(threads, (int, np.integer)) or threads < 1:
            raise fail("threads", f"threads is {threads!r}; legal are whole numbers from 1")
        if not (out is None or isinstance(out, np.ndarray)):
            raise TypeError(f"out is a {type(out).__name__}, not an array")
        arrays = checked(self.name, self.inputs, inputs, number)
        if self._is_empty:
            return self._interpreted(arrays, out, number)
        ufunc, _ = self._code(SCALARS[number])
        arrays = [_side_by_side(a, len(port.shape)) for a, port in zip(arrays, self.inputs, strict=True)]
        if out is not None:  # results are written before all of the input is read, and some of it is read twice
            arrays = [a.copy() if np.may_share_memory(a, out) else a for a in arrays]
        aside = out if out is None or out.ndim < len(self.output.shape) else _side_by_side(out, len(self.output.shape))
        result = self._shared(ufunc, arrays, aside, number, threads) if threads > 1 else _run(ufunc, arrays, aside)
        if out is None or aside is out:
            return result
        out[...] = aside
        return out

    @property
    def _is_empty(self) -> bool:
        """Whether it takes or gives no numbers at all, which NumPy's ufuncs cannot say."""
        return any(prod(port.shape) == 0 for port in (*self.inputs, self.output))

    def _interpreted(self, arrays: list[NDArray[Any]], out: NDArray[Any] | None, number: Any) -> NDArray[Any]:
        result = interpreter.interpret(self.program, *arrays, dtype=number)
        if out is None:
            return result
        if out.shape != result.shape:
            raise fail("out-shape", f"out has shape {out.shape}, the result {result.shape}")
        np.copyto(out, result)  # casts as ufuncs do
        return out

    def _shared(
        self, ufunc: Any, arrays: list[NDArray[Any]], out: NDArray[Any] | None, number: Any, threads: int
    ) -> NDArray[Any]:
        """The batch in parts along its first axis, one thread each."""
        cores = [len(port.shape) for port in self.inputs]
        batch = np.broadcast_shapes(*(a.shape[: a.ndim - core] for a, core in zip(arrays, cores, strict=True)))
        if out is None:
            out = np.empty(batch + self.output.shape, number)
        parts = min(threads, prod(batch) // WORTH_A_THREAD, *batch[:1])
        if parts < 2 or out.shape != batch + self.output.shape:
            return _run(ufunc, arrays, out)
        whole = [np.broadcast_to(a, batch + a.shape[a.ndim - core :]) for a, core in zip(arrays, cores, strict=True)]
        edges = [batch[0] * part // parts for part in range(parts + 1)]
        slices = [slice(a, b) for a, b in pairwise(edges)]
        others = [_pool().submit(_run, ufunc, [a[part] for a in whole], out[part]) for part in slices[1:]]
        try:
            _run(ufunc, [a[slices[0]] for a in whole], out[slices[0]])
        finally:
            for other in others:
                other.result()
        return out

    def _code(self, scalar: str) -> tuple[Any, dict[str, int]]:
        """(ufunc, addresses), compiled or loaded when first asked for."""
        from kinetree.compiler import llvm  # importing it takes longer than everything else that Kinetree imports

        with self._lock:
            if scalar not in self._loaded:
                alive, addresses = llvm.load(self._object(scalar))
                shapes = [port.shape for port in self.inputs]
                ufunc = make_ufunc(self.name, addresses["loop"], scalar, shapes, self.output.shape)
                self._loaded[scalar] = alive, ufunc, addresses
            return self._loaded[scalar][1:]

    def _object(self, scalar: str) -> bytes:
        """The object code, from the cache if it is there."""
        from kinetree.compiler import llvm

        target, layout = llvm.host(), array_layout() if scalar == "double" else None
        origin = self.key or disk.digest(repr(self.program))
        key = disk.digest(origin, disk.package(), llvm.VERSION, repr(target), repr(layout), scalar)
        code = disk.read(key)
        if code is None:
            from kinetree.compiler.ir_module import assembly

            code = llvm.compile_object(assembly(self.program, target, scalar, layout), target)
            disk.write(key, code)
        return code


def _run(ufunc: Any, arrays: list[NDArray[Any]], out: NDArray[Any] | None) -> NDArray[Any]:
    """The results, without warnings: single calls give none either, and lanes may divide what `where` discards."""
    with np.errstate(all="ignore"):
        result: NDArray[Any] = ufunc(*arrays, out=out)
    return result


def _side_by_side(array: NDArray[Any], core: int) -> NDArray[Any]:
    """The array with the entries of each configuration next to each other, for that is what vectors load."""
    expected = array.itemsize
    for axis in range(1, core + 1):
        if array.shape[-axis] > 1 and array.strides[-axis] != expected:
            return np.ascontiguousarray(array)
        expected *= array.shape[-axis]
    return array


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count(), "kinetree")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive in the child
