"""Rules about the macros of xacro files, in the files as they were written."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar

from kinetree.model.references import REFERENCES
from kinetree.rules.rule import Element, Found, Rule, Threshold, fact

NOTHING: Mapping[str, str] = MappingProxyType({})
EXPRESSION = re.compile(r"\$\{\s*(\w+)\s*\}")
"""One name in braces."""
LED = re.compile(r"\$\{\s*(\w+)\s*\}(\w+)")
"""A name that begins with one name in braces."""
PREFIX = re.compile(r"(.+_)?prefix")
"""Names of parameters for prefixes."""
NAMING = dict(REFERENCES["urdf"].keys())
"""Elements, and their attribute that names a link or a joint."""
DEFINING = {tag for tag, attribute in NAMING.items() if attribute == "name"}
"""Elements that define what they name."""
SHARED = ("world", "map", "odom")
"""Links that do not belong to a macro."""
ROOTS = ("base_link", "base_footprint")
"""Links that a robot has once, even if the macro has a parameter that acts as a prefix."""
EQUAL = "it is the same in every call of the macro"
LEADS = Threshold(4, "names", "smallest number of names that a parameter of any name precedes if it is a prefix")
SHARE = Threshold(0.75, "", "smallest part of the names that such a parameter precedes")


@fact
def macros(xacro_roots: tuple[Element, ...] | None) -> tuple[Element, ...] | None:
    """Return the <xacro:macro>s of these files, called or not."""
    if xacro_roots is None:
        return None
    return tuple(element for root in xacro_roots for element in root.walk() if element.tag == "xacro:macro")


class PrefixLeak(Rule):
    """A macro with a prefix puts it before the name of every link and joint.

    With a prefix a macro can be called twice. A name without the prefix then occurs twice in the robot, or a part of
    the second arm is attached to the first. The same happens if the prefix of one call, or a property with one value,
    is used instead. Links and joints that the macro does not make itself need no prefix.
    """

    code = "XAC-001"
    thresholds = (LEADS, SHARE)
    of_text = True
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

    def check(self, macros: tuple[Element, ...], xacro_roots: tuple[Element, ...]) -> Found:
        """Names in macros that take a prefix, but are the same in every call; references of <gazebo> to a link whose
        name has a parameter before it, in a macro with that parameter."""
        constants, calls = constants_of(xacro_roots), _calls(xacro_roots)
        for macro in macros:
            prefix = prefix_of(macro)
            if prefix is None:
                continue
            given = {call.get(prefix) or "" for call in calls.get(f"xacro:{macro.get('name')}", ())}
            same = leaks(macro, prefix, constants, given)
            if len(same) > 1 and not any("$" in name and prefix in name for _, name in _naming(macro)):
                first = NAMING[same[0].tag]
                message = (
                    f"the macro puts {prefix!r} before none of its names: all are the same in every call, the first is "
                    f"<{same[0].tag} {first}={same[0].get(first)!r}>"
                )
                fix = f"write ${{{prefix}}} before each name, or remove the parameter"
                yield self.finding(message, f"macro {macro.get('name')!r}", source=same[0].place(first), fix=fix)
                continue
            made = {element.get("name") for element in same if element.tag in DEFINING}
            for element in same:
                attribute = NAMING[element.tag]
                name = element.get(attribute)
                if name in made and element.tag not in DEFINING:
                    continue  # it follows the name that is reported
                message = f"<{element.tag} {attribute}={name!r}> lacks the prefix: {EQUAL}"
                about, fix = f"macro {macro.get('name')!r}", f"write it with the prefix ${{{prefix}}}"
                yield self.finding(message, about, source=element.place(attribute), fix=fix)
        for macro, element, expected in fixed_references(macros, xacro_roots):
            message = f"<gazebo reference={element.get('reference')!r}> lacks the prefix: {EQUAL}"
            about, fix = f"macro {macro.get('name')!r}", f"write it as {expected}"
            yield self.finding(message, about, source=element.place("reference"), fix=fix)


def prefix_of(macro: Element) -> str | None:
    """Return the parameter that is a prefix of names, by its own name or because it precedes nearly all names of the
    macro."""
    known = parameters(macro)
    if called_so := next(filter(PREFIX.fullmatch, known), None):
        return called_so
    made = [name for element, name in _naming(macro) if element.tag in DEFINING]
    first = Counter(match[1] for name in made if (match := re.match(r"\$\{\s*(\w+)", name)) and match[1] in known)
    parameter, count = first.most_common(1)[0] if first else ("", 0)
    return parameter if count >= LEADS and count >= SHARE * len(made) else None


def parameters(macro: Element) -> list[str]:
    """Return the names of a macro's parameters, without defaults and the stars of blocks."""
    quoted = r"'[^']*'|\"[^\"]*\"|\$\([^)]*\)|\$\{[^}]*\}"
    words = re.findall(rf"(?:{quoted}|[^\s'\"])+", macro.get("params") or "")
    return [re.split(":=|=", word)[0].lstrip("*") for word in words]


