"""Reader of flat USD text: prims, attributes and relationships. What composes other files or prims needs usd-core."""

import re
from typing import Any

import numpy as np

from kinetree.formats.usd.prim import BINDINGS, KEPT, MAX_PRIMS, Raw

MAX_BYTES = 32_000_000
MAX_TOKENS = 1_000_000
"""Most words, numbers and marks of a text outside of arrays of numbers."""
PIECE = 1_000_000
"""Characters of an array that become numbers at once."""
MAX_DEPTH = 200
"""Most prims above each other, and most brackets in each other."""
_GAP = re.compile(r"(?:\s++|#[^\n]*+)*+")
_TOKEN = re.compile(
    r'(?P<text>"""(?:[^"\\]|\\.|"(?!""))*+"""|"(?:[^"\\\n]|\\.)*+"|\'(?:[^\'\\\n]|\\.)*+\')'
    r"|(?P<asset>@@@.*?@@@|@[^@\n]*+@)|(?P<path><[^>\n]*+>)"
    r"|(?P<number>[-+]?(?:\d++\.?\d*+(?:[eE][-+]?\d++)?|\.\d++(?:[eE][-+]?\d++)?|inf\b|nan\b))"
    r"|(?P<word>[A-Za-z_][\w:.]*+(?:\[\])?)|(?P<mark>[()\[\]{}=,;:.])",
    re.DOTALL,
)
_ARRAY = re.compile(r"\[[-+\d\s.,()eEinf]*+\]")
_BARE = str.maketrans("", "", "[]() \t\r\n")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
QUALIFIERS = ("custom", "uniform", "varying")
"""Words before the type of a property."""
COMPOSES: tuple[str, ...] = ("references", "payload", "inherits", "specializes", "instanceable")
COMPOSES += ("variantSets", "variantSet", "variants", "relocates", "subLayers", "add", "delete", "reorder")
"""Words by which parts, such as other layers and prims, are composed."""


class TextError(Exception):
    """Why a text is not read here, and where. wrong: whether it is no USD text, else it needs usd-core."""

    def __init__(self, why: str, line: int, wrong: bool = True) -> None:
        super().__init__(why)
        self.line, self.wrong = line, wrong


