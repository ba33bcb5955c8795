"""Programs as C99: a source file and its header that need only math.h.

Every function is straight-line code: no allocation, no globals, no branches except `?:`. Its results equal the
interpreter's, up to the rounding of the machine and its library.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import copysign, isinf, isnan, prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import DTypeLike

from kinetree.compiler.c_names import (
    WIDTH,
    Constant,
    broken,
    check_name,
    comment,
    constants_of,
    documentation,
    identifiers,
)
from kinetree.compiler.lookup_text import Dialect, statements
from kinetree.compiler.ops import OPS
from kinetree.compiler.port import legal_type
from kinetree.display import Brief
from kinetree.errors import fail

if TYPE_CHECKING:
    from kinetree.compiler.kernel import Kernel
    from kinetree.compiler.port import Port


@dataclass(frozen=True, slots=True, repr=False)
class CSource(Brief):
    """Texts of a source file and its header."""

    source: str
    header: str


@dataclass(frozen=True, slots=True)
class _Number:
    """A number type in C, with the `suffix` of its functions and literals."""

    name: str
    suffix: str
    round: type[np.floating]

    def literal(self, value: float) -> str:
        """Return a number exactly as this type represents it; negative numbers are in parentheses."""
        with np.errstate(all="ignore"):  # too large is infinite, as in the interpreter
            rounded = self.round(value)
        if isnan(rounded):
            text = f'nan{self.suffix}("")'  # NAN and INFINITY are floats, which would be promoted
        elif isinf(rounded):
            text = "HUGE_VAL" + self.suffix.upper()
        else:
            text = str(abs(rounded)) + self.suffix
        return f"(-{text})" if copysign(1.0, rounded) < 0 else text


NUMBERS = {
    np.dtype(np.float64): _Number("double", "", np.float64),
    np.dtype(np.float32): _Number("float", "f", np.float32),
}


def write_c(
    functions: Sequence[tuple[str, Kernel]],
    header: str,
    *,
    about: str | Sequence[str] = (),
    dtype: DTypeLike = float,
    constants: Mapping[str, Sequence[Constant]] | None = None,
) -> CSource:
    """Return the C functions of these names and kernels, as one source file and the header that it includes.

    header: file name of the header. about: lines about the origin, such as the names of the robot and its file. dtype:
    float64 for double, float32 for float. constants: more numbers with names for the header, by function.

    Each is a `void name(const double q[6], double T[16])`: inputs first, result last, row-major. Results are written
    while inputs are still read, so they must not overlap. For an array without entries the pointer may be null. Behind
    each function the header has an enum of sizes, of the indices of labels and of the meaning of codes, whose names
    begin with the function's in capitals.

    Raises KinetreeError if a name is not legal in C and C++, is a name of the language or its library, or occurs twice,
    and for a repeated program.
    """
    number = NUMBERS[legal_type(dtype, NUMBERS)]
    for name, kernel in functions:
        if kernel.program.repeated:
            raise fail("c-repeated", f"{name} repeats its steps; C is written of straight lines only")
    if not re.fullmatch(r"[\w.+-][\w .+-]*", header, re.ASCII):
        message = f"the header cannot be called {header!r}; expected ASCII letters, digits, spaces and . _ + -"
        raise fail("c-header", message)
    _check_names(functions)
    origin = [about] if isinstance(about, str) and about else list(about)
    heading = comment([*origin, "", *_RULES] if origin else _RULES)
    guard = "KINETREE_" + re.sub(r"[^A-Z0-9]+", "_", header.upper()).strip("_")
    taken = {guard, *(name for name, _ in functions)}
    taken |= {port.name for _, kernel in functions for port in (*kernel.inputs, kernel.output)}
    declared, defined = [], []
    for name, kernel in functions:
        text = documentation(kernel)
        named = [*constants_of(kernel), *(constants or {}).get(name, ())]
        declared += [f"{text}{_signature(name, kernel, number)};\n", _enum(name, named, number, taken)]
        defined.append(f"{text}{_definition(name, kernel, number)}")
    coded = {label for _, kernel in functions for port in kernel.outputs for label, _ in port.codes}
    alone = [_C_ALONE, _WITH_NAN] if "state" in coded else [_C_ALONE]
    return CSource(
        "\n".join([f'{heading}\n#include "{header}"\n\n#include <math.h>\n', *alone, *defined]),
        "\n".join([f"{heading}\n#ifndef {guard}\n#define {guard}\n", _OPEN, *declared, _CLOSE]),
    )


def _enum(function: str, named: Sequence[Constant], number: _Number, taken: set[str]) -> str:
    """Return the integers as an enum, and the other constants as macros."""
    names = identifiers(function, [constant.words for constant in named], taken)
    both = list(zip(names, (constant.value for constant in named), strict=True))
    entries = ",\n".join(f"    {name} = {value}" for name, value in both if isinstance(value, int))
    macros = [_macro(name, number.literal(value)) for name, value in both if not isinstance(value, int)]
    return "".join([f"enum {{\n{entries}\n}};\n", *macros])


def _macro(name: str, text: str) -> str:
    line = f"#define {name} {text}"
    return f"{line}\n" if len(line) <= WIDTH else f"#define {name} \\\n    {text}\n"


_RULES = (
    "All arrays are row-major. The result may not overlap the inputs.",
    "No memory but the stack, no state, no library but math.h: safe in any thread and in an interrupt.",
)
_C_ALONE = "#ifdef __cplusplus\n#define restrict /* a word of C alone */\n#endif\n"
_WITH_NAN = """\
#if (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST)
#error "a state reports NaN in the inputs: compile without -ffast-math, or with -fno-finite-math-only after it"
#endif
"""
"""Stops compilers that assume that there is no NaN; for functions with a state that reports NaN."""
_OPEN = '#ifdef __cplusplus\nextern "C" {\n#endif\n'
_CLOSE = "#ifdef __cplusplus\n}\n#endif\n\n#endif\n"


def _check_names(functions: Iterable[tuple[str, Kernel]]) -> None:
    taken: dict[str, str] = {}
    for name, kernel in functions:
        check_name(name, taken)
        taken[name] = "a function already"
        arguments = {name: "the name of the function and of one of its arguments"}
        for port in (*kernel.inputs, kernel.output):
            check_name(port.name, arguments)
            if re.fullmatch(r"t\d+", port.name):
                raise fail("c-name", f"{port.name!r} is a local variable", fix="choose another name")
            arguments[port.name] = "an argument already"


def _signature(name: str, kernel: Kernel, number: _Number, restrict: str = "") -> str:
    inputs = [_argument(f"const {number.name}", port, restrict) for port in kernel.inputs]
    arguments = [*inputs, _argument(number.name, kernel.output, restrict)]
    whole = ", ".join(argument.replace(" ", "\0") for argument in arguments)  # broken between arguments alone
    return "\n".join(broken(f"void\0{name}({whole})", WIDTH - 1)).replace("\0", " ")


def _argument(type: str, port: Port, restrict: str) -> str:
    """Return an argument's declaration; C99 has no arrays without entries."""
    size = prod(port.shape)
    return f"{type} {port.name}[{restrict}{size}]" if size else f"{type} *{restrict}{port.name}"


