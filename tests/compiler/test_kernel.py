"""What a kernel takes and gives: broadcasting, strides, dtypes, `out`, threads, and what it refuses."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree import KinetreeError
from kinetree.compiler import batch as batches, kernel as kernels, machine_code
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.llvm import host
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from toy_kernels import apart, kernel

LABELS = ("left", "middle", "right")
RNG = np.random.default_rng(1)


def function(q, A):
    """(3,), (2, 3) → (2, 3)"""
    s, c = np.sin(q[0]), np.cos(q[1])
    return np.array([A[0] * s + q * c, A[1] * q[2] - A[0, ::-1]])


def expected(q, A):
    q, A = np.asarray(q, float), np.asarray(A, float)
    s, c = np.sin(q[..., :1]), np.cos(q[..., 1:2])
    first, second = A[..., 0, :], A[..., 1, :]
    return np.stack(np.broadcast_arrays(first * s + q * c, second * q[..., 2:] - first[..., ::-1]), axis=-2)


@pytest.fixture(scope="module", params=["door", "ufunc alone"])
def k(request):
    """With the door, and as where NumPy's arrays look different from what it knows."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "ufunc alone":
            for module in (kernels, machine_code):
                patch.setattr(module, "array_layout", lambda: None)
        made = kernel(function, (3,), (2, 3), labels=LABELS)
        made(np.zeros(3), np.zeros((2, 3)))
        is_door = type(made.__call__).__name__ == "builtin_function_or_method"
        assert is_door == (request.param == "door")
        yield made


@pytest.fixture(scope="module")
def sines():
    return kernel(lambda q: np.array([np.sin(q[0]) + q[1], q[2], q[0] * q[1]]), (3,), labels=LABELS)


def numbers(*shape):
    return np.random.default_rng(shape).uniform(-2, 2, shape)


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-14)
    return True


@pytest.mark.slow
@each(
    "one, other",
    [
        ((), ()),
        ((5,), (5,)),
        ((), (5,)),
        ((5,), ()),
        ((4, 1), (5,)),
        ((1,), (7,)),
        ((2, 3, 4), (3, 1)),
        ((1, 1), (1,)),
        ((0,), (0,)),
        ((0,), ()),
        ((0,), (1,)),
        ((2, 0), ()),
        ((0, 2), (2,)),
        ((3, 0, 4), (1,)),
    ],
)
def test_broadcasting(k, one, other):
    q, A = numbers(*one, 3), numbers(*other, 2, 3)
    got = k(q, A)
    assert got.shape == (*np.broadcast_shapes(one, other), 2, 3)
    assert got.dtype == float
    assert close(got, expected(q, A))
    assert close(k.interpret(q, A), got)
    out = np.full(got.shape, np.nan)
    assert k(q, A, out=out) is out
    np.testing.assert_array_equal(out, got)


@pytest.mark.slow
def test_batches_that_do_not_fit(k):
    with pytest.raises(KinetreeError, match="do not go together"):
        k(numbers(4, 3), numbers(5, 2, 3))
    with pytest.raises(KinetreeError, match="do not go together"):
        k(numbers(4000, 3), numbers(5000, 2, 3), threads=2)


def layouts(a):
    """The same numbers, laid out otherwise."""
    doubled = np.full([2 * n for n in a.shape], np.nan)
    every_other = doubled[tuple(slice(None, None, 2) for _ in a.shape)]
    every_other[...] = a
    backwards = a[tuple(slice(None, None, -1) for _ in a.shape)].copy()[tuple(slice(None, None, -1) for _ in a.shape)]
    transposed = np.moveaxis(np.moveaxis(a, 0, -1).copy(), -1, 0)
    raw = np.empty(a.nbytes + 1, np.uint8)[1:]
    unaligned = np.ndarray(a.shape, float, raw.data)
    unaligned[...] = a
    read_only = a.copy()
    read_only.setflags(write=False)
    wider = np.full((*a.shape[:-1], a.shape[-1] + 2), np.nan)
    wider[..., 1:-1] = a
    return {
        "as it is": a.copy(),
        "Fortran": np.asfortranarray(a),
        "every other": every_other,
        "backwards": backwards,
        "transposed": transposed,
        "unaligned": unaligned,
        "read-only": read_only,
        "big-endian": a.astype(">f8"),
        "columns of more": wider[..., 1:-1],
        "objects of a subclass": a.view(type("Mine", (np.ndarray,), {})),
        "longdouble": a.astype(np.longdouble),
    }


