"""Scalar expressions, hash-consed: in one graph, equal means identical, so that nothing is computed twice.

An `Expr` replaces a float in any function written in plain NumPy. It has the arithmetic operators, and NumPy's
functions accept it (`np.sin(x)`, `np.where(x < y, x, y)`), alone or as an entry of an object array. Comparisons,
`where`, `minimum`, `maximum` and `copysign` accept it alone only: there NumPy itself compares or supports no objects.
"""

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from kinetree.compiler.lookup import Leasts, Lookup, operation
from kinetree.compiler.ops import OPS, Op
from kinetree.compiler.rules import RULES


class Graph:
    """The expressions of one function, each after its arguments.

    It has no lock: each trace makes its own, and runs in one thread.
    """

    __slots__ = ("_applied", "_known", "exprs")

    def __init__(self) -> None:
        self.exprs: list[Expr] = []
        self._known: dict[tuple[object, ...], Expr] = {}
        self._applied: dict[tuple[object, ...], Expr] = {}

    def input(self, number: int) -> "Expr":
        """Return the expression of input number `number`."""
        return self._intern(("input", number), None, (), None)

    def constant(self, value: float) -> "Expr":
        """Return the expression of a number; two are the same if their bits are, so that -0.0 is not 0.0."""
        value = float(value)
        return self._intern(("constant", struct.pack("<d", value)), None, (), value)

    def apply(self, name: str | Lookup, *arguments: Any) -> "Expr":
        """Return the simplified result of an operation on expressions or floats."""
        args = tuple([a if isinstance(a, Expr) else self.constant(a) for a in arguments])
        for argument in args:
            if argument.graph is not self:
                raise ValueError("expressions of two traces in one operation")
        key = (name, *[a.index for a in args])
        result = self._applied.get(key)
        if result is None:
            result = self._applied[key] = self._simplified(name, args)
        return result

    def _simplified(self, name: str | Lookup, args: "tuple[Expr, ...]") -> "Expr":
        op = operation(name)
        for i, argument in enumerate(args):
            known = argument.value is not None  # then a truth value is 1 or 0
            if not known and (argument.op is not None and argument.op.logical) != (name == "where" and i == 0):
                raise TypeError(f"argument {i + 1} of {name}: a truth value is what `where` takes first, and only that")
        values = [a.value for a in args]
        if None not in values and not isinstance(op, Leasts):  # which has many results
            with np.errstate(all="ignore"):
                return self.constant(op.meaning(*values))
        for rule in RULES.get(name, ()) if isinstance(name, str) else ():
            simpler = rule(self, *args)
            if simpler is not None:
                return simpler if isinstance(simpler, Expr) else self.constant(simpler)
        if op.commutative and args[0].index > args[1].index:
            args = (args[1], args[0], *args[2:])
        return self._intern((name, *[a.index for a in args]), op, args, None)

    def _intern(
        self, key: tuple[object, ...], op: Op | Lookup | None, args: "tuple[Expr, ...]", value: float | None
    ) -> "Expr":
        expr = self._known.get(key)
        if expr is None:
            expr = self._known[key] = Expr(self, len(self.exprs), op, args, value)
            self.exprs.append(expr)
        return expr


