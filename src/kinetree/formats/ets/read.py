"""ETS text such as `tz(0.333) Rz(q1) Rx(-90°) tx(82.5 mm)` to a sequence and to a robot."""

import re
from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from kinetree.errors import KinetreeError, Source, nearest_names
from kinetree.formats.ets.build import Builder
from kinetree.formats.ets.elements import ET, ETS, KINDS, MASSES, NAMES, SE3, UNITS, WORDS, Word
from kinetree.formats.kinematic import unquoted
from kinetree.model.assemble import Parts, Reading, assemble
from kinetree.model.robot import Text
from kinetree.spatial import se3
from kinetree.spatial.numbers import EXACT, ROUNDED, judged, pose_fault
from kinetree.syntax.numbers import PER_METRE, multiple_of_pi, number, to_si
from kinetree.syntax.text import TextReport, decode

_GAP = re.compile(r"(?:\s++|#[^\n]*+|[*⊕@])*+")
_SETTING = re.compile(r"(name|base|tip)[ \t]*=[ \t]*(\"(?:[^\"\\\n]|\\.)*+\"|[^\s\"#]++)[ \t]*+(?=#|\n|$)")
_STRING = r"\"(?:[^\"\\\n]|\\.)*+\""
_NAME = re.compile(rf"[\w./-]++|{_STRING}")
_BRANCH = re.compile(rf"(from)[ \t]++([\w./-]++|{_STRING})[ \t]*+:")
_TERM = re.compile(r"(\w++)\s*+\(((?:\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+'|[^()\"'\n]++)*+)\)")
_JOINT = re.compile(r"([+-]?)\s*+(?:([^\W\d]\w*+)|(\"(?:[^\"\\\n]|\\.)++\")|'([^']++)')")
_UNIT = re.compile(r"(.*?)\s*(°|deg|rad|mm|cm|m)")
_PLAIN = re.compile(r"[-+−]?[\d.]+(?:[eE][-+]?\d+)?")
MAX_FINDINGS = 100
MAX_NUMBER = 100
ANGLE_HINT = "a number in rad, one marked ° or deg, a multiple of pi, or the name of a joint"
LENGTH_HINT = "a number in m, one marked mm, cm or m, or the name of a joint"
MASS_HINT = "a mass in kg, or with x, y, z of its centre, or with these and ixx, ixy, ixz, iyy, iyz, izz in kg m²"
POSE_HINT = "x, y, z, roll, pitch, yaw, or the 16 numbers of a matrix row by row"
Statement = tuple[ET | Word, int, int]
"""A term or a word, and where it begins and ends in the text."""


def parse(text: str) -> ETS:
    """Return the sequence of a text, without names of its ends; raise KinetreeError with every bad term underlined."""
    report = TextReport("<text>", text)
    _, statements = parse_into(text, report)
    terms = tuple(item for item, *_ in statements if isinstance(item, ET))
    for item, *span in statements:
        if isinstance(item, Word):
            message = f"{item.kind} stands in the texts of robots alone, which kinetree.load reads"
            _error(report, text, "ets-term", message, *span)
    if report.failed:
        raise KinetreeError(report.findings)
    return ETS(terms)


def read(text: bytes | str, file: str, at: Callable[[int | None], Source] | None = None) -> Reading:
    """Return the robot in an ETS text, or None, and all findings. Never raises on content.

    at: the place of a line, if the text stands in another file.
    """
    decoded, findings = decode(text, file)
    if findings:
        return None, findings
    report = TextReport(file, decoded, at=at)
    names, statements = parse_into(decoded, report)
    parts = Parts("") if report.failed else parts_of_text(names, statements, decoded, report)
    if report.failed:
        return None, report.findings
    parts.source = report.source(1)
    parts.text = Text("ets", decoded)
    parts.notes = tuple(report.findings)
    robot, findings = assemble(parts)
    return robot, [*report.findings, *findings]


