"""Rules about the macros of xacro files, in the files as they were written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from kinetree.conventions.rule import Rule
from kinetree.conventions.subject import fact
from kinetree.errors import Finding
from kinetree.formats.xml import Element, Report, parse
from kinetree.model.robot import Robot

PREFIX = re.compile(r"(.+_)?prefix")
"""Parameters that are to go before names."""
DEFINING = {"link": "name", "joint": "name"}
"""Elements to the attribute that names what they are."""
NAMING = {**DEFINING, "parent": "link", "child": "link", "mimic": "joint", "gazebo": "reference"}
"""Elements to the attribute that names a link or a joint."""
SHARED = ("world", "map", "odom")
"""Links that are no macro's own."""


@fact
def macros(robot: Robot) -> tuple[Element, ...] | None:
    """The <xacro:macro>s of all files that the robot was made of, called or not; None where xacro did not make it."""
    if robot.text is None or not robot.text.files:
        return None
    roots = [parse(text, file, Report()) for file, text in robot.text.files.items()]
    return tuple(element for root in roots if root for element in root.walk() if element.tag == "xacro:macro")


class PrefixLeak(Rule):
    """A macro with a prefix puts it before the name of every link and joint.

    The prefix is there so that the macro can be called twice. A name without it then stands twice in the robot, or a
    part of the second arm hangs on the first. A parent or a leader that the macro does not make itself is left alone:
    it is what the macro's parts are put on.
    """

    code = "XAC-001"
    level = "SHOULD"
    clause = "a name without the macro's prefix is the same in every call"
    url = "https://wiki.ros.org/xacro#Macros"
    base: ClassVar[str | None] = """<?xml version="1.0"?>
<robot name="arms" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="arm" params="prefix">
    <link name="${prefix}base_link"/>
    <link name="${prefix}link_1"/>
    <joint name="${prefix}joint_1" type="fixed">
      <parent link="${prefix}base_link"/>
      <child link="${prefix}link_1"/>
    </joint>
  </xacro:macro>
  <xacro:arm prefix="left_"/>
</robot>
"""
    base_format = "xacro"
    good = 'name="${prefix}joint_1"'
    bad = 'name="joint_1"'

    def check(self, macros: tuple[Element, ...]) -> Iterator[Finding]:
        """Names in macros that take a prefix, but have no expression in them."""
        for macro in macros:
            prefix = next(filter(PREFIX.fullmatch, parameters(macro)), None)
            for element in leaks(macro) if prefix else ():
                attribute = NAMING[element.tag]
                name = element.get(attribute)
                message = f"<{element.tag} {attribute}={name!r}> is without the ${{{prefix}}} that the macro takes"
                yield self.finding(message, f"macro {macro.get('name')!r}", source=element.place(attribute))


def parameters(macro: Element) -> list[str]:
    """The names of a macro's parameters, without defaults and the stars of blocks."""
    quoted = r"'[^']*'|\"[^\"]*\"|\$\([^)]*\)|\$\{[^}]*\}"
    words = re.findall(rf"(?:{quoted}|[^\s'\"])+", macro.get("params") or "")
    return [re.split(":=|=", word)[0].lstrip("*") for word in words]


def leaks(macro: Element) -> list[Element]:
    """Elements of a macro that name what it makes, or would make with a prefix, by a text without an expression."""
    naming = [(element, name) for element in _parts(macro) if (name := element.get(NAMING.get(element.tag, "")))]
    made = {re.sub(r"\$\{[^}]*\}", "", name) for element, name in naming if element.tag in DEFINING}
    return [element for element, name in naming if "$" not in name and name in made and name not in SHARED]


def _parts(element: Element) -> Iterator[Element]:
    """All elements inside but those of other macros and of simulators, which have other names in them."""
    for child in element.children:
        yield child
        if child.tag not in ("xacro:macro", "gazebo"):
            yield from _parts(child)


RULES: tuple[type[Rule], ...] = (PrefixLeak,)
