"""Traced numbers: NumPy's functions take them, equal means identical, and what needs a value is refused."""

import numpy as np
import pytest

from kinetree.compiler.expr import COMPOSED, Graph
from kinetree.compiler.interpret import interpret
from kinetree.compiler.ops import OPS
from kinetree.compiler.program import trace
from kinetree.compiler.rules import RULES


@pytest.fixture
def graph():
    return Graph()


def value(function, *numbers):
    """A function of floats, traced and interpreted."""
    return float(interpret(trace(function, *[()] * len(numbers)), *numbers))


def domain(name, rng):
    x = rng.uniform(-0.9, 0.9, 3)
    return np.abs(x) if name == "sqrt" else x


def test_every_row_is_its_numpy_function():
    rng = np.random.default_rng(1)
    for op in OPS.values():
        x = domain(op.name, rng)[: op.arity]
        if op.name in ("fma", "where"):
            continue
        function = getattr(np, op.name)
        assert op.meaning is function
        if op.logical:
            found = value(lambda a, b, f=function: np.where(f(a.item(), b.item()), 1.0, 2.0), *x)
            assert found == (1.0 if function(*x) else 2.0)
        else:
            assert value(lambda *e, f=function: f(*[a.item() for a in e]), *x) == function(*x)
    assert value(lambda a, b, c: a.item().graph.apply("fma", a.item(), b.item(), c.item()), 2.0, 3.0, 4.0) == 10.0
    assert value(lambda a, b: np.where(a.item() < b.item(), a.item(), 7.0), 2.0, 1.0) == 7.0


def test_what_is_composed_is_its_numpy_function():
    rng = np.random.default_rng(2)
    for name in COMPOSED:
        function = getattr(np, name)
        x = [0.7, 2.0] if name == "power" else rng.uniform(-0.9, 0.9, 2)[: function.nin]
        if name.startswith("greater"):
            found = value(lambda a, b, f=function: np.where(f(a.item(), b.item()), 1.0, 0.0), *x)
        elif name == "power":
            found = value(lambda a, _: np.power(a.item(), 2.0), *x)
        else:
            found = value(lambda *e, f=function: f(*[a.item() for a in e]), *x)
        np.testing.assert_allclose(found, function(*x), rtol=1e-15, err_msg=name)


def test_operators():
    cases = [
        (lambda x, y: x + y, 5.0),
        (lambda x, y: 1 + x - y, 0.0),
        (lambda x, y: 1 - x, -1.0),
        (lambda x, y: x * y / 4, 1.5),
        (lambda x, y: 3 / x, 1.5),
        (lambda x, y: -x, -2.0),
        (lambda x, y: +x, 2.0),
        (lambda x, y: abs(-x), 2.0),
        (lambda x, y: x**2 + x**0.5, 4 + np.sqrt(2)),
        (lambda x, y: np.where(x < y, 1.0, 2.0), 1.0),
        (lambda x, y: np.where(x > y, 1.0, 2.0), 2.0),
        (lambda x, y: np.where(x <= 2, 1.0, 2.0), 1.0),
        (lambda x, y: np.where(x >= y, 1.0, 2.0), 2.0),
        (lambda x, y: np.where(np.float64(2) < x, 1.0, 2.0), 2.0),
        (lambda x, y: np.where(np.float64(3) >= x, 1.0, 2.0), 1.0),
    ]
    for function, expected in cases:
        assert value(lambda x, y, f=function: f(x.item(), y.item()), 2.0, 3.0) == expected


def test_arrays_of_traced_numbers():
    a, b = np.random.default_rng(3).normal(size=(2, 3, 3))
    v = a[0]
    for function in (
        lambda x, y: x @ y,
        lambda x, y: np.sin(x) * 2.0 + y.T,
        lambda x, y: np.block([[x, y], [y, x]]),
        lambda x, y: np.cross(x[0], y[1]),
        lambda x, y: np.einsum("ij,jk->ik", x, y),
        lambda x, y: x.sum(axis=0) - np.linalg.norm(v) * y.mean(axis=1),
        lambda x, y: x[0, 0] * a + a / y[0, 0] + np.maximum(a, y[1, 1]) - np.copysign(a, x[0, 1]),
        lambda x, y: np.stack([np.arctan2(x[0], y[0]), abs(x[0])]),
    ):
        program = trace(function, (3, 3), (3, 3))
        np.testing.assert_allclose(interpret(program, a, b), function(a, b), rtol=1e-13, atol=1e-13)


