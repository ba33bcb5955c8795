"""Operations with a constant table: every backend agrees with the interpreter, and that with brute force."""

import itertools

import numpy as np
import pytest

from c_compiler import call, shared_object
from compiler.test_js import called, in_node
from each import each
from kinetree.compiler import llvm
from kinetree.compiler.gradients import jvp_kernel, vjp_kernel
from kinetree.compiler.interpret import interpret
from kinetree.compiler.ir_module import assembly
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.lookup import Chosen, Column, Farthest, Leasts, Nearest, Pairs, Part
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.compiler.target import target_with

COUNT, GROUPS, EACH = 30, 12, 5


def pairs(seed=0, boxes=False):
    """Pairs in groups, each with a bound that holds for all of them: a ball around its points."""
    rng = np.random.default_rng(seed)
    k = GROUPS * EACH
    first, second = rng.integers(0, 10, k), rng.integers(10, 26, k)
    ends = np.sort(rng.uniform(-0.3, 0.3, (k, 2, 3)), axis=1) if boxes else None
    second = np.full(k, 26) if boxes else second
    start = np.arange(0, k + 1, EACH)
    wide = np.full(GROUPS, 50.0)
    return Pairs(
        *(first, second, rng.uniform(0, 0.3, k), first[start[:-1]], second[start[:-1]], wide),
        *(np.arange(1, GROUPS + 1), start, ends),
    )


def searching(table):
    """From points to the number of the nearest pair, its distance, and the distance of each third of the groups."""
    ends = np.array([0, 3, 3, 8, GROUPS])

    def function(x):
        entries = list(x.ravel())
        graph = entries[0].graph
        k = graph.apply(Nearest(table, COUNT), *entries)
        a, b = (graph.apply(Column(c.astype(float)), k) for c in (table.first, table.second))
        point = [[graph.apply(Chosen(COUNT, axis), i, *entries) for axis in range(3)] for i in (a, b)]
        d = np.sqrt(sum((p - q) * (p - q) for p, q in zip(*point, strict=True))) - graph.apply(Column(table.reach), k)
        every = graph.apply(Leasts(table, ends, np.array([0.1]), COUNT), *entries)
        return np.array([k, d, *(graph.apply(Part(i), every) for i in range(8))])

    return Kernel("search", (Port("x", (COUNT, 3)),), Port("y", (10,)), lambda: trace(function, (COUNT, 3)))


ROWS = np.random.default_rng(5).normal(size=(40, 3))


def farthest():
    """From a range of rows and a direction to the row that is farthest, and its x."""

    def function(x):
        graph = x[0].graph
        k = graph.apply(Farthest(ROWS), *x)
        return np.array([k, graph.apply(Column(ROWS[:, 0]), k)])

    return Kernel("farthest", (Port("x", (5,)),), Port("y", (2,)), lambda: trace(function, (5,)))


def ranges(n):
    rng = np.random.default_rng(2)
    first = rng.integers(0, 38, n)
    last = first + 1 + rng.integers(0, 40 - first)
    return np.column_stack([first, last, rng.normal(size=(n, 3))])


POINTS = np.random.default_rng(1).uniform(-1, 1, (300, COUNT, 3))


