"""The operations: one row each, with everything that differs between them.

An operation has the name of the NumPy function that is its meaning: the interpreter runs it, and traced algorithms call
it. Derivatives are written for any type that has these operations.

In `c`, {0} {1} {2} are the arguments, names or numbers (negative ones in parentheses), and {f} is the suffix of
functions in single precision. In `llvm`, {v} is the type of a vector of numbers, {b} that of a vector of truth values,
{s} the name of {v} in intrinsics.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Meaning = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Op:
    """One operation.

    arity: number of arguments.
    meaning: the function on floats and arrays of floats.
    rate: function from the value y, the arguments x and their rates dx to the rate of the value.
    c, llvm, js: templates of the backends; None if `lower` or the backend itself handles it; js is that of c if empty.
    commutative: whether the first two arguments may be swapped.
    logical: whether the result is a truth value, which only `where` takes, as its first argument.
    """

    name: str
    arity: int
    meaning: Meaning
    rate: Callable[[Any, Any, Any], Any]
    c: str
    llvm: str | None
    commutative: bool = False
    logical: bool = False
    js: str = ""


def _fma(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


def _nothing(y: Any, x: Any, dx: Any) -> float:
    return 0.0


def _call(name: str, arity: int = 1) -> str:
    """Return the template of a function of LLVM."""
    return f"call {{v}} @llvm.{name}.{{s}}({', '.join(f'{{v}} {{{i}}}' for i in range(arity))})"


_ROWS = (
    Op("add", 2, np.add, lambda y, x, dx: dx[0] + dx[1], "{0} + {1}", "fadd {fast}{v} {0}, {1}", commutative=True),
    Op("subtract", 2, np.subtract, lambda y, x, dx: dx[0] - dx[1], "{0} - {1}", "fsub {fast}{v} {0}, {1}"),
    Op(
        "multiply",
        2,
        np.multiply,
        lambda y, x, dx: dx[0] * x[1] + x[0] * dx[1],
        "{0} * {1}",
        "fmul {fast}{v} {0}, {1}",
        commutative=True,
    ),
    Op("divide", 2, np.divide, lambda y, x, dx: (dx[0] - y * dx[1]) / x[1], "{0} / {1}", "fdiv {v} {0}, {1}"),
    Op(
        "fma",  # a b + c, rounded once where the processor can
        3,
        _fma,
        lambda y, x, dx: dx[0] * x[1] + x[0] * dx[1] + dx[2],
        "fma{f}({0}, {1}, {2})",
        _call("fma", 3),
        commutative=True,
        js="{0} * {1} + {2}",
    ),
    Op("negative", 1, np.negative, lambda y, x, dx: -dx[0], "-{0}", "fneg {v} {0}"),
    Op("sqrt", 1, np.sqrt, lambda y, x, dx: dx[0] / (y + y), "sqrt{f}({0})", _call("sqrt"), js="Math.sqrt({0})"),
    Op("sin", 1, np.sin, lambda y, x, dx: np.cos(x[0]) * dx[0], "sin{f}({0})", None, js="Math.sin({0})"),
    Op("cos", 1, np.cos, lambda y, x, dx: -(np.sin(x[0]) * dx[0]), "cos{f}({0})", None, js="Math.cos({0})"),
    Op(
        "arctan2",
        2,
        np.arctan2,
        lambda y, x, dx: (x[1] * dx[0] - x[0] * dx[1]) / (x[0] * x[0] + x[1] * x[1]),
        "atan2{f}({0}, {1})",
        None,
        js="Math.atan2({0}, {1})",
    ),
    Op(
        "arccos",
        1,
        np.arccos,
        lambda y, x, dx: -dx[0] / np.sqrt((1.0 - x[0]) * (1.0 + x[0])),
        "acos{f}({0})",
        None,
        js="Math.acos({0})",
    ),
    Op(
        "absolute",
        1,
        np.absolute,
        lambda y, x, dx: np.copysign(1.0, x[0]) * dx[0],
        "fabs{f}({0})",
        _call("fabs"),
        js="Math.abs({0})",
    ),
    Op(
        "copysign",
        2,
        np.copysign,
        lambda y, x, dx: np.copysign(1.0, x[0]) * np.copysign(1.0, x[1]) * dx[0],
        "copysign{f}({0}, {1})",
        _call("copysign", 2),
        js="copysign({0}, {1})",
    ),
    Op(
        "minimum",
        2,
        np.minimum,
        lambda y, x, dx: np.where(x[0] <= x[1], dx[0], dx[1]),
        "({0} < {1} || isnan({0}) ? {0} : {1})",
        _call("minimum", 2),
        js="Math.min({0}, {1})",
    ),
    Op(
        "maximum",
        2,
        np.maximum,
        lambda y, x, dx: np.where(x[1] <= x[0], dx[0], dx[1]),
        "({0} > {1} || isnan({0}) ? {0} : {1})",
        _call("maximum", 2),
        js="Math.max({0}, {1})",
    ),
    Op("floor", 1, np.floor, _nothing, "floor{f}({0})", _call("floor"), js="Math.floor({0})"),
    Op("less", 2, np.less, _nothing, "({0} < {1})", "fcmp olt {v} {0}, {1}", logical=True),
    Op("less_equal", 2, np.less_equal, _nothing, "({0} <= {1})", "fcmp ole {v} {0}, {1}", logical=True),
    Op(
        "where",
        3,
        np.where,
        lambda y, x, dx: np.where(x[0], dx[1], dx[2]),
        "({0} ? {1} : {2})",
        "select {b} {0}, {v} {1}, {v} {2}",
    ),
)

OPS: dict[str, Op] = {row.name: row for row in _ROWS}
