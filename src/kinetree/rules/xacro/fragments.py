"""What readers and rules of robots say, in macros that no robot calls: leftovers, and names of materials."""

from collections.abc import Iterator

from kinetree.rules.rule import Element, Found
from kinetree.rules.xacro.macros import XacroTextRule
from kinetree.xacro_text.reading import BLOCKS
from kinetree.xacro_text.text import Program

HOLDERS = ("robot", "link", "joint", "visual", "collision", "inertial", "geometry", "transmission", "xacro:macro")
"""Elements that have only elements inside."""


class StrayText(XacroTextRule):
    """There is no text between the elements of a macro.

    It is a leftover, such as the end of a comment. The reader warns of it only if the macro is called.
    """

    code = "XAC-014"
    clause = "links, joints and macros have elements inside, and no text"
    base = (
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<material name="red"><color rgba="1 0 0 1"/></material><link name="a"/><xacro:macro name="m">'
        '<link name="b"><visual><material name="red"/></visual></link></xacro:macro></robot>'
    )
    good, bad = "<visual>", "`<visual>"

    def check(self, program: Program) -> Found:
        """Text in files of macros alone, and in macros that the robot does not call; not in elements of simulators."""
        for element in _unread(program):
            shown = " ".join(element.text.split())
            if element.tag in HOLDERS and shown and "$" not in shown:
                yield self.at(element, None, f"the text {shown[:40]!r} has no meaning here; remove it")


class LettersOfMaterials(XacroTextRule):
    """The name of a material has the letters of its definition, small or capital.

    Otherwise it has no colour. The reader warns of it only if the robot can be made.
    """

    code = "XAC-015"
    clause = "a material is defined once, and then named"
    base, good, bad = StrayText.base, '<material name="red"/>', '<material name="Red"/>'

    def check(self, program: Program) -> Found:
        """A material without a colour that no file defines, if one does whose name has other letters; in files of
        macros alone and in macros that the robot does not call."""
        named = [one for one in _unread(program) if one.tag == "material"]
        every = (one for root in program.roots for one in root.walk() if named and one.tag == "material")
        defined = {one.get("name") or "": one for one in every if one.children}
        alike = {name.lower(): name for name in defined}
        for one in named:
            name = one.get("name") or ""
            if name not in defined and (meant := alike.get(name.lower())):
                yield self.at(one, "name", f"no file defines the material {name!r}; did you mean {meant!r}?")


def _unread(program: Program) -> Iterator[Element]:
    """Yield the elements from which no robot is made, without those of simulators."""
    queue = [(root, not program.whole) for root in program.roots]
    while queue:
        element, is_unread = queue.pop()
        if is_unread:
            yield element
        for child in element.children:
            is_uncalled = program.whole and child.tag == "xacro:macro" and child.get("name") not in program.reached
            if child.tag not in BLOCKS or child.tag == "transmission":
                queue.append((child, is_unread or is_uncalled))