def _definition(name: str, kernel: Kernel, number: _Number) -> str:
    body = "".join(f"{line}\n" for step in _body(kernel, number) for line in broken("    " + step))
    return f"{_signature(name, kernel, number, 'restrict ')}\n{{\n{body}}}\n"


def _body(kernel: Kernel, number: _Number) -> list[str]:
    """Return the steps in order; each result is written as soon as it is known, to keep few values alive."""
    program, output = kernel.program, kernel.output.name
    values = [f"{port.name}[{i}]" for port in kernel.inputs for i in range(prod(port.shape))]
    values += map(number.literal, program.constants)
    lines = [f"(void){name};" for name in _unused(kernel)]
    lines += [f"{output}[{place}] = {values[i]};" for place, i in enumerate(program.results) if i < len(values)]
    places: dict[int, list[int]] = {}
    for place, i in enumerate(program.results):
        places.setdefault(i, []).append(place)
    for step, (op, args) in enumerate(program.steps):
        local = f"t{step}"
        if not isinstance(op, str):
            lines += statements(op, local, [values[i] for i in args], _dialect(number))
            lines += [f"{output}[{place}] = {local};" for place in places.get(len(values), ())]
            values.append(local)
            continue
        row = OPS[op]
        text = row.c.format(*[values[i] for i in args], f=number.suffix)
        lines.append(f"const {'int' if row.logical else number.name} {local} = {text};")
        lines += [f"{output}[{place}] = {local};" for place in places.get(len(values), ())]
        values.append(local)
    return lines


def _dialect(number: _Number) -> Dialect:
    kind, f = number.name, number.suffix
    return Dialect(
        numbers=f"static const {kind} {{}}[]",
        given=f"const {kind} {{}}[]",
        integers="static const int {}[]",
        array="{{{}}}",
        whole="int ",
        number=f"{kind} ",
        memory=f"{kind} {{name}}[{{count}}];",
        literal=number.literal,
        root=f"sqrt{f}({{}})",
        size=f"fabs{f}({{}})",
        infinity=number.literal(float("inf")),
        as_index="(int){}",
    )


def _unused(kernel: Kernel) -> list[str]:
    """Return the names of the arguments that no result depends on."""
    program = kernel.program
    used = {i for step in program.steps for i in step.args} | set(program.results)
    names, start = [], 0
    for port in kernel.inputs:
        size = prod(port.shape)
        if used.isdisjoint(range(start, start + size)):
            names.append(port.name)
        start += size
    return names if program.results else [*names, kernel.output.name]