def _binary(name: str, *, swapped: bool = False) -> Any:
    def method(self: "Expr", other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.graph.apply(name, *((other, self) if swapped else (self, other)))

    return method


def _unary(name: str) -> Any:
    def method(self: "Expr") -> "Expr":
        return self.graph.apply(name, self)

    return method


class Expr:
    """A traced number: an operation on others, an input, or a constant (`value`)."""

    __slots__ = ("args", "graph", "index", "op", "value")

    graph: Graph
    index: int
    op: Op | Lookup | None
    args: "tuple[Expr, ...]"
    value: float | None

    def __init__(
        self, graph: Graph, index: int, op: Op | Lookup | None, args: "tuple[Expr, ...]", value: float | None
    ) -> None:
        self.graph, self.index, self.op, self.args, self.value = graph, index, op, args, value

    __add__, __radd__ = _binary("add"), _binary("add", swapped=True)
    __sub__, __rsub__ = _binary("subtract"), _binary("subtract", swapped=True)
    __mul__, __rmul__ = _binary("multiply"), _binary("multiply", swapped=True)
    __truediv__, __rtruediv__ = _binary("divide"), _binary("divide", swapped=True)
    __lt__, __gt__ = _binary("less"), _binary("less", swapped=True)
    __le__, __ge__ = _binary("less_equal"), _binary("less_equal", swapped=True)
    __neg__: Any = _unary("negative")
    __abs__: Any = _unary("absolute")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        raise TypeError("a traced number has no value yet, so it equals nothing; choose with np.where, < and <=")

    __hash__ = object.__hash__

    def __pos__(self) -> "Expr":
        return self

    def __pow__(self, exponent: Any) -> Any:
        power: Any = exponent.value if isinstance(exponent, Expr) else exponent
        if power == 0.5:
            return np.sqrt(self)
        if power in range(1, 17):
            return self if power == 1 else self ** (power // 2) * self ** (power - power // 2)
        raise TypeError(f"a traced number to the power of {exponent!r}; expected 1 to 16 and 0.5")

    def __bool__(self) -> bool:
        raise TypeError("a traced number has no value yet, so nothing can branch on it; choose with np.where")

    def __float__(self) -> float:
        if self.value is None:
            raise TypeError("a traced number has no value yet; build arrays from their entries, as np.array([x, y])")
        return self.value

    def __repr__(self) -> str:
        if self.value is not None:
            return repr(self.value)
        return f"{self.op.name}({', '.join(map(repr, self.args))})" if self.op else f"x{self.index}"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Apply one of NumPy's functions to a traced number; with an array, entry by entry."""
        if method != "__call__" or any(value is not None for value in kwargs.values()):
            return NotImplemented
        if any(isinstance(x, np.ndarray) for x in inputs):
            arrays = [x if isinstance(x, np.ndarray) else np.array(x, dtype=object) for x in inputs]
            return np.frompyfunc(lambda *entries: ufunc(*entries), len(arrays), 1)(*arrays)
        if ufunc.__name__ in OPS:
            return self.graph.apply(ufunc.__name__, *inputs)
        if ufunc.__name__ in COMPOSED:
            return COMPOSED[ufunc.__name__](*inputs)
        raise TypeError(
            f"np.{ufunc.__name__} of a traced number; expected one of {', '.join(sorted({*OPS, *COMPOSED}))}"
        )

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.where and len(args) == 3 and not kwargs:
            return self.graph.apply("where", *args)
        raise TypeError(f"np.{function.__name__} of a traced number is not known; np.where of three scalars is")


COMPOSED: dict[str, Callable[..., Any]] = {
    "tan": lambda x: np.sin(x) / np.cos(x),
    "square": lambda x: x * x,
    "power": lambda x, y: x**y,
    "reciprocal": lambda x: 1.0 / x,
    "arcsin": lambda x: np.arctan2(x, np.sqrt((1.0 - x) * (1.0 + x))),
    "arctan": lambda x: np.arctan2(x, 1.0),
    "hypot": lambda x, y: np.sqrt(x * x + y * y),
    "greater": lambda x, y: np.less(y, x),
    "greater_equal": lambda x, y: np.less_equal(y, x),
    "positive": lambda x: x,
    "fabs": np.absolute,
}
"""NumPy's functions that are composed of operations in the table."""


# NumPy calls the method of that name for every entry of an array of objects.
for _name, _op in OPS.items():
    if not _op.logical and not hasattr(Expr, _name):
        setattr(Expr, _name, _unary(_name) if _op.arity == 1 else _binary(_name))
for _name in COMPOSED.keys() - {"greater", "greater_equal", "positive", "power"}:
    setattr(Expr, _name, lambda self, *others, name=_name: COMPOSED[name](self, *others))
setattr(Expr, "__floor__", _unary("floor"))  # noqa: B010


def rate(values: Any, inputs: Any, rates: Any) -> Any:
    """Return the rate of `values` while `inputs` change at `rates`, as an array of the shape of `values`.

    All arrays contain expressions of one trace, or floats; `inputs` and `rates` have the same shape. Everything else
    that `values` depend on is constant. At a kink (absolute value, minimum) the result is the rate on one side.
    """
    values = np.asarray(values, dtype=object)
    known: dict[Expr, Any] = dict(zip(np.ravel(inputs), np.ravel(rates), strict=True))
    needed = [x for x in values.ravel() if isinstance(x, Expr)]
    last = max((x.index for x in needed), default=-1)
    for expr in needed[0].graph.exprs[: last + 1] if needed else ():  # in order: arguments first
        if expr not in known:
            dx = [known[a] for a in expr.args]
            still = all(isinstance(d, float) and d == 0.0 for d in dx)
            known[expr] = 0.0 if expr.op is None or still else _folded(expr.op.rate(expr, expr.args, dx))
    result = np.empty(values.shape, dtype=object)
    result.ravel()[:] = [known[x] if isinstance(x, Expr) else 0.0 for x in values.ravel()]
    return result


def _folded(dx: Any) -> Any:
    """Return a rate, as a float if it is constant."""
    return dx.value if isinstance(dx, Expr) and dx.value is not None else dx
