"""LLVM assembly that lets Python call @block: @door, a function (METH_FASTCALL | METH_KEYWORDS) for the common case of
one configuration in arrays of doubles. It reads the arrays' structures directly and passes all other calls to its
`self`, which is any callable.

A new array for a small result would cost as much as an arm's pose. So @door keeps references to its last results in
@ring and returns one of them again if nothing else refers to it: its reference count is one, it has no weak references,
and its shape, type and flags are those of a new array. Views, memoryviews and tensors all refer to the array whose
numbers they show. Python's lock is held throughout; a Python without one has other structures of objects, for which
`array_layout` is None and no @door is made.
"""

from math import prod

from kinetree.compiler.ir import Function, call_block
from kinetree.compiler.ir_calls import call_once
from kinetree.compiler.program import Program
from kinetree.compiler.target import Lanes
from kinetree.compiler.ufunc import (
    ALIGNED,
    C_CONTIGUOUS,
    CONTEXT,
    OWNS_DATA,
    RING,
    TYPE_NUMBERS,
    WRITEABLE,
    ArrayLayout,
)

SMALL = 1024
"""Most numbers of a result that is kept."""


def door(program: Program, lanes: Lanes, layout: ArrayLayout) -> str:
    """Return @door(self, args, nargs, kwnames), with the dimensions of its result, its @context and its @ring."""
    return _Door(program, lanes, layout).text()


class _Door:
    """The function @door under construction. addresses: of CONTEXT, by name."""

    def __init__(self, program: Program, lanes: Lanes, layout: ArrayLayout) -> None:
        self.program, self.lanes, self.layout = program, lanes, layout
        self.f = Function("define ptr @door(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) #0")
        self.addresses = {name: self._load("ptr", "@context", 8 * k) for k, name in enumerate(CONTEXT)}

    def text(self) -> str:
        """Return the text of the function and of its globals."""
        f, output = self.f, self.program.output
        otherwise = f.new_label()
        self._demand(f.let(f"icmp eq i64 %nargs, {len(self.program.inputs)}"), otherwise)
        self._demand(f.let("icmp eq ptr %kwnames, null"), otherwise)
        data = []
        for k, shape in enumerate(self.program.inputs):
            array = self._load("ptr", "%args", 8 * k)
            kind = self._load("ptr", array, 8)
            self._demand(f.let(f"icmp eq ptr {kind}, {self.addresses['array_type']}"), otherwise)
            self._demand_array(array, shape, C_CONTIGUOUS | ALIGNED, otherwise)
            data.append(self._load("ptr", array, self.layout.data))
        if prod(output) <= SMALL:
            self._reuse(data)
        new = self._new()
        self._compute([*data, self._load("ptr", new, self.layout.data)])
        f.do(f"ret ptr {new}")
        f.begin(otherwise)
        rest = f.let(f"call ptr {self.addresses['vectorcall']}(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)")
        f.do(f"ret ptr {rest}")
        dimensions = ", ".join(f"i64 {n}" for n in output) or "i64 0"
        return (
            f"@context = global [{len(CONTEXT)} x ptr] zeroinitializer\n"
            f"@ring = global [{RING} x ptr] zeroinitializer\n@following = internal global i64 0\n"
            f"@dimensions = internal constant [{max(len(output), 1)} x i64] [{dimensions}]\n{f.text()}"
        )

    def _load(self, kind: str, pointer: str, offset: int) -> str:
        return self.f.let(f"load {kind}, ptr {self.f.offset(pointer, offset)}")

    def _demand(self, condition: str, otherwise: str) -> None:
        following = self.f.new_label()
        self.f.do(f"br i1 {condition}, label %{following}, label %{otherwise}")
        self.f.begin(following)

    def _demand_array(self, array: str, shape: tuple[int, ...], flags: int, otherwise: str) -> None:
        """Go on with an array of doubles of this shape that has these flags, else branch to `otherwise`."""
        f, layout = self.f, self.layout
        self._demand(f.let(f"icmp eq i32 {self._load('i32', array, layout.nd)}, {len(shape)}"), otherwise)
        descr = self._load("ptr", array, layout.descr)
        self._demand(f.let(f"icmp eq ptr {descr}, {self.addresses['double_descr']}"), otherwise)
        own = f.let(f"and i32 {self._load('i32', array, layout.flags)}, {flags}")
        self._demand(f.let(f"icmp eq i32 {own}, {flags}"), otherwise)
        dimensions = self._load("ptr", array, layout.dimensions)
        for axis, n in enumerate(shape):
            self._demand(f.let(f"icmp eq i64 {self._load('i64', dimensions, 8 * axis)}, {n}"), otherwise)

    def _new(self) -> str:
        """Return a new array for the result; return from the function if there is no memory."""
        f = self.f
        new = f.let(
            f"call ptr {self.addresses['array_new']}(ptr {self.addresses['array_type']}, "
            f"i32 {len(self.program.output)}, ptr @dimensions, "
            f"i32 {TYPE_NUMBERS['double']}, ptr null, ptr null, i32 0, i32 0, ptr null)"
        )
        failed, made = f.new_label(), f.new_label()
        f.do(f"br i1 {f.let(f'icmp eq ptr {new}, null')}, label %{failed}, label %{made}")
        f.begin(failed)
        f.do("ret ptr null")
        f.begin(made)
        return new

    def _compute(self, pointers: list[str]) -> None:
        if self.program.repeated:
            call_once(self.f, self.program, self.lanes, pointers)
        else:
            call_block(self.f, [(pointer, "0") for pointer in pointers])

    def _reuse(self, data: list[str]) -> None:
        """Return the oldest array of the ring if nothing else refers to it, else a new array that takes its place."""
        f, layout = self.f, self.layout
        place = f.offset("@ring", f.let("load i64, ptr @following"), 8)
        after = f.let(f"add i64 {f.let('load i64, ptr @following')}, 1")
        f.do(f"store i64 {f.let(f'and i64 {after}, {RING - 1}')}, ptr @following")
        old, fresh = f.let(f"load ptr, ptr {place}"), f.new_label()
        self._demand(f.let(f"icmp ne ptr {old}, null"), fresh)
        self._demand(f.let(f"icmp eq i32 {self._load('i32', old, 0)}, 1"), fresh)  # the reference count
        self._demand(f.let(f"icmp eq ptr {self._load('ptr', old, layout.weak)}, null"), fresh)
        self._demand_array(old, self.program.output, C_CONTIGUOUS | ALIGNED | WRITEABLE | OWNS_DATA, fresh)
        f.do(f"store i32 2, ptr {old}")
        self._compute([*data, self._load("ptr", old, layout.data)])
        f.do(f"ret ptr {old}")
        f.begin(fresh)
        new, drop, done = self._new(), f.new_label(), f.new_label()
        replaced = f.let(f"load ptr, ptr {place}")
        f.do(f"store i32 2, ptr {new}")
        f.do(f"store ptr {new}, ptr {place}")
        self._compute([*data, self._load("ptr", new, layout.data)])
        f.do(f"br i1 {f.let(f'icmp eq ptr {replaced}, null')}, label %{done}, label %{drop}")
        f.begin(drop)  # last, because the end of an array may run any code
        f.do(f"call void {self.addresses['decref']}(ptr {replaced})")
        f.do(f"br label %{done}")
        f.begin(done)
        f.do(f"ret ptr {new}")
