"""Machine code against the interpreter: operations, shapes, lanes, processors; modules that are wrong."""

import re

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.compiler import ir, llvm
from kinetree.compiler.interpret import interpret
from kinetree.compiler.ir_module import assembly, lower
from kinetree.compiler.lookup import Chosen
from kinetree.compiler.ops import OPS
from kinetree.compiler.program import trace
from kinetree.compiler.ufunc import array_layout
from support import icub_urdfs, random_q
from toy_kernels import FOREIGN, apart, every_operation, kernel, runnable, undefined_symbols

BOTH = pytest.mark.parametrize("dtype", [np.float64, np.float32])


SLOW = pytest.mark.slow


@pytest.fixture(
    params=[
        "this",
        *(pytest.param(name, marks=SLOW) for name in ("SSE2", "SSE4.1", "AVX", "AVX2", "AVX2+FMA", "AVX-512")),
    ]
)
def processor(request, monkeypatch):
    """Kernels are compiled for this processor."""
    targets = runnable()
    if request.param not in targets:
        pytest.skip(f"this processor is no {request.param}")
    monkeypatch.setattr(llvm, "host", lambda: targets[request.param])
    return targets[request.param]


def arguments(name, n, dtype, rng):
    """Numbers (n, arity) on which an operation is defined, awkward ones first."""
    x = rng.uniform(-4, 4, (n, OPS[name].arity))
    x[: n // 3] *= 10.0 ** rng.uniform(-12, 12, (n // 3, 1))
    special = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e-30]
    pairs = np.stack(np.meshgrid(special, special), axis=-1).reshape(-1, 2)
    x[: len(pairs), :2] = pairs[:, : OPS[name].arity]
    if name in ("sin", "cos"):
        x = np.fmod(x, 1e5)
    if name == "arccos":
        x = np.clip(x, -1, 1)
    if name == "sqrt":
        x = abs(x)
    return x.astype(dtype)


def apply(name):
    def function(x):
        if name == "where":
            return np.array([np.where(x[0] < x[1], x[1], x[2])])
        if OPS[name].logical:
            return np.array([np.where(x[0].graph.apply(name, *x), x[0], -2.0 - x[1])])
        return np.array([x[0].graph.apply(name, *x)])

    return function


@BOTH
@each("name", OPS)
def test_every_operation(name, dtype, processor):
    x = arguments(name, 601, dtype, np.random.default_rng(1))
    with_kernel = kernel(apply(name), (OPS[name].arity,))
    with np.errstate(all="ignore"):
        expected = interpret(with_kernel.program, x, dtype=dtype)
        scale = np.abs(x[:, :1] * x[:, 1:2]) + np.abs(expected) if name == "fma" else None
    got = with_kernel(x, dtype=dtype)
    ulp = {"arctan2": 4, "arccos": 4, "sin": 3, "cos": 3, "fma": 1}
    if dtype is np.float32 and name in ("sin", "cos"):
        expected = getattr(np, name)(x.astype(float)).astype(dtype)
    assert apart(got, expected, scale) <= ulp.get(name, 0)
    if name in ("copysign", "negative", "absolute", "floor", "arctan2", "where", "less", "less_equal"):
        np.testing.assert_array_equal(np.signbit(got), np.signbit(expected))


@pytest.mark.slow
@BOTH
@each("name", OPS)
def test_nan_and_infinity(name, dtype):
    special = [np.nan, np.inf, -np.inf, 0.0, 1.5]
    arity = OPS[name].arity
    x = np.stack(np.meshgrid(*[special] * arity), axis=-1).reshape(-1, arity).astype(dtype)
    k = kernel(apply(name), (arity,))
    got, expected = k(x, dtype=dtype), interpret(k.program, x, dtype=dtype)
    if name == "arctan2":  # of two infinities there is no angle; NumPy follows C, which makes one up
        one = ~np.isinf(x).all(axis=-1)
        got, expected = got[one], expected[one]
    assert apart(got, expected) <= 2