def parts_of_text(names: dict[str, str], statements: list[Statement], text: str, report: TextReport) -> Parts:
    """Return links, joints and frames of the statements; a link's frame is its joint's frame after the motion."""
    start = stop = 0
    builder = Builder(
        names.get("name", NAMES["name"]),
        names.get("base", NAMES["base"]),
        lambda code, message: _error(report, text, code, message, start, stop),
    )
    line_ends = [at.start() for at in re.finditer("\n", text)]
    tip, last = names.get("tip"), None
    for statement in statements:
        item, start, stop = statement
        if item.kind == "from":
            _end(builder, tip, last, text, report)
            tip = None
        builder.add(item, report.source(bisect_left(line_ends, start) + 1))
        last = statement
        if len(report.findings) >= MAX_FINDINGS:
            break
    if tip is None and not builder.named and all(item.kind != "from" for item, *_ in statements):
        tip = NAMES["tip"]
    _end(builder, tip, last, text, report)
    return builder.parts()


def _end(builder: Builder, tip: str | None, last: Statement | None, text: str, report: TextReport) -> None:
    """End a branch: name its end, or warn of a constant there that nothing uses."""
    if tip is not None:
        builder.add(Word("frame", tip))
    elif last and isinstance(last[0], ET) and not last[0].joint:
        line, bad = _where(text, *last[1:])
        message, fix = f"{last[0]} ends a branch, and nothing uses it", "name the place with frame(…), or leave it out"
        report.warning("ets-end", message, line, bad=bad, fix=fix)


def parse_into(text: str, report: TextReport) -> tuple[dict[str, str], list[Statement]]:
    """Return the names that a text gives, its terms and its words; faults go to `report`."""
    statements: list[Statement] = []
    seen: set[str] = set()
    names, at = _names(text, report)
    if at == len(text):
        report.error("ets-empty", "there is no term; expected for example tz(0.3) Rz(q1) tx(0.5)", 1)
    while at < len(text) and len(report.findings) < MAX_FINDINGS:
        match = _BRANCH.match(text, at) or _TERM.match(text, at)
        if match is None:
            stop = re.compile(r"[\s*⊕@]|$").search(text, at + 1)
            end = stop.start() if stop else len(text)
            _error(report, text, "ets-syntax", _no_term(text[at:end]), at, end)
        elif (item := _item(match, text, report)) is not None:
            joint = item.joint if isinstance(item, ET) else item.name if item.kind == "fixed" else ""
            if joint in seen:
                message = f"joint {joint!r} occurs twice; every joint moves one term"
                _error(report, text, "ets-joint", message, match.start(2), match.end(2))
            seen |= {joint} - {""}
            statements.append((item, *match.span()))
        at = _skip(text, match.end() if match else end)
    return names, statements


def _no_term(word: str) -> str:
    if word == "from":
        return "from takes a name and a colon; expected for example from chest: tz(0.3) Rz(q1)"
    return f"{word!r} is not a term; expected for example Rz(q1), tx(0.5), Rx(-90°), SE3({POSE_HINT})"


def _names(text: str, report: TextReport) -> tuple[dict[str, str], int]:
    """Return the lines such as `tip = tool0` before the terms, and the index of the first term."""
    names: dict[str, str] = {}
    at = _skip(text, 0)
    while match := _SETTING.match(text, at):
        key, name = match[1], unquoted(match[2])
        if key in names:
            _error(report, text, "setting-twice", f"{key} occurs twice; expected once", *match.span(1))
        if name is None:
            _error(report, text, "text", f"{match[2]} is not a text between quotes", *match.span(2))
        names[key] = name or ""
        at = _skip(text, match.end())
    return names, at


