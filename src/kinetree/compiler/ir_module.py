"""LLVM assembly of a whole module, from a program."""

import re

from kinetree.compiler import ir_block, ir_calls, ir_trig
from kinetree.compiler.ir import Pool
from kinetree.compiler.lower import lower
from kinetree.compiler.program import Program
from kinetree.compiler.target import Target
from kinetree.compiler.ufunc import ArrayLayout


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
        parts.append(ir_calls.door(program, pool.lanes, layout))
    text = "\n".join([*parts, pool.text()])
    return f'target triple = "{target.triple}"\n{text}\n{_declarations(text)}\n{_METADATA}'


_METADATA = """attributes #0 = { nounwind }
!0 = !{!"branch_weights", i32 1000000, i32 1}
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
