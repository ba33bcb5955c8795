"""LLVM assembly of a handler of XLA's foreign functions (XLA_FFI_Handler), which calls the inner loop of a kernel.

The offsets of the fields of XLA's structures are given, so that they can be read from the header of the library that is
installed.
"""

from collections.abc import Mapping, Sequence
from math import prod

from kinetree.compiler.ir import Function
from kinetree.compiler.target import Target

PORTION, SCRATCH = 256, 2**16
"""Most configurations, and about the bytes, that are converted to double precision at once."""

FIELDS = (
    *("extension", "extension_type", "metadata", "major", "minor"),  # of a call that asks for the version
    *("stage", "args", "rets", "data", "rank", "dims"),
)
"""Offsets that `handler` needs, in bytes."""
VALUES = ("METADATA", "EXECUTE", "MAJOR", "MINOR")
"""Constants that `handler` needs."""


def fits(shapes: Sequence[tuple[int, ...]]) -> bool:
    """Return whether one configuration of a kernel in single precision fits into the scratch memory of a handler."""
    return 8 * sum(map(prod, shapes)) <= SCRATCH


def handler(at: Mapping[str, int], shapes: Sequence[tuple[int, ...]], loop: int, scalar: str, target: Target) -> str:
    """Return the module with @handler(frame).

    at: FIELDS and VALUES. shapes: those of the inputs and, last, of the output; each array has either a whole batch in
    front, or one configuration. loop: the address of the kernel's loop in double precision. scalar: type of the arrays;
    "float" is converted in portions.
    """
    f = Function("define ptr @handler(ptr %frame) nounwind")
    _answer_version(f, at)
    args, rets = (f.let(f"load ptr, ptr {f.offset('%frame', at[name])}") for name in ("args", "rets"))
    places = [(args, k) for k in range(len(shapes) - 1)] + [(rets, 0)]
    buffers = [f.let(f"load ptr, ptr {f.offset(array, k, 8)}") for array, k in places]
    data = [f.let(f"load ptr, ptr {f.offset(buffer, at['data'])}") for buffer in buffers]
    counts = [_count(f, at, buffer, len(shape)) for buffer, shape in zip(buffers, shapes, strict=True)]
    whole = [f.let(f"icmp eq i64 {count}, {counts[-1]}") for count in counts]
    call = _Call(
        f, shapes, loop, [f.let(f"select i1 {w}, i64 {8 * prod(s)}, i64 0") for w, s in zip(whole, shapes, strict=True)]
    )
    if scalar == "double":
        call.do(data, counts[-1])
    else:
        _in_portions(f, call, data, whole, counts[-1])
    f.do("ret ptr null")
    return f'target triple = "{target.triple}"\ndeclare i64 @llvm.smin.i64(i64, i64)\n{f.text()}\n'


def _answer_version(f: Function, at: Mapping[str, int]) -> None:
    """Return the version if the frame asks for it, and return at once at any other stage than the execution."""
    asks, answer, runs, nothing, goes = (f.new_label() for _ in range(5))
    extension = f.let(f"load ptr, ptr {f.offset('%frame', at['extension'])}")
    f.do(f"br i1 {f.let(f'icmp eq ptr {extension}, null')}, label %{runs}, label %{asks}")
    f.begin(asks)
    kind = f.let(f"load i32, ptr {f.offset(extension, at['extension_type'])}")
    is_metadata = f.let(f"icmp eq i32 {kind}, {at['METADATA']}")
    f.do(f"br i1 {is_metadata}, label %{answer}, label %{runs}")
    f.begin(answer)
    metadata = f.let(f"load ptr, ptr {f.offset(extension, at['metadata'])}")
    for field in ("major", "minor"):
        f.do(f"store i32 {at[field.upper()]}, ptr {f.offset(metadata, at[field])}")
    f.do("ret ptr null")
    f.begin(runs)
    stage = f.let(f"load i32, ptr {f.offset('%frame', at['stage'])}")
    executes = f.let(f"icmp eq i32 {stage}, {at['EXECUTE']}")
    f.do(f"br i1 {executes}, label %{goes}, label %{nothing}")
    f.begin(nothing)
    f.do("ret ptr null")
    f.begin(goes)


