"""Derivatives against finite differences: every operation, what is composed of them, and derivatives of derivatives."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.compiler.expr import COMPOSED, rate
from kinetree.compiler.interpret import interpret
from kinetree.compiler.ops import OPS
from kinetree.compiler.program import Program, Step, trace

STEP = 1e-5


def jvp(program):
    """Return the program of the same inputs followed by their rates, which computes the rate of the result."""

    def function(*arguments):
        if not program.size:
            return np.zeros(program.output)
        n = len(program.inputs)
        x = np.concatenate([np.ravel(a) for a in arguments[:n]])
        dx = np.concatenate([np.ravel(a) for a in arguments[n:]])
        graph = x[0].graph
        results = program.run(list(x), graph.constant, graph.apply)
        return rate(np.array(results, dtype=object).reshape(program.output), x, dx)

    return trace(function, *program.inputs, *program.inputs)


def of_operation(op):
    """y = op(x), or what it chooses, as a program of three numbers."""
    if not op.logical:
        args = tuple(range(op.arity)) if op.name != "where" else (0, 1, 2)
        return Program(((3,),), (), (Step(op.name, args),), (3,), ())
    return Program(((3,),), (), (Step(op.name, (0, 1)), Step("where", (3, 2, 0))), (4,), ())


def samples(op_name, rng):
    """Points at which the operation is smooth, a step to each side."""
    x = rng.uniform(-0.9, 0.9, (400, 3))
    away = (abs(x) > 0.05).all(axis=1) & (abs(x[:, 0] - x[:, 1]) > 0.05)
    return np.abs(x[away]) if op_name == "sqrt" else x[away]


def agrees_with_differences(program, x, rng, tolerance=1e-6):
    dx = rng.normal(size=x.shape)
    expected = (interpret(program, x + STEP * dx) - interpret(program, x - STEP * dx)) / (2 * STEP)
    found = interpret(jvp(program), x, dx)
    scale = 1 + np.abs(expected)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=tolerance)
    return dx


SMOOTH = [name for name, op in OPS.items() if name != "where"]


@each("name", SMOOTH)
def test_every_operation(name):
    rng = np.random.default_rng(1)
    agrees_with_differences(of_operation(OPS[name]), samples(name, rng), rng)


@each("name", SMOOTH)
def test_every_operation_twice(name):
    rng = np.random.default_rng(2)
    first, x = jvp(of_operation(OPS[name])), samples(name, rng)
    dx, ddx, v = rng.normal(size=(3, *x.shape))
    ahead, behind = (interpret(first, x + s * v, dx + s * ddx) for s in (STEP, -STEP))
    expected = (ahead - behind) / (2 * STEP)
    found = interpret(jvp(first), x, dx, v, ddx)
    scale = 1 + np.abs(expected)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=1e-5)


def test_a_choice_follows_the_chosen():
    program = trace(lambda x: np.where(x[0] < x[1], x[0] * x[2], np.sin(x[1])), (3,))
    rng = np.random.default_rng(3)
    agrees_with_differences(program, samples("where", rng), rng)


@each("name", sorted(set(COMPOSED) - {"greater", "greater_equal"}))
def test_what_is_composed(name):
    function = getattr(np, name)
    second = (2.0,) if name == "power" else ()
    program = trace(lambda x: function(*[*x[: function.nin - len(second)], *second]), (3,))
    rng = np.random.default_rng(4)
    agrees_with_differences(program, samples(name, rng), rng, tolerance=1e-5)


def composite(x, y):
    A = np.array([[np.cos(x[0]), -np.sin(x[0]) * y], [x[1] / (2 + y * y), np.arctan2(x[1], x[0])]])
    return A @ A.T + np.sqrt(1 + x @ x) * np.abs(A)


def test_a_composite_function_and_its_second_derivative():
    program = trace(lambda x: composite(x[:2], x[2]), (3,))
    rng = np.random.default_rng(5)
    x = samples("", rng)
    agrees_with_differences(program, x, rng)
    v, dx, ddx = rng.normal(size=(3, *x.shape))
    first, second = jvp(program), jvp(jvp(program))
    ahead, behind = (interpret(first, x + s * v, dx + s * ddx) for s in (STEP, -STEP))
    expected = (ahead - behind) / (2 * STEP)
    scale = 1 + np.abs(expected)
    np.testing.assert_allclose(interpret(second, x, dx, v, ddx) / scale, expected / scale, rtol=0, atol=1e-5)


def test_a_mixed_derivative_does_not_care_for_the_order():
    def mixed(i, j):
        def function(x):
            unit = np.eye(3)
            first = rate(composite(x[:2], x[2]), x, unit[i])
            return rate(first, x, unit[j])

        return trace(function, (3,))

    x = samples("", np.random.default_rng(6))[:50]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        np.testing.assert_allclose(interpret(mixed(i, j), x), interpret(mixed(j, i), x), rtol=1e-11, atol=1e-11)


@pytest.mark.slow
def test_several_inputs():
    program = trace(composite, (2,), ())
    assert jvp(program).inputs == ((2,), (), (2,), ())
    x, y, dx, dy = np.array([0.3, -0.4]), 0.7, np.array([1.0, 2.0]), -0.5
    expected = (composite(x + STEP * dx, y + STEP * dy) - composite(x - STEP * dx, y - STEP * dy)) / (2 * STEP)
    np.testing.assert_allclose(interpret(jvp(program), x, y, dx, dy), expected, rtol=0, atol=1e-8)


def test_what_does_not_change_has_no_rate():
    def function(x):
        return rate(np.array([x[1], 3.0, x[0] * x[1], np.sin(x[2])], dtype=object), x[:1], [1.0])

    assert interpret(trace(function, (3,)), [5.0, 7.0, 11.0]).tolist() == [0.0, 0.0, 7.0, 0.0]
    assert trace(function, (3,)).steps == ()


def test_the_rate_of_nothing_and_of_constants():
    def shapes(x):
        assert rate(np.empty((0, 3), dtype=object), x, np.ones(1)).shape == (0, 3)
        assert rate(x[0], x, [1.0]).shape == ()
        assert rate(np.array([1.0, 2.0]), x, [1.0]).tolist() == [0.0, 0.0]
        return x[0]

    trace(shapes, (1,))
    with pytest.raises(ValueError, match="zip"):
        trace(lambda x: rate(x, x, [1.0]), (2,))
    nothing = trace(lambda x: np.eye(4), (0,))
    np.testing.assert_array_equal(interpret(jvp(nothing), np.zeros(0), np.zeros(0)), np.zeros((4, 4)))


def test_the_rate_of_forward_kinematics():
    robot = kt.load("icub")
    program = kt.fk(robot, "l_hand", base="head").program
    rng = np.random.default_rng(7)
    agrees_with_differences(program, rng.uniform(-1, 1, (20, robot.nq)), rng, tolerance=1e-8)
