"""Calls in the source of tests, by the full names of what is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

RUNNERS = ("run", "process", "interruptible")
"""Fixtures of tests/cli that run a command."""


def called(tree: ast.Module) -> set[str]:
    """Return the full names of what a module calls, such as "kinetree.fk", and ".order" for a call of a method."""
    imports = _imports(tree)
    names: set[str] = set()
    for call in _calls(tree):
        if name := _full_name(call.func, imports):
            names.add(name)
        if isinstance(call.func, ast.Attribute):
            names.add(f".{call.func.attr}")
    return names


def run_commands(tree: ast.Module) -> set[str]:
    """Return the first words of the command lines that a module runs."""
    words: list[ast.expr] = []
    for call in _calls(tree):
        match call:
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in RUNNERS:
                words.append(first)
            case ast.Call(func=ast.Attribute(attr="invoke"), args=[ast.Name(id="group"), ast.List(elts=[first, *_])]):
                words.append(first)
    for line in ast.walk(tree):
        match line:
            case ast.List(elts=[*_, ast.Constant(value="-m"), ast.Constant(value="kinetree"), last]):
                words.append(last)
    return {word.value for word in words if isinstance(word, ast.Constant) and isinstance(word.value, str)}


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _imports(tree: ast.Module) -> dict[str, str]:
    """Return the names that a module imports, wherever, and their full names."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                found[one.asname or one.name.partition(".")[0]] = one.name if one.asname else one.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    return found


def _full_name(node: ast.expr, imports: dict[str, str]) -> str:
    match node:
        case ast.Name(id=name):
            return imports.get(name, "")
        case ast.Attribute(value=owner, attr=name):
            start = _full_name(owner, imports)
            return f"{start}.{name}" if start else ""
        case ast.Call(func=ast.Name(id="bridge"), args=[ast.Constant(value=name)]):  # of tests/crosscheck
            return f"kinetree.bridges.{name}"
    return ""
