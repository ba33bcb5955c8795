"""LLVM assembly of the operations with a constant table (`kinetree.compiler.lookup`), in vectors of configurations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinetree.compiler.ir import Function, Pool
from kinetree.compiler.lookup import Chosen, Column, Farthest, Leasts, Lookup, Nearest, Pairs, Part


class Lookups:
    """The lookups of a function under construction, and the points of each in memory."""

    def __init__(self, f: Function, pool: Pool) -> None:
        self.f, self.pool, self.lanes = f, pool, pool.lanes
        self.places: dict[tuple[int, ...], str] = {}  # of the values of points, once they are in memory
        self.buffers: dict[tuple[int, ...], str] = {}
        self.results: dict[Leasts, str] = {}

    def reserve(self, steps: Sequence[tuple[Any, tuple[int, ...]]]) -> None:
        """Make room for the points of all lookups, at the start of the function."""
        for op, args in steps:
            points, size = _points(op, args), self.lanes.size * self.lanes.width
            if isinstance(op, Leasts):
                self.results[op] = self.f.let(f"alloca [{2 * len(op.ends) - 2} x {self.lanes.vector}], align {size}")
            if points and points not in self.buffers:
                self.buffers[points] = self.f.let(f"alloca [{len(points)} x {self.lanes.vector}], align {size}")

    def compute(self, op: Lookup, args: tuple[int, ...], name: Callable[[int], str]) -> str:
        """Return the name of the result. name: of an argument, which may load a constant; points are loaded once."""
        points, vector = _points(op, args), self.lanes.vector
        if points and points not in self.places:
            place = self.places[points] = self.buffers[points]
            for i, point in enumerate(points):
                self.f.end_long_block()
                self.f.do(f"store {vector} {name(point)}, ptr {self.f.offset(place, i, vector)}")
        names = [name(a) for a in args[: len(args) - len(points)]]
        match op:
            case Nearest(pairs):
                everything = ("0", str(len(pairs.skip)), self.lanes.splat(float("inf")))
                return _Search(self, pairs, self.places[points]).write(*everything)[0]
            case Leasts():
                return self._leasts(op, self.places[points])
            case Part(number):
                return self.f.let(f"load {vector}, ptr {self.f.offset(names[0], number, vector)}")
            case Column():
                column = self.pool.table(op.values)
                return self._gathered(column, self._whole(names[0]), self.lanes.scalar)
            case Chosen(_, axis):
                return self._coordinate(self.places[points], self._whole(names[0]), axis)
            case Farthest():
                rows = self.pool.table(op.rows)
                return self._farthest(rows, names)

    def _leasts(self, op: Leasts, points: str) -> str:
        """Write the search in each part; return the address of the results."""
        f, place, search = self.f, self.results[op], _Search(self, op.pairs, points)
        ends = self.pool.table(op.ends)
        most = self.lanes.splat(float(op.most[0]))
        with f.loop(len(op.ends) - 1) as part:
            places = [f.offset(ends, i, "i32") for i in (part, f.let(f"add i64 {part}, 1"))]
            first, last = (f.let(f"sext i32 {f.let(f'load i32, ptr {p}')} to i64") for p in places)
            found, best = search.write(first, last, most)
            number = f.let(f"add i64 {part}, {len(op.ends) - 1}")
            for value, at in ((best, part), (found, number)):
                f.do(f"store {self.lanes.vector} {value}, ptr {f.offset(place, at, self.lanes.vector)}")
        return place

    def _farthest(self, rows: str, names: Sequence[str]) -> str:
        """Write the loop over the rows of every lane, as long as one of them has more; return the number found."""
        f, lanes = self.f, self.lanes
        vector, first, last, direction = lanes.vector, *names[:2], names[2:]
        one = lanes.splat(1.0)
        head, body, end = (f.new_label() for _ in range(3))
        row, best, found, before = f"%row.{head}", f"%best.{head}", f"%found.{head}", f.label
        final = f.let(f"fsub {vector} {last}, {one}")
        f.do(f"br label %{head}")
        f.begin(head)
        place = len(f.lines)
        f.lines += ["", "", ""]
        more = f.let(f"fcmp olt {vector} {row}, {last}")
        bits = f.let(f"bitcast <{lanes.width} x i1> {more} to i{lanes.width}")
        f.do(f"br i1 {f.let(f'icmp ne i{lanes.width} {bits}, 0')}, label %{body}, label %{end}")
        f.begin(body)
        own = f.let(f"select {lanes.logical} {more}, {vector} {row}, {vector} {final}")
        whole, triple = self._whole(own), f"[3 x {lanes.scalar}]"
        columns = [self._gathered(f.offset(rows, axis, lanes.scalar), whole, triple) for axis in range(3)]
        far = f.let(f"fmul contract {vector} {columns[0]}, {direction[0]}")
        for x, d in zip(columns[1:], direction[1:], strict=True):
            far = f.let(f"fadd contract {vector} {far}, {f.let(f'fmul contract {vector} {x}, {d}')}")
        farther = f.let(f"fcmp ogt {vector} {far}, {best}")
        choose = f"select {lanes.logical} {farther}, {vector}"
        kept = f.let(f"{choose} {far}, {vector} {best}"), f.let(f"{choose} {own}, {vector} {found}")
        following = f.let(f"fadd {vector} {row}, {one}")
        start = ((row, first, following), (best, lanes.splat(-float("inf")), kept[0]), (found, first, kept[1]))
        for k, (name, given, value) in enumerate(start):
            f.lines[place + k] = f"  {name} = phi {vector} [{given}, %{before}], [{value}, %{f.label}]"
        f.do(f"br label %{head}")
        f.begin(end)
        return found

    def _whole(self, number: str) -> str:
        width = self.lanes.width
        return self.f.let(f"fptosi {self.lanes.vector} {number} to <{width} x i64>")

    def _coordinate(self, place: str, whole: str, axis: int) -> str:
        """Return a coordinate of the point of each lane's number, each from the lane of its own."""
        width, lanes = self.lanes.width, ", ".join(f"i64 {lane}" for lane in range(self.lanes.width))
        first = self.f.let(f"mul <{width} x i64> {whole}, splat (i64 {3 * width})")
        own = self.f.let(f"add <{width} x i64> {first}, <{lanes}>")
        return self._gathered(self.f.offset(place, axis, self.lanes.vector), own, self.lanes.scalar)

    def _gathered(self, table: str, whole: str, kind: str) -> str:
        """Return the first number of the entry of each lane's number, in a table of entries of a type."""
        lanes, w = self.lanes, self.lanes.width
        places = self.f.let(f"getelementptr {kind}, ptr {table}, <{w} x i64> {whole}")
        arguments = (
            f"<{w} x ptr> {places}, i32 {lanes.size}, <{w} x i1> splat (i1 true), {lanes.vector} {lanes.splat(0.0)}"
        )
        return self.f.let(f"call {lanes.vector} @llvm.masked.gather.{lanes.suffix}.v{w}p0({arguments})")


