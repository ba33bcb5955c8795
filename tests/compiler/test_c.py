"""C agrees with the interpreter, compiles without a warning as C99 and as C++, and refuses names that C refuses."""

import itertools

import numpy as np
import pytest

import kinetree as kt
from c_compiler import C99, CXX, call, compile_with, compilers, shared_object
from each import each
from every_operation import AWKWARD, constant_operations, every_operation, kernel, names_of_results
from kinetree.compiler.c import NUMBERS, CSource, write_c
from kinetree.compiler.interpret import interpret
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.ops import OPS
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from support import example_robot_urdfs, icub_urdfs, placed_frames, random_q

TOLERANCE = {"float64": {"rtol": 1e-15, "atol": 1e-14}, "float32": {"rtol": 1e-5, "atol": 1e-5}}
dtypes = pytest.mark.parametrize("dtype", ["float64", "float32"])


def test_every_operation_occurs():
    assert set(every_operation().operations) == set(OPS)


@pytest.mark.slow
@dtypes
def test_every_operation(tmp_path, dtype):
    k = kernel(every_operation())
    f = shared_object(tmp_path, "f", k.c_source(dtype=dtype)).f
    rng = np.random.default_rng(1)
    x = np.concatenate(
        [rng.normal(0, 2, (500, 3)), rng.uniform(-1, 1, (500, 3)), list(itertools.product(AWKWARD, repeat=3))]
    )
    expected = interpret(k.program, x, dtype=dtype)
    found = np.array([call(f, [row], k.output.shape, dtype) for row in x])
    tie = (x[:, 0] == 0) & (x[:, 1] == 0)
    for i, name in enumerate(names_of_results()):
        np.testing.assert_allclose(found[:, i], expected[:, i], **TOLERANCE[dtype], err_msg=name)
        # of two zeros NumPy itself takes now one, now the other; what is not a number has no sign that counts
        rows = ~np.isnan(expected[:, i]) & ~(tie & (name in ("minimum", "maximum")))
        np.testing.assert_array_equal(np.signbit(found[rows, i]), np.signbit(expected[rows, i]), err_msg=name)


@pytest.mark.slow
@dtypes
@pytest.mark.parametrize("constants", [(-1.5, -0.25, -3.0), (0.75, -0.5, 1e-9), (-0.0, -1.0, 2.0)])
def test_operations_on_literals(tmp_path, dtype, constants):
    k = kernel(constant_operations(constants))
    f = shared_object(tmp_path, "f", k.c_source(dtype=dtype)).f
    expected = interpret(k.program, [0.0], dtype=dtype)
    np.testing.assert_allclose(call(f, [[0.0]], k.output.shape, dtype), expected, **TOLERANCE[dtype])


@pytest.mark.slow
@dtypes
def test_literals_are_exact(tmp_path, dtype):
    rng = np.random.default_rng(2)
    values = [0.0, -0.0, 0.1, -1 / 3, 1e-5, 1e16, 1e22, 123456789.125, 16777217.0, 5e-324, 2.2250738585072014e-308]
    values += [1.7976931348623157e308, -1e300, 1e-40, 3.4028235e38, 1.401298464324817e-45, np.inf, -np.inf, np.nan]
    values += list(rng.normal(size=50) * 10.0 ** rng.integers(-30, 30, 50))
    k = kernel(lambda x: np.array(values), (1,))
    f = shared_object(tmp_path, "f", k.c_source(dtype=dtype)).f
    with np.errstate(over="ignore", under="ignore"):
        expected = np.array(values).astype(dtype)
    bits = f"u{expected.itemsize}"
    found = call(f, [[1.0]], k.output.shape, dtype)
    np.testing.assert_array_equal(found.view(bits)[~np.isnan(expected)], expected.view(bits)[~np.isnan(expected)])
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))


def test_results_that_are_inputs_or_constants_or_the_same_twice(tmp_path):
    k = kernel(lambda x, y: np.array([x[1], 2.0, x[0], x[0] * x[1], -1.0, x[0] * x[1]]), (2,), (3,))
    text = k.c_source()
    assert "(void)y;" in text.source
    assert "(void)x;" not in text.source
    assert "(void)result;" not in text.source
    f = shared_object(tmp_path, "f", text).f
    np.testing.assert_array_equal(call(f, [[3.0, 5.0], [0.0] * 3], (6,)), [5.0, 2.0, 3.0, 15.0, -1.0, 15.0])


