"""Machine code for other systems, made here: what it wants from them, and, for the processors of this family, what it
computes. Code for Windows is called by its own calling convention."""

import ctypes

import llvmlite.binding as binding
import numpy as np
import pytest

from each import each
from kinetree.compiler import llvm
from kinetree.compiler.interpret import interpret
from kinetree.compiler.ir_module import assembly
from kinetree.compiler.program import trace
from kinetree.compiler.target import target_with
from kinetree.compiler.ufunc import array_layout, make_ufunc
from toy_kernels import FEATURES, LINUX, every_operation, many_angles, runnable, undefined_symbols

WINDOWS, MAC, ARM_MAC = "x86_64-pc-windows-msvc", "x86_64-apple-darwin", "arm64-apple-darwin"
ARM = ("aarch64-linux-gnu", ARM_MAC, "aarch64-pc-windows-msvc")
CALL = {WINDOWS: "call win64cc", MAC: "call x86_64_sysvcc"}
SLOW = pytest.mark.slow


@pytest.fixture(scope="module")
def stack_function():
    """Linux has no __chkstk. That of Windows changes no register; here it has nothing to do."""
    if llvm.host().is_windows:
        return None
    code = f'target triple = "{llvm.host().triple}"\ndefine void @nothing() {{\nret void\n}}'
    alive, address = llvm.load_function(llvm.compile_object(code, llvm.host()), "nothing")
    binding.add_symbol(llvm.STACK, address)
    return alive


def called(code, target, call, monkeypatch):
    """The objects that keep foreign code loaded, and the address of a function of this system that calls its loop."""
    host = llvm.host()
    with monkeypatch.context() as patch:
        patch.setattr(llvm, "host", lambda: target)
        alive, addresses = llvm.load(code)
    through = f'target triple = "{host.triple}"\ndefine void @through(ptr %a, ptr %b, ptr %c, ptr %d) {{\n'
    through += f"{call} void inttoptr (i64 {addresses['loop']} to ptr)(ptr %a, ptr %b, ptr %c, ptr %d)\nret void\n}}"
    return alive, *llvm.load_function(llvm.compile_object(through, host), "through")


@pytest.mark.slow
@pytest.mark.parametrize("features", ["SSE2", "AVX2", pytest.param("AVX2+FMA", marks=SLOW), "AVX-512"])
@pytest.mark.parametrize("scalar", ["double", pytest.param("float", marks=SLOW)])
@pytest.mark.parametrize("triple", [WINDOWS, pytest.param(MAC, marks=SLOW)])
@pytest.mark.parametrize(("function", "size"), [(every_operation, 8), pytest.param(many_angles, 100, marks=SLOW)])
@pytest.mark.usefixtures("stack_function")
def test_code_for_other_systems_computes_the_same(triple, features, scalar, function, size, monkeypatch):
    if features not in runnable():
        pytest.skip(f"this processor is no {features}")
    target, program = target_with(triple, "x86-64", FEATURES[features]), trace(function, (size,))
    code = llvm.compile_object(assembly(program, target, scalar, None), target)
    *alive, through = called(code, target, CALL[triple], monkeypatch)
    number = np.dtype(scalar if scalar == "double" else "float32")
    ufunc = make_ufunc("foreign", through, scalar, [(size,)], program.output)
    x = np.random.default_rng(0).uniform(-1, 1, (101, size)).astype(number)
    for given in (x, x[3], x[::2, ::-1]):  # vectors, one configuration, scattered entries
        expected = interpret(program, given, dtype=number)
        np.testing.assert_allclose(ufunc(given), expected, rtol=0, atol=8 * np.finfo(number).eps)
    del alive


@SLOW
@pytest.mark.parametrize("features", ["SSE2", "AVX2+FMA", "AVX-512"])
@pytest.mark.parametrize("scalar", ["double", "float"])
@pytest.mark.sampled
def test_what_code_wants_from_its_system(features, scalar):
    layout = array_layout() if scalar == "double" else None
    for function, size in ((every_operation, 8), (many_angles, 100)):
        program = trace(function, (size,))
        for triple, allowed in ((WINDOWS, {llvm.STACK}), (MAC, set())):
            target = target_with(triple, "x86-64", FEATURES[features])
            assert undefined_symbols(llvm.compile_object(assembly(program, target, scalar, layout), target)) <= allowed


