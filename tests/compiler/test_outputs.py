"""Kernels with several outputs: one flat array, and a named tuple of views of it."""

import pickle

import numpy as np
import pytest

import kinetree as kt
from cached import ARM
from each import each
from kinetree.compiler.gradients import flattened
from kinetree.compiler.js import write_js
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port, flat_results
from kinetree.compiler.program import trace
from kinetree.queries.query import query, velocities

INPUTS = (Port("q", (3,)), Port("qd", (3,)))
VECTORS = (Port("next_q", (3,), ("left", "middle", "right"), "rad"), Port("rate", (2,)))
MATRICES = (Port("A", (3, 2)), Port("size", ()), Port("none", (0,)), Port("b", (3,)))
RNG = np.random.default_rng(5)


def step(q, qd):
    return q + 0.5 * qd, q[:2] * qd[1:]


def several(q, qd):
    return [np.array([q[:2] + qd[k] for k in range(3)]), q[0] * qd[1], np.array([]), qd * qd]


def expected(outputs, q, qd):
    q, qd = np.broadcast_arrays(q, qd)
    function = step if outputs is VECTORS else several
    made = list(map(function, q.reshape(-1, 3), qd.reshape(-1, 3)))
    return [np.reshape([one[i] for one in made], q.shape[:-1] + port.shape) for i, port in enumerate(outputs)]


def made(outputs):
    function = step if outputs is VECTORS else several
    return Kernel("f", INPUTS, outputs, lambda: trace(lambda *x: flat_results(outputs, function, *x), (3,), (3,)))


@pytest.fixture(scope="module", params=[VECTORS, MATRICES], ids=["vectors", "matrices"])
def k(request):
    return made(request.param)


def check(result, outputs, q, qd, tolerance=1e-15):
    assert result._fields == tuple(port.name for port in outputs)
    for part, right in zip(result, expected(outputs, q, qd), strict=True):
        assert part.shape == right.shape
        np.testing.assert_allclose(part, right, rtol=tolerance, atol=tolerance)


@pytest.mark.slow
@each("one", [(), (1,), (13,), (2, 7)])
@each("other", [(), (13,), (2, 7)])
def test_batches(k, one, other):
    try:
        np.broadcast_shapes(one, other)
    except ValueError:
        return
    q, qd = RNG.normal(size=(*one, 3)), RNG.normal(size=(*other, 3))
    check(k(q, qd), k.outputs, q, qd)
    check(k.interpret(q, qd), k.outputs, q, qd)
    check(k(q, qd, dtype=np.float32), k.outputs, q, qd, 1e-6)
    assert {part.dtype for part in k(q, qd, dtype=np.float32)} == {np.dtype(np.float32)}


@pytest.mark.slow
@each("threads", [1, 2])
def test_parts_are_views_of_out(k, threads):
    q, qd = RNG.normal(size=(2, 5000, 3))
    total = k.output.shape[0]
    wide = np.zeros((5000, 2 * total))
    for out in (np.zeros((5000, total)), wide[:, ::2], np.zeros((5000, total))[::-1]):
        result = k(q, qd, out=out, threads=threads)
        check(result, k.outputs, q, qd)
        assert all(np.shares_memory(part, out) for part in result if part.size)
        np.testing.assert_array_equal(np.concatenate([part.reshape(5000, -1) for part in result], axis=1), out)
    assert not wide[:, 1::2].any()
    with pytest.raises(kt.KinetreeError, match=rf"out has shape .*, the result \(5000, {total}\), with \[0:"):
        k(q, qd, out=np.zeros((5000, total + 1)))
    with pytest.raises(kt.KinetreeError, match=rf"out is a tuple; expected an array of shape \(5000, {total}\), with"):
        k(q, qd, out=tuple(result))


def test_first_call_with_an_option_and_compiled_before():
    q, qd = RNG.normal(size=(2, 3))
    check(made(VECTORS)(q, qd, out=np.zeros(5)), VECTORS, q, qd)
    k = made(MATRICES)
    k.compile()
    check(k(q, qd), MATRICES, q, qd)
    check(k(q=q, qd=qd), MATRICES, q, qd)


def test_pickled(k):
    q, qd = RNG.normal(size=(2, 4, 3))
    copy, result = pickle.loads(pickle.dumps((k, k(q, qd))))
    assert (type(result), copy.outputs) == (type(k(q, qd)), k.outputs)
    check(result, k.outputs, q, qd)
    check(copy(q, qd), k.outputs, q, qd)


def test_repr():
    assert repr(made(VECTORS)) == "Kernel f: q (…, 3), qd (…, 3) → next_q (…, 3) [rad], rate (…, 2)"
    assert made(VECTORS).output == Port("results", (5,), (), "[0:3] next_q; [3:5] rate")


def test_sources_name_the_place_of_each():
    header = made(VECTORS).c_source().header
    assert "void f(const double q[3], const double qd[3], double results[5]);" in header
    first, second = " * next_q, from results[0]: 3 numbers; rad\n", " * rate, from results[3]: 2 numbers\n"
    assert first + " *   [0] left\n" in header
    assert all(second in text for text in (header, write_js([("f", made(VECTORS))])))


def test_queries_take_several_arrays_and_return_several():
    robot = kt.load(ARM, format="urdf")
    n = robot.nq
    outputs = (Port("next_q", (n,)), Port("H", (n, n)))

    def algorithm(tree, q, qd, w):
        return q + w[2] * qd, np.array([[a * b for b in qd] for a in q])

    k = query(robot, ("test of several",), [], outputs, algorithm, [velocities(robot), Port("w", (3,))])
    q, qd, w = RNG.normal(size=(7, n)), RNG.normal(size=n), RNG.normal(size=(7, 3))
    next_q, H = k(q, qd, w)
    np.testing.assert_allclose(next_q, q + w[:, 2:] * qd, rtol=1e-15)
    np.testing.assert_allclose(H, q[:, :, None] * qd, rtol=1e-15)


@pytest.mark.parametrize("outputs", [VECTORS, MATRICES])
def test_results_one_after_the_other(outputs):
    """As libraries with gradients take them: the same numbers, and a kernel with one output is as it was."""
    q, qd = RNG.normal(size=(2, 3))
    whole, flat = made(outputs), flattened(made(outputs))
    assert len(flat.outputs) == 1
    assert (flat.name, [port.name for port in flat.inputs]) == ("f", ["q", "qd"])
    wanted = np.concatenate([np.ravel(x) for x in expected(outputs, q, qd)])
    np.testing.assert_array_equal(flat.interpret(q, qd), wanted)
    np.testing.assert_array_equal(np.concatenate([np.ravel(x) for x in whole.interpret(q, qd)]), wanted)
    assert flattened(flat) is flat
