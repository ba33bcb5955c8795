"""Machine code, by LLVM; the only file that speaks to llvmlite."""

from __future__ import annotations

import re
from functools import cache
from weakref import finalize

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from kinetree.compiler import ir_block, ir_calls, ir_trig
from kinetree.compiler.ir import Lanes, Pool, Target
from kinetree.compiler.ir_calls import ArrayLayout
from kinetree.compiler.lower import lower
from kinetree.compiler.program import Program

VERSION = f"llvmlite {llvmlite.__version__}, LLVM {'.'.join(map(str, llvm.llvm_version_info))}"


@cache
def host() -> Target:
    """This processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    return target(llvm.get_process_triple(), llvm.get_host_cpu_name(), {name for name, has in features.items() if has})


def target(triple: str, cpu: str, features: set[str]) -> Target:
    """A processor with these features."""
    flags = ",".join(f"+{name}" for name in sorted(features))
    if not triple.startswith(("x86_64", "i686", "amd64")):
        return Target(triple, cpu, flags, 128, fma=True, floor=True)  # every 64-bit Arm has these
    bits = 512 if {"avx512f", "avx512dq"} <= features else 256 if "avx" in features else 128
    return Target(triple, cpu, flags, bits, fma="fma" in features, floor="sse4.1" in features)


def lanes(target: Target, scalar: str) -> Lanes:
    """As many numbers as a vector of the target holds."""
    return Lanes(scalar, target.bits // (64 if scalar == "double" else 32))


def assembly(program: Program, target: Target, scalar: str, layout: ArrayLayout | None, fast: str = "contract ") -> str:
    """The module of a program in LLVM's assembly language."""
    pool = Pool(lanes(target, scalar))
    program = lower(program, target, pool.lanes.digits)
    parts = [ir_block.Block(program, pool, fast).write(), ir_calls.loop(program, pool.lanes)]
    if {"sin", "cos"} & program.operations.keys():
        parts += [ir_trig.sincos(target, pool), ir_trig.reduce()]
    if layout is not None:
        parts.append(ir_calls.door(program, layout))
    text = "\n".join([*parts, pool.text()])
    return f'target triple = "{target.triple}"\n{text}\n{_declarations(text)}\n{_METADATA}'


_METADATA = """attributes #0 = { nounwind }
!0 = !{!"branch_weights", i32 1000000, i32 1}
"""


def _declarations(text: str) -> str:
    """Of every intrinsic function that is called; its name says its types."""
    text = re.sub(r"splat \([^)]*\)", "splat", text)
    calls = set(re.findall(r"call (\S+|<[^>]*>) (@llvm\.[\w.]+)\(([^)]*)\)", text))
    declared = {}
    for result, name, arguments in calls:
        types = re.findall(r"(<[^>]*>|\w+) (?:%|splat|true|false|[-\d])", arguments)
        declared[name] = f"declare {result} {name}({', '.join(types)})"
    return "\n".join(sorted(declared.values()))


def compile_object(text: str, target: Target) -> bytes:
    """The object file of a module, which is verified first: LLVM crashes on what is wrong."""
    module = llvm.parse_assembly(text)
    module.verify()
    machine = _machine(target)
    module.data_layout = str(machine.target_data)
    return bytes(machine.emit_object(module))


def _machine(target: Target) -> llvm.TargetMachine:
    if target != host():
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=2, reloc="pic", codemodel="small", jit=False
    )


def load(code: bytes) -> tuple[object, dict[str, int]]:
    """Object code of this processor in memory, for as long as the first result lives, and the addresses of its symbols.

    That is an array, which the garbage collector leaves alone: of a cycle it runs all finalizers first, in any order,
    and the engine's own would take the code away before another one calls it.
    """
    host()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(host()))
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code))
    engine.finalize_object()
    addresses = {name: engine.get_function_address(name) for name in ("loop", "door")}
    alive = np.empty(0)
    finalize(alive, engine.close).atexit = False
    return alive, addresses | {"context": engine.get_global_value_address("context")}
