"""Operators of xacro expressions, which check the size of a result before they compute it."""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from kinetree.errors import fail
from kinetree.formats.xacro.budget import (
    CONTAINERS,
    MAPPINGS,
    MAX_BITS,
    MAX_CHARACTERS,
    MAX_SIZE,
    SEQUENCES,
    SETS,
    Budget,
    size_of,
    too_large,
)

MAX_WIDTH = 3  # digits of a width or a precision in a format
PERCENT = re.compile(rf"%(?:\([^()%]*\))?[-+ #0]*\d{{0,{MAX_WIDTH}}}(?:\.\d{{0,{MAX_WIDTH}}})?[diouxXeEfFgGcrs%]")
SPECIFICATION = re.compile(
    rf"(?:.?[<>=^])?[-+ ]?z?#?0?\d{{0,{MAX_WIDTH}}}[,_]?(?:\.\d{{1,{MAX_WIDTH}}})?[bcdeEfFgGnosxX%]?", re.DOTALL
)
FIELD = re.compile(r"\{\{|\}\}|\{(?P<name>\w*)(?:!(?P<conversion>[rsa]))?(?::(?P<format>[^{}]*))?\}|[{}]")


def _add(budget: Budget, left: Any, right: Any) -> Any:
    if type(left) in SEQUENCES or type(left) is str:
        if type(right) is type(left) is str and len(left) + len(right) > MAX_CHARACTERS:
            raise too_large()
        budget.spend(size_of(left) // 2)
    return left + right


def _multiply(budget: Budget, left: Any, right: Any) -> Any:
    for sequence, count in ((left, right), (right, left)):
        if type(count) in (int, bool) and (type(sequence) in SEQUENCES or type(sequence) is str):
            if size_of(sequence) * count > MAX_SIZE:
                raise too_large()
            budget.spend(max(0, count))
    return left * right


def _power(_budget: Budget, base: Any, exponent: Any) -> Any:
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and exponent > 0 and abs(base) > 1 and base.bit_length() * exponent > 2 * MAX_BITS:
        raise fail("xacro-size", f"{base} ** {exponent} is a number of more than {MAX_BITS} bits")
    return base**exponent


def _shift(_budget: Budget, number: Any, bits: Any) -> Any:
    if isinstance(bits, int) and bits > MAX_BITS:
        raise fail("xacro-size", f"a shift by {bits} bits; at most {MAX_BITS}")
    return number << bits


def _modulo(budget: Budget, left: Any, right: Any) -> Any:
    if type(left) is not str:
        return left % right
    parts = left.count("%")
    if parts != sum(match[0].count("%") for match in PERCENT.finditer(left)):
        raise fail("xacro-expression", f"format {left[:100]!r}; expected %s, %d, %5.2f and the like, widths below 1000")
    room = len(left) + parts * (10**MAX_WIDTH + 20 * size_of(right))
    if room > MAX_CHARACTERS:
        raise too_large()
    budget.spend(room // 100)
    return left % (dict(right) if type(right) in MAPPINGS else right)


def _weighed(operation: Callable[[Any, Any], Any]) -> Callable[[Budget, Any, Any], Any]:
    """Return an operator of numbers, sets and dictionaries that costs the size of both."""

    def combined(budget: Budget, left: Any, right: Any) -> Any:
        budget.spend(size_of(left) + size_of(right))
        return operation(left, right)

    return combined


def _plain(operation: Callable[[Any, Any], Any]) -> Callable[[Budget, Any, Any], Any]:
    return lambda _budget, left, right: operation(left, right)


BINARY: Mapping[str, Callable[[Budget, Any, Any], Any]] = {
    "Add": _add,
    "Sub": _weighed(operator.sub),
    "Mult": _multiply,
    "Div": _plain(operator.truediv),
    "FloorDiv": _plain(operator.floordiv),
    "Mod": _modulo,
    "Pow": _power,
    "LShift": _shift,
    "RShift": _plain(operator.rshift),
    "BitAnd": _weighed(operator.and_),
    "BitOr": _weighed(operator.or_),
    "BitXor": _weighed(operator.xor),
}

UNARY: Mapping[str, Callable[[Any], Any]] = {
    "UAdd": operator.pos,
    "USub": operator.neg,
    "Not": operator.not_,
    "Invert": operator.invert,
}


def _compared(operation: Callable[[Any, Any], Any]) -> Callable[[Budget, Any, Any], Any]:
    def compare(budget: Budget, left: Any, right: Any) -> Any:
        for value in (left, right):
            if type(value) in CONTAINERS or type(value) is str:
                budget.spend(size_of(value))
        return operation(left, right)

    return compare


def contains(budget: Budget, item: Any, items: Any) -> bool:
    """Return whether an item is among others; an iterator is consumed up to it."""
    budget.spend(size_of(item))
    if type(items) in SETS or type(items) in MAPPINGS:
        budget.spend(0 if type(item) is str else len(items) // 20)
        return item in items
    if type(items) is str or type(items) in SEQUENCES:
        budget.spend(size_of(items))
        return item in items
    return any(_compared(operator.eq)(budget, item, other) for other in budget.items(items))


COMPARISONS: Mapping[str, Callable[[Budget, Any, Any], Any]] = {
    "Eq": _compared(operator.eq),
    "NotEq": _compared(operator.ne),
    "Lt": _compared(operator.lt),
    "LtE": _compared(operator.le),
    "Gt": _compared(operator.gt),
    "GtE": _compared(operator.ge),
    "Is": _plain(operator.is_),
    "IsNot": _plain(operator.is_not),
    "In": contains,
    "NotIn": lambda budget, item, items: not contains(budget, item, items),
}


CONVERSIONS: Mapping[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def formatted(budget: Budget, value: Any, specification: str = "", conversion: str = "") -> str:
    """Return a value as text, as `format` does; widths and precisions are below 1000, for numbers and texts only."""
    value = CONVERSIONS[conversion](value) if conversion else value
    if not SPECIFICATION.fullmatch(specification):
        raise fail(
            "xacro-expression", f"format {specification[:100]!r}; expected for example '>8.3f', widths below 1000"
        )
    if specification and type(value) not in (int, float, bool, complex, str):
        raise TypeError(f"unsupported format string passed to {type(value).__name__}")
    text = format(value, specification) if specification else str(value)
    budget.spend(size_of(text))
    return text


def format_fields(budget: Budget, template: str, values: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """Return a template with values in its {fields}, as `str.format` does; a field is a number or a plain name."""
    parts, total, end, following = [], 0, 0, 0
    for match in FIELD.finditer(template):
        text = template[end : match.start()]
        end = match.end()
        if match[0] in ("{{", "}}"):
            text += match[0][0]
        elif match[0] in ("{", "}"):
            raise fail("xacro-expression", f"format {template[:100]!r}; legal fields are {{}}, {{0}}, {{name:.3f}}")
        else:
            name = match["name"] or str(following)
            following += not match["name"]
            value = values[int(name)] if name.isdecimal() else named[name]
            text += formatted(budget, value, match["format"] or "", match["conversion"] or "")
        parts.append(text)
        total += len(text)
        if total > MAX_CHARACTERS:
            raise too_large()
    return "".join(parts) + template[end:]