@pytest.mark.slow
@each("batch", [(), (1,), (6,), (3, 5), (33,)])
@pytest.mark.parametrize("name", layouts(np.zeros((1, 1))))
def test_layouts_of_inputs(k, name, batch):
    q, A = numbers(*batch, 3), numbers(*batch, 2, 3)
    right = k(q, A)
    assert close(right, expected(q, A))
    for got in (k(layouts(q)[name], A), k(q, layouts(A)[name]), k(layouts(q)[name], layouts(A)[name], threads=2)):
        assert type(got) is np.ndarray
        np.testing.assert_array_equal(got, right)


@pytest.mark.slow
@each("batch", [(), (1,), (6,), (3, 5), (33,)])
@pytest.mark.parametrize("name", [n for n in layouts(np.zeros((1, 1))) if n != "read-only"])
def test_layouts_of_out(k, name, batch):
    q, A = numbers(*batch, 3), numbers(*batch, 2, 3)
    right = k(q, A)
    for threads in (1, 2):
        out = layouts(np.zeros((*batch, 2, 3)))[name]
        assert k(q, A, out=out, threads=threads) is out
        np.testing.assert_array_equal(out, right)
    around = np.full((*batch, 2, 5), 7.0)
    k(q, A, out=around[..., 1:4])
    np.testing.assert_array_equal(around[..., 1:4], right)
    assert (around[..., [0, 4]] == 7).all()


def test_the_same_for_all(k):
    q = np.broadcast_to(numbers(3), (9, 3))
    A = np.broadcast_to(numbers(2, 1), (9, 2, 3))  # strides of 0 within a configuration too
    np.testing.assert_array_equal(k(q, A), np.broadcast_to(k(q[0], A[0]), (9, 2, 3)))
    assert close(k(q[0], A[0]), expected(q[0], A[0]))


def test_lists_and_whole_numbers(k):
    right = k(np.array([1.0, 0, 2]), np.array([[1.0, 2, 3], [4, 5, 6]]))
    A = [[1, 2, 3], [4, 5, 6]]
    for q in ([1, 0, 2], (1.0, 0, 2), np.array([1, 0, 2], np.int8), np.array([1, 0, 2], np.uint64)):
        np.testing.assert_array_equal(k(q, A), right)
    np.testing.assert_array_equal(k(np.array([1, 0, 2], np.float16), np.array(A, np.float32)), right)


@pytest.mark.slow
def test_single_precision(k):
    q, A = numbers(19, 3), numbers(19, 2, 3)
    got = k(q, A, dtype=np.float32)
    assert got.dtype == np.float32
    assert apart(got, expected(q, A).astype(np.float32), scale=4) <= 4
    rounded = [array.astype(np.float32) for array in (q, A)]
    right = expected(*[array.astype(float) for array in rounded])
    assert close(k(*rounded, dtype=float), right)
    np.testing.assert_array_equal(k(*rounded), k(*rounded, dtype=float).astype(np.float32))
    assert k(q[0], A[0], dtype="float32").dtype == np.float32
    np.testing.assert_array_equal(k(q[0], A[0], dtype=np.float32), got[0])
    assert k(q, A, dtype=float).dtype == float


@pytest.mark.slow
def test_single_precision_alone_compiles_nothing_else(folder, work):
    k = kernel(function, (3,), (2, 3))
    q, A = numbers(3), numbers(2, 3)
    single = k(q, A, dtype=np.float32)
    assert work.count("compile") == 1
    np.testing.assert_allclose(k(q, A), single, rtol=0, atol=1e-5)
    assert work.count("compile") == 2
    k(q, A, dtype=np.float32), k(q, A)
    assert work.count("compile") == 2


@each("threads", [1, 2])
def test_out_of_another_type_is_cast_as_numpy_casts(k, threads):
    q, A = numbers(3000, 3), numbers(3000, 2, 3)
    narrow, wide = np.empty((3000, 2, 3), np.float32), np.empty((3000, 2, 3))
    assert k(q, A, out=narrow, threads=threads) is narrow
    np.testing.assert_array_equal(narrow, k(q, A).astype(np.float32))
    assert k(q, A, dtype=np.float32, out=wide, threads=threads) is wide
    np.testing.assert_array_equal(wide, k(q, A, dtype=np.float32))
    for kind in (int, bool, np.int64):
        with pytest.raises(TypeError):
            k(q, A, out=np.empty((3000, 2, 3), kind), threads=threads)


