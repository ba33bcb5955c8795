"""Machine code for 64-bit Arm, of Linux, macOS and Windows, computed by an emulator of that processor."""

import contextlib
import struct
import sys
from pathlib import Path

import llvmlite.binding as binding
import numpy as np
import pytest

from kinetree.compiler import llvm
from kinetree.compiler.interpret import interpret
from kinetree.compiler.ir_module import assembly
from kinetree.compiler.program import trace
from kinetree.compiler.target import target_with
from toy_kernels import every_operation, many_angles

unicorn = pytest.importorskip("unicorn")
arm = pytest.importorskip("unicorn.arm64_const")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/maps")]

END, STACK_FUNCTION, STACK, DATA = 0x1000_0FF0, 0x1000_0000, 0x2000_0000, 0x3000_0000
SIZE, COUNT = 1 << 20, 19
RET = struct.pack("<I", 0xD65F03C0)


def emulator_with(address):
    """An emulator with the code at this address, and all else that was loaded with it, at their places."""
    machine = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
    with Path("/proc/self/mem").open("rb", buffering=0) as memory:
        for line in Path("/proc/self/maps").read_text().splitlines():
            span, rights, _, _, _, *name = line.split()
            start, stop = (int(word, 16) for word in span.split("-"))
            if not name and "r" in rights and abs(start - address) < 1 << 22:
                with contextlib.suppress(OSError):  # a page that nothing is behind
                    memory.seek(start)
                    content = memory.read(stop - start)
                    machine.mem_map(start, stop - start)
                    machine.mem_write(start, content)
    for start, size in ((STACK_FUNCTION, 0x1000), (STACK, SIZE), (DATA, SIZE)):
        machine.mem_map(start, size)
    machine.mem_write(STACK_FUNCTION, RET)
    machine.reg_write(arm.UC_ARM64_REG_CPACR_EL1, 3 << 20)  # vectors are allowed
    return machine


def run(machine, loop, x, columns):
    """The results of a loop for configurations x (COUNT, n)."""
    number, n, y = x.itemsize, x.shape[1], DATA + SIZE // 2
    tables = [(DATA, y), (COUNT, n, columns), (n * number, columns * number, number, number)]
    places = [y + SIZE // 4 + 64 * k for k in range(3)]
    for place, table in zip(places, tables, strict=True):
        machine.mem_write(place, struct.pack(f"<{len(table)}q", *table))
    machine.mem_write(DATA, x.tobytes())
    for k, value in enumerate((*places, 0)):
        machine.reg_write(arm.UC_ARM64_REG_X0 + k, value)
    machine.reg_write(arm.UC_ARM64_REG_SP, STACK + SIZE - 0x1000)
    machine.reg_write(arm.UC_ARM64_REG_LR, END)
    machine.emu_start(loop, END)
    return np.frombuffer(bytes(machine.mem_read(y, COUNT * columns * number)), x.dtype).reshape(COUNT, columns)


@pytest.mark.parametrize(("function", "size"), [(every_operation, 8), (many_angles, 100)])
@pytest.mark.parametrize("number", [np.float64, np.float32])
@pytest.mark.parametrize("triple", ["aarch64-unknown-linux-gnu", "arm64-apple-darwin", "aarch64-pc-windows-msvc"])
def test_code_for_arm_computes_the_same(triple, number, function, size, monkeypatch):
    target = target_with(triple, "apple-m1" if "darwin" in triple else "generic", {"neon"})
    program = trace(function, (size,))
    code = llvm.compile_object(assembly(program, target, "double" if number is np.float64 else "float", None), target)
    binding.add_symbol(llvm.STACK, STACK_FUNCTION)
    with monkeypatch.context() as patch:
        patch.setattr(llvm, "host", lambda: target)
        alive, addresses = llvm.load(code)
    machine = emulator_with(addresses["loop"])
    x = np.random.default_rng(0).uniform(-1, 1, (COUNT, size)).astype(number)
    for given in (x, x * number(1e6)) if function is many_angles else (x,):
        expected = interpret(program, given, dtype=number)
        got = run(machine, addresses["loop"], given, program.output[0])
        np.testing.assert_allclose(got, expected, rtol=0, atol=8 * np.finfo(number).eps)
    del alive
