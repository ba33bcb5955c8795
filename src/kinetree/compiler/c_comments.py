"""Comments and lines of generated code: what a function computes, with shapes, units and the order of all entries."""

import re
from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING

from kinetree.compiler.port import Port, spans

if TYPE_CHECKING:
    from kinetree.compiler.kernel import Kernel

WIDTH = 119
"""Most characters of a line of generated code."""


def documentation(kernel: "Kernel") -> str:
    """Return the comment of a function in C."""
    lines = described(kernel)
    return comment(lines if kernel.fused else [*lines, _SAME_BITS])


def described(kernel: "Kernel") -> list[str]:
    """Return lines about a function: shapes, units, frames, the order of all entries, and the operation count."""
    about = f": {kernel.output.about}" if kernel.output.about else ""
    lines = [kernel.name + about, ""]
    for port in kernel.inputs:
        lines.append(f"{port.name}: {_shape(port.shape)}{f'; {port.about}' if port.about else ''}")
        lines += _entries(port)
    lines.append(f"{kernel.output.name}: {_shape(kernel.output.shape)}")
    for port, at in zip(kernel.outputs, spans(kernel.outputs), strict=True):
        if len(kernel.outputs) > 1:
            about = f"; {port.about}" if port.about else ""
            lines.append(f"{port.name}, from {kernel.output.name}[{at.start}]: {_shape(port.shape)}{about}")
        lines += _entries(port, at.start)
    counts = kernel.operations
    listed = ", ".join(f"{n} {operation}" for operation, n in sorted(counts.items()))
    lines += ["", f"{sum(counts.values())} operations{f': {listed}' if listed else ''}"]
    return lines


def _entries(port: Port, start: int = 0) -> list[str]:
    """Return the index and the name of every entry of a vector, from `start`, and of its codes; or of rows, columns."""
    codes = {label: [f"      {i} {word}" for i, word in enumerate(words)] for label, words in port.codes}
    if not port.shape:
        return codes.get(port.name, [])
    if len(port.shape) == 1:
        lines = [[f"  [{i}] {label}", *codes.get(label, [])] for i, label in enumerate(port.labels, start)]
        return [line for entry in lines for line in entry]
    rows = [f"  [{i}, ...] {row}" for i, row in enumerate(port.rows)]
    return rows + [f"  [..., {i}] {label}" for i, label in enumerate(port.labels)]


_SAME_BITS = "Compiled with -ffp-contract=off it gives the same bits as the kernel that was compiled by Kinetree."


def _shape(shape: tuple[int, ...]) -> str:
    if not shape:
        return "1 number"
    return " x ".join(map(str, shape)) + (", row-major" if len(shape) > 1 else " numbers")


def comment(lines: Iterable[str]) -> str:
    """Return a C comment of these lines, whatever they contain; long ones are wrapped."""
    parts = [part for line in lines for part in _wrapped(_harmless(line))]
    return "/*\n" + "".join(f" * {part}".rstrip() + "\n" for part in parts) + " */\n"


def _wrapped(line: str) -> list[str]:
    behind = " " * (len(line) - len(line.lstrip()) + 4)
    return wrap(line, WIDTH - 3, subsequent_indent=behind, break_on_hyphens=False) or [""]


def broken(code: str, width: int = WIDTH) -> list[str]:
    """Return code as lines that are short enough, broken at spaces."""
    if len(code) <= width:
        return [code]
    indent = " " * (len(code) - len(code.lstrip()) + 4)
    return wrap(code, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _harmless(text: str) -> str:
    """Return one line of ASCII that neither ends nor begins a comment and has no trigraphs."""
    text = text.replace("²", "^2").encode("unicode_escape").decode("ascii")  # lone surrogates too
    return re.sub(r"(?<=/)(?=\*)|(?<=\*)(?=/)|(?<=\?)(?=\?)", " ", text)
