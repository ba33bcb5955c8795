"""What the bridges share: derivatives of a kernel, and shapes of its arguments."""

import operator
from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from kinetree.compiler import gradients
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port, result_type
from kinetree.errors import fail, wrong_type
from kinetree.queries.gradients import vjp

Shape = tuple[int, ...]
ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "fma": lambda a, b, c: a * b + c,
    "negative": operator.neg,
    "less": operator.lt,
    "less_equal": operator.le,
}
"""Operations of programs, by the names of `compiler/ops.py`, that Python's operators are on scalars of a library."""


def kernel_of(kernel: object, more: str = ", and kt.ik") -> Kernel:
    """Return a kernel; raise KinetreeError for anything else. more: what else is legal."""
    if not isinstance(kernel, Kernel):
        message = f"a {type(kernel).__name__} cannot be wrapped; expected kernels, such as kt.fk(robot, frame){more}"
        raise wrong_type("wrap", message)
    return kernel


def steps_of(kernel: object, library: str) -> Kernel:
    """Return a kernel whose program is a list of operations on scalars; raise KinetreeError for any other, whose
    operations a library lacks."""
    kernel = kernel_of(kernel, more="")
    if kernel.program.repeated:
        raise fail("wrap", f"{kernel.name} repeats its steps until it is done; expected kernels that do not")
    if not all(isinstance(op, str) for op, _ in kernel.program.steps):
        raise fail("wrap", f"{kernel.name} searches a table, which {library} cannot; expected kernels that do not")
    return kernel


@cache
def flattened(kernel: Kernel) -> Kernel:
    """Return the kernel with its outputs in one flat array, always the same for one kernel."""
    return gradients.flattened(kernel)


@cache
def nth_vjp(kernel: Kernel, order: int) -> Kernel:
    """Return the kernel after so many derivatives in reverse mode, each by all inputs, with one flat output.

    Its inputs are those of the kernel, and a cotangent for each derivative.
    """
    return kernel if order == 0 else flattened(vjp(nth_vjp(kernel, order - 1)))


def batch_of(kernel: Kernel, shapes: Sequence[Shape]) -> Shape:
    """Return the batch of arguments of these shapes. Raises KinetreeError if they do not fit."""
    return batch_of_ports(kernel.name, kernel.inputs, shapes)


def batch_of_ports(name: str, ports: Sequence[Port], shapes: Sequence[Shape]) -> Shape:
    """Return the batch of arguments of these shapes for a function with this name and these inputs."""
    if len(shapes) != len(ports):
        names = ", ".join(port.name for port in ports)
        raise wrong_type("arguments", f"{name} takes {names}, not {len(shapes)} arrays")
    batches = []
    for port, shape in zip(ports, shapes, strict=True):
        own = len(shape) - len(port.shape)
        if own < 0 or tuple(shape[own:]) != port.shape:
            legal = f"(…{''.join(f', {n}' for n in port.shape)})"
            raise fail(f"{port.name}-shape", f"{port.name} has shape {tuple(shape)}; expected {legal}")
        batches.append(tuple(shape[:own]))
    try:
        return tuple(np.broadcast_shapes(*batches))
    except ValueError:
        message = f"the axes in front are {', '.join(map(str, batches))}; expected the same, of length 1 or left out"
        raise fail("batch-shape", message) from None


def size_of(shapes: Sequence[Shape]) -> Shape:
    """Return the shape of the flat output of a derivative by inputs of these shapes."""
    return shapes[0] if len(shapes) == 1 else (sum(map(prod, shapes)),)


def parts_of(flat: Any, shapes: Sequence[Shape]) -> list[Any]:
    """Return the arrays (…, *shape) whose entries an array has side by side; it is the array itself if it is one."""
    if len(shapes) == 1:
        return [flat]
    edges, batch = [0], flat.shape[:-1]
    for shape in shapes:
        edges.append(edges[-1] + prod(shape))
    return [flat[..., edges[i] : edges[i + 1]].reshape((*batch, *shape)) for i, shape in enumerate(shapes)]


def result_of(ports: Sequence[Port]) -> Callable[[Any], Any]:
    """Return a function from a flat result to what a kernel with these outputs returns: an array or a named tuple."""
    shapes = [port.shape for port in ports]
    if len(shapes) == 1:
        return lambda flat: flat
    kind = result_type(tuple(port.name for port in ports))
    return lambda flat: kind(*parts_of(flat, shapes))
