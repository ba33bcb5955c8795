"""LLVM assembly of a program on a vector of configurations: the function @block.

Its arguments are, for every input and then for the result, the address of the first configuration and the distance in
bytes to the next. Each lane of a vector computes one configuration; the entries of a configuration are adjacent. A
distance of zero makes all lanes equal, which computes a single configuration.
"""

from collections.abc import Iterable
from math import prod
from typing import NamedTuple

from kinetree.compiler.ir import Function, Pool
from kinetree.compiler.ops import OPS
from kinetree.compiler.program import Program

TRIGONOMETRIC = {"sin": "%sines", "cos": "%cosines"}

BREAK = 300
"""Instructions after which a basic block ends. LLVM's time grows faster than the size of a block, so long programs get
branches that are never taken; without them LLVM would join the blocks."""


class Compute(NamedTuple):
    """The step that computes a value."""

    value: int


class Turn(NamedTuple):
    """The sines and cosines of some values."""

    angles: tuple[int, ...]


class Store(NamedTuple):
    """Some of the results, as many as fill a vector."""

    group: range


Action = Compute | Turn | Store


class Block:
    """The function @block under construction."""

    def __init__(self, program: Program, pool: Pool, fast: str) -> None:
        """Plan the function. fast: LLVM flags for every sum and product."""
        self.program, self.pool, self.lanes, self.fast = program, pool, pool.lanes, fast
        ports = "".join(f"ptr %in{k}, i64 %step{k}, " for k in range(len(program.inputs)))
        self.f = Function(f"define internal void @block({ports}ptr noalias %out, i64 %step) #0")
        self.first_step = program.size + len(program.constants)
        self.actions = self._plan()
        self.angles: dict[int, int] = {}  # where a value stands among the arguments of @sincos
        for action in self.actions:
            if isinstance(action, Turn):
                self.angles |= {value: len(self.angles) + i for i, value in enumerate(action.angles)}
        self.names: dict[int, str] = {}

    def write(self) -> str:
        """Return the text of the function."""
        f, size = self.f, self.lanes.size * self.lanes.width
        for name in ("%angles", *TRIGONOMETRIC.values()) if self.angles else ():
            f.do(f"{name} = alloca [{len(self.angles)} x {self.lanes.vector}], align {size}")
        self._load()
        rows = self._rows("%out", "%step")
        written = len(f.lines)
        for action in self.actions:
            if len(f.lines) > written + BREAK:
                following = f.new_label()
                f.do(f"br i1 {f.let('icmp eq ptr %out, null')}, label %end, label %{following}")
                f.begin(following)
                written = len(f.lines)
            match action:
                case Compute(value):
                    self._compute(value)
                case Turn(angles):
                    self._turn(angles)
                case Store(group):
                    self._store(group, rows)
        f.do("br label %end")
        f.begin("end")
        f.do("ret void")
        return f.text()

    def _plan(self) -> list[Action]:
        """Return all actions in order: each sine and cosine in the first loop in which its argument is known, and each
        group of results as soon as it is complete."""
        program = self.program
        level = [0] * self.first_step  # how many sines and cosines come one after the other on the way to a value
        angles: list[set[int]] = []
        for op, args in program.steps:
            level.append(max(level[a] for a in args))
            if op in TRIGONOMETRIC:
                angles += [set() for _ in range(level[-1] + 1 - len(angles))]
                angles[level[-1]].add(args[0])
                level[-1] += 1
        actions: list[Action] = []
        planned = set(range(self.first_step))
        for waiting in angles:
            if waiting:
                actions += self._steps_to(waiting, planned)
                actions.append(Turn(tuple(sorted(waiting))))
        for group in _groups(len(program.results), self.lanes.width):
            actions += self._steps_to((program.results[i] for i in group), planned)
            actions.append(Store(group))
        return actions

    def _steps_to(self, values: Iterable[int], planned: set[int]) -> list[Compute]:
        """Return the steps that these values need and that are not planned yet, in order."""
        needed: set[int] = set()
        stack = list(values)
        while stack:
            value = stack.pop()
            if value not in planned and value not in needed:
                needed.add(value)
                stack.extend(self.program.steps[value - self.first_step].args)
        planned |= needed
        return [Compute(value) for value in sorted(needed)]

    def _name(self, value: int) -> str:
        if self.program.size <= value < self.first_step:
            return self.pool.number(self.f, self.program.constants[value - self.program.size])
        return self.names[value]

    def _load(self) -> None:
        """Load the inputs: rows of configurations become columns of lanes."""
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
        """Return the columns of a square of numbers; at distance s, rows s apart exchange entries s apart."""
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

    def _compute(self, value: int) -> None:
        f, lanes = self.f, self.lanes
        op, args = self.program.steps[value - self.first_step]
        if op in TRIGONOMETRIC:
            place = f.offset(TRIGONOMETRIC[op], self.angles[args[0]], lanes.vector)
            self.names[value] = f.let(f"load {lanes.vector}, ptr {place}")
            return
        template = OPS[op].llvm
        assert template is not None, f"{op} has not been lowered"
        names = [self._name(a) for a in args]
        self.names[value] = f.let(
            template.format(*names, v=lanes.vector, b=lanes.logical, s=lanes.suffix, fast=self.fast)
        )

    def _turn(self, angles: tuple[int, ...]) -> None:
        f, vector = self.f, self.lanes.vector
        squares = self.pool.number(f, 0.0)
        for value in angles:
            name = self._name(value)
            f.do(f"store {vector} {name}, ptr {f.offset('%angles', self.angles[value], vector)}")
            squares = f.let(f"fadd contract {vector} {squares}, {f.let(f'fmul contract {vector} {name}, {name}')}")
        first = self.angles[angles[0]]
        places = ", ".join(f"ptr {f.offset(name, first, vector)}" for name in ("%angles", *TRIGONOMETRIC.values()))
        f.do(f"call void @sincos({places}, i64 {len(angles)}, {vector} {squares})")

    def _store(self, group: range, rows: list[str]) -> None:
        columns = [self._name(self.program.results[i]) for i in group]
        if len(self.program.results) >= self.lanes.width:
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
    """Return 0 … n - 1 in groups of `width`; the last overlaps the one before, so that none passes the end."""
    if n < width:
        return [range(n)] if n else []
    starts = [*range(0, n - width + 1, width)]
    if n % width:
        starts.append(n - width)
    return [range(start, start + width) for start in starts]