@pytest.mark.parametrize("boxes", [False, True])
class TestSearch:
    def test_interpreter_is_brute_force(self, boxes):
        table = pairs(boxes=boxes)
        d = table.distances(np.moveaxis(POINTS, 0, -1))
        found = searching(table).interpret(POINTS)
        np.testing.assert_array_equal(found[:, 0], d.argmin(axis=0))
        starts = np.array([0, 3, 3, 8, GROUPS]) * EACH
        parts = [d[a:b].min(axis=0, initial=0.1) for a, b in itertools.pairwise(starts)]
        np.testing.assert_array_equal(found[:, 2:6].T, parts)
        numbers = [a + d[a:b].argmin(axis=0) if a < b else 0 * d[0] for a, b in itertools.pairwise(starts)]
        np.testing.assert_array_equal(found[:, 6:].T, np.where(np.array(parts) < 0.1, numbers, 0))
        if not boxes:
            np.testing.assert_allclose(found[:, 1], d.min(axis=0), atol=1e-15)

    def test_distances_by_hand(self, boxes):
        table, x = pairs(boxes=boxes), POINTS[0]
        for i in (0, 7, 31):
            a, b = x[table.first[i]], x[table.second[i]]
            d = a - b
            if boxes:
                axes = x[[27, 28, 29]]
                along = axes @ d
                d = along - np.clip(along, *table.boxes[i])
            assert table.distances(x[..., None])[i, 0] == pytest.approx(np.linalg.norm(d) - table.reach[i], abs=1e-15)

    @pytest.mark.slow
    @pytest.mark.parametrize("dtype", ["float64", "float32"])
    def test_machine_code(self, boxes, dtype):
        k = searching(pairs(boxes=boxes))
        expected = interpret(k.program, POINTS)
        np.testing.assert_allclose(k(POINTS, dtype=dtype), expected, atol=1e-14 if dtype == "float64" else 2e-6)
        np.testing.assert_allclose([k(x) for x in POINTS[:20]], expected[:20], atol=1e-14)

    @pytest.mark.slow
    def test_groups_that_are_far_are_skipped(self, boxes):
        table = pairs(boxes=boxes)
        skipped = Pairs(
            *(v if n != "group_reach" else np.full(GROUPS, -1e9) for n, v in vars(table).items() if n != "key")
        )
        found = searching(skipped)(POINTS[:9])
        np.testing.assert_array_equal(
            found[:, 2:], [[0.1] * 4 + [0] * 4] * 9
        )  # no group is looked into: the bound of each says it is far

    def test_c(self, boxes, tmp_path):
        k = searching(pairs(boxes=boxes))
        f = shared_object(tmp_path, "f", k.c_source("f")).f
        found = np.array([call(f, [x], (10,)) for x in POINTS[:40]])
        np.testing.assert_allclose(found, k.interpret(POINTS[:40]), atol=1e-14)

    @in_node
    def test_js(self, boxes, tmp_path):
        k = searching(pairs(boxes=boxes))
        found = called(tmp_path, k, [[x.ravel()] for x in POINTS[:20]])
        np.testing.assert_allclose(found, k.interpret(POINTS[:20]), atol=1e-14)


@pytest.mark.slow
def test_points_that_are_not_numbers_are_never_the_nearest():
    table, x = pairs(), POINTS[:1].copy()
    nearest = int(table.distances(np.moveaxis(x, 0, -1))[:, 0].argmin())
    x[0, table.first[nearest]] = np.nan
    k = searching(table)
    left = table.distances(np.moveaxis(x, 0, -1))[:, 0]
    assert k(x)[0, 0] == k.interpret(x)[0, 0] == np.nanargmin(left)


@pytest.mark.slow
def test_derivative_is_that_of_the_nearest_pair():
    table = pairs()

    def distance(x):
        entries = list(x.ravel())
        graph = entries[0].graph
        k = graph.apply(Nearest(table, COUNT), *entries)
        a, b = (graph.apply(Column(c.astype(float)), k) for c in (table.first, table.second))
        point = [[graph.apply(Chosen(COUNT, axis), i, *entries) for axis in range(3)] for i in (a, b)]
        return np.asarray(np.sqrt(sum((p - q) * (p - q) for p, q in zip(*point, strict=True))))

    k = Kernel("d", (Port("x", (COUNT, 3)),), Port("y", ()), lambda: trace(distance, (COUNT, 3)))
    x, dx = POINTS[:20], np.random.default_rng(3).normal(size=(20, COUNT, 3))
    step = 1e-6
    expected = (k(x + step * dx) - k(x - step * dx)) / (2 * step)
    np.testing.assert_allclose(jvp_kernel(k, [0], tangent=False)(x, dx), expected, atol=1e-8)
    back = vjp_kernel(k, [0], tangent=False)(x, np.ones(20))
    np.testing.assert_allclose((back * dx).sum(axis=(1, 2)), expected, atol=1e-8)
    assert (np.count_nonzero(back.any(axis=2), axis=1) == 2).all()  # of two points alone


