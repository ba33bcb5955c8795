"""Rules about names, calls and includes in xacro files, also in macros that are not called and branches not taken."""

import re
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from kinetree.formats.registry import ReadOptions
from kinetree.rules.options import CheckOptions
from kinetree.rules.rule import Element, Finding, Found, Rule
from kinetree.xacro_text.known_packages import OF_MODELS, is_missing
from kinetree.xacro_text.names import (
    absent,
    called,
    in_braces,
    is_of_this_robot,
    lacks_quotes,
    left_to_callers,
    misfits,
    near,
    undefined,
    used_arguments,
    used_in,
)
from kinetree.xacro_text.reading import INSTRUCTIONS
from kinetree.xacro_text.text import MOST_MACROS, Call, Program, Use

OLD = re.compile(rb"deprecat|obsolete|no longer", re.IGNORECASE)
"""Words of a comment about an argument that is kept for programs that still give it."""
ARM = """<?xml version="1.0"?>
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="reach" default="0.5"/>
  <xacro:property name="side" value="left_"/>
  <xacro:macro name="arm" params="prefix length *origin">
    <link name="${prefix}link_1"/>
    <link name="${prefix}link_2"/>
    <joint name="${prefix}joint_2" type="fixed">
      <parent link="${prefix}link_1"/>
      <child link="${prefix}link_2"/>
      <xacro:insert_block name="origin"/>
    </joint>
    <link name="${prefix}tip"/>
    <joint name="${prefix}tip_joint" type="fixed">
      <parent link="${prefix}link_2"/>
      <child link="${prefix}tip"/>
      <origin xyz="${length} 0 0"/>
    </joint>
  </xacro:macro>
  <xacro:if value="true">
    <xacro:arm prefix="" length="$(arg reach)"><origin xyz="0 0 0.3"/></xacro:arm>
  </xacro:if>
  <xacro:unless value="true">
    <xacro:arm prefix="${side}" length="$(arg reach)"><origin xyz="0 0 0.4"/></xacro:arm>
  </xacro:unless>
</robot>
"""
LEFT = '<xacro:arm prefix="${side}" length="$(arg reach)"><origin xyz="0 0 0.4"/></xacro:arm>'
PLACING = re.compile(r"(.+_)?prefix|parent(_link)?")
"""Names of parameters that name or place what a macro makes."""


class XacroTextRule(Rule):
    """A rule about the text of xacro files; its examples are a macro with a call in a branch that is not taken."""

    of_text = True
    url: ClassVar[str] = "https://wiki.ros.org/xacro"
    base: ClassVar[str | None] = ARM
    base_format: ClassVar[str] = "xacro"

    def at(self, element: Element, attribute: str | None, message: str) -> Finding:
        """Return a finding at an attribute of an element."""
        source = element.place(attribute) if attribute else element.source
        return self.finding(message, element.label.removeprefix("xacro:"), source=source)


class DefinedNames(XacroTextRule):
    """Every name in ${…} and $(arg …) is defined.

    Macros that are not called, and branches that are not taken, are not evaluated. The robot fails to load when
    somebody calls the macro or changes an argument.
    """

    code = "XAC-002"
    clause = "properties, parameters and arguments are defined before they are used"
    good, bad = LEFT, LEFT.replace("$(arg reach)", "${reach}")

    def check(self, program: Program) -> Found:
        """A name that no file of the robot defines; in files of macros alone, a parameter with a slip in its name, a
        text that is compared without quotation marks, and as a remark a name that every caller has to define. Not an
        argument in a macro of another file that the robot does not call: robots that call it may declare it."""
        declared = [argument.get("name") or "" for argument in program.arguments]
        seen = set()
        for use, name, known in undefined(program):
            if (key := (id((use.place.macros or [None])[-1]), name)) not in seen:
                seen.add(key)
                fix = near(name, known) or "; a text needs quotation marks" * lacks_quotes(name, use)
                yield self.at(use.element, use.attribute, f"the name {name!r} is not defined{fix}")
        for left, name in left_to_callers(program):
            if isinstance(left, Use):
                fix = near(name, program.properties) or "; make it a parameter of the macro, or define it here"
                message = f"no file of the package defines {name!r}{fix}"
                yield replace(self.at(left.element, left.attribute, message), severity="info")
        if program.whole and program.complete:
            sure = {name for use in program.uses if use.place.always for name in use.words.arguments}
            for use in program.uses:
                for name in use.words.arguments if is_of_this_robot(use, program) else ():
                    if name not in declared and name not in sure:
                        sure.add(name)
                        message = f"the argument {name!r} is declared by no <xacro:arg>{near(name, declared)}"
                        yield self.at(use.element, use.attribute, message)


