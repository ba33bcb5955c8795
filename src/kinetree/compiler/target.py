"""Targets of generated code: a processor and its vectors."""

import struct
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Lanes:
    """Vectors of one kernel: `width` numbers of type `scalar` ("double" or "float")."""

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
        """Type of a vector of numbers."""
        return f"<{self.width} x {self.scalar}>"

    @property
    def integer(self) -> str:
        """Integer type of the size of a number."""
        return f"i{8 * self.size}"

    @property
    def integers(self) -> str:
        """Type of a vector of such integers."""
        return f"<{self.width} x {self.integer}>"

    @property
    def logical(self) -> str:
        """Type of a vector of truth values."""
        return f"<{self.width} x i1>"

    @property
    def suffix(self) -> str:
        """Name of the vector type in intrinsics."""
        return f"v{self.width}f{8 * self.size}"

    def literal(self, value: float) -> str:
        """Return a number in LLVM assembly; single precision is written as the bits of the double of the same value."""
        if self.scalar == "float":
            with np.errstate(over="ignore"):
                value = float(np.float32(value))
        return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"

    def splat(self, value: float) -> str:
        """Return a vector with the same number in all lanes."""
        return f"splat ({self.scalar} {self.literal(value)})"

    def splat_integer(self, value: int) -> str:
        """Return a vector with the same integer in all lanes."""
        return f"splat ({self.integer} {value})"


@dataclass(frozen=True, slots=True)
class Target:
    """Processor for which code is generated.

    triple, cpu, features: in LLVM's names. bits: size of the widest vectors. fma, floor: whether a fused multiply-add
    and rounding down are instructions; if not, LLVM would call a library that may be missing.
    """

    triple: str
    cpu: str
    features: str
    bits: int
    fma: bool
    floor: bool

    @property
    def is_x86(self) -> bool:
        """True for x86-64, False for 64-bit Arm."""
        return self.triple.startswith(("x86_64", "amd64"))

    @property
    def is_windows(self) -> bool:
        """Whether code follows the calling convention of Windows."""
        return "-windows-" in self.triple

    def lanes(self, scalar: str) -> Lanes:
        """Return the vector of this scalar type that fills a register."""
        return Lanes(scalar, self.bits // (64 if scalar == "double" else 32))


def target_with(triple: str, cpu: str, features: set[str]) -> Target:
    """Return the target for a processor with these features.

    For Windows the object format is ELF, because LLVM's loader of COFF fails on loads of some constants. The triple of
    a process does not name a format.
    """
    flags = ",".join(f"+{name}" for name in sorted(features))
    if triple.endswith("-windows-msvc"):
        triple += "-elf"
    if not triple.startswith(("x86_64", "amd64")):  # every 64-bit Arm has these
        return Target(triple, cpu, flags, 128, fma=True, floor=True)
    bits = 512 if {"avx512f", "avx512dq"} <= features else 256 if "avx" in features else 128
    return Target(triple, cpu, flags, bits, fma="fma" in features, floor="sse4.1" in features)
