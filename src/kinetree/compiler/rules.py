"""Simplification of expressions: a table of short rules, tried in order whenever an expression is created.

The rules are valid for finite numbers: 0 x is 0 and x - x is 0, although not for NaN and infinity. So an output that no
longer depends on an input ignores that input's NaN. A rule returns an expression, a float, or None (not applicable).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinetree.compiler.expr import Expr, Graph

Rule = Callable[..., Any]


def _negated(x: Expr) -> Expr | None:
    """Return y if x is -y."""
    return x.args[0] if x.op is not None and x.op.name == "negative" else None


def _scaled(x: Expr) -> tuple[float, Expr] | None:
    """Return (c, y) if x is c y."""
    if x.op is not None and x.op.name == "multiply":
        for c, y in (x.args, x.args[::-1]):
            if c.value is not None:
                return c.value, y
    return None


def _either_way(rule: Callable[[Graph, Expr, Expr], Any]) -> Rule:
    """Return a rule that also tries the arguments swapped."""

    def both(graph: Graph, a: Expr, b: Expr) -> Any:
        simpler = rule(graph, a, b)
        return rule(graph, b, a) if simpler is None else simpler

    return both


def _minus_in_sum(graph: Graph, a: Expr, b: Expr) -> Expr | None:
    y = _negated(b)
    return None if y is None else graph.apply("subtract", a, y)


def _minus_in_product(graph: Graph, a: Expr, b: Expr) -> Expr | None:
    y = _negated(a)
    return None if y is None else -(y * b)


def _minus_before_difference(graph: Graph, a: Expr, b: Expr) -> Expr | None:
    y = _negated(a)
    return None if y is None else -(y + b)


def _negative_scale(graph: Graph, a: Expr, b: Expr) -> Expr | None:
    return -(-a.value * b) if a.value is not None and a.value < 0 else None


def _two_scales(graph: Graph, a: Expr, b: Expr) -> Expr | None:
    scaled = _scaled(b)
    return None if a.value is None or scaled is None else (a.value * scaled[0]) * scaled[1]


def _even(graph: Graph, name: str, a: Expr) -> Expr | None:
    y = _negated(a)
    return None if y is None else graph.apply(name, y)


def _odd(graph: Graph, name: str, a: Expr) -> Expr | None:
    y = _negated(a)
    return None if y is None else -graph.apply(name, y)


def _subtracted_minus(graph: Graph, a: Expr, b: Expr) -> Expr | None:
    y = _negated(b)
    return None if y is None else a + y


RULES: dict[str, tuple[Rule, ...]] = {
    "add": (
        _either_way(lambda g, a, b: b if a.value == 0 else None),  # 0 + x -> x
        _either_way(_minus_in_sum),  # x + (-y) -> x - y
    ),
    "subtract": (
        lambda g, a, b: a if b.value == 0 else None,  # x - 0 -> x
        lambda g, a, b: -b if a.value == 0 else None,  # 0 - x -> -x
        lambda g, a, b: 0.0 if a is b else None,  # x - x -> 0
        _subtracted_minus,  # x - (-y) -> x + y
        _minus_before_difference,  # -x - y -> -(x + y)
    ),
    "multiply": (
        _either_way(lambda g, a, b: 0.0 if a.value == 0 else None),  # 0 x -> 0
        _either_way(lambda g, a, b: b if a.value == 1 else None),  # 1 x -> x
        _either_way(lambda g, a, b: -b if a.value == -1 else None),  # -1 x -> -x
        _either_way(_minus_in_product),  # (-x) y -> -(x y)
        _either_way(_negative_scale),  # -c x -> -(c x)
        _either_way(_two_scales),  # c (d x) -> (c d) x
    ),
    "divide": (
        lambda g, a, b: 0.0 if a.value == 0 else None,  # 0 / x -> 0
        lambda g, a, b: a if b.value == 1 else None,  # x / 1 -> x
        lambda g, a, b: -a if b.value == -1 else None,  # x / -1 -> -x
    ),
    "fma": (lambda g, a, b, c: a * b + c if 0 in (a.value, b.value, c.value) else None,),
    "negative": (
        lambda g, a: _negated(a),  # -(-x) -> x
        lambda g, a: (
            a.args[1] - a.args[0] if a.op is not None and a.op.name == "subtract" else None
        ),  # -(x - y) -> y - x
    ),
    "sin": (lambda g, a: _odd(g, "sin", a),),  # sin(-x) -> -sin x
    "cos": (lambda g, a: _even(g, "cos", a),),  # cos(-x) -> cos x
    "absolute": (lambda g, a: _even(g, "absolute", a),),  # |-x| -> |x|
    "where": (
        lambda g, condition, a, b: a if a is b else None,
        lambda g, condition, a, b: None if condition.value is None else a if condition.value else b,
    ),
}
