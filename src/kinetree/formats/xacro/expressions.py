"""The Python expressions of xacro files, kept from running forever, filling the memory or reaching out of themselves.

The xacro package hands `${…}` to `eval`. Here the expression's syntax tree is looked through first: names and
attributes that lead into the interpreter are refused, and every operation that can take unbounded time or memory
(powers, repetition, widths of formats, loops, lambdas) is replaced by one that counts. This keeps faulty and most
hostile files harmless; it is no sandbox to run the devil's code in.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from types import CodeType
from typing import Any

from kinetree.errors import fail

MAX_LENGTH = 20_000  # characters of an expression
MAX_BITS = 4096  # of a whole number
MAX_ITEMS = 100_000  # of a list, a dictionary or a range, with all that is inside
MAX_CHARACTERS = 1_000_000  # of a text
MAX_STEPS = 1_000_000  # of all loops of one expansion
MAX_WIDTH = 3  # digits of a width in a format

INTERPRETER = frozenset(
    (
        *("gi_frame", "gi_code", "gi_yieldfrom", "f_back", "f_builtins", "f_code", "f_globals", "f_locals"),
        *("tb_frame", "tb_next", "cr_frame", "cr_code", "ag_frame", "ag_code", "mro", "to_bytes"),
    )
)
"""Attributes that lead out of the expression, or that have no bound."""


class Guard:
    """What the expressions of one expansion call instead of the operations that have no bound."""

    def __init__(self) -> None:
        self.steps = 0
        self.builtins: dict[str, Any] = {
            "__power": _power,
            "__times": _times,
            "__shift": _shift,
            "__modulo": _modulo,
            "__attribute": _attribute,
            "__each": self.each,
            "__step": self.step,
        }

    def step(self) -> None:
        """Count one step."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise fail("xacro-size", f"the expressions take more than {MAX_STEPS} steps")

    def each(self, items: Iterable[Any]) -> Iterator[Any]:
        """The items, counted."""
        for item in items:
            self.step()
            yield item

    def evaluate(self, text: str, names: dict[str, Any], local: Mapping[str, Any] | None = None) -> Any:
        """The value of an expression, where `names` are known; raises whatever the expression raises."""
        code = compile_expression(text.strip())
        dict.__setitem__(names, "__builtins__", self.builtins)
        return weighed(eval(code, names, local))


def weighed(value: Any) -> Any:
    """The value itself; refused if it holds too much, counting what is shared as often as it is seen."""
    left = MAX_ITEMS
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str) and len(item) > MAX_CHARACTERS:
            raise fail("xacro-size", f"a text of more than {MAX_CHARACTERS} characters")
        if isinstance(item, int) and item.bit_length() > MAX_BITS:
            raise fail("xacro-size", f"a number of more than {MAX_BITS} bits")
        if isinstance(item, (list, tuple, set, frozenset, dict)):
            left -= len(item)
            if left < 0:
                raise fail("xacro-size", f"a list or dictionary of more than {MAX_ITEMS} items")
            # the bare types' own iteration: xacro's wrappers make a new object of every item
            stack += dict.values(item) if isinstance(item, dict) else _bare(item)
    return value


def _bare(item: list[Any] | tuple[Any, ...] | set[Any] | frozenset[Any]) -> Iterable[Any]:
    return list.__iter__(item) if isinstance(item, list) else item


@lru_cache(4096)
def compile_expression(text: str) -> CodeType:
    """The code of a guarded expression. Raises SyntaxError, or KinetreeError where it is refused."""
    if len(text) > MAX_LENGTH:
        raise fail("xacro-size", f"an expression of {len(text)} characters; at most {MAX_LENGTH} are evaluated")
    tree = ast.parse(text, "<expression>", "eval")
    for node in ast.walk(tree):
        for name in (getattr(node, field, None) for field in ("id", "attr", "arg")):
            if isinstance(name, str) and (name.startswith("__") or name in INTERPRETER):
                raise fail("xacro-expression", f"{name!r} may not be used in an expression")
    return compile(ast.fix_missing_locations(_Rewrite().visit(tree)), "<expression>", "eval")


