"""A program on a vector of configurations, in LLVM's assembly language: the function @block.

Its arguments are, for every input and then for the result, the address of the first configuration and the distance in
bytes to the next. It computes as many configurations as a vector has lanes, one in each; entries of one configuration
lie side by side. A distance of zero makes all lanes the same, which is how a single one is computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from kinetree.compiler.ir import Function, Lanes, Pool
from kinetree.compiler.ops import OPS
from kinetree.compiler.program import Program

TRIGONOMETRIC = {"sin": "%sines", "cos": "%cosines"}


class Block:
    """The function while it is written: the names of values that are known already."""

    def __init__(self, program: Program, pool: Pool, fast: str) -> None:
        self.program, self.pool, self.lanes, self.fast = program, pool, pool.lanes, fast
        ports = "".join(f"ptr %in{k}, i64 %step{k}, " for k in range(len(program.inputs)))
        self.f = Function(f"define internal void @block({ports}ptr noalias %out, i64 %step) #0")
        self.names: dict[int, str] = {}
        self.first_step = program.size + len(program.constants)
        self.turns = self._angles()

    def _angles(self) -> dict[int, int]:
        """Of every value whose sine or cosine is wanted, where it stands among the arguments of @sincos."""
        angles = dict.fromkeys(step.args[0] for step in self.program.steps if step.op in TRIGONOMETRIC)
        level = self.levels()
        return {value: i for i, value in enumerate(sorted(angles, key=level.__getitem__))}

    def levels(self) -> list[int]:
        """Of every value, how many sines and cosines come one after the other on the way to it."""
        level = [0] * self.first_step
        for step in self.program.steps:
            level.append(max(level[a] for a in step.args) + (step.op in TRIGONOMETRIC))
        return level

    def write(self) -> str:
        """The text of the function."""
        self._load()
        if self.turns:
            self._all_turns()
        self._results()
        self.f.do("ret void")
        return self.f.text()

    def _load(self) -> None:
        """The inputs: rows of configurations become columns of lanes."""
        start = 0
        for k, shape in enumerate(self.program.inputs):
            n, w = prod(shape), self.lanes.width
            rows = self._rows(f"%in{k}", f"%step{k}")
            for group in _groups(n, w):
                columns = self._load_columns(rows, group, w if n >= w else 1)
                self.names |= {start + at: name for at, name in zip(group, columns, strict=True)}
            start += n

    def _rows(self, pointer: str, step: str) -> list[str]:
        return [
            pointer if lane == 0 else self.f.offset(pointer, self.f.let(f"mul i64 {step}, {lane}"))
            for lane in range(self.lanes.width)
        ]

    def _load_columns(self, rows: list[str], group: range, together: int) -> list[str]:
        f, lanes = self.f, self.lanes
        if together > 1:
            at = [f.offset(row, group[0] * lanes.size) for row in rows]
            return self._transposed([f.let(f"load {lanes.vector}, ptr {p}, align {lanes.size}") for p in at])
        columns = []
        for entry in group:
            column = "poison"
            for lane, row in enumerate(rows):
                value = f.let(f"load {lanes.scalar}, ptr {f.offset(row, entry * lanes.size)}, align {lanes.size}")
                column = f.let(f"insertelement {lanes.vector} {column}, {lanes.scalar} {value}, i32 {lane}")
            columns.append(column)
        return columns

    def _transposed(self, rows: list[str]) -> list[str]:
        """The columns of a square of numbers: in the stage of distance s, rows s apart exchange what is s apart."""
        w, v, distance = self.lanes.width, self.lanes.vector, 1
        rows = list(rows)
        while distance < w:
            for i in (i for i in range(w) if not i & distance):
                a, b = rows[i], rows[i + distance]
                low = [lane if not lane & distance else w + lane - distance for lane in range(w)]
                high = [lane + distance if not lane & distance else w + lane for lane in range(w)]
                rows[i], rows[i + distance] = (
                    self.f.let(f"shufflevector {v} {a}, {v} {b}, <{w} x i32> <{', '.join(f'i32 {m}' for m in mask)}>")
                    for mask in (low, high)
                )
            distance *= 2
        return rows

    def _all_turns(self) -> None:
        """All sines and cosines that do not wait for others in one loop, then those that wait for these, and so on."""
        f, vector = self.f, self.lanes.vector
        for name in ("%angles", *TRIGONOMETRIC.values()):
            f.do(f"{name} = alloca [{len(self.turns)} x {vector}], align {self.lanes.size * self.lanes.width}")
        level = self.levels()
        done = 0
        for depth in range(max(level[value] for value in self.turns) + 1):
            angles = [value for value in self.turns if level[value] == depth]
            if angles:
                self._steps(self._needed(angles))
                for value in angles:
                    f.do(f"store {vector} {self._name(value)}, ptr {f.offset('%angles', self.turns[value], vector)}")
                at = (f.offset(name, done, vector) for name in ("%angles", *TRIGONOMETRIC.values()))
                f.do(f"call void @sincos({', '.join(f'ptr {p}' for p in at)}, i64 {len(angles)})")
                done += len(angles)

    def _needed(self, values: Iterable[int]) -> list[int]:
        """The steps that these values need and that are not written yet, in order."""
        needed: set[int] = set()
        stack = list(values)
        while stack:
            value = stack.pop()
            if value >= self.first_step and value not in needed and value not in self.names:
                needed.add(value)
                stack.extend(self.program.steps[value - self.first_step].args)
        return sorted(needed)

    def _steps(self, values: Iterable[int]) -> None:
        for value in values:
            self._step(value)

    def _step(self, value: int) -> None:
        f, lanes = self.f, self.lanes
        op, args = self.program.steps[value - self.first_step]
        if op in TRIGONOMETRIC:
            at = f.offset(TRIGONOMETRIC[op], self.turns[args[0]], lanes.vector)
            self.names[value] = f.let(f"load {lanes.vector}, ptr {at}")
            return
        template = OPS[op].llvm
        assert template is not None, f"{op} has not been lowered"
        names = [self._name(a) for a in args]
        self.names[value] = f.let(
            template.format(*names, v=lanes.vector, b=lanes.logical, s=lanes.suffix, fast=self.fast)
        )

    def _name(self, value: int) -> str:
        constant = value - self.program.size
        if 0 <= constant < len(self.program.constants):
            return self.pool.number(self.f, self.program.constants[constant])
        return self.names[value]

    def _results(self) -> None:
        """Writes every group of results that fill a vector as soon as it is complete, in rows of configurations."""
        lanes, results = self.lanes, self.program.results
        rows = self._rows("%out", "%step")
        for group in _groups(len(results), lanes.width):
            self._steps(self._needed(results[i] for i in group))
            columns = [self._name(results[i]) for i in group]
            if len(results) >= lanes.width:
                self._store_square(rows, group, columns)
            else:
                self._store_entries(rows, group, columns)

    def _store_square(self, rows: list[str], group: range, columns: list[str]) -> None:
        f, lanes, constants = self.f, self.lanes, range(self.program.size, self.first_step)
        numbers = [self.program.results[i] for i in group]
        if all(number in constants for number in numbers):
            values = [self.program.constants[number - self.program.size] for number in numbers]
            entries = ", ".join(f"{lanes.scalar} {lanes.literal(value)}" for value in values)
            filled = [f"<{entries}>"] * lanes.width
        else:
            filled = self._transposed(columns)
        for row, vector in zip(rows, filled, strict=True):
            f.do(f"store {lanes.vector} {vector}, ptr {f.offset(row, group[0] * lanes.size)}, align {lanes.size}")

    def _store_entries(self, rows: list[str], group: range, columns: list[str]) -> None:
        f, lanes = self.f, self.lanes
        for entry, column in zip(group, columns, strict=True):
            for lane, row in enumerate(rows):
                value = f.let(f"extractelement {lanes.vector} {column}, i32 {lane}")
                f.do(f"store {lanes.scalar} {value}, ptr {f.offset(row, entry * lanes.size)}, align {lanes.size}")


def _groups(n: int, width: int) -> list[range]:
    """0 … n - 1 in groups of `width`; the last one overlaps the one before, so that none reaches beyond."""
    if n < width:
        return [range(n)] if n else []
    starts = [*range(0, n - width + 1, width)]
    if n % width:
        starts.append(n - width)
    return [range(start, start + width) for start in starts]