def leaks(
    macro: Element, prefix: str, constants: Mapping[str, str] = NOTHING, given: Collection[str] = ()
) -> list[Element]:
    """Return the elements of a macro that name its own parts by a constant text.

    constants: properties with one value wherever the macro is called. given: texts of the prefix in calls.
    """
    local = {*parameters(macro), *(part.get("name") for part in parts(macro) if part.tag == "xacro:property")}
    own = {name: value for name, value in constants.items() if name not in local}
    naming = [
        (element, EXPRESSION.sub(lambda match: own.get(match[1], match[0]), name)) for element, name in _naming(macro)
    ]
    made = {re.sub(r"\$\{[^}]*\}", "", name) for element, name in naming if element.tag in DEFINING}
    others = SHARED if PREFIX.fullmatch(prefix) else (*SHARED, *ROOTS)
    expanded = {value + name for value in given if "$" not in value for name in made}
    return [element for element, name in naming if "$" not in name and name in made | expanded and name not in others]


def fixed_references(macros: Iterable[Element], roots: Iterable[Element]) -> Iterator[tuple[Element, Element, str]]:
    """Yield each macro with a <gazebo> in it that names, for one value of a parameter of the macro, a link or joint
    whose name begins with that parameter, and the name as expected."""
    found = [
        (macro, block)
        for macro in macros
        for block in macro.walk()
        if block.tag == "gazebo" and "$" not in (block.get("reference") or "$")
    ]
    if not found:
        return
    values: dict[str, set[str]] = {}
    defaults = {one.get("name"): one.get("default") or "" for root in roots for one in root.find_all("xacro:arg")}
    for call in (element for root in roots for element in root.walk() if element.tag.startswith("xacro:")):
        for name, value in call.attributes.items():
            argument = re.fullmatch(r"\$\(arg\s+(\w+)\)", value)
            values.setdefault(name, set()).add(defaults.get(argument[1], "$") if argument else value)
    written: dict[tuple[str, str], str] = {}
    for macro in macros:
        for element, name in _naming(macro):
            match = LED.fullmatch(name) if element.tag in DEFINING else None
            if match and match[1] in parameters(macro):
                written |= {(match[1], value + match[2]): name for value in ("", *values.get(match[1], ()))}
    for macro, block in found:
        name = block.get("reference") or ""
        expected = (written[p, name] for p in parameters(macro) if (p, name) in written)
        if name not in (*SHARED, *ROOTS) and (one := next(expected, None)):
            yield macro, block, one


def constants_of(roots: Iterable[Element]) -> dict[str, str]:
    """Return the properties outside of macros that are set once to a value without expressions."""
    values: dict[str, set[str | None]] = {}
    for root in roots:
        for element in parts(root):
            if element.tag == "xacro:property":
                values.setdefault(element.get("name") or "", set()).add(element.get("value"))
    return {name: value for name, (value, *more) in values.items() if not more and value and "$" not in value}


def _calls(roots: Iterable[Element]) -> dict[str, list[Element]]:
    calls: dict[str, list[Element]] = {}
    for root in roots:
        for element in root.walk():
            if element.tag.startswith("xacro:"):
                calls.setdefault(element.tag, []).append(element)
    return calls


def _naming(macro: Element) -> list[tuple[Element, str]]:
    """Return the elements of a macro that name a link or a joint, with the written names."""
    return [(element, name) for element in parts(macro) if (name := element.get(NAMING.get(element.tag, "")))]


def parts(element: Element) -> Iterator[Element]:
    """Yield all elements inside, without those of other macros and of simulators, which have other names."""
    for child in element.children:
        yield child
        if child.tag not in ("xacro:macro", "gazebo"):
            yield from parts(child)
