"""The line of Python that calls the package, and the lines of the elements of its first argument."""

import ast
import linecache
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from warnings import catch_warnings

from kinetree.errors import Source


@dataclass(frozen=True, slots=True)
class Call:
    """A call from outside of the package.

    text: of its file, "" if unknown. lines: those of the elements of a list, or of a text, that is its first argument,
    written out there or in the only assignment to a variable of the same function; none if it comes from elsewhere.
    """

    file: str
    line: int
    text: str = ""
    lines: tuple[int, ...] = ()

    def line_of(self, number: int, count: int) -> int:
        """Return the line of one of `count` elements, from 0, or that of the call if it is unknown."""
        return self.lines[number] if len(self.lines) == count else self.line

    def source(self, line: int | None = None) -> Source:
        """Return the place of a line of the file, by default of the call."""
        return Source(self.file, line or self.line)


def call() -> Call:
    """Return the call through which the program is in the package."""
    package = __name__.partition(".")[0]
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame = frame.f_back
    file = frame.f_code.co_filename
    linecache.checkcache(file)
    text = "".join(linecache.getlines(file, frame.f_globals))
    start, stop, _, column = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    return Call(file, start or frame.f_lineno, text, _lines(text, stop, column))


@lru_cache(100)
def _lines(text: str, stop: int | None, column: int | None) -> tuple[int, ...]:
    """Return the lines of the elements of the first argument, a list or a text, of the call that ends there."""
    tree = ast.Module([], [])
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError), catch_warnings(action="ignore"):
        tree = ast.parse(text)  # fails if the file has changed, or is no program
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    found = [node.args[0] for node in calls if (node.end_lineno, node.end_col_offset) == (stop, column)]
    argument = found[0] if found else None
    if isinstance(argument, ast.Name):
        argument = _assigned(tree, argument) or argument
    if isinstance(argument, ast.List | ast.Tuple):
        return tuple(element.lineno for element in argument.elts)
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return tuple(range(argument.lineno, (argument.end_lineno or argument.lineno) + 1))
    return ()


def _assigned(tree: ast.Module, name: ast.Name) -> ast.expr | None:
    """Return what is assigned to a variable, once and in the function in which it is used."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    around = [node for node in functions if node.lineno <= name.lineno <= (node.end_lineno or 0)]
    inside = list(ast.walk(max(around, key=lambda node: node.lineno) if around else tree))
    stored = [node for node in inside if isinstance(node, ast.Name) and node.id == name.id]
    stored = [node for node in stored if not isinstance(node.ctx, ast.Load)]
    made = [node.value for node in inside if isinstance(node, ast.Assign) and node.targets == stored]
    return made[0] if made else None
