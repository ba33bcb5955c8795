"""LLVM assembly for sines and cosines of many numbers at once.

An argument is reduced to r in [-pi/4, pi/4] and a quadrant: up to a limit by subtracting a multiple of pi/2 given in
parts (Cody & Waite, Software Manual for the Elementary Functions, 1980), beyond it with as many digits of 2/pi as
needed (Payne & Hanek, Radian Reduction for Trigonometric Functions, SIGNUM Newsletter 18, 1983). Then polynomials
follow: for doubles those of Sun's fdlibm (k_sin.c, k_cos.c), in single precision those of Moshier's Cephes (sinf.c).
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import ldexp, nan, pi

from kinetree.compiler.ir import Function, Pool
from kinetree.compiler.target import Lanes, Target

SINE = {
    "double": (
        -1.66666666666666324348e-01,
        8.33333333332248946124e-03,
        -1.98412698298579493134e-04,
        2.75573137070700676789e-06,
        -2.50507602534068634195e-08,
        1.58969099521155010221e-10,
    ),
    "float": (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4),
}
"""Coefficients of (sin(r) - r) / r³ in powers of r²."""

COSINE = {
    "double": (
        4.16666666666666019037e-02,
        -1.38888888888741095749e-03,
        2.48015872894767294178e-05,
        -2.75573143513906633035e-07,
        2.08757232129817482790e-09,
        -1.13596475577881948265e-11,
    ),
    "float": (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5),
}
"""Coefficients of (cos(r) - 1 + r²/2) / r⁴ in powers of r²."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """How multiples of pi/2 are subtracted, for arguments up to `limit`: in parts of `digits` binary digits each. With
    a fused multiply-add a part has all digits of a number; without it so few that products are exact."""

    digits: tuple[int, ...]
    limit: float


REDUCTIONS = {
    ("double", True): Reduction((53, 53, 53), 1.1e5),
    ("double", False): Reduction((33, 33, 33, 53), 1.1e5),
    ("float", True): Reduction((24, 24, 24), 1.1e5),
    ("float", False): Reduction((11, 11, 11, 24), 1.2e4),
}

BITS = 1600
"""Binary digits of the constants: the largest double is below 2^1024, and 192 digits of the turn are needed."""


def _inverse_cotangent(n: int) -> int:
    """Return arctan(1/n) times 2^BITS, by its series."""
    total, term, k = 0, (1 << BITS) // n, 0
    while term:
        total += (-1) ** k * (term // (2 * k + 1))
        term, k = term // n**2, k + 1
    return total


@lru_cache(maxsize=1)
def _half_pi() -> int:
    """Return pi/2 times 2^BITS, by Machin's formula."""
    return 8 * _inverse_cotangent(5) - 2 * _inverse_cotangent(239)


def _parts(digits: tuple[int, ...]) -> list[float]:
    """Return numbers of so many binary digits each that add up to pi/2."""
    rest, parts = _half_pi(), []
    for n in digits:
        shift = max(rest.bit_length() - n, 0)
        parts.append(ldexp(rest >> shift, shift - BITS))
        rest -= rest >> shift << shift
    return parts


def sincos(target: Target, pool: Pool) -> str:
    """Return @sincos(args, sines, cosines, count, squares), on arrays of `count` vectors, and @sincos_far.

    squares: the sum of the squares of all arguments, in lanes. It shows at once, also for NaN, whether all are near
    zero; if not, the slower @sincos_far checks each one.
    """
    lanes, reduction = pool.lanes, REDUCTIONS[pool.lanes.scalar, target.fma]
    arguments = "ptr %args, ptr noalias %sines, ptr noalias %cosines, i64 %count"
    f = Function(f"define internal void @sincos({arguments}, {lanes.vector} %squares) #0")
    small = f.let(f"fcmp ole {lanes.vector} %squares, {lanes.splat(reduction.limit**2)}")
    near, far = f.new_label(), f.new_label()
    f.do(f"br i1 {_all(f, lanes, small)}, label %{near}, label %{far}, !prof !0")
    f.begin(near)
    with f.loop(f.let("lshr i64 %count, 1")) as pair:  # two at a time, which hides latency
        even = f.let(f"shl i64 {pair}, 1")
        places = [even, f.let(f"or i64 {even}, 1")]
        for i, (r, quadrant) in [(i, _reduced(f, target, pool, _load(f, lanes, i))) for i in places]:
            _store(f, target, pool, i, r, quadrant)
    last = f.let("sub i64 %count, 1")
    with f.loop(f.let("and i64 %count, 1")):
        _store(f, target, pool, last, *_reduced(f, target, pool, _load(f, lanes, last)))
    f.do("ret void")
    f.begin(far)
    f.do("call void @sincos_far(ptr %args, ptr %sines, ptr %cosines, i64 %count)")
    f.do("ret void")
    g = Function(f"define internal void @sincos_far({arguments}) noinline #0")
    with g.loop("%count") as i:
        x = _load(g, lanes, i)
        _store(g, target, pool, i, *_beyond(g, lanes, x, reduction.limit, *_reduced(g, target, pool, x)))
    g.do("ret void")
    return f"{f.text()}\n{g.text()}"


