"""Programs that are repeated: every configuration goes on until it ends, whoever its neighbours are."""

import pickle

import numpy as np
import pytest

from each import each
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.errors import KinetreeError


def root_step(state, a):
    """Newton's way to a square root: steps that are left, steps so far, x, and two numbers to fill a vector with."""
    y = 0.5 * (state[2] + a[0] / state[2])
    ended = abs(y - state[2]) <= 1e-15 * abs(y)
    return np.array([np.where(ended, 0.0, state[0] - 1.0), state[1] + 1.0, y, *(x + 1.0 for x in state[3:])])


def newton(more: int = 0) -> Kernel:
    shape = (3 + more,)
    ports = (Port("state", shape), Port("a", (1,)))
    return Kernel("root", ports, Port("end", shape), lambda: trace(root_step, shape, (1,), repeated=True))


@pytest.mark.slow
@each("more", [0, 8])
@each("count", [0, 1, 2, 7, 8, 9, 100])
def test_each_ends_by_itself(more, count):
    kernel, rng = newton(more), np.random.default_rng(count)
    a = 10.0 ** rng.uniform(-6, 6, (count, 1))
    begin = np.zeros((count, 3 + more))
    begin[:, 0], begin[:, 2] = 100.0, 1.0
    end = kernel(begin, a)
    assert end.shape == begin.shape
    np.testing.assert_allclose(end[:, 2:3], np.sqrt(a), rtol=1e-15)
    assert (end[:, 0] == 0).all()
    assert (end[:, 3:] == end[:, 1:2]).all()
    if count > 2:
        assert np.ptp(end[:, 1]) > 2  # not all of them need as long
    np.testing.assert_array_equal(kernel.interpret(begin, a), end)
    for i in range(min(count, 3)):
        np.testing.assert_array_equal(kernel(begin[i], a[i]), end[i])  # alone, the same bits
    np.testing.assert_array_equal(kernel(begin[:1], a), end) if count else None  # broadcast
    np.testing.assert_array_equal(kernel(np.asfortranarray(begin), a[::-1]), end[::-1])  # strides of any kind
    np.testing.assert_array_equal(kernel(begin, a, threads=2), end)
    np.testing.assert_allclose(kernel(begin, a, dtype="f4")[:, 2:3], np.sqrt(a), rtol=1e-6)


def test_steps_that_are_given_end_it_and_so_does_what_is_no_number():
    kernel = newton()
    np.testing.assert_array_equal(kernel([3.0, 0.0, 1.0], [1e12])[:2], [0.0, 3.0])
    assert kernel([5.0, 0.0, np.nan], [2.0])[1] == 5.0
    assert np.isnan(kernel([np.nan, 0.0, 1.0], [2.0])[0])
    assert kernel([-1.0, 0.0, 1.0], [2.0])[1] == 1.0  # a step is made before anybody looks


def test_it_is_pickled_and_not_written_as_c():
    kernel = newton()
    again = pickle.loads(pickle.dumps(kernel))
    np.testing.assert_array_equal(again([100.0, 0.0, 1.0], [2.0]), kernel([100.0, 0.0, 1.0], [2.0]))
    with pytest.raises(KinetreeError, match="root repeats its steps"):
        kernel.c_source()


def test_the_reference_goes_on_until_each_has_ended():
    kernel, a = newton(), np.array([[2.0], [1e-6], [1e9]])
    end = kernel.interpret([100.0, 0.0, 1.0], a)
    np.testing.assert_allclose(end[:, 2:], np.sqrt(a), rtol=1e-15)
    assert (end[:, 0] == 0).all()
    assert len({*end[:, 1]}) == 3  # each needs another number of steps
    np.testing.assert_array_equal(kernel.interpret([3.0, 0.0, 1.0], [1e12])[:2], [0.0, 3.0])
    assert kernel.interpret([-1.0, 0.0, 1.0], [2.0])[1] == 1.0
    assert kernel.interpret(np.zeros((0, 3)), [2.0]).shape == (0, 3)
