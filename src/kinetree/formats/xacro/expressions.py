"""Interpreter for the Python expressions of xacro files, which are never run as Python.

An expression is parsed, and its syntax tree is walked here. Only entries of tables are legal: the nodes of `VALUE`, the
operators, functions and methods of `functions.py`. A dot reads an entry of one of our name spaces or
of a YAML mapping, or calls a method listed for the exact type of the value; Python's own attributes are never read.
`Budget` bounds the steps and the size of every value.
"""

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kinetree.errors import fail, nearest_names
from kinetree.formats.xacro.budget import COLLIDING, LEGAL_TYPES, MAPPINGS, NUMBERS, Budget, YamlDict, size_of
from kinetree.formats.xacro.functions import METHODS, OPERATORS, method_of

MAX_LENGTH = 20_000  # characters of an expression
REMEMBERED = 100  # characters of an expression whose syntax tree is kept
MAX_OPERATORS = 2500  # of a chain such as 1 + 2 + …; Python up to 3.12 parses at most 3000, newer versions more
Names = Callable[[str], Any]
"""Function from a name to its value; raises NameError if it has none."""


@dataclass(slots=True, eq=False)
class NameSpace:
    """A name space, such as `math` in `math.pi`. get: returns the value of a known name, or raises KeyError."""

    name: str
    get: Callable[[str], Any]
    known: Collection[str]


