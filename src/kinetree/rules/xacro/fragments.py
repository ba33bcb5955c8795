"""What the rules of robots find, in xacro files that make no robot: leftovers, and names of links and materials."""

import re
from collections.abc import Iterator

from kinetree.errors import Finding
from kinetree.rules.xacro.macros import XacroTextRule
from kinetree.rules.xacro.prefixes import NAMING
from kinetree.syntax.xml.reader import Element
from kinetree.xacro_text.package import is_included_around
from kinetree.xacro_text.reading import BLOCKS
from kinetree.xacro_text.text import Program

HOLDERS = (
    *("robot", "link", "joint", "visual", "collision", "inertial", "geometry", "material", "transmission"),
    *("xacro:macro", "xacro:if", "xacro:unless"),
)
"""Elements that have only elements inside."""


HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'


class StrayText(XacroTextRule):
    """There is no text between the elements of a macro.

    It is a leftover of an edit, such as the end of a comment. The reader of the robot warns of it only if the macro is
    called.
    """

    code = "XAC-014"
    clause = "links, joints and macros have elements inside, and no text"
    base = (
        '<robot name="r" xmlns:xacro="x"><link name="a"/><xacro:macro name="m"><link name="b"/></xacro:macro></robot>'
    )
    good, bad = '<link name="b"/>', '`<link name="b"/>'

    def check(self, program: Program) -> Iterator[Finding]:
        """Text in files of macros alone, and in macros that the robot does not call; not in elements of simulators."""
        for root in program.roots:
            for element in _unread(root, program, not program.whole):
                shown = " ".join(element.text.split())
                if element.tag in HOLDERS and shown and "$" not in shown:
                    yield self.at(element, None, f"the text {shown[:40]!r} has no meaning here; remove it")


def _unread(element: Element, program: Program, asked: bool) -> Iterator[Element]:
    """Yield the elements of a file from which the robot is not made. asked: whether this one is such an element."""
    if asked:
        yield element
    for child in element.children:
        is_macro = child.tag == "xacro:macro" and program.whole
        if child.tag not in BLOCKS or child.tag == "transmission":
            yield from _unread(child, program, asked or (is_macro and child.get("name") not in program.reached))


class SlashesInMacros(XacroTextRule):
    """Names of links and joints in macros do not begin with a slash.

    tf2 refuses such frames. Once the robot can be made, NAM-004 names each of them.
    """

    code = "XAC-015"
    clause = "frame_ids cannot start with a slash"
    url = "http://wiki.ros.org/tf2/Migration"
    base = StrayText.base
    good, bad = '<link name="b"/>', '<link name="/b"/>'

    def check(self, program: Program) -> Iterator[Finding]:
        """Such names, and properties that begin names, in files of macros alone and in macros that the robot does not
        call; one finding for a file, and for a property."""
        own = [element for macro in program.macros for element in macro.element.walk()]
        inside = {one.get("name") for one in own if one.tag == "xacro:property"}
        slashed = {one.get("name"): one for one, _ in program.defined if (one.get("value") or "").startswith("/")}
        is_part = bool(slashed) and is_included_around(program.roots[0].document.file)  # the other file says it
        known = {name: one for name, one in slashed.items() if not (is_part or name in inside)}
        for root in program.roots:
            named = [(one, NAMING.get(one.tag, "")) for one in _unread(root, program, not program.whole)]
            names = [name for one, attribute in named if (name := one.get(attribute))]
            if wrong := [(one, attribute) for one, attribute in named if (one.get(attribute) or "").startswith("/")]:
                (element, attribute), more = wrong[0], len({one.get(at) for one, at in wrong}) - 1
                also = f", as {more} other{'s do' if more > 1 else ' does'}" if more else ""
                message = f"the name {element.get(attribute)!r} begins with a slash, which tf2 refuses{also}; remove it"
                yield self.at(element, attribute, message)
            for name in [name for name in known if any(re.match(rf"\$\{{\s*{name}\s*\}}", one) for one in names)]:
                message = (
                    f"names of links and joints begin with {name!r}, and so with a slash, which tf2 refuses; remove it"
                )
                yield self.at(known.pop(name), "value", message)


class LettersOfMaterials(XacroTextRule):
    """The name of a material has the letters of its definition, small or capital.

    Otherwise it has no colour. The reader of the robot warns of it only if the robot can be made.
    """

    code = "XAC-016"
    clause = "a material is defined once, and then named"
    base = (
        '<robot name="r" xmlns:xacro="x"><material name="red"><color rgba="1 0 0 1"/></material><link name="a"/>'
        '<xacro:macro name="m"><link name="b"><visual><material name="red"/></visual></link></xacro:macro></robot>'
    )
    good, bad = '<material name="red"/>', '<material name="Red"/>'

    def check(self, program: Program) -> Iterator[Finding]:
        """A material without a colour that no file defines, if one does whose name has other letters; in files of
        macros alone and in macros that the robot does not call."""
        looks = [one for root in program.roots for one in root.walk() if one.tag == "material"]
        defined = {one.get("name") or "" for one in looks if one.children}
        alike = {name.lower(): name for name in defined}
        for root in program.roots:
            for one in _unread(root, program, not program.whole):
                name = one.get("name") or ""
                meant = alike.get(name.lower(), name) if one.tag == "material" and not one.children else name
                if meant != name and name not in defined:
                    yield self.at(one, "name", f"no file defines the material {name!r}; did you mean {meant!r}?")
