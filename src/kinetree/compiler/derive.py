"""Forward-mode derivatives on the expression graph."""

from typing import Any

import numpy as np

from kinetree.compiler.expr import Expr


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
