"""Calls of functions as text: as Python writes them, but names need no quotation marks."""

import ast
import re
from collections.abc import Collection, Mapping
from keyword import iskeyword
from typing import Any, NamedTuple

from kinetree.errors import KinetreeError, fail, nearest_names

BARE = re.compile(r"[^\W\d][\w./-]*")
"""Names that need no quotation marks."""
EXPECTED = "expected a call such as fk(tool0) or hand = fk(tool0, base=chest), or both = fk(tool0), mass_matrix()"


SEVERAL = ","
"""Name of the function of several calls, which are its positional arguments."""


class Call(NamedTuple):
    """A call of a function. name: of its result, or None."""

    function: str
    positional: tuple[Any, ...]
    named: Mapping[str, Any]
    name: str | None = None

    def __str__(self) -> str:
        if self.function == SEVERAL:
            return f"{self.name} = {', '.join(map(str, self.positional))}"
        values = [*map(_text, self.positional), *(f"{name}={_text(value)}" for name, value in self.named.items())]
        return f"{f'{self.name} = ' if self.name else ''}{self.function}({', '.join(values)})"


def calls(text: str, known: Mapping[str, Collection[str]]) -> list[Call]:
    """Return the calls in a text, one a line. known: the arguments of each function. Raises KinetreeError with what is
    expected for anything else."""
    try:
        return [_call(text, statement, known) for statement in ast.parse(text).body]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = f" at character {error.offset}" if isinstance(error, SyntaxError) and error.offset else ""
        raise _fault(text, f'cannot be read{where}; {EXPECTED}; quote names with other characters, "a b"') from None


def _call(text: str, statement: ast.stmt, known: Mapping[str, Collection[str]]) -> Call:
    name: str | None = None
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id=function)) as call):
            pass
        case ast.Assign(targets=[ast.Name(id=str(name))], value=ast.Call(func=ast.Name(id=function)) as call):
            pass
        case ast.Assign(targets=[ast.Name(id=str(name))], value=ast.Tuple(elts=[_, *_] as parts)):
            return Call(SEVERAL, tuple(_call(text, ast.Expr(part), known) for part in parts), {}, name)
        case _:
            raise _fault(text, f"is no call; {EXPECTED}")
    if function not in known:
        raise _fault(text, f"no function {function!r}; {nearest_names(function, list(known))}")
    for argument in call.keywords:
        if argument.arg not in known[function]:
            near = nearest_names(argument.arg, list(known[function]))
            near = f"use the option --{argument.arg}, for all functions" if argument.arg in ("joints", "at") else near
            raise _fault(text, f"no argument {argument.arg!r} of {function}; {near}")
    named = {str(argument.arg): _value(text, argument.value) for argument in call.keywords}
    if len(named) < len(call.keywords):
        raise _fault(text, "an argument is given twice")
    return Call(function, tuple(_value(text, argument) for argument in call.args), named, name)


def _value(text: str, node: ast.expr) -> Any:
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(text, item) for item in node.elts]
    bare = ast.get_source_segment(text, node) or ""
    try:
        return bare if isinstance(node, ast.Name) else ast.literal_eval(node)
    except ValueError:
        if BARE.fullmatch(bare):
            return bare
        raise _fault(text, f"{bare!r} is no value; expected a name, a number, a list, True, False or None") from None


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        sides = "[]" if isinstance(value, list) else "()"
        return f"{sides[0]}{', '.join(map(_text, value))}{sides[1]}"
    return value if isinstance(value, str) and value.isidentifier() and not iskeyword(value) else repr(value)


def _fault(text: str, message: str) -> KinetreeError:
    return fail("option", message, element=f"--write {text}")
