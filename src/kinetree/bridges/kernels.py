"""What the bridges share: derivatives of a kernel, shapes of its arguments, and solutions of inverse kinematics."""

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from kinetree.compiler import gradients
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port, result_type
from kinetree.errors import fail, wrong_type
from kinetree.model.limits import in_single
from kinetree.queries.gradients import vjp
from kinetree.solvers.ik.solver import IK
from kinetree.spatial.se3 import Array

Shape = tuple[int, ...]


class Solution(NamedTuple):
    """Result of wrapped inverse kinematics: q (…, nq), and success (…), whether the targets are reached."""

    q: Any
    success: Any


def kernel_of(kernel: object, more: str = ", and kt.ik") -> Kernel:
    """Return a kernel; raise KinetreeError for anything else. more: what else is legal."""
    if not isinstance(kernel, Kernel):
        message = f"a {type(kernel).__name__} cannot be wrapped; expected kernels, such as kt.fk(robot, frame){more}"
        raise wrong_type("wrap", message)
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
    if len(shapes) != len(kernel.inputs):
        names = ", ".join(port.name for port in kernel.inputs)
        raise wrong_type("arguments", f"{kernel.name} takes {names}, not {len(shapes)} arrays")
    batches = []
    for port, shape in zip(kernel.inputs, shapes, strict=True):
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


def target_shapes(ik: IK) -> tuple[Shape, ...]:
    """Return the shapes of the targets of a solver, without a batch."""
    ik._refuse_soft("differentiation")
    return tuple(port.shape for port in ik._slopes.inputs[1:])


def batch_of_targets(ik: IK, shapes: Sequence[Shape], start: Shape | None) -> Shape:
    """Return the batch of targets and perhaps a start of these shapes. Raises KinetreeError if they do not fit."""
    nq = ik._slopes.inputs[0].shape
    return batch_of(ik._slopes, [nq if start is None else start, *shapes])


def solve(ik: IK, targets: Sequence[Any], q0: Any, single: bool) -> tuple[Array, Array]:
    """Return q (…, nq) and success (…); a bad target, even a single one, is not reached. single: whether q is in
    single precision; it is computed in double."""
    arrays = [np.asarray(x, dtype=float)[None] for x in targets]
    count, start = len(ik.goals), None if q0 is None else np.asarray(q0, dtype=float)[None]
    found = ik(*arrays[:count], q0=start, at=next(iter(arrays[count:]), None))
    return in_single(ik.limits, found.q[0]) if single else found.q[0], np.asarray(found.success)[0]
