"""LLVM assembly that lets NumPy and Python call @block.

@loop is the inner loop of a generalised ufunc (NumPy's C API, PyUFuncGenericFunction). @door is a Python function
(METH_FASTCALL | METH_KEYWORDS) for the common case of one configuration in one array of doubles: it reads the arrays'
structures directly and passes all other calls to its `self`, which is any callable.
"""

from __future__ import annotations

from math import prod

from kinetree.compiler import ir_repeat
from kinetree.compiler.ir import Function, batch_arguments, call_block, copy_entries
from kinetree.compiler.program import Program
from kinetree.compiler.target import Lanes, Target
from kinetree.compiler.ufunc import ALIGNED, C_CONTIGUOUS, CONTEXT, TYPE_NUMBERS, ArrayLayout


def loop(program: Program, lanes: Lanes, target: Target) -> str:
    """Return @loop(args, dimensions, steps, data), which calls @batch and restores the floating-point flags. Otherwise
    NumPy would warn of NaN inputs, and of values that lanes compute but `where` discards."""
    f = Function("define void @loop(ptr %args, ptr %dimensions, ptr %steps, ptr %data) #0")
    if target.is_x86:
        f.do("%flags = alloca i32")
        f.do("call void @llvm.x86.sse.stmxcsr(ptr %flags)")
    else:
        f.do("%flags = call i64 @llvm.aarch64.get.fpsr()")
    f.do("call void @batch(ptr %args, ptr %dimensions, ptr %steps)")
    f.do(f"call void @llvm.{'x86.sse.ldmxcsr(ptr' if target.is_x86 else 'aarch64.set.fpsr(i64'} %flags)")
    f.do("ret void")
    batch = ir_repeat.batch(program, lanes) if program.repeated else _batch(program, lanes)
    return f"{f.text()}\n{batch}"


def _batch(program: Program, lanes: Lanes) -> str:
    """Return @batch(args, dimensions, steps), with vectors for enough configurations of adjacent entries."""
    f = Function("define internal void @batch(ptr %args, ptr %dimensions, ptr %steps) noinline #0")
    shapes = [*program.inputs, program.output]
    count, bases, steps, strides = batch_arguments(f, shapes)
    packed = "true"
    for shape, own in zip(shapes, strides, strict=True):
        for axis, n in enumerate(shape):
            if n > 1:
                side_by_side = f.let(f"icmp eq i64 {own[axis]}, {lanes.size * prod(shape[axis + 1 :])}")
                packed = f.let(f"and i1 {packed}, {side_by_side}")
    w = lanes.width
    enough = f.let(f"icmp sge i64 {count}, {w}")
    vectors, singly, scattered = f.new_label(), f.new_label(), f.new_label()
    check = f.new_label()
    f.do(f"br i1 {packed}, label %{check}, label %{scattered}")
    f.begin(check)
    f.do(f"br i1 {enough}, label %{vectors}, label %{singly}")
    f.begin(vectors)
    blocks = f.let(f"udiv i64 {f.let(f'add i64 {count}, {w - 1}')}, {w}")
    last = f.let(f"sub i64 {count}, {w}")
    with f.loop(blocks) as block:  # the last block overlaps the one before instead of passing the end
        i = f.let(f"call i64 @llvm.smin.i64(i64 {f.let(f'mul i64 {block}, {w}')}, i64 {last})")
        call_block(f, [(f.offset(p, f.let(f"mul i64 {i}, {s}")), s) for p, s in zip(bases, steps, strict=True)])
    f.do("ret void")
    f.begin(singly)
    with f.loop(count) as i:
        call_block(f, [(f.offset(p, f.let(f"mul i64 {i}, {s}")), "0") for p, s in zip(bases, steps, strict=True)])
    f.do("ret void")
    f.begin(scattered)
    copies = [f.let(f"alloca [{max(prod(shape), 1)} x {lanes.scalar}]") for shape in shapes]
    with f.loop(count) as i:
        places = [f.offset(p, f.let(f"mul i64 {i}, {s}")) for p, s in zip(bases, steps, strict=True)]
        for copy, place, shape, stride in list(zip(copies, places, shapes, strides, strict=True))[:-1]:
            copy_entries(f, lanes, shape, stride, place, copy, gather=True)
        call_block(f, [(copy, "0") for copy in copies])
        copy_entries(f, lanes, shapes[-1], strides[-1], places[-1], copies[-1], gather=False)
    f.do("ret void")
    return f.text()