class TestFarthest:
    def test_interpreter_is_brute_force(self):
        x = ranges(200)
        found = farthest().interpret(x)
        for row, (first, last, *d) in zip(found, x, strict=True):
            own = ROWS[int(first) : int(last)] @ d
            assert row[0] == first + own.argmax()
            assert row[1] == ROWS[int(row[0]), 0]

    def test_machine_code(self):
        x = ranges(201)
        np.testing.assert_array_equal(farthest()(x), farthest().interpret(x))

    def test_c(self, tmp_path):
        x, k = ranges(30), farthest()
        f = shared_object(tmp_path, "f", k.c_source("f")).f
        np.testing.assert_array_equal([call(f, [row], (2,)) for row in x], k.interpret(x))

    @in_node
    def test_js(self, tmp_path):
        x, k = ranges(20), farthest()
        np.testing.assert_array_equal(called(tmp_path, k, [[row] for row in x]), k.interpret(x))


def test_tables_are_equal_if_their_numbers_are():
    assert pairs() == pairs()
    assert hash(pairs()) == hash(pairs())
    assert pairs() != pairs(seed=1)
    assert pairs(boxes=True) != pairs()
    assert Column(np.array([1.0])) != Farthest(np.array([[1.0, 0, 0]]))
    assert repr(pairs()) == repr(pairs()) != repr(pairs(seed=1))


@pytest.mark.slow
@each("triple, features", [("aarch64-unknown-linux-gnu", {"neon"}), ("x86_64-pc-windows-msvc", {"avx2", "fma"})])
@each("make", [lambda: searching(pairs()), lambda: searching(pairs(boxes=True)), farthest])
@each("scalar", ["double", "float"])
def test_processors_without_gathers_need_no_library_for_them(triple, features, make, scalar):
    target = target_with(triple, "generic" if "neon" in features else "x86-64", features)
    code = llvm.compile_object(assembly(make().program, target, scalar, None, "contract "), target)
    assert b"gather" not in code


@each("op, entries", [(Column(np.array([3.0, 5.0, 9.0])), 1), (Farthest(np.eye(3)), 5)])
def test_what_a_number_chooses_is_constant_but_where_it_jumps(op, entries):
    """So is what depends on it: the derivative of x times an entry is the entry."""
    given = np.array([0.0, 3.0, 0.2, 0.9, 0.1])[-entries:] if entries > 1 else np.array([1.0])
    value = float(op.meaning(*given))
    assert value == {1: 5.0, 5: 1.0}[entries]
    inputs = (Port("x", (entries + 1,)),)
    made = Kernel(
        "f",
        inputs,
        Port("y", (1,)),
        lambda: trace(lambda x: np.array([x[0] * x[0].graph.apply(op, *x[1:])]), (entries + 1,)),
    )
    x, dx = np.array([2.0, *given]), np.arange(1.0, entries + 2.0)
    np.testing.assert_array_equal(made.interpret(x), [2.0 * value])
    np.testing.assert_array_equal(jvp_kernel(made, (0,), tangent=False).interpret(x, dx), [value])


@each("boxes", [False, True])
def test_a_search_has_no_derivative_and_says_so(boxes):
    """Neither forwards nor backwards, where the parts of a step come first."""
    made = searching(pairs(boxes=boxes))
    for derivative in (jvp_kernel(made, (0,), tangent=False), vjp_kernel(made, (0,), tangent=False)):
        with pytest.raises(TypeError, match="bounds have no derivative; that of the least"):
            derivative.interpret(POINTS[0], np.zeros((COUNT, 3) if "jvp" in derivative.name else 10))


def test_the_nearest_is_constant_and_a_chosen_point_moves_as_it_does():
    """The distance to the first point from the nearest one: its derivative is that of the nearest point's x."""
    table = pairs()

    def function(x):
        entries = list(x.ravel())
        graph = entries[0].graph
        k = graph.apply(Column(table.first.astype(float)), graph.apply(Nearest(table, COUNT), *entries))
        return np.array([graph.apply(Chosen(COUNT, axis), k, *entries) for axis in range(3)])

    made = Kernel("f", (Port("x", (COUNT, 3)),), Port("y", (3,)), lambda: trace(function, (COUNT, 3)))
    x = POINTS[:20]
    dx = np.random.default_rng(4).normal(size=x.shape)
    rows = np.arange(len(x)), table.first[table.distances(np.moveaxis(x, 0, -1)).argmin(axis=0)]
    assert len({*rows[1]}) > 3
    np.testing.assert_array_equal(made.interpret(x), x[rows])
    np.testing.assert_array_equal(jvp_kernel(made, (0,), tangent=False).interpret(x, dx), dx[rows])