@pytest.mark.slow
def test_arrays_without_entries_are_pointers(tmp_path):
    k = kernel(lambda x, y: np.array([1.0, y[0]]), (0,), (1,))
    text = k.c_source()
    assert "void f(const double *x, const double y[1], double result[2]);" in text.header
    np.testing.assert_array_equal(call(shared_object(tmp_path, "f", text).f, [[], [4.0]], (2,)), [1.0, 4.0])
    nothing = kernel(lambda x: np.zeros((0, 4)), (2,), name="g")
    assert call(shared_object(tmp_path, "g", nothing.c_source()).g, [[1.0, 2.0]], (0, 4)).shape == (0, 4)
    scalar = kernel(lambda x: x * 2.0, (), name="h")
    assert "void h(const double x[1], double result[1]);" in scalar.c_source().header
    assert call(shared_object(tmp_path, "h", scalar.c_source()).h, [3.0], ()) == 6.0


@pytest.mark.slow
@dtypes
def test_a_robot_that_does_not_move(tmp_path, dtype):
    robot = kt.load("<robot name='r'><link name='a'/></robot>", format="urdf")
    f = shared_object(tmp_path, "f", kt.fk(robot, "a").c_source("f", dtype)).f
    np.testing.assert_array_equal(call(f, [[]], (4, 4), dtype), np.eye(4))


def robot_agrees(folder, name, robot, frames, base, dtype, rng):
    k = kt.fk(robot, frames, base)
    f = getattr(shared_object(folder, name, k.c_source(name, dtype)), name)
    for _ in range(5):
        q = random_q(robot, rng).astype(dtype)
        np.testing.assert_allclose(call(f, [q], k.output.shape, dtype), k.interpret(q, dtype=dtype), **TOLERANCE[dtype])


@pytest.mark.slow
@dtypes
def test_icubs(tmp_path, dtype):
    rng = np.random.default_rng(3)
    robots = [kt.load("icub"), kt.load(icub_urdfs()[0])]
    for i, robot in enumerate(robots):
        robot_agrees(tmp_path, f"icub{i}_all", robot, placed_frames(robot)[::7], None, dtype, rng)
        robot_agrees(tmp_path, f"icub{i}_one", robot, "l_hand", "head", dtype, rng)


@pytest.mark.crosscheck
@dtypes
def test_many_robots(tmp_path, dtype):
    rng = np.random.default_rng(4)
    for i, path in enumerate(
        p for p in example_robot_urdfs() if p.name in ("ur5_robot.urdf", "panda.urdf", "talos_full.urdf")
    ):
        robot = kt.load(path)
        robot_agrees(tmp_path, f"r{i}", robot, list(robot.frames)[-3:], None, dtype, rng)


# every compiler, and C++


def every_kind(dtype):
    robot = kt.load("icub")
    named = [
        ("operations", kernel(every_operation())),
        ("literals", kernel(constant_operations((-1.5, np.inf, np.nan)))),
        ("hand", kt.fk(robot, "l_hand", "head")),
        ("empty", kernel(lambda x, y: np.array([1.0]), (0,), (2,))),
    ]
    return write_c(named, "all.h", dtype=dtype)


def write(folder, text, name="all"):
    (folder / f"{name}.c").write_text(text.source, encoding="ascii")
    (folder / f"{name}.h").write_text(text.header, encoding="ascii")
    return folder / f"{name}.c"


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_no_warnings_in_c_and_in_cxx(tmp_path, dtype):
    source = write(tmp_path, every_kind(dtype))
    for compiler in compilers("gcc", "clang", "cc"):
        for standard in ("-std=c99", "-std=c11", "-std=gnu99", "-std=gnu17"):
            compile_with(compiler, *C99, standard, "-O2", "-c", source, "-o", tmp_path / "c.o")
    for compiler in compilers("g++", "clang++", "c++"):
        for standard in ("-std=c++11", "-std=c++17"):
            compile_with(compiler, *CXX, standard, "-O2", "-c", source, "-o", tmp_path / "cxx.o")


@pytest.mark.slow
def test_a_program_in_cxx_calls_it_by_its_header(tmp_path):
    compilers("cc")
    compilers("c++")
    source = write(tmp_path, kernel(lambda x: x * 2.0, (2,), name="twice").c_source(), "twice")
    main = tmp_path / "main.cpp"
    main.write_text(
        '#include "twice.h"\n#include "twice.h"\n'
        "int main() { double x[2] = {1.5, 2.0}, y[2]; twice(x, y); return y[0] == 3.0 && y[1] == 4.0 ? 0 : 1; }\n"
    )
    compile_with("cc", *C99, "-c", source, "-o", tmp_path / "twice.o")
    compile_with("c++", *CXX, main, "-x", "none", tmp_path / "twice.o", "-o", tmp_path / "main", "-lm")
    compile_with(tmp_path / "main")


# comments


HOSTILE = [
    "*/ int evil; /*",
    "a\nb\r\n#error",
    "back\\",
    "\\",
    "??/",
    "*??/",
    "é…\u202e\u2028",
    "*/*",
    "/*/",
    "*",
    "//",
    "\x00\x1b",
    "\ud800",
]


