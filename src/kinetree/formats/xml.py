"""XML as elements that know their place. The one file in which XML is parsed.

Expat gives the byte of every tag, so each element can say its line and column; the text of a file is
kept, so an element can be written back as it stood, comments included. Document types and entities
are refused before anything is read from them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import Finding, Severity, Source
from kinetree.formats.xml_encoding import to_utf8

MAX_BYTES = 64_000_000
MAX_DEPTH = 200
MAX_ATTRIBUTES = 1000
MAX_FINDINGS = 10_000
AROUND = 1000
"""Bytes before and after a place that are looked at for its line: some lines are as long as their file."""
REMEMBERED = 1_000_000
"""Bytes of a text whose elements are kept at most: they take some thirty times as many."""


class Element:
    """One element: tag, attributes, child elements, text, and its place in a document."""

    __slots__ = ("attributes", "children", "document", "end", "start", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], document: Document, start: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element] = []
        self.text = ""
        self.document = document
        self.start = start  # byte of "<"
        self.end = start  # byte of its end tag, or just after "/>"

    def get(self, name: str, default: str | None = None) -> str | None:
        return self.attributes.get(name, default)

    def find(self, tag: str) -> Element | None:
        for child in self.children:
            if child.tag == tag:
                return child
        return None

    def find_all(self, tag: str) -> list[Element]:
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def label(self) -> str:
        """How messages name it: `joint 'elbow'`, or `<axis>` where it has no name."""
        name = self.attributes.get("name")
        return f"{self.tag} {name!r}" if name else f"<{self.tag}>"

    @property
    def source(self) -> Source:
        return self.document.source(self.start)

    def place(self, attribute: str) -> Source:
        """Where the value of an attribute stands."""
        return self.document.source(_span(self, attribute)[0])

    @property
    def raw(self) -> str:
        """The element as it stands in the file, comments and white space included."""
        return self.document.data[self.start : self.stop].decode()

    @property
    def tag_stop(self) -> int:
        """The byte behind its start tag."""
        return _tag_end(self.document.data, self.start)

    @property
    def empty(self) -> bool:
        """Whether its start tag ends it: `<link/>`."""
        stop = self.tag_stop
        return self.document.data[stop - 2 : stop] == b"/>"

    @property
    def stop(self) -> int:
        """The byte behind it."""
        # what ends in itself may have the end of another right behind it
        return self.tag_stop if self.empty else self.document.data.index(b">", self.end) + 1


@dataclass(frozen=True, slots=True)
class Derived:
    """A text that was made of other files, and the places from which its elements come, in order."""

    text: str
    origins: Sequence[Source | None]


class Document:
    """A file in UTF-8, in which elements stand. It does not know them: without a circle they are gone with their last
    user, and need no collector.
    """

    def __init__(self, data: bytes, file: str, origins: Sequence[Source | None] = ()) -> None:
        self.data = data
        self.file = file
        self.comments: dict[int, str] = {}  # by the byte of "<", where `parse` was asked for them
        self._ascii = data.isascii()
        self.origins = origins
        self.starts: Sequence[int] = ()  # where the tags of all elements begin, of a text that has origins

    def source(self, byte: int) -> Source:
        """The place of a byte, or of what the element around it was made of."""
        here = self._here(byte)
        if not self.starts:
            return here
        at = bisect_right(self.starts, byte) - 1
        origin = self.origins[at] if 0 <= at < len(self.origins) else None
        return replace(origin, made=here) if origin else here

    @property
    def lines(self) -> int:
        """How many there are."""
        return len(self._lines)

    @cached_property
    def _lines(self) -> list[int]:
        """Where they begin."""
        newlines = np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == ord("\n"))
        return [0, *(newlines + 1).tolist()]

    def _here(self, byte: int) -> Source:
        line = bisect_right(self._lines, byte)
        start = self._lines[line - 1]
        before = byte - start if self._ascii else int(self._characters[byte] - self._characters[start])
        return Source(self.file, line, before + 1)

    @cached_property
    def _characters(self) -> NDArray[np.int32]:
        """How many characters begin before each byte; the bytes of UTF-8 that go on with one are 10xxxxxx."""
        count = np.zeros(len(self.data) + 1, np.int32)
        np.cumsum((np.frombuffer(self.data, np.uint8) & 0xC0) != 0x80, out=count[1:])
        return count

    def byte(self, source: Source) -> int:
        """The byte at which a source of this document stands."""
        source = source.made or source
        assert source.line is not None
        assert source.column is not None
        start, before = self._lines[source.line - 1], source.column - 1
        return start + (
            before
            if self._ascii
            else len(self.data[start : start + 4 * before].decode(errors="ignore")[:before].encode())
        )

    def excerpt(self, start: int, stop: int) -> str:
        """The line that holds bytes start to stop, with these underlined."""
        first, last = max(0, start - AROUND), min(len(self.data), start + AROUND)
        left = max(first, self.data.rfind(b"\n", first, start) + 1)
        right = self.data.find(b"\n", start, last)
        right = last if right < 0 else right
        before = self.data[left:start].decode(errors="replace").replace("\t", " ")
        bad = self.data[start : min(stop, right)].decode(errors="replace")
        after = self.data[min(stop, right) : right].decode(errors="replace")
        line = (before + bad + after).replace("\t", " ").rstrip()
        indent = len(before) - len(before.lstrip())
        cut = max(indent, len(before) - 60)
        return f"{line[cut : cut + 100]}\n{' ' * (len(before) - cut)}{'~' * max(1, min(len(bad), 100) - 1)}^"

    def excerpt_at(self, source: Source) -> str:
        """The line of a source of this document, with the tag that begins there underlined."""
        start = self.byte(source)
        return self.excerpt(start, _tag_end(self.data, start))


class Report:
    """The findings of one reading, in the order in which they are met."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.count: Counter[Severity] = Counter()

    @property
    def failed(self) -> bool:
        return any(f.severity == "error" for f in self.findings)

    def add(
        self,
        severity: Severity,
        code: str,
        message: str,
        element: Element,
        *,
        attribute: str | None = None,
        owner: Element | None = None,
        fix: str | None = None,
    ) -> None:
        """Note a finding at `element`, underlining `attribute` or the tag; `owner` is what messages name.

        Of very many the last says that there are more.
        """
        self.count[severity] += 1
        if self.count[severity] > MAX_FINDINGS:
            return
        if self.count[severity] == MAX_FINDINGS:
            code, message = "too-many", f"this is the {MAX_FINDINGS}th {severity}; whatever follows is left out"
        start, stop = _span(element, attribute)
        document = element.document
        self.findings.append(
            Finding(
                code,
                severity,
                message,
                document.source(start),
                (owner or element).label,
                fix,
                document.excerpt(start, stop),
            )
        )

    def error(self, code: str, message: str, element: Element, **more: str | Element | None) -> None:
        self.add("error", code, message, element, **more)  # type: ignore[arg-type]

    def warning(self, code: str, message: str, element: Element, **more: str | Element | None) -> None:
        self.add("warning", code, message, element, **more)  # type: ignore[arg-type]

    def place(self, findings: Iterable[Finding], document: Document) -> None:
        """Add findings that were made without the file in hand, with the tag that they name underlined."""
        for finding in findings:
            source = finding.source
            within = source and (source.made or source).file == document.file
            if source and within and source.line and not finding.excerpt:
                finding = replace(finding, excerpt=document.excerpt_at(source))
            self.findings.append(finding)


