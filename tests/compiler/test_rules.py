"""Simplification changes no value of finite numbers."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given as examples, settings, strategies as st

from each import each
from kinetree.compiler.expr import Expr, Graph
from kinetree.compiler.interpret import interpret
from kinetree.compiler.ops import OPS
from kinetree.compiler.program import assemble, trace
from kinetree.compiler.rules import RULES

X = np.random.default_rng(1).normal(size=(50, 2))


def pool(graph, *, logical):
    """Arguments that the rules look for, and others."""
    x, y = graph.input(0), graph.input(1)
    constants = [graph.constant(c) for c in (0.0, -0.0, 1.0, -1.0, 2.5)]
    if logical:
        return [x < y, y <= x, *constants]
    return [*constants, x, y, -x, -y, x - y, 2.5 * x, -1.5 * y, x + y]


def numbers(graph, expr):
    """Its values at X."""
    if not isinstance(expr, Expr):
        return np.full(len(X), float(expr))
    if expr.op is not None and expr.op.logical:
        expr = np.where(expr, 1.0, 0.0)
    return interpret(assemble(graph, ((2,),), [expr], ()), X)


@pytest.mark.slow
@each("name, number", [(name, i) for name, rules in RULES.items() for i in range(len(rules))])
def test_every_rule_applies_somewhere_and_keeps_the_value(name, number):
    graph, op, applied = Graph(), OPS[name], 0
    arguments = [pool(graph, logical=name == "where" and i == 0) for i in range(op.arity)]
    known = {}
    for choice in itertools.product(*arguments):
        simpler = RULES[name][number](graph, *choice)
        if simpler is None:
            continue
        for argument in choice:
            if argument not in known:
                known[argument] = numbers(graph, argument)
        with np.errstate(all="ignore"):
            expected = op.meaning(*[known[argument] for argument in choice])
        finite = np.isfinite(expected)
        applied += bool(finite.any())
        found = numbers(graph, simpler)
        np.testing.assert_allclose(found[finite], expected[finite], rtol=1e-15, atol=1e-15, err_msg=str(choice))
    assert applied


def test_what_vanishes():
    x = Graph().input(0)
    graph = x.graph
    for zero in (0 * x, x - x, x + -x, 0 / x, -0.0 * x):
        assert zero.value == 0.0
    assert np.negative(-x) is x
    assert x + 0 is x - 0 is x * 1 is x / 1
    assert x * -1 is -x
    assert np.cos(-x) is np.cos(x)
    assert np.sin(-x) is -np.sin(x)
    assert 2 * (3 * x) is 6 * x
    assert (-x) * (-x) is x * x
    assert graph.apply("fma", x, 0.0, 3.0).value == 3.0


# random expressions: of small dyadic numbers, the arithmetic is exact, and so must the simplified be

SMALL = st.integers(-8, 8).map(lambda n: n / 4)
EXACT = ("add", "subtract", "multiply", "negative", "absolute", "minimum", "maximum", "floor", "choose")
SMOOTH = (
    "add",
    "subtract",
    "multiply",
    "divide",
    "negative",
    "sqrt",
    "sin",
    "cos",
    "arctan2",
    "arccos",
    "absolute",
    "copysign",
)


def trees(operations, leaves):
    """Nested tuples (operation, *arguments), numbers, and names of inputs."""

    def larger(smaller):
        def of(name):
            arity = 4 if name == "choose" else OPS[name].arity
            return st.tuples(st.just(name), *[smaller] * arity)

        return st.sampled_from(operations).flatmap(of)

    return st.recursive(st.one_of(st.sampled_from(["x0", "x1", "x2"]), leaves), larger, max_leaves=12)


def run(tree, x, check=lambda name, args, value: None):
    """The value of a tree for numbers or traced numbers x."""
    if isinstance(tree, str):
        return x[int(tree[1])]
    if not isinstance(tree, tuple):
        return tree
    name, *args = tree
    args = [run(argument, x, check) for argument in args]
    if name == "choose":
        return np.where(np.less(args[0], args[1]), args[2], args[3]) + 0.0
    value = getattr(np, name)(*args)
    check(name, args, value)
    return value


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@examples(trees(EXACT, SMALL), st.tuples(SMALL, SMALL, SMALL))
def test_exact_expressions_stay_exact(tree, x):
    program = trace(lambda e: np.array(run(tree, e), dtype=object), (3,))
    assert interpret(program, x) == run(tree, np.array(x))


def well_conditioned(name, args, value):
    """Away from where rounding is blown up, and from zeros whose sign counts."""
    assume(np.isfinite(value) and abs(value) < 100)
    if name in ("divide", "copysign"):
        assume(abs(args[1]) > 0.1)
    if name == "arctan2":
        assume(np.hypot(*args) > 0.1)
        assume(args[1] > 0 or abs(args[0]) > 0.1)
    if name == "sqrt":
        assume(args[0] > 0.01)
    if name == "arccos":
        assume(abs(args[0]) < 0.99)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@examples(trees(SMOOTH, st.floats(-3, 3)), st.tuples(*[st.floats(-3, 3)] * 3))
def test_any_expression_stays_what_it_is(tree, x):
    with np.errstate(all="ignore"):
        expected = run(tree, np.array(x), well_conditioned)
    program = trace(lambda e: np.array(run(tree, e), dtype=object), (3,))
    np.testing.assert_allclose(interpret(program, x), expected, rtol=1e-9, atol=1e-9)