@each("threads", [1, 2])
def test_out_that_does_not_fit(k, threads):
    q, A = numbers(3000, 3), numbers(3000, 2, 3)
    for shape in [(3000, 2, 4), (3000, 6), (2999, 2, 3), (2, 3), (1, 2, 3), (3000, 1, 3), (0, 2, 3)]:
        with pytest.raises(KinetreeError, match="out has shape"):
            k(q, A, out=np.empty(shape), threads=threads)
    with pytest.raises(KinetreeError, match="read-only"):
        k(q, A, out=layouts(np.zeros((3000, 2, 3)))["read-only"], threads=threads)
    for no_array in ([[0.0] * 3] * 2, np.ma.zeros((3000, 2, 3))):
        with pytest.raises(KinetreeError, match="expected an array"):
            k(q, A, out=no_array, threads=threads)


@each("threads", [1, 3])
@each("n", [1, 2, 9, 40, 5000])
@each("shift", [-5, -3, -1, 0, 1, 3, 5])
def test_input_and_output_overlap(sines, n, shift, threads):
    memory = numbers(3 * n + 10)
    q = memory[5 : 5 + 3 * n].reshape(n, 3)
    right = sines(q.copy())
    out = memory[5 + shift : 5 + shift + 3 * n].reshape(n, 3)
    sines(q, out=out, threads=threads)
    np.testing.assert_array_equal(out, right)


def test_backwards_over_itself(sines):
    q = numbers(21, 3)
    right = sines(q)
    np.testing.assert_array_equal(sines(q.copy(), out=(same := q.copy())), right)
    sines(same := q.copy(), out=same[::-1])
    np.testing.assert_array_equal(same[::-1], right)
    sines(same := q.copy(), out=same[:, ::-1])
    np.testing.assert_array_equal(same[:, ::-1], right)
    square = numbers(3, 3)
    right = sines(square)
    sines(same := square.copy(), out=same.T)
    np.testing.assert_array_equal(same.T, right)


WRONG = {
    "too few": [1.0, 2.0],
    "too many": np.zeros(4),
    "a column": np.zeros((3, 1)),
    "a number": 1.0,
    "nothing": None,
    "complex": np.zeros(3, complex),
    "truth": np.zeros(3, bool),
    "text": "abc",
    "texts": ["a", "b", "c"],
    "objects": np.array([1.0, None, 2.0], object),
    "ragged": [[1.0, 2.0, 3.0], [1.0, 2.0]],
    "dates": np.zeros(3, "datetime64[s]"),
}


@each("what", WRONG)
@each("first", [True, False])
def test_wrong_arrays(what, first):
    k = kernel(lambda q: 2.0 * q, (3,), labels=LABELS)
    if not first:
        k(np.zeros(3))
    with pytest.raises(KinetreeError, match=r"x0 .*\(…, 3\), in this order: left, middle, right"):
        k(WRONG[what])
    with pytest.raises(KinetreeError, match="left, middle, right"):
        k.interpret(WRONG[what])
    np.testing.assert_array_equal(k([1, 2, 3]), [2, 4, 6])


