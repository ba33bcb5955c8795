"""Reverse and forward mode on programs against finite differences and against each other."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from every_operation import kernel
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.ops import OPS
from kinetree.compiler.program import Program, Step
from kinetree.errors import KinetreeError

STEP = 1e-5
SMOOTH = [name for name in OPS if name != "where"]


def of_operation(name):
    """y = op(x), or for a comparison which of two numbers it chooses, of three numbers."""
    op = OPS[name]
    if not op.logical:
        return Program(((3,),), (), (Step(name, tuple(range(op.arity))),), (3,), (1,))
    return Program(((3,),), (), (Step(name, (0, 1)), Step("where", (3, 2, 0))), (4,), (1,))


def samples(name, rng):
    """Points at which every operation is smooth, a step to each side."""
    x = rng.uniform(-0.9, 0.9, (300, 3))
    x = x[(abs(x) > 0.05).all(axis=1) & (abs(x[:, 0] - x[:, 1]) > 0.05)]
    return abs(x) if name == "sqrt" else x


def differences(function, x, dx):
    return (function(x + STEP * dx) - function(x - STEP * dx)) / (2 * STEP)


@each("name", SMOOTH)
def test_every_operation(name):
    rng = np.random.default_rng(1)
    f, x = kernel(of_operation(name)), samples(name, rng)
    dx, g = rng.normal(size=x.shape), rng.normal(size=(len(x), 1))
    expected = differences(f.interpret, x, dx)
    np.testing.assert_allclose(kt.jvp(f).interpret(x, dx), expected, rtol=1e-6, atol=1e-6)
    along = (kt.vjp(f).interpret(x, g) * dx).sum(axis=-1)
    np.testing.assert_allclose(along, (g * expected)[:, 0], rtol=1e-6, atol=1e-6)


@each("name", SMOOTH)
def test_every_operation_twice(name):
    """Reverse over reverse against differences of reverse, by both inputs of the first derivative."""
    rng = np.random.default_rng(2)
    first, x = kt.vjp(kernel(of_operation(name))), samples(name, rng)
    g, h, dx, dg = rng.normal(size=(len(x), 1)), *rng.normal(size=(2, *x.shape)), rng.normal(size=(len(x), 1))
    x_bar, g_bar = kt.vjp(first).interpret(x, g, h)
    found = (x_bar * dx).sum(axis=-1) + (g_bar * dg).sum(axis=-1)
    there = [first.interpret(x + s * dx, g + s * dg) for s in (STEP, -STEP)]
    expected = (h * (there[0] - there[1])).sum(axis=-1) / (2 * STEP)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * (1 + abs(expected).max() ** 0.5))


def guarded(x):
    """sin(|x|) / |x|, for any x."""
    r = np.sqrt(x[0] * x[0] + x[1] * x[1])
    is_small = r < 1e-6
    return np.array([np.where(is_small, 1.0, np.sin(r) / r), np.maximum(r, 1e-3)])


@pytest.mark.slow
def test_what_is_not_chosen_has_no_part_in_a_gradient():
    f = kernel(guarded, (2,))
    gradient = kt.vjp(f)
    np.testing.assert_array_equal(gradient(np.zeros(2), np.ones(2)), np.zeros(2))
    np.testing.assert_array_equal(kt.vjp(gradient, "x")(np.zeros(2), np.ones(2), np.ones(2)), np.zeros(2))
    x, g = np.array([0.3, -0.4]), np.array([0.7, 0.2])
    expected = [g @ differences(f, x, e) for e in np.eye(2)]
    np.testing.assert_allclose(gradient(x, g), expected, rtol=0, atol=1e-9)


def test_the_derivative_by_a_cotangent_of_zero_is_the_jacobian():
    f = kernel(lambda x: np.array([x[0] / x[1], np.sqrt(x[0])]), (2,))
    second = kt.vjp(kt.vjp(f), 1)
    J = np.array([[0.5, -0.5], [0.5 / np.sqrt(2.0), 0.0]])
    for k, unit in enumerate(np.eye(2)):
        np.testing.assert_allclose(second([2.0, 2.0 / 1.0], np.zeros(2), unit), J[:, k], rtol=1e-15)


@pytest.mark.slow
def test_several_inputs_and_outputs():
    f = kernel(lambda x, y: np.array([x @ x, x[0] * y]), (2,), ())
    gradient = kt.vjp(f)
    assert [port.name for port in gradient.inputs] == ["x", "y", "result_bar"]
    found = gradient(np.array([2.0, 3.0]), 5.0, np.array([1.0, 10.0]))
    assert found._fields == ("x_bar", "y_bar")
    assert (found.x_bar.tolist(), float(found.y_bar)) == ([54.0, 6.0], 20.0)
    assert kt.vjp(f, "y")([2.0, 3.0], 5.0, [1.0, 10.0]).tolist() == 20.0
    assert kt.vjp(f, (1, 0))([2.0, 3.0], 5.0, [1.0, 10.0])._fields == ("y_bar", "x_bar")
    assert kt.jvp(f, "y")([2.0, 3.0], 5.0, 1.0).tolist() == [0.0, 2.0]
    both = kt.vjp(gradient)  # several outputs have a cotangent each
    assert [port.name for port in both.inputs] == ["x", "y", "result_bar", "x_bar_bar", "y_bar_bar"]


def test_what_has_no_numbers_has_no_derivative():
    constant = kernel(lambda x: np.eye(2), (0,))
    assert kt.vjp(constant)(np.zeros(0), np.ones((2, 2))).shape == (0,)
    np.testing.assert_array_equal(kt.jvp(constant)(np.zeros(0), np.zeros(0)), np.zeros((2, 2)))


@pytest.mark.slow
def test_kernels_are_remembered_and_freed():
    f = kernel(lambda x: x * x, (2,))
    assert kt.vjp(f) is kt.vjp(f, 0) is kt.vjp(f, "x")
    assert kt.vjp(f, tangent=True) is not kt.vjp(f)
    f_ref = weakref.ref(f)
    gradient = kt.vjp(f)
    del f
    gc.collect()
    assert f_ref() is None
    assert gradient([1.0, 2.0], [1.0, 1.0]).tolist() == [2.0, 4.0]


@each(
    "arguments, message",
    [
        ({"wrt": "z"}, "no input 'z'"),
        ({"wrt": 2}, "wrt is 2; expected x, or a number from 0 to 0"),
        ({"wrt": True}, "wrt is True"),
        ({"wrt": ()}, "wrt is (); expected one or more"),
        ({"wrt": ("x", 0)}, "expected one or more different inputs"),
        ({"tangent": 1}, "tangent is 1; expected True or False"),
    ],
)
def test_wrong_arguments(arguments, message):
    f = kernel(lambda x: x * x, (2,))
    for mode in (kt.vjp, kt.jvp):
        with pytest.raises(KinetreeError) as error:
            mode(f, **arguments)
        assert message in str(error.value)


def test_other_callables_and_repeated_kernels_are_refused():
    with pytest.raises(KinetreeError, match="expected a kernel"):
        kt.vjp(np.sin)
    from kinetree.compiler.kernel import Kernel
    from kinetree.compiler.port import Port
    from kinetree.compiler.program import trace

    port = Port("x", (2,))
    again = Kernel("again", (port,), port, lambda: trace(lambda x: x - 1.0, (2,), repeated=True))
    with pytest.raises(KinetreeError, match="again repeats its steps"):
        kt.vjp(again)([1.0, 2.0], [1.0, 1.0])


def test_names_of_cotangents_are_free():
    """An input may have the name that a cotangent would get."""
    f = kernel(lambda x, y: x * y, (2,), (2,))
    names = [port.name for port in kt.vjp(f).inputs]
    taken = replace(f.inputs[1], name=names[-1])
    again = Kernel("f", (f.inputs[0], taken), f.output, lambda: f.program)
    assert [port.name for port in kt.vjp(again).inputs] == ["x", names[-1], f"{names[-1]}_"]
    x_bar, y_bar = kt.vjp(again).interpret([1.0, 2.0], [3.0, 4.0], [1.0, 10.0])
    assert (x_bar.tolist(), y_bar.tolist()) == ([3.0, 40.0], [1.0, 20.0])
