"""Repairs that are offered at a place: of a finding, of all of its kind, and of the file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kinetree.lsp.answers import Look, Mark
from kinetree.lsp.text import Span

FIX, FIX_ALL = "quickfix", "source.fixAll.kinetree"


class Action(NamedTuple):
    """A repair. root: the document that is repaired. code, element, unsafe: see `kinetree.lsp.fixes`. marks: what it
    removes."""

    title: str
    kind: str
    root: str
    code: str = ""
    element: str = ""
    unsafe: bool = False
    marks: tuple[Mark, ...] = ()
    preferred: bool = False


def actions(looks: Mapping[str, Look], file: str, span: Span, only: Sequence[str] | None) -> list[Action]:
    """Return the repairs at a span of a file. looks: by document. only: kinds that are wanted, None for all."""
    found: list[Action] = []
    for root, look in looks.items():
        marks = [mark for mark in look.marks.get(file, ()) if mark.repair]
        here = [mark for mark in marks if mark.span[0] <= span[1] and span[0] <= mark.span[1]]
        found += [action for mark in here for action in _of_mark(root, mark, marks)]
        if root == file and any(mark.repair == "safe" for mark in marks):
            found.append(Action("Fix all that is safe to fix (kinetree fix)", FIX_ALL, root))
    return [one for one in dict.fromkeys(found) if _is_wanted(one.kind, only)]


def _of_mark(root: str, mark: Mark, marks: Iterable[Mark]) -> list[Action]:
    unsafe = mark.repair == "unsafe"
    warning = " (unsafe: files that are not open may use the old names)" if unsafe else ""
    alike = tuple(other for other in marks if other.code == mark.code)
    about = f" of {mark.element}" if mark.element else ""
    one = Action(f"Fix {mark.code}{about}{warning}", FIX, root, mark.code, mark.element, unsafe, (mark,), not unsafe)
    every = Action(f"Fix all {mark.code} in this file{warning}", FIX, root, mark.code, "", unsafe, alike)
    return [one, every] if len(alike) > 1 else [one]


def _is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    return not only or any(kind == wanted or kind.startswith(f"{wanted}.") for wanted in only)
