"""What a kernel does not take is a KinetreeError that says what it takes, through both of its doors."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError, WrongTypeError
from toy_kernels import kernel


class Stubborn:
    def __array__(self, *args, **kwargs):
        raise TypeError("this array is on another device")


NO_NUMBERS = {
    "none": None,
    "text": "123",
    "texts": ["1", "2", "3"],
    "objects": np.zeros(3, object),
    "nones": [None] * 3,
    "complex": np.zeros(3, complex),
    "truths": np.zeros(3, bool),
    "times": np.zeros(3, "M8[s]"),
    "bytes": b"123",
    "mapping": {"a": 1},
    "set": {1, 2, 3},
    "generator": (x for x in range(3)),
    "whole numbers beyond all types": [10**400] * 3,
    "ragged": [[1.0], [1.0, 2.0]],
    "masked": np.ma.zeros(3),
    "structured": np.zeros(3, [("a", float)]),
    "another library's": Stubborn(),
}


@pytest.fixture(scope="module")
def k():
    """A kernel of one input of three numbers, which has been called, so that its door for one configuration is open."""
    made = kernel(lambda x: 2.0 * x, (3,))
    np.testing.assert_array_equal(made(np.ones(3)), [2.0, 2.0, 2.0])
    return made


@each("how", ["first call", "door", "batch", "interpret"])
@each("what", NO_NUMBERS)
def test_no_numbers(k, how, what):
    call = {"first call": kernel(lambda x: 2.0 * x, (3,)), "door": k, "batch": k, "interpret": k.interpret}[how]
    value = NO_NUMBERS[what]
    if how == "batch":
        value = np.stack([value, value]) if isinstance(value, np.ndarray) and value.dtype != bool else [value, value]
    with pytest.raises(KinetreeError, match=r"expected real numbers of shape \(…, 3\)"):
        call(value)


@each("arguments", [(), (np.ones(3),) * 2, (np.ones((4, 3)),) * 2])
def test_wrong_numbers_of_arrays(k, arguments):
    for call in (k, k.interpret, kernel(lambda x: 2.0 * x, (3,))):
        with pytest.raises(WrongTypeError, match=rf"test takes x0, and .*; not {len(arguments)} arrays"):
            call(*arguments)
        with pytest.raises(WrongTypeError, match="not 1 array, speed"):
            call(np.ones(3), speed=1)
    assert issubclass(WrongTypeError, TypeError)


@each("dtype", [int, complex, "f2", ">f8", "a", "no such type", {}, 3, (1, 2), np.longdouble, object])
def test_other_types_of_numbers(k, dtype):
    for call in (
        lambda: k(np.ones(3), dtype=dtype),
        lambda: k.interpret(np.ones(3), dtype=dtype),
        lambda: k.compile(dtype),
        lambda: k.c_source(dtype=dtype),
    ):
        with pytest.raises(WrongTypeError, match="expected one of float64, float32"):
            call()


@each("kind", [int, bool, object, "U8", "M8[s]", [("a", float)]])
def test_results_that_cannot_be_cast(k, kind):
    for shape in ((3,), (5, 3)):
        with pytest.raises(WrongTypeError, match="cannot be cast to out"):
            k(np.ones(shape), out=np.zeros(shape, kind))


def test_numbers_beyond_the_precision_are_infinite(k):
    assert np.isinf(k(np.full(3, np.longdouble("1e4000")))).all()
    assert np.isinf(k(np.full(3, 1e300), dtype=np.float32)).all()


def test_a_query_names_its_arguments():
    arm = "<robot name='r'><link name='a'/><link name='b'/><joint name='elbow' type='continuous'><parent link='a'/>"
    arm += "<child link='b'/><axis xyz='0 0 1'/></joint></robot>"
    velocity = kt.velocity(kt.load(arm, format="urdf"), "b")
    with pytest.raises(WrongTypeError, match=r"velocity takes q, qd, and out=.*; not 1 array, qdd: qd is missing"):
        velocity([0.0], qdd=[0.0])
    with pytest.raises(KinetreeError, match=r"qd has entries of type <U1; expected .* in this order: elbow"):
        velocity([0.0], ["0"])
    with pytest.raises(WrongTypeError, match="asked of a robot"):
        kt.fk("arm.urdf", "b")
