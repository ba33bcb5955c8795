"""The reference: shapes, broadcasting and types as NumPy has them."""

import numpy as np
import pytest

from kinetree.compiler.interpret import interpret
from kinetree.compiler.program import trace


def outer(x, y):
    return np.array([[a * b for b in y] for a in x])


@pytest.fixture
def program():
    return trace(outer, (2,), (3,))


@pytest.mark.parametrize(
    ("a", "b"), [((), ()), ((5,), (5,)), ((5,), ()), ((4, 1), (5,)), ((0,), ()), ((2, 0), (1,)), ((1,), (3, 1))]
)
def test_axes_in_front_are_broadcast(program, a, b):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(*a, 2)), rng.normal(size=(*b, 3))
    expected = x[..., :, None] * y[..., None, :]
    found = interpret(program, x, y)
    assert found.shape == (*np.broadcast_shapes(a, b), 2, 3)
    np.testing.assert_array_equal(found, expected)


def test_axes_that_do_not_fit(program):
    with pytest.raises(ValueError, match="broadcast"):
        interpret(program, np.zeros((2, 2)), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="zip"):
        interpret(program, np.zeros(2))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_everything_is_done_in_the_type_asked_for(dtype):
    program = trace(lambda x: np.array([x[0] + 1e-9, 0.1, x[0] * 0.1, np.where(x[0] < 2, x[0], 3.0)]), (1,))
    found = interpret(program, [1.0], dtype=dtype)
    assert found.dtype == dtype
    one, tenth = np.ones(1, dtype)[0], np.array(0.1, dtype)
    assert (found[0] == 1.0) == (dtype == "float32")
    assert found[1] == tenth
    assert found[2] == one * tenth
    assert found[3] == 1.0
    assert interpret(program, np.ones((3, 1), "int8"), dtype=dtype).dtype == dtype


def test_any_strides_and_no_writing(program):
    x = np.arange(40.0).reshape(5, 8)[::-2, 1:7:3]
    y = np.asfortranarray(np.arange(9.0).reshape(3, 3))
    for array in (x, y):
        array.flags.writeable = False
    np.testing.assert_array_equal(interpret(program, x, y), x[:, :, None] * y[:, None, :])


def test_the_result_is_the_callers_own():
    program = trace(lambda x: np.array([x[0], x[1], 1.0]), (2,))
    x = np.array([1.0, 2.0])
    interpret(program, x)[:] = 7.0
    assert x.tolist() == [1.0, 2.0]
    assert interpret(program, x).tolist() == [1.0, 2.0, 1.0]


def test_what_is_not_finite_passes_without_a_warning():
    program = trace(lambda x: np.array([1 / x[0], np.sqrt(x[1]), np.arccos(x[2]), x[0] + x[1], 2.0]), (3,))
    found = interpret(program, [0.0, -1.0, 2.0])
    np.testing.assert_array_equal(found, [np.inf, np.nan, np.nan, -1.0, 2.0])
    huge = trace(lambda x: np.array([x[0] * 1e300]), (1,))
    assert interpret(huge, [1.0], dtype="float32") == np.inf


def test_scalars_and_no_results():
    assert interpret(trace(lambda x: x * x, ()), 3.0).shape == ()
    assert interpret(trace(lambda x: x * x, ()), [3.0, 4.0]).tolist() == [9.0, 16.0]
    assert interpret(trace(lambda x: x[:0], (2,)), np.zeros((5, 2))).shape == (5, 0)
    assert interpret(trace(lambda x: np.eye(2), (0,)), np.zeros((3, 0))).shape == (3, 2, 2)
