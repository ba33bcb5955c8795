"""Encodings of XML files."""

import codecs
import re
from functools import cache

_ENCODING = re.compile(rb"(<\?xml[^>]*?\sencoding\s*=\s*[\"'])([A-Za-z0-9._-]+)")
DECLARED_WITHIN = 1000
"""Bytes at the beginning of a file that contain its declaration."""
CODECS = {
    **dict.fromkeys(("utf-8", "utf8"), "utf-8"),
    **dict.fromkeys(("ascii", "us-ascii"), "ascii"),
    **{f"iso-8859-{part}": f"iso-8859-{part}" for part in (*range(1, 12), 13, 14, 15, 16)},
    **dict.fromkeys(("latin1", "latin-1"), "iso-8859-1"),
    **{f"{prefix}{page}": f"cp{page}" for prefix in ("windows-", "cp") for page in range(1250, 1259)},
    **{name: name for name in ("gb2312", "gbk", "gb18030", "big5", "shift_jis", "euc-jp", "euc-kr")},
}
"""Supported encodings, as files name them, to Python's codecs, which take time in proportion to the file. Python's
other codecs decompress, or take the square of that time."""
LEGAL = (
    "UTF-8, UTF-16 with a byte order mark, US-ASCII, ISO-8859-1 to 16, windows-1250 to 1258, "
    "GB2312, GBK, GB18030, Big5, Shift_JIS, EUC-JP and EUC-KR"
)
CHUNK = 1_000_000
"""Bytes that are decoded at a time."""


Doubt = tuple[int, str]
"""What is wrong with an encoding, and its first byte in the text in UTF-8."""


@cache
def strays() -> dict[int, str]:
    """Return letters of bytes that are not UTF-8, by their surrogate escapes: those of windows-1252, the most likely
    encoding."""
    return {0xDC00 + byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0x100)}


def to_utf8(text: bytes | str) -> tuple[bytes, list[Doubt]]:
    """Return the text in UTF-8, with UTF-8 in its declaration, so that it can be written back, and what is wrong with
    its encoding. As tinyxml2 does, a text is read as UTF-8 if its declaration is wrong, and whatever its bytes are.

    Raises UnicodeError for a text with the byte order mark of UTF-16 that is not in UTF-16.
    """
    if isinstance(text, str):
        return text.encode(), []
    mark, encoding = encoding_of(text)
    name, text = _declared(text, len(mark)), text[len(mark) :]
    doubts = []
    if encoding == "utf-8" and CODECS.get(name.lower()) != encoding and not mark:
        doubts.append((text.find(name.encode()), f"the declared encoding {name!r}, but the text is not in it"))
        if name.lower() not in CODECS and not name.lower().startswith("utf-16"):
            doubts = [(doubts[0][0], f"the declared encoding {name!r}, which is not known; expected {LEGAL}")]
    if not text.isascii() and encoding == "utf-8":
        text, stray = _with_letters(text)
        doubts += stray
    elif not text.isascii() or encoding.startswith("utf-16"):
        text = text.decode(encoding).encode()
    declared = _ENCODING.match(text, 0, DECLARED_WITHIN)
    if declared and declared[2].lower() != b"utf-8":
        text = declared[1] + b"UTF-8" + text[declared.end(2) :]
        grown = len(b"UTF-8") - len(declared[2])
        doubts = [(byte + grown if byte > declared.start(2) else byte, what) for byte, what in doubts]
    return text, doubts


def _with_letters(text: bytes) -> tuple[bytes, list[Doubt]]:
    """Return a text in UTF-8, with letters for bytes that are not, and a doubt if there are any; in pieces, as a whole
    str could take four times its bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    parts, size, first = [], 0, -1
    for start in range(0, len(text), CHUNK):
        piece = decoder.decode(text[start : start + CHUNK], final=start + CHUNK >= len(text))
        try:
            data = piece.encode()
        except UnicodeEncodeError as error:
            first = size + len(piece[: error.start].encode()) if first < 0 else first
            data = piece.translate(strays()).encode()
        parts.append(data)
        size += len(data)
    if first < 0:
        return text, []
    bad = text[first : first + 1].hex().upper()
    return b"".join(parts), [(first, f"a byte that is not UTF-8, 0x{bad}, taken as a letter of windows-1252")]


def text_of(text: bytes) -> tuple[bytes, str, str]:
    """Return (byte order mark or b"", Python's encoding, text without the mark). Raises UnicodeError as `to_utf8`."""
    mark, encoding = encoding_of(text)
    return mark, encoding, text[len(mark) :].decode(encoding, "surrogateescape").translate(strays())


def encoding_of(text: bytes) -> tuple[bytes, str]:
    """Return (byte order mark or b"", Python's encoding): the declared one, or UTF-8 if the text cannot be in it."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if text.startswith(mark):
            return mark, encoding
    if text.startswith(codecs.BOM_UTF8):
        return codecs.BOM_UTF8, "utf-8"
    encoding = declared_codec(text) or "utf-8"
    if encoding == "utf-8" or text.isascii():
        return b"", encoding
    one_byte = encoding == "ascii" or encoding.startswith(("iso-", "cp"))
    wrong = (one_byte and _is_in(text, "utf-8")) or not _is_in(text, encoding)
    return b"", "utf-8" if wrong else encoding


def _is_in(text: bytes, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for start in range(0, len(text), CHUNK):
            decoder.decode(text[start : start + CHUNK], final=start + CHUNK >= len(text))
    except UnicodeError:
        return False
    return True


def declared_codec(text: bytes) -> str | None:
    """Return Python's name of the encoding that a text without byte order mark declares, or None if it is not read."""
    return CODECS.get(_declared(text, 0).lower())


def declares_utf16(text: bytes) -> bool:
    """Return whether a text, in UTF-8, declares that it is in UTF-16."""
    return _declared(text, 0).lower().startswith("utf-16")


def _declared(text: bytes, start: int) -> str:
    """Return the encoding that a text declares from a place on, "utf-8" without one."""
    declared = _ENCODING.match(text, start, start + DECLARED_WITHIN)
    return declared[2].decode() if declared else "utf-8"
