"""Kernels as functions of PyTorch: `wrap`.

A kernel becomes an operator of PyTorch on tensors of the CPU, with its derivatives in reverse mode of every order:
`backward`, `torch.func.grad`, `vjp`, `vmap`, `jacrev` and `torch.compile(fullgraph=True)` take it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import torch

from kinetree.bridges.kernels import Shape, batch_of, checked_kernel, nth_vjp, size_of
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import split
from kinetree.errors import wrong_type

_kernels: list[Kernel] = []
"""Wrapped kernels, by number; kept, because compiled graphs refer to the numbers."""


def wrap(kernel: Any) -> Callable[..., Any]:
    """Return a kernel as a differentiable function of tensors on the CPU.

    Its arguments and results are those of the kernel, (…, *shape); a result has the largest floating type of its
    arguments. All is computed in double precision. It can be differentiated any number of times in reverse mode, inside
    `torch.func.vmap` and `torch.compile` too; forward mode (`jvp`, `jacfwd`) is refused by PyTorch. Gradients are in
    the coordinates of q, where a quaternion has four.

    Raises KinetreeError for another object than a kernel, and when called, for tensors of other devices, shapes and
    types.
    """
    flat = checked_kernel(kernel)
    if flat not in _kernels:
        _kernels.append(flat)
    number = _kernels.index(flat)
    shapes = (*(port.shape for port in flat.inputs), flat.output.shape)

    def function(*tensors: Any) -> Any:
        return _applied(number, 0, shapes, *_checked(flat, tensors))

    return split(kernel.outputs, function)


def _checked(kernel: Kernel, tensors: Sequence[Any]) -> list[torch.Tensor]:
    """Return tensors of one floating type on the CPU."""
    given = [x if isinstance(x, torch.Tensor) else torch.as_tensor(x) for x in tensors]
    for x in given:
        if x.device.type != "cpu":
            raise wrong_type("device", f"{kernel.name} computes on the CPU, and a tensor is on {x.device}; use .cpu()")
        if not x.dtype.is_floating_point:
            raise wrong_type("dtype", f"{kernel.name} has an argument of {x.dtype}; legal are floating types")
    kind = given[0].dtype if given else torch.float64
    for x in given[1:]:
        kind = torch.promote_types(kind, x.dtype)
    return [x.to(kind) for x in given]


torch.library.define("kinetree::call", "(Tensor[] inputs, int kernel, int order) -> Tensor")


@torch.library.impl("kinetree::call", "CPU")
def _call(inputs: list[torch.Tensor], number: int, order: int) -> torch.Tensor:
    kernel = nth_vjp(_kernels[number], order)
    result = kernel(*[x.detach().double().numpy() for x in inputs])
    return torch.from_numpy(result).to(inputs[0].dtype if inputs else torch.float64)


@torch.library.register_fake("kinetree::call")
def _shape_of_call(inputs: list[torch.Tensor], number: int, order: int) -> torch.Tensor:
    kernel = nth_vjp(_kernels[number], order)
    batch = batch_of(kernel, [tuple(x.shape) for x in inputs])
    return inputs[0].new_empty(batch + kernel.output.shape)


class _Call(torch.autograd.Function):
    """Call of a derivative of a kernel. shapes: those of its inputs and of its output, without a batch."""

    @staticmethod
    def forward(number: int, order: int, shapes: tuple[Shape, ...], *inputs: Any) -> Any:
        return torch.ops.kinetree.call(list(inputs), number, order)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.number, ctx.order, ctx.shapes, *tensors = inputs
        ctx.save_for_backward(*tensors)

    @staticmethod
    def backward(ctx: Any, *bars: Any) -> Any:
        tensors, shapes = ctx.saved_tensors, ctx.shapes
        *cores, _ = shapes
        after = size_of(cores)
        flat = _applied(ctx.number, ctx.order + 1, (*shapes, after), *tensors, *bars)
        batch, edges = flat.shape[: flat.ndim - len(after)], accumulate(map(prod, cores), initial=0)
        parts = [flat] if len(cores) == 1 else [flat[..., first:last] for first, last in pairwise(edges)]
        grads = [
            part.reshape(*batch, *core).sum_to_size(x.shape)
            for part, core, x in zip(parts, cores, tensors, strict=True)
        ]
        return None, None, None, *grads

    @staticmethod
    def vmap(info: Any, in_dims: Any, number: int, order: int, shapes: tuple[Shape, ...], *inputs: Any) -> Any:
        return _applied(number, order, shapes, *_in_front(inputs, in_dims[3:], shapes)), 0


def _applied(number: int, order: int, shapes: tuple[Shape, ...], *inputs: torch.Tensor) -> Any:
    """Call a kernel, for derivatives if PyTorch may want them. (While it compiles, PyTorch refuses functions with any
    number of arguments that nothing differentiates.)"""
    wanted = torch.is_grad_enabled() and any([x.requires_grad for x in inputs])
    if torch.compiler.is_compiling() and not wanted:
        return torch.ops.kinetree.call(list(inputs), number, order)
    return _Call.apply(number, order, shapes, *inputs)


def _in_front(inputs: Sequence[Any], dims: Sequence[int | None], cores: Sequence[Shape]) -> list[Any]:
    """Return the inputs with the mapped axis in front, and axes of length 1 between it and shorter batches."""
    given = list(zip(inputs, dims, cores, strict=False))
    own = [x.ndim - len(core) - (at is not None) for x, at, core in given]
    moved = []
    for (x, at, _), axes in zip(given, own, strict=True):
        if at is not None:
            first = x.movedim(at, 0)
            x = first.reshape(first.shape[0], *[1] * (max(own) - axes), *first.shape[1:])
        moved.append(x)
    return moved


@torch.library.register_vmap("kinetree::call")
def _mapped_call(info: Any, in_dims: Any, inputs: list[torch.Tensor], number: int, order: int) -> Any:
    cores = [port.shape for port in nth_vjp(_kernels[number], order).inputs]
    return torch.ops.kinetree.call(_in_front(inputs, in_dims[0], cores), number, order), 0
