"""What code is made for: a processor and its vectors."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Lanes:
    """The numbers of one kernel: `width` of them of type `scalar` ("double" or "float") in a vector."""

    scalar: str
    width: int

    @property
    def size(self) -> int:
        """Bytes of one number."""
        return 8 if self.scalar == "double" else 4

    @property
    def digits(self) -> int:
        """Binary digits of one number."""
        return 53 if self.scalar == "double" else 24

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

    @property
    def is_x86(self) -> bool:
        """Whether it is an x86-64; it is a 64-bit Arm otherwise."""
        return self.triple.startswith(("x86_64", "amd64"))

    def lanes(self, scalar: str) -> Lanes:
        """As many numbers as a vector holds."""
        return Lanes(scalar, self.bits // (64 if scalar == "double" else 32))


def target_with(triple: str, cpu: str, features: set[str]) -> Target:
    """A processor with these features."""
    flags = ",".join(f"+{name}" for name in sorted(features))
    if not triple.startswith(("x86_64", "amd64")):  # every 64-bit Arm has these
        return Target(triple, cpu, flags, 128, fma=True, floor=True)
    bits = 512 if {"avx512f", "avx512dq"} <= features else 256 if "avx" in features else 128
    return Target(triple, cpu, flags, bits, fma="fma" in features, floor="sse4.1" in features)
