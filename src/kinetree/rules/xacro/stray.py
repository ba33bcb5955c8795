"""Text between the elements of xacro files."""

from collections.abc import Iterator

from kinetree.errors import Finding
from kinetree.rules.xacro.macros import XacroTextRule
from kinetree.syntax.xml.reader import Element
from kinetree.xacro_text.reading import BLOCKS
from kinetree.xacro_text.text import Program

HOLDERS = (
    *("robot", "link", "joint", "visual", "collision", "inertial", "geometry", "material", "transmission"),
    *("xacro:macro", "xacro:if", "xacro:unless"),
)
"""Elements that have only elements inside."""


class StrayText(XacroTextRule):
    """There is no text between the elements of a macro.

    It is a leftover of an edit, such as the end of a comment. The reader of the robot warns of it only if the macro is
    called.
    """

    code = "XAC-014"
    clause = "links, joints and macros have elements inside, and no text"
    base = '<robot name="r" xmlns:xacro="x"><link name="a"/><xacro:macro name="m"><link name="b"/></xacro:macro></robot>'
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
