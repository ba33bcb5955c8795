"""What the compiler's tests share: kernels of small functions, processors to compile for, object files."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from kinetree.compiler import llvm
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import Program, trace
from kinetree.compiler.target import Target, target_with


def kernel(function, *shapes, labels=()):
    """The kernel of a function of arrays; `labels` name the entries of the first."""
    return kernel_of(trace(function, *shapes), labels)


def kernel_of(program: Program, labels=()):
    inputs = tuple(Port(f"x{i}", shape, () if i else labels) for i, shape in enumerate(program.inputs))
    return Kernel("test", inputs, Port("y", program.output), lambda: program)


def every_operation(x):
    """A function (8,) → (21,) that has every operation of the table, where its arguments are in [-1, 1]."""
    a, b, c, d, *others = x
    chosen = np.where(a < b, np.where(c <= d, a, b), np.sqrt(abs(c)))
    sums = [a + b, a - b, a * b, a / (2.5 + b), -a, a.graph.apply("fma", a, b, c)]
    curves = [np.sin(a), np.cos(a), np.sin(np.cos(a * b)), np.arctan2(a, b), np.arccos(a), np.sqrt(b * b + c * c)]
    steps = [abs(a), np.copysign(a, b), np.minimum(a, b), np.maximum(a, b), np.floor(7.3 * a), chosen]
    return np.array([*sums, *curves, *steps, 0.25, others[0], others[-1]])


def many_angles(x):
    """A function (100,) → (100,) whose code has a frame of more than a page."""
    return np.array([np.sin(x[i] * x[(7 * i + 3) % len(x)]) + np.cos(x[i]) for i in range(len(x))])


SSE2 = {"64bit", "cmov", "cx8", "fxsr", "mmx", "sse", "sse2"}
SSE41 = SSE2 | {"sse3", "ssse3", "sse4.1"}
AVX = SSE41 | {"sse4.2", "popcnt", "avx"}
AVX2 = AVX | {"avx2", "bmi", "bmi2", "lzcnt", "f16c"}
FMA = AVX2 | {"fma"}
AVX512 = FMA | {"avx512f", "avx512dq", "avx512vl", "avx512bw", "avx512cd"}
FEATURES = {"SSE2": SSE2, "SSE4.1": SSE41, "AVX": AVX, "AVX2": AVX2, "AVX2+FMA": FMA, "AVX-512": AVX512}
"""What processors of the x86-64 family can, in the words of LLVM."""

LINUX = "x86_64-unknown-linux-gnu"
FOREIGN = {name: target_with(LINUX, "x86-64", features) for name, features in FEATURES.items()} | {
    "Arm": target_with("aarch64-unknown-linux-gnu", "generic", {"neon"})
}
"""Processors to compile for, whatever this one is; the object files are ELF."""


def runnable() -> dict[str, Target]:
    """The processors that this one can stand in for, this one itself among them."""
    host = llvm.host()
    has = {flag.removeprefix("+") for flag in host.features.split(",")}
    if not host.triple.startswith("x86_64"):
        return {"this": host}
    return {"this": host} | {
        name: target_with(host.triple, "x86-64", features)
        for name, features in FEATURES.items()
        if features - {"64bit"} <= has
    }


def undefined_symbols(code: bytes) -> set[str]:
    """The names that an object file for 64 bits wants from elsewhere, in ELF, Mach-O or COFF."""
    if code[:6] == b"\x7fELF\x02\x01":
        return set(_of_elf(code))
    return set(_of_macho(code) if code[:4] == b"\xcf\xfa\xed\xfe" else _of_coff(code))


def _of_elf(code: bytes) -> Iterator[str]:
    (start,) = struct.unpack_from("<Q", code, 0x28)
    size, count = struct.unpack_from("<HH", code, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, start + size * k) for k in range(count)]
    for _, kind, _, _, offset, length, link, _, _, entry in sections:
        if kind == 2:  # a symbol table; `link` is the section of its names
            for at in range(offset, offset + length, entry):
                name, _, _, section = struct.unpack_from("<IBBH", code, at)
                if section == 0 and name:
                    yield _text(code, sections[link][4] + name)


def _of_macho(code: bytes) -> Iterator[str]:
    (commands,) = struct.unpack_from("<I", code, 16)
    at = 32
    for _ in range(commands):
        command, size, symbols, count, names = struct.unpack_from("<IIIII", code, at)
        at += size
        for k in range(count if command == 2 else 0):  # LC_SYMTAB
            name, kind, _, _, _ = struct.unpack_from("<IBBHQ", code, symbols + 16 * k)
            if kind & 0x0E == 0:
                yield _text(code, names + name)


def _of_coff(code: bytes) -> Iterator[str]:
    assert struct.unpack_from("<H", code)[0] in (0x8664, 0xAA64)
    start, count = struct.unpack_from("<II", code, 8)
    names, at = start + 18 * count, 0
    while at < count:
        name, _, section, _, _, more = struct.unpack_from("<8sIhHBB", code, start + 18 * at)
        at += 1 + more
        if section == 0:
            short = name.rstrip(b"\0").decode()
            yield short if name[:4] != bytes(4) else _text(code, names + struct.unpack_from("<4xI", name)[0])


def _text(code: bytes, at: int) -> str:
    return code[at : code.index(b"\0", at)].decode()


def apart(a, b, scale=None):
    """By how many units in the last place of `scale` (of b) numbers differ at most; where either is NaN, both are."""
    a, b = np.asarray(a), np.asarray(b)
    np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
    fine = ~np.isnan(b)
    if not fine.any():
        return 0.0
    step = np.spacing(
        np.maximum(np.abs(b if scale is None else np.broadcast_to(scale, b.shape)), np.finfo(a.dtype).tiny).astype(
            a.dtype
        )
    )
    with np.errstate(invalid="ignore"):
        return float(np.max(np.where(a == b, 0, np.abs(a - b) / step)[fine]))
