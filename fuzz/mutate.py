"""Damage to texts: elements and attributes of XML, numbers and lines of any text, bytes. Tests use it too."""

from __future__ import annotations

import copy
import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence

BAD_VALUES = ("", "nan", "inf", "1e999", "-1,5", "0 0 0", "1 2", "1_0", "abc", "${x}", "٣", "0x10", "1 0 0 0", "é")
NUMBERS = ("0", "-0.0", "1", "-1", "1e-300", "1e300", "3.141592653589793", "1e17", "0.1", "007", "+.5", "1e-9")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")

Mutation = Callable[[bytes, random.Random], bytes]
Action = Callable[[ET.Element, ET.Element, ET.Element, random.Random], None]
"""(root, parent, child, rng): one change to the child of a parent."""

ET.register_namespace("xacro", "http://www.ros.org/wiki/xacro")


def remove(root: ET.Element, parent: ET.Element, child: ET.Element, rng: random.Random) -> None:
    """Remove an element."""
    parent.remove(child)


def double(root: ET.Element, parent: ET.Element, child: ET.Element, rng: random.Random) -> None:
    """Put a copy of an element anywhere among its siblings."""
    parent.insert(rng.randrange(len(parent) + 1), copy.deepcopy(child))


def swap_siblings(root: ET.Element, parent: ET.Element, child: ET.Element, rng: random.Random) -> None:
    """Exchange two elements."""
    at, other = list(parent).index(child), rng.randrange(len(parent))
    parent[at], parent[other] = parent[other], parent[at]


def rename_tag(root: ET.Element, parent: ET.Element, child: ET.Element, rng: random.Random) -> None:
    """Give an element the tag of another, or one that no format has."""
    child.tag = rng.choice([element.tag for element in root.iter() if len(element)] + ["unknown"])


def move(root: ET.Element, parent: ET.Element, child: ET.Element, rng: random.Random) -> None:
    """Put an element under another one, not below itself."""
    inside = set(child.iter())
    target = rng.choice([element for element in root.iter() if element not in inside])
    parent.remove(child)
    target.append(child)


def remove_attribute(root: ET.Element, parent: ET.Element, child: ET.Element, rng: random.Random) -> None:
    """Remove an attribute."""
    if child.attrib:
        del child.attrib[rng.choice(list(child.attrib))]


def bad_value(root: ET.Element, parent: ET.Element, child: ET.Element, rng: random.Random) -> None:
    """Give an attribute, or the text of an element, a value that is mostly illegal."""
    _set(child, rng.choice(BAD_VALUES), rng)


def foreign_value(root: ET.Element, parent: ET.Element, child: ET.Element, rng: random.Random) -> None:
    """Give an attribute, or the text of an element, the value of any attribute or text."""
    values = [value for element in root.iter() for value in (*element.attrib.values(), element.text) if value]
    if values:
        _set(child, rng.choice(values), rng)


def other_number(root: ET.Element, parent: ET.Element, child: ET.Element, rng: random.Random) -> None:
    """Change one number of an attribute or a text: its sign, its size, or the whole of it."""
    kind = rng.randrange(5)

    def changed(text: str) -> str:
        if kind == 0:
            return text.removeprefix("-") if text.startswith("-") else f"-{text.removeprefix('+')}"
        if kind == 1:
            return rng.choice(NUMBERS)
        if kind == 2:
            return repr(float(text) * rng.choice((0.5, 2, 10, 1e-3)))
        if kind == 3:
            return repr(rng.uniform(-4, 4))
        return ""  # one number too few

    _edit_number(child, changed, rng)


def swap_names(root: ET.Element, parent: ET.Element, child: ET.Element, rng: random.Random) -> None:
    """Exchange the values of an attribute between two elements that both have it."""
    if child.attrib:
        key = rng.choice(list(child.attrib))
        other = rng.choice([element for element in root.iter() if key in element.attrib])
        child.attrib[key], other.attrib[key] = other.attrib[key], child.attrib[key]


def _set(child: ET.Element, value: str, rng: random.Random) -> None:
    if child.attrib and (rng.random() < 0.7 or not child.text):
        child.set(rng.choice(list(child.attrib)), value)
    elif not len(child):
        child.text = value


def _edit_number(child: ET.Element, changed: Callable[[str], str], rng: random.Random) -> None:
    places = [key for key, value in child.attrib.items() if NUMBER.search(value)]
    if places:
        key = rng.choice(places)
        child.set(key, _with_number(child.attrib[key], changed, rng))
    elif child.text and NUMBER.search(child.text):
        child.text = _with_number(child.text, changed, rng)


def _with_number(text: str, changed: Callable[[str], str], rng: random.Random) -> str:
    match = rng.choice(list(NUMBER.finditer(text)))
    return text[: match.start()] + changed(match[0]) + text[match.end() :]


MEANING: tuple[Action, ...] = (other_number, other_number, swap_names, remove, double, remove_attribute, foreign_value)
"""Changes after which a file may mean another robot; a number changes more often than the rest."""
DAMAGE: tuple[Action, ...] = (*MEANING, swap_siblings, rename_tag, move, bad_value)


def change(root: ET.Element, rng: random.Random, actions: Sequence[Action], count: int) -> list[str]:
    """Change a tree so many times; return the names of the changes."""
    made = []
    for _ in range(count):
        parents = [element for element in root.iter() if len(element)]
        if not parents:
            break
        parent = rng.choice(parents)
        action = rng.choice(actions)
        action(root, parent, parent[rng.randrange(len(parent))], rng)
        made.append(action.__name__)
    return made


def mutate_tree(text: bytes, rng: random.Random, actions: Sequence[Action] = DAMAGE) -> bytes:
    """Return the XML text after one to three changes; what is no XML, after changes of its bytes."""
    try:
        root = ET.fromstring(text)
    except (ET.ParseError, ValueError, LookupError):
        return mutate_bytes(text, rng)
    change(root, rng, actions, rng.randint(1, 3))
    return ET.tostring(root)


def mutate_bytes(text: bytes, rng: random.Random) -> bytes:
    """Return the text with one to four bits flipped or runs of bytes cut out."""
    data = bytearray(text)
    for _ in range(rng.randint(1, 4) if data else 0):
        at = rng.randrange(len(data)) if data else 0
        if data and rng.random() < 0.7:
            data[at] ^= 1 << rng.randrange(8)
        else:
            del data[at : at + rng.randint(1, 50)]
    return bytes(data)


def mutate_words(text: bytes, rng: random.Random) -> bytes:
    """Return the text after one to three changes of numbers, quoted words or lines, whatever its format."""
    said = text.decode("utf-8", "surrogateescape")
    for _ in range(rng.randint(1, 3)):
        words = list(re.finditer(r"[\w.+-]+|[^\w\s]", said))
        if not words:
            break
        word, other = rng.choice(words), rng.choice(words)
        start, end = word.span()
        kind = rng.randrange(5)
        if kind == 0:
            said = said[:start] + rng.choice((*BAD_VALUES, *NUMBERS)) + said[end:]
        elif kind == 1:
            said = said[:start] + other[0] + said[end:]
        elif kind == 2:
            said = said[:start] + said[end:]
        elif kind == 3:
            lines = said.split("\n")
            lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
            said = "\n".join(lines)
        else:
            lines = said.split("\n")
            del lines[rng.randrange(len(lines))]
            said = "\n".join(lines)
    return said.encode("utf-8", "surrogateescape")
