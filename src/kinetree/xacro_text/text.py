"""Definitions, calls and names in xacro files as they are written, whether or not they were evaluated."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kinetree.syntax.xml.reader import Element

if TYPE_CHECKING:
    from kinetree.formats.xacro.words import Words

MOST_MACROS = 1000
"""Most macros whose callers are followed."""


class Parameter(NamedTuple):
    """A parameter of a macro; a block has a star or two before its name."""

    name: str
    required: bool
    forwarded: bool

    @property
    def block(self) -> bool:
        """Whether its value is an element."""
        return self.name.startswith("*")

    @property
    def plain(self) -> str:
        """Its name without stars."""
        return self.name.lstrip("*")


class Macro(NamedTuple):
    """A definition of a macro. always: whether it is defined whatever the arguments are."""

    element: Element
    name: str
    parameters: tuple[Parameter, ...]
    always: bool


class Place(NamedTuple):
    """Where an element stands: in which macros, the innermost last; whether it is evaluated whatever the arguments are,
    and whether that is done elsewhere, with other names."""

    macros: tuple[Macro, ...] = ()
    always: bool = False
    lazy: bool = False


class Use(NamedTuple):
    """An attribute, or the text if that is None, and its words."""

    element: Element
    attribute: str | None
    words: Words
    place: Place


class Call(NamedTuple):
    """A call of a macro."""

    element: Element
    name: str
    place: Place


@dataclass
class Program:
    """All xacro files of a robot.

    whole: whether they make a robot. complete: whether every name and every file is known. properties: names of those
    outside of macros. local: names of parameters and properties of macros, by the identity of the macro's element.
    included: root elements of included files, by the identity of the <xacro:include>, if the file is always the same.
    missing: includes of files that do not exist, with the paths. absent: names of other files that do not exist. bare:
    instructions and calls without `xacro:`. others: elements that are neither xacro's nor URDF's own.
    """

    whole: bool
    complete: bool = True
    roots: list[Element] = field(default_factory=list)
    macros: list[Macro] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    arguments: list[Element] = field(default_factory=list)
    defined: list[tuple[Element, Place]] = field(default_factory=list)
    properties: set[str] = field(default_factory=set)
    local: dict[int, set[str]] = field(default_factory=dict)
    includes: list[tuple[Element, Place]] = field(default_factory=list)
    included: dict[int, Element] = field(default_factory=dict)
    missing: list[tuple[Element, str]] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    bare: list[Element] = field(default_factory=list)
    others: list[tuple[Element, Place]] = field(default_factory=list)

    @cached_property
    def by_name(self) -> dict[str, list[Macro]]:
        """Definitions of each macro."""
        found: dict[str, list[Macro]] = {}
        for macro in self.macros:
            found.setdefault(macro.name, []).append(macro)
        return found

    @cached_property
    def uses_in(self) -> dict[int, list[Use]]:
        """Uses in each macro, by the identity of its element."""
        return _by_macro(self.uses)

    @cached_property
    def uses_of(self) -> dict[int, list[Use]]:
        """Uses in the attributes and the text of each element, by its identity."""
        found: dict[int, list[Use]] = {}
        for use in self.uses:
            found.setdefault(id(use.element), []).append(use)
        return found

    @cached_property
    def calls_in(self) -> dict[int, list[Call]]:
        """Calls in each macro."""
        return _by_macro(self.calls)

    @cached_property
    def including(self) -> set[int]:
        """Macros that include files."""
        return {id(macro.element) for _, place in self.includes for macro in place.macros}

    @cached_property
    def lazy(self) -> set[str]:
        """Names that may be evaluated in any macro."""
        return {name for use in self.uses if use.place.lazy for name in use.words.names}

    @cached_property
    def reached(self) -> set[str]:
        """Names of the macros that the robot calls, itself or in other macros; all if some names are computed."""
        found: set[str] = set()
        while (
            new := {one.name.rpartition(".")[2] for one in self.calls if all(m.name in found for m in one.place.macros)}
            - found
        ):
            found |= new
        return set(self.by_name) if any("$" in name for name in found) else found

    def scope(self, macros: tuple[Macro, ...]) -> set[str]:
        """Return the names that are known inside of macros, without those of their callers."""
        return self.properties.union(*(self.local[id(macro.element)] for macro in macros))


T = TypeVar("T", Use, Call)


def _by_macro(things: list[T]) -> dict[int, list[T]]:
    found: dict[int, list[T]] = {}
    for thing in things:
        for macro in thing.place.macros:
            found.setdefault(id(macro.element), []).append(thing)
    return found