@SLOW
@pytest.mark.parametrize("triple", ARM)
@pytest.mark.parametrize("scalar", ["double", "float"])
def test_what_code_for_arm_wants_from_its_system(triple, scalar):
    target = target_with(triple, "apple-m1" if triple == ARM_MAC else "generic", {"neon"})
    for function, size in ((every_operation, 8), (many_angles, 100)):
        text = assembly(trace(function, (size,)), target, scalar, array_layout() if scalar == "double" else None)
        wanted = undefined_symbols(llvm.compile_object(text, target))
        assert wanted <= ({llvm.STACK} if target.is_windows else set())


@SLOW
@pytest.mark.parametrize("triple", [WINDOWS, MAC, *ARM])
def test_a_function_that_is_missing_is_seen_in_each_format(triple):
    text = (
        "declare double @elsewhere(double)\ndefine double @loop(double %x) {\n%y = call double @elsewhere(double %x)\n"
    )
    target = target_with(triple, "generic" if triple in ARM else "x86-64", set())
    found = undefined_symbols(llvm.compile_object(f"{text}ret double %y\n}}", target))
    assert {name.removeprefix("_") for name in found} >= {"elsewhere"}


def test_a_large_frame_on_windows_calls_the_function_that_touches_its_pages():
    text = "declare void @use(ptr)\ndefine void @loop() {\n%x = alloca [5000 x i8]\ncall void @use(ptr %x)\nret void\n}"
    for triple, wanted in ((WINDOWS, {"use", llvm.STACK}), (MAC, {"_use"})):
        target = target_with(triple, "x86-64", FEATURES["SSE2"])
        assert undefined_symbols(llvm.compile_object(text, target)) == wanted


def test_on_windows_that_function_is_found_in_ntdll(monkeypatch):
    known = []

    class Ntdll:
        def __init__(self, name):
            assert name == "ntdll"
            setattr(self, llvm.STACK, ctypes.c_void_p(4096))

    monkeypatch.setattr(llvm.sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "WinDLL", Ntdll, raising=False)
    monkeypatch.setattr(llvm.llvm, "add_symbol", lambda *given: known.append(given))
    monkeypatch.setattr(llvm.llvm, "get_process_triple", lambda: WINDOWS)
    assert llvm.host.__wrapped__().triple == f"{WINDOWS}-elf"
    assert known == [("__chkstk", 4096)]


def test_a_function_that_is_loaded_is_called_by_its_address():
    text = f'target triple = "{llvm.host().triple}"\n'
    for name, factor in (("twice", "2.0"), ("half", "0.5")):
        text += f"define double @{name}(double %x) {{\n%y = fmul double %x, {factor}\nret double %y\n}}\n"
    alive, address = llvm.load_function(llvm.compile_object(text, llvm.host()), "half")
    assert ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(address)(3.0) == 1.5
    assert alive is not None


@each("triple, saved, restored", [(LINUX, "stmxcsr", "ldmxcsr"), (ARM[0], "get.fpsr", "set.fpsr")])
@each("features", [set(), {"fma"}])
def test_code_restores_the_flags_of_its_processor(triple, saved, restored, features):
    """In the words of the processor; products and sums are one operation only where it has that."""
    target = target_with(triple, "x86-64" if triple == LINUX else "generic", features)
    text = assembly(trace(lambda x: np.sin(x), (2,)), target, "double", None)
    before, after = text.index(f"{saved}("), text.index(f"{restored}(")
    loop = text[text.index("define void @loop(") :]
    assert loop.index(f"{saved}(") < loop.index("call void @batch(") < loop.index(f"{restored}(")
    assert min(before, after) > 0
    assert ("aarch64" in loop) is (triple != LINUX)
    assert (".fma.v" in text) is target.fma
