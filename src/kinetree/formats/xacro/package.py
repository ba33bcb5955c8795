"""Private copies of the xacro package, one for each expansion, without functions that run or open anything."""

import importlib.util
from collections.abc import Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from typing import Any

from kinetree.errors import Source

NEVER_CALLED = frozenset(("eval", "exec", "compile", "open", "input", "breakpoint", "__import__"))
"""Built-in functions that the copy lacks, so that even a bug of ours cannot reach them through it."""


def private_copy(name: str) -> Any:
    """Return a fresh copy of a module that nothing else uses."""
    spec, code = _found(name)
    module = importlib.util.module_from_spec(spec)
    names = module.__dict__
    exec(code, names)
    names["__builtins__"] = {name: value for name, value in names["__builtins__"].items() if name not in NEVER_CALLED}
    return module


@cache
def _found(name: str) -> tuple[ModuleSpec, Any]:
    """Return where a module is, and its code; to read it takes as long as to run it."""
    spec: Any = importlib.util.find_spec(name)
    return spec, spec.loader.get_code(name)


def preorder(node: Any) -> Iterator[Any]:
    """Yield an element of the DOM and all below it, in the order of the file."""
    yield node
    for child in node.childNodes:
        if child.nodeType == child.ELEMENT_NODE:
            yield from preorder(child)


def place_of(node: Any) -> Source | None:
    """Return the place of an element of the DOM in its file."""
    place = node.getUserData("place")
    return place[0].source(place[1]) if place else None
