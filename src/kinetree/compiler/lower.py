"""Rewriting what a processor has no instruction for into what it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kinetree.compiler.expr import Expr, Graph
from kinetree.compiler.ir import Target
from kinetree.compiler.program import Program, assemble


def lower(program: Program, target: Target) -> Program:
    """A program of the same meaning, only of operations that the target has."""
    rewrite = dict(ALWAYS)
    if not target.fma:
        rewrite["fma"] = lambda a, b, c: a * b + c
    if not target.floor:
        rewrite["floor"] = _floor
    if not rewrite.keys() & program.operations.keys():
        return program
    graph = Graph()

    def apply(name: str, *arguments: Expr) -> Any:
        if name in rewrite:
            return rewrite[name](*arguments)
        return graph.apply(name, *arguments)

    results = program.run([graph.input(i) for i in range(program.size)], graph.constant, apply)
    return assemble(graph, program.inputs, results, program.output)


def _floor(x: Expr) -> Any:
    """Adding and taking away 2^52 rounds what is smaller to an integer; larger numbers are integers."""
    size = abs(x)
    nearest = np.copysign(_without_simplifying(size), x)
    lower = np.where(x < nearest, nearest - 1.0, nearest)
    return np.where(size < 2.0**52, lower, x)


def _without_simplifying(size: Expr) -> Any:
    return (size + 2.0**52) - 2.0**52


def _arccos(x: Expr) -> Any:
    return arctan2(np.sqrt((1.0 - x) * (1.0 + x)), x)


ARCTAN: tuple[float, ...] = ()


def arctan2(y: Any, x: Any) -> Any:
    """The angle of (x, y), from the arctangent of a number in [0, 1]."""
    raise NotImplementedError


ALWAYS: dict[str, Callable[..., Any]] = {"arctan2": arctan2, "arccos": _arccos}
