"""Reading of definitions, calls and names in xacro files."""

import os
import re
from collections.abc import Collection, Iterator
from contextlib import suppress

from kinetree.errors import Doubt, KinetreeError
from kinetree.files.opener import Files
from kinetree.formats.xacro.engine import MACRO_PARAMETER
from kinetree.formats.xacro.words import Words, words_of
from kinetree.model.robot import Robot
from kinetree.syntax.xml.reader import Element, Report, parse
from kinetree.xacro_text.known_packages import Folders, is_missing, packages_on_disk
from kinetree.xacro_text.names import FILE_NAME
from kinetree.xacro_text.package import package_of
from kinetree.xacro_text.text import MOST_MACROS, Call, Macro, Parameter, Place, Program, Use

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
OF_URDF = (
    *("robot", "link", "joint", "inertial", "visual", "collision", "origin", "mass", "inertia", "geometry", "mesh"),
    *("material", "color", "texture", "box", "cylinder", "sphere", "capsule", "axis", "parent", "child", "limit"),
    *("mimic", "dynamics", "calibration", "safety_controller", "contact", "verbose", "name", "transmission"),
    *("type", "actuator", "mechanicalReduction", "hardwareInterface", "gazebo", "sensor", "ros2_control"),
)
"""Elements that are URDF's own, also if a macro has their name."""
BLOCKS = ("gazebo", "transmission", "sensor", "ros2_control", "plugin", "sdf", "mujoco")
"""Elements with elements of other programs, which may have the name of a macro."""
MOST_FILES = 200
"""Most files of branches not taken that are read."""
FIXED = re.compile(r"(?:\$\((?:find\s+[^()$]+|dirname)\))?[^$*?\[]+")
"""Names of files that are the same whatever the arguments are."""


def read_program(robot: Robot, xacro_roots: tuple[Element, ...], packages: Folders) -> Program:
    """Return the definitions, calls and names of the robot's xacro files."""
    made = Program(Doubt("robot", robot.name) not in robot.doubts)
    files = Files({}, robot.places.confinement)
    files.packages = packages_on_disk({**robot.places.packages, **packages}, robot.places.confinement or False)
    read: dict[str, Element | None] = {os.path.abspath(root.document.file): root for root in xacro_roots}
    queue = [(xacro_roots[0], True)]
    seen = {os.path.abspath(xacro_roots[0].document.file)}
    while queue and len(seen) < MOST_FILES:
        root, always = queue.pop(0)
        made.roots.append(root)
        start = len(made.includes)
        _read_words(root, Place(always=always), made)
        _read(root, Place(always=always), made, root.tag in BLOCKS)
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
    names = frozenset(macro.name for macro in made.macros)
    package = None if made.whole or not made.others else package_of(xacro_roots[0].document.file)
    for element, place in made.others:
        is_around = package and element.tag in package.macros and (element.attributes or element.children)
        if element.tag in names or is_around:
            made.bare.append(element)
            made.calls.append(Call(element, element.tag, place))
    made.complete &= len(made.macros) <= MOST_MACROS
    made.absent |= {name for root in made.roots for name in _absent_in(root, files)}
    return made


def _absent_in(root: Element, files: Files) -> Iterator[str]:
    """Yield the names of files in a text that do not exist, in packages that do."""
    for name in dict.fromkeys(FILE_NAME.findall(root.document.data.decode(errors="replace"))):
        with suppress(KinetreeError, OSError, ValueError):
            path = files.path(name, root.document.file)
            if files.packages.may_read(path) and is_missing(str(path)):
                yield name


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


def _read(element: Element, place: Place, made: Program, in_block: bool = False) -> None:
    """Add what is in an element to a program. in_block: whether it is in one of BLOCKS."""
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
        elif not (in_block or kind or child.tag in OF_URDF):
            made.others.append((child, place))
        if kind != "macro":
            _read_words(child, inside, made)
        _read(child, inside, made, in_block or child.tag in BLOCKS)


def bare_tags(element: Element, macros: Collection[str]) -> Iterator[Element]:
    """Yield the instructions, and the calls of these macros, that lack `xacro:` in an element."""
    macros = () if element.tag in BLOCKS else macros
    for child in element.children:
        if is_bare(child, element) or (child.tag in macros and child.tag not in OF_URDF):
            yield child
        yield from bare_tags(child, macros)


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
