"""A traced function: its inputs, its steps in order, its results."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np

from kinetree.compiler.expr import Expr, Graph
from kinetree.compiler.lookup import Lookup
from kinetree.compiler.ops import Op

V = TypeVar("V")


class Step(NamedTuple):
    """One operation; arguments are numbers of values: inputs first, then constants, then earlier steps."""

    op: str | Lookup
    args: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """Straight-line code on scalars, without dead code or repeated computation.

    inputs: the shape of each argument; their entries, in C order, are values 0, 1, …; then come the constants, then one
    value per step. output: the shape of the result; results: the values of its entries, in C order. repeated: whether
    the result replaces the first argument, of the same shape, as long as its first number is above zero.
    """

    inputs: tuple[tuple[int, ...], ...]
    constants: tuple[float, ...]
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    output: tuple[int, ...]
    repeated: bool = False

    @property
    def size(self) -> int:
        """Number of scalars in the inputs."""
        return sum(prod(shape) for shape in self.inputs)

    @property
    def operations(self) -> dict[str, int]:
        """Number of occurrences of each operation."""
        return dict(Counter(step.op if isinstance(step.op, str) else step.op.name for step in self.steps))

    def run(self, inputs: Sequence[V], constant: Callable[[float], V], apply: Callable[..., V]) -> list[V]:
        """Return the results over any kind of number, made by constant(float) and apply(name, *arguments)."""
        values = [*inputs, *map(constant, self.constants)]
        for op, args in self.steps:
            values.append(apply(op, *[values[i] for i in args]))
        return [values[i] for i in self.results]


def trace(function: Callable[..., Any], *inputs: tuple[int, ...], repeated: bool = False) -> Program:
    """Return the program of a function of arrays of these shapes. The function runs once on arrays of `Expr`; it may do
    anything that does not depend on their values. repeated: see `Program`."""
    graph = Graph()
    arguments, start = [], 0
    for shape in inputs:
        entries = [graph.input(start + i) for i in range(prod(shape))]
        arguments.append(objects(entries).reshape(shape))
        start += len(entries)
    result = np.asarray(function(*arguments), dtype=object)
    assert not repeated or result.shape == inputs[0], "what is repeated gives what it takes"
    return assemble(graph, inputs, [_entry(graph, x) for x in result.ravel()], result.shape, repeated)


def objects(entries: Sequence[Any]) -> Any:
    """Return an array (n,) of expressions, or of expressions and floats."""
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array


def _entry(graph: Graph, entry: Any) -> Expr:
    expr = entry if isinstance(entry, Expr) else graph.constant(entry)
    if expr.graph is not graph or (expr.op is not None and expr.op.logical):
        raise TypeError(f"a traced function gives numbers of its own trace, not {entry!r}")
    return expr


def assemble(
    graph: Graph,
    inputs: tuple[tuple[int, ...], ...],
    results: Sequence[Expr],
    output: tuple[int, ...],
    repeated: bool = False,
) -> Program:
    """Return the program that computes these expressions."""
    size = sum(prod(shape) for shape in inputs)
    order = schedule(results)
    constants = [expr for expr in order if expr.value is not None]
    steps = [expr for expr in order if expr.op is not None]
    number = {graph.input(i): i for i in range(size)}
    number |= {expr: size + i for i, expr in enumerate([*constants, *steps])}
    return Program(
        inputs,
        tuple(expr.value for expr in constants if expr.value is not None),
        tuple(
            Step(expr.op.name if isinstance(expr.op, Op) else expr.op, tuple(number[a] for a in expr.args))
            for expr in steps
            if expr.op is not None
        ),
        tuple(number[expr] for expr in results),
        output,
        repeated,
    )


def schedule(results: Sequence[Expr]) -> list[Expr]:
    """Return all expressions that the results need, each after its arguments and as late as possible, so that few
    values are alive at once: depth first, the deeper argument first."""
    depth = _depths(results)
    order: dict[Expr, None] = {}
    for result in results:
        stack = [(result, False)]
        while stack:
            expr, ready = stack.pop()
            if expr in order:
                continue
            if ready:
                order[expr] = None
            else:
                stack.append((expr, True))
                stack.extend((a, False) for a in sorted(expr.args, key=depth.__getitem__) if a not in order)
    return list(order)


def _depths(results: Sequence[Expr]) -> dict[Expr, int]:
    """Return, for every expression that the results need, the longest path down to an input."""
    needed = set(results)
    stack = list(needed)
    while stack:
        for argument in stack.pop().args:
            if argument not in needed:
                needed.add(argument)
                stack.append(argument)
    depth: dict[Expr, int] = {}
    for expr in sorted(needed, key=lambda expr: expr.index):
        depth[expr] = 1 + max([depth[a] for a in expr.args], default=0)
    return depth
