"""A DH chain as a MATLAB function of q, for MATLAB and Octave without toolboxes."""

import re
from collections.abc import Sequence

from kinetree.errors import fail, visible
from kinetree.formats.dh.write import Spelling
from kinetree.model.dh import DHChain, DHRow
from kinetree.model.robot import Limit
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import format_number

KEYWORDS = (
    "break case catch classdef continue do else elseif end endfor endfunction endif endswitch endwhile for function "
    "global if otherwise parfor persistent return spmd switch try until while"
)
ROWS = {
    "dh": (
        "[ct, -st * ca,  st * sa, a * ct;",
        " st,  ct * ca, -ct * sa, a * st;",
        "  0,       sa,       ca,      d;",
        "  0,        0,        0,      1]",
    ),
    "mdh": (
        "[     ct,     -st,   0,       a;",
        " st * ca, ct * ca, -sa, -d * sa;",
        " st * sa, ct * sa,  ca,  d * ca;",
        "       0,       0,   0,       1]",
    ),
}
PRODUCTS = {"dh": "Rz(theta) Tz(d) Tx(a) Rx(alpha)", "mdh": "Rx(alpha) Tx(a) Rz(theta) Tz(d)"}


def matlab_text(chain: DHChain, name: str, about: str, spelling: Spelling) -> str:
    """Return the text of a file NAME.m: a function that returns T of the chain for a number for each joint.

    about: what T is the pose of, a line for its help. Lengths and angles, also those of T and q, are in the units of
    `spelling`. Raises KinetreeError if a file of MATLAB cannot have the name.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", name) or name in KEYWORDS.split():
        message = (
            f"a MATLAB function cannot be called {name!r}; expected a letter, then letters, digits and _, at most 63"
        )
        raise fail("matlab-name", message)
    return "\n".join([*_head(chain, name, about, spelling), *_data(chain, spelling), *_body(chain, name, spelling), ""])


def function_name(*parts: str) -> str:
    """Return a name that a MATLAB function can have, made of these parts."""
    name = re.sub(r"\W+", "_", "_".join(parts), flags=re.ASCII)
    return (name if name[:1].isalpha() else f"chain_{name}")[:63]


def _head(chain: DHChain, name: str, about: str, spelling: Spelling) -> list[str]:
    kind = "standard" if chain.convention == "dh" else "modified"
    followers = [row for row in chain.joints if row.mimic]
    notes = [
        f"{visible(row.joint)} follows {visible(row.mimic.joint)}; its number is its own."
        for row in followers
        if row.mimic
    ]
    lines = [
        f"{name.upper()}  {visible(about)}",
        f"T = {name}(q) is 4x4, its lengths in {spelling.length}. q has a number for each joint, in",
        f"{spelling.angle}, or in {spelling.length} along an axis; without q all are zero.",
        f"[T, chain] = {name}(q) also returns the table: chain.joints, chain.table, chain.limits,",
        "chain.base and chain.tool. A row of chain.table is a, d, alpha, theta at q = 0, and the",
        "factors of its joint's q in theta and in d; a row with two zeros there is constant.",
        f"Denavit-Hartenberg parameters, {kind}: a row is {PRODUCTS[chain.convention]}.",
        *notes,
    ]
    return [f"function [T, chain] = {name}(q)", *(f"% {line}" for line in lines)]


def _data(chain: DHChain, spelling: Spelling) -> list[str]:
    ranges = [row.limits[0] if row.limits else Limit() for row in chain.joints]
    limits = [
        [spelling.variable(row.type, end) for end in (limit.lower, limit.upper)]
        for row, limit in zip(chain.joints, ranges, strict=True)
    ]
    return [
        f"joints = {{{'; '.join(_quoted(row.joint) for row in chain.joints)}}};",
        *_matrix("table", [_cells(row, spelling) for row in chain.rows], 6),
        *_matrix("limits", limits, 2),
        *_matrix("base", _pose(chain.base, spelling), 4),
        *_matrix("tool", _pose(chain.tool, spelling), 4),
    ]


def _body(chain: DHChain, name: str, spelling: Spelling) -> list[str]:
    count, unit = len(chain.joints), "pi / 180" if spelling.angle == "deg" else "1"
    row = ROWS[chain.convention]
    return [
        "if nargin < 1",
        f"  q = zeros({count}, 1);",
        "end",
        f"if numel(q) ~= {count}",
        f"  error('{name}: q needs {count} numbers');",
        "end",
        "T = base;",
        "k = 0;",
        "for i = 1:size(table, 1)",
        "  a = table(i, 1);",
        "  d = table(i, 2);",
        f"  alpha = table(i, 3) * {unit};",
        "  theta = table(i, 4);",
        "  if table(i, 5) ~= 0 || table(i, 6) ~= 0",
        "    k = k + 1;",
        "    theta = theta + table(i, 5) * q(k);",
        "    d = d + table(i, 6) * q(k);",
        "  end",
        f"  theta = theta * {unit};",
        "  ct = cos(theta); st = sin(theta); ca = cos(alpha); sa = sin(alpha);",
        f"  T = T * {row[0]}",
        *(f"           {line}" for line in row[1:3]),
        f"           {row[3]};",
        "end",
        "T = T * tool;",
        "chain.joints = joints; chain.table = table; chain.limits = limits; chain.base = base; chain.tool = tool;",
        "end",
    ]


def _cells(row: DHRow, spelling: Spelling) -> list[str]:
    factor = "0" if row.type == "fixed" else "-1" if row.flip else "1"
    slides = row.type == "prismatic"
    numbers = [spelling.length_of(row.a), spelling.length_of(row.d)]
    numbers += [spelling.angle_of(row.alpha), spelling.angle_of(row.theta)]
    return [*numbers, "0" if slides else factor, factor if slides else "0"]


def _pose(T: Array, spelling: Spelling) -> list[list[str]]:
    rows = [[*map(format_number, T[i, :3]), spelling.length_of(T[i, 3])] for i in range(3)]
    return [*rows, ["0", "0", "0", "1"]]


def _matrix(name: str, rows: Sequence[Sequence[str]], columns: int) -> list[str]:
    """Return the lines of an assignment; an empty matrix keeps its number of columns."""
    if not rows:
        return [f"{name} = zeros(0, {columns});"]
    cells = [[cell.replace("inf", "Inf") for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(columns)]
    lines = [", ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return [f"{name} = [ ...", *(f"  {line};" for line in lines[:-1]), f"  {lines[-1]}];"]


def _quoted(text: str) -> str:
    """Return a text of MATLAB; one that cannot stand between quotes is made of its codes."""
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return f"char([{', '.join(str(ord(letter)) for letter in text)}])"
