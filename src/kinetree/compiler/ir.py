"""Text in LLVM's assembly language: functions with numbered values, blocks and loops."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, slots=True)
class Target:
    """What code is made for.

    triple, cpu, features: as LLVM calls them. bits: of the widest vectors. fma: whether a fused multiply-add is an
    instruction; floor: whether rounding down is one. Where it is not, LLVM would call a library that may be missing.
    """

    triple: str
    cpu: str
    features: str
    bits: int
    fma: bool
    floor: bool


@dataclass(frozen=True, slots=True)
class Lanes:
    """The numbers of one kernel: `width` of them of type `scalar` ("double" or "float") in a vector."""

    scalar: str
    width: int
    table: dict[str, int] = field(default_factory=dict, compare=False)

    @property
    def size(self) -> int:
        """Bytes of one number."""
        return 8 if self.scalar == "double" else 4

    @property
    def vector(self) -> str:
        """The type of a vector of numbers."""
        return f"<{self.width} x {self.scalar}>"

    @property
    def integer(self) -> str:
        """The integer type of the size of a number."""
        return f"i{8 * self.size}"

    @property
    def integers(self) -> str:
        """The type of a vector of such integers."""
        return f"<{self.width} x {self.integer}>"

    @property
    def logical(self) -> str:
        """The type of a vector of truth values."""
        return f"<{self.width} x i1>"

    @property
    def suffix(self) -> str:
        """What intrinsics call the vector type."""
        return f"v{self.width}f{8 * self.size}"

    def literal(self, value: float) -> str:
        """A number; LLVM writes those of single precision with the bits of the double of the same value."""
        if self.scalar == "float":
            with np.errstate(over="ignore"):
                value = float(np.float32(value))
        return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"

    def splat(self, value: float) -> str:
        """A vector that has the same number in all lanes."""
        return f"splat ({self.scalar} {self.literal(value)})"

    def splat_integer(self, value: int) -> str:
        """A vector that has the same integer in all lanes."""
        return f"splat ({self.integer} {value})"


def number(f: Function, lanes: Lanes, value: float) -> str:
    if lanes.size * lanes.width > 32:
        return lanes.splat(value)
    k = lanes.table.setdefault(lanes.literal(value), len(lanes.table))
    return f.let(f"load {lanes.vector}, ptr {f.offset('@numbers', k, lanes.vector)}")


@dataclass(slots=True)
class Function:
    """A function that is being written, one instruction a line."""

    header: str
    lines: list[str] = field(default_factory=list)
    label: str = "entry"
    _count: int = 0

    def do(self, instruction: str) -> None:
        """An instruction without a value."""
        self.lines.append(f"  {instruction}")

    def let(self, instruction: str) -> str:
        """The name of the value of an instruction."""
        self._count += 1
        self.lines.append(f"  %v{self._count} = {instruction}")
        return f"%v{self._count}"

    def new_label(self) -> str:
        """A name for a block."""
        self._count += 1
        return f"b{self._count}"

    def begin(self, label: str) -> None:
        """Starts the block of that name; the one before has ended with a jump."""
        self.lines.append(f"{label}:")
        self.label = label

    def offset(self, pointer: str, count: str | int, size: int | str = 1) -> str:
        """pointer + count size bytes; `size` may be a type."""
        unit = size if isinstance(size, str) else ("i8" if size == 1 else f"[{size} x i8]")
        return self.let(f"getelementptr {unit}, ptr {pointer}, i64 {count}")

    @contextmanager
    def loop(self, count: str | int) -> Iterator[str]:
        """Repeats what is written inside for i = 0 … count - 1; gives i."""
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
        """The whole function."""
        return "\n".join([f"{self.header} {{", "entry:", *self.lines, "}"])
