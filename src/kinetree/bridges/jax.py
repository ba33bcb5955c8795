"""Kernels as functions of JAX: `wrap`.

A kernel becomes a primitive of JAX on the CPU, with derivatives in both modes and of every order: `jit`, `vmap`,
`grad`, `jacfwd`, `jacrev` and `hessian` take it, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from kinetree.bridges import xla
from kinetree.bridges.kernels import batch_of, flattened, kernel_of, parts_of, result_of
from kinetree.bridges.solvers import (
    Solution,
    batch_of_targets,
    is_soft,
    refuse_second,
    soft_derivatives,
    solve,
    target_shapes,
)
from kinetree.compiler.kernel import Kernel
from kinetree.errors import wrong_type
from kinetree.queries.gradients import jvp, vjp
from kinetree.solvers.ik.implicit import free_motions, implied, quaternions, replaced, turning
from kinetree.solvers.ik.solver import IK

_call = Primitive("kinetree_call")
"""Primitive from the inputs of a kernel with one output to this output; its parameter is the kernel."""
_before: dict[Kernel, tuple[Kernel, tuple[int, ...]]] = {}
"""By forward derivatives: the kernel and the inputs by which it is differentiated."""


def wrap(kernel: Any) -> Callable[..., Any]:
    """Return a kernel, or a solver of inverse kinematics, as a differentiable function of arrays on the CPU.

    Its arguments and results are those of the kernel, (…, *shape); a result has the largest floating type of its
    arguments. All is computed in double precision. It can be differentiated any number of times in both modes, inside
    `jax.jit` and `jax.vmap` too. Gradients are in the coordinates of q, where a quaternion has four.

    The function of a solver takes targets and perhaps `q0`, a start without gradient, and returns q (…, nq) and success
    (…). Its derivative is that of the implicit function: the smallest motion of q that follows the targets, without
    joints at their limits; zero for a target that is not reached, such as one that is not finite or not rigid. With
    soft goals it is that of the minimum, in the first order.

    Raises KinetreeError for other objects, and when called, for other devices, shapes and types.

    Examples:
        >>> import jax
        >>> import kinetree as kt
        >>> from kinetree.bridges.jax import wrap
        >>> pose = wrap(kt.fk(kt.chain("Rz(q1) tx(0.5)"), "tip"))
        >>> slope = jax.grad(lambda q: pose(q)[1, 3])(jax.numpy.zeros(1))  # y = 0.5 sin(q)
        >>> slope.tolist()
        [0.5]
    """
    if isinstance(kernel, IK):
        return _solver(kernel)
    flat, result = flattened(kernel_of(kernel)), result_of(kernel.outputs)

    def function(*arrays: Any) -> Any:
        given = _checked(flat.name, arrays)
        batch_of(flat, [x.shape for x in given])
        return result(_call.bind(*given, kernel=flat))

    return function


def _checked(name: str, arrays: Sequence[Any]) -> list[Any]:
    """Return arrays of one floating type."""
    given = [jnp.asarray(x) for x in arrays]
    kind = jnp.result_type(*given) if given else jnp.result_type(float)
    if not jnp.issubdtype(kind, jnp.floating):
        raise wrong_type("dtype", f"{name} has arguments of {kind}; expected floating types")
    return [x.astype(kind) for x in given]


@cache
def _compiled(kernel: Kernel) -> Any:
    return jax.jit(lambda *inputs: _call.bind(*inputs, kernel=kernel))


@_call.def_impl
def _now(*inputs: Any, kernel: Kernel) -> Any:
    return _compiled(kernel)(*inputs)


@_call.def_abstract_eval
def _shape(*inputs: Any, kernel: Kernel) -> Any:
    batch = batch_of(kernel, [x.shape for x in inputs])
    return jax.core.ShapedArray(batch + kernel.output.shape, inputs[0].dtype if inputs else jnp.result_type(float))


def _forward(primals: Sequence[Any], tangents: Sequence[Any], *, kernel: Kernel) -> Any:
    which = tuple(i for i, t in enumerate(tangents) if type(t) is not ad.Zero)
    derivative = flattened(jvp(kernel, which))
    _before[derivative] = kernel, which
    result = _call.bind(*primals, kernel=kernel)
    return result, _call.bind(*primals, *(tangents[i] for i in which), kernel=derivative)


def _transposed(bar: Any, *inputs: Any, kernel: Kernel) -> list[Any]:
    """Return the cotangents of the inputs in which a kernel is linear, None for the others."""
    unknown = tuple(i for i, x in enumerate(inputs) if ad.is_undefined_primal(x))
    if type(bar) is ad.Zero:
        return [ad.Zero(x.aval) if i in unknown else None for i, x in enumerate(inputs)]
    before, which = _before.get(kernel, (kernel, ()))
    count = len(before.inputs)
    if which and unknown == tuple(range(count, len(inputs))):
        given, reverse = list(inputs[:count]), flattened(vjp(before, which))
    else:  # a derivative by what a kernel is linear in does not depend on it
        given = [jnp.zeros(p.shape, bar.dtype) if i in unknown else x for i, (x, p) in _numbered(inputs, kernel)]
        reverse = flattened(vjp(kernel, unknown))
    flat = _call.bind(*given, bar, kernel=reverse)
    cores = [kernel.inputs[i].shape for i in unknown]
    parts = parts_of(flat, cores)
    found = {i: _summed(part, inputs[i].aval.shape) for i, part in zip(unknown, parts, strict=True)}
    return [found.get(i) for i in range(len(inputs))]


def _numbered(inputs: Sequence[Any], kernel: Kernel) -> Any:
    return enumerate(zip(inputs, kernel.inputs, strict=True))


def _summed(x: Any, shape: tuple[int, ...]) -> Any:
    """Return the sum over the axes along which an array of this shape was broadcast."""
    more = x.ndim - len(shape)
    axes = [*range(more), *(more + k for k, n in enumerate(shape) if n == 1 != x.shape[more + k])]
    return jnp.sum(x, axis=tuple(axes)).reshape(shape) if axes else x


def _mapped(inputs: Sequence[Any], axes: Sequence[Any], *, kernel: Kernel) -> Any:
    """Put the mapped axis in front, and axes of length 1 between it and shorter batches."""
    given = [
        (x, at, x.ndim - len(port.shape) - (at is not None))
        for x, at, port in zip(inputs, axes, kernel.inputs, strict=True)
    ]
    most = max(own for _, _, own in given)
    moved = []
    for x, at, own in given:
        if at is not None:
            x = jnp.moveaxis(x, at, 0)
            x = x.reshape(x.shape[0], *[1] * (most - own), *x.shape[1:])
        moved.append(x)
    return _call.bind(*moved, kernel=kernel), 0


def _solver(ik: IK) -> Callable[..., Solution]:
    slopes, shapes = _slopes_of(ik), target_shapes(ik)
    nq = ik._slopes.inputs[0].shape

    @jax.custom_jvp
    def solved(targets: tuple[Any, ...], start: tuple[Any, ...]) -> tuple[Any, Any]:
        first = [x.shape for x in start]
        batch = batch_of_targets(ik, [x.shape for x in targets], first[0] if first else None)
        kind = targets[0].dtype

        def host(*arrays: Any) -> tuple[Any, Any]:
            q, success = solve(ik, arrays[: len(shapes)], arrays[len(shapes)] if start else None, kind == np.float32)
            return np.asarray(q, dtype=kind), success

        kinds = jax.ShapeDtypeStruct(batch + nq, kind), jax.ShapeDtypeStruct(batch, bool)
        return jax.pure_callback(host, kinds, *targets, *start, vmap_method="broadcast_all")  # type: ignore[no-any-return]

    @solved.defjvp
    def _forward_solved(primals: Any, tangents: Any) -> Any:
        targets, _ = primals
        q, success = solved(*primals)
        rate = jnp.zeros_like(q)
        for D, dT, shape in zip(slopes(q, success, targets), tangents[0], shapes, strict=True):
            flat = dT.reshape(*dT.shape[: dT.ndim - len(shape)], -1)
            rate = rate + (D @ flat[..., None])[..., 0]
        return (q, success), (rate, np.zeros(success.shape, dtype=jax.dtypes.float0))

    def function(*targets: Any, q0: Any = None) -> Solution:
        given = _checked("ik", [*targets, *([] if q0 is None else [q0])])
        return Solution(*solved(tuple(given[: len(targets)]), tuple(given[len(targets) :])))

    return function


def _slopes_of(ik: IK) -> Callable[..., Any]:
    """Return the function from q, success and targets to the derivatives (…, nq, size) of q by each target."""
    sizes = [prod(shape) for shape in target_shapes(ik)]
    by_all = wrap(ik._slopes)

    def on_host(host: Callable[..., Any], columns: int, q: Any, *more: Any) -> Any:
        kind = jax.ShapeDtypeStruct((*q.shape, columns), q.dtype)
        return jax.pure_callback(lambda *x: host(*x).astype(kind.dtype), kind, q, *more, vmap_method="broadcast_all")

    @jax.custom_jvp
    def soft(q: Any, success: Any, targets: Sequence[Any]) -> Any:
        return on_host(partial(soft_derivatives, ik), sum(sizes), q, success, *targets)

    soft.defjvp(lambda primals, tangents: refuse_second())

    def hard(q: Any, success: Any, targets: Sequence[Any]) -> Any:
        free = partial(free_motions, ik._problem, ik.limits)
        P = on_host(free, q.shape[-1], jax.lax.stop_gradient(q), success)
        P = P + turning([jnp.asarray(S, q.dtype) for S in quaternions(ik._problem)], q) * success[..., None, None]
        by_q, *by_targets = by_all(q, *replaced(jnp.where, success, targets, target_shapes(ik)))
        return [implied(jnp.linalg.pinv, P, by_q, by_target) for by_target in by_targets]

    if is_soft(ik):
        return lambda *given: jnp.split(soft(*given), np.cumsum(sizes)[:-1], axis=-1)
    return hard


def _lowered(*inputs: Any, kernel: Kernel) -> Any:
    """Call the machine code of a kernel, or Python where XLA cannot call it."""
    result = _shape(*inputs, kernel=kernel)
    scalar = _SCALARS.get(result.dtype)
    name = scalar and xla.target(kernel, scalar)
    if not name:
        return _called_back(*inputs, kernel=kernel)
    batch = result.shape[: len(result.shape) - len(kernel.output.shape)]
    whole = [_one_or_all(x, batch, port.shape) for x, port in zip(inputs, kernel.inputs, strict=True)]
    return jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(result.shape, result.dtype))(*whole)


_SCALARS = {np.dtype(np.float64): "double", np.dtype(np.float32): "float"}


def _one_or_all(x: Any, batch: tuple[int, ...], core: tuple[int, ...]) -> Any:
    """Return an array of one configuration, or of all of a batch."""
    own = x.shape[: x.ndim - len(core)]
    return x.reshape(core) if prod(own) == 1 else jnp.broadcast_to(x, batch + core)


def _called_back(*inputs: Any, kernel: Kernel) -> Any:
    result = _shape(*inputs, kernel=kernel)

    def host(*arrays: Any) -> Any:
        return np.asarray(kernel(*[np.asarray(x, dtype=float) for x in arrays])).astype(result.dtype)

    return jax.pure_callback(host, jax.ShapeDtypeStruct(result.shape, result.dtype), *inputs)


def _refused(*inputs: Any, kernel: Kernel) -> Any:
    raise wrong_type("device", f"{kernel.name} computes on the CPU alone; move its arrays there with jax.device_put")


ad.primitive_jvps[_call] = _forward
ad.primitive_transposes[_call] = _transposed
batching.primitive_batchers[_call] = _mapped
mlir.register_lowering(_call, mlir.lower_fun(_refused, multiple_results=False))
mlir.register_lowering(_call, mlir.lower_fun(_lowered, multiple_results=False), platform="cpu")
