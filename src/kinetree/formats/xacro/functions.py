"""Functions, methods and operators of xacro expressions: closed tables. To add a function, add a row; one that calls
others or pays for its work gets the budget first."""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from functools import partial
from string import Formatter
from typing import Any

from kinetree.errors import fail
from kinetree.formats.xacro.budget import (
    LEGAL_TYPES,
    MAPPINGS,
    MAX_BITS,
    MAX_CHARACTERS,
    MAX_SIZE,
    NUMBERS,
    SEQUENCES,
    SETS,
    Budget,
    Function,
    YamlDict,
    YamlList,
    size_of,
    too_large,
    with_dots,
)
from kinetree.syntax.plain_words import kind_of

MAX_DIGITS = 4300  # of a text that becomes a whole number; Python's own limit, which can be switched off
MAX_PLACES = 1000  # of `round`
COMPARED = 1000  # characters that are compared in a step
PERCENT = re.compile(r"%(?:\([^()%]*\))?[-+ #0]*\d{0,3}(?:\.\d{0,3})?[diouxXeEfFgGcrs%]")
SPECIFICATION = re.compile(r"(?:.?[<>=^])?[-+ ]?z?#?0?\d{0,3}[,_]?(?:\.\d{1,3})?[bcdeEfFgGnosxX%]?", re.DOTALL)
CONVERSIONS: Mapping[str | None, Callable[[Any], Any]] = {None: lambda value: value, "r": repr, "s": str, "a": ascii}


def _functions(*functions: Callable[..., Any], **named: Callable[..., Any]) -> dict[str, Function]:
    named |= {function.__name__: function for function in functions}
    return {name: Function(name, function) for name, function in named.items()}


def _paying(**named: Callable[..., Any]) -> dict[str, Function]:
    return {name: Function(name, function, pays=True) for name, function in named.items()}


# operators


def _multiply(left: Any, right: Any) -> Any:
    for items, count in ((left, right), (right, left)):
        if isinstance(count, int) and type(items) not in NUMBERS and size_of(items) * count > MAX_SIZE:
            raise too_large()
    return left * right


def _modulo(left: Any, right: Any) -> Any:
    if type(left) is str:
        parts = left.count("%")
        if parts != sum(match[0].count("%") for match in PERCENT.finditer(left)):
            expected = "expected %s, %d, %5.2f and the like, widths below 1000"
            raise fail("xacro-expression", f"format {left[:100]!r}; {expected}")
        if len(left) + parts * (1000 + 20 * size_of(right)) > MAX_CHARACTERS:
            raise too_large()
    return left % right


def _power(base: Any, exponent: Any) -> Any:
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and exponent > 0 and abs(base) > 1 and base.bit_length() * exponent > 2 * MAX_BITS:
        raise fail("xacro-size", f"{base} ** {exponent} is a number of more than {MAX_BITS} bits")
    return base**exponent


OPERATORS: Mapping[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _multiply,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _modulo,
    ast.Pow: _power,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}


# functions


def _dict(budget: Budget, items: Any = (), /, **named: Any) -> dict[Any, Any]:
    return {**(items if type(items) in MAPPINGS else budget.hashed(dict, map(tuple, items))), **named}


def _int(value: Any = 0, *base: int) -> int:
    if type(value) is str and len(value) > MAX_DIGITS:
        raise fail("xacro-size", f"a number of more than {MAX_DIGITS} digits")
    return int(value, *base)


CONSTRUCTORS: Mapping[type, Callable[..., Any]] = {
    **{kind: kind for kind in (list, tuple, str, float, bool, complex)},
    int: _int,
    dict: _dict,
    set: lambda budget, items=(): budget.hashed(set, items),
    frozenset: lambda budget, items=(): budget.hashed(frozenset, items),
}
TYPES = {
    kind: Function(kind.__name__, CONSTRUCTORS.get(kind, kind), kind in SETS or kind is dict, kind)
    for kind in LEGAL_TYPES - {Function}
}
TYPES |= {YamlDict: TYPES[dict], YamlList: TYPES[list]}


def _type(value: Any) -> Function:
    if type(value) not in TYPES:
        raise TypeError("type() takes a value, not a function")
    return TYPES[type(value)]


