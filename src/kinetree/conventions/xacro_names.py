"""Names that xacro files use but nothing defines, or define but nothing uses."""

import re
from collections.abc import Iterable, Iterator

from kinetree.conventions.xacro_text import Call, Macro, Program, Use
from kinetree.formats.xml import Element

EVAL = re.compile(r"\$\(eval\s[^$]*")
WORD = re.compile(r"[^\W\d]\w*")
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
    parameter of the macro that is not used.
    """
    every = program.properties.union(*program.local.values())
    sure = program.whole and program.complete
    inherited = _inherited(program) if sure else {}
    for use in program.uses:
        for name in use.words.names:
            known = program.scope(use.place.macros)
            if name in known or "$" in name or (use.place.lazy and name in every):
                continue
            if sure:
                names = inherited.get(use.place.macros[-1].name, known) if use.place.macros else known
                if name not in names and name not in known:
                    yield use, name, known
            elif name not in every and (alike := _unused_like(name, use, program)):
                yield use, name, alike


def _unused_like(name: str, use: Use, program: Program) -> set[str]:
    """Return the parameters of the macros around that are like a name, and that the macros do not use."""
    parameters = {p.plain for macro in use.place.macros for p in macro.parameters}
    used = {n for other in program.uses if other.place.macros == use.place.macros for n in other.words.names}
    return {p for p in parameters - used if len(p) > 4 and near(name, [p])}


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


def called(program: Program) -> Iterator[tuple[Call, Macro]]:
    """Yield each call with its macro, if there is only one of the name."""
    by_name: dict[str, list[Macro]] = {}
    for macro in program.macros:
        by_name.setdefault(macro.name, []).append(macro)
    for call in program.calls:
        found = by_name.get(call.name, [])
        if len(found) == 1:
            yield call, found[0]


def misfits(call: Element, macro: Macro) -> Iterator[str]:
    """Yield what is wrong with the attributes and blocks of a call."""
    known = [p.name for p in macro.parameters if not p.block]
    given = [name for name in call.attributes if not name.startswith(("xmlns", "xacro:")) and name != "macro"]
    missing = [p.name for p in macro.parameters if p.required and not p.block and p.name not in given]
    for name in given:
        if name not in known:
            yield f"there is no parameter {name!r}{near(name, missing or known)}"
    if missing:
        more = f" and {len(missing) - 6} more" if len(missing) > 6 else ""
        yield f"{', '.join(map(repr, missing[:6]))}{more} must be given"
    blocks = sum(parameter.block for parameter in macro.parameters)
    if len(call.children) != blocks and not any(child.tag.startswith("xacro:") for child in call.children):
        yield f"{len(call.children)} blocks are given, and {blocks} expected"


def used_in(macro: Macro, program: Program, seen: frozenset[str] = frozenset()) -> set[str] | None:
    """Return the names that a macro and those that it calls use; None if that is not known."""
    names: set[str] = set()
    if any(macro in place.macros for _, place in program.includes):
        return None
    for use in program.uses:
        inside = macro in use.place.macros
        if inside and (use.words.faults or "$" in "".join(use.words.names)):
            return None
        if inside or use.place.lazy:
            names.update(use.words.names)
    for call in program.calls:
        if macro not in call.place.macros or call.name in seen:
            continue
        callees = [other for other in program.macros if other.name == call.name]
        if not callees:
            return None
        for callee in callees:
            names |= {p.plain for p in callee.parameters if p.forwarded}
            more = used_in(callee, program, seen | {call.name})
            if more is None:
                return None
            names |= more
    return names


def used_arguments(program: Program) -> set[str] | None:
    """Return the arguments that the files use, None if that depends on values."""
    texts = [root.document.data.decode(errors="replace") for root in program.roots]
    if not (program.whole and program.complete) or any(
        re.search(r"\$\(arg\s+\$|xacro:eval-comments", t) for t in texts
    ):
        return None
    names = {name for use in program.uses for name in use.words.arguments}
    return names | {word for text in texts for part in EVAL.findall(text) for word in WORD.findall(part)}
