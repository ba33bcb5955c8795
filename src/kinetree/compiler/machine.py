"""Machine code of kernels: compile or load it when it is first needed, and call it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from math import prod
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kinetree.arrays import DOUBLE, SINGLE, as_out, kind_of
from kinetree.compiler import cache as disk
from kinetree.compiler import interpret as interpreter
from kinetree.compiler.memory import LARGE, Memory
from kinetree.compiler.port import Port, cast, checked, checked_out, legal_type
from kinetree.compiler.program import Program
from kinetree.compiler.ufunc import array_layout, let_go, make_door, make_ufunc
from kinetree.display import visible
from kinetree.errors import fail

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

SCALARS: dict[np.dtype[Any], str] = {np.dtype(np.float64): "double", np.dtype(np.float32): "float"}
NUMBERS: dict[str, np.dtype[Any]] = {scalar: number for number, scalar in SCALARS.items()}
WORTH_A_THREAD = 1000
"""Least number of configurations for a thread."""
LONG, PER_OPERATION = 3.0, 1e-4
"""Time of compiling from which on it is announced, and the time for each operation and each result, s."""


class Machine:
    """Calls of a kernel, and its code for this processor in each precision that was used.

    trace: returns the program. compiled: returns its object code for "double" or "float".
    """

    __slots__ = ("_compiled", "_cores", "_inputs", "_is_empty", "_loaded", "_memory", "_name", "_output", "_trace")

    def __init__(
        self,
        name: str,
        inputs: tuple[Port, ...],
        output: Port,
        trace: Callable[[], Program],
        compiled: Callable[[str], bytes],
    ) -> None:
        self._name, self._inputs, self._output, self._trace, self._compiled = name, inputs, output, trace, compiled
        self._cores = [(k, port.shape, len(port.shape)) for k, port in enumerate(inputs)]
        # whether it takes or gives no numbers at all, which NumPy's ufuncs cannot say
        self._is_empty = any(prod(port.shape) == 0 for port in (*inputs, output))
        self._loaded: dict[str, tuple[Any, dict[str, int], object]] = {}
        self._memory = Memory()

    def compile(self, dtype: DTypeLike) -> str:
        """Compile the code in one precision, or load it from the cache, and return the precision."""
        number = legal_type(dtype, SCALARS)
        if not self._is_empty:
            self._code(SCALARS[number])
        return SCALARS[number]

    def loop(self) -> int | None:
        """Return the address of the inner loop in double precision; None for a kernel that takes or gives no numbers.
        The code stays in memory as long as this machine."""
        return None if self._is_empty else self._code("double")[1]["loop"]

    def door(self) -> Callable[..., NDArray[Any]]:
        """Return the function to call: the machine code itself where this Python and NumPy allow it."""
        if self._is_empty or array_layout() is None:
            return self.call
        addresses = self._code("double")[1]
        door: Callable[..., NDArray[Any]] = make_door(self._name, addresses["door"], addresses["context"], self.call)
        return door

    def call(
        self, *inputs: Any, out: Any = None, dtype: DTypeLike | None = None, threads: int = 1, **named: Any
    ) -> Any:
        """Return the result of any call, as `Kernel` describes it."""
        if (dtype is None or dtype is float) and threads == 1 and not named:
            plain = self._plain_batch(inputs, out)
            if plain is not None:
                return self._run("double", inputs, self._place(plain, DOUBLE) if out is None and plain else out)
        scalar = self.compile(DOUBLE if dtype is None else dtype)
        if not isinstance(threads, (int, np.integer)) or threads < 1:
            raise fail("threads", f"threads is {threads!r}; expected whole numbers from 1")
        kind = kind_of([*inputs, *named.values()])
        arrays, batch = checked(self._name, self._inputs, inputs, named)
        place = as_out(out)
        if out is not None:
            checked_out(place, batch, self._output)
        elif kind is not None:
            place = self._memory.array(batch + self._output.shape, NUMBERS[scalar])
        result = self._result(scalar, arrays, batch, place, threads)
        if out is None:
            result = self._single(result) if kind and kind.single and dtype is None else result
            return kind.give(result) if kind else result
        if result is not place:
            np.copyto(place, result, casting="same_kind")
        return out

    def _result(
        self, scalar: str, arrays: list[NDArray[Any]], batch: tuple[int, ...], out: NDArray[Any] | None, threads: int
    ) -> NDArray[Any]:
        if self._is_empty:
            return interpreter.interpret(self._trace(), *(cast(a, float) for a in arrays), dtype=NUMBERS[scalar])
        packed = [
            _packed(cast(a, NUMBERS[scalar]), len(port.shape)) for a, port in zip(arrays, self._inputs, strict=True)
        ]
        return self._computed(scalar, packed, batch, out, threads)

    def _single(self, result: NDArray[Any]) -> NDArray[Any]:
        place = self._memory.array(result.shape, SINGLE)
        with np.errstate(over="ignore"):
            np.copyto(place, result, casting="same_kind")
        return place

    def _plain_batch(self, inputs: Sequence[Any], out: Any) -> tuple[int, ...] | None:
        """Return the shape of the batch if NumPy can use the arrays as they are: doubles whose entries are contiguous,
        of one batch or of none. Otherwise return None."""
        if self._is_empty or len(inputs) != len(self._cores):
            return None
        batch: tuple[int, ...] = ()
        for k, core, axes in self._cores:
            array = inputs[k]
            if type(array) is not np.ndarray or array.dtype is not DOUBLE:
                return None
            shape = array.shape
            if shape != core:
                at = len(shape) - axes
                if at <= 0 or shape[at:] != core or (batch and shape[:at] != batch):
                    return None
                batch = shape[:at]
            if not (array.flags.c_contiguous or _is_packed(array, axes)):
                return None
        if out is None:
            return batch
        is_simple = type(out) is np.ndarray and out.dtype is DOUBLE and out.flags.c_contiguous and out.flags.writeable
        fits = is_simple and out.shape == batch + self._output.shape
        return batch if fits and not any(np.may_share_memory(array, out) for array in inputs) else None

    def _place(self, batch: tuple[int, ...], number: np.dtype[Any]) -> NDArray[Any] | None:
        """Return memory for a large result, None for a small one, which NumPy makes itself."""
        shape = batch + self._output.shape
        return self._memory.array(shape, number) if prod(shape) * number.itemsize >= LARGE else None

    def _computed(
        self, scalar: str, arrays: list[NDArray[Any]], batch: tuple[int, ...], out: NDArray[Any] | None, threads: int
    ) -> NDArray[Any]:
        """Return the result, in `out` if its entries are contiguous."""
        if out is not None:  # results are written before all of the input is read, and some of it is read twice
            arrays = [a.copy() if np.may_share_memory(a, out) else a for a in arrays]
            out = out if _is_packed(out, len(self._output.shape)) else None
        parts = min(int(threads), prod(batch) // WORTH_A_THREAD, max(batch, default=1))
        if out is None:
            out = self._place(batch, arrays[0].dtype)
        if parts < 2:
            return self._run(scalar, arrays, out)
        if out is None:
            out = np.empty(batch + self._output.shape, arrays[0].dtype)
        return self._shared(scalar, arrays, batch, out, parts)

    def _shared(
        self, scalar: str, arrays: list[NDArray[Any]], batch: tuple[int, ...], out: NDArray[Any], parts: int
    ) -> NDArray[Any]:
        """Compute the batch in parts along its longest axis, one thread each."""
        from concurrent.futures import wait  # seldom wanted, and long to import

        longest = max(batch)
        whole = [np.broadcast_to(a, batch + port.shape) for a, port in zip(arrays, self._inputs, strict=True)]
        before = (slice(None),) * batch.index(longest)
        edges = [longest * part // parts for part in range(parts + 1)]
        places = [(*before, slice(first, last)) for first, last in pairwise(edges)]
        # The tasks are methods, so that the code stays in memory until the last of them is done, whatever happens here.
        tasks = [_threads().submit(self._run, scalar, [a[at] for a in whole], out[at]) for at in places[1:]]
        try:
            self._run(scalar, [a[places[0]] for a in whole], out[places[0]])
        finally:
            for task in tasks:
                task.cancel()  # those that nobody has begun are done here
            wait(tasks)
        for task, at in zip(tasks, places[1:], strict=True):
            if task.cancelled():
                self._run(scalar, [a[at] for a in whole], out[at])
            else:
                task.result()
        return out

    def _run(self, scalar: str, arrays: Sequence[NDArray[Any]], out: NDArray[Any] | None) -> NDArray[Any]:
        return np.asarray(self._code(scalar)[0](*arrays, out=out))

    def _code(self, scalar: str) -> tuple[Any, dict[str, int], object]:
        """Return (ufunc, addresses, what keeps the code in memory), compiled or loaded at the first call."""
        if scalar not in self._loaded:
            with _compiling:
                if scalar not in self._loaded:
                    self._loaded[scalar] = self._load(scalar)
        return self._loaded[scalar]

    def _load(self, scalar: str) -> tuple[Any, dict[str, int], object]:
        from kinetree.compiler import llvm  # importing it takes longer than everything else that Kinetree imports

        alive, addresses = llvm.load(self._compiled(scalar))
        if addresses["ring"]:  # what is registered last is called first, while the code is still there
            finalize(alive, let_go, addresses["ring"]).atexit = False
        shapes = [port.shape for port in self._inputs]
        return make_ufunc(self._name, addresses["loop"], scalar, shapes, self._output.shape), addresses, alive


def compiled(name: str, trace: Callable[[], Program], key: str | None, fused: bool, scalar: str) -> bytes:
    """Return the object code of a program, from the cache if it is there."""
    from kinetree.compiler import llvm

    target, layout = llvm.host(), array_layout() if scalar == "double" else None
    origin = key or disk.digest(repr(trace()))
    place = disk.digest(origin, disk.package(), llvm.VERSION, repr(target), repr(layout), scalar, repr(fused))
    code = disk.read(place)
    if code is None:
        from kinetree.compiler.ir_module import assembly

        with _announced(name, trace()):
            text = assembly(trace(), target, scalar, layout, "contract " if fused else "")
            code = llvm.compile_object(text, target)
        disk.write(place, code)
    return code


@contextmanager
def _announced(name: str, program: Program) -> Iterator[None]:
    """Show a line on the terminal while a program is compiled that takes long."""
    seconds = PER_OPERATION * (len(program.steps) + len(program.results))
    if seconds < LONG or not _is_terminal(sys.stderr):
        yield
        return
    line = f"compiling {visible(name)}: {len(program.steps):,} operations, about {seconds:.0f} s"
    print(line, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print(f"\r{' ' * len(line)}\r", end="", file=sys.stderr, flush=True)


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # none, another object, or closed
        return False


def _is_packed(array: NDArray[Any], core: int) -> bool:
    """Return whether the entries of each configuration, the last `core` axes, are contiguous, as vector loads need."""
    expected = array.itemsize
    for axis in range(1, core + 1):
        if array.shape[-axis] > 1 and array.strides[-axis] != expected:
            return False
        expected *= array.shape[-axis]
    return True


def _packed(array: NDArray[Any], core: int) -> NDArray[Any]:
    return array if _is_packed(array, core) else np.ascontiguousarray(array)


@cache
def _threads() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(os.cpu_count(), "kinetree")


_compiling = Lock()
"""Lock for compiling, because LLVM compiles one program at a time."""


def _forget_threads() -> None:
    global _compiling
    _threads.cache_clear()
    _compiling = Lock()


if hasattr(os, "register_at_fork"):  # threads do not survive in the child, nor what they hold
    os.register_at_fork(after_in_child=_forget_threads)
