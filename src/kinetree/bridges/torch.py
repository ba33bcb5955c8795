"""Kernels as functions of PyTorch: `wrap`.

A kernel becomes an operator of PyTorch on tensors of the CPU, with its derivatives in reverse mode of every order:
`backward`, `torch.func.grad`, `vjp`, `vmap`, `jacrev` and `torch.compile(fullgraph=True)` take it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
import torch

from kinetree.bridges.kernels import Shape, batch_of, flattened, kernel_of, nth_vjp, parts_of, result_of, size_of
from kinetree.bridges.solvers import (
    Solution,
    batch_of_targets,
    is_soft,
    refuse_second,
    soft_derivatives,
    solve,
    target_shapes,
)
from kinetree.errors import wrong_type
from kinetree.solvers.ik.implicit import free_motions, implied, quaternions, replaced, turning
from kinetree.solvers.ik.solver import IK

_wrapped: list[Any] = []
"""Wrapped kernels and solvers, by number; kept, because compiled graphs refer to the numbers."""
_slopes: dict[int, Callable[..., Any]] = {}
"""By the number of a solver, the slopes of its errors."""


def wrap(kernel: Any) -> Callable[..., Any]:
    """Return a kernel, or a solver of inverse kinematics, as a differentiable function of tensors on the CPU.

    Its arguments and results are those of the kernel, (…, *shape); a result has the largest floating type of its
    arguments. All is computed in double precision. It can be differentiated any number of times in reverse mode, also
    in `torch.func.vmap` and `torch.compile`; PyTorch refuses forward mode (`jvp`, `jacfwd`) of it. Gradients are in the
    coordinates of q, where a quaternion has four.

    The function of a solver takes targets and perhaps `q0`, a start without gradient, and returns q (…, nq) and success
    (…). Its derivative is that of the implicit function: the smallest motion of q that follows the targets, without
    joints at their limits; zero for a target that is not reached, such as one that is not finite or not rigid. With
    soft goals it is that of the minimum, in the first order.

    Raises KinetreeError for other objects, and when called, for tensors of other devices, shapes and types.

    Examples:
        >>> import torch
        >>> import kinetree as kt
        >>> from kinetree.bridges.torch import wrap
        >>> pose = wrap(kt.fk(kt.chain("Rz(q1) tx(0.5)"), "tip"))
        >>> q = torch.zeros(1, requires_grad=True)
        >>> pose(q)[1, 3].backward()  # y = 0.5 sin(q)
        >>> q.grad
        tensor([0.5000])
    """
    if isinstance(kernel, IK):
        return _solver(kernel)
    flat = flattened(kernel_of(kernel))
    number, name, result = _number(flat), flat.name, result_of(kernel.outputs)
    shapes = (*(port.shape for port in flat.inputs), flat.output.shape)

    def function(*tensors: Any) -> Any:
        return result(_applied(number, 0, shapes, *_checked(name, tensors)))

    return function


def _number(thing: Any) -> int:
    if thing not in _wrapped:
        _wrapped.append(thing)
    return _wrapped.index(thing)


def _solver(ik: IK) -> Callable[..., Solution]:
    number, slopes = _number(ik), wrap(ik._slopes)
    if number not in _slopes:
        _slopes[number] = slopes
    shapes = target_shapes(ik)

    def function(*targets: Any, q0: Any = None) -> Solution:
        given = _checked("ik", [*targets, *([] if q0 is None else [q0])])
        call = _Solve.forward if _is_plain(given) else _Solve.apply
        return Solution(*call(number, shapes, len(targets), *given))

    return function


def _checked(name: str, tensors: Sequence[Any]) -> list[torch.Tensor]:
    """Return tensors of one floating type on the CPU."""
    given = [x if isinstance(x, torch.Tensor) else torch.as_tensor(x) for x in tensors]
    for x in given:
        if x.device.type != "cpu":
            raise wrong_type("device", f"{name} computes on the CPU, and a tensor is on {x.device}; use .cpu()")
        if not x.dtype.is_floating_point:
            raise wrong_type("dtype", f"{name} has an argument of {x.dtype}; expected floating types")
    kind = given[0].dtype if given else torch.float64
    for x in given[1:]:
        kind = torch.promote_types(kind, x.dtype)
    return [x.to(kind) for x in given]


torch.library.define("kinetree::call", "(Tensor[] inputs, int kernel, int order) -> Tensor")


@torch.library.impl("kinetree::call", "CPU")
def _call(inputs: list[torch.Tensor], number: int, order: int) -> torch.Tensor:
    kernel = nth_vjp(_wrapped[number], order)
    result = kernel(*[x.detach().double().numpy() for x in inputs])
    return torch.from_numpy(np.asarray(result)).to(inputs[0].dtype if inputs else torch.float64)


@torch.library.register_fake("kinetree::call")
def _shape_of_call(inputs: list[torch.Tensor], number: int, order: int) -> torch.Tensor:
    kernel = nth_vjp(_wrapped[number], order)
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
        grads = [part.sum_to_size(x.shape) for part, x in zip(parts_of(flat, cores), tensors, strict=True)]
        return None, None, None, *grads

    @staticmethod
    def vmap(info: Any, in_dims: Any, number: int, order: int, shapes: tuple[Shape, ...], *inputs: Any) -> Any:
        return _applied(number, order, shapes, *_in_front(inputs, in_dims[3:], shapes)), 0


def _applied(number: int, order: int, shapes: tuple[Shape, ...], *inputs: torch.Tensor) -> Any:
    call = _Call.forward if _is_plain(inputs) else _Call.apply
    return call(number, order, shapes, *inputs)


def _is_plain(inputs: Sequence[torch.Tensor]) -> bool:
    """Return whether PyTorch compiles a call that nothing differentiates; it refuses `apply` then."""
    wanted = torch.is_grad_enabled() and any(x.requires_grad for x in inputs)
    return torch.compiler.is_compiling() and not wanted


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
    cores = [port.shape for port in nth_vjp(_wrapped[number], order).inputs]
    return torch.ops.kinetree.call(_in_front(inputs, in_dims[0], cores), number, order), 0


torch.library.define("kinetree::solve", "(Tensor[] targets, Tensor? q0, int ik) -> (Tensor, Tensor)")
torch.library.define("kinetree::free", "(Tensor q, Tensor success, int ik) -> Tensor")
torch.library.define("kinetree::by_soft", "(Tensor q, Tensor success, Tensor[] targets, int ik) -> Tensor")


@torch.library.impl("kinetree::solve", "CPU")
def _solve(targets: list[torch.Tensor], q0: torch.Tensor | None, number: int) -> tuple[torch.Tensor, torch.Tensor]:
    arrays = [x.detach().double().numpy() for x in targets]
    start = None if q0 is None else q0.detach().double().numpy()
    q, success = solve(_wrapped[number], arrays, start, targets[0].dtype == torch.float32)
    return torch.from_numpy(np.array(q)).to(targets[0].dtype), torch.from_numpy(np.array(success))


@torch.library.register_fake("kinetree::solve")
def _shape_of_solve(targets: list[torch.Tensor], q0: torch.Tensor | None, number: int) -> Any:
    ik = _wrapped[number]
    batch = batch_of_targets(ik, [tuple(x.shape) for x in targets], None if q0 is None else tuple(q0.shape))
    first = targets[0]
    return first.new_empty(batch + ik._slopes.inputs[0].shape), first.new_empty(batch, dtype=torch.bool)


@torch.library.register_vmap("kinetree::solve")
def _mapped_solve(info: Any, in_dims: Any, targets: list[torch.Tensor], q0: torch.Tensor | None, number: int) -> Any:
    cores, dims = (*target_shapes(_wrapped[number]), (0,)), [*in_dims[0], in_dims[1]]
    given = _in_front([*targets, *([] if q0 is None else [q0])], dims, cores)
    start = None if q0 is None else given[-1]
    return torch.ops.kinetree.solve(given[: len(targets)], start, number), (0, 0)


@torch.library.impl("kinetree::free", "CPU")
def _free(q: torch.Tensor, success: torch.Tensor, number: int) -> torch.Tensor:
    ik = _wrapped[number]
    P = free_motions(ik._problem, ik.limits, q.detach().double().numpy(), success.numpy())
    return torch.from_numpy(P).to(q.dtype)


@torch.library.register_fake("kinetree::free")
def _shape_of_free(q: torch.Tensor, success: torch.Tensor, number: int) -> torch.Tensor:
    return q.new_empty((*q.shape, q.shape[-1]))


@torch.library.register_vmap("kinetree::free")
def _mapped_free(info: Any, in_dims: Any, q: torch.Tensor, success: torch.Tensor, number: int) -> Any:
    q, success = (
        x.expand(info.batch_size, *x.shape) if at is None else x.movedim(at, 0)
        for x, at in zip((q, success), in_dims[:2], strict=True)
    )
    return torch.ops.kinetree.free(q, success, number), 0


@torch.library.impl("kinetree::by_soft", "CPU")
def _by_soft(q: torch.Tensor, success: torch.Tensor, targets: list[torch.Tensor], number: int) -> torch.Tensor:
    arrays = [x.detach().double().numpy() for x in (q, *targets)]
    found = soft_derivatives(_wrapped[number], arrays[0], success.numpy(), *arrays[1:])
    return torch.from_numpy(found).to(q.dtype)


@torch.library.register_fake("kinetree::by_soft")
def _shape_of_by_soft(q: torch.Tensor, success: torch.Tensor, targets: list[torch.Tensor], number: int) -> torch.Tensor:
    return q.new_empty((*q.shape, sum(map(prod, target_shapes(_wrapped[number])))))


@torch.library.register_vmap("kinetree::by_soft")
def _mapped_by_soft(info: Any, in_dims: Any, q: Any, success: Any, targets: Any, number: int) -> Any:
    cores, dims = ((0,), (), *target_shapes(_wrapped[number])), (*in_dims[:2], *in_dims[2])
    q, success, *targets = _in_front((q, success, *targets), dims, cores)
    return torch.ops.kinetree.by_soft(q, success, targets, number), 0


class _BySoft(torch.autograd.Function):
    """Derivatives of a solver with soft goals by all targets, which have no derivatives themselves."""

    generate_vmap_rule = True

    @staticmethod
    def forward(number: int, q: Any, success: Any, *targets: Any) -> Any:
        return torch.ops.kinetree.by_soft(q, success, list(targets), number)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *bars: Any) -> Any:
        return refuse_second()


def _by_targets(number: int, q: Any, success: Any, targets: Sequence[Any]) -> Any:
    """Return the derivatives (…, nq, size) of q by each target."""
    ik = _wrapped[number]
    if is_soft(ik):
        found = _BySoft.apply(number, q, success, *targets)
        return torch.split(found, [*map(prod, target_shapes(ik))], dim=-1)
    by_q, *by_targets = _slopes[number](q, *replaced(torch.where, success, targets, target_shapes(ik)))
    turns = [torch.from_numpy(S).to(q.dtype) for S in quaternions(ik._problem)]
    P = torch.ops.kinetree.free(q.detach(), success, number) + turning(turns, q) * success[..., None, None]
    return [implied(torch.linalg.pinv, P, by_q, by_target) for by_target in by_targets]


class _Solve(torch.autograd.Function):
    """Call of a solver with `count` targets of these shapes, and perhaps a start behind them."""

    @staticmethod
    def forward(number: int, shapes: tuple[Shape, ...], count: int, *given: Any) -> Any:
        start = given[count] if len(given) > count else None
        return torch.ops.kinetree.solve(list(given[:count]), start, number)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.number, ctx.shapes, ctx.count, *given = inputs
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(*output, *given[: ctx.count])
        ctx.starts = len(given) - ctx.count

    @staticmethod
    def backward(ctx: Any, *bars: Any) -> Any:
        q, success, *targets = ctx.saved_tensors
        grads = []
        for x, shape, D in zip(targets, ctx.shapes, _by_targets(ctx.number, q, success, targets), strict=True):
            part = (bars[0][..., None, :] @ D)[..., 0, :]
            grads.append(part.reshape(*part.shape[:-1], *shape).sum_to_size(x.shape))
        return None, None, None, *grads, *[None] * ctx.starts

    @staticmethod
    def vmap(info: Any, in_dims: Any, number: int, shapes: tuple[Shape, ...], count: int, *given: Any) -> Any:
        cores = (*shapes, (0,))  # of targets and q0; only the number of axes counts
        return _Solve.apply(number, shapes, count, *_in_front(given, in_dims[3:], cores)), (0, 0)