def door(program: Program, lanes: Lanes, layout: ArrayLayout) -> str:
    """Return @door(self, args, nargs, kwnames), with the dimensions of its result and its @context."""
    output = program.output
    f = Function("define ptr @door(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) #0")
    otherwise = f.new_label()
    context = {name: f.let(f"load ptr, ptr {f.offset('@context', k, 8)}") for k, name in enumerate(CONTEXT)}

    def demand(condition: str) -> None:
        following = f.new_label()
        f.do(f"br i1 {condition}, label %{following}, label %{otherwise}")
        f.begin(following)

    demand(f.let(f"icmp eq i64 %nargs, {len(program.inputs)}"))
    demand(f.let("icmp eq ptr %kwnames, null"))
    data = []
    for k, shape in enumerate(program.inputs):
        array = f.let(f"load ptr, ptr {f.offset('%args', k, 8)}")
        demand(f.let(f"icmp eq ptr {f.let(f'load ptr, ptr {f.offset(array, 8)}')}, {context['array_type']}"))
        nd = f.let(f"load i32, ptr {f.offset(array, layout.nd)}")
        demand(f.let(f"icmp eq i32 {nd}, {len(shape)}"))
        descr = f.let(f"load ptr, ptr {f.offset(array, layout.descr)}")
        demand(f.let(f"icmp eq ptr {descr}, {context['double_descr']}"))
        flags = f.let(f"load i32, ptr {f.offset(array, layout.flags)}")
        plain = C_CONTIGUOUS | ALIGNED
        demand(f.let(f"icmp eq i32 {f.let(f'and i32 {flags}, {plain}')}, {plain}"))
        dimensions = f.let(f"load ptr, ptr {f.offset(array, layout.dimensions)}")
        for axis, n in enumerate(shape):
            demand(f.let(f"icmp eq i64 {f.let(f'load i64, ptr {f.offset(dimensions, axis, 8)}')}, {n}"))
        data.append(f.let(f"load ptr, ptr {f.offset(array, layout.data)}"))
    new = f.let(
        f"call ptr {context['array_new']}(ptr {context['array_type']}, i32 {len(output)}, ptr @dimensions, "
        f"i32 {TYPE_NUMBERS['double']}, ptr null, ptr null, i32 0, i32 0, ptr null)"
    )
    made, failed = f.new_label(), f.new_label()
    f.do(f"br i1 {f.let(f'icmp eq ptr {new}, null')}, label %{failed}, label %{made}")
    f.begin(failed)
    f.do("ret ptr null")
    f.begin(made)
    out = f.let(f"load ptr, ptr {f.offset(new, layout.data)}")
    if program.repeated:
        ir_repeat.call_once(f, program, lanes, [*data, out])
    else:
        call_block(f, [(pointer, "0") for pointer in [*data, out]])
    f.do(f"ret ptr {new}")
    f.begin(otherwise)
    rest = f.let(f"call ptr {context['vectorcall']}(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)")
    f.do(f"ret ptr {rest}")
    dimensions = ", ".join(f"i64 {n}" for n in output) or "i64 0"
    return (
        f"@context = global [{len(CONTEXT)} x ptr] zeroinitializer\n"
        f"@dimensions = internal constant [{max(len(output), 1)} x i64] [{dimensions}]\n{f.text()}"
    )
