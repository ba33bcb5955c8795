"""Examples of rules, completed to whole elements or texts."""

import re
from textwrap import dedent

from kinetree.rules.rule import Rule
from kinetree.syntax.xml.reader import Element, Report, parse

WHOLE = (14, 1000)
"""Most lines and characters of a text that is shown whole."""
LINES = 8
"""Most lines of an element that is shown whole if one of its tags is enough."""
WIDTH = 100
"""Most characters of a line of XML; longer lines are broken between elements."""
PIECE = re.compile(r"(?:<!--.*?-->|<[^>]*>)[^<]*")


def whole_examples(rule: type[Rule]) -> tuple[str, str]:
    """Return the good and the bad example of a rule; pieces of an XML text with the elements that they are in."""
    good, bad = _whole(rule)
    return broken(good), broken(bad)


def broken(text: str) -> str:
    """Return a text whose long lines of XML are broken between elements."""
    lines: list[str] = []
    for line in text.split("\n"):
        pieces = PIECE.findall(line)
        indent = line[: len(line) - len(line.lstrip())]
        fits = len(line) <= WIDTH or "".join(pieces) != line.strip()
        lines += [line] if fits else _broken(pieces, indent)
    return "\n".join(lines)


def _broken(pieces: list[str], indent: str) -> list[str]:
    """Return lines for tags, each with the text behind it; an element that fits into a line is not broken."""
    lines: list[str] = []
    while pieces:
        count = _extent(pieces)
        element, pieces = pieces[:count], pieces[count:]
        indent = indent[:-2] if element[0].startswith("</") else indent
        line = indent + "".join(element).strip()
        if count > 1 and len(line) > WIDTH:
            lines += [indent + element[0], *_broken(element[1:-1], indent + "  "), indent + element[-1]]
        else:
            lines.append(line)
            opens = count == 1 and not line.endswith("/>") and not re.match(r"\s*<[!?/]", line)
            indent += "  " * opens
    return lines


def _extent(pieces: list[str]) -> int:
    """Return the number of pieces of the first element; 1 if it does not end in them."""
    depth = 0
    for i, piece in enumerate(pieces):
        depth += 0 if re.match(r"<[!?]|<[^>]*/>", piece) else -1 if piece.startswith("</") else 1
        if depth <= 0:
            return i + 1
    return 1


def _whole(rule: type[Rule]) -> tuple[str, str]:
    base = rule.base or ""
    if not base.startswith("<") or rule.good not in base:
        return rule.good, rule.bad
    if base.count("\n") <= WHOLE[0] and len(base) <= WHOLE[1]:
        return base, base.replace(rule.good, rule.bad)
    first = base.index(rule.good)
    before = first + _shared(rule.good, rule.bad)
    after = _shared(rule.good[before - first :][::-1], rule.bad[before - first :][::-1])
    rest = len(base) - first - len(rule.good) + after  # characters behind the difference
    texts = base, base.replace(rule.good, rule.bad, 1)
    paths = [_around(text, before, len(text) - rest) for text in texts]
    same = [pair for pair in zip(*paths, strict=False) if pair[0].start == pair[1].start][1:]
    if not same:
        good, bad = (_aligned(base, first, text) for text in (rule.good, rule.bad))
        return good, bad
    fits = [pair for pair in same[-2:] if all(element.raw.count("\n") < LINES for element in pair)]
    in_tag = not any(sign in text[before : len(text) - rest] for text in texts for sign in "<>")
    if not fits and in_tag:
        good, bad = (one.document.data[one.start : one.tag_stop].decode() for one in same[-1])
        return good, bad
    good, bad = map(_lines, (fits or same[-1:])[0])
    return good, bad


def _aligned(base: str, first: int, text: str) -> str:
    """Return elements that stand at a place of a base, where their first line has its indentation."""
    return dedent(" " * (first - base.rfind("\n", 0, first) - 1) + text)


def _shared(a: str, b: str) -> int:
    """Return the number of equal characters at the beginning of two texts."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _around(text: str, start: int, stop: int) -> list[Element]:
    """Return the elements of a text that contain a piece of it, the root first; the start tags count."""
    root = parse(text, "<example>", Report())
    assert root is not None
    first, last = len(text[:start].encode()), len(text[:stop].encode())
    found = [root]
    while inner := next((e for e in found[-1].children if e.start < first and last < e.stop), None):
        found.append(inner)
    return found


def _lines(element: Element) -> str:
    """Return the lines of an element, without the indentation of the first and without empty lines."""
    data = element.document.data
    indent = element.start - data.rfind(b"\n", 0, element.start) - 1
    lines = (" " * indent + element.raw).split("\n")
    return dedent("\n".join(line for line in lines if line.strip()))
