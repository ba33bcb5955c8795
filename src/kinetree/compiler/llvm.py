"""Machine code by LLVM; the only file that imports llvmlite."""

import ctypes
import sys
from functools import cache
from weakref import finalize

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from kinetree.compiler.target import Target, target_with

VERSION = f"llvmlite {llvmlite.__version__}, LLVM {'.'.join(map(str, llvm.llvm_version_info))}"


STACK = "__chkstk"
"""Function of Windows that LLVM calls where the frame of a function has more than a page."""
SPARE = "\n@spare = global i64 0, align 64\n"
"""Writable memory of a module for Windows, to which the loader adds the address of STACK. llvmlite reserves memory for
what a module has, and as many bytes more as its largest alignment."""


@cache
def host() -> Target:
    """Return this processor as a target."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if sys.platform == "win32":  # touches the pages of a large frame one by one, as the stack there needs it
        llvm.add_symbol(STACK, ctypes.cast(getattr(ctypes.WinDLL("ntdll"), STACK), ctypes.c_void_p).value)
    features = llvm.get_host_cpu_features()
    return target_with(
        llvm.get_process_triple(), llvm.get_host_cpu_name(), {name for name, has in features.items() if has}
    )


def compile_object(text: str, target: Target) -> bytes:
    """Return the object file of a module in LLVM assembly. It is verified first: LLVM crashes on invalid input."""
    module = llvm.parse_assembly(text + SPARE if target.is_windows else text)
    module.verify()
    machine = _machine(target)
    module.data_layout = str(machine.target_data)
    return bytes(machine.emit_object(module))


def _machine(target: Target, opt: int = 2) -> llvm.TargetMachine:
    if target != host():
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=opt, reloc="pic", codemodel="small", jit=False
    )


def load(code: bytes) -> tuple[object, dict[str, int]]:
    """Load object code of a kernel for this processor; return an object that keeps it loaded, and the addresses of its
    symbols."""
    alive, engine = _loaded(code)
    addresses = {name: engine.get_function_address(name) for name in ("loop", "door")}
    return alive, addresses | {name: engine.get_global_value_address(name) for name in ("context", "ring")}


def load_function(code: bytes, name: str) -> tuple[object, int]:
    """Load object code for this processor; return an object that keeps it loaded, and the address of a function."""
    alive, engine = _loaded(code)
    return alive, int(engine.get_function_address(name))


def _loaded(code: bytes) -> tuple[object, llvm.ExecutionEngine]:
    """Return an object that keeps the code loaded, and its engine.

    Code and constants lie in one block (`use_lmm`), because the code refers to them by distances of 32 bits.
    The object is an array, which the garbage collector does not track. In a cycle the collector runs all finalizers
    first, in any order, so the engine's own could remove code that another finalizer still calls.
    """
    host()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(host()), use_lmm=True)
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code))
    engine.finalize_object()
    alive = np.empty(0)
    finalize(alive, engine.close).atexit = False
    return alive, engine
