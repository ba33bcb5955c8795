"""A grammar of xacro expressions: what robots' files write, and what nobody should."""

from __future__ import annotations

import random

NAMES = ("a", "b", "name", "data", "point", "pi", "True", "None", "python", "math", "xacro", "str", "int", "radians")
NUMBERS = ("0", "1", "-1", "2.5", "1e3", "0x10", "10**3", "1e308", "9" * 30, "1j", "True")
STRINGS = ("'link'", "''", "'%s'", "'{0.__class__}'", "'é'", "b'a'", "'a' 'b'", "f'{a}'")
BINARY = ("+", "-", "*", "/", "//", "%", "**", "<<", "|", "@", "and", "or", "==", "<", ">=", "in", "not in", "is")
CALLS = ("sin", "sqrt", "len", "range", "list", "dict", "max", "sum", "map", "sorted", "str", "int", "abs", "zip")
CALLS += ("xacro.load_yaml", "load_yaml", "math.atan2", "python.map", "python.vars", "python.type", "getattr", "open")
METHODS = ("format", "join", "split", "upper", "replace", "ljust", "items", "get", "append", "__class__", "count")
LARGEST = 6
"""Levels of nesting."""


def expression(rng: random.Random, depth: int = 0) -> str:
    """Return an expression made by lot."""
    if depth >= LARGEST or rng.random() < 0.2:
        return rng.choice(rng.choice((NAMES, NUMBERS, STRINGS)))

    def more() -> str:
        return expression(rng, depth + 1)

    kind = rng.randrange(13)
    if kind < 3:
        return f"({more()} {rng.choice(BINARY)} {more()})"
    if kind == 3:
        return f"{rng.choice(('-', '+', 'not ', '~'))}{more()}"
    if kind == 4:
        return f"{more()} if {more()} else {more()}"
    if kind == 5:
        return f"[{', '.join(more() for _ in range(rng.randrange(4)))}]"
    if kind == 6:
        return f"{{{', '.join(f'{more()}: {more()}' for _ in range(rng.randrange(3)))}}}"
    if kind == 7:
        return f"{more()}[{more()}]"
    if kind == 8:
        return f"{more()}[{more()}:{rng.choice(('', '2'))}]"
    if kind == 9:
        return f"{rng.choice(CALLS)}({', '.join(more() for _ in range(rng.randrange(3)))})"
    if kind == 10:
        return f"{more()}.{rng.choice(METHODS)}({more()})"
    if kind == 11:
        close = rng.choice(("[]", "()", "{}"))
        return f"{close[0]}{more()} for x in {more()}{rng.choice(('', ' if x'))}{close[1]}"
    return rng.choice((f"(lambda x: {more()})({more()})", f"{more()}.{rng.choice(NAMES)}", f"(y := {more()})"))


def file(rng: random.Random) -> bytes:
    """Return a xacro file with some expressions where robots' files have them."""

    def said() -> str:
        text = expression(rng).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        return f"$(eval {text})" if rng.random() < 0.2 else f"${{{text}}}"

    return f"""<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="a" value="2"/><xacro:property name="b" value="{said()}"/>
<xacro:property name="data" value="${{dict(x=1, y=[1, 2], z=dict(name='n'))}}"/>
<xacro:property name="name" value="link" /> <xacro:property name="point" value="{said()}"/>
<xacro:macro name="m" params="p:={said()} q:=^|{rng.randrange(9)} *block **blocks">
<link name="${{name}}_${{p}}_${{point}}"/></xacro:macro>
<link name="base_{said()}"/><xacro:if value="{said()}"><link name="{said()}"/></xacro:if>
<xacro:unless value="{said()}"><link name="z"/></xacro:unless>
<xacro:m p="{said()}"><x/><y/></xacro:m>
</robot>""".encode()
