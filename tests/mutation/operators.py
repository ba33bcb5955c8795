"""The faults: what each kind of syntax may become. To add a kind, write a function and add its row to `OPERATORS`."""

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

Placed = ast.expr | ast.stmt | ast.keyword


class Change(NamedTuple):
    """The bytes `start` to `end` of a file become `new`."""

    start: int
    end: int
    new: str
    kind: str


class Text:
    """The bytes of a file, and where the parts of its syntax tree stand in them."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.starts = [0]
        for line in data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: Placed) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: Placed) -> str:
        start, end = self.span(node)
        return self.data[start:end].decode()

    def whole(self, node: Placed, new: str, kind: str) -> Change:
        return Change(*self.span(node), new, kind)

    def between(self, left: Placed, right: Placed, old: str, new: str) -> Iterator[Change]:
        """The operator between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        words = r"\s+".join(re.escape(word) for word in old.split())
        found = re.search(words, self.data[start:end].decode())
        if found:
            yield Change(start + found.start(), start + found.end(), new, f"{old} → {new}")


Changes = Iterator[Change]

COMPARISONS = {
    ast.Lt: ("<", "<=", ">="),
    ast.LtE: ("<=", "<", ">"),
    ast.Gt: (">", ">=", "<="),
    ast.GtE: (">=", ">", "<"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
ARITHMETIC = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.MatMult: ("@", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
PAIRS = (
    ("min", "max"),
    ("any", "all"),
    ("minimum", "maximum"),
    ("floor", "ceil"),
    ("argmin", "argmax"),
    ("startswith", "endswith"),
    ("removeprefix", "removesuffix"),
    ("partition", "rpartition"),
    ("sin", "cos"),
    ("union", "intersection"),
    ("lower", "upper"),
)
OTHER_NAME = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}
UNKEYED = {"help", "metavar", "epilog", "stacklevel", "strict", "encoding", "doc", "message", "title", "description"}
"""Keyword arguments that are words for people, or that change nothing where the tests run."""


def compare(node: ast.Compare, text: Text) -> Changes:
    operands = [node.left, *node.comparators]
    for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
        old, *others = COMPARISONS[type(operator)]
        for new in others:
            yield from text.between(left, right, old, new)


def arithmetic(node: ast.BinOp, text: Text) -> Changes:
    if any(is_text(side) for side in (node.left, node.right)):
        return
    yield from text.between(node.left, node.right, *ARITHMETIC[type(node.op)])


def augmented(node: ast.AugAssign, text: Text) -> Changes:
    if not is_text(node.value):
        old, new = ARITHMETIC[type(node.op)]
        yield from text.between(node.target, node.value, f"{old}=", f"{new}=")
    yield text.whole(node, "pass", "statement removed")


def logic(node: ast.BoolOp, text: Text) -> Changes:
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        yield from text.between(left, right, old, new)


def sign(node: ast.UnaryOp, text: Text) -> Changes:
    if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        simple = isinstance(node.operand, ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.Constant)
        operand = text.of(node.operand)
        yield text.whole(node, operand if simple else f"({operand})", f"{type(node.op).__name__} removed")


def constant(node: ast.Constant, text: Text) -> Changes:
    value = node.value
    if isinstance(value, bool):
        yield text.whole(node, str(not value), "flag")
    elif isinstance(value, int):
        yield text.whole(node, str(value + 1), "number")
        yield text.whole(node, str(value - 1), "number")
    elif isinstance(value, float):
        yield text.whole(node, repr(value * 0.5 if value else 1.0), "number")
        yield text.whole(node, repr(value + 1.0), "number")
    elif isinstance(value, str) and value and not re.search(r"\s", value):
        yield text.whole(node, '""', "string")


def condition(node: ast.If | ast.IfExp, text: Text) -> Changes:
    yield text.whole(node.test, "True", "condition")
    yield text.whole(node.test, "False", "condition")


def loop(node: ast.While, text: Text) -> Changes:
    yield text.whole(node.test, "False", "condition")


def filters(node: ast.comprehension, text: Text) -> Changes:
    for test in node.ifs:
        yield text.whole(test, "True", "condition")
        yield text.whole(test, "False", "condition")


def returned(node: ast.Return, text: Text) -> Changes:
    value = node.value
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        return
    yield text.whole(value, "None", "returned value")
    if isinstance(value, ast.Compare | ast.BoolOp):
        yield text.whole(value, f"not ({text.of(value)})", "returned value")


def statement(node: ast.Expr, text: Text) -> Changes:
    if isinstance(node.value, ast.Call):
        yield text.whole(node, "pass", "statement removed")
    elif isinstance(node.value, ast.Yield | ast.YieldFrom):
        yield text.whole(node, "yield from ()", "statement removed")


def stored(node: ast.Assign, text: Text) -> Changes:
    """An item or an attribute that is not set; a name that is not set would fail at once."""
    if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
        yield text.whole(node, "pass", "statement removed")


def removed(node: ast.Raise | ast.Continue | ast.Break, text: Text) -> Changes:
    yield text.whole(node, "pass", "statement removed")


def call(node: ast.Call, text: Text) -> Changes:
    name = node.func
    called = getattr(name, "id", None) or getattr(name, "attr", None)
    if called in OTHER_NAME:
        end = text.span(name)[1]
        yield Change(end - len(called), end, OTHER_NAME[called], f"{called} → {OTHER_NAME[called]}")
    if called in ("sorted", "reversed") and node.args:
        yield text.whole(node, f"list({text.of(node.args[0])})", f"{called} removed")
    if called == "abs" and node.args:
        yield text.whole(node, f"({text.of(node.args[0])})", "abs removed")
    yield from without_keyword(node, text)


def without_keyword(node: ast.Call, text: Text) -> Changes:
    arguments: list[Placed] = [*node.args, *node.keywords]
    given = sorted(arguments, key=text.span)
    for place, keyword in enumerate(given):
        if not isinstance(keyword, ast.keyword) or keyword.arg is None or keyword.arg in UNKEYED:
            continue
        start, end = text.span(keyword)
        if place:
            start = text.span(given[place - 1])[1]
        elif len(given) > 1:
            end = text.span(given[1])[0]
        yield Change(start, end, "", f"argument {keyword.arg} removed")


def piece(node: ast.Slice, text: Text) -> Changes:
    for bound in (node.lower, node.upper):
        if bound is not None:
            yield text.whole(bound, "", "slice")


OPERATORS: dict[type[ast.AST], Callable[..., Changes]] = {
    ast.Compare: compare,
    ast.BinOp: arithmetic,
    ast.AugAssign: augmented,
    ast.BoolOp: logic,
    ast.UnaryOp: sign,
    ast.Constant: constant,
    ast.If: condition,
    ast.IfExp: condition,
    ast.While: loop,
    ast.comprehension: filters,
    ast.Return: returned,
    ast.Expr: statement,
    ast.Assign: stored,
    ast.Raise: removed,
    ast.Continue: removed,
    ast.Break: removed,
    ast.Call: call,
    ast.Slice: piece,
}


def changes(data: bytes) -> list[Change]:
    """Return all faults of a file, in the order of its syntax tree."""
    text = Text(data)
    return [
        change
        for node in counted(ast.parse(data))
        if type(node) in OPERATORS
        for change in OPERATORS[type(node)](node, text)
    ]


def counted(node: ast.AST) -> Iterator[ast.AST]:
    """Go over what decides behaviour: no annotations, imports, assertions, messages and documentation."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        if name == "exc" and isinstance(node, ast.Raise):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not is_left_out(child):
                yield from counted(child)


SILENT = {"TypeVar", "NewType", "cast", "dataclass", "lru_cache"}
LOGS = {"logging", "logger", "log", "warnings"}
NAMES_LEFT_OUT = {"__all__", "__version__"}


def is_left_out(node: ast.AST) -> bool:
    """Whether no fault is made within a part."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.JoinedStr() | ast.Assert():
            return True
        case (
            ast.Expr(value=ast.Constant()) | ast.Constant(value=None) | ast.keyword(arg="help" | "strict" | "encoding")
        ):
            return True
        case ast.If(test=ast.Name("TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            return True
        case ast.If(test=ast.Compare(left=ast.Name("__name__"))):
            return True
        case ast.Assign(targets=[ast.Name(name)]) if name in NAMES_LEFT_OUT or is_type(node.value):
            return True
        case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name)) if name in SILENT:
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(name)))) if name in LOGS:
            return True
    return False


def is_type(node: ast.AST) -> bool:
    """Whether a value of the module is the name of a type, such as `Literal["a", "b"]` or `A | B`."""
    match node:
        case ast.Subscript(value=ast.Name(name)):
            return name[:1].isupper() or name in ("tuple", "list", "dict", "type")
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return all(isinstance(side, ast.Name | ast.Attribute) or is_type(side) for side in (left, right))
    return False


def is_text(node: ast.AST) -> bool:
    """Whether an operand is written as a text, which no other operator takes."""
    match node:
        case ast.JoinedStr() | ast.Constant(value=str() | bytes()):
            return True
        case ast.BinOp(left=left, right=right):
            return is_text(left) or is_text(right)
    return False


def apply(data: bytes, change: Change) -> bytes | None:
    """Return the file with the fault, or nothing where that does not compile or means the same."""
    new = data[: change.start] + change.new.encode() + data[change.end :]
    try:
        tree = ast.parse(new)
        compile(tree, "mutant", "exec")
    except (SyntaxError, ValueError):
        return None
    return new if ast.dump(tree) != ast.dump(ast.parse(data)) else None