def _load(f: Function, lanes: Lanes, i: str) -> str:
    return f.let(f"load {lanes.vector}, ptr {f.offset('%args', i, lanes.vector)}")


def _all(f: Function, lanes: Lanes, condition: str) -> str:
    """Return the condition that is true in all lanes."""
    return f.let(f"icmp eq i{lanes.width} {f.let(f'bitcast {lanes.logical} {condition} to i{lanes.width}')}, -1")


def _reduced(f: Function, target: Target, pool: Pool, x: str) -> tuple[str, str]:
    """Return r and quadrant of x near zero; only the two lowest bits of the quadrant count."""
    lanes = pool.lanes
    shifter = pool.number(f, 1.5 * 2.0 ** (lanes.digits - 1))  # adding it leaves an integer in the lowest bits
    turned = _multiply_add(f, target, lanes, x, pool.number(f, 2 / pi), shifter)
    minus_n = f.let(f"fneg {lanes.vector} {f.let(f'fsub {lanes.vector} {turned}, {shifter}')}")
    r = x
    for part in _parts(REDUCTIONS[lanes.scalar, target.fma].digits):
        r = _multiply_add(f, target, lanes, minus_n, pool.number(f, part), r)
    return r, f.let(f"bitcast {lanes.vector} {turned} to {lanes.integers}")


def _store(f: Function, target: Target, pool: Pool, i: str, r: str, quadrant: str) -> None:
    """Store sine and cosine of r at place i, swapped in odd quadrants and with the signs of the quadrant."""
    lanes = pool.lanes
    v, z = lanes.vector, lanes.integers
    square = f.let(f"fmul {v} {r}, {r}")
    sine = _polynomial(f, target, pool, square, SINE[lanes.scalar])
    sine = f.let(f"fmul {v} {sine}, {f.let(f'fmul {v} {square}, {r}')}")
    sine = f.let(f"fadd {v} {r}, {sine}")
    cosine = _polynomial(f, target, pool, square, COSINE[lanes.scalar])
    fourth = f.let(f"fmul {v} {square}, {square}")
    most = _multiply_add(f, target, lanes, pool.number(f, -0.5), square, pool.number(f, 1.0))
    cosine = _multiply_add(f, target, lanes, fourth, cosine, most)
    odd = f.let(f"trunc {z} {quadrant} to {lanes.logical}")
    first = f.let(f"shl {z} {quadrant}, {lanes.splat_integer(8 * lanes.size - 1)}")  # the lowest bit as a sign
    second = f.let(f"shl {z} {quadrant}, {lanes.splat_integer(8 * lanes.size - 2)}")  # the next one, and more
    for name, even, other, flips in (
        ("%sines", sine, cosine, second),  # minus in quadrants 2 and 3
        ("%cosines", cosine, sine, f.let(f"xor {z} {first}, {second}")),  # in 1 and 2
    ):
        value = f.let(f"select {lanes.logical} {odd}, {v} {other}, {v} {even}")
        sign = f.let(f"and {z} {flips}, {lanes.splat_integer(-(1 << (8 * lanes.size - 1)))}")
        flipped = f.let(f"xor {z} {f.let(f'bitcast {v} {value} to {z}')}, {sign}")
        f.do(f"store {v} {f.let(f'bitcast {z} {flipped} to {v}')}, ptr {f.offset(name, i, v)}")


