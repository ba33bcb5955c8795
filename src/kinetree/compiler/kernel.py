"""A program that can be called."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

from numpy.typing import DTypeLike, NDArray

from kinetree.compiler import cache as disk
from kinetree.compiler import interpret as interpreter
from kinetree.compiler.machine import SCALARS, Machine, compiled
from kinetree.compiler.port import Port, checked, legal_type
from kinetree.compiler.program import Program

if TYPE_CHECKING:
    from kinetree.compiler.c import CSource


class Kernel:
    """A function of arrays, compiled for one robot when it is first called.

    Call it with one array per input, each (…, *shape); the axes in front are broadcast, as NumPy does. The result is
    (…, *output.shape), computed in double precision, or with `dtype=np.float32` in single. `out=` takes an array for
    it; `threads=` shares a large batch among so many threads. What is not finite in the input makes every number of
    the result that depends on it NaN or infinite.

    Raises KinetreeError if an input has another shape or does not hold real numbers, and for another number of arrays,
    unknown options and other types of `dtype` and `out`; these errors are TypeErrors, too.
    """

    # A slot named __call__ makes each kernel call what it holds, without a method of ours in between, which would cost
    # more than an arm's pose. What it holds then is the machine's, which does not refer to the kernel: both are freed
    # as soon as nobody has them.
    __slots__ = ("__call__", "__weakref__", "_key", "_machine", "_trace", "fused", "inputs", "name", "output")

    def __init__(
        self,
        name: str,
        inputs: tuple[Port, ...],
        output: Port,
        make: Callable[[], Program],
        key: str | None = None,
        *,
        fused: bool = True,
    ) -> None:
        """make: traces the program, when it is needed. key: stands for all that the program depends on, or None.
        fused: whether a product and a sum may be rounded once together, where the processor does; without it C that is
        compiled without that, and the interpreter, give the same bits, but for what their libraries compute."""
        self.name, self.inputs, self.output, self.fused = name, inputs, output, fused
        self._key, self._trace = key, cache(make)
        self._machine = Machine(name, inputs, output, self._trace, partial(compiled, self._trace, key, fused))
        self.__call__ = self._first_call

    def _first_call(self, *inputs: Any, **options: Any) -> NDArray[Any]:
        """Compile; from then on plain calls go straight to the machine code."""
        if options:
            return self._machine.call(*inputs, **options)
        self.__call__ = self._machine.door()
        result: NDArray[Any] = self.__call__(*inputs)
        return result

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def __signature__(self) -> Signature:
        """For those who look: the arrays by name or position, the options by name."""
        options = (("out", None), ("dtype", float), ("threads", 1))
        return Signature(
            [Parameter(port.name, Parameter.POSITIONAL_OR_KEYWORD) for port in self.inputs]
            + [Parameter(name, Parameter.KEYWORD_ONLY, default=default) for name, default in options]
        )

    def __repr__(self) -> str:
        takes = ", ".join(f"{port.name} (…{''.join(f', {n}' for n in port.shape)})" for port in self.inputs)
        return f"Kernel {self.name}: {takes} → (…{''.join(f', {n}' for n in self.output.shape)})"

    def __reduce__(self) -> Any:
        return _kernel, (self.name, self.inputs, self.output, self.program, self._key, disk.package(), self.fused)

    def compile(self, dtype: DTypeLike = float) -> None:
        """Compile, or load from the cache, what the first call would."""
        if self._machine.compile(dtype) == "double":
            self.__call__ = self._machine.door()

    @property
    def program(self) -> Program:
        """The traced function."""
        return self._trace()

    @property
    def operations(self) -> dict[str, int]:
        """How often each operation occurs in the program."""
        return self.program.operations

    def interpret(self, *inputs: Any, dtype: DTypeLike = float, **named: Any) -> NDArray[Any]:
        """The same as calling it, without compiling: NumPy runs the program. For a few calls it is quicker."""
        number = legal_type(dtype, SCALARS)
        arrays, _ = checked(self.name, self.inputs, inputs, named, float)
        return interpreter.interpret(self.program, *arrays, dtype=number)

    def c_source(self, name: str | None = None, dtype: DTypeLike = float, *, about: str = "") -> CSource:
        """The function as self-contained C99: `.source` and `.header`, the texts of `name.c` and `name.h`.

        name: of the function, by default that of the kernel. dtype: float64 for double, float32 for float. about: a
        line for the comments that says where it comes from.

        Raises KinetreeError if the name is not legal in C and in C++, or taken.
        """
        from kinetree.compiler.c import write_c  # seldom wanted

        name = self.name if name is None else name
        return write_c([(name, self)], f"{name}.h", about=about, dtype=dtype)


def _kernel(
    name: str, inputs: tuple[Port, ...], output: Port, program: Program, key: str | None, package: str, fused: bool
) -> Kernel:
    """Of another version of the package the program is its own, and its key would say that it is this one's."""
    return Kernel(name, inputs, output, lambda: program, key if package == disk.package() else None, fused=fused)