def _span(element: Element, attribute: str | None) -> tuple[int, int]:
    """The bytes of an attribute's value, or of the start tag."""
    data = element.document.data
    tag_end = _tag_end(data, element.start)
    if attribute is not None and (found := attribute_spans(element).get(attribute)):
        _, start, stop, _ = found
        return start, max(stop, start + 1)
    return element.start, tag_end


_ATTRIBUTE = re.compile(rb"""([^\s=/<>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


def attribute_spans(element: Element) -> dict[str, tuple[int, int, int, int]]:
    """Attribute to the bytes where its name and its value begin, where its value stops, and those behind its quote."""
    data = element.document.data
    behind = element.start + 1 + len(element.tag.encode())
    return {
        m[1].decode(): (m.start(), *(m.span(2) if m[2] is not None else m.span(3)), m.end())
        for m in _ATTRIBUTE.finditer(data, behind, element.tag_stop)
    }


_TAG = re.compile(rb"<[^\s/>]*(?:[^\"'>]|\"[^\"]*\"|'[^']*')*>")


def _tag_end(data: bytes, start: int) -> int:
    match = _TAG.match(data, start)
    return match.end() if match else start + 1


class _RefusedError(Exception):
    """Stops the parser at something that is never read, such as a document type."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def parse(text: bytes | str | Derived, file: str, report: Report, *, comments: bool = False) -> Element | None:
    """The root element of an XML text, or None with an error in `report`. comments: whether its document keeps them."""
    text, origins = (text.text, text.origins) if isinstance(text, Derived) else (text, ())
    try:
        data = to_utf8(text)
    except (UnicodeError, LookupError) as error:
        report.findings.append(Finding("xml-encoding", "error", f"the text cannot be decoded: {error}", Source(file)))
        return None
    document = Document(data, file, origins)
    parser = expat.ParserCreate("utf-8")
    try:
        if len(data) > MAX_BYTES:
            raise _RefusedError("xml-size", f"{len(data)} bytes; at most {MAX_BYTES} are read")
        if comments:
            parser.CommentHandler = lambda text: document.comments.update({parser.CurrentByteIndex: text})
        root = _build(parser, document)
    except expat.ExpatError as error:
        byte = min(max(parser.ErrorByteIndex, 0), len(data))
        message = f"this is not well-formed XML: {expat.ErrorString(error.code)}"
        _refuse(report, document, "xml-syntax", message, byte)
        return None
    except _RefusedError as error:
        _refuse(report, document, error.code, str(error), max(parser.CurrentByteIndex, 0))
        return None
    finally:
        for handler in HANDLERS:  # they know the parser, which knows them
            setattr(parser, handler, None)
    if origins:
        document.starts = [element.start for element in root.walk()]
    return root


_latest: list[Element] = []
"""The root that a reader remembered last."""


def remember(root: Element) -> None:
    """Keep a document for `parsed`, until the next one, unless it is large."""
    _latest[:] = [root] if len(root.document.data) <= REMEMBERED else []


def parsed(text: Derived, file: str) -> Element | None:
    """`parse` of a text that has been read before; at no cost if it is remembered."""
    data = text.text.encode()
    for root in _latest:
        document = root.document
        if document.file == file and document.data == data and document.origins == text.origins:
            return root
    return parse(text, file, Report())


def unparsed(text: bytes, file: str) -> Document:
    """A file of which only the text is wanted, whatever is in it. Raises UnicodeError or LookupError where its
    encoding is wrong or unknown."""
    return Document(to_utf8(text), file)


def _refuse(report: Report, document: Document, code: str, message: str, byte: int) -> None:
    markup = b"<" in document.data[: byte + 1]  # of what is no XML at all, such as a secret, no line is shown
    excerpt = document.excerpt(byte, byte + 1) if markup else None
    report.findings.append(Finding(code, "error", message, document.source(byte), excerpt=excerpt))


HANDLERS = (
    *("StartElementHandler", "EndElementHandler", "CharacterDataHandler"),
    *("CommentHandler", "StartDoctypeDeclHandler", "EntityDeclHandler"),
)


def _build(parser: expat.XMLParserType, document: Document) -> Element:
    """The root element, built by handlers that hang on the parser."""
    roots: list[Element] = []
    stack = [Element("", {}, document, 0)]
    stack[0].children = roots

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, document, parser.CurrentByteIndex)
        stack[-1].children.append(element)
        stack.append(element)
        if len(attributes) > MAX_ATTRIBUTES:
            raise _RefusedError("xml-size", f"{len(attributes)} attributes; at most {MAX_ATTRIBUTES} are read")
        if len(stack) > MAX_DEPTH + 1:
            raise _RefusedError("xml-depth", f"elements nested more than {MAX_DEPTH} deep")

    def end(_tag: str) -> None:
        stack.pop().end = parser.CurrentByteIndex

    def characters(text: str) -> None:
        if not text.isspace():
            stack[-1].text += text

    def doctype(*_: object) -> None:
        raise _RefusedError("xml-doctype", "document types (<!DOCTYPE …>) and entities are not accepted; remove them")

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = doctype
    parser.Parse(document.data, True)
    return roots[0]