def parse(text: str) -> tuple[dict[str, Any], list[Raw]]:
    """Return the settings of a text and its prims in order. Raises TextError."""
    return _Parser(text).layer()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.kind, self.token, self.start = text, 0, "", "", 0
        self.counted = (0, 1)  # a place, and its line
        self.left = MAX_TOKENS
        self.prims: list[Raw] = []
        self.paths: set[str] = set()
        if len(text) > MAX_BYTES:
            raise self.error(f"it has more than {MAX_BYTES} characters", wrong=False)
        head = re.match(r"#usda 1\.\d\b[^\n]*", text)
        if head is None:
            raise self.error("it does not begin with #usda 1.0")
        self.at = head.end()
        self.next()

    def error(self, why: str, wrong: bool = True) -> TextError:
        return TextError(why, self.line(), wrong)

    def line(self) -> int:
        """Return the line of the next token, counted from that of the call before."""
        before, line = self.counted
        self.counted = (self.start, line + self.text.count("\n", before, self.start))
        return self.counted[1]

    def next(self) -> str:
        """Go to the next token, and return the one before it."""
        before, self.left = self.token, self.left - 1
        if self.left < 0:
            raise self.error(f"it has more than {MAX_TOKENS} words, numbers and marks outside of arrays of numbers")
        gap = _GAP.match(self.text, self.at)
        self.start = gap.end() if gap else self.at
        found = _TOKEN.match(self.text, self.start)
        if found is None:
            if self.start < len(self.text):
                raise self.error(f"{self.text[self.start : self.start + 20]!r} is not understood")
            self.kind = self.token = ""
            return before
        self.kind, self.token, self.at = found.lastgroup or "", found[0], found.end()
        return before

    def take(self, token: str) -> bool:
        """Go on if this is the next token, and return whether it was."""
        if self.token != token or self.kind == "text":
            return False
        self.next()
        return True

    def expect(self, token: str) -> None:
        if not self.take(token):
            raise self.error(f"{self.token[:40]!r} stands where {token!r} is expected")

    def layer(self) -> tuple[dict[str, Any], list[Raw]]:
        settings = self.metadata() if self.token == "(" else {}
        while self.token:
            if not self.prim("", True, 0):
                raise self.error(f"{self.token[:40]!r} stands where a prim is expected")
        return settings, self.prims

    def prim(self, parent: str, live: bool, depth: int) -> bool:
        """Read a prim if one begins here, and return whether. live: whether it counts; it does not below an inactive
        one, an "over" or a "class"."""
        if self.token not in ("def", "over", "class"):
            return False
        line, live = self.line(), self.token == "def" and live
        if depth > MAX_DEPTH or len(self.prims) > MAX_PRIMS:
            raise self.error(f"there are more than {MAX_PRIMS} prims, or {MAX_DEPTH} above each other")
        self.next()
        type = self.next() if self.kind == "word" else ""
        if self.kind != "text":
            raise self.error("a prim has no name between quotes")
        name = _unquoted(self.next())
        path = f"{parent}/{name}"
        if not name.isidentifier() or path in self.paths:
            raise self.error(f"{name!r} is {'the name of two prims' if path in self.paths else 'no name of a prim'}")
        self.paths.add(path)
        about = self.metadata() if self.token == "(" else {}
        live = live and about.get("active", True) is not False
        values: dict[str, Any] = {}
        targets: dict[str, tuple[str, ...]] = {}
        if live:
            schemas, title = about.get("apiSchemas", ()), about.get("displayName", "")
            schemas = schemas if isinstance(schemas, tuple) else ()
            self.prims.append((path, type, schemas, values, targets, title if isinstance(title, str) else "", line))
        self.expect("{")
        while not self.take("}"):
            if not self.prim(path, live, depth + 1):
                self.property(values, targets)
        return True

    def metadata(self) -> dict[str, Any]:
        """Read metadata between brackets."""
        found: dict[str, Any] = {}
        self.expect("(")
        while not self.take(")"):
            if self.kind == "text":  # a comment
                self.next()
                continue
            self.take("prepend") or self.take("append")
            name = self.next()
            if name in COMPOSES or name in found:
                raise self.error(f"{name} composes it of several parts", wrong=False)
            self.expect("=")
            found[name] = self.value(0)
            self.take(";") or self.take(",")
        return found

    def property(self, values: dict[str, Any], targets: dict[str, tuple[str, ...]]) -> None:
        if self.token in COMPOSES:
            raise self.error(f"{self.token} composes it of several parts", wrong=False)
        self.take("prepend") or self.take("append")
        words: list[str] = []
        while self.kind == "word" and (len(words) < 2 or words[-2] in QUALIFIERS):
            words.append(self.next())
        if len(words) < 2:
            raise self.error(f"{self.token[:40]!r} stands where a property is expected")
        name = words[-1]
        value = self.value(0) if self.take("=") else None
        if self.token == "(":
            self.metadata()
        self.take(";")
        if "rel" in words[:-1]:
            paths = value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()
            if name in BINDINGS or KEPT.fullmatch(name):
                if name in targets or not all(str(one).startswith("/") for one in paths):
                    raise self.error("a path is relative, or a list is in several pieces", wrong=False)
                targets[name] = paths
        elif value is not None and KEPT.fullmatch(name):  # such as x.timeSamples is another name, which is not kept
            if words[-2:-1] == ["bool"] and isinstance(value, str):
                value = value == "true"
            values[name] = value

    def value(self, depth: int) -> Any:
        """Return a value as `Prim` has it; None for what is not needed."""
        if depth > MAX_DEPTH:
            raise self.error(f"there are more than {MAX_DEPTH} brackets in each other")
        if self.token == "[" and (array := _ARRAY.match(self.text, self.start)):
            self.at = array.end()
            try:
                made = _numbers(array[0].translate(_BARE))
            except ValueError:
                raise self.error("an array has something that is not a number") from None
            self.next()
            return made if made.size else ()
        if self.token in ("[", "("):
            return self.several({"[": "]", "(": ")"}[self.token], depth)
        if self.token == "{":
            return self.skip()
        kind, token = self.kind, self.next()
        if kind == "text":
            return _unquoted(token)
        if kind in ("path", "asset"):
            return token.strip("<>@")
        if kind == "number":
            return float(token)
        if kind == "word":
            return {"true": True, "false": False, "None": None}.get(token, token)
        raise self.error(f"{token[:40]!r} stands where a value is expected")

    def several(self, end: str, depth: int) -> Any:
        self.next()
        found: list[Any] = []
        while not self.take(end):
            found.append(self.value(depth + 1))
            self.take(",")
        if any(isinstance(one, str) for one in found):
            return tuple(one for one in found if isinstance(one, str))
        flat = [number for one in found for number in (one if isinstance(one, np.ndarray) else (one,))]
        if all(isinstance(number, float) for number in flat) and flat:
            return np.array(flat)
        return ()

    def skip(self) -> None:
        """Go over a dictionary."""
        depth = 0
        while True:
            depth += (self.token == "{") - (self.token == "}")
            if not self.token:
                raise self.error("a bracket is not closed")
            self.next()
            if depth == 0:
                return


def _numbers(text: str) -> Any:
    """Return the numbers between commas, in pieces: those of a piece take 100 bytes each. Raises ValueError."""
    parts, at = [np.empty(0)], 0
    while at < len(text):
        end = text.find(",", at + PIECE) % (len(text) + 1)  # the end of the text for -1
        parts.append(np.array([*map(float, filter(None, text[at:end].split(",")))]))
        at = end + 1
    return np.concatenate(parts)


def _unquoted(token: str) -> str:
    size = 3 if token.startswith('"""') and len(token) >= 6 else 1
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), token[size:-size], flags=re.DOTALL)
