"""Interpreter for the Python expressions of xacro files, which are never run as Python.

An expression is parsed, and its syntax tree is walked here. Only entries of tables are legal: the nodes of `VALUE`, the
operators of `operators.py`, the functions and methods of `functions.py`. A dot reads an entry of one of our name spaces
or of a YAML mapping, or calls a method listed for the exact type of the value; Python's own attributes are never read.
`Budget` bounds the steps and the size of every value.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import Parameter, Signature
from typing import Any

from kinetree.errors import fail
from kinetree.formats.xacro.budget import (
    LEGAL_TYPES,
    MAPPINGS,
    REMEMBERED,
    Budget,
    Function,
    Stream,
    YamlDict,
    look_up,
    size_of,
)
from kinetree.formats.xacro.functions import method_of
from kinetree.formats.xacro.operators import BINARY, COMPARISONS, UNARY, formatted

MAX_LENGTH = 20_000  # characters of an expression
MAX_OPERATORS = 2500  # of a chain such as 1 + 2 + …; Python up to 3.12 parses at most 3000, newer versions more
CONSTANTS = frozenset((type(None), bool, int, float, complex, str))
OF_DICT = frozenset(dir(dict))
Names = Callable[[str], Any]
"""Function from a name to its value; raises NameError if it has none."""


class NameSpace:
    """A name space, such as `math` in `math.pi`. get: returns the value of a name in it; raises KeyError."""

    __slots__ = ("get", "name")

    def __init__(self, name: str, get: Callable[[str], Any]) -> None:
        self.name = name
        self.get = get


def evaluate(text: str, names: Names, budget: Budget) -> Any:
    """Return the value of an expression. Raises KinetreeError if the expression is refused, and otherwise what Python
    raises for the same fault, such as SyntaxError, NameError or ZeroDivisionError."""
    text = text.strip()
    if len(text) > MAX_LENGTH:
        raise fail("xacro-size", f"an expression of {len(text)} characters; at most {MAX_LENGTH} are evaluated")
    budget.charge_text(text)
    with budget.expression():
        tree = _kept(text) if len(text) <= REMEMBERED else parse(text)
        return value_of(tree, Scope(names, budget))


def parse(text: str) -> ast.expr:
    """Return the syntax tree of an expression; raise SyntaxError, or KinetreeError if a part of it is illegal."""
    try:
        tree = ast.parse(text, "<expression>", "eval").body
    except (MemoryError, RecursionError):
        raise fail("xacro-recursion", "the expression is nested too deep") from None
    for node in ast.walk(tree):
        if illegal := _illegal(node):
            raise fail("xacro-expression", f"{illegal} may not be used in an expression")
        if isinstance(node, ast.Constant):
            size_of(node.value)
    return tree


def _illegal(node: ast.AST) -> str | None:
    """Return a description of what is illegal at a node of a syntax tree, or None."""
    for name in (getattr(node, part, None) for part in ("id", "attr", "arg")):
        if isinstance(name, str) and name.startswith("__"):
            return repr(name)
    if isinstance(node, ast.expr) and type(node) not in VALUE and type(node) is not ast.Starred:
        return PLAIN_NAMES.get(type(node), type(node).__name__)
    if isinstance(node, ast.operator) and type(node).__name__ not in BINARY:
        return f"the operator {type(node).__name__}"
    if isinstance(node, ast.comprehension) and node.is_async:
        return "async"
    if isinstance(node, ast.Constant) and type(node.value) not in CONSTANTS:
        return str(node.value)[:60]
    return None


_kept = lru_cache(2048)(parse)


@dataclass(slots=True)
class Scope:
    """Names visible in one part of an expression: its own, then those around it, then those of the file."""

    names: Names
    budget: Budget
    own: dict[str, Any] = field(default_factory=dict)
    outer: "Scope | None" = None

    def __getitem__(self, name: str) -> Any:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.own:
                return scope.own[name]
            scope = scope.outer
        return _legal(name, self.names(name))

    def inner(self, own: dict[str, Any]) -> "Scope":
        """Return a scope inside this one."""
        return Scope(self.names, self.budget, own, self)


def _legal(name: object, value: Any) -> Any:
    """Return the value of a name; raise KinetreeError for one that expressions cannot use, such as XML."""
    if type(value) not in LEGAL_TYPES and type(value) is not NameSpace:
        raise fail("xacro-expression", f"{name!r} is {type(value).__name__}, which is not a value of an expression")
    return value


def value_of(node: ast.expr, scope: Scope) -> Any:
    """Return the value of a node."""
    scope.budget.spend(1)
    value = VALUE[type(node)](node, scope)
    if type(value) is NameSpace:
        raise TypeError(f"{value.name!r} is a name space; write {value.name}.NAME")
    return value


def _name(node: ast.Name, scope: Scope) -> Any:
    return scope[node.id]


def _base(node: ast.expr, scope: Scope) -> Any:
    """Return the value before a dot or a bracket, where a name space is legal."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        return VALUE[type(node)](node, scope)
    return value_of(node, scope)


