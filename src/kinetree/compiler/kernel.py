"""Kernels: compiled functions of arrays.

The first plain call compiles the program (`machine_code.py`) and makes the machine code itself the function that the
kernel calls. It computes single configurations in arrays of NumPy at once, and passes all other calls on to the
function of `_caller`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from inspect import Parameter, Signature
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kinetree.arrays import DOUBLE, SINGLE, as_out, kind_of
from kinetree.compiler import cache as disk, interpret as interpreter
from kinetree.compiler.batch import is_packed, packed, plain_batch, run_in_threads
from kinetree.compiler.machine_code import SCALARS, MachineCode, code_when_needed, object_code
from kinetree.compiler.memory import Memory
from kinetree.compiler.port import Port, cast, checked, checked_out, flat_port, legal_type, split
from kinetree.compiler.program import Program
from kinetree.compiler.ufunc import array_layout, make_door
from kinetree.display import MOST, shortened, visible
from kinetree.errors import fail

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
    # more than an arm's pose. That function does not refer to the kernel, so that a kernel is freed with its last
    # reference.
    __slots__ = (
        *("__call__", "__weakref__", "_call", "_code", "_flat_call", "_key", "_of", "_trace"),
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
        self._code = None  # of a kernel without inputs or results, which NumPy's ufuncs cannot express
        if all(prod(port.shape) for port in (*inputs, self.output)):
            compiled = partial(object_code, name, self._trace, key, fused)
            self._code = code_when_needed(name, inputs, self.output, compiled)
        self._flat_call = _caller(name, inputs, self.output, self._trace, self._code)
        self._call = split(self.outputs, self._flat_call)
        self.__call__ = self._first_call

    def _first_call(self, *inputs: Any, **options: Any) -> Any:
        """Compile; from then on plain calls go straight to the machine code."""
        if options:
            return self._call(*inputs, **options)
        self.compile()
        return self.__call__(*inputs)

    def compile(self, dtype: DTypeLike = float) -> None:
        """Compile, or load from the cache, what the first call would."""
        scalar = SCALARS[legal_type(dtype, SCALARS)]
        code = self._code(scalar) if self._code else None
        if scalar == "double" and code and array_layout():
            self.__call__ = split(self.outputs, make_door(self.name, code.door, code.context, self._flat_call))
        elif scalar == "double":  # an empty kernel, or a Python or NumPy whose arrays the machine code does not know
            self.__call__ = self._call

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


def _caller(
    name: str,
    inputs: tuple[Port, ...],
    output: Port,
    trace: Callable[[], Program],
    code: Callable[[str], MachineCode] | None,
) -> Callable[..., Any]:
    """Return the function of a kernel for any call, as `Kernel` describes it; it returns the flat array of several
    outputs. It keeps the code in memory."""
    memory, shapes, shape = Memory(), [port.shape for port in inputs], output.shape
    cores = [(k, core, len(core)) for k, core in enumerate(shapes)]

    def call(*given: Any, out: Any = None, dtype: DTypeLike | None = None, threads: int = 1, **named: Any) -> Any:
        if code and (dtype is None or dtype is float) and threads == 1 and not named:
            batch = plain_batch(cores, shape, given, out)
            if batch is not None:  # NumPy uses the arrays as they are
                place = memory.large(batch + shape, DOUBLE) if out is None and batch else out
                return code("double").run(given, place)
        number = legal_type(DOUBLE if dtype is None else dtype, SCALARS)
        if not isinstance(threads, (int, np.integer)) or threads < 1:
            raise fail("threads", f"threads is {threads!r}; expected whole numbers from 1")
        kind = kind_of([*given, *named.values()])
        arrays, batch = checked(name, inputs, given, named)
        if out is not None:
            place = as_out(out)
            checked_out(place, batch, output)
            result = computed(arrays, batch, number, place, int(threads))
            if result is not place:
                np.copyto(place, result, casting="same_kind")
            return out
        place = memory.array(batch + shape, number) if kind else memory.large(batch + shape, number)
        result = computed(arrays, batch, number, place, int(threads))
        if kind and kind.single and dtype is None:
            result = _copied(result, memory.array(result.shape, SINGLE))
        return kind.give(result) if kind else result

    def computed(
        arrays: list[NDArray[Any]],
        batch: tuple[int, ...],
        number: np.dtype[Any],
        place: NDArray[Any] | None,
        threads: int,
    ) -> NDArray[Any]:
        """Return the result, in `place` if its entries are contiguous."""
        if code is None:
            return interpreter.interpret(trace(), *(cast(a, float) for a in arrays), dtype=number)
        arrays = [packed(cast(a, number), len(core)) for a, core in zip(arrays, shapes, strict=True)]
        if place is not None:  # results are written before all of the input is read, and some of it is read twice
            arrays = [a.copy() if np.may_share_memory(a, place) else a for a in arrays]
            place = place if is_packed(place, len(shape)) else memory.array(batch + shape, number)
        elif threads > 1:
            place = np.empty(batch + shape, number)
        return run_in_threads(code(SCALARS[number]).run, arrays, shapes, batch, place, threads)

    return call


def _copied(array: NDArray[Any], place: NDArray[Any]) -> NDArray[Any]:
    """Return `place` with the numbers of an array, infinite if they are too large for it."""
    with np.errstate(over="ignore"):
        np.copyto(place, array, casting="same_kind")
    return place


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
