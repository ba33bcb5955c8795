"""What the bridges share: derivatives of a kernel, and shapes of its arguments."""

from collections.abc import Sequence
from functools import cache
from math import prod

import numpy as np

from kinetree.compiler.gradients import flattened
from kinetree.compiler.kernel import Kernel
from kinetree.errors import fail, wrong_type
from kinetree.queries.gradients import vjp

Shape = tuple[int, ...]


def checked_kernel(kernel: object) -> Kernel:
    """Return a kernel with one output; raise KinetreeError for anything else than a kernel."""
    if not isinstance(kernel, Kernel):
        message = f"{type(kernel).__name__} is not differentiable; legal are kernels, such as kt.fk(robot, frame), and kt.ik"
        raise wrong_type("wrap", message)
    return flattened(kernel)


@cache
def nth_vjp(kernel: Kernel, order: int) -> Kernel:
    """Return the kernel after so many derivatives in reverse mode, each by all inputs, with one flat output.

    Its inputs are those of the kernel, and a cotangent for each derivative.
    """
    return kernel if order == 0 else flattened(vjp(nth_vjp(kernel, order - 1)))


def batch_of(kernel: Kernel, shapes: Sequence[Shape]) -> Shape:
    """Return the batch of arguments of these shapes. Raises KinetreeError if they do not fit."""
    if len(shapes) != len(kernel.inputs):
        names = ", ".join(port.name for port in kernel.inputs)
        raise wrong_type("arguments", f"{kernel.name} takes {names}, not {len(shapes)} arrays")
    batches = []
    for port, shape in zip(kernel.inputs, shapes, strict=True):
        own = len(shape) - len(port.shape)
        if own < 0 or tuple(shape[own:]) != port.shape:
            legal = f"(…{''.join(f', {n}' for n in port.shape)})"
            raise fail(f"{port.name}-shape", f"{port.name} has shape {tuple(shape)}; legal is {legal}")
        batches.append(tuple(shape[:own]))
    try:
        return tuple(np.broadcast_shapes(*batches))
    except ValueError:
        message = f"the axes in front are {', '.join(map(str, batches))}; legal are the same, of length 1 or left out"
        raise fail("batch-shape", message) from None


def size_of(shapes: Sequence[Shape]) -> Shape:
    """Return the shape of the flat output of a derivative by inputs of these shapes."""
    return shapes[0] if len(shapes) == 1 else (sum(map(prod, shapes)),)
