"""Answers of the child process to the server: plain data, with places as the editor counts; and repairs from these."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kinetree.lsp.text import Span


class Place(NamedTuple):
    """A span of a file."""

    file: str
    span: Span


@dataclass(frozen=True, slots=True)
class Mark:
    """A finding at a place of a file. url: the page of its code. element: its element. repair: "safe" or "unsafe"
    if a rule can repair it, else ""."""

    span: Span
    severity: str
    code: str
    message: str
    url: str = ""
    element: str = ""
    repair: str = ""


class Look(NamedTuple):
    """Result of a check: marks by file, and the files that were read, as absolute paths with links followed."""

    marks: dict[str, tuple[Mark, ...]]
    read: tuple[str, ...]


class Change(NamedTuple):
    """Replacement of a span by a text."""

    span: Span
    new: str


Changes = dict[str, tuple[Change, ...]]
"""Changes by file."""


class Refusal(NamedTuple):
    """Reason why there is no answer, and the code of a finding about that."""

    why: str
    code: str = "check-crashed"


class Hover(NamedTuple):
    """Markdown about the name or the element at a span."""

    markdown: str
    span: Span


@dataclass(frozen=True, slots=True)
class Symbol:
    """An element of the outline. kind: "link", "joint", "macro" …; span: all of it, name_span: its name."""

    name: str
    kind: str
    detail: str
    span: Span
    name_span: Span
    children: "tuple[Symbol, ...]" = ()


class Item(NamedTuple):
    """A completion: what is inserted at a span, its kind, and a detail."""

    label: str
    kind: str
    detail: str
    span: Span


KNOWN = (Place, Mark, Look, Change, Refusal, Hover, Symbol, Item)
"""Classes that an answer of the child process may contain."""


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
