"""Programs as C99: a source file and its header that need only math.h.

Every function is straight-line code: no allocation, no globals, no branches except `?:`. Its results equal the
interpreter's, up to the rounding of the machine and its library.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import copysign, isinf, isnan, prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import DTypeLike

from kinetree.compiler.ops import OPS
from kinetree.compiler.port import legal_type, spans
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


def _number_type(dtype: DTypeLike) -> _Number:
    """Return the C type of a NumPy type: double or single precision."""
    return NUMBERS[legal_type(dtype, NUMBERS)]


def write_c(
    functions: Sequence[tuple[str, Kernel]], header: str, *, about: str = "", dtype: DTypeLike = float
) -> CSource:
    """Return the C functions of these names and kernels, as one source file and the header that it includes.

    header: file name of the header. about: a line about the origin, such as the names of the robot and its file. dtype:
    float64 for double, float32 for float.

    Each is a `void name(const double q[6], double T[16])`: inputs first, result last, row-major. Results are written
    while inputs are still read, so they must not overlap. For an array without entries the pointer may be null.

    Raises KinetreeError if a name is not legal in C and C++, is a name of the language or its library, or occurs twice,
    and for a repeated program.
    """
    number = _number_type(dtype)
    for name, kernel in functions:
        if kernel.program.repeated:
            raise fail("c-repeated", f"{name} repeats its steps; C is written of straight lines only")
    if not re.fullmatch(r"[\w.+-][\w .+-]*", header, re.ASCII):
        message = f"the header cannot be called {header!r}; legal are ASCII letters, digits, spaces and . _ + -"
        raise fail("c-header", message)
    _check_names(functions)
    documented = [(_documentation(kernel), name, kernel) for name, kernel in functions]
    heading = comment([about, "", *_RULES] if about else _RULES)
    guard = "KINETREE_" + re.sub(r"[^A-Z0-9]+", "_", header.upper()).strip("_")
    declared = [f"{text}{_signature(name, kernel, number)};\n" for text, name, kernel in documented]
    defined = [f"{text}{_definition(name, kernel, number)}" for text, name, kernel in documented]
    return CSource(
        "\n".join([f'{heading}\n#include "{header}"\n\n#include <math.h>\n', _C_ALONE, *defined]),
        "\n".join([f"{heading}\n#ifndef {guard}\n#define {guard}\n", _OPEN, *declared, _CLOSE]),
    )


_RULES = (
    "All arrays are row-major. The result may not overlap the inputs.",
    "No memory but the stack, no state, no library but math.h: safe in any thread and in an interrupt.",
)
_C_ALONE = "#ifdef __cplusplus\n#define restrict /* a word of C alone */\n#endif\n"
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


def _documentation(kernel: Kernel) -> str:
    lines = described(kernel)
    return comment(lines if kernel.fused else [*lines, _SAME_BITS])


def described(kernel: Kernel) -> list[str]:
    """Return lines about a function: shapes, units, frames, the order of all entries, and the operation count."""
    about = f": {kernel.output.about}" if kernel.output.about else ""
    lines = [kernel.name + about, ""]
    for port in kernel.inputs:
        lines.append(f"{port.name}: {_shape(port.shape)}{f'; {port.about}' if port.about else ''}")
        lines += _entries(port)
    lines.append(f"{kernel.output.name}: {_shape(kernel.output.shape)}")
    for port, at in zip(kernel.outputs, spans(kernel.outputs), strict=True):
        if len(kernel.outputs) > 1:
            about = f"; {port.about}" if port.about else ""
            lines.append(f"{port.name}, from {kernel.output.name}[{at.start}]: {_shape(port.shape)}{about}")
        lines += _entries(port, at.start)
    counts = kernel.operations
    listed = ", ".join(f"{n} {operation}" for operation, n in sorted(counts.items()))
    lines += ["", f"{sum(counts.values())} operations{f': {listed}' if listed else ''}"]
    return lines


def _entries(port: Port, start: int = 0) -> list[str]:
    """Return the index and the name of every entry of a vector, from `start`, or of every row and column."""
    if len(port.shape) < 2:
        return [f"  [{i}] {label}" for i, label in enumerate(port.labels, start)]
    rows = [f"  [{i}, ...] {row}" for i, row in enumerate(port.rows)]
    return rows + [f"  [..., {i}] {label}" for i, label in enumerate(port.labels)]


_SAME_BITS = "Compiled with -ffp-contract=off it gives the same bits as the kernel that was compiled by Kinetree."


def _shape(shape: tuple[int, ...]) -> str:
    if not shape:
        return "1 number"
    return " x ".join(map(str, shape)) + (", row-major" if len(shape) > 1 else " numbers")


def comment(lines: Iterable[str]) -> str:
    """Return a C comment of these lines, whatever they contain."""
    return "/*\n" + "".join(f" * {_harmless(line)}".rstrip() + "\n" for line in lines) + " */\n"


def _harmless(text: str) -> str:
    """Return one line of ASCII that neither ends nor begins a comment and has no trigraphs."""
    text = text.replace("²", "^2").encode("unicode_escape").decode("ascii")  # lone surrogates too
    return re.sub(r"(?<=/)(?=\*)|(?<=\*)(?=/)|(?<=\?)(?=\?)", " ", text)


def _signature(name: str, kernel: Kernel, number: _Number, restrict: str = "") -> str:
    inputs = [_argument(f"const {number.name}", port, restrict) for port in kernel.inputs]
    return f"void {name}({', '.join([*inputs, _argument(number.name, kernel.output, restrict)])})"


def _argument(type: str, port: Port, restrict: str) -> str:
    """Return an argument's declaration; C99 has no arrays without entries."""
    size = prod(port.shape)
    return f"{type} {port.name}[{restrict}{size}]" if size else f"{type} *{restrict}{port.name}"


