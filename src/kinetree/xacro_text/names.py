"""Names that xacro files use but nothing defines, or define but nothing uses."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from kinetree.syntax.xml.reader import Element
from kinetree.xacro_text.package import WORD, is_defined_around, package_of
from kinetree.xacro_text.text import Call, Macro, Program, Use

BRACES = re.compile(r"(?<![{$#])\{([^\W\d]\w*)\}(?!\})")
"""A name in braces without `$`."""
DOLLAR = re.compile(r"\$(?=\w)([^\W\d]\w*)")
WHOLE = re.compile(r"\s*\{([^{}$:]+)\}\s*")
"""An expression in braces that is a whole value."""
EVAL = re.compile(r"\$\(eval\s[^$]*")
FILE_NAME = re.compile(r"""(?<=["'>\s])(?:\$\(find\s+[\w.-]+\)|package://[\w.-]+)/[\w./-]+\.\w+(?=\s*["'<])""")
"""A file in a package, written without expressions."""
LIKE = 0.8
"""How alike two names are of which one may be meant as the other; 1 for equal ones."""


def near(name: str, known: Iterable[str]) -> str:
    """Return a clause with the known name that is most like another, if one is like it."""
    from difflib import get_close_matches  # takes 6 ms and is rarely needed

    found = get_close_matches(name, list(known), 1, LIKE)
    return f"; did you mean {found[0]!r}?" if found else ""


def undefined(program: Program) -> Iterator[tuple[Use, str, set[str]]]:
    """Yield each use of a name that nothing defines, and the names that are known there.

    A program that is not whole may be a part of others that define the name. So it is only undefined if it is like a
    parameter of the macro that is not used, or if no file of its package holds the name in a definition.
    """
    every = program.properties.union(*program.local.values())
    sure = program.whole and program.complete
    inherited = _inherited(program) if sure else {}
    for use in program.uses:
        known = program.scope(use.place.macros) if use.words.names else set()
        for name in use.words.names:
            if name in known or "$" in name or (use.place.lazy and name in every):
                continue
            if sure:
                names = inherited.get(use.place.macros[-1].name, known) if use.place.macros else known
                if name not in names and name not in known:
                    yield use, name, known
            elif name not in every and lacks_quotes(name, use):
                yield use, name, known
            elif name not in every and use.place.macros:
                if alike := _unused_like(name, use, program):
                    yield use, name, alike
                elif not is_defined_around(name, use.element.document.file):
                    yield use, name, known


def lacks_quotes(name: str, use: Use) -> bool:
    """Return whether a name that the package does not define is compared with another, and its file has it as text."""
    document = use.element.document
    text, package = use.element.get(use.attribute or "") or "", package_of(document.file)
    if not re.search(rf"\w\s*[=!]=\s*{name}\s*(?:[)}}]|and\b|or\b)", text) or not package or package.words is None:
        return False
    plain = re.sub(r"\$\{[^}]*\}", "", document.data.decode(errors="replace"))
    return name not in package.words and re.search(rf"(?<![\w.$/-]){name}(?![\w./-])", plain) is not None


def _unused_like(name: str, use: Use, program: Program) -> set[str]:
    """Return the parameters of the macros around that are like a name, and that the macros do not use."""
    parameters = {p.plain for macro in use.place.macros for p in macro.parameters}
    used = {n for other in program.uses if other.place.macros == use.place.macros for n in other.words.names}
    return {p for p in parameters - used if len(p) > 4 and near(name, [p])}


def left_to_callers(program: Program) -> Iterator[tuple[Use | Call, str]]:
    """Yield the first use of each name and each macro in macros of the robot's own file that no file of its package
    defines, if none of them includes the file: files of other packages may do both."""
    file = program.roots[0].document.file
    is_known = program.whole or not program.complete
    package = None if is_known else package_of(file)
    words = package.words if package else None
    if package is None or words is None or Path(file).name in words:
        return
    known = program.properties.union(words, *program.local.values())
    for use in program.uses:
        if use.place.macros and use.element.document is program.roots[0].document:
            for name in use.words.names:
                if name not in known and "$" not in name:
                    known.add(name)
                    yield use, name
    known = {*package.macros, *program.by_name}
    for call in program.calls:
        name = call.name.rpartition(".")[2]
        if name not in known and "$" not in name and call.element.document is program.roots[0].document:
            known.add(name)
            yield call, name


def _inherited(program: Program) -> dict[str, set[str]]:
    """Return, by the names of macros, the names that their callers define: these are known in a macro too."""
    found: dict[str, set[str]] = {macro.name: set() for macro in program.macros}
    changed = True
    while changed:
        changed = False
        for call in program.calls:
            names = set().union(*(program.local[id(m.element)] | found[m.name] for m in call.place.macros))
            callees = found if "$" in call.name else [call.name.rpartition(".")[2]]
            for callee in callees:
                if callee in found and not names <= found[callee]:
                    found[callee] |= names
                    changed = True
    return found


def is_of_this_robot(use: Use, program: Program) -> bool:
    """Return whether a name is used in the robot's own file, outside of macros, or in macros that the robot calls."""
    own = use.element.document is program.roots[0].document
    return own or all(macro.name in program.reached for macro in use.place.macros)


def called(program: Program) -> Iterator[tuple[Call, Macro]]:
    """Yield each call with its macro, if there is only one of the name."""
    for call in program.calls:
        found = program.by_name.get(call.name, [])
        if len(found) == 1:
            yield call, found[0]


def misfits(call: Element, macro: Macro) -> Iterator[str]:
    """Yield what is wrong with the attributes and blocks of a call."""
    known = [p.name for p in macro.parameters if not p.block]
    given = [name for name in call.attributes if not name.startswith(("xmlns", "xacro:")) and name != "macro"]
    missing = [p.name for p in macro.parameters if p.required and not p.block and p.name not in given]
    for name in given:
        if name not in known:
            alike = near(name, missing or known)
            missing = [other for other in missing if repr(other) not in alike]
            yield f"there is no parameter {name!r}{alike}"
    if missing:
        more = f" and {len(missing) - 6} more" if len(missing) > 6 else ""
        yield f"{', '.join(map(repr, missing[:6]))}{more} must be given"
    blocks = sum(parameter.block for parameter in macro.parameters)
    if len(call.children) != blocks and not any(child.tag.startswith("xacro:") for child in call.children):
        yield f"{len(call.children)} blocks are given, and {blocks} expected"


def used_in(macro: Macro, program: Program) -> set[str] | None:
    """Return the names that a macro and those that it calls use; None if that is not known."""
    names, queue, seen = set(program.lazy), [macro], {macro.name}
    for other in queue:
        at = id(other.element)
        uses = program.uses_in.get(at, ())
        if at in program.including or any(use.words.faults or "$" in "".join(use.words.names) for use in uses):
            return None
        names.update(name for use in uses for name in use.words.names)
        for call in program.calls_in.get(at, ()):
            callees = program.by_name.get(call.name, [])
            if not callees:
                return None
            names.update(p.plain for callee in callees for p in callee.parameters if p.forwarded)
            queue += callees if call.name not in seen else []
            seen.add(call.name)
    return names


def used_arguments(program: Program) -> set[str] | None:
    """Return the arguments that the files use, None if that depends on values."""
    texts = [root.document.data.decode(errors="replace") for root in program.roots]
    is_whole = program.whole and program.complete
    if not is_whole or any(re.search(r"\$\(arg\s+\$|xacro:eval-comments", text) for text in texts):
        return None
    names = {name for use in program.uses for name in use.words.arguments}
    return names | {word for text in texts for part in EVAL.findall(text) for word in WORD.findall(part)}


def absent(program: Program) -> Iterator[tuple[Element, str | None, str]]:
    """Yield the elements that name files which do not exist, with the attribute, or None for the text."""
    for root in program.roots if program.absent else ():
        for element in root.walk():
            texts = [(name, text) for name, text in element.attributes.items() if element.tag != "xacro:include"]
            for attribute, text in (*texts, (None, element.text)):
                for name in FILE_NAME.findall(f'"{text}"') if "/" in text else ():
                    if name in program.absent:
                        yield element, attribute, name


def in_braces(text: str, whole: bool, known: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the names and expressions in a text that lack `$` or braces, as written, without them. whole: whether only
    the whole text is one."""
    from kinetree.formats.xacro.words import NUMBERS, words_of  # takes 10 ms, and files of other formats need none

    match = WHOLE.fullmatch(text)
    names = words_of(f"${{{match[1]}}}") if match else None
    every = WORD.findall(match[1]) if match else []
    if match and names and not names.faults and every and known.union(NUMBERS).issuperset(every):
        yield text.strip(), match[1]
    elif not whole:
        for pattern in (BRACES, DOLLAR):
            yield from ((match[0], match[1]) for match in pattern.finditer(text) if match[1] in known)