def _multiply_add(f: Function, target: Target, lanes: Lanes, a: str, b: str, c: str) -> str:
    v = lanes.vector
    if target.fma:
        return f.let(f"call {v} @llvm.fma.{lanes.suffix}({v} {a}, {v} {b}, {v} {c})")
    return f.let(f"fadd {v} {f.let(f'fmul {v} {a}, {b}')}, {c}")


def _polynomial(f: Function, target: Target, pool: Pool, x: str, coefficients: tuple[float, ...]) -> str:
    """Return the polynomial by Estrin's scheme, which pairs neighbours and so has less latency than Horner's."""
    lanes, power = pool.lanes, x
    terms = [pool.number(f, c) for c in coefficients]
    while len(terms) > 1:
        pairs = [_multiply_add(f, target, lanes, power, b, a) for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = [*pairs, *terms[2 * len(pairs) :]]
        if len(terms) > 1:
            power = f.let(f"fmul {lanes.vector} {power}, {power}")
    return terms[0]


def _beyond(f: Function, lanes: Lanes, x: str, limit: float, r: str, quadrant: str) -> tuple[str, str]:
    """Return r and quadrant, reduced again in the lanes where x is beyond the limit or NaN."""
    v, z, w = lanes.vector, lanes.integers, lanes.width
    size = f.let(f"call {v} @llvm.fabs.{lanes.suffix}({v} {x})")
    near = f.let(f"fcmp ole {v} {size}, {lanes.splat(limit)}")
    far, done = f.new_label(), f.new_label()
    before = f.label
    f.do(f"br i1 {_all(f, lanes, near)}, label %{done}, label %{far}")
    f.begin(far)
    r_far, quadrant_far = "poison", "poison"
    for lane in range(w):
        value = f.let(f"extractelement {v} {x}, i32 {lane}")
        if lanes.scalar == "float":
            value = f.let(f"fpext float {value} to double")
        both = f.let(f"call {{double, i64}} @reduce(double {value})")
        value, number = (
            f.let(f"extractvalue {{double, i64}} {both}, 0"),
            f.let(f"extractvalue {{double, i64}} {both}, 1"),
        )
        if lanes.scalar == "float":
            value, number = f.let(f"fptrunc double {value} to float"), f.let(f"trunc i64 {number} to i32")
        r_far = f.let(f"insertelement {v} {r_far}, {lanes.scalar} {value}, i32 {lane}")
        quadrant_far = f.let(f"insertelement {z} {quadrant_far}, {lanes.integer} {number}, i32 {lane}")
    r_far = f.let(f"select {lanes.logical} {near}, {v} {r}, {v} {r_far}")
    quadrant_far = f.let(f"select {lanes.logical} {near}, {z} {quadrant}, {z} {quadrant_far}")
    f.do(f"br label %{done}")
    f.begin(done)
    return (
        f.let(f"phi {v} [{r}, %{before}], [{r_far}, %{far}]"),
        f.let(f"phi {z} [{quadrant}, %{before}], [{quadrant_far}, %{far}]"),
    )


WORDS = 21
"""Words of 64 digits in the table of 2/pi; the first is zero, for arguments not far beyond the limits."""


def reduce() -> str:
    """Return @reduce(x): r and quadrant of one double beyond the limits; NaN if it is not finite.

    x = ± m 2^e with an integer m below 2^53. Digits of 2/pi that only add multiples of 4 to the quadrant are skipped,
    and the next 192 are used: more than 60 remain after the largest cancellation of a double (61 digits).
    """
    digits = ((1 << (2 * BITS)) // _half_pi()) >> (BITS - 64 * (WORDS - 1))
    table = ", ".join(f"i64 {digits >> (64 * (WORDS - 1 - k)) & (1 << 64) - 1}" for k in range(WORDS))
    f = Function("define internal {double, i64} @reduce(double %x) noinline #0")
    bits = f.let("bitcast double %x to i64")
    biased = f.let(f"and i64 {f.let(f'lshr i64 {bits}, 52')}, 2047")  # e + 1075
    m = f.let(f"or i64 {f.let(f'and i64 {bits}, {(1 << 52) - 1}')}, {1 << 52}")
    turns = _quadrants(f, biased, m)
    rounded = f.let(f"lshr i128 {f.let(f'add i128 {turns}, {1 << 125}')}, 126")
    quadrant = f.let(f"trunc i128 {rounded} to i64")
    fraction = f.let(f"shl i128 {turns}, 2")  # signed, times 2^128
    r = _angle(f, f.let(f"call i128 @llvm.abs.i128(i128 {fraction}, i1 false)"))
    below = f.let(f"icmp slt i64 {bits}, 0")
    minus = f.let(f"xor i1 {f.let(f'icmp slt i128 {fraction}, 0')}, {below}")
    r = f.let(f"select i1 {minus}, double {f.let(f'fneg double {r}')}, double {r}")
    quadrant = f.let(f"select i1 {below}, i64 {f.let(f'sub i64 0, {quadrant}')}, i64 {quadrant}")
    r = f.let(f"select i1 {f.let(f'icmp eq i64 {biased}, 2047')}, double {_double(nan)}, double {r}")
    both = f.let(f"insertvalue {{double, i64}} poison, double {r}, 0")
    f.do(f"ret {{double, i64}} {f.let(f'insertvalue {{double, i64}} {both}, i64 {quadrant}, 1')}")
    return f"@two_over_pi = internal constant [{WORDS} x i64] [{table}]\n" + f.text()


def _quadrants(f: Function, biased: str, m: str) -> str:
    """Return the number of quadrants in m 2^e, mod 4, times 2^126."""
    bit = f.let(f"sub i64 {biased}, {1075 + 2 - 64}")  # the first digit that counts: at e - 2, after 64 zeros
    bit = f.let(f"call i64 @llvm.smax.i64(i64 {bit}, i64 0)")
    bit = f.let(f"call i64 @llvm.smin.i64(i64 {bit}, i64 {64 * (WORDS - 4)})")  # for what is not finite
    at = f.offset("@two_over_pi", f.let(f"lshr i64 {bit}, 6"), 8)
    shift = f.let(f"and i64 {bit}, 63")
    stored = [f.let(f"load i64, ptr {f.offset(at, 8 * k)}") for k in range(4)]
    window = [f.let(f"call i64 @llvm.fshl.i64(i64 {a}, i64 {b}, i64 {shift})") for a, b in pairwise(stored)]
    long_m = f.let(f"zext i64 {m} to i128")
    high, middle, low = (f.let(f"mul i128 {f.let(f'zext i64 {w} to i128')}, {long_m}") for w in window)
    total = f.let(f"add i128 {f.let(f'shl i128 {high}, 64')}, {middle}")
    return f.let(f"add i128 {total}, {f.let(f'lshr i128 {low}, 64')}")


def _angle(f: Function, fraction: str) -> str:
    """Return the angle of a fraction of a quadrant: (h + l) 2^-zeros pi/2, h with 53 digits and l with the next 11."""
    zeros = f.let(f"call i128 @llvm.ctlz.i128(i128 {fraction}, i1 false)")
    shifted = f.let(f"shl i128 {fraction}, {zeros}")
    top = f.let(f"trunc i128 {f.let(f'lshr i128 {shifted}, 64')} to i64")
    head, tail = f.let(f"lshr i64 {top}, 11"), f.let(f"and i64 {top}, 2047")
    h = f.let(f"fmul double {f.let(f'sitofp i64 {head} to double')}, {_double(2.0**-53)}")
    l = f.let(f"fmul double {f.let(f'sitofp i64 {tail} to double')}, {_double(2.0**-64)}")
    half_pi, rest = map(_double, _parts((53, 53)))
    small = f.let(f"fadd double {f.let(f'fmul double {h}, {rest}')}, {f.let(f'fmul double {l}, {half_pi}')}")
    angle = f.let(f"fadd double {f.let(f'fmul double {h}, {half_pi}')}, {small}")
    exponent = f.let(f"sub i64 1023, {f.let(f'trunc i128 {zeros} to i64')}")
    power = f.let(f"bitcast i64 {f.let(f'shl i64 {exponent}, 52')} to double")
    return f.let(f"fmul double {angle}, {power}")


def _double(value: float) -> str:
    return Lanes("double", 1).literal(value)
