"""Answers of the child process to the server: plain data, with places as the editor counts."""

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
