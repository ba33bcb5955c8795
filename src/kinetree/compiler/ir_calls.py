"""LLVM assembly that lets NumPy call @block: @loop, the inner loop of a generalised ufunc (NumPy's C API,
PyUFuncGenericFunction)."""

from math import prod

from kinetree.compiler.ir import Function, batch_arguments, call_block, copy_entries
from kinetree.compiler.program import Program
from kinetree.compiler.target import Lanes, Target

LARGE, WIDE = 2**24, 256
"""Least size of all results, and of those of one configuration, that are stored past the cache, bytes. What is smaller
stays in the cache, or is stored in almost the order of its addresses anyway."""
BUFFER = 2**19
"""Largest buffer on the stack for that, bytes; a thread on Windows has 2 MB of stack."""
PIECE, LINE = 16, 64
"""Bytes that are stored past the cache at a time, which arrays of NumPy are aligned to; bytes of a line of the cache.
The results of a vector of configurations fill whole lines."""


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
    batch = _repeated_batch(program, lanes) if program.repeated else _batch(program, lanes, target)
    return f"{f.text()}\n{batch}"


def _batch(program: Program, lanes: Lanes, target: Target) -> str:
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
    operands = list(zip(bases, steps, strict=True))
    if target.is_x86 and WIDE <= lanes.size * prod(program.output) <= BUFFER // lanes.width:
        _streamed(f, program, lanes, count, operands)
    _vectors(f, lanes, count, operands)
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


def _vectors(f: Function, lanes: Lanes, count: str, operands: list[tuple[str, str]]) -> None:
    """Compute all configurations, a vector of them at a time."""
    w = lanes.width
    blocks = f.let(f"udiv i64 {f.let(f'add i64 {count}, {w - 1}')}, {w}")
    last = f.let(f"sub i64 {count}, {w}")
    with f.loop(blocks) as block:  # the last block overlaps the one before instead of passing the end
        i = f.let(f"call i64 @llvm.smin.i64(i64 {f.let(f'mul i64 {block}, {w}')}, i64 {last})")
        call_block(f, [(f.offset(p, f.let(f"mul i64 {i}, {s}")), s) for p, s in operands])