def test_joints_are_named():
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
    <joint name="shoulder" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
    <joint name="elbow" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/></joint></robot>"""
    fk = kt.fk(kt.load(text, format="urdf"), "c")
    for q in (np.zeros(3), np.zeros((5, 1)), np.zeros((2, 3))):
        with pytest.raises(KinetreeError, match=r"q has shape \(.*\).*in this order: shoulder, elbow"):
            fk(q)


def test_wrong_calls(k):
    q, A = numbers(3), numbers(2, 3)
    for wrong in [(), (q,), (q, A, A)]:
        with pytest.raises(TypeError, match=r"test takes x0, x1, and out=, dtype= and threads=; not"):
            k(*wrong)
    with pytest.raises(TypeError, match="speed"):
        k(q, A, speed=2)
    for threads in (0, -1, 1.5, "2", None):
        with pytest.raises(KinetreeError, match="threads"):
            k(q, A, threads=threads)
    for dtype in (int, complex, np.float16, ">f8", "O", "f4,f4"):
        with pytest.raises(KinetreeError, match="expected one of float64, float32"):
            k(q, A, dtype=dtype)
    assert close(k(q, A), expected(q, A))


@each("shapes", [((0,), (2, 2)), ((3,), (0, 4)), ((0,), (0,))])
def test_nothing_in_or_out(shapes):
    takes, gives = shapes
    made = kernel(lambda x: np.arange(np.prod(gives)).reshape(gives) + 0.5, takes)
    values = np.arange(np.prod(gives)).reshape(gives) + 0.5
    for batch in [(), (4,), (2, 0), (0,)]:
        got = made(np.zeros((*batch, *takes)), threads=2)
        np.testing.assert_array_equal(got, np.broadcast_to(values, (*batch, *gives)))
        assert got.dtype == float
        assert made(np.zeros((*batch, *takes)), dtype=np.float32).dtype == np.float32
        out = np.full((*batch, *gives), np.nan)
        assert made(np.zeros((*batch, *takes)), out=out) is out
        np.testing.assert_array_equal(out, got)
    with pytest.raises(KinetreeError, match="shape"):
        made(np.zeros((*takes, 7)))
    with pytest.raises(KinetreeError, match="out has shape"):
        made(np.zeros(takes), out=np.empty((*gives, 1)))
    with pytest.raises(TypeError, match="cast"):
        made(np.zeros(takes), out=np.empty(gives, int))
    with pytest.raises(KinetreeError, match="expected an array"):
        made(np.zeros(takes), out=[[0.0]])


@each("n", [0, 1, 2, 999, 1000, 1999, 2000, 2001, 5000, 12345])
@each("dtype", [np.float64, np.float32])
def test_threads_give_the_same_bits(k, n, dtype):
    q, A = numbers(n, 3), numbers(n, 2, 3)
    right = k(q, A, dtype=dtype)
    for threads in (2, 3, 7):
        out = np.full_like(right, np.nan)
        np.testing.assert_array_equal(k(q, A, threads=threads, dtype=dtype), right)
        assert k(q, A, threads=threads, dtype=dtype, out=out) is out
        np.testing.assert_array_equal(out, right)


@each("one", [(3, 2000), (2000, 3), (1, 5000), (5000, 1), (2, 2, 2000), (4000,), ()])
@each("other", [(), (1,), (4000,)])
def test_threads_share_any_shape(k, one, other):
    if one[-1:] not in [(4000,), ()]:
        other = (1,)
    q, A = numbers(*one, 3), numbers(*other, 2, 3)
    np.testing.assert_array_equal(k(q, A, threads=3), k(q, A))


@each("n", [1, 2, 5, 33, 3000])
def test_not_a_number_stays_where_it_is(n):
    k = kernel(lambda x: np.array([x[0] + x[1], np.sin(x[1]), x[2] * x[2], np.maximum(x[0], x[2]), 1.0, x[1]]), (3,))
    depends = np.array([[1, 0, 0, 1, 0, 0], [1, 1, 0, 0, 0, 1], [0, 0, 1, 1, 0, 0]], bool)
    clean = numbers(n, 3)
    right = k(clean)
    for row in {0, n // 2, n - 1}:
        for entry in range(3):
            x = clean.copy()
            x[row, entry] = np.nan
            got = k(x, threads=2)
            assert (np.isnan(got[row]) == depends[entry]).all()
            assert (np.isnan(k(x[row])) == depends[entry]).all()
            got[row, depends[entry]] = right[row, depends[entry]]
            np.testing.assert_array_equal(got, right)


@pytest.mark.slow
@each("n", [(), (1,), (40,), (4000,)])
def test_no_warnings(n):
    """Neither for what is not finite nor for what `where` discards; warnings are errors in these tests."""
    k = kernel(lambda x: np.array([np.where(x[0] > 0.0, 1.0 / x[0], 0.0), np.sqrt(x[1]), np.sin(x[2])]), (3,))
    x = np.broadcast_to(np.array([0.0, -1.0, np.inf]), (*n, 3))
    with np.errstate(all="raise"):
        for threads in (1, 2):
            for dtype in (float, np.float32):
                got = k(x, threads=threads, dtype=dtype)
                np.testing.assert_array_equal(got, np.broadcast_to(np.array([0.0, np.nan, np.nan]), (*n, 3)))


@pytest.mark.parametrize(("n", "parts"), [(1999, 1), (2000, 2), (2999, 2), (9000, 3)])
def test_threads_share_batches_that_are_worth_it(sines, monkeypatch, n, parts):
    shared = []
    with ThreadPoolExecutor(1) as pool:
        submit = pool.submit
        pool.submit = lambda run, arrays, out: shared.append(len(out)) or submit(run, arrays, out)
        monkeypatch.setattr(batches, "_threads", lambda: pool)
        q = numbers(n, 3)
        np.testing.assert_array_equal(sines(q, threads=3), sines(q))
    assert len(shared) == parts - 1
    assert all(abs(size - n / parts) < 1 for size in shared)


def test_ufunc_alone_gives_the_same_numbers(monkeypatch):
    with_door = kernel(function, (3,), (2, 3))
    for module in (kernels, machine_code):
        monkeypatch.setattr(module, "array_layout", lambda: None)
    without = kernel(function, (3,), (2, 3))
    q, A = numbers(50, 3), numbers(50, 2, 3)
    np.testing.assert_array_equal(without(q, A), with_door(q, A))
    for i in range(50):
        np.testing.assert_array_equal(without(q[i], A[i]), with_door(q[i], A[i]))


def test_what_a_kernel_says_of_itself(k):
    assert repr(k) == "Kernel test: x0 (…, 3), x1 (…, 2, 3) → y (…, 2, 3)"
    assert (k.name, k.inputs[0].labels, k.output.shape) == ("test", LABELS, (2, 3))
    assert k.operations == k.program.operations
    assert kernels.Kernel.__doc__


def test_a_mask_is_not_lost(k):
    with pytest.raises(KinetreeError, match="mask"):
        k(np.ma.masked_array(numbers(4, 3), mask=False), numbers(4, 2, 3))


def test_threads_may_be_a_number_of_numpy(k):
    q, A = numbers(3000, 3), numbers(3000, 2, 3)
    np.testing.assert_array_equal(k(q, A, threads=np.int64(2)), k(q, A))


def test_arrays_may_be_named(k):
    q, A = numbers(3), numbers(2, 3)
    np.testing.assert_array_equal(k(x1=A, x0=q), k(q, A))
    np.testing.assert_array_equal(k(q, x1=A, dtype=np.float32), k(q, A, dtype=np.float32))
    for wrong in ({"x0": q}, {"x0": q, "x1": A, "x2": A}):
        with pytest.raises(TypeError, match="test takes x0, x1"):
            k(**wrong)
    with pytest.raises(TypeError, match="test takes x0, x1"):
        k(q, A, x1=A)


def test_results_without_axes_are_arrays():
    norm = kernel(lambda x: x @ x, (3,))
    for q in ([1.0, 2.0, 2.0], np.array([1.0, 2.0, 2.0]), np.ones((4, 3))):
        got = norm(q)
        assert type(got) is np.ndarray
        assert got.shape == np.shape(q)[:-1]


def test_compiled_before_the_first_call(folder, work):
    made = kernel(lambda x: 2.0 * x, (3,))
    made.compile()
    assert work.count("compile") == 1
    made.compile(np.float32)
    assert work.count("compile") == 2
    for dtype in (float, np.float32):
        np.testing.assert_array_equal(made([1.0, 2.0, 3.0], dtype=dtype), [2.0, 4.0, 6.0])
    np.testing.assert_array_equal(made([1.0, 2.0, 3.0]), [2.0, 4.0, 6.0])
    assert work.count("compile") == 2
    with pytest.raises(KinetreeError, match="expected one of float64, float32"):
        made.compile(int)


def test_threads_share_the_longest_axis(k):
    q, A = numbers(1, 5000, 3), numbers(5000, 2, 3)
    np.testing.assert_array_equal(k(q, A, threads=3), k(q, A))


def test_unfused_kernels_round_as_numpy_does():
    def function(x):
        y = x[0]
        for i in range(1, 60):
            y = y * x[i % 3] - x[(i + 1) % 3] * x[i % 2]
        return np.array([y])

    program = trace(function, (3,))
    port, result = Port("x", (3,)), Port("y", (1,))
    plain = Kernel("f", (port,), result, lambda: program, "a key", fused=False)
    fused = Kernel("f", (port,), result, lambda: program, "a key")
    x = np.random.default_rng(0).uniform(-1.1, 1.1, (500, 3))
    expected = plain.interpret(x)
    for made in (plain, pickle.loads(pickle.dumps(plain))):
        assert not made.fused
        assert np.array_equal(made(x), expected)
    assert np.array_equal(plain(x[0]), expected[0])
    assert fused.fused
    np.testing.assert_allclose(fused(x), expected, rtol=1e-9, atol=1e-12)  # and it is no answer of the other's
    if host().fma:
        assert not np.array_equal(fused(x), expected)


@each("strides", [(0, 24, 8), (8, 24, 8), (72, 24, 0)])
def test_out_whose_entries_share_memory_is_refused(strides):
    k = kernel(lambda A: 2.0 * A, (3, 3))
    shared = np.lib.stride_tricks.as_strided(np.zeros(100), (4, 3, 3), strides)
    with pytest.raises(KinetreeError, match="share memory"):
        k(np.zeros((4, 3, 3)), out=shared)
    apart = np.zeros((3, 3, 4)).T
    assert k(np.ones((4, 3, 3)), out=apart) is apart
    assert (apart == 2.0).all()
