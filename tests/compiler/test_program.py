"""Tracing: nothing twice, nothing dead, everything after what it needs, and errors that say what cannot be traced."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.compiler.expr import Graph
from kinetree.compiler.interpret import interpret
from kinetree.compiler.ops import OPS
from kinetree.compiler.program import Program, Step, assemble, schedule, trace


def well_formed(program):
    """Every step after its arguments, none twice, none dead."""
    first = program.size + len(program.constants)
    used = set(program.results)
    for n, (op, args) in enumerate(program.steps):
        assert len(args) == OPS[op].arity
        assert all(0 <= i < first + n for i in args)
        used.update(args)
    assert len(set(program.steps)) == len(program.steps)
    assert used >= set(range(program.size, first + len(program.steps)))
    assert len(program.results) == int(np.prod(program.output))


def alive(program):
    """The largest number of steps whose values are still wanted at one time."""
    first = program.size + len(program.constants)
    last = {i: n for n, step in enumerate(program.steps) for i in step.args}
    last |= dict.fromkeys(program.results, len(program.steps))
    ends = [last[first + n] for n in range(len(program.steps))]
    return max(sum(made <= n < end for made, end in enumerate(ends)) for n in range(len(program.steps)))


def test_dead_code_is_gone_and_nothing_is_done_twice():
    def function(x):
        np.sin(x[0]) * x[1]  # nobody wants it
        a, b = x[0] * x[1] + 1, 1 + x[1] * x[0]
        return np.array([a * b, np.cos(x[1]), a, 3.0])

    program = trace(function, (3,))
    well_formed(program)
    assert program.operations == {"multiply": 2, "add": 1, "cos": 1}
    assert program.constants == (1.0, 3.0) or program.constants == (3.0, 1.0)
    np.testing.assert_array_equal(interpret(program, [2, 5, 7]), [121.0, np.cos(5.0), 11.0, 3.0])


@pytest.mark.slow
def test_forward_kinematics_is_well_formed():
    robot = kt.load("icub")
    tree = kt.queries.query.tree(robot)
    frames = list(robot.frames)
    program = trace(lambda q: np.array(forward_kinematics(tree, q, frames)), (tree.nq,))
    well_formed(program)
    assert program.operations["sin"] == program.operations["cos"] == tree.nq
    q = np.random.default_rng(1).uniform(-1, 1, tree.nq)
    expected = np.array(forward_kinematics(tree, q, frames))
    np.testing.assert_allclose(interpret(program, q), expected, rtol=0, atol=1e-14)


def test_shapes_of_inputs_and_output():
    program = trace(lambda x, y, z: (x @ y)[None] * z, (2, 3), (3, 4), ())
    assert (program.inputs, program.output, program.size) == (((2, 3), (3, 4), ()), (1, 2, 4), 19)
    x, y = np.random.default_rng(2).normal(size=(2, 2, 3))
    y = np.concatenate([y, y]).reshape(3, 4)
    np.testing.assert_allclose(interpret(program, x, y, 2.0), 2 * (x @ y)[None], rtol=1e-15)
    assert trace(lambda x: x[0], (2,)).output == ()
    assert trace(lambda x: [x[0], 1], (2,)).output == (2,)
    assert trace(lambda x: x[:0], (2,)).results == ()


def test_a_schedule_keeps_few_values_alive():
    """A sum of products, in which all products could be made first, takes the room of two; a balanced tree of 2^k
    leaves that of about k (Sethi and Ullman, 1970)."""

    def sum_of_squares(x):
        squares = [e * e for e in x]
        total = squares[0]
        for square in squares[1:]:
            total = total + square
        return total

    def tree_of_products(x):
        while len(x) > 1:
            x = [a * b for a, b in zip(x[::2], x[1::2], strict=True)]
        return x[0]

    assert alive(trace(sum_of_squares, (40,))) <= 2
    assert alive(trace(tree_of_products, (64,))) <= 6


@pytest.mark.slow
def test_a_schedule_is_deep_enough_for_long_chains():
    def chain(x):
        y = x[0]
        for _ in range(20000):
            y = np.sin(y)
        return y

    assert trace(chain, (1,)).operations == {"sin": 20000}


def test_run_over_another_kind_of_number():
    program = trace(lambda x: np.array([x[0] * x[1] + 2.5, x[0] / 4]), (2,))
    assert program.run(["a", "b"], repr, lambda op, *args: f"{op}({','.join(args)})") == [
        "add(multiply(a,b),2.5)",
        "divide(a,4.0)",
    ]


def test_the_same_every_time():
    def function(x):
        return np.array([np.sin(x[0]) * x[1], x[1] * np.sin(x[0]) + x[2]])

    assert trace(function, (3,)) == trace(function, (3,))
    assert hash(trace(function, (3,))) == hash(trace(function, (3,)))


def test_schedule_and_assemble_of_a_graph():
    graph = Graph()
    x = graph.input(1)
    y = x * 2.0
    assert schedule([y])[-1] is y
    program = assemble(graph, ((2,),), [y], ())
    assert program == Program(((2,),), (2.0,), (Step("multiply", (1, 2)),), (3,), ())


@each(
    "function, said",
    [
        (lambda x: x[0] if x[0] > 0 else -x[0], r"choose with np\.where"),
        (lambda x: 1.0 if x[0] == 0 else x[0], "equals nothing"),
        (lambda x: x[0] < x[1], "gives numbers of its own trace"),
        (lambda x: np.array([x[0], None]), "NoneType"),
        (lambda x: np.array([x[0], 1j], dtype=object), "complex"),
        (lambda x: Graph().input(0), "gives numbers of its own trace"),
        (lambda x: x * Graph().input(0), "two traces"),
        (lambda x: np.exp(x[0]), r"np\.exp"),
    ],
)
def test_what_cannot_be_traced_is_said(function, said):
    with pytest.raises((TypeError, ValueError), match=said):
        trace(function, (2,))


def test_assigning_into_an_array_of_floats_is_refused():
    def function(x):
        T = np.zeros((2, 2))
        T[0, 0] = x[0]
        return T

    with pytest.raises(TypeError, match="build arrays from their entries"):
        trace(function, (2,))