def test_equal_means_identical(graph):
    x, y = graph.input(0), graph.input(1)
    assert graph.input(0) is x
    assert x * y + 1 is 1 + y * x
    assert x - y is not y - x
    assert graph.constant(0.0) is not graph.constant(-0.0)
    assert graph.constant(np.nan) is graph.constant(np.nan)
    assert graph.constant(1) is graph.constant(np.float64(1))
    assert len({x, y, x + y, y + x}) == 3


def test_constants_are_computed_at_once(graph):
    two = graph.constant(2.0)
    assert float(np.sqrt(two * 8) + 1) == 5.0
    assert (two / 0).value == np.inf
    assert np.isnan((two * 0 / 0).value)
    x = graph.input(0)
    assert np.where(two < 3.0, x, -x) is x
    assert np.where(two <= 1.0, x, -x) is -x


def test_a_branch_on_data_is_refused(graph):
    x, y = graph.input(0), graph.input(1)
    for branch in (
        lambda: bool(x),
        lambda: x < 1 < y,
        lambda: x and y,
        lambda: not x,
        lambda: max(x, y),
        lambda: x == 0.0,
        lambda: x != y,
        lambda: x == 1.0,
        lambda: x in (y, 1.0),
        lambda: np.array([x, y]) == 0.0,
        lambda: np.equal(x, 0.0),
        lambda: np.array([x, y]).sort(),
        lambda: float(x),
        lambda: int(x),
    ):
        with pytest.raises(TypeError):
            branch()
    with pytest.raises(TypeError, match=r"choose with np\.where"):
        bool(x < 1)
    assert x == x


def test_what_is_not_known_is_named(graph):
    x = graph.input(0)
    with pytest.raises(TypeError, match=r"np\.exp of a traced number; expected .*sqrt"):
        np.exp(x)
    with pytest.raises(TypeError, match=r"np\.clip"):
        np.clip(x, 0, 1)
    for power in (-1, 0, 17, 2.5):
        with pytest.raises(TypeError, match=f"to the power of {power}; expected 1 to 16 and 0.5"):
            x**power
    with pytest.raises(TypeError, match="expected 1 to 16"):
        x**x
    with pytest.raises(TypeError):
        np.add(x, 1.0, where=False)


def test_traces_do_not_mix(graph):
    with pytest.raises(ValueError, match="two traces"):
        graph.input(0) + Graph().input(0)


def test_truth_values_are_for_where_alone(graph):
    x = graph.input(0)
    for misuse in (
        lambda: (x < 1) + 1.0,
        lambda: np.where(x, 1.0, 2.0),
        lambda: np.where(x < 1, x < 2, x),
        lambda: -(x < 1),
        lambda: (x < 1) < 2,
    ):
        with pytest.raises(TypeError, match="truth value"):
            misuse()


def test_a_list_is_no_way_around(graph):
    x = graph.input(0)
    with pytest.raises(TypeError, match="build arrays from their entries"):
        np.zeros(2)[0] = x
    np.zeros(2)[0] = graph.constant(3.0)


def test_repr(graph):
    x = graph.input(0)
    assert repr(np.sin(x) * 2.0) == "multiply(sin(x0), 2.0)"


def test_rules_are_of_operations():
    assert set(RULES) <= set(OPS)


def test_functions_of_arrays_of_traced_numbers():
    """Those that NumPy has for arrays of objects: it calls the method of the entry."""

    def function(x):
        each = (np.sin, np.cos, np.tan, np.sqrt, np.floor, np.absolute, np.arcsin, np.arccos, np.arctan, np.square)
        return np.array([f(x) for f in each] + [np.hypot(x, x[::-1]), np.arctan2(x, x[::-1]), x**3, x**7])

    numbers = np.array([0.3, 0.7])
    np.testing.assert_allclose(interpret(trace(function, (2,)), numbers), function(numbers), rtol=4e-16, atol=0)


def test_comparisons_with_arrays(graph):
    x = graph.input(0)
    for compared in (x < np.ones(2), np.ones(2) > x, x > np.ones(2), np.ones(2) <= x):
        assert [entry.op.name for entry in compared] in (["less"] * 2, ["less_equal"] * 2)
