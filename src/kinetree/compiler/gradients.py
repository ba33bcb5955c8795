"""Derivatives of programs by reverse and forward mode, and the kernels of both (Griewank & Walther, Evaluating
Derivatives, 2008, chapter 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from kinetree.compiler.cache import digest
from kinetree.compiler.expr import Expr, Graph, rate
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.lookup import Lookup, operation
from kinetree.compiler.port import Port, Tangent, spans
from kinetree.compiler.program import Program, objects, trace
from kinetree.errors import fail

SINGULAR = {"divide", "sqrt", "arctan2", "arccos"}
"""Operations with arguments at which the value is finite, or not used, and a partial derivative is infinite or NaN."""


def vjp_kernel(kernel: Kernel, which: Sequence[int], *, tangent: bool) -> Kernel:
    """Return the kernel from a kernel's inputs and a cotangent for each output to the cotangents of the chosen inputs.

    which: indices of inputs. tangent: whether inputs with tangent coordinates get cotangents in these.
    """
    taken = [port.name for port in kernel.inputs]
    bars = [_named(port, _free(f"{port.name}_bar", taken), "cotangent") for port in kernel.outputs]
    ports = [_moved(kernel.inputs[i], tangent=tangent) for i in which]
    outputs = tuple(_named(port, f"{port.name}_bar", "cotangent") for port in ports)
    return _derived(kernel, "vjp", (*kernel.inputs, *bars), outputs, which, tangent=tangent)


def jvp_kernel(kernel: Kernel, which: Sequence[int], *, tangent: bool) -> Kernel:
    """Return the kernel from a kernel's inputs and tangents of the chosen ones to the tangents of its outputs."""
    taken = [port.name for port in kernel.inputs]
    ports = [_moved(kernel.inputs[i], tangent=tangent) for i in which]
    rates = [_named(port, _free(f"d{port.name}", taken), "tangent") for port in ports]
    outputs = tuple(_named(port, f"d{port.name}", "tangent") for port in kernel.outputs)
    return _derived(kernel, "jvp", (*kernel.inputs, *rates), outputs, which, tangent=tangent)


def _derived(
    kernel: Kernel,
    mode: str,
    inputs: tuple[Port, ...],
    outputs: tuple[Port, ...],
    which: Sequence[int],
    *,
    tangent: bool,
) -> Kernel:
    charts = [kernel.inputs[i].tangent if tangent else None for i in which]
    shapes, name, trace_kernel = [port.shape for port in inputs], kernel.name, kernel._trace
    function = {"vjp": _pullback, "jvp": _pushforward}[mode]

    def traced() -> Program:
        program = trace_kernel()
        if program.repeated:
            raise fail("derivative", f"{name} repeats its steps until it is done; expected kernels that do not")
        flat = trace(partial(function, program, which, charts), *shapes)
        return replace(flat, output=outputs[0].shape) if len(outputs) == 1 else flat

    key = kernel._key and digest(kernel._key, mode, repr(tuple(which)), repr(charts))
    answer = outputs if len(outputs) > 1 else outputs[0]
    return Kernel(f"{mode}_{kernel.name}", inputs, answer, traced, key, fused=kernel.fused, of=kernel._of)


def flattened(kernel: Kernel) -> Kernel:
    """Return the kernel with its outputs in one flat array, as its only output."""
    if len(kernel.outputs) == 1:
        return kernel
    inputs, make, key = kernel.inputs, kernel._trace, kernel._key
    return Kernel(kernel.name, inputs, kernel.output, make, key, fused=kernel.fused, of=kernel._of)


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _named(port: Port, name: str, what: str) -> Port:
    about = f"{what} of {port.name}{': ' * bool(port.about)}{port.about}"
    return replace(port, name=name, about=about, tangent=None)


def _moved(port: Port, *, tangent: bool) -> Port:
    """Return the port whose shape and labels a derivative by an input has: its own, or those of its motions."""
    chart = port.tangent if tangent else None
    return replace(port, shape=chart.shape, labels=chart.labels) if chart else port


