"""Machine code that XLA calls as a foreign function, for one kernel."""

from collections.abc import Mapping
from functools import cache

from kinetree.compiler import cache as disk
from kinetree.compiler.ir_xla import fits, handler
from kinetree.compiler.kernel import Kernel

_alive: list[object] = []
"""Code that XLA may call until the process ends, and its kernels."""


@cache
def address(kernel: Kernel, scalar: str, layout: tuple[tuple[str, int], ...]) -> int | None:
    """Return the address of the handler of a kernel with one output, for arrays of "double" or "float".

    layout: the numbers that `ir_xla.handler` needs. None for kernels that take or give no numbers, or too many for
    single precision.
    """
    from kinetree.compiler import llvm

    shapes = [*(port.shape for port in kernel.inputs), kernel.output.shape]
    if kernel._code is None or (scalar == "float" and not fits(shapes)):
        return None
    loop = kernel._code("double").loop
    numbers: Mapping[str, int] = dict(layout)
    code = llvm.compile_object(handler(numbers, shapes, loop, scalar, llvm.host()), llvm.host())
    alive, start = llvm.load_function(code, "handler")
    _alive.extend((alive, kernel))
    return start


def name_of(kernel: Kernel, scalar: str) -> str:
    """Return a name that only the handlers of equal kernels have, in any process."""
    origin = kernel._key or repr(kernel.program)
    return f"kinetree_{kernel.name}_{disk.digest(origin, disk.package(), repr(kernel.fused), scalar)}"
