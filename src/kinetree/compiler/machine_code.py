"""Machine code of programs for this processor: compiled or read from the cache, and loaded when it is first needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from kinetree.compiler import cache as disk
from kinetree.compiler.port import Port
from kinetree.compiler.program import Program
from kinetree.compiler.ufunc import array_layout, let_go, make_ufunc
from kinetree.display import visible

SCALARS: dict[np.dtype[Any], str] = {np.dtype(np.float64): "double", np.dtype(np.float32): "float"}
LONG, PER_OPERATION = 3.0, 1e-4
"""Time of compiling from which on it is announced, and the time for each operation and each result, s."""


class MachineCode(NamedTuple):
    """Machine code of a program, which stays in memory as long as this object.

    ufunc: the NumPy function. loop, door, context: addresses, of its inner loop and for `make_door`. alive: what keeps
    the code in memory.
    """

    ufunc: Any
    loop: int
    door: int
    context: int
    alive: object

    def run(self, arrays: Sequence[NDArray[Any]], out: NDArray[Any] | None) -> NDArray[Any]:
        """Return the result for arrays whose entries are contiguous, in `out` if there is one."""
        return np.asarray(self.ufunc(*arrays, out=out))


def code_when_needed(
    name: str, inputs: Sequence[Port], output: Port, compiled: Callable[[str], bytes]
) -> Callable[[str], MachineCode]:
    """Return a function from "double" or "float" to the code in this precision, which it loads at its first call.

    compiled: returns the object code, as `object_code` does.
    """
    loaded: dict[str, MachineCode] = {}
    shapes = [port.shape for port in inputs]

    def code(scalar: str) -> MachineCode:
        if scalar not in loaded:
            with _compiling:
                if scalar not in loaded:
                    loaded[scalar] = _load(name, shapes, output.shape, scalar, compiled(scalar))
        return loaded[scalar]

    return code


def _load(
    name: str, shapes: Sequence[tuple[int, ...]], shape: tuple[int, ...], scalar: str, compiled: bytes
) -> MachineCode:
    from kinetree.compiler import llvm  # importing it takes longer than everything else that Kinetree imports

    alive, addresses = llvm.load(compiled)
    if addresses["ring"]:  # what is registered last is called first, while the code is still there
        finalize(alive, let_go, addresses["ring"]).atexit = False
    ufunc = make_ufunc(name, addresses["loop"], scalar, shapes, shape)
    return MachineCode(ufunc, addresses["loop"], addresses["door"], addresses["context"], alive)


def object_code(name: str, trace: Callable[[], Program], key: str | None, fused: bool, scalar: str) -> bytes:
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


_compiling = Lock()
"""Lock for compiling, because LLVM compiles one program at a time."""


def _forget_lock() -> None:
    global _compiling
    _compiling = Lock()


if hasattr(os, "register_at_fork"):  # no thread survives in the child to release it
    os.register_at_fork(after_in_child=_forget_lock)