@BOTH
@pytest.mark.slow
def test_results_that_nothing_is_computed_for(dtype):
    x = np.random.default_rng(2).normal(size=(19, 3)).astype(dtype)
    for n in (1, 2, 5, 9, 17):
        given = kernel(lambda x, n=n: np.array([x[i % 3] for i in range(n)]), (3,))
        np.testing.assert_array_equal(given(x, dtype=dtype), x[:, np.arange(n) % 3])
        fixed = kernel(lambda x, n=n: np.arange(n) / 7 - 0.5, (3,))
        constants = np.broadcast_to((np.arange(n) / 7 - 0.5).astype(dtype), (19, n))
        np.testing.assert_array_equal(fixed(x, dtype=dtype), constants)
        mixed = kernel(lambda x, n=n: np.array([x[0] if i % 2 else 0.1 * i for i in range(n)]), (3,))
        np.testing.assert_array_equal(mixed(x, dtype=dtype), interpret(mixed.program, x, dtype=dtype))
    special = kernel(lambda x: np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e300, x[0]]), (3,))
    with np.errstate(over="ignore"):
        expected = interpret(special.program, x, dtype=dtype)
    np.testing.assert_array_equal(special(x, dtype=dtype), expected)


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize(
    "size", [pytest.param(n, marks=[] if n in (1, 2, 3, 5, 8, 17) else SLOW) for n in range(1, 18)]
)
def test_sizes_of_input_and_output(size, dtype):
    """Groups of as many entries as a vector has lanes overlap where the size is no multiple."""
    rng = np.random.default_rng(size)
    x = rng.normal(size=(35, size)).astype(dtype)
    for wanted in (1, 3, size, 17):
        k = kernel(lambda x, n=wanted: np.array([x[i % size] + 0.5 * x[(3 * i + 1) % size] for i in range(n)]), (size,))
        expected = interpret(k.program, x, dtype=dtype)
        lanes = llvm.host().lanes("double" if dtype is np.float64 else "float").width
        for n in range(2 * lanes + 4):
            assert apart(k(x[:n], dtype=dtype), expected[:n], scale=8) <= 1
        assert apart(k(x[3], dtype=dtype), expected[3], scale=8) <= 1


