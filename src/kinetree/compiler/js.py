"""Programs as JavaScript: an ES module of straight-line functions that need nothing but Math."""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import copysign, isinf, isnan, prod
from typing import TYPE_CHECKING

from kinetree.compiler.c_names import broken, comment, described
from kinetree.compiler.lookup_text import Dialect, statements
from kinetree.compiler.ops import OPS
from kinetree.errors import fail

if TYPE_CHECKING:
    from kinetree.compiler.kernel import Kernel

RULES = (
    "Arrays are row-major, of any kind with numbers by index; an input without a shape is a number.",
    "The result goes into the last argument, a new Float64Array if there is none, and is returned.",
)
COPYSIGN = """function copysign(x, y) {
  return (y < 0 || Object.is(y, -0)) === (x < 0 || Object.is(x, -0)) ? x : -x;
}
"""
WORDS = """
arguments await break case catch class const continue debugger default delete do else enum eval export extends false
finally for function if implements import in instanceof interface let new null package private protected public return
static super switch this throw true try typeof undefined var void while with yield Math NaN Infinity Object Float64Array
copysign
"""
"""Words that no function or argument can have."""


def write_js(functions: Sequence[tuple[str, "Kernel"]], *, about: str | Sequence[str] = ()) -> str:
    """Return the JavaScript functions of these names and kernels as one module.

    about: lines about the origin, such as the names of the robot and its file. Each is a
    `name(q, T = new Float64Array(16))` that returns T. Numbers are double; a product and its sum are rounded twice, so
    the last bits may differ from those of a kernel. Raises KinetreeError if a name is not legal in JavaScript or occurs
    twice, and for a repeated program.
    """
    names: dict[str, str] = {}
    for name, kernel in functions:
        if kernel.program.repeated:
            raise fail("js-repeated", f"{name} repeats its steps; JavaScript is written of straight lines only")
        _check(name, names)
        names[name] = "a function already"
        arguments: dict[str, str] = {}
        for port in (*kernel.inputs, kernel.output):
            _check(port.name, arguments)
            arguments[port.name] = "an argument already"
    texts = [f"{comment(described(kernel))}{_function(name, kernel)}" for name, kernel in functions]
    more = [COPYSIGN] if any("copysign(" in text for text in texts) else []
    origin = [about] if isinstance(about, str) and about else list(about)
    return "\n".join([comment([*origin, "", *RULES] if origin else RULES), *more, *texts])


def _check(name: str, taken: Mapping[str, str]) -> None:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name, re.ASCII) or re.fullmatch(r"t\d+", name):
        message = f"{name!r} is no name for this; expected letters, digits and underscores, and not t with a number"
    elif name in WORDS.split() or name in taken:
        message = f"{name!r} is {taken.get(name, 'a word of JavaScript')}"
    else:
        return
    raise fail("js-name", message, fix="choose another name")


def _function(name: str, kernel: "Kernel") -> str:
    inputs = [port.name for port in kernel.inputs]
    result = f"{kernel.output.name} = new Float64Array({prod(kernel.output.shape)})"
    first, last = f"export function {name}({', '.join([*inputs, result])}) {{", f"return {kernel.output.name};"
    lines = [first, *(f"  {line}" for line in (*_body(kernel), last)), "}"]
    return "".join(f"{part}\n" for line in lines for part in broken(line))


def _body(kernel: "Kernel") -> Iterable[str]:
    """Yield the steps in order, and then the results."""
    program, output = kernel.program, kernel.output.name
    values = [f"{one.name}[{i}]" if one.shape else one.name for one in kernel.inputs for i in range(prod(one.shape))]
    values += map(_literal, program.constants)
    for step, (op, args) in enumerate(program.steps):
        local = f"t{step}"
        if not isinstance(op, str):
            yield from statements(op, local, [values[i] for i in args], DIALECT)
            values.append(local)
            continue
        row = OPS[op]
        template = row.js or re.sub(r"(\w+)\{f\}", r"Math.\1", row.c)
        yield f"const {local} = {template.format(*[values[i] for i in args])};"
        values.append(local)
    for place, i in enumerate(program.results):
        yield f"{output}[{place}] = {values[i]};"


def _literal(value: float) -> str:
    """Return a number; negative numbers are in parentheses."""
    text = "NaN" if isnan(value) else "Infinity" if isinf(value) else repr(abs(float(value)))
    return f"(-{text})" if copysign(1.0, value) < 0 else text


DIALECT = Dialect(
    numbers="const {}",
    given="const {}",
    integers="const {}",
    array="[{}]",
    whole="let ",
    number="let ",
    memory="const {name} = new Float64Array({count});",
    literal=_literal,
    root="Math.sqrt({})",
    size="Math.abs({})",
    infinity="Infinity",
    as_index="{}",
)
"""Of JavaScript; an array is made anew at each call."""
