"""Text that tinyxml2 reads though XML forbids it, made well-formed; tinyxml2 parses for urdfdom, sdformat and MuJoCo.

A text is made well-formed only after expat has refused it. What stands after the root element needs no change: the
root is complete by then, and `kinetree.syntax.xml.reader` stops there.
"""

import re
from bisect import bisect_right
from itertools import accumulate, islice

MAX_MARKUP = 400_000
"""Most tags and comments that are looked at; a text with more is refused as it stands."""
MAX_CHANGES = 100_000

Change = tuple[int, int, bytes, str]
"""Start and stop of bytes, what XML would have in their place, and what is wrong with them."""

_DECLARATION = re.compile(rb"([^<]*+)(<\?xml[\s?][^>]*+>)?")
_TAG = re.compile(rb"<[^\s/>]*+(?:[^\"'>]++|\"[^\"]*+\"|'[^']*+')*+>")
_VALUE = re.compile(rb"\"[^\"]*+\"|'[^']*+'")
_CONTROL = re.compile(rb"[\x01-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]")
_IN_TEXT = re.compile(rb"&(?!#?\w++;)|\]\]>|" + _CONTROL.pattern)  # a name of an entity may have been meant as one
_IN_VALUE = re.compile(rb"&(?!#?\w++;)|<|" + _CONTROL.pattern)
_NAME = re.compile(rb"[A-Za-z_:]")
_WRITTEN = {b"&": b"&amp;", b"<": b"&lt;", b"]]>": b"]]&gt;", b"\x0b": b" ", b"\x0c": b" "}
_REPLACED = "\N{REPLACEMENT CHARACTER}".encode()
_WRONG = {
    b"&": "'&' that begins no entity, such as '&amp;'",
    b"<": "'<' in a value, not '&lt;'",
    b"]]>": "']]>' in a text",
}


def well_formed(data: bytes, changes: list[Change]) -> bytes:
    """Return a text with the changes made."""
    parts, at = [], 0
    for start, stop, written, _ in changes:
        parts += [data[at:start], written]
        at = stop
    return b"".join([*parts, data[at:]])


class Places:
    """Bytes of a text from the bytes of the text with changes."""

    def __init__(self, changes: list[Change]) -> None:
        growth = [len(written) - (stop - start) for start, stop, written, _ in changes]
        self._shifts = list(accumulate(growth, initial=0))
        # where, in the changed text, each change ends: from there on the next shift applies
        self._ends = [stop + shift for (_, stop, _, _), shift in zip(changes, self._shifts[1:], strict=True)]

    def __call__(self, byte: int) -> int:
        """Return the byte of the text from which a byte of the changed text comes."""
        return max(0, byte - self._shifts[bisect_right(self._ends, byte)])


def changes_of(data: bytes) -> list[Change]:
    """Return what must change in a text for XML to allow it, in order; [] if nothing does or it is something else.

    Takes time in proportion to the text. Found are text or blanks before the declaration, one without a version,
    "--" in comments, "&" that begins no entity, "<" in values, "]]>" in texts, control characters, and attributes
    without a blank between.
    """
    found: list[Change] = []
    before = _DECLARATION.match(data)
    at = 0
    if before and (before[2] or before[1].strip()):
        at = before.end() if before[2] else len(before[1])
        text, version = before[1], b"version" in (before[2] or b"version")
        if text or not version:
            what = "a declaration without a version" if not text else "text" if text.strip() else "blanks"
            blank = bytes(byte if byte in b"\r\n" else ord(" ") for byte in data[:at])
            found.append((0, at, blank, what + (" before the declaration or the first element" if text else "")))
    for _ in range(MAX_MARKUP):
        tag = data.find(b"<", at)
        stop = tag if tag >= 0 else len(data)
        found += _replaced(_IN_TEXT, data, at, stop)
        if tag < 0:
            return found
        end = _end(data, tag)
        if end < 0:
            return found
        if data.startswith(b"<!--", tag):
            inside = data[tag + 4 : end - 3]
            if b"--" in inside or inside.endswith(b"-"):
                blank = _CONTROL.sub(b" ", inside.replace(b"-", b" "))
                found.append((tag + 4, end - 3, blank, "'--' in a comment"))
            else:
                found += _replaced(_CONTROL, data, tag + 4, end - 3)
        elif data.startswith(b"<![CDATA[", tag):
            found += _replaced(_CONTROL, data, tag, end)
        elif not data.startswith((b"<!", b"<?"), tag):
            for value in _VALUE.finditer(data, tag, end):
                found += _replaced(_IN_VALUE, data, value.start() + 1, value.end() - 1)
                if _NAME.match(data, value.end(), end):
                    found.append((value.end(), value.end(), b" ", "an attribute without a blank before it"))
        at = end
        if len(found) > MAX_CHANGES:
            break
    return []


def _replaced(pattern: re.Pattern[bytes], data: bytes, start: int, stop: int) -> list[Change]:
    matches = islice(pattern.finditer(data, start, stop), MAX_CHANGES)
    return [
        (m.start(), m.end(), _WRITTEN.get(m[0], _REPLACED), _WRONG.get(m[0], "a control character")) for m in matches
    ]


def _end(data: bytes, tag: int) -> int:
    """Return the byte after the markup that begins at `tag`, or -1 if it does not end."""
    for begin, close in ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")):
        if data.startswith(begin, tag):
            end = data.find(close, tag + len(begin))
            return end + len(close) if end >= 0 else -1
    match = _TAG.match(data, tag)
    return match.end() if match else -1
