"""Kernels as expressions of SymPy: `expressions`."""

import warnings
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from kinetree.bridges.bodies import library
from kinetree.bridges.kernels import ARITHMETIC, steps_of
from kinetree.errors import fail

sp = library("sympy", "sympy")

OPERATIONS: dict[str, Callable[..., Any]] = {
    **ARITHMETIC,
    "sqrt": sp.sqrt,
    "sin": sp.sin,
    "cos": sp.cos,
    "arctan2": sp.atan2,
    "arccos": sp.acos,
    "absolute": sp.Abs,
    "copysign": lambda a, b: sp.Piecewise((sp.Abs(a), b >= 0), (-sp.Abs(a), True)),
    "minimum": sp.Min,
    "maximum": sp.Max,
    "floor": sp.floor,
    "where": lambda a, b, c: sp.Piecewise((b, a), (c, True)),
}
"""Operations of programs, by the names of `compiler/ops.py`, over scalars of SymPy."""
DIGITS = 14
"""Digits that a constant keeps: cos(pi / 2) is 0."""
SHOWN = 12
"""Digits of the numbers in an answer that are not whole."""
MOST = 3
"""Most numbers of q for which expressions are made simple, and are short."""


def expressions(kernel: Any, *arguments: Any, simplify: bool | None = None) -> Any:
    """Return a kernel as expressions of SymPy, in an object array with the shape of its output; several if it has
    several outputs.

    arguments: for each input of the kernel a sequence of symbols or expressions with its shape; by default symbols
    with its name and numbers from 1: q1, q2 …, the numbers of q in their order. simplify: whether sums and products of
    sine and cosine are joined, so that a planar arm reads as in a book; by default up to 3 numbers of q. Above, there
    is a warning that the expressions are long, and they are returned as they were computed.

    Raises KinetreeError for other objects, for arguments of another shape, and for a kernel that repeats its steps
    until it is done, or searches a table, as `kt.clearance` does.

    Examples:
        >>> import kinetree as kt
        >>> from kinetree.bridges.sympy import expressions
        >>> arm = kt.chain("Rz(q1) tx(0.5) Rz(q2) tx(0.3)")
        >>> T = expressions(kt.fk(arm, "tip"))
        >>> T[0, 3]  # m
        0.5*cos(q1) + 0.3*cos(q1 + q2)
    """
    kernel = steps_of(kernel, "SymPy")
    if arguments and len(arguments) != len(kernel.inputs):
        names = ", ".join(port.name for port in kernel.inputs)
        raise fail("wrap", f"{kernel.name} takes {names}; expected symbols for each of them, or none at all")
    given = arguments or [None] * len(kernel.inputs)
    inputs = [_symbols(port, own) for port, own in zip(kernel.inputs, given, strict=True)]
    size = max((len(one) for one in inputs), default=0)
    if simplify is None and size > MOST:
        text = f"expressions of {kernel.name} in {size} numbers are long and are not simplified; up to {MOST} are"
        warnings.warn(text, stacklevel=2)
    values = kernel.program.run([x for one in inputs for x in one], _number, lambda op, *x: OPERATIONS[op](*x))
    short = size <= MOST if simplify is None else simplify
    values = [_shown(sp.trigsimp(sp.expand(x)) if short else x) for x in map(sp.sympify, values)]
    results, start = [], 0
    for port in kernel.outputs:
        part = np.empty(prod(port.shape), dtype=object)
        part[:] = values[start : start + part.size]
        results.append(part.reshape(port.shape))
        start += part.size
    return results[0] if len(results) == 1 else tuple(results)


def _symbols(port: Any, given: Any) -> list[Any]:
    """Return the scalars of an input."""
    if given is None:
        names = [f"{port.name}{i}" for i in range(1, prod(port.shape) + 1)] if port.shape else [port.name]
        return [sp.Symbol(name, real=True) for name in names]
    found = np.array(given, dtype=object)
    if found.shape != port.shape:
        raise fail("wrap", f"{port.name} has shape {found.shape}; expected {port.shape}")
    return [sp.sympify(x) for x in found.ravel()]


def _number(value: float) -> Any:
    """Return a constant of a program, without the error of rounding at its end, as a fraction of whole numbers."""
    return sp.Rational(f"{value:.{DIGITS}g}") if abs(value) >= 10.0**-DIGITS else sp.Integer(0)


def _shown(value: Any) -> Any:
    """Return an expression with decimal numbers in place of fractions."""
    fractions = [x for x in value.atoms(sp.Rational) if not x.is_Integer]
    return value.xreplace({x: sp.Float(f"{float(x):.{SHOWN}g}") for x in fractions})