def _streamed(f: Function, program: Program, lanes: Lanes, count: str, operands: list[tuple[str, str]]) -> None:
    """Compute a large batch whose results are adjacent, and return from the function. The results of a vector of
    configurations go from a buffer to memory in the order of their addresses and past the cache, which would read every
    line before it is written."""
    w, size = lanes.width, lanes.size * prod(program.output)
    base, step = operands[-1]
    kind = f"<{PIECE // lanes.size} x {lanes.scalar}>"
    is_large = f.let(f"icmp sge i64 {count}, {-(-LARGE // size)}")
    low = f.let(f"and i64 {f.let(f'ptrtoint ptr {base} to i64')}, {PIECE - 1}")
    is_dense, is_aligned = f.let(f"icmp eq i64 {step}, {size}"), f.let(f"icmp eq i64 {low}, 0")
    begin, other = f.new_label(), f.new_label()
    fits = f.let(f"and i1 {is_large}, {f.let(f'and i1 {is_dense}, {is_aligned}')}")
    f.do(f"br i1 {fits}, label %{begin}, label %{other}")
    f.begin(begin)
    buffer = f.let(f"alloca [{w * size} x i8], align 64")
    blocks = f.let(f"udiv i64 {count}, {w}")
    with f.loop(blocks) as block:
        places = [f.offset(p, f.let(f"mul i64 {block}, {f.let(f'mul i64 {s}, {w}')}")) for p, s in operands]
        call_block(f, [*zip(places[:-1], (s for _, s in operands[:-1]), strict=True), (buffer, str(size))])
        with f.loop(w * size // LINE) as line:
            source, target = (f.offset(p, line, LINE) for p in (buffer, places[-1]))
            _store_past(f, kind, source, target, range(0, LINE, PIECE))
        _store_past(f, kind, buffer, places[-1], range(w * size // LINE * LINE, w * size, PIECE))  # half a line
    f.do("call void @llvm.x86.sse.sfence()")  # other threads see these stores in order only after a fence
    last = f.let(f"sub i64 {count}, {w}")
    call_block(f, [(f.offset(p, f.let(f"mul i64 {last}, {s}")), s) for p, s in operands])
    f.do("ret void")
    f.begin(other)


def _store_past(f: Function, kind: str, source: str, target: str, places: range) -> None:
    """Store the pieces at these places past the cache."""
    for at in places:
        value = f.let(f"load {kind}, ptr {f.offset(source, at)}, align {PIECE}")
        f.do(f"store {kind} {value}, ptr {f.offset(target, at)}, align {PIECE}, !nontemporal !1")


def _repeated_batch(program: Program, lanes: Lanes) -> str:
    """Return @batch(args, dimensions, steps), which calls @block until every lane has ended. A vector
    computes as many configurations at a time as it has lanes; if one ends, the next takes its lane, so that no lane
    waits for another."""
    f = Function("define internal void @batch(ptr %args, ptr %dimensions, ptr %steps) noinline #0")
    run = _Run(f, lanes, [*program.inputs, program.output])
    width, count = lanes.width, run.count
    one, more_than_one, some, head, end = (f.new_label() for _ in range(5))
    f.do(f"br i1 {f.let(f'icmp eq i64 {count}, 1')}, label %{one}, label %{more_than_one}")
    f.begin(one)
    run.alone()
    f.do("ret void")
    f.begin(more_than_one)
    f.do(f"br i1 {f.let(f'icmp sgt i64 {count}, 0')}, label %{some}, label %{end}")
    f.begin(some)
    f.do(f"store i64 {width}, ptr {run.following}")
    f.do(f"store i64 {count}, ptr {run.left}")
    last = f.let(f"sub i64 {count}, 1")
    with f.loop(width) as lane:  # spare lanes repeat the last configuration; their results are ignored
        run.fill(lane, f.let(f"call i64 @llvm.smin.i64(i64 {lane}, i64 {last})"))
        number = f.let(f"select i1 {f.let(f'icmp slt i64 {lane}, {count}')}, i64 {lane}, i64 -1")
        f.do(f"store i64 {number}, ptr {f.offset(run.owner, lane, 8)}")
    f.do(f"br label %{head}")
    f.begin(head)
    call_block(f, [(buffer, str(size)) for buffer, size in zip(run.buffers, run.sizes, strict=True)])
    with f.loop(width) as lane:
        run.go_on(lane)
    more = f.let(f"icmp sgt i64 {f.let(f'load i64, ptr {run.left}')}, 0")
    f.do(f"br i1 {more}, label %{head}, label %{end}")
    f.begin(end)
    f.do("ret void")
    return f.text()


class _Run:
    """State of @batch: a buffer for each input and the output, with one configuration per lane; the number of the
    configuration in each lane (owner, -1 for none), the next one to take (following), and how many have not ended
    (left)."""

    def __init__(self, f: Function, lanes: Lanes, shapes: list[tuple[int, ...]]) -> None:
        self.f, self.lanes, self.shapes = f, lanes, shapes
        self.count, self.bases, self.steps, self.strides = batch_arguments(f, shapes)
        self.sizes = [lanes.size * prod(shape) for shape in shapes]  # bytes
        width = lanes.width
        self.buffers = [f.let(f"alloca [{width * size} x i8], align {lanes.size * width}") for size in self.sizes]
        self.owner, self.following, self.left = (f.let(f"alloca {kind}") for kind in (f"[{width} x i64]", "i64", "i64"))

    def fill(self, lane: str, number: str) -> None:
        """Load configuration `number` into a lane."""
        f = self.f
        for k, shape in enumerate(self.shapes[:-1]):
            place = f.offset(self.bases[k], f.let(f"mul i64 {number}, {self.steps[k]}"))
            target = f.offset(self.buffers[k], lane, self.sizes[k])
            copy_entries(f, self.lanes, shape, self.strides[k], place, target, gather=True)

    def alone(self) -> None:
        """Compute a single configuration, the same in all lanes."""
        f, scalar = self.f, self.lanes.scalar
        head, going, ended = (f.new_label() for _ in range(3))
        state, result = self.buffers[0], self.buffers[-1]
        self.fill("0", "0")
        f.do(f"br label %{head}")
        f.begin(head)
        call_block(f, [(buffer, "0") for buffer in self.buffers])
        first = f.let(f"load {scalar}, ptr {result}")
        f.do(f"br i1 {f.let(f'fcmp ogt {scalar} {first}, 0.0')}, label %{going}, label %{ended}")
        f.begin(going)
        _copy(f, self.lanes, prod(self.shapes[0]), result, state)
        f.do(f"br label %{head}")
        f.begin(ended)
        copy_entries(f, self.lanes, self.shapes[-1], self.strides[-1], self.bases[-1], result, gather=False)

    def go_on(self, lane: str) -> None:
        """Take the result of a lane as its next state; if it has ended, store it and refill the lane."""
        f, scalar = self.f, self.lanes.scalar
        look, going, ended, done = (f.new_label() for _ in range(4))
        state, result = (f.offset(self.buffers[k], lane, self.sizes[k]) for k in (0, -1))
        number = f.let(f"load i64, ptr {f.offset(self.owner, lane, 8)}")
        f.do(f"br i1 {f.let(f'icmp slt i64 {number}, 0')}, label %{done}, label %{look}")
        f.begin(look)
        first = f.let(f"load {scalar}, ptr {result}")
        f.do(f"br i1 {f.let(f'fcmp ogt {scalar} {first}, 0.0')}, label %{going}, label %{ended}")
        f.begin(going)
        _copy(f, self.lanes, prod(self.shapes[0]), result, state)
        f.do(f"br label %{done}")
        f.begin(ended)
        place = f.offset(self.bases[-1], f.let(f"mul i64 {number}, {self.steps[-1]}"))
        copy_entries(f, self.lanes, self.shapes[-1], self.strides[-1], place, result, gather=False)
        self.refill(lane, done)
        f.begin(done)

    def refill(self, lane: str, done: str) -> None:
        """Give a lane that has ended the next configuration, or none if all have been taken; then branch to `done`."""
        f = self.f
        refill, retire = f.new_label(), f.new_label()
        under_way, other = (f.let(f"load i64, ptr {place}") for place in (self.left, self.following))
        f.do(f"store i64 {f.let(f'sub i64 {under_way}, 1')}, ptr {self.left}")
        f.do(f"br i1 {f.let(f'icmp slt i64 {other}, {self.count}')}, label %{refill}, label %{retire}")
        f.begin(refill)
        self.fill(lane, other)
        f.do(f"store i64 {other}, ptr {f.offset(self.owner, lane, 8)}")
        f.do(f"store i64 {f.let(f'add i64 {other}, 1')}, ptr {self.following}")
        f.do(f"br label %{done}")
        f.begin(retire)
        f.do(f"store i64 -1, ptr {f.offset(self.owner, lane, 8)}")
        f.do(f"br label %{done}")


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
