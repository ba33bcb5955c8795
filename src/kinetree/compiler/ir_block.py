"""LLVM assembly of a program on a vector of configurations: the function @block.

Its arguments are, for every input and then for the result, the address of the first configuration and the distance in
bytes to the next. Each lane of a vector computes one configuration; the entries of a configuration are adjacent. A
distance of zero makes all lanes equal, which computes a single configuration.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import prod
from typing import NamedTuple

from kinetree.compiler.ir import Function, Pool
from kinetree.compiler.ir_lookup import Lookups
from kinetree.compiler.ops import OPS
from kinetree.compiler.program import Program
from kinetree.compiler.target import Lanes

TRIGONOMETRIC = {"sin": "%sines", "cos": "%cosines"}

TOGETHER = 8
"""Most groups of results that are stored together."""


class Compute(NamedTuple):
    """The step that computes a value."""

    value: int


class Turn(NamedTuple):
    """The sines and cosines of some values."""

    angles: tuple[int, ...]


class Store(NamedTuple):
    """Some of the results, in groups that fill a vector."""

    groups: tuple[range, ...]


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
        self.lookups = Lookups(self.f, pool)

    def write(self) -> str:
        """Return the text of the function."""
        f, size = self.f, self.lanes.size * self.lanes.width
        for name in ("%angles", *TRIGONOMETRIC.values()) if self.angles else ():
            f.do(f"{name} = alloca [{len(self.angles)} x {self.lanes.vector}], align {size}")
        self.lookups.reserve([step for step in self.program.steps if not isinstance(step.op, str)])
        f.do("%single = icmp eq i64 %step, 0")
        self._load()
        rows = self._rows("%out", "%step")
        for action in self.actions:
            f.end_long_block()
            match action:
                case Compute(value):
                    self._compute(value)
                case Turn(angles):
                    self._turn(angles)
                case Store(groups):
                    self._store(groups, rows)
        f.do("br label %end")
        f.begin("end")
        f.do("ret void")
        return f.text()

    def _plan(self) -> list[Action]:
        """Return all actions in order: sines and cosines once their arguments are known, results once complete."""
        program = self.program
        level = [0] * self.first_step  # how many sines and cosines come one after the other on the way to a value
        angles: list[set[int]] = []
        for op, args in program.steps:
            level.append(max(level[a] for a in args))
            if isinstance(op, str) and op in TRIGONOMETRIC:
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
            steps, last = self._steps_to((program.results[i] for i in group), planned), actions[-1] if actions else None
            if isinstance(last, Store) and not steps and len(last.groups) < TOGETHER:
                actions[-1] = Store((*last.groups, group))
            else:
                actions += [*steps, Store((group,))]
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
        """Load the inputs: a single configuration into all lanes, or rows of configurations, which become columns."""
        f, shapes = self.f, self.program.inputs
        one, several, following = f.new_label(), f.new_label(), f.new_label()
        f.do(f"br i1 %single, label %{one}, label %{several}")
        f.begin(one)
        same = [self._spread(f"%in{k}", i) for k, n in enumerate(map(prod, shapes)) for i in range(n)]
        f.do(f"br label %{following}")
        f.begin(several)
        columns: list[str] = []
        for k, n in enumerate(map(prod, shapes)):
            rows = self._rows(f"%in{k}", f"%step{k}")
            loaded: dict[int, str] = {}
            for group in _groups(n, self.lanes.width):
                column = self._transposed([self._load_row(row, group) for row in rows])
                loaded |= {entry: column(i) for i, entry in enumerate(group)}
            columns += [loaded[i] for i in range(n)]
        f.do(f"br label %{following}")
        f.begin(following)
        for i, (a, b) in enumerate(zip(same, columns, strict=True)):
            self.names[i] = f.let(f"phi {self.lanes.vector} [{a}, %{one}], [{b}, %{several}]")

    def _spread(self, pointer: str, entry: int) -> str:
        """Return the entry of a configuration in all lanes."""
        f, lanes = self.f, self.lanes
        kind = f"<1 x {lanes.scalar}>"
        value = f.let(f"load {kind}, ptr {f.offset(pointer, entry * lanes.size)}, align {lanes.size}")
        return self._shuffled(kind, value, "poison", [0] * lanes.width)

    def _rows(self, pointer: str, step: str) -> list[str]:
        return [
            pointer if lane == 0 else self.f.offset(pointer, self.f.let(f"mul i64 {step}, {lane}"))
            for lane in range(self.lanes.width)
        ]

    def _load_row(self, row: str, group: range) -> str:
        """Return a vector with these entries of a configuration in its first lanes."""
        f, lanes, pieces = self.f, self.lanes, []
        for piece, part in _pieces(group, lanes):
            pieces.append(f.let(f"load {piece}, ptr {f.offset(row, part[0] * lanes.size)}, align {lanes.size}"))
        if len(group) == lanes.width:
            return pieces[0]
        size, n = len(part), len(group)
        mask = [i if i < size else i + 2 * size - n if i < n else None for i in range(lanes.width)]
        return self._shuffled(piece, pieces[0], pieces[-1], mask)

    def _store_row(self, row: str, group: range, vector: str) -> None:
        """Store the first lanes of a vector as these entries of a configuration."""
        f, lanes = self.f, self.lanes
        for piece, part in _pieces(group, lanes):
            if len(part) < lanes.width:
                first = part[0] - group[0]
                value = self._shuffled(lanes.vector, vector, "poison", list(range(first, first + len(part))))
            else:
                value = vector
            f.do(f"store {piece} {value}, ptr {f.offset(row, part[0] * lanes.size)}, align {lanes.size}")

    def _shuffled(self, kind: str, a: str, b: str, mask: Sequence[int | None]) -> str:
        numbers = ", ".join("i32 poison" if m is None else f"i32 {m}" for m in mask)
        return self.f.let(f"shufflevector {kind} {a}, {kind} {b}, <{len(mask)} x i32> <{numbers}>")

    def _transposed(self, rows: list[str]) -> Callable[[int], str]:
        """Return the function that writes a column of a square of numbers, by its number: at distance s, rows s apart
        exchange entries s apart."""
        w = self.lanes.width

        @cache
        def column(i: int, distance: int = w // 2) -> str:
            if not distance:
                return rows[i]
            a, b = column(i & ~distance, distance // 2), column(i | distance, distance // 2)
            if a == b == "poison":
                return a
            if i & distance:
                mask = [lane + distance if not lane & distance else w + lane for lane in range(w)]
            else:
                mask = [lane if not lane & distance else w + lane - distance for lane in range(w)]
            return self._shuffled(self.lanes.vector, a, b, mask)

        return column

    def _compute(self, value: int) -> None:
        f, lanes = self.f, self.lanes
        op, args = self.program.steps[value - self.first_step]
        if isinstance(op, str) and op in TRIGONOMETRIC:
            place = f.offset(TRIGONOMETRIC[op], self.angles[args[0]], lanes.vector)
            self.names[value] = f.let(f"load {lanes.vector}, ptr {place}")
            return
        if not isinstance(op, str):
            self.names[value] = self.lookups.compute(op, args, self._name)
            return
        names = [self._name(a) for a in args]
        template = OPS[op].llvm
        assert template is not None, f"{op} has not been lowered"
        self.names[value] = f.let(
            template.format(*names, v=lanes.vector, b=lanes.logical, s=lanes.suffix, fast=self.fast)
        )

    def _turn(self, angles: tuple[int, ...]) -> None:
        """Compute the sines and cosines of some values: a vector of configurations for each, or, for a single
        configuration, as many values in a vector as it has lanes."""
        f, lanes, names = self.f, self.lanes, [self._name(value) for value in angles]
        places = [f.offset(name, self.angles[angles[0]], lanes.vector) for name in ("%angles", *TRIGONOMETRIC.values())]
        if len(angles) == 1:
            self._sincos(places, names)
            return
        one, several, following = f.new_label(), f.new_label(), f.new_label()
        f.do(f"br i1 %single, label %{one}, label %{several}")
        f.begin(one)
        groups = [names[start : start + lanes.width] for start in range(0, len(names), lanes.width)]
        self._sincos(places, [self._transposed([*g, *[g[0]] * (lanes.width - len(g))])(0) for g in groups])
        for place in places[1:]:
            packed = [f.let(f"load {lanes.vector}, ptr {f.offset(place, k, lanes.vector)}") for k in range(len(groups))]
            for i in range(len(names)):
                same = self._shuffled(lanes.vector, packed[i // lanes.width], "poison", [i % lanes.width] * lanes.width)
                f.do(f"store {lanes.vector} {same}, ptr {f.offset(place, i, lanes.vector)}")
        f.do(f"br label %{following}")
        f.begin(several)
        self._sincos(places, names)
        f.do(f"br label %{following}")
        f.begin(following)

    def _sincos(self, places: Sequence[str], vectors: Sequence[str]) -> None:
        """Store vectors of angles at the first place, and their sines and cosines at the others."""
        f, vector = self.f, self.lanes.vector
        squares = self.pool.number(f, 0.0)
        for k, name in enumerate(vectors):
            f.do(f"store {vector} {name}, ptr {f.offset(places[0], k, vector)}")
            squares = f.let(f"fadd contract {vector} {squares}, {f.let(f'fmul contract {vector} {name}, {name}')}")
        arguments = ", ".join(f"ptr {place}" for place in places)
        f.do(f"call void @sincos({arguments}, i64 {len(vectors)}, {vector} {squares})")

    def _store(self, groups: Sequence[range], rows: list[str]) -> None:
        """Store groups of results: those of the first configuration, and of the others unless all are the same."""
        f = self.f
        squares = [(group, self._square(group)) for group in groups]
        others, following = f.new_label(), f.new_label()
        for group, square in squares:
            self._store_row(rows[0], group, square(0))
        f.do(f"br i1 %single, label %{following}, label %{others}")
        f.begin(others)
        for group, square in squares:
            for lane, row in list(enumerate(rows))[1:]:
                self._store_row(row, group, square(lane))
        f.do(f"br label %{following}")
        f.begin(following)

    def _square(self, group: range) -> Callable[[int], str]:
        """Return the function that writes the vector of a configuration's results in this group."""
        first, lanes = self.program.size, self.lanes
        numbers = [self.program.results[i] for i in group]
        if len(group) == lanes.width and all(first <= number < self.first_step for number in numbers):
            literals = [lanes.literal(self.program.constants[number - first]) for number in numbers]
            vector = f"<{', '.join(f'{lanes.scalar} {literal}' for literal in literals)}>"
            return lambda lane: vector
        return self._transposed([*map(self._name, numbers), *["poison"] * (lanes.width - len(numbers))])


def _pieces(group: range, lanes: Lanes) -> list[tuple[str, range]]:
    """Return one or two parts of a group, each a power of two, that cover it, and the type of a vector of each."""
    size = 1 << len(group).bit_length() - 1
    starts = {group[0], group[-1] + 1 - size}
    return [(f"<{size} x {lanes.scalar}>", range(start, start + size)) for start in sorted(starts)]


def _groups(n: int, width: int) -> list[range]:
    """Return 0 … n - 1 in groups of `width`; the last overlaps the one before, so that none passes the end."""
    if n < width:
        return [range(n)] if n else []
    starts = [*range(0, n - width + 1, width)]
    if n % width:
        starts.append(n - width)
    return [range(start, start + width) for start in starts]
