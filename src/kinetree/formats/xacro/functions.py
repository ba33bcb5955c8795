"""Functions and methods that xacro expressions can call: two closed tables, of functions and of methods by type. The
names are those that the xacro package documents. To add a function, add a row; its first argument is the budget."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from kinetree.errors import fail
from kinetree.formats.xacro.budget import (
    CONTAINERS,
    MAPPINGS,
    MAX_CHARACTERS,
    MAX_SIZE,
    SETS,
    Budget,
    Function,
    Stream,
    YamlDict,
    YamlList,
    look_up,
    size_of,
    too_large,
    with_dots,
)
from kinetree.formats.xacro.operators import BINARY, MAX_WIDTH, format_fields

MAX_DIGITS = 4300  # of a text that becomes a whole number; Python's own limit, which can be switched off
MAX_FACTORIAL = 1000
COMPARED = 1000  # characters that are compared in a step


def plain(function: Callable[..., Any], name: str = "") -> Function:
    """Return a `Function` that costs one step and need not look into its values."""
    return Function(name or function.__name__, lambda _budget, *values, **named: function(*values, **named))


# types


def _list(budget: Budget, items: Any = ()) -> list[Any]:
    return budget.all_items(items)


def _dict(budget: Budget, items: Any = (), **named: Any) -> dict[Any, Any]:
    if type(items) in MAPPINGS:
        return {**items, **named}
    pairs = [tuple(budget.all_items(pair)) for pair in budget.all_items(items)]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError("dict() takes pairs of a key and a value")
    return {**budget.hashed(dict, pairs), **named}


def _int(_budget: Budget, value: Any = 0, base: int | None = None) -> int:
    if type(value) is str and len(value) > MAX_DIGITS:
        raise fail("xacro-size", f"a number of more than {MAX_DIGITS} digits")
    return int(value) if base is None else int(value, base)


def _kind_of(_budget: Budget, value: Any) -> Function:
    kind: type = {YamlDict: dict, YamlList: list}.get(type(value), type(value))  # type: ignore[call-overload]
    return TYPES.get(kind.__name__) or OTHER_TYPES.setdefault(kind, Function(kind.__name__, _no_constructor, kind))


def _no_constructor(_budget: Budget, *_values: Any) -> NoReturn:
    raise TypeError("values of this type cannot be made in an expression")


def _isinstance(_budget: Budget, value: Any, kinds: Any) -> bool:
    listed = kinds if type(kinds) is tuple else (kinds,)
    if any(type(kind) is not Function or kind.kind is None for kind in listed):
        raise TypeError("isinstance() arg 2 must be a type or a tuple of types")
    return isinstance(value, tuple(kind.kind for kind in listed))


OTHER_TYPES: dict[type, Function] = {}
"""Types of values that no function makes, such as None."""
TYPES: Mapping[str, Function] = {
    function.name: function
    for function in (
        Function("list", _list, list),
        Function("tuple", lambda budget, items=(): tuple(budget.all_items(items)), tuple),
        Function("dict", _dict, dict),
        Function("set", lambda budget, items=(): budget.hashed(set, budget.all_items(items)), set),
        Function("frozenset", lambda budget, items=(): budget.hashed(frozenset, budget.all_items(items)), frozenset),
        Function("str", lambda _budget, value="": str(value), str),
        Function("float", lambda _budget, value=0.0: float(value), float),
        Function("int", _int, int),
        Function("bool", lambda _budget, value=False: bool(value), bool),
        Function("complex", lambda _budget, *parts: complex(*parts), complex),
    )
}


# functions of items


def _map(budget: Budget, function: Any, *iterables: Any) -> Stream:
    streams = [budget.items(items) for items in iterables]
    return Stream(budget.call(function, *values) for values in zip(*streams, strict=False))


def _filter(budget: Budget, function: Any, items: Any) -> Stream:
    return Stream(item for item in budget.items(items) if (item if function is None else budget.call(function, item)))


def _zip(budget: Budget, *iterables: Any, strict: bool = False) -> Stream:
    return Stream(budget.made(values) for values in zip(*map(budget.items, iterables), strict=strict))


def _enumerate(budget: Budget, items: Any, start: int = 0) -> Stream:
    return Stream(budget.made(pair) for pair in enumerate(budget.items(items), start))


def _reversed(budget: Budget, items: Any) -> Stream:
    if type(items) not in (str, range, list, tuple, YamlList, *MAPPINGS):
        raise TypeError(f"{type(items).__name__!r} object is not reversible")
    return Stream(budget.items(Stream(reversed(items))))


def _sorted(budget: Budget, items: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    values = budget.all_items(items)
    budget.spend(size_of(values))
    return sorted(values, key=None if key is None else lambda item: budget.call(key, item), reverse=bool(reverse))


def _extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    def choose(budget: Budget, *values: Any, key: Any = None, **default: Any) -> Any:
        items = budget.all_items(values[0]) if len(values) == 1 else list(values)
        budget.spend(size_of(items))
        ranking = None if key is None else lambda item: budget.call(key, item)
        return function(items, key=ranking, **default)

    return choose


def _sum(budget: Budget, items: Any, start: Any = 0) -> Any:
    values = budget.all_items(items)
    if type(start) is str:
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    if all(type(value) in (int, float, bool) for value in (*values, start)):
        return sum(values, start)
    return _folded("Add")(budget, values, start)


def _folded(operation: str) -> Callable[..., Any]:
    """Return the function that applies an operator between all items."""

    def fold(budget: Budget, items: Any, start: Any) -> Any:
        result = start
        for item in budget.items(items):
            result = budget.made(BINARY[operation](budget, result, item))
        return result

    return fold


def _range(_budget: Budget, *bounds: int) -> range:
    result = range(*bounds)
    if len(result[: MAX_SIZE + 1]) > MAX_SIZE:
        raise fail("xacro-size", f"a range of more than {MAX_SIZE} items")
    return result


def _round(_budget: Budget, number: Any, digits: Any = None) -> Any:
    if isinstance(digits, int) and abs(digits) > MAX_FACTORIAL:
        raise fail("xacro-size", f"round to {digits} digits; at most {MAX_FACTORIAL}")
    return round(number, digits)


def _len(_budget: Budget, value: Any) -> int:
    if type(value) not in CONTAINERS and type(value) not in (str, range):
        raise TypeError(f"object of type {type(value).__name__!r} has no len()")
    return len(value)


FUNCTIONS: Mapping[str, Function] = {
    **TYPES,
    **{
        function.name: function
        for function in (
            Function("map", _map),
            Function("filter", _filter),
            Function("zip", _zip),
            Function("enumerate", _enumerate),
            Function("reversed", _reversed),
            Function("sorted", _sorted),
            Function("min", _extreme(min)),
            Function("max", _extreme(max)),
            Function("sum", _sum),
            Function("all", lambda budget, items: all(budget.items(items))),
            Function("any", lambda budget, items: any(budget.items(items))),
            Function("range", _range),
            Function("round", _round),
            Function("len", _len),
            Function("type", _kind_of),
            Function("isinstance", _isinstance),
            plain(abs),
            plain(divmod),
            plain(ord),
            plain(repr),
        )
    },
}


# mathematics


def _of_items(function: Callable[..., Any]) -> Function:
    """Return a function of the module math whose arguments are iterables."""
    return Function(function.__name__, lambda budget, *values: function(*map(budget.all_items, values)))


def _up_to(function: Callable[..., Any]) -> Function:
    def call(_budget: Budget, *numbers: Any) -> Any:
        if any(isinstance(number, int) and abs(number) > MAX_FACTORIAL for number in numbers):
            raise fail("xacro-size", f"{function.__name__} of a number above {MAX_FACTORIAL}")
        return function(*numbers)

    return Function(function.__name__, call)


def _least_common_multiple(budget: Budget, *numbers: Any) -> Any:
    result = 1
    for number in numbers:
        result = budget.made(math.lcm(result, number))
    return result


PLAIN_MATHEMATICS = (
    *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "degrees"),
    *("erf", "erfc", "exp", "exp2", "expm1", "fabs", "floor", "fma", "fmod", "frexp", "gamma", "gcd", "hypot"),
    *("isclose", "isfinite", "isinf", "isnan", "isqrt", "ldexp", "lgamma", "log", "log10", "log1p", "log2", "modf"),
    *("nextafter", "pow", "radians", "remainder", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "ulp"),
)
MATHEMATICS: Mapping[str, Any] = {
    **{name: plain(vars(math)[name], name) for name in PLAIN_MATHEMATICS if name in vars(math)},
    **{name: vars(math)[name] for name in ("pi", "e", "tau", "inf", "nan")},
    **{name: _up_to(vars(math)[name]) for name in ("factorial", "comb", "perm")},
    **{name: _of_items(vars(math)[name]) for name in ("fsum", "dist")},
    "lcm": Function("lcm", _least_common_multiple),
    "prod": Function("prod", lambda budget, items, *, start=1: _folded("Mult")(budget, items, start)),
}


# methods


def _join(budget: Budget, separator: str, items: Any) -> str:
    texts = budget.all_items(items)
    if len(separator) * len(texts) > MAX_CHARACTERS:
        raise too_large()
    return separator.join(texts)


def _replace(_budget: Budget, text: str, old: str, new: str, count: int = -1) -> str:
    found = text.count(old) if old else len(text) + 1
    if found * len(new) + len(text) > MAX_CHARACTERS:
        raise too_large()
    return text.replace(old, new, count)


def _padded(method: Callable[..., str]) -> Callable[..., str]:
    def pad(_budget: Budget, text: str, width: int, *fill: str) -> str:
        if width >= 10**MAX_WIDTH:
            raise fail("xacro-size", f"a text padded to {width} characters; expected below {10**MAX_WIDTH}")
        return method(text, width, *fill)

    return pad


def _of_text(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of texts, which at worst compares each character of its text with each given character."""

    def call(budget: Budget, text: str, *values: Any, **named: Any) -> Any:
        given = sum(len(value) for value in (*values, *named.values()) if type(value) is str)
        budget.spend(size_of(text) + len(text) * given // COMPARED)
        return method(text, *values, **named)

    return call


def _of_values(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that looks through its own value and its arguments."""

    def call(budget: Budget, value: Any, *others: Any) -> Any:
        budget.spend(size_of(value))
        if type(value) in SETS:
            others = tuple(budget.call(TYPES["set"], other) for other in others)
        return method(value, *others)

    return call


def _get(budget: Budget, table: Any, key: Any, default: Any = None) -> Any:
    try:
        return look_up(budget, table, key)
    except (KeyError, AttributeError):
        return default


def _listing(method: Callable[[Any], Any]) -> Callable[[Budget, Any], list[Any]]:
    """Return keys, values or items as a list."""

    def call(budget: Budget, table: Any) -> list[Any]:
        budget.spend(len(table))
        return list(method(table))

    return call


PLAIN_TEXT = (
    *("capitalize", "casefold", "count", "endswith", "find", "index", "isalnum", "isalpha", "isascii", "isdecimal"),
    *("isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper", "lower"),
    *("lstrip", "partition", "removeprefix", "removesuffix", "rfind", "rindex", "rpartition", "rsplit", "rstrip"),
    *("split", "splitlines", "startswith", "strip", "swapcase", "title", "upper"),
)
OF_SEQUENCES = {name: _of_values(getattr(list, name)) for name in ("count", "index", "copy")}
OF_SETS: tuple[str, ...] = (
    *("union", "intersection", "difference", "symmetric_difference"),
    *("issubset", "issuperset", "isdisjoint", "copy"),
)
METHODS: Mapping[type, Mapping[str, Callable[..., Any]]] = {
    str: {
        **{name: _of_text(getattr(str, name)) for name in PLAIN_TEXT},
        **{name: _padded(getattr(str, name)) for name in ("center", "ljust", "rjust", "zfill")},
        "join": _join,
        "replace": _replace,
        "format": lambda budget, text, *values, **named: format_fields(budget, text, values, named),
        "format_map": lambda budget, text, named: format_fields(budget, text, (), dict(named)),
    },
    list: OF_SEQUENCES,
    YamlList: OF_SEQUENCES,
    tuple: {name: _of_values(getattr(tuple, name)) for name in ("count", "index")},
    **{
        kind: {
            "get": _get,
            "keys": _listing(dict.keys),
            "values": _listing(dict.values),
            "items": _listing(dict.items),
            "copy": _of_values(dict.copy),
        }
        for kind in MAPPINGS
    },
    **{kind: {name: _of_values(getattr(kind, name)) for name in OF_SETS} for kind in (set, frozenset)},
    float: {"is_integer": lambda _budget, number: number.is_integer()},
    int: {"bit_length": lambda _budget, number: number.bit_length()},
}


def method_of(value: Any, name: str) -> Function:
    """Return the method of a value, or of a type such as `str`; raise AttributeError if there is none."""
    kind: Any = value.kind if type(value) is Function else type(value)
    methods = METHODS.get(kind, {})
    if name not in methods:
        legal = f"; expected {', '.join(sorted(methods))}" if methods else ""
        raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r} in an expression{legal}")
    method = methods[name]

    def of_type(budget: Budget, own: Any, *rest: Any) -> Any:
        if type(own) is not kind:
            raise TypeError(f"{kind.__name__}.{name}() takes a {kind.__name__}, not {type(own).__name__}")
        return method(budget, own, *rest)

    if type(value) is Function:
        return Function(f"{kind.__name__}.{name}", of_type)
    return Function(name, lambda budget, *rest, **named: method(budget, value, *rest, **named))


# the package's own


def _tokenize(budget: Budget, text: Any, sep: Any = ",; ", skip_empty: Any = True) -> Iterator[str] | list[str]:
    if type(text) is not str or type(sep) is not str:
        raise TypeError("tokenize() splits a text at the characters of another")
    if not sep or any(character in "[]\\^" for character in sep) or "-" in sep[1:-1]:
        raise fail("xacro-expression", f"tokenize() at {sep!r}; expected separators other than [ ] \\ ^ and ranges")
    budget.spend(size_of(text) + len(sep))
    words = text.translate(dict.fromkeys(map(ord, sep), sep[0])).split(sep[0])
    return [word for word in words if word] if skip_empty else words


def _dotify(_budget: Budget, table: Any = ()) -> YamlDict:
    if type(table) not in MAPPINGS:
        raise TypeError("dotify() takes a dictionary")
    copy: YamlDict = with_dots(table)
    return copy


OF_XACRO: Mapping[str, Function] = {"tokenize": Function("tokenize", _tokenize), "dotify": Function("dotify", _dotify)}