def _attribute(node: ast.Attribute, scope: Scope) -> Any:
    base, name = _base(node.value, scope), node.attr
    if type(base) is NameSpace:
        return _entry(base, name)
    if type(base) is YamlDict and name not in OF_DICT:
        return look_up(scope.budget, base, name)
    return method_of(base, name)


def _entry(space: NameSpace, name: str) -> Any:
    try:
        return _legal(name, space.get(name))
    except KeyError:
        raise NameError(f"name '{space.name}.{name}' is not defined") from None


def _subscript(node: ast.Subscript, scope: Scope) -> Any:
    base = _base(node.value, scope)
    if isinstance(node.slice, ast.Slice):
        bounds = (node.slice.lower, node.slice.upper, node.slice.step)
        part = slice(*(None if bound is None else value_of(bound, scope) for bound in bounds))
        return scope.budget.made(base[part])
    key = value_of(node.slice, scope)
    if type(base) is NameSpace:
        return _entry(base, key)
    if type(base) in MAPPINGS:
        return look_up(scope.budget, base, key)
    if type(base) is Function or type(base) is Stream:
        raise TypeError(f"{base!r} is not subscriptable")
    return base[key]


def _slice(_node: ast.Slice, _scope: Scope) -> Any:
    raise TypeError("a slice stands alone in its brackets")


def _binary(node: ast.BinOp, scope: Scope) -> Any:
    spine = [node]
    while isinstance(spine[-1].left, ast.BinOp):  # a + b + c …: as deep as it is long
        spine.append(spine[-1].left)
    if len(spine) > MAX_OPERATORS:
        raise fail("xacro-recursion", "the expression is nested too deep")
    value = value_of(spine[-1].left, scope)
    for part in reversed(spine):
        right = value_of(part.right, scope)
        value = scope.budget.made(BINARY[type(part.op).__name__](scope.budget, value, right))
    return value


def _unary(node: ast.UnaryOp, scope: Scope) -> Any:
    return UNARY[type(node.op).__name__](value_of(node.operand, scope))


def _boolean(node: ast.BoolOp, scope: Scope) -> Any:
    stop = isinstance(node.op, ast.Or)
    for part in node.values:
        value = value_of(part, scope)
        if bool(value) is stop:
            break
    return value


def _compare(node: ast.Compare, scope: Scope) -> Any:
    left, result = value_of(node.left, scope), True
    for comparison, part in zip(node.ops, node.comparators, strict=True):
        right = value_of(part, scope)
        result = COMPARISONS[type(comparison).__name__](scope.budget, left, right)
        if not result:
            break
        left = right
    return result


def _items(nodes: list[ast.expr], scope: Scope) -> list[Any]:
    """Return the values of items or arguments, with `*items` unpacked."""
    values: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            values += scope.budget.all_items(value_of(node.value, scope))
        else:
            values.append(value_of(node, scope))
    return values


def _dictionary(node: ast.Dict, scope: Scope) -> Any:
    result: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            result |= _mapping(value_of(value, scope))
        else:
            result[value_of(key, scope)] = value_of(value, scope)
    return scope.budget.made(result)


def _mapping(value: Any) -> dict[Any, Any]:
    if type(value) not in MAPPINGS:
        raise TypeError(f"{type(value).__name__!r} object is not a mapping")
    return dict(value)


def _call(node: ast.Call, scope: Scope) -> Any:
    function = value_of(node.func, scope)
    arguments = _items(node.args, scope)
    named: dict[str, Any] = {}
    for keyword in node.keywords:
        value = value_of(keyword.value, scope)
        named |= _mapping(value) if keyword.arg is None else {keyword.arg: value}
    return scope.budget.call(function, *arguments, **named)


