"""Definitions, calls and names in xacro files as they are written, whether or not they were evaluated."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

from kinetree.conventions.facts import fact
from kinetree.errors import Doubt, KinetreeError
from kinetree.formats.opener import Files
from kinetree.formats.xacro.engine import MACRO_PARAMETER
from kinetree.formats.xacro.words import Words, words_of
from kinetree.formats.xml import Element, Report, parse
from kinetree.model.robot import Robot

BUILT_IN = ("include", "property", "macro", "arg", "if", "unless", "insert_block", "element", "attribute", "call")
"""Elements of xacro that are no macros."""
NEVER = frozenset(("\0",))
INSTRUCTIONS = {
    "macro": frozenset(("name", "params")),
    "insert_block": frozenset(("name",)),
    "property": frozenset(("name", "value")),
    "include": frozenset(("filename",)),
    "if": frozenset(("value",)),
    "unless": frozenset(("value",)),
}
"""Instructions of xacro, with attributes by which they are known without `xacro:`."""
OUTER = ("robot", "root", "macro", "if", "unless", "xacro:macro", "xacro:if", "xacro:unless")
"""Elements that hold instructions; in others, such as plug-ins, the same tags may mean something else."""
MOST_MACROS = 1000
"""Most macros whose callers are followed."""
MOST_FILES = 200
"""Most files of branches not taken that are read."""
FIXED = re.compile(r"(?:\$\((?:find\s+[^()$]+|dirname)\))?[^$*?\[]+")
"""Names of files that are the same whatever the arguments are."""


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
    missing: includes of files that do not exist, with the paths. bare: instructions without `xacro:`.
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
    bare: list[Element] = field(default_factory=list)

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
            new := {
                call.name.rpartition(".")[2] for call in self.calls if all(m.name in found for m in call.place.macros)
            }
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


@fact
def program(
    robot: Robot, xacro_roots: tuple[Element, ...] | None, packages: Mapping[str, str | os.PathLike[str]]
) -> Program | None:
    """Return the definitions, calls and names of the robot's xacro files, None for a robot of another format."""
    if not xacro_roots:
        return None
    made = Program(Doubt("robot", robot.name) not in robot.doubts)
    given = {name: Path(folder) for name, folder in packages.items()}
    files = Files({**robot.places.packages, **given}, robot.places.confinement)
    read: dict[str, Element | None] = {os.path.abspath(root.document.file): root for root in xacro_roots}
    queue = [(xacro_roots[0], True)]
    seen = {os.path.abspath(xacro_roots[0].document.file)}
    while queue and len(seen) < MOST_FILES:
        root, always = queue.pop(0)
        made.roots.append(root)
        start = len(made.includes)
        _read_words(root, Place(always=always), made)
        _read(root, Place(always=always), made)
        for include, place in made.includes[start:]:
            path = _path(include, files)
            if path is None:  # it depends on arguments, or on a package that does not exist
                made.complete &= made.whole and place.always
            elif path not in seen:
                seen.add(path)
                other = read[path] = read.get(path) or _opened(path, include, files, made)
                queue += [(other, place.always and not include.get("ns"))] if other else []
            if path and not include.get("ns") and (other := read.get(path)):
                made.included[id(include)] = other
        if not queue:
            left = {path: root for path, root in read.items() if path not in seen and root}
            queue += [(root, False) for root in left.values()]
            seen.update(left)
    made.complete &= len(made.macros) <= MOST_MACROS
    return made


def _path(include: Element, files: Files) -> str | None:
    """Return the path of an included file, None if it is not the same for all arguments or lies in no known package."""
    name, file = include.get("filename") or "", include.document.file
    if not FIXED.fullmatch(name) or (file.startswith("<") and not name.startswith("$(find")):
        return None
    try:
        return os.path.abspath(files.path(name.replace("$(dirname)", os.path.dirname(os.path.abspath(file))), file))
    except (KinetreeError, OSError):
        return None


def _opened(path: str, include: Element, files: Files, made: Program) -> Element | None:
    """Return the root of a file in a branch that was not taken."""
    found = files(path, include.document.file)
    if found is None and path not in files.refused and not os.path.exists(path) and include.get("optional") is None:
        made.missing.append((include, path))
    root = parse(found[0], path, Report()) if found else None
    made.complete &= root is not None
    return root


def _read(element: Element, place: Place, made: Program) -> None:
    """Add what is in an element to a program."""
    for child in element.children:
        kind = child.tag[6:] if child.tag.startswith("xacro:") else ""
        inside = place
        if kind == "macro":
            inside = _read_macro(child, place, made)
        elif kind == "property":
            inside = _read_property(child, place, made)
        elif kind in ("if", "unless"):
            inside = place._replace(always=False)
        elif kind == "include":
            made.includes.append((child, place))
            made.properties |= {child.get("ns") or ""}
        elif kind == "arg":
            made.arguments.append(child)
        elif kind == "insert_block" or child.tag == "insert_block":
            made.uses.append(Use(child, "name", Words((child.get("name") or "",)), place))
        elif kind and kind not in BUILT_IN:
            made.calls.append(Call(child, kind, place))
        elif kind == "call":
            made.calls.append(Call(child, child.get("macro") or "", place))
        if is_bare(child, element):
            made.bare.append(child)
        if kind != "macro":
            _read_words(child, inside, made)
        _read(child, inside, made)


def is_bare(element: Element, owner: Element) -> bool:
    """Return whether an element is an instruction of xacro without `xacro:`."""
    known = element.tag == "insert_block" or owner.tag in OUTER
    return known and INSTRUCTIONS.get(element.tag, NEVER) <= element.attributes.keys()


def _read_words(element: Element, place: Place, made: Program) -> None:
    """Add the attributes and the text of an element that hold expressions, or braces without `$`."""
    for name, text in (*element.attributes.items(), (None, element.text)):
        if text and ("$" in text or "{" in text):
            made.uses.append(Use(element, name, words_of(text), place))


def _read_macro(element: Element, place: Place, made: Program) -> Place:
    """Add a macro, and return the place of what is in it."""
    macro = Macro(element, (element.get("name") or "").removeprefix("xacro:"), parameters_of(element), place.always)
    made.macros.append(macro)
    made.local[id(element)] = {parameter.plain for parameter in macro.parameters}
    if "$" in (text := element.get("params") or ""):
        made.uses.append(Use(element, "params", words_of(text), place._replace(lazy=True)))
    return Place((*place.macros, macro))


def _read_property(element: Element, place: Place, made: Program) -> Place:
    """Add a property, and return the place of its value."""
    name = element.get("name") or ""
    made.complete &= "$" not in name
    made.defined.append((element, place))
    if place.macros and element.get("scope") is None:
        made.local[id(place.macros[-1].element)].add(name)
    else:
        made.properties.add(name)
    return place._replace(lazy=True)


def parameters_of(macro: Element) -> tuple[Parameter, ...]:
    """Return the parameters of a macro, in their order."""
    found, rest = [], macro.get("params") or ""
    while rest.strip():
        if match := MACRO_PARAMETER.match(rest):
            name, forward, default, rest = match.groups()
            found.append(Parameter(name, not (forward or default), bool(forward)))
        else:
            name, *more = rest.split(maxsplit=1)
            rest = "".join(more)
            found.append(Parameter(name, True, False))
    return tuple(found)