def _isinstance(value: Any, kinds: Any) -> bool:
    listed = kinds if type(kinds) is tuple else (kinds,)
    if any(type(kind) is not Function or kind.kind is None for kind in listed):
        raise TypeError("isinstance() arg 2 must be a type or a tuple of types")
    return isinstance(value, tuple(kind.kind for kind in listed))


def _map(budget: Budget, function: Any, items: Any, *others: Any) -> list[Any]:
    return [budget.call(function, *values) for values in zip(items, *others, strict=False)]


def _filter(budget: Budget, function: Any, items: Any) -> list[Any]:
    return [item for item in items if (item if function is None else budget.call(function, item))]


def _with_key(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose argument `key` is a function."""

    def call(budget: Budget, *values: Any, key: Any = None, **named: Any) -> Any:
        return function(*values, key=None if key is None else partial(budget.call, key), **named)

    return call


def _sum(budget: Budget, items: Any, start: Any = 0) -> Any:
    if type(start) is str:
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    if {type(start), *map(type, items)} <= NUMBERS:
        return sum(items, start)
    for item in items:
        start = budget.made(start + item)
    return start


def _round(number: Any, digits: Any = None) -> Any:
    if isinstance(digits, int) and abs(digits) > MAX_PLACES:
        raise fail("xacro-size", f"round to {digits} digits; at most {MAX_PLACES}")
    return round(number, digits)


FUNCTIONS: Mapping[str, Function] = {
    **{kind.__name__: TYPES[kind] for kind in CONSTRUCTORS},
    **_functions(abs, all, any, divmod, len, ord, repr, range, round=_round, type=_type, isinstance=_isinstance),
    **_functions(
        zip=lambda *items, strict=False: list(zip(*items, strict=strict)),
        enumerate=lambda items, start=0: list(enumerate(items, start)),
        reversed=lambda items: list(reversed(items)),
    ),
    **_paying(map=_map, filter=_filter, sum=_sum),
    **_paying(sorted=_with_key(sorted), min=_with_key(min), max=_with_key(max)),
}


def _bounded(function: Callable[..., Any], largest: int = 2**MAX_BITS) -> Callable[..., Any]:
    """Return a function of numbers, or of a list of them, that refuses those whose result would be too large."""

    def call(*values: Any, **named: Any) -> Any:
        numbers = [n for value in values for n in (value if type(value) in SEQUENCES else [value])]
        whole = [number for number in numbers if type(number) is int]
        if not {*map(type, (*numbers, *named.values()))} <= NUMBERS:
            raise TypeError(f"{function.__name__}() takes numbers")
        if max(whole, default=0) > largest or sum(map(int.bit_length, whole)) > 2 * MAX_BITS:
            raise fail("xacro-size", f"{function.__name__}() of too large numbers")
        return function(*values, **named)

    return call


PLAIN_MATHEMATICS = (
    *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "degrees"),
    *("dist", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "floor", "fma", "fmod", "frexp", "fsum", "gamma", "gcd"),
    *("hypot", "isclose", "isfinite", "isinf", "isnan", "isqrt", "ldexp", "lgamma", "log", "log10", "log1p", "log2"),
    *("modf", "nextafter", "pow", "radians", "remainder", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "ulp"),
)
MATHEMATICS: Mapping[str, Any] = {
    **_functions(**{name: vars(math)[name] for name in PLAIN_MATHEMATICS if name in vars(math)}),
    **_functions(**{name: _bounded(vars(math)[name], 1000) for name in ("comb", "factorial", "perm")}),
    **_functions(lcm=_bounded(math.lcm), prod=_bounded(math.prod)),
    **{name: vars(math)[name] for name in ("pi", "e", "tau", "inf", "nan")},
}


# methods


def _of_text(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of texts, which at worst compares each character of its text with each given character."""

    def call(budget: Budget, text: Any, *values: Any, **named: Any) -> Any:
        given = sum(len(value) for value in (*values, *named.values()) if type(value) is str)
        budget.spend(len(text) * given // COMPARED)
        if any(isinstance(value, int) and value > MAX_CHARACTERS for value in values):
            raise too_large()
        return method(text, *values, **named)

    return call


def _join(separator: str, items: Any) -> str:
    texts = list(items)
    if len(separator) * len(texts) > MAX_CHARACTERS:
        raise too_large()
    return separator.join(texts)


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    found = text.count(old) if old else len(text) + 1
    if found * len(new) + len(text) > MAX_CHARACTERS:
        raise too_large()
    return text.replace(old, new, count)


def _format(budget: Budget, template: str, /, *values: Any, **named: Any) -> str:
    parts, following = [], 0
    for text, name, specification, conversion in Formatter().parse(template):
        parts.append(text)
        if name is None:
            continue
        if not re.fullmatch(r"\w*", name) or not SPECIFICATION.fullmatch(specification or ""):
            expected = "expected fields such as {}, {0}, {name} and {:>8.3f}, widths below 1000"
            raise fail("xacro-expression", f"format {template[:100]!r}; {expected}")
        key = name or str(following)
        following += not name
        value = budget.made(CONVERSIONS[conversion](values[int(key)] if key.isdecimal() else named[key]))
        if specification and type(value) is not str and type(value) not in NUMBERS:
            raise TypeError(f"unsupported format string passed to {type(value).__name__}")
        parts.append(budget.made(format(value, specification) if specification else str(value)))
    return "".join(parts)


def _update(budget: Budget, table: dict[Any, Any], items: Any = (), /, **named: Any) -> None:
    table.update(_dict(budget, items, **named))


OF_TEXTS = (
    *("capitalize", "casefold", "center", "count", "endswith", "find", "index", "isalnum", "isalpha", "isascii"),
    *("isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper"),
    *("ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "rfind", "rindex", "rjust"),
    *("rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper"),
    *("zfill",),
)
OF_LISTS = ("append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse")
OF_DICTS = ("clear", "copy", "get", "pop", "popitem", "setdefault")
METHODS: dict[type, Mapping[str, Function]] = {
    str: _paying(
        **{name: _of_text(getattr(str, name)) for name in OF_TEXTS},
        join=_of_text(_join),
        replace=_of_text(_replace),
        format=_format,
    ),
    list: {**_functions(**{name: getattr(list, name) for name in OF_LISTS}), **_paying(sort=_with_key(list.sort))},
    tuple: _functions(tuple.count, tuple.index),
    dict: {
        **_functions(**{name: getattr(dict, name) for name in OF_DICTS}),
        **_functions(keys=list, values=lambda table: list(table.values()), items=lambda table: list(table.items())),
        **_paying(update=_update),
    },
    float: _functions(float.is_integer),
    int: _functions(int.bit_length),
}
METHODS |= {YamlDict: METHODS[dict], YamlList: METHODS[list]}


def method_of(value: Any, name: str) -> Function:
    """Return the method of a value, or of `str`; raise AttributeError if there is none."""
    if type(value) is Function and value.kind is str and name in METHODS[str]:
        return METHODS[str][name]
    methods = METHODS.get(type(value), {})
    if name not in methods:
        legal = f"; expected {', '.join(sorted(methods))}" if methods else ""
        raise AttributeError(f"{kind_of(value)} has no {name!r} in an expression{legal}")
    return Function(name, methods[name].call, methods[name].pays, own=(value,))


# the package's own


def _tokenize(text: Any, sep: Any = ",; ", skip_empty: Any = True) -> list[str]:
    if type(text) is not str or type(sep) is not str:
        raise TypeError("tokenize() splits a text at the characters of another")
    if not sep or any(character in "[]\\^" for character in sep) or "-" in sep[1:-1]:
        raise fail("xacro-expression", f"tokenize() at {sep!r}; expected separators other than [ ] \\ ^ and ranges")
    words = text.translate(dict.fromkeys(map(ord, sep), sep[0])).split(sep[0])
    return [word for word in words if word] if skip_empty else words


def _dotify(table: Any = ()) -> YamlDict:
    if type(table) not in MAPPINGS:
        raise TypeError("dotify() takes a dictionary")
    copy: YamlDict = with_dots(table)
    return copy


OF_XACRO = _functions(tokenize=_tokenize, dotify=_dotify)
