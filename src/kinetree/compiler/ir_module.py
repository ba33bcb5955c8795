"""A program as a module of LLVM assembly, after operations that a processor lacks have been rewritten."""

import re
from collections.abc import Callable
from functools import partial
from math import pi, tan
from typing import Any

import numpy as np

from kinetree.compiler import ir_block, ir_calls, ir_door, ir_trig
from kinetree.compiler.expr import Expr, Graph
from kinetree.compiler.ir import Pool
from kinetree.compiler.program import Program, assemble
from kinetree.compiler.target import Target
from kinetree.compiler.ufunc import ArrayLayout


def lower(program: Program, target: Target, digits: int) -> Program:
    """Return an equivalent program with operations of the target only; its numbers have `digits` binary digits."""
    rewrite = dict(ALWAYS)
    if not target.fma:
        rewrite["fma"] = lambda a, b, c: a * b + c
    if not target.floor:
        rewrite["floor"] = partial(_floor, whole=2.0 ** (digits - 1))
    if not rewrite.keys() & program.operations.keys():
        return program
    graph = Graph()

    def apply(name: Any, *arguments: Expr) -> Any:
        if name in rewrite:
            return rewrite[name](*arguments)
        return graph.apply(name, *arguments)

    results = program.run([graph.input(i) for i in range(program.size)], graph.constant, apply)
    return assemble(graph, program.inputs, results, program.output, program.repeated)


def _floor(x: Any, whole: float) -> Any:
    """Return x rounded down. Numbers from `whole` on have no fraction; adding and subtracting it rounds others."""
    size = abs(x)
    nearest = np.copysign((size + whole) - whole, x)  # no simplification rule undoes this
    return np.where(size < whole, np.where(x < nearest, nearest - 1.0, nearest), x)


ARCTANGENT = (
    -0.3333333333333333,
    0.19999999999995516,
    -0.14285714284665682,
    0.11111111015187018,
    -0.0909090457530649,
    0.07692183125376892,
    -0.06664510525508936,
    0.05858140904866328,
    -0.050854078345894844,
    0.03923044778479309,
    -0.019175404711104935,
)
"""Coefficients of (arctan(t) / t - 1) / t² in powers of t², for |t| up to tan(pi/8), with an error of at most 3.2e-17;
interpolated at Chebyshev points with 50 digits."""


def _arctan2(y: Any, x: Any) -> Any:
    """Return the angle of (x, y), from the arctangent of t in [0, 1]; if t > tan(pi/8), pi/4 is taken off first."""
    long, short = np.maximum(abs(x), abs(y)), np.minimum(abs(x), abs(y))
    is_large = long * tan(pi / 8) < short
    above = np.where(is_large, short - long, short)
    below = np.where(is_large, short + long, np.where(long <= 0.0, 1.0, long))
    t = above / below
    z = t * t
    p: Any = ARCTANGENT[-1]
    for c in ARCTANGENT[-2::-1]:
        p = p * z + c
    angle = t + t * (z * p) + np.where(is_large, pi / 4, 0.0)
    angle = np.where(abs(x) < abs(y), pi / 2 - angle, angle)
    angle = np.where(np.copysign(1.0, x) < 0.0, pi - angle, angle)
    return np.copysign(angle, y)


ALWAYS: dict[str, Callable[..., Any]] = {
    "arctan2": _arctan2,
    "arccos": lambda x: _arctan2(np.sqrt((1.0 - x) * (1.0 + x)), x),
}
"""Operations that no processor has, with their replacements."""


def assembly(program: Program, target: Target, scalar: str, layout: ArrayLayout | None, fast: str = "contract ") -> str:
    """Return the module of a program, in numbers of type `scalar`.

    layout: of NumPy's arrays, for @door; None leaves @door out. fast: flags of every sum and product; by default LLVM
    may fuse a product with a sum.
    """
    pool = Pool(target.lanes(scalar))
    program = lower(program, target, pool.lanes.digits)
    parts = [ir_block.Block(program, pool, fast).write(), ir_calls.loop(program, pool.lanes, target)]
    if {"sin", "cos"} & program.operations.keys():
        parts += [ir_trig.sincos(target, pool), ir_trig.reduce()]
    if layout is not None:
        parts.append(ir_door.door(program, pool.lanes, layout))
    text = "\n".join([*parts, pool.text()])
    return f'target triple = "{target.triple}"\n{text}\n{_declarations(text)}\n{_METADATA}'


_METADATA = """attributes #0 = { nounwind }
!0 = !{!"branch_weights", i32 1000000, i32 1}
!1 = !{i32 1}
"""


def _declarations(text: str) -> str:
    """Return the declarations of all called intrinsics; the name of an intrinsic contains its types."""
    text = re.sub(r"splat \([^)]*\)", "splat", text)
    calls = set(re.findall(r"call (\S+|<[^>]*>) (@llvm\.[\w.]+)\(([^)]*)\)", text))
    declared = {}
    for result, name, arguments in calls:
        types = re.findall(r"(<[^>]*>|\w+) (?:%|splat|true|false|[-\d])", arguments)
        declared[name] = f"declare {result} {name}({', '.join(types)})"
    return "\n".join(sorted(declared.values()))
