"""XML as text: elements written line by line, attributes and values escaped."""

import re
from collections.abc import Iterable, Mapping

from kinetree.errors import fail
from kinetree.syntax.xml.reader import MAX_DEPTH, Element


class XmlWriter:
    """Indented XML text, built line by line."""

    def __init__(self) -> None:
        self._lines = ['<?xml version="1.0"?>']
        self._open: list[str] = []

    def open(self, tag: str, **attributes: str | None) -> "XmlWriter":
        """Begin an element, and end it after the block of `with`, or by `close`."""
        if len(self._open) >= MAX_DEPTH:
            raise fail("xml-depth", f"more than {MAX_DEPTH} elements inside each other are not written, nor read")
        self.raw(f"<{tag}{_attributes(attributes)}>")
        self._open.append(tag)
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.raw(f"</{self._open.pop()}>")

    def leaf(self, tag: str, text: str | None = None, /, **attributes: str | None) -> None:
        if text is None:
            self.raw(f"<{tag}{_attributes(attributes)}/>")
        else:
            self.raw(f"<{tag}{_attributes(attributes)}>{_escape(text)}</{tag}>")

    def around(self, tag: str, inner: Iterable[str], /, **attributes: str | None) -> None:
        """Write an element with texts inside, which stand as they are; an empty one without."""
        if texts := list(inner):
            with self.open(tag, **attributes):
                self.raw(*texts)
        else:
            self.leaf(tag, **attributes)

    def raw(self, *texts: str) -> None:
        self._lines += ["  " * len(self._open) + text for text in texts]

    def comment(self, text: str) -> None:
        self.raw(f"<!-- {text.replace('--', '- -')} -->")

    def remark(self, text: str) -> None:
        """Write a comment behind what was written last, on the same line."""
        if text:
            self._lines[-1] += f" <!-- {text.replace('--', '- -')} -->"

    def text(self) -> str:
        assert not self._open, f"elements left open: {self._open}"
        return "\n".join(self._lines) + "\n"


def attributes_text(attributes: Mapping[str, str]) -> str:
    """Return attributes as they stand in a tag: `a="1" b="2"`."""
    return _attributes(dict(attributes)).strip()


def element_text(element: Element, indent: str = "") -> str:
    """Return an element written anew from its attributes, text and children; comments are left out."""
    start = f"{indent}<{element.tag}{_attributes(dict(element.attributes))}"
    text = _escape(element.text)
    if not element.children:
        return f"{start}>{text}</{element.tag}>" if text else f"{start}/>"
    inner = [element_text(child, indent + "  ") for child in element.children]
    return "\n".join([f"{start}>{text}", *inner, f"{indent}</{element.tag}>"])


def _attributes(attributes: dict[str, str | None]) -> str:
    # a trailing underscore lets Python keywords be attribute names: class_="…"
    return "".join(f' {k.rstrip("_")}="{_quote(v)}"' for k, v in attributes.items() if v is not None)


# The standard library's xml.sax.saxutils does this too, but brings HTTP and e-mail along: 30 ms at every start.


def _escape(text: str) -> str:
    """Return text escaped to stand between tags. Raises KinetreeError for characters that XML forbids."""
    if bad := _ILLEGAL.search(text):
        raise fail("xml-character", f"{text!r} contains {bad[0]!r}, which XML does not allow")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def _quote(text: str) -> str:
    """Return the value of an attribute; white space other than blanks is escaped, else it would be read as blanks."""
    escaped = _escape(text).replace('"', "&quot;")
    return escaped.replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