class ReadableExpressions(XacroTextRule):
    """Every ${…} and $(…) can be read.

    In a macro that is not called, and in a branch that is not taken, xacro itself reports no fault.
    """

    code = "XAC-003"
    clause = "${…} contains an expression of Python, $(…) begins with find, arg, env, optenv, eval, anon or dirname"
    good, bad = LEFT, LEFT.replace("$(arg reach)", "${2 * * 3}")

    def check(self, program: Program) -> Found:
        """An expression that is none; the same fault once in a file."""
        faults = {(f, u.element.document.file): u for u in reversed(program.uses) for f in u.words.faults}
        for (fault, _), use in reversed(faults.items()):
            yield self.at(use.element, use.attribute, fault)


class DefinedMacros(XacroTextRule):
    """Every macro that is called is defined."""

    code = "XAC-004"
    clause = "a macro is defined before it is called"
    good, bad = LEFT, LEFT.replace("xacro:arm", "xacro:amr")

    def check(self, program: Program) -> Found:
        """A call of a macro that no file of the robot defines; one that gives nothing may be there to stop the
        expansion. A remark on a file of macros alone, if no file of its package defines the macro."""
        known = {macro.name for macro in program.macros}
        for call, name in left_to_callers(program):
            if isinstance(call, Call):
                message = f"no file of the package defines the macro {name!r}; include the file that does"
                yield replace(self.at(call.element, None, message), severity="info")
        if not (program.whole and program.complete):
            return
        for call in program.calls:
            if call.name.rpartition(".")[2] in known or "$" in call.name:
                continue
            alike = near(call.name, known)
            if alike or call.element.children or call.element.attributes.keys() - {"macro"}:
                yield self.at(call.element, None, f"there is no macro {call.name!r}{alike}")


class FittingCalls(XacroTextRule):
    """Every call of a macro gives its parameters, and no others."""

    code = "XAC-005"
    clause = "a parameter without a default is given in every call"
    good, bad = LEFT, LEFT.replace("length", "lenght")

    def check(self, program: Program) -> Found:
        """An attribute that is no parameter, or a parameter without a value."""
        for call, macro in called(program):
            known = (program.whole and program.complete) or call.element.document is macro.element.document
            if known and (wrong := "; ".join(misfits(call.element, macro))):
                yield self.at(call.element, None, f"the call does not fit macro {macro.name!r}: {wrong}")


class Braces(XacroTextRule):
    """A name in braces has a `$` before them.

    `{prefix}link_1` is a text like any other, and every arm gets a link with this name.
    """

    code = "XAC-006"
    clause = "${name} is replaced by its value, {name} is not"
    good, bad = LEFT, LEFT.replace("${side}", "{side}")

    def check(self, program: Program) -> Found:
        """{name}, where the name is that of a parameter or property, and an expression of such names that is a whole
        value."""
        if any(".format" in root.document.data.decode(errors="replace") for root in program.roots):
            return
        for use in program.uses:
            known = program.scope(use.place.macros)
            for written, name in in_braces(use.words.plain, use.attribute is None, known):
                yield self.at(use.element, use.attribute, f"{written!r} is not replaced by a value; write ${{{name}}}")


class UsedParameters(XacroTextRule):
    """Every parameter of a macro is used in it.

    The values of the others have no effect.
    """

    code = "XAC-007"
    evidence = "heuristic"
    clause = "parameters are what the macro uses"
    good = 'params="prefix length *origin"'
    bad = 'params="prefix length parent:=world *origin"'

    def check(self, program: Program) -> Found:
        """Parameters that neither the macro nor one that it calls uses; a remark if they do not place or name parts."""
        for macro in program.macros[:MOST_MACROS]:
            used = used_in(macro, program)
            unused = [] if used is None else [p.plain for p in macro.parameters if p.plain not in used]
            if unused:
                names = ", ".join(map(repr, unused))
                what = f"the parameter {names} is" if len(unused) == 1 else f"the parameters {names} are"
                finding = self.at(macro.element, "params", f"{what} never used")
                grave = any(p.plain in unused and (p.block or PLACING.fullmatch(p.name)) for p in macro.parameters)
                yield finding if grave else replace(finding, severity="info")


