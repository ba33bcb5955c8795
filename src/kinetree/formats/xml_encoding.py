"""In which encoding an XML file is."""

from __future__ import annotations

import re

_ENCODING = re.compile(rb"(<\?xml[^>]*?\sencoding\s*=\s*[\"'])([A-Za-z0-9._-]+)")


def to_utf8(text: bytes | str) -> bytes:
    """The text in UTF-8, which its declaration then says too, so that it can be written back."""
    if isinstance(text, str):
        return text.encode()
    mark, encoding = encoding_of(text)
    text = text[len(mark) :].decode(encoding).encode()
    declared = _ENCODING.match(text)
    if declared and declared[2].lower() != b"utf-8":
        text = declared[1] + b"UTF-8" + text[declared.end(2) :]
    return text


def encoding_of(text: bytes) -> tuple[bytes, str]:
    """The byte order mark of a file, or nothing, and the encoding of what is behind it."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if text.startswith(mark):
            return mark, encoding
    mark = b"\xef\xbb\xbf" if text.startswith(b"\xef\xbb\xbf") else b""
    declared = _ENCODING.match(text, len(mark))
    encoding = declared[2].decode() if declared else "utf-8"
    if encoding.lower().startswith("utf-16"):
        raise UnicodeError("it declares UTF-16 but does not begin with its byte order mark")
    return mark, encoding
