"""Names in C: which are legal, identifiers of constants from the labels of ports; and comments of generated code."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from kinetree.compiler.port import Port, spans
from kinetree.errors import fail

if TYPE_CHECKING:
    from kinetree.compiler.kernel import Kernel
from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinetree.compiler.kernel import Kernel


LONGEST, LONGEST_FUNCTION = 100, 64
"""Most characters of identifiers, and of names of functions, that are made from labels; longer ones are cut, and
numbered if they clash."""


class Constant(NamedTuple):
    """A number with a name for the header of C. words: its name, in any characters. An integer becomes an entry of an
    enum, any other number a `#define`."""

    words: tuple[str, ...]
    value: float


def constants_of(kernel: "Kernel") -> Iterator[Constant]:
    """Yield the sizes of the arrays of a kernel, the indices of their labels, and the numbers that entries may be.

    A vector's labels have their index in its array; rows and columns of a matrix have theirs in the matrix.
    """
    several = kernel.outputs if len(kernel.outputs) > 1 else ()
    for port in (*kernel.inputs, kernel.output):
        yield Constant((port.name, "size"), prod(port.shape))
    taken = {port.name for port in (*kernel.inputs, kernel.output)} if several else set()
    for port in kernel.inputs:
        yield from _indices(port, (port.name,), 0)
    for port, at in zip(kernel.outputs, spans(kernel.outputs), strict=True):
        words = (kernel.output.name, port.name) if port.name in taken else (port.name,)
        if several and port.shape:
            yield Constant((*words, "start"), at.start)
            yield Constant((*words, "size"), prod(port.shape))
        elif several:
            yield Constant(words, at.start)
        yield from _indices(port, words, at.start)


def _indices(port: Port, words: tuple[str, ...], start: int) -> Iterator[Constant]:
    if len(port.shape) < 2:
        yield from (Constant((*words, label), i) for i, label in enumerate(port.labels, start))
    else:
        for axis, of in (("row", -2), ("column", -1)):
            yield Constant((*words, f"{axis}s"), port.shape[of])
            labels = port.rows if of == -2 else port.labels
            yield from (Constant((*words, axis, label), i) for i, label in enumerate(labels))
    for label, meanings in port.codes:
        yield from (Constant((label, meaning), i) for i, meaning in enumerate(meanings))


def identifiers(function: str, names: Sequence[tuple[str, ...]], taken: set[str]) -> list[str]:
    """Return an identifier for each name, in capitals behind the name of a function, and add them to `taken`.

    Every one is legal in C and C++ and differs from all that are taken: of names that would be equal, the second gets
    _2, the third _3.
    """
    found = []
    for words in names:
        stem = "_".join(filter(None, map(ascii_word, (function, *words)))).upper()[:LONGEST].rstrip("_")
        name, n = stem, 1
        while name in taken or name in TAKEN:
            name, n = f"{stem}_{n + 1}", n + 1
        taken.add(name)
        found.append(name)
    return found


def ascii_word(text: str) -> str:
    """Return letters, digits and single underscores for a text: accents are dropped, other characters beyond ASCII
    become their number in hexadecimal, and all else an underscore. A minus before a digit becomes `minus`."""
    text = re.sub(r"(?<![A-Za-z0-9])-(?=\d)", " minus ", text)
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    spelled = "".join(c if c.isascii() else f"_u{ord(c):04x}_" for c in plain)
    return re.sub(r"[^A-Za-z0-9]+", "_", spelled).strip("_")


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

TAKEN = {
    **dict.fromkeys(_KEYWORDS.split(), "a keyword"),
    **{name + suffix: "a name of math.h" for name in _MATH.split() for suffix in ("", "f", "l")},
    **dict.fromkeys(_MACROS.split(), "a name of math.h"),
    **dict.fromkeys(_LIBRARY.split(), "a function of the C library"),
}
"""Names that C, C++, math.h or the library have, with what they are."""


def check_name(name: str, taken: dict[str, str]) -> None:
    """Raise KinetreeError if a name is not legal in C and C++, or is in `taken`, which maps names to their meaning."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name, re.ASCII) or "__" in name:
        message = f"{name!r} is no name in C; expected letters, digits and single underscores, a letter first"
    elif reason := TAKEN.get(name) or taken.get(name):
        message = f"{name!r} is {reason}"
    else:
        return
    raise fail("c-name", message, fix="choose another name")


WIDTH = 119
"""Most characters of a line of generated code."""


def documentation(kernel: "Kernel") -> str:
    """Return the comment of a function in C."""
    lines = described(kernel)
    return comment(lines if kernel.fused else [*lines, _SAME_BITS])


def described(kernel: "Kernel") -> list[str]:
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
    """Return the index and the name of every entry of a vector, from `start`, and of its codes; or of rows, columns."""
    codes = {label: [f"      {i} {word}" for i, word in enumerate(words)] for label, words in port.codes}
    if not port.shape:
        return codes.get(port.name, [])
    if len(port.shape) == 1:
        lines = [[f"  [{i}] {label}", *codes.get(label, [])] for i, label in enumerate(port.labels, start)]
        return [line for entry in lines for line in entry]
    rows = [f"  [{i}, ...] {row}" for i, row in enumerate(port.rows)]
    return rows + [f"  [..., {i}] {label}" for i, label in enumerate(port.labels)]


_SAME_BITS = "Compiled with -ffp-contract=off it gives the same bits as the kernel that was compiled by Kinetree."


def _shape(shape: tuple[int, ...]) -> str:
    if not shape:
        return "1 number"
    return " x ".join(map(str, shape)) + (", row-major" if len(shape) > 1 else " numbers")


def comment(lines: Iterable[str]) -> str:
    """Return a C comment of these lines, whatever they contain; long ones are wrapped."""
    parts = [part for line in lines for part in _wrapped(_harmless(line))]
    return "/*\n" + "".join(f" * {part}".rstrip() + "\n" for part in parts) + " */\n"


def _wrapped(line: str) -> list[str]:
    behind = " " * (len(line) - len(line.lstrip()) + 4)
    return wrap(line, WIDTH - 3, subsequent_indent=behind, break_on_hyphens=False) or [""]


def broken(code: str, width: int = WIDTH) -> list[str]:
    """Return code as lines that are short enough, broken at spaces."""
    if len(code) <= width:
        return [code]
    indent = " " * (len(code) - len(code.lstrip()) + 4)
    return wrap(code, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _harmless(text: str) -> str:
    """Return one line of ASCII that neither ends nor begins a comment and has no trigraphs."""
    text = text.replace("²", "^2").encode("unicode_escape").decode("ascii")  # lone surrogates too
    return re.sub(r"(?<=/)(?=\*)|(?<=\*)(?=/)|(?<=\?)(?=\?)", " ", text)