def _pullback(program: Program, which: Sequence[int], charts: Sequence[Tangent | None], *arrays: Any) -> Any:
    """Return the cotangents (total,) of the chosen inputs, for the inputs and the cotangents of the results."""
    count = len(program.inputs)
    given = [list(np.ravel(array)) for array in arrays]
    x = [entry for part in given[:count] for entry in part]
    if not x:
        return np.zeros(0)
    bars = adjoints(program, x, [entry for part in given[count:] for entry in part])
    places = _places(program)
    result: list[Any] = []
    for i, chart in zip(which, charts, strict=True):
        own = bars[places[i]]
        result += own if chart is None else _transposed(chart.rates, given[i], own)
    return objects(result)


def _pushforward(program: Program, which: Sequence[int], charts: Sequence[Tangent | None], *arrays: Any) -> Any:
    """Return the rates (total,) of the results, for the inputs and the rates of the chosen ones."""
    count, total = len(program.inputs), prod(program.output)
    given = [list(np.ravel(array)) for array in arrays]
    x = [entry for part in given[:count] for entry in part]
    if not x:
        return np.zeros(total)
    graph: Graph = x[0].graph
    dx: list[Any] = [0.0] * len(x)
    for i, chart, own in zip(which, charts, given[count:], strict=True):
        dx[_places(program)[i]] = own if chart is None else _run(chart.rates, graph, [*given[i], *own])
    return rate(objects(_run(program, graph, x)), objects(x), objects(dx))


def adjoints(program: Program, inputs: Sequence[Expr], bars: Sequence[Any]) -> list[Any]:
    """Return the cotangents of the inputs of a program for those of its results; floats if they are constant."""
    graph, first = inputs[0].graph, program.size + len(program.constants)
    values: list[Expr] = [*inputs, *map(graph.constant, program.constants)]
    for op, args in program.steps:
        values.append(graph.apply(op, *[values[i] for i in args]))
    total: list[Any] = [0.0] * len(values)
    for result, bar in zip(program.results, bars, strict=True):
        total[result] = total[result] + bar
    for k in range(len(values) - 1, first - 1, -1):
        op, args = program.steps[k - first]
        bar = total[k]
        if operation(op).logical or (isinstance(bar, float) and bar == 0.0):
            continue
        for place, i in enumerate(args):
            is_truth = i >= first and operation(program.steps[i - first].op).logical
            if not is_truth and not program.size <= i < first:
                total[i] = total[i] + _share(op, values[k], [values[i] for i in args], place, bar)
    return total[: program.size]


def _share(op: str | Lookup, y: Expr, x: list[Expr], place: int, bar: Any) -> Any:
    """Return a cotangent times the partial derivative of an operation by one argument.

    The partial of a branch that `where` does not choose may be infinite; its cotangent is zero then, and so is the
    product. For other cotangents the product with an infinite partial is NaN.
    """

    def along(seed: Any) -> Any:
        return operation(op).rate(y, x, [seed if i == place else 0.0 for i in range(len(x))])

    if op not in SINGULAR:
        return along(bar)
    slope: Any = along(1.0)
    if not isinstance(slope, Expr) or slope.value is not None:
        return bar * slope
    is_finite: Any = abs(slope) < np.inf
    finite: Any = y.graph.apply("where", is_finite, slope, 0.0)
    share = bar * finite  # never a product with infinity, for derivatives of this one
    return np.where(is_finite, share, np.where(abs(bar) <= 0.0, 0.0, np.nan))


def _transposed(rates: Program, q: Sequence[Expr], bar: Sequence[Any]) -> list[Any]:
    """Return Nᵀ bar, where N v are the rates of q."""
    graph, n = q[0].graph, prod(rates.inputs[1])
    columns = [_run(rates, graph, [*q, *(graph.constant(float(i == j)) for i in range(n))]) for j in range(n)]
    return [sum((a * b for a, b in zip(column, bar, strict=True)), start=0.0) for column in columns]


def _run(program: Program, graph: Graph, inputs: Sequence[Any]) -> list[Any]:
    return program.run(list(inputs), graph.constant, graph.apply)


def _places(program: Program) -> list[slice]:
    return spans([Port("", shape) for shape in program.inputs])