def _definition(name: str, kernel: Kernel, number: _Number) -> str:
    body = "".join(f"    {line}\n" for line in _body(kernel, number))
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
        row, local = OPS[op], f"t{step}"
        text = row.c.format(*[values[i] for i in args], f=number.suffix)
        lines.append(f"const {'int' if row.logical else number.name} {local} = {text};")
        lines += [f"{output}[{place}] = {local};" for place in places.get(len(values), ())]
        values.append(local)
    return lines


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


_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual
and and_eq asm atomic_cancel atomic_commit atomic_noexcept bitand bitor catch char8_t char16_t char32_t class co_await
co_return co_yield compl concept const_cast consteval constinit contract_assert decltype delete dynamic_cast explicit
export friend mutable namespace new noexcept not not_eq operator or or_eq private protected public reflexpr
reinterpret_cast requires static_cast synchronized template this throw try typeid typename using virtual wchar_t xor
xor_eq main
"""
"""Keywords of C99 to C23 and of C++, and `main`, which starts the program."""

_MATH = """
acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p log2
logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint round
lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma
exp10 pow10 drem finite gamma isinf isnan significand scalb sincos j0 j1 jn y0 y1 yn
"""
"""Functions of math.h and common extensions of it; each name also exists with the suffixes f and l."""

_MACROS = """
HUGE_VAL HUGE_VALF HUGE_VALL INFINITY NAN FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO FP_FAST_FMA FP_FAST_FMAF
FP_FAST_FMAL FP_ILOGB0 FP_ILOGBNAN MATH_ERRNO MATH_ERREXCEPT math_errhandling MAXFLOAT M_E M_LOG2E M_LOG10E M_LN2 M_LN10
M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS
fpclassify isfinite isnormal signbit isgreater isgreaterequal isless islessequal islessgreater isunordered
float_t double_t signgam matherr
"""
"""Macros, types and other names of math.h."""

_LIBRARY = """
abort abs atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs lldiv malloc mblen mbstowcs
mbtowc qsort rand realloc srand strtod strtof strtol strtold strtoll strtoul strtoull system wcstombs wctomb
memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strerror strlen strncat strncmp strncpy
strpbrk strrchr strspn strstr strtok strxfrm isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct
isspace isupper isxdigit tolower toupper clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc
fputs fread freopen fscanf fseek fsetpos ftell fwrite getc getchar gets perror printf putc putchar puts remove rename
rewind scanf setbuf setvbuf snprintf sprintf sscanf tmpfile tmpnam ungetc vfprintf vfscanf vprintf vscanf vsnprintf
vsprintf vsscanf asctime clock ctime difftime gmtime localtime mktime strftime time longjmp setjmp raise signal
cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog conj cpow cproj creal csin csinh csqrt ctan
ctanh
"""
"""Functions of the C library, whose names are reserved even where it is not included (C99, 7.1.3)."""

_TAKEN = {
    **dict.fromkeys(_KEYWORDS.split(), "a keyword"),
    **{name + suffix: "a name of math.h" for name in _MATH.split() for suffix in ("", "f", "l")},
    **dict.fromkeys(_MACROS.split(), "a name of math.h"),
    **dict.fromkeys(_LIBRARY.split(), "a function of the C library"),
}


def check_name(name: str, taken: dict[str, str]) -> None:
    """Raise KinetreeError if a name is not legal in C and C++, or is in `taken`, which maps names to their meaning."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name, re.ASCII) or "__" in name:
        message = f"{name!r} is no name in C; legal are letters, digits and single underscores, a letter first"
    elif reason := _TAKEN.get(name) or taken.get(name):
        message = f"{name!r} is {reason}"
    else:
        return
    raise fail("c-name", message, fix="choose another name")