@BOTH
@pytest.mark.slow
def test_symmetric_matrix_with_blocks_of_zeros(dtype, processor):
    """Each entry is one product, so that it has the same bits however it is computed and stored."""
    n, rng = 21, np.random.default_rng(6)
    pattern = np.add.outer(np.arange(n) // 7, np.arange(n) // 7) % 2 == 0
    pattern[:, 5] = pattern[5] = False
    x = rng.normal(size=(37, n)).astype(dtype)
    expected = np.where(pattern, x[:, :, None] * x[:, None, :], 0)
    k = kernel(lambda x: np.array([[x[i] * x[j] if pattern[i, j] else 0.0 for j in range(n)] for i in range(n)]), (n,))
    for count in (1, 2, 8, 37):
        np.testing.assert_array_equal(k(x[:count], dtype=dtype), expected[:count])
    for row, right in zip(x[:3], expected, strict=False):
        np.testing.assert_array_equal(k(row, dtype=dtype), right)


@pytest.mark.slow
@BOTH
def test_several_inputs_with_axes(dtype, processor):
    def function(A, b, c, D):
        return A @ b[:3] + c * D[0, 0, :3], np.sin(b)[:3]

    k = kernel(lambda *x: np.array(function(*x)), (3, 3), (5,), (), (2, 1, 4))
    rng = np.random.default_rng(3)
    for n in (*range(20), 33):
        x = [rng.normal(size=(n, *port.shape)).astype(dtype) for port in k.inputs]
        got = k(*x, dtype=dtype)
        assert got.shape == (n, 2, 3)
        assert apart(got, interpret(k.program, *x, dtype=dtype), scale=16) <= 4


@pytest.mark.slow
@BOTH
def test_sines_of_cosines_of_sines(dtype, processor):
    def function(x):
        a = np.sin(x[0] + x[1])
        b = np.cos(3 * a)
        c = np.sin(b - np.cos(x[1])) + np.sin(x[0])
        return np.array([np.cos(c), np.cos(a), b, np.sin(b), np.arctan2(np.sin(c), b), np.cos(x[0] + x[1])])

    k = kernel(function, (2,))
    x = np.random.default_rng(4).normal(size=(101, 2)).astype(dtype)
    with np.errstate(all="ignore"):
        assert apart(k(x, dtype=dtype), interpret(k.program, x, dtype=dtype), scale=1) <= 24


@pytest.mark.slow
@BOTH
def test_all_operations_in_one_program(dtype, processor):
    k = kernel(every_operation, (8,))
    x = np.random.default_rng(5).uniform(-1, 1, (77, 8)).astype(dtype)
    assert k.operations.keys() == OPS.keys()
    assert apart(k(x, dtype=dtype), interpret(k.program, x, dtype=dtype), scale=4) <= 4
    np.testing.assert_array_equal(k(x[6], dtype=dtype), k(x, dtype=dtype)[6])


@each("fma", [True, False])
@each("floor", [True, False])
def test_lowered_programs_mean_the_same(fma, floor):
    from dataclasses import replace

    program = trace(every_operation, (8,))
    low = lower(program, replace(llvm.host(), fma=fma, floor=floor), 53)
    assert not {"arctan2", "arccos"} & low.operations.keys()
    assert ("fma" in low.operations, "floor" in low.operations) == (fma, floor)
    x = np.random.default_rng(6).uniform(-1, 1, (200, 8))
    assert apart(interpret(low, x), interpret(program, x), scale=4) <= 2


@pytest.mark.parametrize("digits", [53, 24])
def test_floor_of_large_numbers(digits):
    from dataclasses import replace

    low = lower(trace(lambda x: np.array([np.floor(x[0])]), (1,)), replace(llvm.host(), floor=False), digits)
    dtype = np.float64 if digits == 53 else np.float32
    edge = 2.0**digits
    x = np.array([0.5, 1, 1.5, edge / 4 + 0.5, edge / 2 - 0.5, edge / 2, edge / 2 + 1, edge, 3 * edge, 1e30], dtype)
    x = np.concatenate([x, -x, np.nextafter(x, dtype(0)), -np.nextafter(x, dtype(0)), np.array([0.0, -0.0], dtype)])
    got = interpret(low, x[:, None], dtype=dtype)[:, 0]
    np.testing.assert_array_equal(got, np.floor(x))
    np.testing.assert_array_equal(np.signbit(got), np.signbit(np.floor(x)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "urdf", [p for p in icub_urdfs() if "iCubGazeboV2_5" in str(p) or "ergoCubSN001" in str(p)][:2]
)
def test_real_robots(urdf):
    robot = kt.load(urdf)
    rng = np.random.default_rng(7)
    q = np.array([random_q(robot, rng) for _ in range(11)])
    fk = kt.fk(robot, list(robot.frames)[::15])
    expected = fk.interpret(q)
    np.testing.assert_allclose(fk(q), expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(fk(q[4]), expected[4], rtol=0, atol=1e-14)
    np.testing.assert_allclose(fk(q, dtype=np.float32), expected, rtol=0, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("scalar", ["double", "float"])
@pytest.mark.parametrize("name", FOREIGN)
def test_other_processors(name, scalar):
    """Compiled here, whether or not they are at hand; nothing is left for a linker to find."""
    program = trace(every_operation, (8,))
    text = assembly(program, FOREIGN[name], scalar, array_layout() if scalar == "double" else None)
    code = llvm.compile_object(text, FOREIGN[name])
    assert undefined_symbols(code) == set()


@pytest.mark.slow
def test_undefined_symbols_are_seen():
    text = "declare double @elsewhere(double)\ndefine double @loop(double %x) {\n" + (
        "%y = call double @elsewhere(double %x)\nret double %y\n}"
    )
    assert undefined_symbols(llvm.compile_object(text, FOREIGN["SSE2"])) == {"elsewhere"}
    assert undefined_symbols(llvm.compile_object(text, FOREIGN["Arm"])) == {"elsewhere"}


@each(
    "text",
    [
        "nonsense",
        "define double @loop(double %x) { ret float 0.0 }",
        "define void @loop(i1 %c) {\nentry:\nbr i1 %c, label %a, label %b\na:\n%x = add i64 1, 2\nbr label %b\n"
        "b:\n%y = add i64 %x, 1\nret void\n}",  # parsed, but %x does not reach b
        "declare <4 x double> @llvm.fma.v4f64(<4 x double>)\n"
        "define <4 x double> @loop(<4 x double> %x) {\n"
        "%y = call <4 x double> @llvm.fma.v4f64(<4 x double> %x)\nret <4 x double> %y\n}",
    ],
)
def test_wrong_modules_are_refused(text):
    with pytest.raises(RuntimeError):
        llvm.compile_object(text, llvm.host())


def blocks_of(program, target):
    """The basic blocks of @block in assembly, without those that load the inputs, and without the last."""
    text = assembly(program, FOREIGN[target], "double", None)
    body = text[text.index("@block(") : text.index("\n}")]
    return re.split(r"\n\w+:\n", body)[2:-1]


@pytest.mark.slow
def test_no_block_is_long():
    """LLVM takes four times as long for one block as for ten."""
    program = trace(lambda x: np.array([x[i % 40] * x[j % 39] for i in range(40) for j in range(50)]), (40,))
    blocks = blocks_of(program, "AVX-512")
    assert max(block.count("\n") for block in blocks) < ir.BREAK + 100  # the stores of eight results stay together


@pytest.mark.parametrize("target", ["AVX2", "AVX-512"])
def test_many_points_are_stored_once_and_in_blocks_that_are_not_long(target):
    """Half of the points are constants, which 256-bit code loads: once, however many lookups choose among them."""
    count, chosen = 300, 40

    def one_of_many(x):
        entries = [x[i % 9] if i % 2 else x[0].graph.constant(float(i)) for i in range(3 * count)]
        return np.array([x[0].graph.apply(Chosen(count, 1), x[i % 9], *entries) for i in range(chosen)])

    blocks = blocks_of(trace(one_of_many, (9,)), target)
    assert max(block.count("\n") for block in blocks) < ir.BREAK + 100
    lines = sum(block.count("\n") for block in blocks)
    assert 3 * count < lines < 15 * count
