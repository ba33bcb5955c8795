"""Writing of LLVM assembly: functions with numbered values, blocks and loops."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.compiler.target import Lanes

BREAK = 300
"""Instructions after which a basic block ends. LLVM's time grows faster than the size of a block, so long programs get
branches that are never taken; without them LLVM would join the blocks."""


@dataclass(slots=True)
class Function:
    """A function under construction, one instruction per line."""

    header: str
    lines: list[str] = field(default_factory=list)
    label: str = "entry"
    _count: int = 0
    _begun: int = 0

    def do(self, instruction: str) -> None:
        """Append an instruction without a value."""
        self.lines.append(f"  {instruction}")

    def let(self, instruction: str) -> str:
        """Append an instruction and return the name of its value."""
        self._count += 1
        self.lines.append(f"  %v{self._count} = {instruction}")
        return f"%v{self._count}"

    def new_label(self) -> str:
        """Return a new name for a block."""
        self._count += 1
        return f"b{self._count}"

    def begin(self, label: str) -> None:
        """Start the block of that name; the block before must have ended with a jump."""
        self.lines.append(f"{label}:")
        self.label, self._begun = label, len(self.lines)

    def end_long_block(self) -> None:
        """Start another block if this one is long; the function has a result %out and a last block, end."""
        if len(self.lines) > self._begun + BREAK:
            following = self.new_label()
            self.do(f"br i1 {self.let('icmp eq ptr %out, null')}, label %end, label %{following}")
            self.begin(following)

    def offset(self, pointer: str, count: str | int, size: int | str = 1) -> str:
        """Return pointer + count size, in bytes; `size` may be a type."""
        unit = size if isinstance(size, str) else ("i8" if size == 1 else f"[{size} x i8]")
        return self.let(f"getelementptr {unit}, ptr {pointer}, i64 {count}")

    @contextmanager
    def loop(self, count: str | int) -> Iterator[str]:
        """Repeat the instructions written inside for i = 0 … count - 1; yield i."""
        head, body, end = self.new_label(), self.new_label(), self.new_label()
        before = self.label
        self.do(f"br label %{head}")
        self.begin(head)
        i = f"%i.{head}"
        after = len(self.lines)
        self.lines.append("")
        more = self.let(f"icmp slt i64 {i}, {count}")
        self.do(f"br i1 {more}, label %{body}, label %{end}")
        self.begin(body)
        yield i
        following = self.let(f"add i64 {i}, 1")
        self.lines[after] = f"  {i} = phi i64 [0, %{before}], [{following}, %{self.label}]"
        self.do(f"br label %{head}")
        self.begin(end)

    def text(self) -> str:
        """Return the text of the function."""
        return "\n".join([f"{self.header} {{", "entry:", *self.lines, "}"])


def batch_arguments(f: Function, shapes: list[tuple[int, ...]]) -> tuple[str, list[str], list[str], list[list[str]]]:
    """Read the arguments of @batch(args, dimensions, steps), which follow NumPy's generalised ufuncs.

    Return the number of configurations and, per array, the address of the first, the bytes to the next, and the bytes
    between entries along each axis.
    """
    bases = [f.let(f"load ptr, ptr {f.offset('%args', k, 8)}") for k in range(len(shapes))]
    count = f.let("load i64, ptr %dimensions")
    steps = [f.let(f"load i64, ptr {f.offset('%steps', k, 8)}") for k in range(len(shapes))]
    strides: list[list[str]] = []
    at = len(shapes)
    for shape in shapes:
        strides.append([f.let(f"load i64, ptr {f.offset('%steps', at + axis, 8)}") for axis in range(len(shape))])
        at += len(shape)
    return count, bases, steps, strides


def call_block(f: Function, operands: list[tuple[str, str]]) -> None:
    """Call @block with, per array, the address of the first configuration and the bytes to the next."""
    f.do(f"call void @block({', '.join(f'ptr {pointer}, i64 {step}' for pointer, step in operands)})")


def copy_entries(
    f: Function, lanes: Lanes, shape: tuple[int, ...], strides: list[str], place: str, copy: str, *, gather: bool
) -> None:
    """Copy the entries of one configuration between an array with any strides and a packed copy."""
    if not shape:
        _move(f, lanes.scalar, place, copy, gather=gather)
        return
    with f.loop(shape[0]) as i:
        inner = f.offset(place, f.let(f"mul i64 {i}, {strides[0]}"))
        packed = f.offset(copy, i, lanes.size * prod(shape[1:]))
        copy_entries(f, lanes, shape[1:], strides[1:], inner, packed, gather=gather)


def _move(f: Function, scalar: str, place: str, copy: str, *, gather: bool) -> None:
    source, target = (place, copy) if gather else (copy, place)
    f.do(f"store {scalar} {f.let(f'load {scalar}, ptr {source}, align 1')}, ptr {target}, align 1")


@dataclass(slots=True)
class Pool:
    """The constants of a module, each as a whole vector in memory, which instructions can use directly. LLVM would
    broadcast each to a register by an extra instruction; 512-bit vectors do not need that."""

    lanes: Lanes
    places: dict[str, int] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)

    def number(self, f: Function, value: float) -> str:
        """Return the name of a vector with the same number in all lanes."""
        if 8 * self.lanes.size * self.lanes.width >= 512:
            return self.lanes.splat(value)
        place = self.places.setdefault(self.lanes.literal(value), len(self.places))
        return f.let(f"load {self.lanes.vector}, ptr {f.offset('@numbers', place, self.lanes.vector)}")

    def text(self) -> str:
        """Return the definition of the constants."""
        vector, scalar = self.lanes.vector, self.lanes.scalar
        values = ", ".join(f"{vector} splat ({scalar} {literal})" for literal in self.places)
        numbers = f"@numbers = internal constant [{len(self.places)} x {vector}] [{values}]"
        return "\n".join([numbers, *(f"{name} = internal constant {text}" for text, name in self.tables.items())])

    def table(self, values: NDArray[Any]) -> str:
        """Return the name of a constant array of numbers: whole ones of 32 bits, or numbers of the lanes. LLVM reads
        bytes faster than numbers."""
        kind = np.dtype("<i4" if values.dtype.kind == "i" else f"<f{self.lanes.size}")
        with np.errstate(over="ignore"):
            data = np.ravel(values).astype(kind).tobytes()
        escaped = data.hex("\\")
        text = f'[{len(data)} x i8] c"{escaped and chr(92)}{escaped}", align 64'
        return self.tables.setdefault(text, f"@table{len(self.tables)}")
