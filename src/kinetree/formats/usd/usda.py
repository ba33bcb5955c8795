"""Writer of USD text: prims within each other, and values."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from kinetree.spatial import se3
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import format_number


class Usda:
    """Lines of prims, each indented below its own."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def prim(self, type: str, name: str, title: str = "", apis: Sequence[str] = (), kind: str = "") -> Iterator[None]:
        """Write a prim around what is written within the context. title: its display name, if another than `name`."""
        about = [f"prepend apiSchemas = [{', '.join(map(quoted, apis))}]"] if apis else []
        about += [f"displayName = {quoted(title)}"] if title not in ("", name) else []
        about += [f"kind = {quoted(kind)}"] if kind else []
        self.line(f'def {type} "{name}"' + (" (" if about else ""))
        for one in about:
            self.line(f"    {one}")
        if about:
            self.line(")")
        self.line("{")
        self.depth += 1
        yield
        self.depth -= 1
        self.line("}")

    def pose(self, T: Array, scale: Sequence[float] | None = None) -> None:
        """Write the operations of a pose, and of a scale below it."""
        order = []
        if scale is not None or not np.array_equal(T, se3.IDENTITY):
            self.line(f"double3 xformOp:translate = {numbers(T[:3, 3])}")
            self.line(f"quatd xformOp:orient = {quaternion(T[:3, :3])}")
            order = ["xformOp:translate", "xformOp:orient"]
        if scale is not None:
            self.line(f"double3 xformOp:scale = {numbers(scale)}")
            order.append("xformOp:scale")
        if order:
            self.line(f"uniform token[] xformOpOrder = [{', '.join(map(quoted, order))}]")

    def text(self) -> str:
        """Return what was written."""
        return "\n".join((*self.lines, ""))


def quoted(text: str) -> str:
    """Return a text between quotes."""
    for mark, written in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        text = text.replace(mark, written)
    return f'"{text}"'


def numbers(values: object) -> str:
    """Return numbers between brackets."""
    return f"({', '.join(format_number(value) for value in np.asarray(values, dtype=float).ravel())})"


def quaternion(R: Array) -> str:
    """Return a rotation (3, 3) as a quaternion w x y z between brackets."""
    x, y, z, w = se3.quaternion_from_rotation(R)
    return numbers((w, x, y, z))


class Names:
    """Names of prims: letters, digits and "_", each once below a prim."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def __call__(self, name: str) -> str:
        """Return a free name that is like this one."""
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name) or "_"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        made, i = plain, 2
        while made in self.taken:
            made, i = f"{plain}_{i}", i + 1
        self.taken.add(made)
        return made
