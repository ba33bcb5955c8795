"""The xacro files of a robot, and places of values that calls of macros pass on."""

import re
from collections.abc import Callable

from kinetree.errors import Source
from kinetree.model.robot import Joint, Robot
from kinetree.syntax.xml.reader import Element, Report, parse
from kinetree.xacro_text.known_packages import Folders
from kinetree.xacro_text.text import Macro, Program

AttachedAt = Callable[[Joint], Source | None]
"""Function of a joint that returns the place where its parent link is written, if it is in a call of a macro."""
PARAMETER = re.compile(r"\s*\$\{\s*(\w+)\s*\}\s*")
DEEPEST = 8
"""Largest depth of calls through which a parameter is followed."""


def xacro_roots(robot: Robot) -> tuple[Element, ...] | None:
    """Return the roots of all files of the robot, or None if it was not made by xacro."""
    if robot.text is None or not robot.text.files:
        return None
    roots = (parse(text, file, Report()) for file, text in robot.text.files.items())
    return tuple(root for root in roots if root)


def program(robot: Robot, xacro_roots: tuple[Element, ...] | None, packages: Folders) -> Program | None:
    """Return the definitions, calls and names of the robot's xacro files, None for a robot of another format."""
    if not xacro_roots:
        return None
    from kinetree.xacro_text.reading import read_program  # takes 10 ms, which other formats save

    return read_program(robot, xacro_roots, packages)


def attached_at(program: Program | None) -> AttachedAt:
    """Return the function that finds the calls of macros which attach joints to their parent links."""

    def place(joint: Joint) -> Source | None:
        for macro in program.macros if program and joint.source else ():
            for element in macro.element.walk():
                here = element.tag == "joint" and joint.source and element.source.place == joint.source.place
                if here and program and (parent := element.find("parent")):
                    return _argument(program, macro, parent.get("link") or "", joint.parent)
        return None

    return place


def _argument(program: Program, macro: Macro, written: str, value: str, depth: int = 0) -> Source | None:
    """Return the place of an argument with a value, in the calls of a macro or of the macros around these.

    written: the text in the macro that has the value.
    """
    match = PARAMETER.fullmatch(written)
    if match is None or depth == DEEPEST:
        return None
    for call in program.calls:
        given = call.element.get(match[1]) if call.name == macro.name else None
        if given == value:
            return call.element.place(match[1])
        outer = call.place.macros[-1:] if given else ()
        if found := next(filter(None, (_argument(program, m, given or "", value, depth + 1) for m in outer)), None):
            return found
    return None
