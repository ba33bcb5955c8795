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
Rate = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Op:
    """One operation.

    arity: number of arguments.
    meaning: the function on floats and arrays of floats.
    rate: function from the value y, the arguments x and their rates dx to the rate of the value.
    c, llvm, js: templates of the backends; None if `lower` or the backend itself handles it. If js is empty, it is c
        with the functions of JavaScript's Math.
    commutative: whether the first two arguments may be swapped.
    logical: whether the result is a truth value, which only `where` takes, as its first argument.
    """

    name: str
    arity: int
    meaning: Meaning
    rate: Rate
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


def _op(name: str, arity: int, rate: Rate, c: str, llvm: str | None, **more: Any) -> Op:
    return Op(name, arity, getattr(np, name, _fma), rate, c, llvm, **more)


_ROWS = (
    _op("add", 2, lambda y, x, dx: dx[0] + dx[1], "{0} + {1}", "fadd {fast}{v} {0}, {1}", commutative=True),
    _op("subtract", 2, lambda y, x, dx: dx[0] - dx[1], "{0} - {1}", "fsub {fast}{v} {0}, {1}"),
    _op(
        "multiply",
        2,
        lambda y, x, dx: dx[0] * x[1] + x[0] * dx[1],
        "{0} * {1}",
        "fmul {fast}{v} {0}, {1}",
        commutative=True,
    ),
    _op("divide", 2, lambda y, x, dx: (dx[0] - y * dx[1]) / x[1], "{0} / {1}", "fdiv {v} {0}, {1}"),
    # a b + c, rounded once where the processor can
    _op(
        "fma",
        3,
        lambda y, x, dx: dx[0] * x[1] + x[0] * dx[1] + dx[2],
        "fma{f}({0}, {1}, {2})",
        _call("fma", 3),
        commutative=True,
        js="{0} * {1} + {2}",
    ),
    _op("negative", 1, lambda y, x, dx: -dx[0], "-{0}", "fneg {v} {0}"),
    _op("sqrt", 1, lambda y, x, dx: dx[0] / (y + y), "sqrt{f}({0})", _call("sqrt")),
    _op("sin", 1, lambda y, x, dx: np.cos(x[0]) * dx[0], "sin{f}({0})", None),
    _op("cos", 1, lambda y, x, dx: -(np.sin(x[0]) * dx[0]), "cos{f}({0})", None),
    _op(
        "arctan2",
        2,
        lambda y, x, dx: (x[1] * dx[0] - x[0] * dx[1]) / (x[0] * x[0] + x[1] * x[1]),
        "atan2{f}({0}, {1})",
        None,
    ),
    _op("arccos", 1, lambda y, x, dx: -dx[0] / np.sqrt((1.0 - x[0]) * (1.0 + x[0])), "acos{f}({0})", None),
    _op(
        "absolute",
        1,
        lambda y, x, dx: np.copysign(1.0, x[0]) * dx[0],
        "fabs{f}({0})",
        _call("fabs"),
        js="Math.abs({0})",
    ),
    _op(
        "copysign",
        2,
        lambda y, x, dx: np.copysign(1.0, x[0]) * np.copysign(1.0, x[1]) * dx[0],
        "copysign{f}({0}, {1})",
        _call("copysign", 2),
        js="copysign({0}, {1})",
    ),
    _op(
        "minimum",
        2,
        lambda y, x, dx: np.where(x[0] <= x[1], dx[0], dx[1]),
        "({0} < {1} || isnan({0}) ? {0} : {1})",
        _call("minimum", 2),
        js="Math.min({0}, {1})",
    ),
    _op(
        "maximum",
        2,
        lambda y, x, dx: np.where(x[1] <= x[0], dx[0], dx[1]),
        "({0} > {1} || isnan({0}) ? {0} : {1})",
        _call("maximum", 2),
        js="Math.max({0}, {1})",
    ),
    _op("floor", 1, _nothing, "floor{f}({0})", _call("floor")),
    _op("less", 2, _nothing, "({0} < {1})", "fcmp olt {v} {0}, {1}", logical=True),
    _op("less_equal", 2, _nothing, "({0} <= {1})", "fcmp ole {v} {0}, {1}", logical=True),
    _op(
        "where",
        3,
        lambda y, x, dx: np.where(x[0], dx[1], dx[2]),
        "({0} ? {1} : {2})",
        "select {b} {0}, {v} {1}, {v} {2}",
    ),
)

OPS: dict[str, Op] = {row.name: row for row in _ROWS}
