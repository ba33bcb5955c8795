"""Figure of the tree of a robot: its links, the joints that carry them with types and ranges, and its frames."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinetree.display import counted
from kinetree.model.robot import UNLIMITED, Joint, Robot
from kinetree.spatial.se3 import Array
from kinetree.syntax.xml.writer import XmlWriter
from kinetree.viewing.parts import name_text
from kinetree.viewing.svg import INK, attributes, line, picture, text
from kinetree.viewing.tree import FEW, links_behind, loose_joints, rigid_joints

TOP, LEFT, ROW, SMALL = 92.0, 36.0, 24.0, 15.0
"""Where the tree begins, its left edge, heights of a row and of a line of small text, pixels."""
STEP, DEEPEST = 24.0, 300.0
"""Width of a level, less if the deepest would be farther right than DEEPEST, pixels."""
LETTER, SMALL_LETTER, GAP = 7.7, 6.0, 26.0
"""Width of a letter of 14 and of 11 pixels, which most letters do not exceed, and between columns, pixels."""
BAR = 108.0
"""Width of the bars of ranges, pixels."""
LINES = 2
"""Lines of small text of a link, unless everything is drawn."""
GREY, MOVING = "#777777", "#8a5a00"
LEGEND = (
    "● moved by its joint, ○ fixed; small: links fixed to a link, its frames besides its own; bars: −{0:g}° to {0:g}°"
)


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """A link, the joint that carries it, its level, the number of its parent's row, and lines of small text."""

    link: str
    joint: Joint | None
    level: int
    parent: int
    notes: Sequence[str]

    @property
    def height(self) -> float:
        return ROW + SMALL * len(self.notes)


def tree_figure(robot: Robot, *, everything: bool = False) -> str:
    """Return a figure of the tree of a robot as SVG text: a row a link, with the joint that carries it, its type and
    range, and small below it the links that are fixed to it and its frames.

    everything: give each fixed link its own row, and list all frames.
    """
    rows = _rows(robot, everything)
    step = min(STEP, DEEPEST / max(1, *(row.level for row in rows))) if len(rows) > 1 else STEP
    starts = [LEFT + step * row.level for row in rows]
    tops = TOP + np.cumsum([0.0, *(row.height for row in rows)])
    cells = [_cells(robot, row.joint) for row in rows]
    first = max(x + LETTER * len(name_text(row.link)) for x, row in zip(starts, rows, strict=True)) + GAP
    widths = [LETTER * max(len(cell[i]) for cell in cells) + GAP for i in range(3)]
    columns = first + np.cumsum([0.0, *widths])
    smalls = [x + SMALL_LETTER * len(note) for x, row in zip(starts, rows, strict=True) for note in row.notes]
    width = max(columns[-1] + BAR + LEFT, 760.0, *smalls, 0.0)
    counts = f"{counted(len(robot.links), 'link')}, {counted(len(robot.joint_names), 'moving joint')}"
    out = XmlWriter()
    with picture(out, width, float(tops[-1]) + 24.0, f"Tree of {name_text(robot.name)}: {counts}"):
        turn = _turn(robot)
        text(out, (24.0, 60.0), LEGEND.format(math.degrees(turn)), font_size=12, fill=GREY)
        middles = tops[:-1] + ROW / 2.0
        for row, x, y in zip(rows, starts, middles, strict=True):
            if row.joint is not None:
                above = (starts[row.parent], middles[row.parent])
                line(out, np.array([above, (above[0], y), (x, y)]), stroke="#b0b0b0", stroke_width=1.5)
        for row, x, y, cell in zip(rows, starts, middles, cells, strict=True):
            _draw(out, row, (x, float(y)), cell, columns)
            if row.joint is not None and _turns(row.joint):
                _bar(out, row.joint, turn, float(columns[-1]), float(y))
    return out.text()


def _rows(robot: Robot, everything: bool) -> list[_Row]:
    rigid = set() if everything else rigid_joints(robot)
    loose = set() if everything else {*loose_joints(robot)[FEW:]}
    frames: dict[str, list[str]] = {}
    for frame in robot.frames.values():
        if frame.name not in robot.links:
            frames.setdefault(frame.link, []).append(frame.name)
    rows: list[_Row] = []
    stack: list[tuple[str, Joint | None, int, int]] = [(robot.root, None, 0, 0)]
    while stack:
        link, joint, level, parent = stack.pop()
        children = robot.child_joints(link)
        branches = [child for child in children if child.name not in rigid | loose]
        fixed = [name for child in children if child.name in rigid for name in links_behind(robot, child)]
        behind = [frame for name in (link, *fixed) for frame in frames.get(name, ())]
        notes = _wrapped("fixed: ", fixed, everything) + _wrapped("frames: ", behind, everything)
        if loose and link == robot.root:
            notes.append(f"~ {len(loose)} more that float")
        here = len(rows)
        rows.append(_Row(link, joint, level, parent, notes))
        below = level + (len(branches) > 1)
        stack += [(branch.child, branch, below, here) for branch in reversed(branches)]
    return rows