def evaluate(text: str, names: Names, budget: Budget) -> Any:
    """Return the value of an expression. Raises KinetreeError if the expression is refused, and otherwise what Python
    raises for the same fault, such as SyntaxError, NameError or ZeroDivisionError."""
    text = text.strip()
    if len(text) > MAX_LENGTH:
        raise fail("xacro-size", f"an expression of {len(text)} characters; at most {MAX_LENGTH} are evaluated")
    remembered = len(text) <= REMEMBERED
    budget.spend_in_all(len(text) // 10 if remembered else len(text))
    outer = budget.begin()
    try:
        value = _Evaluation(names, budget).value(_kept(text) if remembered else parse(text))
        budget.look_through(value)  # it may have grown since it was made
        return value
    finally:
        budget.floor = outer


def parse(text: str) -> ast.expr:
    """Return the syntax tree of an expression; raise SyntaxError, or KinetreeError if a part of it is illegal."""
    try:
        tree = ast.parse(text, "<expression>", "eval").body
    except (MemoryError, RecursionError):
        raise fail("xacro-recursion", "the expression is nested too deep") from None
    for node in ast.walk(tree):
        if illegal := _illegal(node):
            raise fail("xacro-expression", f"{illegal[0]} may not be used in an expression; expected {illegal[1]}")
        if isinstance(node, ast.Constant):
            size_of(node.value)
    return tree


def _illegal(node: ast.AST) -> tuple[str, str] | None:
    """Return descriptions of what is illegal at a node of a syntax tree and of what is legal, or None."""
    for name in (getattr(node, part, None) for part in ("id", "attr", "arg")):
        if isinstance(name, str) and name.startswith("__"):
            return repr(name), "names that do not begin with two underscores"
    kind = type(node)
    if isinstance(node, ast.expr) and kind not in VALUE and kind is not ast.Starred:
        return SHOWN.get(kind, kind.__name__), LEGAL
    if isinstance(node, ast.operator | ast.unaryop) and kind not in OPERATORS:
        return f"the operator {SHOWN[kind]}", LEGAL_OPERATORS
    if isinstance(node, ast.comprehension) and node.is_async:
        return "async", LEGAL
    return None


_kept = lru_cache(2048)(parse)


class _Evaluation:
    """Evaluation of one expression. own: values of the names that comprehensions define."""

    __slots__ = ("budget", "names", "own")

    def __init__(self, names: Names, budget: Budget) -> None:
        self.names, self.budget = names, budget
        self.own: dict[str, Any] = {}

    def value(self, node: ast.expr) -> Any:
        """Return the value of a node."""
        self.budget.left -= 1
        if self.budget.left < self.budget.floor:
            self.budget.spend(0)
        value = VALUE[type(node)](self, node)
        if type(value) is NameSpace:
            raise TypeError(f"{value.name!r} is a name space; write {value.name}.NAME")
        return value

    def base(self, node: ast.expr) -> Any:
        """Return the value before a dot or a bracket, where a name space is legal."""
        return VALUE[type(node)](self, node) if isinstance(node, ast.Name | ast.Attribute) else self.value(node)

    def name(self, node: ast.Name) -> Any:
        return self.own[node.id] if node.id in self.own else _legal(node.id, self.names(node.id))

    def attribute(self, node: ast.Attribute) -> Any:
        base, name = self.base(node.value), node.attr
        if type(base) is NameSpace:
            return _entry(base, name)
        if type(base) is YamlDict and name not in METHODS[dict]:
            return self.budget.item(base, name)
        return method_of(base, name)

    def subscript(self, node: ast.Subscript) -> Any:
        base, key = self.base(node.value), self.value(node.slice)
        if type(base) is NameSpace:
            return _entry(base, key)
        return self.budget.made(base[key]) if type(key) is slice else self.budget.item(base, key)

    def slice(self, node: ast.Slice) -> Any:
        return slice(*(None if end is None else self.value(end) for end in (node.lower, node.upper, node.step)))

    def binary(self, node: ast.BinOp) -> Any:
        spine = [node]
        while isinstance(spine[-1].left, ast.BinOp):  # a + b + c …: as deep as it is long
            spine.append(spine[-1].left)
        if len(spine) > MAX_OPERATORS:
            raise fail("xacro-recursion", "the expression is nested too deep")
        value = self.value(spine[-1].left)
        for part in reversed(spine):
            right = self.value(part.right)
            if type(value) not in NUMBERS or type(right) not in NUMBERS:
                self.budget.spend(size_of(value) + size_of(right))
            value = self.budget.made(OPERATORS[type(part.op)](value, right))
        return value

    def boolean(self, node: ast.BoolOp) -> Any:
        stop = isinstance(node.op, ast.Or)
        for part in node.values:
            value = self.value(part)
            if bool(value) is stop:
                break
        return value

    def comparison(self, node: ast.Compare) -> Any:
        left, result = self.value(node.left), True
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part)
            if not isinstance(op, ast.Is | ast.IsNot):
                hashed = type(right) in MAPPINGS and isinstance(op, ast.In | ast.NotIn)
                self.budget.made(left)
                self.budget.spend(len(right) // COLLIDING if hashed else size_of(right))
            result = OPERATORS[type(op)](left, right)
            if not result:
                break
            left = right
        return result

    def items(self, nodes: list[ast.expr]) -> list[Any]:
        """Return the values of items or arguments, with `*items` unpacked."""
        values: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                values += self.budget.made(self.value(node.value))
            else:
                values.append(self.value(node))
        return values

    def dictionary(self, node: ast.Dict) -> Any:
        pairs: list[tuple[Any, Any]] = []
        for key, value in zip(node.keys, node.values, strict=True):
            pairs += _mapping(self.value(value)).items() if key is None else [(self.value(key), self.value(value))]
        return self.budget.made(self.budget.hashed(dict, pairs))

    def call(self, node: ast.Call) -> Any:
        function, arguments = self.value(node.func), self.items(node.args)
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value)
            named |= _mapping(value) if keyword.arg is None else {keyword.arg: value}
        return self.budget.call(function, *arguments, **named)

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp) -> Any:
        outer, self.own = self.own, dict(self.own)
        found = list(self.loop(node, 0))
        self.own = outer
        return self.budget.made(self.budget.hashed(dict, found) if isinstance(node, ast.DictComp) else found)

    def loop(self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp, at: int) -> Iterator[Any]:
        """Yield the items of a comprehension from its `for` number `at` on, as pairs for a dictionary."""
        part = node.generators[at]
        for item in self.budget.made(self.value(part.iter)):
            self.assign(part.target, item)
            if not all(self.value(condition) for condition in part.ifs):
                continue
            if at + 1 < len(node.generators):
                yield from self.loop(node, at + 1)
            elif isinstance(node, ast.DictComp):
                yield self.value(node.key), self.value(node.value)
            else:
                yield self.value(node.elt)

    def assign(self, target: ast.expr, value: Any) -> None:
        self.budget.spend(1)
        if isinstance(target, ast.Name):
            self.own[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            values = list(self.budget.made(value))
            if len(values) != len(target.elts):
                raise ValueError(f"{len(values)} values for {len(target.elts)} names")
            for part, item in zip(target.elts, values, strict=True):
                self.assign(part, item)
        else:
            raise fail("xacro-expression", f"{ast.unparse(target)} may not be used after `for`; expected names")


def _legal(name: object, value: Any) -> Any:
    """Return the value of a name; raise KinetreeError for one that expressions cannot use, such as XML."""
    if type(value) not in LEGAL_TYPES and type(value) is not NameSpace:
        raise fail("xacro-expression", f"{name!r} is {type(value).__name__}, which is not a value of an expression")
    return value


def _entry(space: NameSpace, name: Any) -> Any:
    try:
        return _legal(name, space.get(name))
    except KeyError:
        hint = nearest_names(name, sorted(space.known))
        raise NameError(f"name '{space.name}.{name}' is not defined; {hint}") from None


def _mapping(value: Any) -> dict[Any, Any]:
    if type(value) not in MAPPINGS:
        raise TypeError(f"{type(value).__name__!r} object is not a mapping")
    return dict(value)


VALUE: Mapping[type[ast.AST], Callable[[_Evaluation, Any], Any]] = {
    ast.Constant: lambda of, node: node.value,
    ast.Name: _Evaluation.name,
    ast.Attribute: _Evaluation.attribute,
    ast.Subscript: _Evaluation.subscript,
    ast.Slice: _Evaluation.slice,
    ast.BinOp: _Evaluation.binary,
    ast.UnaryOp: lambda of, node: OPERATORS[type(node.op)](of.value(node.operand)),
    ast.BoolOp: _Evaluation.boolean,
    ast.Compare: _Evaluation.comparison,
    ast.IfExp: lambda of, node: of.value(node.body if of.value(node.test) else node.orelse),
    ast.Call: _Evaluation.call,
    ast.List: lambda of, node: of.budget.made(of.items(node.elts)),
    ast.Tuple: lambda of, node: of.budget.made(tuple(of.items(node.elts))),
    ast.Dict: _Evaluation.dictionary,
    ast.ListComp: _Evaluation.comprehension,
    ast.GeneratorExp: _Evaluation.comprehension,
    ast.DictComp: _Evaluation.comprehension,
}
"""Legal nodes, with the function that evaluates each. A generator makes a list."""
LEGAL = (
    "numbers, texts, names, lists, tuples, dictionaries, operators, comparisons, conditions (a if b else c), calls, "
    "indices, slices and comprehensions of lists and dictionaries"
)
LEGAL_OPERATORS = "+ - * / // % ** and or not"
SHOWN: Mapping[type, str] = {
    ast.Lambda: "a lambda",
    ast.JoinedStr: "an f-string",
    ast.Set: "a set in braces",
    ast.SetComp: "a set in braces",
    ast.NamedExpr: "an assignment (:=)",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Invert: "~",
    ast.MatMult: "@",
}
"""Illegal nodes and operators in plain words."""