class _Rewrite(ast.NodeTransformer):
    """Calls of the guard in place of the operations that have no bound."""

    OPERATIONS: Mapping[type[ast.operator], str] = {
        ast.Pow: "__power",
        ast.Mult: "__times",
        ast.LShift: "__shift",
        ast.Mod: "__modulo",
    }

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = self.OPERATIONS.get(type(node.op))
        return _call(name, node.left, node.right) if name else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return _call("__attribute", node.value, ast.Constant(node.attr))

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = _call("__each", node.iter)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        both = ast.Tuple([_call("__step"), node.body], ast.Load())
        node.body = ast.Subscript(both, ast.Constant(1), ast.Load())
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        if node.format_spec is not None:
            parts = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
            for part in parts:
                _check_format(part.value if isinstance(part, ast.Constant) else "*")
        self.generic_visit(node)
        return node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and b > 0 and a.bit_length() * b > MAX_BITS and abs(a) > 1:
        raise fail("xacro-size", f"{a} ** {b} is a number of more than {MAX_BITS} bits")
    return a**b


def _times(a: Any, b: Any) -> Any:
    for sequence, count in ((a, b), (b, a)):
        if isinstance(count, int) and isinstance(sequence, (str, list, tuple)) and len(sequence) * count > MAX_ITEMS:
            raise fail("xacro-size", f"a repetition that makes more than {MAX_ITEMS} items")
    return weighed(a * b)


def _shift(a: Any, b: Any) -> Any:
    if isinstance(b, int) and b > MAX_BITS:
        raise fail("xacro-size", f"a shift by {b} bits; at most {MAX_BITS}")
    return a << b


def _modulo(a: Any, b: Any) -> Any:
    if isinstance(a, str):
        _check_format(a)
    return a % b


def _check_format(template: object) -> None:
    if not isinstance(template, str) or re.search(rf"\*|\d{{{MAX_WIDTH + 1}}}|\{{[^}}]*\{{|\.__", template):
        raise fail(
            "xacro-expression", f"format {template!r}; a width has at most {MAX_WIDTH} digits and is written out"
        )


def _attribute(value: Any, name: str) -> Any:
    if isinstance(value, str) and name in TEXT_METHODS:
        return partial(TEXT_METHODS[name], value)
    if value is str and name in TEXT_METHODS:
        return TEXT_METHODS[name]
    return getattr(value, name)


def _format(text: str, *values: Any, **named: Any) -> str:
    _check_format(text)
    return text.format(*values, **named)


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    if (text.count(old) if old else len(text) + 1) * len(new) > MAX_CHARACTERS:
        raise fail("xacro-size", f"a text of more than {MAX_CHARACTERS} characters")
    return text.replace(old, new, count)


def _join(separator: str, items: Iterable[str]) -> str:
    texts = list(items)
    if len(separator) * len(texts) + sum(map(len, texts)) > MAX_CHARACTERS:
        raise fail("xacro-size", f"a text of more than {MAX_CHARACTERS} characters")
    return separator.join(texts)


def _padded(method: Callable[..., str]) -> Callable[..., str]:
    def pad(text: str, width: int = 8, *fill: str) -> str:
        if width >= 10**MAX_WIDTH:
            raise fail("xacro-size", f"a text padded to {width} characters")
        return method(text, width, *fill)

    return pad


TEXT_METHODS: dict[str, Callable[..., str]] = {
    "format": _format,
    "format_map": lambda text, values: _format(text, **values),
    "replace": _replace,
    "join": _join,
    **{name: _padded(getattr(str, name)) for name in ("ljust", "rjust", "center", "zfill", "expandtabs")},
}


def bounded(function: Callable[..., Any], most: int = 1000) -> Callable[..., Any]:
    """A function of whole numbers that refuses large ones, for factorials and the like."""

    def call(*numbers: Any) -> Any:
        if any(isinstance(n, int) and abs(n) > most for n in numbers):
            raise fail("xacro-size", f"{function.__name__} of a number above {most}")
        return function(*numbers)

    return call


def bounded_range(*bounds: int) -> range:
    """`range`, of at most MAX_ITEMS items."""
    result = range(*bounds)
    if len(result[: MAX_ITEMS + 1]) > MAX_ITEMS:
        raise fail("xacro-size", f"a range of more than {MAX_ITEMS} items")
    return result


BOUNDED = {name: bounded(getattr(math, name)) for name in ("factorial", "comb", "perm")}