class UsedArguments(XacroTextRule):
    """Every argument of the robot is used.

    Other values of it make the same robot.
    """

    code = "XAC-008"
    clause = "an argument changes the robot"
    good = '<xacro:arg name="reach" default="0.5"/>'
    bad = '<xacro:arg name="reach" default="0.5"/>\n  <xacro:arg name="height" default="0.3"/>'

    def check(self, program: Program) -> Found:
        """An argument in the robot's own file that no file uses, unless the comment before it says that it is old."""
        used = used_arguments(program)
        if used is None:
            return
        for argument in program.arguments:
            name = argument.get("name") or ""
            if argument.document is program.roots[0].document and name not in used and not _is_old(argument):
                yield self.at(argument, "name", f"the argument {name!r} is never used")


def _is_old(argument: Element) -> bool:
    before = argument.document.data[max(0, argument.start - 1000) : argument.start].rstrip()
    return before.endswith(b"-->") and OLD.search(before, before.rfind(b"<!--")) is not None


class IncludedFiles(XacroTextRule):
    """Every file that the text names exists, also in branches that are not taken.

    A plug-in without its parameters does not start, and a link without its mesh is invisible.
    """

    code = "XAC-010"
    clause = "an included file exists"
    good, bad = LEFT, '<xacro:include filename="$(find arm)/missing.xacro"/>'
    context = CheckOptions(read=ReadOptions(packages={"arm": Path(__file__).parents[1] / "arm"}))

    def check(self, program: Program) -> Found:
        """A missing file, in a package that exists: of an include, or any whose whole name is written, such as
        parameters of plug-ins; not meshes of a robot that is whole, of which MSH-002 is."""
        for include, path in program.missing:
            name = include.get("filename") or ""
            if program.whole or (name.startswith("$(find") and is_missing(path, OF_MODELS[-1])):
                yield self.at(include, "filename", f"there is no file {name!r}")
        for element, attribute, name in absent(program):
            if not (program.whole and element.tag == "mesh"):
                yield self.at(element, attribute, f"there is no file {name!r}")


class WithPrefix(XacroTextRule):
    """Instructions of xacro and calls of macros begin with `xacro:`.

    Old versions of xacro obeyed others too. Today they stay in the robot as they are, where nobody reads them: it lacks
    the links and joints of a macro that is called so. The other rules judge the robot that was meant.
    """

    code = "XAC-011"
    level = "MUST"
    clause = "all xacro tags use the xacro: name space"
    good = '<xacro:insert_block name="origin"/>'
    bad = '<insert_block name="origin"/>'

    def check(self, program: Program) -> Found:
        """Instructions without the name space, and elements with the name of a macro that are neither URDF's own nor in
        a block of another program; one finding for all of a kind in a file."""
        groups: dict[tuple[str, str], list[Element]] = {}
        for element in program.bare:
            groups.setdefault((element.document.file, element.tag), []).append(element)
        for first, *others in groups.values():
            more = f", here and in {len(others)} other place{'s' * (len(others) > 1)}" if others else ""
            lacks = "" if first.tag in INSTRUCTIONS else f", so the robot lacks what the macro {first.tag!r} makes"
            message = f"xacro ignores <{first.tag}> without its prefix{more}{lacks}; write <xacro:{first.tag}>"
            yield self.at(first, None, message)


class OneAddress(XacroTextRule):
    """A prefix such as xacro has one address in all files of a robot.

    xacro warns of "inconsistent namespace redefinitions", and keeps the address of the last file.
    """

    code = "XAC-013"
    clause = "xmlns:xacro is the same in all files"
    good, bad = LEFT, f'{LEFT}<xacro:include filename="$(find arm)/old_address.xacro"/>'
    context = IncludedFiles.context

    def check(self, program: Program) -> Found:
        """Another address in an included file; one finding for each prefix."""
        own = {name: text for name, text in program.roots[0].attributes.items() if name.startswith("xmlns:")}
        for name, text in own.items():
            if others := [root for root in program.roots if root.get(name) not in (None, text)]:
                more = f" and {len(others) - 1} more files" if len(others) > 1 else ""
                where = f"{Path(others[0].document.file).name}{more}"
                message = f"{name} is {text!r}, but {others[0].get(name)!r} in {where}; write the same in all"
                yield self.at(program.roots[0], name, message)
