"""Edits of rows of DH files in TOML: the fewest of a, d, alpha and theta that put what follows a joint where it is."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.errors import fail
from kinetree.fixer.number_edits import changed_dynamics
from kinetree.fixer.pose_text import DIGITS, near, solved
from kinetree.formats.dh.build import robot_of
from kinetree.formats.dh.rows import PARAMETERS
from kinetree.formats.dh.toml import read_table
from kinetree.formats.dh.values import LENGTH_COLUMNS, parse_cell
from kinetree.model.assemble import build, parts_of
from kinetree.model.dh import DHChain, DHTable
from kinetree.model.edit.subtree import links_below
from kinetree.model.robot import Joint, Robot
from kinetree.model.tree import build_tree
from kinetree.repairs.edit import Edit
from kinetree.repairs.fixes import number_text
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import PER_METRE
from kinetree.syntax.text import TextReport
from kinetree.syntax.toml import Places

Key = tuple[int, str]
"""0 for the row of a joint, -1 for the row before it, and a key of the row."""
Rows = list[tuple[int, int]]
"""Numbers of chains and of their rows."""
INLINE = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}")
"""A row between braces, in which there may be poses."""


def dh_edits(robot: Robot, wanted: Robot, text: str, file: str) -> list[Edit]:
    """Return the edits that make the robot of a DH text another one, but for frames of links and of rows.

    Raises KinetreeError for a pose that the numbers of rows cannot give.
    """
    table = read_table(text, TextReport(file, text))
    assert table is not None
    fitted, there = table, robot
    for name in robot.placed:
        if not near(robot.joints[name].origin, origin := wanted.joints[name].origin):
            parts = parts_of(there)
            parts.joints = [replace(one, origin=origin) if one.name == name else one for one in parts.joints]
            there = build(parts)
            fitted = _fitted(fitted, there, name)
    data, edits = tomllib.loads(text), list[Edit]()
    for k, (chain, new) in enumerate(zip(table.chains, fitted.chains, strict=True)):
        units = {**data.get("units", {}), **(data.get("chain", [{}] * (k + 1))[k].get("units", {}))}
        for i, (row, other) in enumerate(zip(chain.rows, new.rows, strict=True)):
            values: dict[str, float | str] = {}
            for key in PARAMETERS:
                if by := getattr(other, key) - getattr(row, key):
                    unit = units.get(key) or units["length" if key in LENGTH_COLUMNS else "angle"]
                    values[key] = by * PER_METRE[unit] if unit in PER_METRE else by * np.rad2deg(1.0) ** (unit == "deg")
            if name := _name(chain, i):
                values |= _others(robot.joints[name], wanted.joints[name])
            edits += _texts(text, chain, i, values, file) if values else []
    return edits


def _name(chain: DHChain, i: int) -> str:
    """Return the name of the joint of a row, "" for a constant one."""
    row = chain.rows[i]
    return "" if row.type == "fixed" else row.joint or f"{chain.name}{'_' if chain.name else ''}q{i + 1}"


def _others(old: Joint, new: Joint) -> dict[str, str]:
    """Return the texts that a row of a joint has besides the four numbers."""
    found = {name: number_text(value) for name, value in changed_dynamics(old, new).items()}
    turned = {} if near(old.axes, new.axes) else {"flip": "true" if new.axes[0, 2] < 0 else "false"}
    return found | turned


def _fitted(table: DHTable, there: Robot, name: str) -> DHTable:
    """Return the table with the fewest other numbers that put frames behind a joint where another robot has them."""
    chains = enumerate(table.chains)
    at = [(c, i) for c, one in chains for i in range(len(one.rows)) if _name(one, i) == name]
    ours: list[Key] = [(0, key) for key in ("theta", "d", "a", "alpha")]
    before: list[Key] = [(-1, key) for key in ("a", "d", "theta", "alpha")]
    below = links_below(there, there.joints[name].child) | {there.joints[name].child}
    frames = [one for one, frame in there.frames.items() if frame.link in below and one not in there.links]
    target = _poses(there, frames)
    whole = [*ours[:2], *before] if table.chains[at[0][0]].convention == "dh" else [*ours, *before[1:3]]

    def error(keys: Sequence[Key], x: Array) -> Array:
        made = robot_of(_moved(table, at, keys, x), TextReport("", ""))
        return np.full(target.size, 1.0) if made is None else (_poses(made, frames) - target).ravel()

    for keys in (*([key] for key in (*ours, *before)), whole) if frames else ():
        x = solved(partial(error, keys), np.zeros(len(keys)))
        if x is not None:
            return _moved(table, at, keys, x)
    message = "the numbers of its row and of the one before it do not give its pose"
    raise fail("fix", f"{message}; add a constant row by hand", element=f"joint {name!r}")


def _moved(table: DHTable, at: Rows, keys: Sequence[Key], by: Array) -> DHTable:
    """Return the table with numbers, m and rad, added to the rows of a joint in all its chains."""
    rows = [[*one.rows] for one in table.chains]
    for (back, key), value in zip(keys, by, strict=True):
        for chain, i in ((chain, i + back) for chain, i in at if i + back >= 0):
            rows[chain][i] = replace(rows[chain][i], **{key: getattr(rows[chain][i], key) + float(value)})
    chains = (replace(one, rows=tuple(own)) for one, own in zip(table.chains, rows, strict=True))
    return replace(table, chains=tuple(chains))


def _poses(robot: Robot, frames: Sequence[str]) -> Array:
    """Return the poses of frames, with all joints at zero and at two other places."""
    tree, rng = build_tree(robot), np.random.default_rng(48)
    return np.array([forward_kinematics(tree, q, frames) for q in (robot.zero, *rng.uniform(-2, 2, (2, robot.nq)))])


def _texts(whole: str, chain: DHChain, i: int, values: Mapping[str, float | str], file: str) -> list[Edit]:
    """Return the edits of a row. values: by which numbers change, and texts of others."""
    rows, lines = [row.source.line if row.source else None for row in chain.rows], whole.split("\n")
    if (line := rows[i]) is None:
        raise fail("fix", f"the line of row {i + 1} is not known; edit it by hand", element=file)
    text = "\n".join(bare.ljust(len(full)) for bare, full in zip(Places(lines).lines, lines, strict=True))
    start = sum(len(before) + 1 for before in lines[: line - 1])
    if "[[" in text[start:].partition("\n")[0]:  # a row in lines of its own
        start += text[start:].index("\n") + 1
        stop, end, new = start + len(re.split(r"(?m)^\s*\[", text[start:])[0]), start, "{} = {}\n"
    else:
        start, stop = [*INLINE.finditer(text, start)][i - rows.index(line)].span()
        end, new = start + len(text[start : stop - 1].rstrip()), ", {} = {}"
    found, variable = [], "d" if chain.rows[i].type == "prismatic" else "theta"
    for key, value in values.items():
        name = "offset" if key == variable and re.search(r"\boffset\s*=", text[start:stop]) else key
        cell = re.search(rf"(?<![\w.-])[\"']?{name}[\"']?\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s,}}#]+)", text[start:stop])
        at, to = (start + n for n in cell.span(1)) if cell else (end, end)
        written = value if isinstance(value, str) else _cell(cell[1] if cell else "0", value)
        edit = (len(whole[:at].encode()), len(whole[:to].encode()), written if cell else new.format(key, written))
        found.append(Edit(file, *edit))
    return found


def _cell(written: str, by: float) -> str:
    """Return a cell with another number; a range of the joint stays."""
    inside = written.strip("\"'")
    cell = parse_cell(inside)
    number = number_text(round((cell.value if cell else 0.0) + by, DIGITS - 1))
    if not cell or not cell.range:
        return number
    tail = re.search(r"\s*\+\s*\(.*\Z", inside)
    return f"{written[0]}{number}{tail[0] if tail else f' + ({inside})'}{written[0]}"
