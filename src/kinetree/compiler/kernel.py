"""A program that can be called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kinetree.compiler import interpret as interpreter
from kinetree.compiler.program import Program
from kinetree.errors import KinetreeError, fail

if TYPE_CHECKING:
    from kinetree.compiler.c import CSource


@dataclass(frozen=True, slots=True)
class Port:
    """One argument of a kernel, or its result.

    shape: of a single one; a batch has axes in front of it. labels: what the entries along the last axis are, in
    order, where they have names. about: units and frames, for people.
    """

    name: str
    shape: tuple[int, ...]
    labels: tuple[str, ...] = ()
    about: str = ""


class Kernel:
    """A function of arrays, compiled for one robot.

    Call it with one array per input, each (…, *shape); the axes in front are broadcast, as NumPy does. The result is
    (…, *output.shape), in double precision unless `dtype=np.float32` asks for single; `out=` takes an array for it.
    Whatever is not finite in the input makes every number that depends on it NaN.

    Raises KinetreeError if an input has another shape or holds no real numbers.
    """

    __slots__ = ("_make", "_program", "inputs", "key", "name", "output")

    def __init__(
        self, name: str, inputs: tuple[Port, ...], output: Port, make: Callable[[], Program], key: str | None = None
    ) -> None:
        """make: traces the program, when it is first needed. key: says all that it depends on, or None."""
        self.name, self.inputs, self.output, self.key = name, inputs, output, key
        self._make = make
        self._program: Program | None = None

    def __repr__(self) -> str:
        takes = ", ".join(f"{port.name} (…{''.join(f', {n}' for n in port.shape)})" for port in self.inputs)
        return f"Kernel {self.name}: {takes} → (…{''.join(f', {n}' for n in self.output.shape)})"

    def __call__(self, *inputs: Any, dtype: DTypeLike = float) -> NDArray[Any]:
        """For now by the interpreter."""
        return self.interpret(*inputs, dtype=dtype)

    @property
    def program(self) -> Program:
        """The traced function."""
        if self._program is None:
            self._program = self._make()
        return self._program

    @property
    def operations(self) -> dict[str, int]:
        """How often each operation occurs in the program."""
        return self.program.operations

    def interpret(self, *inputs: Any, dtype: DTypeLike = float) -> NDArray[Any]:
        """The same as calling it, without compiling: NumPy runs the program. For a few calls it is quicker."""
        if len(inputs) != len(self.inputs):
            names = ", ".join(port.name for port in self.inputs)
            raise TypeError(f"{len(inputs)} arguments; {self.name} takes {len(self.inputs)}: {names}")
        arrays = [check(port, x) for port, x in zip(self.inputs, inputs, strict=True)]
        return interpreter.interpret(self.program, *arrays, dtype=dtype)

    def c_source(self, name: str | None = None, dtype: DTypeLike = float, *, about: str = "") -> CSource:
        """The function as self-contained C99: `.source` and `.header`, the texts of `name.c` and `name.h`.

        name: of the function, by default that of the kernel. dtype: float64 for double, float32 for float. about: a
        line for the comments that says where it comes from.

        Raises KinetreeError if the name is not legal in C and in C++, or taken.
        """
        from kinetree.compiler.c import write_c  # seldom wanted

        name = self.name if name is None else name
        return write_c([(name, self)], f"{name}.h", about=about, dtype=dtype)


def check(port: Port, value: Any) -> NDArray[Any]:
    """An argument as an array of real numbers of the right shape."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise fail(f"{port.name}-shape", f"{port.name} is not an array of numbers; {legal(port)}") from None
    if array.dtype.kind not in "fiu":
        raise fail(f"{port.name}-number", f"{port.name} has entries of type {array.dtype}; {legal(port)}")
    if array.shape[max(array.ndim - len(port.shape), 0) :] != port.shape:
        raise _wrong_shape(port, array)
    return array


def _wrong_shape(port: Port, array: NDArray[Any]) -> KinetreeError:
    return fail(f"{port.name}-shape", f"{port.name} has shape {array.shape}; {legal(port)}")


def legal(port: Port) -> str:
    """What an argument has to be."""
    text = f"legal are real numbers of shape (…, {', '.join(map(str, port.shape))})"
    return text + (f", in this order: {', '.join(port.labels)}" if port.labels else "")
