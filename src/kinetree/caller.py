"""The line of Python that calls the package, and the lines of the elements of its first argument."""

import ast
import linecache
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from kinetree.errors import Source


@dataclass(frozen=True, slots=True)
class Call:
    """A call from outside of the package.

    text: of its file, "" if unknown. lines: those of the elements of a list, or of a text, that is written out as its
    first argument; none if that stands elsewhere.
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
    text = "".join(linecache.getlines(file, frame.f_globals))
    start, end, left, right = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    if not text or start is None or end is None or left is None or right is None:
        return Call(file, frame.f_lineno, text)
    lines: tuple[int, ...] = ()
    with suppress(SyntaxError, ValueError):  # the file has changed since it was imported
        lines = tuple(_lines(ast.parse(_segment(text, start, end, left, right), mode="eval").body))
    return Call(file, start, text, tuple(line + start - 1 for line in lines))


def _segment(text: str, start: int, end: int, left: int, right: int) -> str:
    """Return the text of a call. left, right: bytes in its first and last line."""
    lines = [line.encode() for line in text.split("\n")[start - 1 : end]]
    lines[-1] = lines[-1][:right]
    lines[0] = lines[0][left:]
    return b"\n".join(lines).decode()


def _lines(node: ast.expr) -> Iterator[int]:
    """Yield the lines of the elements of the first argument of a call, or of its text; the call starts at line 1."""
    argument = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if isinstance(argument, ast.List | ast.Tuple):
        yield from (element.lineno for element in argument.elts)
    elif isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        last = argument.end_lineno or argument.lineno
        yield from range(argument.lineno, last + 1)
