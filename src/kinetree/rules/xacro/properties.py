"""Rules about properties of xacro that several files define."""

from collections.abc import Iterator
from typing import NamedTuple

from kinetree.rules.rule import Element, Found, Threshold
from kinetree.rules.xacro.macros import XacroTextRule
from kinetree.xacro_text.names import used_in
from kinetree.xacro_text.text import Macro, Program

ALIKE = Threshold(0.01, "", "largest relative difference of two numbers that are the same with other digits")


class Definition(NamedTuple):
    """A definition of a property outside of macros and conditions. macros: those that were defined before it in the
    order of evaluation. files: the file that it is in, last, and those that include this one."""

    element: Element
    macros: int
    files: tuple[str, ...]


class OneValue(XacroTextRule):
    """A property has the same value for all macros that use it.

    A macro is evaluated when it is called. If another file has set a property of the same name in the meantime, the
    macro gets that value.
    """

    code = "XAC-012"
    thresholds = (ALIKE,)
    evidence = "heuristic"
    clause = "properties are global, and the last value is used"
    good = '<xacro:if value="true">'
    bad = (
        '<xacro:property name="gap" value="0.1"/>\n'
        '  <xacro:macro name="left"><link name="l"><origin xyz="${gap} 0 0"/></link></xacro:macro>\n'
        '  <xacro:property name="gap" value="0.3"/>\n'
        '  <xacro:macro name="right"><link name="r"><origin xyz="${gap} 0 0"/></link></xacro:macro>\n'
        "  " + good
    )

    def check(self, program: Program) -> Found:
        """A second value before any use of the first, which a macro between them uses, and a macro after it, too. A
        file that includes another may set its properties."""
        if len({d.get("name") for d, _ in program.defined}) == len(program.defined):
            return
        for first, second in _replaced(program):
            before, now = first.get("value") or "", second.get("value") or ""
            where = first.source
            there = f"line {where.line}" if where.file == second.source.file else f"{where.file}, line {where.line}"
            message = f"the value {now!r} replaces {before!r} of {there}, also for the macros there"
            yield self.at(second, "value", f"{message}; use another name")


def _replaced(program: Program) -> Iterator[tuple[Element, Element]]:
    """Yield two definitions of a property, of which the second replaces the first before it is used."""
    current: dict[str, Definition] = {}
    macros: list[Macro] = []
    found: list[tuple[Element, Definition, Definition]] = []
    known = {id(macro.element): macro for macro in program.macros}
    always = {id(element) for element, place in program.defined if place.always and not place.macros}
    for element, files in _in_order(program, program.roots[0], (program.roots[0].document.file,)):
        if element.tag == "xacro:macro" and id(element) in known:
            macros.append(known[id(element)])
        elif element.tag == "xacro:property":
            name = element.get("name") or ""
            first = current.pop(name, None)
            is_literal = "$" not in (element.get("value") or "$") and element.get("scope") is None
            if id(element) in always and is_literal:
                current[name] = Definition(element, len(macros), files)
                # a file that includes the other may mean to set its property
                if first and (first.files == files or files[-1] not in first.files) and _differ(first.element, element):
                    found.append((element, first, current[name]))
        else:
            for name in _read(element, program):
                current.pop(name, None)
    for element, first, second in found:
        name = element.get("name") or ""
        between, later = macros[first.macros : second.macros], macros[second.macros :]
        if _uses(between, name, first.files[-1], program) and _uses(later, name, second.files[-1], program):
            yield first.element, element


def _in_order(program: Program, root: Element, files: tuple[str, ...]) -> Iterator[tuple[Element, tuple[str, ...]]]:
    """Yield the elements of a file outside of macros, in the order of evaluation, each with the files around it."""
    queue = [*reversed(root.children)]
    while queue:
        element = queue.pop()
        other = program.included.get(id(element))
        if other and other.document.file not in files:
            yield from _in_order(program, other, (*files, other.document.file))
            continue
        yield element, files
        if element.tag not in ("xacro:macro", "xacro:property"):
            queue += reversed(element.children)


def _read(element: Element, program: Program) -> set[str]:
    """Return the properties that an element uses, with those of the macro that it calls; all names if unknown."""
    own = {name for use in program.uses_of.get(id(element), ()) for name in use.words.names}
    for macro in program.by_name.get(element.tag.removeprefix("xacro:"), ()) if element.tag[:6] == "xacro:" else ():
        used = used_in(macro, program)
        own |= program.properties if used is None else used
    return own | (program.properties if element.tag == "xacro:call" else set())


def _differ(first: Element, second: Element) -> bool:
    """Return whether two values differ by more than the digits of one number."""
    texts = [element.get("value") or "" for element in (first, second)]
    try:
        one, other = map(float, texts)
    except ValueError:
        return texts[0].split() != texts[1].split()
    return abs(one - other) > ALIKE * max(abs(one), abs(other))


def _uses(macros: list[Macro], name: str, file: str, program: Program) -> bool:
    """Return whether one of some macros is in a file and uses a name that it does not define."""
    return any(
        macro.element.document.file == file and name not in program.local[id(macro.element)]
        for macro in macros
        for use in program.uses_in.get(id(macro.element), ())
        if name in use.words.names
    )