def _lambda(node: ast.Lambda, scope: Scope) -> Function:
    parts = node.args
    defaults = [None] * (len(parts.posonlyargs) + len(parts.args) - len(parts.defaults)) + parts.defaults
    kinds = [
        *((argument, Parameter.POSITIONAL_ONLY) for argument in parts.posonlyargs),
        *((argument, Parameter.POSITIONAL_OR_KEYWORD) for argument in parts.args),
        *((argument, Parameter.VAR_POSITIONAL) for argument in [parts.vararg] if argument),
        *((argument, Parameter.KEYWORD_ONLY) for argument in parts.kwonlyargs),
        *((argument, Parameter.VAR_KEYWORD) for argument in [parts.kwarg] if argument),
    ]
    given = iter([*defaults, *([None] if parts.vararg else []), *parts.kw_defaults, None])
    signature = Signature(
        [
            Parameter(argument.arg, kind, default=Parameter.empty if default is None else value_of(default, scope))
            for (argument, kind), default in zip(kinds, given, strict=False)
        ]
    )

    scope.budget.spend(10 * len(kinds))

    def call(_budget: Budget, *arguments: Any, **named: Any) -> Any:
        scope.budget.spend(10 * len(kinds))
        bound = signature.bind(*arguments, **named)
        bound.apply_defaults()
        return value_of(node.body, scope.inner(dict(bound.arguments)))

    return Function("<lambda>", call)


def _comprehended(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: Scope) -> Iterator[Any]:
    """Return the items of a comprehension, as pairs for a dictionary. The first iterable belongs to the outer scope."""
    first = scope.budget.items(value_of(node.generators[0].iter, scope))
    inner = scope.inner({})

    def loop(at: int, items: Iterator[Any]) -> Iterator[Any]:
        for item in items:
            _assign(node.generators[at].target, item, inner)
            if not all(value_of(condition, inner) for condition in node.generators[at].ifs):
                continue
            if at + 1 < len(node.generators):
                yield from loop(at + 1, inner.budget.items(value_of(node.generators[at + 1].iter, inner)))
            elif isinstance(node, ast.DictComp):
                yield value_of(node.key, inner), value_of(node.value, inner)
            else:
                yield value_of(node.elt, inner)

    return loop(0, first)


def _assign(target: ast.expr, value: Any, scope: Scope) -> None:
    if isinstance(target, ast.Name):
        scope.own[target.id] = value
        return
    assert isinstance(target, (ast.Tuple, ast.List))
    values = scope.budget.all_items(value)
    if any(isinstance(part, ast.Starred) for part in target.elts):
        raise fail("xacro-expression", "*names may not be used in `for`")
    if len(values) != len(target.elts):
        raise ValueError(f"{len(values)} values for {len(target.elts)} names")
    for part, item in zip(target.elts, values, strict=True):
        _assign(part, item, scope)


def _collected(kind: type) -> Callable[[Any, Scope], Any]:
    """Return the function that makes a container from a comprehension."""

    def collect(node: Any, scope: Scope) -> Any:
        items = scope.budget.all_items(Stream(_comprehended(node, scope)))
        return items if kind is list else scope.budget.made(scope.budget.hashed(kind, items))

    return collect


def _text(node: ast.JoinedStr, scope: Scope) -> str:
    text: str = scope.budget.made("".join([value_of(part, scope) for part in node.values]))
    return text


def _field(node: ast.FormattedValue, scope: Scope) -> str:
    specification = "" if node.format_spec is None else value_of(node.format_spec, scope)
    conversion = chr(node.conversion) if node.conversion > 0 else ""
    return formatted(scope.budget, value_of(node.value, scope), specification, conversion)


VALUE: Mapping[type[ast.expr], Callable[[Any, Scope], Any]] = {
    ast.Constant: lambda node, scope: node.value,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: lambda node, scope: value_of(node.body if value_of(node.test, scope) else node.orelse, scope),
    ast.Call: _call,
    ast.Lambda: _lambda,
    ast.List: lambda node, scope: scope.budget.made(_items(node.elts, scope)),
    ast.Tuple: lambda node, scope: scope.budget.made(tuple(_items(node.elts, scope))),
    ast.Set: lambda node, scope: scope.budget.made(scope.budget.hashed(set, _items(node.elts, scope))),
    ast.Dict: _dictionary,
    ast.ListComp: _collected(list),
    ast.SetComp: _collected(set),
    ast.DictComp: _collected(dict),
    ast.GeneratorExp: lambda node, scope: Stream(_comprehended(node, scope)),
    ast.JoinedStr: _text,
    ast.FormattedValue: _field,
}
"""Legal nodes, with the function that evaluates each."""

PLAIN_NAMES: Mapping[type[ast.expr], str] = {
    ast.NamedExpr: "an assignment (:=)",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
}