def _count(f: Function, at: Mapping[str, int], buffer: str, axes: int) -> str:
    """Return the number of configurations in a buffer, the product of its axes in front of the last ones."""
    rank = f.let(f"load i64, ptr {f.offset(buffer, at['rank'])}")
    dims = f.let(f"load ptr, ptr {f.offset(buffer, at['dims'])}")
    product = f.let("alloca i64")
    f.do(f"store i64 1, ptr {product}")
    with f.loop(f.let(f"sub i64 {rank}, {axes}")) as i:
        n = f.let(f"load i64, ptr {f.offset(dims, i, 8)}")
        before = f.let(f"load i64, ptr {product}")
        f.do(f"store i64 {f.let(f'mul i64 {before}, {n}')}, ptr {product}")
    return f.let(f"load i64, ptr {product}")


class _Call:
    """A call of the inner loop; steps: bytes from one configuration to the next, in double precision."""

    def __init__(self, f: Function, shapes: Sequence[tuple[int, ...]], loop: int, steps: list[str]) -> None:
        self.f, self.shapes, self.steps = f, shapes, steps
        strides = [str(8 * prod(shape[axis + 1 :])) for shape in shapes for axis in range(len(shape))]
        self.loop = f.let(f"inttoptr i64 {loop} to ptr")
        self.args, self.count = f.let(f"alloca [{len(shapes)} x ptr]"), f.let("alloca i64")
        self.all_steps = f.let(f"alloca [{len(steps) + len(strides)} x i64]")
        for k, step in enumerate([*steps, *strides]):
            f.do(f"store i64 {step}, ptr {f.offset(self.all_steps, k, 8)}")

    def do(self, data: Sequence[str], count: str) -> None:
        f = self.f
        for k, pointer in enumerate(data):
            f.do(f"store ptr {pointer}, ptr {f.offset(self.args, k, 8)}")
        f.do(f"store i64 {count}, ptr {self.count}")
        f.do(f"call void {self.loop}(ptr {self.args}, ptr {self.count}, ptr {self.all_steps}, ptr null)")


def _in_portions(f: Function, call: _Call, data: list[str], whole: list[str], count: str) -> None:
    """Call the loop on portions of single precision, which are converted to double precision and back."""
    sizes = [prod(shape) for shape in call.shapes]
    portion = max(1, min(PORTION, SCRATCH // (8 * max(sum(sizes), 1))))
    scratch = [f.let(f"alloca [{portion * size} x double], align 64") for size in sizes]
    blocks = f.let(f"udiv i64 {f.let(f'add i64 {count}, {portion - 1}')}, {portion}")
    with f.loop(blocks) as block:
        first = f.let(f"mul i64 {block}, {portion}")
        here = f.let(f"call i64 @llvm.smin.i64(i64 {f.let(f'sub i64 {count}, {first}')}, i64 {portion})")
        places = []
        for k, size in enumerate(sizes):
            begin = f.let(f"select i1 {whole[k]}, i64 {first}, i64 0")
            places.append(f.offset(data[k], f.let(f"mul i64 {begin}, {size}"), 4))
        for k, size in enumerate(sizes[:-1]):
            own = f.let(f"select i1 {whole[k]}, i64 {here}, i64 1")
            with f.loop(f.let(f"mul i64 {own}, {size}")) as i:
                x = f.let(f"load float, ptr {f.offset(places[k], i, 4)}")
                f.do(f"store double {f.let(f'fpext float {x} to double')}, ptr {f.offset(scratch[k], i, 8)}")
        call.do(scratch, here)
        with f.loop(f.let(f"mul i64 {here}, {sizes[-1]}")) as i:
            y = f.let(f"load double, ptr {f.offset(scratch[-1], i, 8)}")
            f.do(f"store float {f.let(f'fptrunc double {y} to float')}, ptr {f.offset(places[-1], i, 4)}")
