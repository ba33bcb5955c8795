"""Kernels as functions of CasADi: `wrap`."""

from collections.abc import Callable
from math import prod
from typing import Any

from kinetree.bridges.bodies import library
from kinetree.bridges.kernels import ARITHMETIC, steps_of

ca = library("casadi", "casadi")

OPERATIONS: dict[str, Callable[..., Any]] = {
    **ARITHMETIC,
    "sqrt": ca.sqrt,
    "sin": ca.sin,
    "cos": ca.cos,
    "arctan2": ca.atan2,
    "arccos": ca.acos,
    "absolute": ca.fabs,
    "copysign": ca.copysign,
    "minimum": ca.fmin,
    "maximum": ca.fmax,
    "floor": ca.floor,
    "where": ca.if_else,
}
"""Operations of programs, by the names of `compiler/ops.py`, over scalars of CasADi."""


def wrap(kernel: Any) -> Any:
    """Return a kernel as a `casadi.Function` of the same operations, with its inputs and outputs under their names.

    It takes numbers and CasADi's SX and MX, and can be differentiated and written as C by CasADi. Arrays of one axis
    are columns. Arrays of more axes are matrices with the last axis as columns and the others, one after the other, as
    rows: the poses T (k, 4, 4) of k frames are (4 k, 4). There are no batches; use CasADi's `map`. NaN may get lost:
    CasADi's minimum and maximum of NaN and a number may be the number.

    Raises KinetreeError for other objects, and for a kernel that repeats its steps until it is done, or
    searches a table, as `kt.clearance` does.

    Examples:
        >>> import casadi
        >>> import kinetree as kt
        >>> from kinetree.bridges.casadi import wrap
        >>> pose = wrap(kt.fk(kt.chain("Rz(q1) tx(0.5)"), "tip"))
        >>> q = casadi.SX.sym("q")
        >>> casadi.gradient(pose(q)[1, 3], q)  # y = 0.5 sin(q)
        SX((0.5*cos(q)))
    """
    kernel = steps_of(kernel, "CasADi")
    arguments = [ca.SX.sym(port.name, *_size(port.shape)) for port in kernel.inputs]
    scalars = [x[i, j] for x in arguments for i in range(x.rows()) for j in range(x.columns())]
    values = kernel.program.run(scalars, ca.SX, lambda op, *x: OPERATIONS[op](*x))
    results, start = [], 0
    for port in kernel.outputs:
        part = values[start : start + prod(port.shape)]
        rows, columns = _size(port.shape)
        results.append(ca.reshape(ca.vertcat(*part), columns, rows).T)
        start += len(part)
    names = [port.name for port in kernel.inputs], [port.name for port in kernel.outputs]
    return ca.Function(kernel.name, arguments, results, *names)


def _size(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return rows and columns of the matrix for an array."""
    return (prod(shape[:-1]), shape[-1]) if len(shape) > 1 else (prod(shape), 1)