def _skip(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _item(match: re.Match[str], text: str, report: TextReport) -> ET | Word | None:
    kind, argument = match[1], match[2].strip()
    span = match.span(2) if argument else match.span()
    if kind == "mass":
        return _mass(argument, span, text, report)
    if kind == "from" and match.re is _TERM:
        _error(report, text, "ets-syntax", _no_term(kind), *match.span())
        return None
    if kind in WORDS:
        name = unquoted(argument) if _NAME.fullmatch(argument) else None
        if not name:
            hint = "a name, between double quotes if it has other characters than letters, digits, _, ., / and -"
            _error(report, text, "ets-argument", f"{kind} has {argument!r}; expected {hint}", *span)
        return Word(kind, name) if name else None
    if kind not in KINDS and kind != "SE3":
        message = f"{kind!r} is not an elementary transform; {nearest_names(kind, [*KINDS, 'SE3', *WORDS])}"
        _error(report, text, "ets-term", message, *match.span(1))
        return None
    if kind == "SE3":
        return _pose(argument, span, text, report)
    joint = _JOINT.fullmatch(argument)
    name = unquoted(joint[2] or joint[3] or joint[4]) if joint and joint[2] not in UNITS else None
    if joint and name:
        return ET(kind, joint=name, flip=joint[1] == "-")
    value = _number(argument, kind.startswith("R"))
    if value is None:
        hint = ANGLE_HINT if kind.startswith("R") else LENGTH_HINT
        begin = argument[:1000]  # the search takes time in proportion to the square of the length
        product = re.search(r"[^\W\d]\w*\s*[*/+]|[*/+]\s*[^\W\d]", begin) and "pi" not in begin
        more = "; a joint stands alone, at most with a minus sign" if product else ""
        _error(report, text, "ets-argument", f"{kind} has {argument!r}; expected {hint}{more}", *span)
        return None
    if kind.startswith("R") and abs(value) > 2 * np.pi and _PLAIN.fullmatch(argument):
        message = f"{kind}({argument}) turns by {argument} rad, {abs(value) / (2 * np.pi):.1f} whole turns"
        line, bad = _where(text, *span)
        fix = f"if degrees are meant, write {kind}({argument}°); else {kind}({argument} rad)"
        report.warning("ets-angle", message, line, bad=bad, fix=fix)
    return ET(kind, value)


def _number(text: str, angle: bool) -> float | None:
    """Return an angle in rad or a length in m, or None."""
    if len(text) > MAX_NUMBER:
        return None
    if angle and (turned := multiple_of_pi(text)) is not None:
        return turned
    unit = "rad" if angle else "m"
    if match := _UNIT.fullmatch(text):
        text, unit = match.groups()
    value = number(text.replace("−", "-")) if text else None
    return None if value is None or (unit in PER_METRE) == angle else to_si(value, unit)


def _pose(argument: str, span: tuple[int, int], text: str, report: TextReport) -> ET | None:
    cells = [cell.strip() for cell in argument.split(",")]
    if len(cells) == 6:
        values = [_number(cell, angle=i >= 3) for i, cell in enumerate(cells)]
        if None not in values:
            xyz, rpy = [v for v in values[:3] if v is not None], [v for v in values[3:] if v is not None]
            return SE3(se3.pose_from_xyz_rpy(xyz, rpy))
    plain = [number(cell) for cell in cells]
    if len(cells) == 16 and None not in plain:
        given = np.array(plain, dtype=float).reshape(4, 4)
        T, off = judged(given)
        if not off <= ROUNDED:
            _error(report, text, "not-a-rotation", f"the matrix of SE3 {pose_fault(given)[0]}", *span)
            return None
        if off > EXACT:
            line, bad = _where(text, *span)
            message = f"the rotation of SE3 is rounded, {off:.2g} off the nearest one, which is used"
            report.warning("rounded-rotation", message, line, bad=bad)
        return SE3(T)
    _error(report, text, "ets-argument", f"SE3 takes {POSE_HINT}, separated by commas", *span)
    return None


def _mass(argument: str, span: tuple[int, int], text: str, report: TextReport) -> Word | None:
    cells = [cell.strip() for cell in argument.split(",")]
    values = [_number(cell, angle=False) if 0 < i < 4 else number(cell) for i, cell in enumerate(cells)]
    if len(cells) in MASSES and None not in values:
        return Word("mass", numbers=[*(v for v in values if v is not None), *[0.0] * (10 - len(cells))])
    _error(report, text, "ets-argument", f"mass has {argument!r}; expected {MASS_HINT}", *span)
    return None


def _error(report: TextReport, text: str, code: str, message: str, start: int, stop: int) -> None:
    line, bad = _where(text, start, stop)
    report.error(code, message, line, bad=bad)


def _where(text: str, start: int, stop: int) -> tuple[int, tuple[int, int]]:
    """Return the line of a part of the text, and its columns from 0."""
    first = text.rfind("\n", 0, start) + 1
    return text.count("\n", 0, start) + 1, (start - first, stop - first)