@pytest.mark.slow
def test_comments_are_safe_whatever_they_contain(tmp_path):
    program = trace(lambda x: x[:2], (len(HOSTILE),))
    inputs = (Port("x", (len(HOSTILE),), tuple(HOSTILE), "".join(HOSTILE)),)
    for i, text in enumerate([*HOSTILE, "".join(HOSTILE)]):
        k = Kernel("f", inputs, Port("y", (2,), (text, text), text), lambda: program)
        name = f"f{i}"
        written = k.c_source(name, about=text)
        assert written.source.isascii()
        assert "#error" not in [line[:6] for line in written.source.splitlines()]
        assert written.header.count("/*") == written.header.count("*/") == 2
        shared_object(tmp_path, name, written)
        if i in (0, len(HOSTILE)):
            compilers("c++")
            compile_with("c++", *CXX, "-c", tmp_path / f"{name}.c", "-o", tmp_path / "cxx.o")


def test_comments_say_units_frames_order_and_shapes():
    robot = kt.load("icub")
    k = kt.fk(robot, "l_hand", "head")
    text = k.c_source("hand", about="robot icub, from icub.toml")
    for part in (text.source, text.header):
        assert " * robot icub, from icub.toml\n" in part
        assert " * fk: poses of l_hand in head; m\n" in part
        assert " * q: 35 numbers; m, rad\n" in part
        for i, name in enumerate(robot.joint_names):
            assert f" *   [{i}] {name}\n" in part
        assert " * T: 4 x 4, row-major\n" in part
        assert f" * {sum(k.operations.values())} operations: " in part
        assert "may not overlap" in part
    assert "void hand(const double q[35], double T[16]);" in text.header
    assert "void hand(const double q[restrict 35], double T[restrict 16])" in text.source
    assert " * fk: poses of l_hand in root_link; m\n" in kt.fk(robot, "l_hand").c_source().header


# names


@each(
    "name, said",
    [
        ("int", "a keyword"),
        ("class", "a keyword"),
        ("restrict", "a keyword"),
        ("main", "a keyword"),
        ("sin", "a name of math.h"),
        ("hypotf", "a name of math.h"),
        ("y1", "a name of math.h"),
        ("INFINITY", "a name of math.h"),
        ("exit", "a function of the C library"),
        ("2dof", "is no name in C"),
        ("a-b", "is no name in C"),
        ("_a", "is no name in C"),
        ("a__b", "is no name in C"),
        ("", "is no name in C"),
        ("é", "is no name in C"),
        ("a\n", "is no name in C"),
        ("x", "is the name of the function and of one of its arguments"),
    ],
)
def test_names_that_are_refused(name, said):
    with pytest.raises(kt.KinetreeError, match=said):
        write_c([(name, kernel(lambda x: x, (1,)))], "a.h")


def test_arguments_are_names_too():
    program = trace(lambda x, y: x * y, (1,), (1,))
    for x, y, said in (("a", "a", "an argument already"), ("t0", "b", "a local variable"), ("for", "b", "a keyword")):
        k = Kernel("f", (Port(x, (1,)), Port(y, (1,))), Port("z", (1,)), lambda: program)
        with pytest.raises(kt.KinetreeError, match=said):
            k.c_source()


def test_other_refusals():
    k = kernel(lambda x: x, (1,))
    with pytest.raises(kt.KinetreeError, match="'f' is a function already"):
        write_c([("f", k), ("f", k)], "a.h")
    with pytest.raises(kt.KinetreeError, match="expected one of float64, float32"):
        k.c_source(dtype=int)
    for header in ('a".h', "a\\.h", "a\n.h", "../a.h", "", "é.h"):
        with pytest.raises(kt.KinetreeError, match="header cannot be called"):
            write_c([("f", k)], header)


def test_the_same_every_time():
    texts = {kt.fk(kt.load("icub"), "head").c_source("head") for _ in range(2)}
    assert len(texts) == 1
    assert isinstance(texts.pop(), CSource)


@each(
    "value, double, single",
    [
        (1.5, "1.5", "1.5f"),
        (-0.1, "(-0.1)", "(-0.1f)"),
        (-0.0, "(-0.0)", "(-0.0f)"),
        (1e300, "1e+300", "HUGE_VALF"),
        (-np.inf, "(-HUGE_VAL)", "(-HUGE_VALF)"),
        (np.nan, 'nan("")', 'nanf("")'),
    ],
)
def test_literals(value, double, single):
    for dtype, text in ((np.float64, double), (np.float32, single)):
        assert NUMBERS[np.dtype(dtype)].literal(value) == text