def _points(op: Any, args: tuple[int, ...]) -> tuple[int, ...]:
    """Return the values of the points of a lookup."""
    return args if isinstance(op, Nearest | Leasts) else args[1:] if isinstance(op, Chosen) else ()


class _Search:
    """The loop over groups of pairs, and in it the loop over the pairs of a group.

    A pair is nearer than the least distance so far if the square of its distance is below that of least + reach, so
    that roots are only computed where the least changes.
    """

    def __init__(self, lookups: Lookups, pairs: Pairs, points: str) -> None:
        self.f, self.lanes, self.pairs, self.points = lookups.f, lookups.lanes, pairs, points
        pool = lookups.pool
        self.tables = {name: pool.table(array) for name, array in vars(pairs).items() if isinstance(array, np.ndarray)}

    def write(self, first: str, last: str, most: str) -> tuple[str, str]:
        """Return the names of the number of the nearest pair in the groups from first to last, and of its distance less
        its reach; `most`, and 0, where none is below that."""
        f, vector = self.f, self.lanes.vector
        group, best, found = (f"%{name}.{f.new_label()}" for name in ("group", "best", "found"))
        head, look, into, step, end = (f.new_label() for _ in range(5))
        before = f.label
        f.do(f"br label %{head}")
        f.begin(head)
        place = len(f.lines)
        f.lines += ["", "", ""]
        f.do(f"br i1 {f.let(f'icmp slt i64 {group}, {last}')}, label %{look}, label %{end}")
        f.begin(look)
        skip, own = self._index("skip", group), f.let(f"add i64 {group}, 1")
        nearer, _ = self._nearer("group_", group, best, boxes=False)
        looked = f.label
        f.do(f"br i1 {self._any(nearer)}, label %{into}, label %{step}")
        f.begin(into)
        best_in, found_in = self._pairs_of(group, own, best, found)
        gone_from = f.label
        f.do(f"br label %{step}")
        f.begin(step)
        after = [("i64", skip, own), (vector, best, best_in), (vector, found, found_in)]
        merged = []
        for kind, passed, gone in after:
            merged.append(f.let(f"phi {kind} [{passed}, %{looked}], [{gone}, %{gone_from}]"))
        f.do(f"br label %{head}")
        start = [("i64", group, first), (vector, best, most), (vector, found, self.lanes.splat(0.0))]
        for i, ((kind, name, given), value) in enumerate(zip(start, merged, strict=True)):
            f.lines[place + i] = f"  {name} = phi {kind} [{given}, %{before}], [{value}, %{step}]"
        f.begin(end)
        return found, best

    def _pairs_of(self, group: str, after: str, best: str, found: str) -> tuple[str, str]:
        """Write the loop over the pairs of a group; return the names of the least distance and its pair."""
        f, vector = self.f, self.lanes.vector
        head, body, change, step, end = (f.new_label() for _ in range(5))
        pair, least, nearest = f"%pair.{head}", f"%least.{head}", f"%nearest.{head}"
        first, last, before = self._index("start", group), self._index("start", after), f.label
        f.do(f"br label %{head}")
        f.begin(head)
        place = len(f.lines)
        f.lines += ["", "", ""]
        f.do(f"br i1 {f.let(f'icmp slt i64 {pair}, {last}')}, label %{body}, label %{end}")
        f.begin(body)
        nearer, (square, reach) = self._nearer("", pair, least, boxes=self.pairs.boxes is not None)
        f.do(f"br i1 {self._any(nearer)}, label %{change}, label %{step}")
        f.begin(change)
        root = f.let(f"call {vector} @llvm.sqrt.{self.lanes.suffix}({vector} {square})")
        distance = f.let(f"fsub {vector} {root}, {reach}")
        number = self._spread(f.let(f"sitofp i64 {pair} to {self.lanes.scalar}"))
        choose = f"select {self.lanes.logical} {nearer}, {vector}"
        changed = f.let(f"{choose} {distance}, {vector} {least}"), f.let(f"{choose} {number}, {vector} {nearest}")
        f.do(f"br label %{step}")
        f.begin(step)
        kept = [
            f.let(f"phi {vector} [{old}, %{body}], [{new}, %{change}]")
            for old, new in zip((least, nearest), changed, strict=True)
        ]
        following = f.let(f"add i64 {pair}, 1")
        f.do(f"br label %{head}")
        start = [("i64", pair, first, following), (vector, least, best, kept[0]), (vector, nearest, found, kept[1])]
        for i, (kind, name, given, value) in enumerate(start):
            f.lines[place + i] = f"  {name} = phi {kind} [{given}, %{before}], [{value}, %{step}]"
        f.begin(end)
        return least, nearest

    def _nearer(self, table: str, row: str, least: str, *, boxes: bool) -> tuple[str, tuple[str, str]]:
        """Return where a row is nearer than the least so far, and the square of its distance, and its reach."""
        f, vector = self.f, self.lanes.vector
        a, b = (self._point(self._index(table + which, row)) for which in ("first", "second"))
        difference = [f.let(f"fsub {vector} {x}, {y}") for x, y in zip(a, b, strict=True)]
        if boxes:
            difference = self._outside(row, difference)
        square = self._dot(difference, difference)
        reach = self._number(table + "reach", row)
        limit = f.let(f"fadd {vector} {least}, {reach}")
        size = f.let(f"call {vector} @llvm.fabs.{self.lanes.suffix}({vector} {limit})")
        bound = f.let(f"fmul {vector} {limit}, {size}")
        return f.let(f"fcmp olt {vector} {square}, {bound}"), (square, reach)

    def _outside(self, row: str, difference: Sequence[str]) -> list[str]:
        """Return how far beyond the box a point is along each of its axes."""
        f, vector, found = self.f, self.lanes.vector, []
        box, maximum = self._index("second", row), f"call {vector} @llvm.maximum.{self.lanes.suffix}"
        for axis in range(3):
            along = self._dot(difference, self._point(f.let(f"add i64 {box}, {1 + axis}")))
            low, high = (
                self._number("boxes", f.let(f"add i64 {f.let(f'mul i64 {row}, 6')}, {3 * end + axis}"))
                for end in (0, 1)
            )
            below, above = f.let(f"fsub {vector} {low}, {along}"), f.let(f"fsub {vector} {along}, {high}")
            beyond = f.let(f"{maximum}({vector} {below}, {vector} {above})")
            found.append(f.let(f"{maximum}({vector} {beyond}, {vector} {self.lanes.splat(0.0)})"))
        return found

    def _dot(self, a: Sequence[str], b: Sequence[str]) -> str:
        f, vector = self.f, self.lanes.vector
        total = f.let(f"fmul contract {vector} {a[0]}, {b[0]}")
        for x, y in zip(a[1:], b[1:], strict=True):
            total = f.let(f"fadd contract {vector} {total}, {f.let(f'fmul contract {vector} {x}, {y}')}")
        return total

    def _point(self, number: str) -> list[str]:
        """Return the coordinates of the point of a number."""
        f, vector = self.f, self.lanes.vector
        place = f.offset(self.points, number, f"[3 x {vector}]")
        return [f.let(f"load {vector}, ptr {f.offset(place, axis, vector)}") for axis in range(3)]

    def _index(self, table: str, row: str) -> str:
        value = self.f.let(f"load i32, ptr {self.f.offset(self.tables[table], row, 'i32')}")
        return self.f.let(f"sext i32 {value} to i64")

    def _number(self, table: str, row: str) -> str:
        """Return an entry of a table, in all lanes."""
        scalar = self.lanes.scalar
        return self._spread(self.f.let(f"load {scalar}, ptr {self.f.offset(self.tables[table], row, scalar)}"))

    def _spread(self, number: str) -> str:
        f, lanes = self.f, self.lanes
        one = f.let(f"insertelement {lanes.vector} poison, {lanes.scalar} {number}, i32 0")
        zeros = f"<{lanes.width} x i32> zeroinitializer"
        return f.let(f"shufflevector {lanes.vector} {one}, {lanes.vector} poison, {zeros}")

    def _any(self, truth: str) -> str:
        f, width = self.f, self.lanes.width
        bits = f.let(f"bitcast <{width} x i1> {truth} to i{width}")
        return f.let(f"icmp ne i{width} {bits}, 0")
