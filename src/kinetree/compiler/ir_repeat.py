"""LLVM assembly of @batch for a repeated program. A vector computes as many configurations at a time as it has lanes.
When one ends, the next takes its lane, so that no lane waits for another."""

from __future__ import annotations

from math import prod

from kinetree.compiler.ir import Function, batch_arguments, call_block, copy_entries
from kinetree.compiler.program import Program
from kinetree.compiler.target import Lanes


def batch(program: Program, lanes: Lanes) -> str:
    """Return @batch(args, dimensions, steps), which calls @block until every lane has ended."""
    f = Function("define internal void @batch(ptr %args, ptr %dimensions, ptr %steps) noinline #0")
    shapes, width = [*program.inputs, program.output], lanes.width
    sizes = [lanes.size * prod(shape) for shape in shapes]  # bytes
    count, bases, steps, strides = batch_arguments(f, shapes)
    buffers = [f.let(f"alloca [{width * size} x i8], align {lanes.size * width}") for size in sizes]
    owner, following, left = f.let(f"alloca [{width} x i64]"), f.let("alloca i64"), f.let("alloca i64")
    some, head, end = f.new_label(), f.new_label(), f.new_label()
    f.do(f"br i1 {f.let(f'icmp sgt i64 {count}, 0')}, label %{some}, label %{end}")

    def fill(lane: str, number: str) -> None:
        """Load configuration `number` into a lane."""
        for k, shape in enumerate(program.inputs):
            place = f.offset(bases[k], f.let(f"mul i64 {number}, {steps[k]}"))
            copy_entries(f, lanes, shape, strides[k], place, f.offset(buffers[k], lane, sizes[k]), gather=True)

    f.begin(some)
    f.do(f"store i64 {width}, ptr {following}")
    f.do(f"store i64 {count}, ptr {left}")
    last = f.let(f"sub i64 {count}, 1")
    with f.loop(width) as lane:  # spare lanes repeat the last configuration; their results are ignored
        fill(lane, f.let(f"call i64 @llvm.smin.i64(i64 {lane}, i64 {last})"))
        number = f.let(f"select i1 {f.let(f'icmp slt i64 {lane}, {count}')}, i64 {lane}, i64 -1")
        f.do(f"store i64 {number}, ptr {f.offset(owner, lane, 8)}")
    f.do(f"br label %{head}")
    f.begin(head)
    call_block(f, [(buffer, str(size)) for buffer, size in zip(buffers, sizes, strict=True)])
    with f.loop(width) as lane:
        look, going, ended, refill, retire, done = (f.new_label() for _ in range(6))
        state, result = f.offset(buffers[0], lane, sizes[0]), f.offset(buffers[-1], lane, sizes[-1])
        number = f.let(f"load i64, ptr {f.offset(owner, lane, 8)}")
        f.do(f"br i1 {f.let(f'icmp slt i64 {number}, 0')}, label %{done}, label %{look}")
        f.begin(look)
        first = f.let(f"load {lanes.scalar}, ptr {result}")
        f.do(f"br i1 {f.let(f'fcmp ogt {lanes.scalar} {first}, 0.0')}, label %{going}, label %{ended}")
        f.begin(going)
        _copy(f, lanes, prod(shapes[0]), result, state)
        f.do(f"br label %{done}")
        f.begin(ended)
        place = f.offset(bases[-1], f.let(f"mul i64 {number}, {steps[-1]}"))
        copy_entries(f, lanes, shapes[-1], strides[-1], place, result, gather=False)
        under_way = f.let(f"load i64, ptr {left}")
        f.do(f"store i64 {f.let(f'sub i64 {under_way}, 1')}, ptr {left}")
        other = f.let(f"load i64, ptr {following}")
        f.do(f"br i1 {f.let(f'icmp slt i64 {other}, {count}')}, label %{refill}, label %{retire}")
        f.begin(refill)
        fill(lane, other)
        f.do(f"store i64 {other}, ptr {f.offset(owner, lane, 8)}")
        f.do(f"store i64 {f.let(f'add i64 {other}, 1')}, ptr {following}")
        f.do(f"br label %{done}")
        f.begin(retire)
        f.do(f"store i64 -1, ptr {f.offset(owner, lane, 8)}")
        f.do(f"br label %{done}")
        f.begin(done)
    more = f.let(f"icmp sgt i64 {f.let(f'load i64, ptr {left}')}, 0")
    f.do(f"br i1 {more}, label %{head}, label %{end}")
    f.begin(end)
    f.do("ret void")
    return f.text()


def _copy(f: Function, lanes: Lanes, n: int, source: str, target: str) -> None:
    """Copy n adjacent numbers, in vectors if they fill at least one."""
    wide = n >= lanes.width
    starts = [*range(0, n - lanes.width + 1, lanes.width), n - lanes.width] if wide else range(n)
    for start in starts:
        kind = lanes.vector if wide else lanes.scalar
        value = f.let(f"load {kind}, ptr {f.offset(source, start, lanes.size)}, align {lanes.size}")
        f.do(f"store {kind} {value}, ptr {f.offset(target, start, lanes.size)}, align {lanes.size}")


def call_once(f: Function, program: Program, lanes: Lanes, pointers: list[str]) -> None:
    """Call @batch with one configuration, whose entries are adjacent."""
    shapes = [*program.inputs, program.output]
    steps = [0] * len(shapes)
    for shape in shapes:
        steps += [lanes.size * prod(shape[axis + 1 :]) for axis in range(len(shape))]
    args, dimensions = f.let(f"alloca [{len(shapes)} x ptr]"), f.let("alloca i64")
    all_steps = f.let(f"alloca [{len(steps)} x i64]")
    f.do(f"store i64 1, ptr {dimensions}")
    for k, pointer in enumerate(pointers):
        f.do(f"store ptr {pointer}, ptr {f.offset(args, k, 8)}")
    for k, step in enumerate(steps):
        f.do(f"store i64 {step}, ptr {f.offset(all_steps, k, 8)}")
    f.do(f"call void @batch(ptr {args}, ptr {dimensions}, ptr {all_steps})")