def _wrapped(sign: str, names: Sequence[str], everything: bool) -> list[str]:
    """Return names as lines of small text, and how many are left out."""
    lines: list[str] = []
    for i, name in enumerate(map(name_text, names)):
        if lines and len(lines[-1]) + len(name) <= 100:
            lines[-1] += f", {name}"
        elif len(lines) == LINES and not everything:
            lines[-1] += f" and {len(names) - i} more"
            break
        else:
            lines.append(f"{'  ' if lines else sign}{name}")
    return lines


def _cells(robot: Robot, joint: Joint | None) -> tuple[str, str, str]:
    """Return the name, the type and the range of a joint."""
    if joint is None:
        return "", "root", ""
    return name_text(joint.name), joint.type, _range(robot, joint)


def _range(robot: Robot, joint: Joint) -> str:
    if joint.mimic is not None and joint.mimic.higher:
        return f"= {name_text(str(joint.mimic))}"
    if joint.mimic is not None:
        like = robot.joints[joint.mimic.joint].kind.turns == joint.kind.turns
        offset = f" {_value(joint, joint.mimic.offset, sign=True)}" if joint.mimic.offset else ""
        unit = "" if like else " m/rad" if robot.joints[joint.mimic.joint].kind.turns else " rad/m"
        return f"= {joint.mimic.multiplier:.4g}{unit} × {name_text(joint.mimic.joint)}{offset}"
    lower, upper = _ends(joint)
    if not joint.kind.single or (math.isinf(lower) and math.isinf(upper)):
        return ""
    return f"{_value(joint, lower)} … {_value(joint, upper)}"


def _value(joint: Joint, value: float, *, sign: bool = False) -> str:
    """Return a coordinate in degrees or millimetres."""
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    scaled = math.degrees(value) if joint.kind.turns else 1000.0 * value
    number = f"{scaled + 0.0:+.4g}" if sign else f"{scaled + 0.0:.4g}"
    return f"{number.replace('-', '−')}{'°' if joint.kind.turns else ' mm'}"


def _draw(out: XmlWriter, row: _Row, at: tuple[float, float], cells: tuple[str, str, str], columns: Array) -> None:
    (x, y), joint = at, row.joint
    moving = joint is not None and joint.kind.nq > 0
    dot = {"cx": x, "cy": y, "r": 5.0, "fill": MOVING if moving else "white", "stroke": MOVING if moving else INK}
    out.leaf("circle", **attributes(dot))
    text(out, (x + 12.0, y + 5.0), name_text(row.link), font_weight="bold" if joint is None else None)
    for cell, left in zip(cells, columns, strict=False):
        text(out, (left, y + 5.0), cell, fill=INK if moving else GREY)
    for i, note in enumerate(row.notes):
        text(out, (x + 12.0, y + ROW / 2.0 + SMALL * (i + 0.6)), note, font_size=11, fill=GREY)


def _turns(joint: Joint) -> bool:
    return joint.kind.single and joint.kind.turns and joint.mimic is None


def _turn(robot: Robot) -> float:
    """Return the angle at the ends of the bars: π, or 2 π if a joint can turn farther."""
    ends = [abs(end) for joint in robot.joints.values() if _turns(joint) for end in _ends(joint) if math.isfinite(end)]
    return math.pi if max(ends, default=0.0) < 1.01 * math.pi else 2.0 * math.pi


def _ends(joint: Joint) -> tuple[float, float]:
    limit = joint.limits[0] if joint.limits else UNLIMITED
    return limit.lower, limit.upper


def _bar(out: XmlWriter, joint: Joint, turn: float, x: float, y: float) -> None:
    """Write the range of a joint that turns as a bar between -turn and turn, rad, with a mark at 0."""
    across = x + BAR * (0.5 + np.clip(_ends(joint), -turn, turn) / (2.0 * turn))
    line(out, np.array([(x, y), (x + BAR, y)]), stroke="#dddddd", stroke_width=5)
    line(out, np.array([(u, y) for u in across]), stroke=MOVING, stroke_width=5)
    line(out, np.array([(x + BAR / 2.0, y - 5.0), (x + BAR / 2.0, y + 5.0)]), stroke_width=1)
