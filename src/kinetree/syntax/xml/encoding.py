"""Encodings of XML files."""

import codecs
import re

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


def to_utf8(text: bytes | str) -> bytes:
    """Return the text in UTF-8, with UTF-8 in its declaration, so that it can be written back.

    Raises UnicodeError for a text that is not in its encoding, LookupError for an encoding that is not supported.
    """
    if isinstance(text, str):
        return text.encode()
    mark, encoding = encoding_of(text)
    text = text[len(mark) :]
    if encoding in ("utf-8", "ascii") and text.isascii():
        pass
    elif encoding == "utf-8":
        _check_utf8(text)
    else:
        text = text.decode(encoding).encode()
    declared = _ENCODING.match(text, 0, DECLARED_WITHIN)
    if declared and declared[2].lower() != b"utf-8":
        text = declared[1] + b"UTF-8" + text[declared.end(2) :]
    return text


def _check_utf8(text: bytes) -> None:
    """Raise UnicodeDecodeError if a text is not UTF-8; in pieces, as a whole str could take four times its bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(text), CHUNK):
        held = len(decoder.getstate()[0])
        try:
            decoder.decode(text[start : start + CHUNK], final=start + CHUNK >= len(text))
        except UnicodeDecodeError as error:
            at = start - held
            raise UnicodeDecodeError("utf-8", text, error.start + at, error.end + at, error.reason) from None


def encoding_of(text: bytes) -> tuple[bytes, str]:
    """Return (byte order mark or b"", Python's encoding). Raises UnicodeError or LookupError if unsupported."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if text.startswith(mark):
            return mark, encoding
    mark = b"\xef\xbb\xbf" if text.startswith(b"\xef\xbb\xbf") else b""
    name = _declared(text, len(mark))
    if name.lower().startswith("utf-16"):
        raise UnicodeError("it declares UTF-16 but does not begin with its byte order mark")
    if name.lower() not in CODECS:
        raise LookupError(f"encoding {name!r} is not read; expected {LEGAL}")
    return mark, CODECS[name.lower()]


def declares_utf16(text: bytes) -> bool:
    """Return whether a text, in UTF-8, declares that it is in UTF-16."""
    return _declared(text, 0).lower().startswith("utf-16")


def _declared(text: bytes, start: int) -> str:
    """Return the encoding that a text declares from a place on, "utf-8" without one."""
    declared = _ENCODING.match(text, start, start + DECLARED_WITHIN)
    return declared[2].decode() if declared else "utf-8"
