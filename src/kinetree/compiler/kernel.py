"""Kernels: compiled functions of arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

from numpy.typing import DTypeLike

from kinetree.arrays import SINGLE, kind_of
from kinetree.compiler import cache as disk
from kinetree.compiler import interpret as interpreter
from kinetree.compiler.machine import SCALARS, Machine, compiled
from kinetree.compiler.port import Port, cast, checked, flat_port, legal_type, split
from kinetree.compiler.program import Program
from kinetree.display import MOST, shortened, visible

if TYPE_CHECKING:
    from kinetree.compiler.c import CSource


class Kernel:
    """Function of arrays for one robot, compiled at its first call.

    Call it with one array per input, each (…, *shape); the axes in front are broadcast, as NumPy does. The result is
    (…, *output.shape), an array of the same library (`kinetree.arrays`). It is computed in double precision, or in
    single with `dtype=np.float32`, and returned in single if all inputs are. `out=` is an array for the result;
    `threads=` shares a large batch among that many threads. Input that is not finite makes all results that depend on
    it NaN or infinite.

    A kernel with several outputs returns a named tuple, whose fields are views of one array (…, total) with the entries
    of the first, then of the second, and so on; that flat array is its `output`, and the shape of `out=`.

    name: what it computes. inputs, output, outputs: shapes, names and units of its arrays. fused: whether a product and
    a sum may be rounded once together. Raises KinetreeError for input of another shape or without real numbers; and, as
    a TypeError too, for another number of arrays, unknown options and other types of `dtype` and `out`.

    Examples:
        >>> import kinetree as kt
        >>> fk = kt.fk(kt.load("icub"), "l_hand")
        >>> fk
        Kernel fk of robot 'icub': q (…, 35) [m, rad] → T (…, 4, 4) [poses of l_hand in root_link; m]
        >>> fk.inputs[0].labels[:3]
        ('torso_pitch', 'torso_roll', 'torso_yaw')
        >>> fk([[0.0] * 35] * 1000).shape  # a batch of configurations
        (1000, 4, 4)
    """

    # A slot named __call__ makes each kernel call what the slot contains, without a method in between, which would cost
    # more than an arm's pose. That is a function of the machine, which does not refer to the kernel, so that a kernel
    # is freed with its last reference.
    __slots__ = (
        *("__call__", "__weakref__", "_call", "_key", "_machine", "_of", "_trace"),
        *("fused", "inputs", "name", "outputs"),
    )

    def __init__(
        self,
        name: str,
        inputs: tuple[Port, ...],
        output: Port | tuple[Port, ...],
        make: Callable[[], Program],
        key: str | None = None,
        *,
        fused: bool = True,
        of: str = "",
    ) -> None:
        """Make a kernel from a function that traces its program, which is called when the program is needed.

        output: the result, or several, whose entries the program returns one after the other (`flat_results`). key: a
        digest of all that the program depends on, or None. of: what it is for, in its repr. fused: whether a product
        and a sum may be rounded once together, where the processor does so; if not, the interpreter and C compiled
        alike give the same bits, except for functions of their libraries.
        """
        self.outputs = (output,) if isinstance(output, Port) else output
        self.name, self.inputs, self.fused = name, inputs, fused
        self._key, self._trace, self._of = key, cache(make), of
        self._machine = Machine(
            name, inputs, self.output, self._trace, partial(compiled, name, self._trace, key, fused)
        )
        self._call = split(self.outputs, self._machine.call)
        self.__call__ = self._first_call

    def _first_call(self, *inputs: Any, **options: Any) -> Any:
        """Compile; from then on plain calls go straight to the machine code."""
        if options:
            return self._call(*inputs, **options)
        self.__call__ = split(self.outputs, self._machine.door())
        return self.__call__(*inputs)

    @property
    def output(self) -> Port:
        """The port of the result, or of the flat array of several."""
        return flat_port(self.outputs)

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def __signature__(self) -> Signature:
        """Arrays by name or position, options by name."""
        options = (("out", None), ("dtype", None), ("threads", 1))
        return Signature(
            [Parameter(port.name, Parameter.POSITIONAL_OR_KEYWORD) for port in self.inputs]
            + [Parameter(name, Parameter.KEYWORD_ONLY, default=default) for name, default in options]
        )

    def __repr__(self) -> str:
        of = f" of {shortened(self._of, 80)}" if self._of else ""
        return visible(shortened(f"Kernel {self.name}{of}: {_listed(self.inputs)} → {_listed(self.outputs)}", MOST))

    def __reduce__(self) -> Any:
        ports, origin = (self.inputs, self.outputs), (self._key, disk.package())
        return _kernel, (self.name, *ports, self.program, *origin, self.fused, self._of)

    def compile(self, dtype: DTypeLike = float) -> None:
        """Compile, or load from the cache, what the first call would."""
        if self._machine.compile(dtype) == "double":
            self.__call__ = split(self.outputs, self._machine.door())

    @property
    def program(self) -> Program:
        """The traced function."""
        return self._trace()

    @property
    def operations(self) -> dict[str, int]:
        """Number of each operation in the program."""
        return self.program.operations

    def interpret(self, *inputs: Any, dtype: DTypeLike | None = None, **named: Any) -> Any:
        """Return what a call returns, with NumPy and without compiling, which is quicker for a few calls."""
        number = legal_type(float if dtype is None else dtype, SCALARS)
        kind = kind_of([*inputs, *named.values()])
        arrays, _ = checked(self.name, self.inputs, inputs, named, float)

        def interpret() -> Any:
            result = interpreter.interpret(self.program, *arrays, dtype=number)
            return (
                result if kind is None else kind.give(cast(result, SINGLE) if kind.single and dtype is None else result)
            )

        return split(self.outputs, interpret)()

    def c_source(self, name: str | None = None, dtype: DTypeLike = float, *, about: str = "") -> CSource:
        """Return the function as self-contained C99: `.source` and `.header`, the texts of `name.c` and `name.h`.

        name: of the function, by default that of the kernel. dtype: float64 for double, float32 for float. about: a
        line on its origin for the comments. Raises KinetreeError if the name is not legal in C and C++, or taken.
        """
        from kinetree.compiler.c import write_c  # seldom wanted

        name = self.name if name is None else name
        return write_c([(name, self)], f"{name}.h", about=about, dtype=dtype)


def _listed(ports: tuple[Port, ...]) -> str:
    return ", ".join(map(str, ports))


def _kernel(
    name: str,
    inputs: tuple[Port, ...],
    outputs: tuple[Port, ...],
    program: Program,
    key: str | None,
    package: str,
    fused: bool,
    of: str,
) -> Kernel:
    """Return a pickled kernel, without its key if another version of the package has traced its program."""
    known = key if package == disk.package() else None
    return Kernel(name, inputs, outputs, lambda: program, known, fused=fused, of=of)
